// Runs the script of an explained page on a document of straw: node page_test.js PAGE.html
// Every node can be laid out without overlap, chosen, found and listed; its details tell its collectives.
"use strict";
const assert = require("assert");
const page = require("fs").readFileSync(process.argv[2], "utf8");
const data = page.match(/<script type="application\/json" id="explanation">([\s\S]*?)<\/script>/)[1];
const script = page.match(/<script>\n([\s\S]*?)<\/script>/)[1];
const told = JSON.parse(data);

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
  return {tag, children: [], style: {}, attributes: {}, listeners: {}, className: "", clientWidth: 1200, clientHeight: 800,
    append(...more) { this.children.push(...more); }, replaceChildren(...more) { this.children = more; },
    setAttribute(name, value) { this.attributes[name] = String(value); }, getAttribute(name) { return this.attributes[name]; },
    addEventListener(name, call) { this.listeners[name] = call; }, focus() {}, setPointerCapture() {},
    getBoundingClientRect: () => ({left: 0, top: 0}), getContext: () => pen};
}
const parts = {explanation: {textContent: data}};
const part = id => parts[id] || (parts[id] = made(id));
const text = of => typeof of === "string" ? of : (assert(of.children, "not an element: " + JSON.stringify(of)), of.children.map(text).join(" "));
Object.assign(globalThis, {
  document: {getElementById: part, createElement: made, addEventListener() {}, documentElement: {}},
  window: {devicePixelRatio: 1, addEventListener() {}, matchMedia: () => ({addEventListener() {}})},
  getComputedStyle: () => ({getPropertyValue: () => "#102030"}),
  requestAnimationFrame: call => call(),
});
(0, eval)(script + "\nglobalThis.shown = {choose, showTable, step, items: () => items, layers: () => layers};");

assert(written > 0, "nothing was drawn");
for (const inputs of [false, true]) {
  if (inputs) part("inputs").onclick();
  for (const layer of shown.layers()) {
    const row = layer.map(index => shown.items()[index]).sort((a, b) => a.x - b.x);
    for (let k = 1; k < row.length; ++k) assert(row[k].x - row[k - 1].x >= (row[k].w + row[k - 1].w) / 2, "boxes overlap");
  }
}
told.nodes.forEach((node, n) => {
  shown.choose(n);
  const details = text(part("details"));
  assert(details.includes(node.name) && details.includes(node.operation));
  for (const flow of node.collectives) for (const step of flow.steps) assert(details.includes(step.kind));
});
part("search").value = told.nodes[0].name;
part("search").listeners.input();
shown.showTable(true);
assert(text(part("table")).includes(told.nodes[0].name));
for (const key of ["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight"]) shown.step(key);
