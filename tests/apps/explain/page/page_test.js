// Runs the script of an explained page on a document of straw: node page_test.js PAGE.html
// With every group shown by one copy, and then by all: every node is drawn without overlap, every line ends where it
// should, and every node can be chosen, found and listed; its details list its collectives.
"use strict";
const assert = require("assert");
const page = require("fs").readFileSync(process.argv[2], "utf8");
const block = id => page.match(new RegExp(`<script type="application/json" id="${id}">([^]*?)</script>`))[1];
const script = page.match(/<script>\n([\s\S]*?)<\/script>/)[1];
const plan = JSON.parse(block("explanation"));

let written = 0;
const pen = new Proxy({}, {
  get(kept, name) {
    if (name in kept) return kept[name];
    if (name === "measureText") return text => ({width: 7 * text.length});
    return () => { if (name === "fillText") ++written; };
  },
  set(kept, name, value) { kept[name] = value; return true; },
});
function made(tag) {
  return {tag, children: [], style: {}, attributes: {}, listeners: {}, className: "", clientWidth: 1200,
    clientHeight: 800,
    append(...more) { this.children.push(...more); }, replaceChildren(...more) { this.children = more; },
    setAttribute(name, value) { this.attributes[name] = String(value); },
    getAttribute(name) { return this.attributes[name]; },
    addEventListener(name, call) { this.listeners[name] = call; }, focus() {}, setPointerCapture() {},
    getBoundingClientRect: () => ({left: 0, top: 0}), getContext: () => pen};
}
const parts = {explanation: {textContent: block("explanation")}, picture: {textContent: block("picture")}};
const part = id => parts[id] || (parts[id] = made(id));
const text = of => typeof of === "string" ? of
  : (assert(of.children, "not an element: " + JSON.stringify(of)), of.children.map(text).join(" "));
Object.assign(globalThis, {
  document: {getElementById: part, createElement: made, addEventListener() {},
             documentElement: {classList: {toggle() {}}}},
  window: {devicePixelRatio: 1, addEventListener() {}, matchMedia: () => ({addEventListener() {}})},
  getComputedStyle: () => ({getPropertyValue: () => "#102030"}),
  requestAnimationFrame: call => call(),
});
(0, eval)(script + `
globalThis.shown = {choose, showTable, arrow, unfold, zoomBy, showAll, drawn: () => drawn, frames: () => frames,
  edges: () => edges, byNode: () => byNode, nodeWidth, nodeHeight, onPath};`);

assert(!plan.nodes.length || written > 0, "nothing was drawn");
assert(plan.timing && plan.timing.computing.length === plan.nodes.length, "no predicted times");
const {nodeWidth, nodeHeight} = shown;
function overlap(list, wide, high) {   // pairs of boxes that overlap, each given by its left upper corner
  const sorted = list.slice().sort((a, b) => a.y - b.y);
  let found = 0;
  for (let i = 0; i < sorted.length; ++i)
    for (let k = i + 1; k < sorted.length && sorted[k].y < sorted[i].y + high - 1; ++k)
      if (Math.abs(sorted[k].x - sorted[i].x) < wide - 1) ++found;
  return found;
}
function isIn(instance, frame) {
  for (; instance.group; instance = instance.parent)
    if (instance.group === frame.group && instance.parent === frame.instance) return true;
  return false;
}
const near = (a, b) => Math.abs(a - b) < 1.5;
for (const all of [false, true]) {
  shown.unfold(all);
  const drawn = shown.drawn();
  assert.strictEqual(overlap(drawn, nodeWidth, nodeHeight), 0, "boxes overlap");
  assert.strictEqual(drawn.reduce((sum, item) => sum + item.nodes.length, 0), plan.nodes.length, "a node is missing");
  if (all) assert.strictEqual(drawn.length, plan.nodes.length, "a copy is missing");
  for (const frame of shown.frames())
    for (const item of drawn) {
      const left = item.x - nodeWidth / 2, right = left + nodeWidth, lower = item.y + nodeHeight;
      if (isIn(item.made, frame))
        assert(left >= frame.x && right <= frame.x + frame.w && item.y >= frame.y && lower <= frame.y + frame.h,
          "a node is outside of its frame");
      else
        assert(right <= frame.x || left >= frame.x + frame.w || lower <= frame.y || item.y >= frame.y + frame.h,
          "a node is in a frame of others");
    }
  for (const edge of shown.edges()) {
    const inputs = edge.to.nodes.map(n => plan.nodes[n].collectives[edge.input]);
    if (inputs.every(flow => flow.maker === null)) { assert(!edge.lines.length); continue; }
    const last = edge.lines[0].points[edge.lines[0].points.length - 1];
    assert(near(last[0], edge.to.x) && near(last[1], edge.to.y), "a line does not end at its node");
    for (const {points} of edge.lines) {   // each begins where another one ends, or below what makes the value
      const begins = ([x, y]) => near(points[0][0], x) && near(points[0][1], y);
      assert(edge.lines.some(line => begins(line.points[line.points.length - 1])) ||
        edge.makers.some(maker => begins([maker.x, maker.y + nodeHeight])), "a line begins nowhere");
    }
    for (const maker of edge.makers)
      assert(edge.lines.some(line => near(line.points[0][0], maker.x) && near(line.points[0][1], maker.y + nodeHeight)),
        "no line begins at what makes " + inputs[0].tensor);
  }
}
plan.nodes.forEach((node, n) => {
  shown.choose(n);
  const details = text(part("details"));
  assert(details.includes(node.name) && details.includes(node.operation));
  for (const flow of node.collectives) for (const step of flow.steps) assert(details.includes(step.kind));
  assert.strictEqual(details.includes("on the critical path"), shown.onPath.has(n));
  assert.strictEqual(details.includes("Listed elements"), !!node.nnz);
  for (const one of node.nnz || []) {
    assert(details.includes(one.tensor + (one.made ? " (made)" : "")), "a sparse tensor is missing");
    assert(one.bound === null || details.includes(one.exact ? "counted" : "about"), "how sure a count is");
  }
  assert.strictEqual(details.includes("Driven by"), !!node.drivers && !node.dense_copy);
  assert.strictEqual(details.includes("Made dense"), !!node.dense_copy);
  if (node.listed_work && plan.ranks > 1)
    assert(details.includes("Rank " + node.listed_work.busiest_rank), "who goes through most");
});
if (plan.nodes.length) {
  part("search").value = plan.nodes[0].name;
  part("search").listeners.input();
  shown.showTable(true);
  assert(text(part("table")).includes(plan.nodes[0].name));
  assert.strictEqual(text(part("table")).includes("listed elements"), plan.nodes.some(node => node.nnz));
}
for (const key of ["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight"]) shown.arrow(key);
