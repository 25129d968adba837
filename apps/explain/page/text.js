// ---- Data, and numbers as people read them ------------------------------------------------------------------------
"use strict";
const at = id => document.getElementById(id);
const picture = JSON.parse(at("picture").textContent);
const plan = JSON.parse(at("explanation").textContent);
const nodes = plan.nodes;
const timing = plan.timing || null;

function scaled(value, base, units) {
  let unit = 0;
  while (Math.abs(value) >= base && unit + 1 < units.length) {
    value /= base;
    ++unit;
  }
  const decimals = Number.isInteger(value) || Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return (value.toFixed(decimals) + " " + units[unit]).trim();
}
const bytes = n => scaled(n, 1024, ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]);
const several = (n, what) => n.toLocaleString("en") + " " + what + (n === 1 ? "" : "s");
const count = n => scaled(n, 1000, ["", "k", "M", "G", "T", "P"]);
const seconds = s => s === 0 ? "0 s" :
    s >= 1                   ? scaled(s, 1000, ["s", "ks"]) :
                               scaled(s * 1e9, 1000, ["ns", "\u00b5s", "ms"]);
const times = r => r < 10 ? r.toFixed(2) : r < 1000 ? r.toFixed(1) : r.toExponential(2);
function parts(of) {
  const cut = Object.entries(of).filter(([, n]) => n > 1).map(([label, n]) => label + " " + n);
  return cut.length ? cut.join(", ") : "not cut";
}
const steps = flow => flow.steps.length ?
    flow.steps.map(s => s.kind + (s.axes.length ? " over " + s.axes.join(",") : "")).join(", then ") :
    "nothing moves";
function element(tag, properties, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(properties || {}))
    if (key === "class")
      made.className = value;
    else if (key in made)
      made[key] = value;
    else
      made.setAttribute(key, value);
  for (const child of children) made.append(child);
  return made;
}

// ---- Nodes --------------------------------------------------------------------------------------------------------
const inputsOf = node => node.collectives.filter(flow => flow.of !== "output");
const makersOf = n => inputsOf(nodes[n]).filter(flow => flow.maker !== null).map(flow => flow.maker);
const readers = nodes.map(() => []);
nodes.forEach((_, n) => makersOf(n).forEach(m => {
  if (readers[m][readers[m].length - 1] !== n) readers[m].push(n);
}));
// Sparse tensors: listed elements that all ranks go through in a node, and how much more than the mean one has.
const anySparse = nodes.some(node => node.nnz);
const unevenWork = 1.15;
const listedBy = n => nodes[n].listed_work ? nodes[n].listed_work.mean * plan.ranks : null;
const unevenness = n => nodes[n].listed_work && nodes[n].calls > 1 ? nodes[n].listed_work.times_mean : null;
const moved = nodes.map(n => n.bytes.total);
const took = nodes.map((_, n) => timing ? timing.computing[n] + timing.moving[n] : 0);
const mostMoved =
    nodes.reduce((most, n) => n.collectives.reduce((m, c) => Math.max(m, c.bytes), Math.max(most, n.bytes.total)), 1);
const mostTook = took.reduce((a, b) => Math.max(a, b), 1e-12);
const path = timing ? timing.critical_path.nodes : [];
const onPath = new Set(path);
const pathEdges = new Set(path.slice(1).map((n, k) => path[k] + ">" + n));
// From what on an edge is one of the heaviest: the eighth, or a tenth of the first.
const flows = nodes.flatMap(node => inputsOf(node).map(flow => flow.bytes)).filter(b => b > 0).sort((a, b) => b - a);
const heavyLimit = flows.length ? Math.max(flows[Math.min(7, flows.length - 1)], flows[0] / 10) : Infinity;
