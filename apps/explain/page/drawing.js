// ---- Drawing --------------------------------------------------------------------------------------------------------
const canvas = at("graph"), pen = canvas.getContext("2d");
let view = {x: 0, y: 0, zoom: 1}, chosen = -1, matches = null, colours = {}, asked = false, byTime = false;
function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name
           of ["ground", "panel", "ink", "soft", "line", "accent", "cold", "mild", "hot", "edge", "path", "frame"])
    colours[name] = style.getPropertyValue("--" + name).trim();
}
const rgb = text => [1, 3, 5].map(k => parseInt(text.slice(k, k + 2), 16));
function heat(share) {   // from cold by mild to hot
  if (share <= 0) return colours.cold;
  const hot = 2 * Math.min(1, Math.sqrt(share));
  const [a, b, s] = hot < 1 ? [colours.cold, colours.mild, hot] : [colours.mild, colours.hot, hot - 1];
  const from = rgb(a), to = rgb(b);
  return "rgb(" + from.map((c, k) => Math.round(c + (to[k] - c) * s)).join(",") + ")";
}
const thickness = amount => amount > 0 ? 1.5 + 6 * Math.sqrt(Math.min(1, amount / mostMoved)) : 1;
const larger = () => 1 / Math.min(1, Math.max(0.4, view.zoom * 1.6));   // what is to be seen from afar
const redraw = () => {
  if (!asked) {
    asked = true;
    requestAnimationFrame(draw);
  }
};
const font = (size, bold) => {
  pen.font = (bold ? "600 " : "") + size + "px system-ui, sans-serif";
};
function clipped(text, room) {
  if (pen.measureText(text).width <= room) return text;
  let end = Math.max(1, Math.floor(text.length * room / pen.measureText(text).width) - 1);
  while (end > 1 && pen.measureText(text.slice(0, end) + "\u2026").width > room) --end;
  return text.slice(0, end) + "\u2026";
}
function box(x, y, w, h, r) {
  pen.beginPath();
  pen.moveTo(x + r, y);
  pen.arcTo(x + w, y, x + w, y + h, r);
  pen.arcTo(x + w, y + h, x, y + h, r);
  pen.arcTo(x, y + h, x, y, r);
  pen.arcTo(x, y, x + w, y, r);
  pen.closePath();
}

function draw() {
  asked = false;
  const ratio = window.devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
  if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(h * ratio);
  }
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, w, h);
  pen.setTransform(ratio * view.zoom, 0, 0, ratio * view.zoom, ratio * (w / 2 - view.x * view.zoom),
      ratio * (h / 2 - view.y * view.zoom));
  const seen = {
    left: view.x - w / 2 / view.zoom,
    right: view.x + w / 2 / view.zoom,
    top: view.y - h / 2 / view.zoom,
    bottom: view.y + h / 2 / view.zoom
  };
  const touches = (left, top, right, bottom) =>
      right > seen.left && left < seen.right && bottom > seen.top && top < seen.bottom;
  frames.filter(f => touches(f.x, f.y, f.x + f.w, f.y + f.h)).forEach(f => drawFrame(f, seen));
  const visible = lines.filter(line => touches(line.frame[0], line.frame[1], line.frame[2], line.frame[3]));
  const near = chosen >= 0 ? nearLines() : new Set();
  pen.globalAlpha = matches ? 0.4 : 1;
  const halo = 4 * larger();
  for (const line of visible)
    if (line.critical && !line.back) stroke(line, colours.path, thickness(line.bytes) + halo, 0.5);
  for (const line of visible)
    if (!near.has(line))
      stroke(line,
          line.critical && line.back ? colours.path :
              line.bytes > 0         ? tone(line.bytes) :
                                       colours.edge,
          thickness(line.bytes));
  for (const line of visible)
    if (near.has(line)) stroke(line, colours.accent, thickness(line.bytes) + 1);
  pen.globalAlpha = 1;
  const shown = drawn.filter(i => touches(i.x - nodeWidth / 2, i.y - 40, i.x + nodeWidth / 2, i.y + nodeHeight));
  if (view.zoom > 0.3)
    for (const item of shown) item.inputs.forEach(input => stub(item, input));
  shown.forEach(drawNode);
  const least = view.zoom > 0.5 ? 1 : heavyLimit;
  for (const item of shown)
    for (const edge of item.edges)
      if (edge.bytes >= least) tag(edge, near);
  frames.filter(f => touches(f.x, f.y, f.x + f.w, f.y + f.h)).forEach(f => drawFrameTitle(f, seen));
}
// Lines are never as pale as boxes: they begin at the grey of an edge without bytes.
function tone(amount) {
  const share = Math.min(1, Math.sqrt(amount / mostMoved)), from = rgb(colours.edge), to = rgb(colours.hot);
  return "rgb(" + from.map((c, k) => Math.round(c + (to[k] - c) * share)).join(",") + ")";
}
function nearLines() {
  const item = byNode[chosen];
  return new Set([
    ...item.edges, ...item.readers.flatMap(reader => reader.edges.filter(edge => edge.makers.includes(item)))
  ].flatMap(edge => edge.lines));
}
function stroke({points, back}, colour, wide, alpha = 1) {
  const faded = pen.globalAlpha;
  pen.globalAlpha = faded * alpha;
  pen.strokeStyle = colour;
  pen.lineWidth = wide;
  pen.lineJoin = "round";
  pen.setLineDash(back ? [7, 5] : []);
  pen.beginPath();
  pen.moveTo(points[0][0], points[0][1]);
  for (let k = 1; k < points.length; ++k) {
    const [x0, y0] = points[k - 1], [x1, y1] = points[k], bend = (y1 - y0) / 2;
    if (x0 === x1 || y0 === y1)
      pen.lineTo(x1, y1);
    else
      pen.bezierCurveTo(x0, y0 + bend, x1, y1 - bend, x1, y1);
  }
  pen.stroke();
  pen.setLineDash([]);
  pen.globalAlpha = faded;
}

// An input of the graph: a short line from above, named when there is room.
function stub(item, {edge, x}) {
  stroke({points: [[x, item.y - 16], [x, item.y]]}, edge.bytes > 0 ? tone(edge.bytes) : colours.edge,
      thickness(edge.bytes));
  pen.fillStyle = edge.bytes > 0 ? tone(edge.bytes) : colours.edge;
  pen.beginPath();
  pen.arc(x, item.y - 16, 3, 0, 7);
  pen.fill();
}
function tag(edge, near) {   // beside a stub outwards, across a line
  const large = view.zoom < 0.5 ? Math.min(3, 0.5 / view.zoom) : 1;
  font(11 * large, edge.bytes >= heavyLimit);
  const text = bytes(edge.bytes) + (view.zoom > 0.8 && edge.flow.steps.length ? " " + edge.flow.steps[0].kind : "");
  const room = pen.measureText(text).width + 8 * large, side = edge.stub ? Math.sign(edge.stub.x - edge.to.x) : 0;
  const x = edge.stub ? edge.stub.x + side * (room / 2 - 10) : edge.end[0];
  const y = edge.to.y - 16 - edge.lift - 12 * large;
  pen.fillStyle = colours.ground;
  pen.globalAlpha = 0.85;
  pen.fillRect(x - room / 2, y - 8 * large, room, 15 * large);
  pen.globalAlpha = 1;
  pen.textAlign = "center";
  const isNear = edge.lines.some(line => near.has(line));
  pen.fillStyle = isNear ? colours.accent : edge.bytes >= heavyLimit ? colours.ink : colours.soft;
  pen.fillText(text, x, y + 4 * large);
}

function drawFrame({x, y, w, h, copies}) {
  box(x, y, w, h, 14);
  pen.fillStyle = colours.frame;
  pen.fill();
  pen.strokeStyle = colours.line;
  pen.lineWidth = 1.5;
  pen.stroke();
  for (const copy of copies) {
    box(copy.x - frameSide / 2, copy.y - 8, copy.w + frameSide, copy.h + 16, 10);
    pen.lineWidth = 1;
    pen.stroke();
  }
}
const titleHeight = () => Math.min(60, Math.max(frameTop, 24 / view.zoom));
function drawFrameTitle(frame, seen) {
  const {x, y, w, group} = frame, size = Math.max(14, Math.min(12 / view.zoom, w / 16));
  pen.textAlign = "left";
  const text = (group.open ? "\u2296 " : "\u2295 ") + "\u00d7 " + group.copies;
  font(size, true);
  const left = Math.max(x + 12, Math.min(seen.left + 12 / view.zoom, x + w / 2)), top = y + size + 6,
        wide = pen.measureText(text).width;
  pen.fillStyle = colours.accent;
  pen.fillText(text, left, top);
  font(size * 0.9, false);
  pen.fillStyle = colours.soft;
  const room = x + w - left - wide - 1.6 * size;
  if (room > 4 * size)
    pen.fillText(clipped(groupNames(group) + "   " + groupTotals(frame), room), left + wide + size * 0.8, top);
}
const groupNames = group => group.from + "\u2026 to " + group.to + "\u2026";
function groupTotals(frame) {
  const list = membersOf(frame), sum = of => list.reduce((all, n) => all + of[n], 0);
  return bytes(sum(moved)) + " moved" + (timing ? ", " + seconds(sum(took)) : "");
}
const membersOf = frame =>
    frame.instance.bases.flatMap(base => picture.order.slice(base + frame.group.first,
                                     base + frame.group.first + frame.group.period * frame.group.copies));

function drawNode(item) {
  const n = item.nodes.includes(chosen) ? chosen : item.like, x = item.x - nodeWidth / 2, y = item.y;
  const found = !matches || item.nodes.some(m => matches.has(m)), critical = item.nodes.some(m => onPath.has(m));
  pen.globalAlpha = found ? 1 : 0.22;
  box(x, y, nodeWidth, nodeHeight, 9);
  pen.fillStyle = heat(byTime ? Math.max(...item.nodes.map(m => took[m])) / mostTook :
                                Math.max(...item.nodes.map(m => moved[m])) / mostMoved);
  pen.fill();
  const isChosen = item.nodes.includes(chosen);
  pen.strokeStyle = isChosen ? colours.accent : critical ? colours.path : colours.line;
  pen.lineWidth = isChosen || critical ? 3 * larger() : 1;
  if (item.ways > 1 && !isChosen && !critical) pen.setLineDash([6, 4]);
  pen.stroke();
  pen.setLineDash([]);
  if (view.zoom > 0.2) {
    pen.textAlign = "center";
    pen.fillStyle = colours.ink;
    font(13, true);
    pen.fillText(clipped(nodes[n].name, nodeWidth - 18), item.x, y + 19);
    font(12, false);
    pen.fillText(clipped(nodes[n].operation, nodeWidth - 18), item.x, y + 35);
    const listed = nodes[n].listed_work ? " \u00b7 " + count(listedBy(n)) + " listed" : "";
    const cut = item.ways > 1 ? item.ways + " cuts" : parts(nodes[n].parts);
    const what = byTime && timing ? seconds(took[n]) : moved[n] > 0 ? bytes(moved[n]) + " moved" : "nothing moves";
    pen.fillText(clipped(cut + " \u00b7 " + what + listed, nodeWidth - 18), item.x, y + 51);
  }
  pen.globalAlpha = 1;
}

// What drawing needs of each line and node beside their places.
function prepare() {
  for (const line of lines) {
    const xs = line.points.map(p => p[0]), ys = line.points.map(p => p[1]);
    line.frame = [Math.min(...xs) - 4, Math.min(...ys) - 4, Math.max(...xs) + 4, Math.max(...ys) + 4];
  }
  for (const item of drawn) {
    item.edges = [];
    item.inputs = [];
  }
  for (const edge of edges) {
    edge.to.edges.push(edge);
    const line = edge.lines[0];
    if (line)
      edge.end = line.points[line.points.length - 1];
    else
      edge.to.inputs.push({edge, x: 0});
  }
  for (const item of drawn)   // inputs of the graph stand left and right of where lines arrive
    item.inputs.forEach((input, k) => {
      input.x = item.x + (k % 2 === 0 ? -1 : 1) * (nodeWidth / 2 - 16 - 22 * (k >> 1 & 3));
      input.k = k;
      input.edge.stub = input;
    });
  for (const item of drawn) {   // tags at one place stand above one another
    let tags = 0;
    for (const edge of item.edges)
      if (edge.bytes > 0) edge.lift = 15 * (edge.stub ? edge.stub.k >> 1 & 1 : tags++ & 1);
  }
}

// ---- View -----------------------------------------------------------------------------------------------------------
let fitted = null;   // how the view was set, until it is moved
function showAll() {
  fitted = showAll;
  const w = canvas.clientWidth || 800, h = canvas.clientHeight || 600, side = 24, above = 24, below = 56;   // pixels
  const wide = extent.right - extent.left,
        high = extent.bottom - extent.top + 50;   // tags and stubs stand above the first
  const zoom = Math.min(1.2, Math.max(0.005, Math.min((w - 2 * side) / wide, (h - above - below) / high)));
  view = {
    x: (extent.left + extent.right) / 2,
    y: (extent.top + extent.bottom) / 2 - 25 + (below - above) / 2 / zoom,
    zoom
  };
  redraw();
}
// What is too large to be read as a whole is shown from its beginning: where the critical path begins.
function showBeginning() {
  showAll();
  fitted = showBeginning;
  if (view.zoom >= 0.3 || !drawn.length) return;
  const first = path.length ? byNode[path[0]] : drawn.reduce((a, b) => b.y < a.y ? b : a);
  const h = canvas.clientHeight || 600;
  const wide = (canvas.clientWidth || 800) / (extent.right - extent.left + 88);
  const zoom = Math.min(1, Math.max(0.75, wide));
  view = {x: wide >= zoom ? (extent.left + extent.right) / 2 : first.x, y: first.y - 60 + h / 2 / zoom, zoom};
  redraw();
}
function moveBy(dx, dy) {   // in pixels
  fitted = null;
  view.x += dx / view.zoom;
  view.y += dy / view.zoom;
  redraw();
}
function zoomBy(factor, px = canvas.clientWidth / 2, py = canvas.clientHeight / 2) {
  fitted = null;
  const zoom = Math.min(3, Math.max(0.005, view.zoom * factor));
  const dx = px - canvas.clientWidth / 2, dy = py - canvas.clientHeight / 2;
  view.x += dx / view.zoom - dx / zoom;
  view.y += dy / view.zoom - dy / zoom;
  view.zoom = zoom;
  redraw();
}
