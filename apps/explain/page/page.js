// ---- Choosing, folding, searching -----------------------------------------------------------------------------------
function choose(n, move = true) {
  chosen = n;
  details(n);
  if (move && n >= 0) {
    fitted = null;
    if (view.zoom < 0.6) view.zoom = 0.9;
    view.x = byNode[n].x;
    view.y = byNode[n].y + nodeHeight / 2;
  }
  redraw();
}
function rebuild() {
  build();
  prepare();
  const groups = scopes.flatMap(scope => scope.groups);
  at("unfold").hidden = at("fold-key").hidden = !groups.length;
  at("unfold").setAttribute("aria-pressed", groups.length > 0 && groups.every(group => group.open));
}
// One copy or all; what is chosen, or else the group's corner, stays where it is on the screen.
function fold(group) {
  const anchor = () => chosen >= 0 ? byNode[chosen] : frames.find(frame => frame.group === group);
  const before = anchor();
  group.open = !group.open;
  rebuild();
  const after = anchor();
  if (before && after) moveBy((after.x - before.x) * view.zoom, (after.y - before.y) * view.zoom);
  if (chosen >= 0) details(chosen);
  redraw();
}
function unfold(on) {
  for (const scope of scopes)
    for (const group of scope.groups) group.open = on;
  rebuild();
  if (chosen >= 0)
    choose(chosen);
  else if (on)
    showBeginning();
  else
    showAll();
}
function search() {
  const text = at("search").value.trim().toLowerCase();
  matches = text ?
      new Set(
          nodes.map((_, n) => n).filter(n => (nodes[n].name + " " + nodes[n].operation).toLowerCase().includes(text))) :
      null;
  at("found").textContent = matches ? matches.size + " of " + nodes.length : "";
  if (!at("table").hidden) table();
  redraw();
}
function nextMatch(back) {
  if (!matches || !matches.size) return;
  const list = [...matches];
  const next = back ? list.reverse().find(n => n < chosen) : list.find(n => n > chosen);
  choose(next === undefined ? list[0] : next);
}

// ---- Pointer and keys -----------------------------------------------------------------------------------------------
function under(event) {
  const frame = canvas.getBoundingClientRect();
  const x = (event.clientX - frame.left - canvas.clientWidth / 2) / view.zoom + view.x;
  const y = (event.clientY - frame.top - canvas.clientHeight / 2) / view.zoom + view.y;
  const hit = drawn.find(i => Math.abs(x - i.x) <= nodeWidth / 2 && y >= i.y && y <= i.y + nodeHeight);
  const frameHit =
      hit ? null : frames.filter(f => x >= f.x && x <= f.x + f.w && y >= f.y && y <= f.y + titleHeight()).pop();
  return {node: hit ? (hit.nodes.includes(chosen) ? chosen : hit.like) : -1, group: frameHit ? frameHit.group : null};
}
function arrow(key) {   // to what the chosen node reads, to what reads it, to its neighbours
  if (chosen < 0) return nodes.length ? choose(picture.order[0]) : undefined;
  const item = byNode[chosen], row = drawn.filter(i => i.y === item.y).sort((a, b) => a.x - b.x),
        place = row.indexOf(item);
  const next =
      {ArrowUp: item.makers[0], ArrowDown: item.readers[0], ArrowLeft: row[place - 1], ArrowRight: row[place + 1]}[key];
  if (next) choose(next.nodes[Math.max(0, Math.min(next.nodes.length - 1, item.nodes.indexOf(chosen)))]);
}
let drag = null;
const touching = new Map();   // fingers on the screen
canvas.addEventListener("pointerdown", e => {
  touching.set(e.pointerId, {x: e.clientX, y: e.clientY});
  drag = {x: e.clientX, y: e.clientY, moved: touching.size > 1};
  canvas.setPointerCapture(e.pointerId);
});
canvas.addEventListener("pointermove", e => {
  if (!touching.has(e.pointerId)) {
    const {node, group} = under(e);
    canvas.style.cursor = node >= 0 || group ? "pointer" : "";
    return;
  }
  const before = touching.get(e.pointerId);
  if (touching.size === 2) {   // two fingers zoom
    const other = [...touching].find(([id]) => id !== e.pointerId)[1], frame = canvas.getBoundingClientRect();
    const apart = p => Math.hypot(p.x - other.x, p.y - other.y) || 1;
    zoomBy(apart({x: e.clientX, y: e.clientY}) / apart(before), (e.clientX + other.x) / 2 - frame.left,
        (e.clientY + other.y) / 2 - frame.top);
  } else if (drag.moved || Math.abs(e.clientX - drag.x) + Math.abs(e.clientY - drag.y) >= 4) {
    drag.moved = true;
    moveBy(before.x - e.clientX, before.y - e.clientY);
  } else
    return;
  touching.set(e.pointerId, {x: e.clientX, y: e.clientY});
});
canvas.addEventListener("pointerup", e => {
  touching.delete(e.pointerId);
  if (drag && !drag.moved) {
    const {node, group} = under(e);
    if (group)
      fold(group);
    else
      choose(node, false);
  }
  if (!touching.size) drag = null;
});
canvas.addEventListener("pointercancel", e => {
  touching.delete(e.pointerId);
  drag = null;
});
canvas.addEventListener("wheel", e => {
  e.preventDefault();
  const frame = canvas.getBoundingClientRect();
  zoomBy(Math.exp(-e.deltaY * (e.ctrlKey ? 0.01 : 0.0015)), e.clientX - frame.left, e.clientY - frame.top);
}, {passive: false});
canvas.addEventListener("keydown", e => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const arrows = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[e.key];
  if (arrows && e.shiftKey)
    moveBy(arrows[0] * 80, arrows[1] * 80);
  else if (arrows)
    arrow(e.key);
  else if (e.key === "+" || e.key === "=")
    zoomBy(1.25);
  else if (e.key === "-")
    zoomBy(0.8);
  else if (e.key === "0")
    showAll();
  else if (e.key === "u")
    unfold(at("unfold").getAttribute("aria-pressed") !== "true");
  else if (e.key === "e" && chosen >= 0 && byNode[chosen].made.group)
    fold(byNode[chosen].made.group);
  else if (e.key === "Enter")
    at("details").focus();
  else
    return;
  e.preventDefault();
});
document.addEventListener("keydown", e => {
  const writes = e.target.tagName === "INPUT" || e.target.tagName === "SELECT";
  if (e.key === "/" && !writes) {
    e.preventDefault();
    at("search").focus();
  }
  if (e.key === "Escape" && !writes) choose(-1);
});
at("search").addEventListener("input", search);
at("search").addEventListener("keydown", e => {
  if (e.key === "Enter") nextMatch(e.shiftKey);
});
at("as-graph").onclick = () => showTable(false);
at("as-table").onclick = () => showTable(true);
at("fit").onclick = showAll;
at("unfold").onclick = () => unfold(at("unfold").getAttribute("aria-pressed") !== "true");
at("by-time").onclick = () => {
  byTime = !byTime;
  at("by-time").setAttribute("aria-pressed", byTime);
  legend();
  redraw();
};

// ---- Light and dark -------------------------------------------------------------------------------------------------
const system = window.matchMedia("(prefers-color-scheme: dark)");
let theme = "system";
function paint(print = false) {
  document.documentElement.classList.toggle(
      "dark", !print && (theme === "dark" || (theme === "system" && system.matches)));
  at("theme").textContent = "Theme: " + theme;
  readColours();
  redraw();
}
at("theme").onclick = () => {
  theme = {system: "light", light: "dark", dark: "system"}[theme];
  paint();
};
system.addEventListener("change", () => paint());
let screenView = null;
window.addEventListener("beforeprint", () => {   // on paper: the whole graph, in light colours
  screenView = view;
  paint(true);
  showAll();
  draw();
});
window.addEventListener("afterprint", () => {
  view = screenView;
  paint();
});
window.addEventListener("resize", () => {
  if (fitted)
    fitted();
  else
    redraw();
});

// ---- Beginning ------------------------------------------------------------------------------------------------------
function facts() {
  document.title = "einplan: " + plan.graph;
  const fact = (name, text, less) =>
      element("div", {class: less ? "fact less" : "fact"}, element("span", {}, name), text);
  const mesh = Object.entries(plan.mesh).map(([axis, size]) => axis + ":" + size).join(" ");
  const peak = plan.peak_bytes.reduce((a, b) => Math.max(a, b), 1);
  const peaks = element("div", {id: "peaks", class: "fact less", role: "img", "aria-label": "peak bytes of each rank"});
  plan.peak_bytes.slice(0, 64).forEach((p, rank) => {
    const bar = element("i", {title: "rank " + rank + ": " + bytes(p)});
    bar.style.height = Math.round(24 * p / peak) + "px";
    peaks.append(bar);
  });
  at("facts").append(element("h1", {}, plan.graph), fact("nodes", nodes.length.toLocaleString("en")),
      fact("ranks", plan.ranks + (plan.idle_ranks.length ? " (" + plan.idle_ranks.length + " idle)" : "")),
      fact("mesh", mesh || "one rank", true), fact("strategy", plan.strategy + ", placed by " + plan.place, true),
      plan.reproducible ? fact("reproducible", "the same bits at every number of ranks and threads", true) : "",
      timing ? fact("predicted", seconds(timing.seconds)) : "", fact("moved", bytes(plan.bytes.total)),
      fact("busiest rank", bytes(plan.bytes.rank_max), true),
      fact("published", count(plan.cost.total) + " elements", true), fact("flops", count(plan.flops), true),
      fact("tasks", plan.tasks.toLocaleString("en"), true), fact("peak", bytes(peak)), peaks,
      plan.loaded_again ? fact("read again by several ranks", bytes(plan.loaded_again), true) : "",
      plan.spill.blocks ? fact("spilled to disk", bytes(plan.spill.bytes)) : "");
}
function legend() {
  at("scale-of").textContent = byTime ? "predicted" : "moved";
  at("most").textContent = byTime ? seconds(mostTook) : bytes(mostMoved);
  at("scale-key").hidden = !byTime && !plan.bytes.total;
  at("still-key").hidden = !at("scale-key").hidden;
  at("path-key").hidden = !path.length;
  at("by-time").hidden = !timing;
}
paint();
facts();
legend();
rebuild();
details(-1);
showBeginning();
