// ---- Details of a node, and of the whole ---------------------------------------------------------------------------
const jump = n => element("button", {type: "button", onclick: () => choose(n)}, nodes[n].name);
function rows(head, list) {
  const table = element("table");
  if (head)
    table.append(element("thead", {},
        element("tr", {}, ...head.map(h => element("th", {scope: "col", class: h.number ? "number" : ""}, h.text)))));
  const body = element("tbody");
  for (const cells of list)
    body.append(element(
        "tr", {}, ...cells.map((cell, k) => element("td", {class: head && head[k].number ? "number" : ""}, cell))));
  table.append(body);
  return table;
}
const right = text => ({text, number: true});
function flowText(flow, name) {
  const same = flow.held === flow.wanted, output = flow.of === "output";
  const change = same ? flow.wanted :
      output          ? flow.wanted + "  \u2192  " + flow.held :
                        flow.held + "  \u2192  " + flow.wanted;
  return element("p", {class: "flow"}, name, element("br"), element("code", {}, change), element("br"),
      element("span", {class: flow.steps.length ? "what" : "quiet"}, steps(flow)),
      flow.bytes > 0 ? ", " + bytes(flow.bytes) + " (" + flow.bytes.toLocaleString("en") + " bytes)" : "",
      flow.note ? element("span", {class: "quiet"}, " (" + flow.note + ")") : "");
}
const named = item => element("span", {}, jump(item.like), item.nodes.length > 1 ? " \u00d7 " + item.nodes.length : "");
// Of what is drawn, the first few with the largest value.
const largest = (list, value) =>
    list.map(of => [of, value(of)]).filter(([, v]) => v > 0).sort((a, b) => b[1] - a[1]).slice(0, 6);
const most = (of, item) => item.nodes.reduce((least, n) => Math.max(least, of[n]), 0);

// Of a node of sparse tensors: what they list, who drives it, who goes through most.
const share = part => part === null ? "" : (100 * part).toPrecision(3).replace(/\.?0+$/, "") + " %";
function driversText(drivers) {
  const any = set => set.join(" or ");
  const sets = drivers.map(set => set.length > 1 && drivers.length > 1 ? "(" + any(set) + ")" : any(set));
  const how = drivers.length > 1 ? drivers.every(set => set.length === 1) ? "only what all of them list" :
                                                                            "only what these list" :
      drivers[0].length > 1      ? "what any of them lists" :
                                   "only what it lists";
  return "Driven by " + sets.join(" and ") + ": " + how + " is looked at.";
}
function workText(node) {
  const work = node.listed_work;
  if (node.calls === 1)
    return "Rank " + work.busiest_rank + " goes through all " + count(work.listed) + " listed elements: not cut.";
  return "Rank " + work.busiest_rank + " goes through most, " + count(work.listed) + " listed elements: " +
      times(work.times_mean) + " times the mean." +
      (work.times_mean < unevenWork ? "" : " The others wait for it: number the indices in a random order (the same " +
               "for all tensors that share them), or cut another label.");
}
function listedDetails(panel, node) {
  if (!node.nnz) return;
  panel.append(element("h3", {}, "Listed elements"), rows([
    {text: "tensor"}, right("listed"), right("of"), right("density"), right("at most"), right("fill"), right("bytes"),
    right("dense")
  ], node.nnz.map(one => [
    one.tensor + (one.made ? " (made)" : ""), one.estimate === null ? "unknown" :
        (one.exact ? "" : "about ") + count(one.estimate), count(one.places), share(one.density),
    one.bound === null ? "all" : one.exact ? "counted" : count(one.bound), String(one.fill), bytes(one.bytes),
    bytes(one.dense_bytes)
  ])));
  if (node.dense_copy) panel.append(element("p", {}, "Made dense: " + node.dense_copy + "."));
  else if (node.drivers) panel.append(element("p", {}, driversText(node.drivers)));
  if (node.listed_work && plan.ranks > 1) panel.append(element("p", {}, workText(node)));
}

function wholeDetails(panel) {
  panel.append(element("h2", {}, "Choose a node"),
      element("p", {class: "quiet"},
          "Click a node, search for one, or look at the table. Labels carry the axes of the mesh that they are cut " +
              "over: i/a k is cut along i over axis a, and whole along k."));
  const each = frames.length ? " (of repeated ones, each)" : "";
  const onIt = [...new Set(path.map(n => byNode[n]))];
  const timesOf = ([item]) => [named(item), seconds(most(timing.computing, item)), seconds(most(timing.moving, item))];
  if (timing && path.length)
    panel.append(element("h3", {}, "Critical path: " + seconds(timing.critical_path.seconds)),
        element("p", {class: "quiet"},
            "The chain of nodes that takes longest, each reading the one before, moving included: " +
                several(path.length, "node") + ", as simulated on " + timing.machines + ". The whole run takes " +
                seconds(timing.seconds) + "; nodes may overlap in it. On this path take longest" + each + ":"),
        rows([{text: "node"}, right("computes"), right("moves")],
            largest(onIt, item => most(took, item)).map(timesOf)));
  const uneven = largest(drawn, item => item.nodes.reduce((most, n) => Math.max(most, unevenness(n) || 0), 0))
                     .filter(([, ratio]) => ratio >= unevenWork);
  if (uneven.length)
    panel.append(element("h3", {}, "Uneven in listed elements"),
        rows([{text: "node"}, right("busiest rank, times the mean")],
            uneven.map(([item, ratio]) => [named(item), times(ratio)])));
  const copied = drawn.filter(item => item.nodes.some(n => nodes[n].dense_copy));
  if (copied.length)
    panel.append(element("h3", {}, "Sparse tensors that are made dense"),
        rows([{text: "node"}, {text: "why"}],
            copied.slice(0, 6).map(
                item => [named(item), nodes[item.nodes.find(n => nodes[n].dense_copy)].dense_copy])));
  const heaviest = largest(edges, edge => edge.bytes);
  const maker = edge => edge.makers.length ? jump(edge.makers[0].like) : edge.flow.tensor;
  if (heaviest.length)
    panel.append(element("h3", {}, "Heaviest edges" + each),
        rows([{text: "what"}, {text: "for"}, right("bytes")],
            heaviest.map(([edge, amount]) => [maker(edge), named(edge.to), bytes(amount)])));
  const movers = largest(drawn, item => most(moved, item));
  if (movers.length)
    panel.append(element("h3", {}, "Nodes that move most" + each),
        rows([{text: "node"}, right("bytes")], movers.map(([item, amount]) => [named(item), bytes(amount)])));
}

// Which copy of a repeated part the node belongs to, and buttons to the same node of others.
function copies(n) {
  const list = [];
  for (let inst = byNode[n].made; inst.group; inst = inst.parent) list.unshift(inst.group);
  let base = 0;
  return list.map(group => {
    const c = Math.floor((position[n] - base - group.first) / group.period);
    base += group.first + c * group.period;
    const other = d => picture.order[position[n] + d * group.period];
    const choice = element("select", {"aria-label": "copy", onchange: e => choose(other(Number(e.target.value) - c))});
    for (let k = 0; k < group.copies; ++k)
      choice.append(element("option", {value: String(k), selected: k === c}, String(k + 1)));
    return element("div", {class: "tools"}, "copy", choice, "of " + group.copies,
        element(
            "button", {type: "button", onclick: () => fold(group)}, group.open ? "Show one copy" : "Show all copies"));
  });
}

function details(n) {
  const panel = at("details");
  panel.replaceChildren();
  panel.scrollTop = 0;
  if (n < 0) return wholeDetails(panel);
  const node = nodes[n], cost = node.cost, size = node.bytes;
  panel.append(element("h2", {}, node.name), element("code", {}, node.operation + ", " + node.dtype), ...copies(n));
  if (byNode[n].ways > 1)
    panel.append(
        element("p", {class: "quiet"}, "Its copies are cut in " + byNode[n].ways + " ways; this one as shown here."));
  if (timing)
    panel.append(element("p", {},
        "Predicted: computes for " + seconds(timing.computing[n]) + ", its result is moved for " +
            seconds(timing.moving[n]) + (onPath.has(n) ? "; " : "."),
        onPath.has(n) ? element("span", {class: "on-path"}, "on the critical path.") : ""));
  const calls = several(node.calls, "kernel call"), candidates = several(node.candidates, "candidate");
  panel.append(element("h3", {}, "Cut: " + calls + ", " + candidates),
      rows([{text: "label"}, right("extent"), right("parts")],
          Object.entries(node.labels)
              .map(([label,
                extent]) => [label + (node.aggregated.includes(label) ? " (aggregated)" : ""), String(extent),
                       String(node.parts[label]) + (node.uneven[label] ? " (" + node.uneven[label] + ")" : "")])));
  panel.append(element("h3", {}, "Cost"), rows([{text: ""}, right("published"), right("scheduled")], [
    ["join", count(cost.join), bytes(size.join)], ["aggregation", count(cost.agg), bytes(size.agg)],
    ["repartition", count(cost.repart), bytes(size.repart)],
    ["all", count(cost.join + cost.agg + cost.repart) + " elements", bytes(size.total)],
    ["busiest rank receives", "", bytes(size.rank_max)], ["flops", "", count(node.flops)]
  ]));
  listedDetails(panel, node);
  if (node.lower_bound_words !== null)
    panel.append(element("p", {},
        "Lower bound: " + count(node.lower_bound_words) + " words at some rank; here " + count(node.words_rank_max) +
            (node.times_lower_bound !== null ? ", " + times(node.times_lower_bound) + " times that." : ".")));
  if (node.alternatives.length)
    panel.append(element("h3", {}, "Instead of " + bytes(node.with_edges.bytes) + " (published)"),
        rows([{text: "parts"}, right("bytes"), right("more")],
            node.alternatives.map(
                a => [parts(a.parts), bytes(a.bytes), (a.more_bytes < 0 ? "" : "+") + bytes(a.more_bytes)])),
        node.alternatives.some(a => a.more_bytes < 0)
            ? element("p", {}, "Less as published, where every operand comes from elsewhere; scheduled, the whole " +
                  "graph may move more.")
            : "");
  panel.append(element("h3", {}, "Reads"));
  for (const flow of inputsOf(node)) panel.append(flowText(flow, flow.maker === null ? flow.tensor : jump(flow.maker)));
  panel.append(element("h3", {}, "Makes"), flowText(node.collectives[node.collectives.length - 1], node.name));
  if (readers[n].length)
    panel.append(element("h3", {}, "Read by"),
        element("ul", {}, ...readers[n].slice(0, 50).map(r => element("li", {}, jump(r)))),
        readers[n].length > 50 ? "and " + (readers[n].length - 50) + " more" : "");
}

// ---- Table --------------------------------------------------------------------------------------------------------
const columns = [
  ["node", n => nodes[n].name, false], ["parts", n => parts(nodes[n].parts), false],
  ["published bytes", n => nodes[n].cost_bytes.join + nodes[n].cost_bytes.agg + nodes[n].cost_bytes.repart, bytes],
  ["scheduled bytes", n => moved[n], bytes], ["busiest rank", n => nodes[n].bytes.rank_max, bytes],
  ["times bound", n => nodes[n].times_lower_bound, times], ["flops", n => nodes[n].flops, count],
  ...(anySparse ? [["listed elements", listedBy, count], ["busiest, times mean", unevenness, times]] : []),
  ...(timing ? [["seconds", n => took[n], seconds]] : [])
];
let sorted = {column: 3, down: true};
const mostRows = 1000;
function table() {
  const value = columns[sorted.column][1];
  const order = nodes.map((_, n) => n).filter(n => !matches || matches.has(n));
  const compare = (a, b) => typeof a === "string" ? a.localeCompare(b) : (a === null ? -1 : a) - (b === null ? -1 : b);
  order.sort((a, b) => (sorted.down ? -1 : 1) * compare(value(a), value(b)) || a - b);
  const head = element("tr", {},
      ...columns.map(([name, , format], k) => element("th", {
        scope: "col",
        class: format ? "number" : "",
        "aria-sort": k !== sorted.column ? "none" :
            sorted.down                  ? "descending" :
                                           "ascending"
      },
                         element("button", {
                           type: "button",
                           onclick: () => {
                             sorted = {column: k, down: k === sorted.column ? !sorted.down : !!format};
                             table();
                           }
                         },
                             name + (k === sorted.column ? (sorted.down ? " \u2193" : " \u2191") : "")))));
  const body = element("tbody");
  for (const n of order.slice(0, mostRows))
    body.append(element("tr", {}, ...columns.map(([, of, format], k) => {
      const cell = of(n);
      return element("td", {class: format ? "number" : ""},
          k === 0           ? jump(n) :
              cell === null ? "" :
              format        ? format(cell) :
                              cell);
    })));
  at("table").replaceChildren(element("table", {}, element("thead", {}, head), body),
      order.length > mostRows ?
          element("p", {class: "quiet"}, "and " + (order.length - mostRows) + " more: search, or sort otherwise") :
          "");
}
function showTable(on) {
  at("table").hidden = !on;
  at("as-table").setAttribute("aria-pressed", on);
  at("as-graph").setAttribute("aria-pressed", !on);
  if (on)
    table();
  else
    redraw();
}
