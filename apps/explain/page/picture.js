// ---- Where everything is, with each group shown by one copy or by all ----------------------------------------------
// A scope (the whole, or the copy of a group) is laid out once; each time that it is shown is an instance. `bases` of
// an instance are the positions where it begins: several when one copy stands for all.
const [nodeWidth, nodeHeight] = picture.node, [frameTop, frameSide, frameBottom] = picture.frame;
const [layerGap, columnGap] = picture.gaps, copyGap = 40;
const scopes = picture.scopes, position = [];
picture.order.forEach((n, p) => {
  position[n] = p;
});
scopes.forEach((scope, s) => scope.groups.forEach(group => {
  group.open = false;
  group.around = s;
}));
let drawn = [], frames = [], lines = [], byNode = [], extent = {left: 0, top: 0, right: 1, bottom: 1};
// drawn: {nodes, x, y, makers, readers}; frames: {group, instance, x, y, w, h};
// lines: {points, bytes, critical, ends, back}

const linkKey = (from, port, to, toPort) => ((from * 4096 + port) * 1048576 + to) * 4096 + toPort;
for (const scope of scopes) {
  scope.link = new Map(scope.links.map((link, k) => [linkKey(link[0], link[1], link[2], link[3]), k]));
  scope.vertexOf = step => {   // the last item that begins at or before the step
    let low = 0, high = scope.items.length - 1;
    while (low < high) {
      const mid = (low + high + 1) >> 1;
      if (scope.items[mid][0] <= step)
        low = mid;
      else
        high = mid - 1;
    }
    return scope.in_ports + low;
  };
  scope.groupAt = vertex => {
    const item = scope.items[vertex - scope.in_ports];
    return item && item[1] >= 0 ? scope.groups[item[1]] : null;
  };
}

const isPort = (scope, vertex) => vertex < scope.in_ports || vertex >= scope.in_ports + scope.items.length;

// Size of a group's vertex: copies stand in columns, from top to bottom, about half again as wide as high.
function shape(group) {
  const copy = measure(group.scope), copies = group.open ? group.copies : 1;
  const w = copy.w + (group.open ? 2 * frameSide : 0), h = copy.h;
  const columns = Math.min(copies, Math.max(1, Math.round(Math.sqrt(1.5 * copies * (h + copyGap) / (w + copyGap)))));
  const rows = Math.ceil(copies / columns), used = Math.ceil(copies / rows);
  const at = c => ({
    x: frameSide + Math.floor(c / rows) * (w + copyGap) + (group.open ? frameSide : 0),
    y: frameTop + (c % rows) * (h + copyGap)
  });
  return {
    w: 2 * frameSide + used * (w + copyGap) - copyGap,
    h: frameTop + frameBottom + rows * (h + copyGap) - copyGap,
    at
  };
}

// A scope's places while its groups are as they are: x of vertices and vias, y of layers.
function measure(s) {
  const scope = scopes[s];
  if (scope.measured) return scope.measured;
  const heights = scope.layers.map(layer => layer[0]);
  const vertexX = scope.vertices.map(vertex => vertex[0]), viaX = scope.vias.map(via => via[0]);
  let width = scope.width;
  scope.items.forEach(([, g], i) => {
    if (g < 0) return;
    const group = scope.groups[g], vertex = scope.in_ports + i, layer = scope.vertices[vertex][1];
    group.shape = shape(group);
    heights[layer] = Math.max(heights[layer], group.shape.h);
    const usual = scopes[group.scope].width + 2 * frameSide, more = group.shape.w - usual,
          edge = vertexX[vertex] + usual / 2;
    if (more === 0) return;
    const pushed = x => x >= edge ? x + more : x;   // it grows to the right, and what stands there makes room
    vertexX.forEach((x, k) => {
      vertexX[k] = pushed(x);
    });
    viaX.forEach((x, k) => {
      viaX[k] = pushed(x);
    });
    vertexX[vertex] += more / 2;
    width += more;
  });
  const bottoms = [], tops = heights.map((height, layer) => {
    const column = scope.layers[layer][1], top = column in bottoms ? bottoms[column] + layerGap : 0;
    bottoms[column] = top + height;
    return top;
  });
  const lefts = [];   // of columns
  vertexX.forEach((x, vertex) => {
    const column = scope.layers[scope.vertices[vertex][1]][1], group = scope.groupAt(vertex);
    const wide = group ? group.shape.w : isPort(scope, vertex) ? 0 : nodeWidth;
    lefts[column] = Math.min(column in lefts ? lefts[column] : Infinity, x - wide / 2);
  });
  scope.measured = {w: width, h: Math.max(0, ...bottoms), tops, heights, vertexX, viaX, lefts};
  return scope.measured;
}

// Copies may be cut in several ways: of each item their number, and the copy that is most often cut as most are.
function waysOf(scope, bases) {
  const score = bases.map(() => 0), counts = [];
  scope.items.forEach(([step, g], i) => {
    if (g >= 0) return;
    const ways = bases.map(base => parts(nodes[picture.order[base + step]].parts)), known = new Map();
    for (const way of ways) known.set(way, (known.get(way) || 0) + 1);
    counts[i] = known.size;
    const most = [...known].reduce((a, b) => b[1] > a[1] ? b : a)[0];
    ways.forEach((way, c) => {
      if (way === most) ++score[c];
    });
  });
  return {counts, like: score.reduce((best, value, c) => value > score[best] ? c : best, 0)};
}

function instance(s, bases, x, y, parent, group, copy) {
  const scope = scopes[s], place = measure(s), made = {s, bases, x, y, parent, group, copy, children: new Map()};
  const ways = waysOf(scope, bases);
  scope.items.forEach(([step, g], i) => {
    const vertex = scope.in_ports + i, top = y + place.tops[scope.vertices[vertex][1]],
          middle = x + place.vertexX[vertex];
    if (g < 0) {
      const all = bases.map(base => picture.order[base + step]);
      const item = {
        nodes: all,
        like: all[ways.like],
        ways: ways.counts[i],
        x: middle,
        y: top,
        makers: [],
        readers: [],
        made,
        step,
        vertex
      };
      item.nodes.forEach(n => {
        byNode[n] = item;
      });
      drawn.push(item);
      return;
    }
    const inner = scope.groups[g], {w, h, at} = inner.shape, left = middle - w / 2;
    frames.push({group: inner, instance: made, x: left, y: top, w, h});
    const begin = c => bases.map(base => base + inner.first + c * inner.period);
    const all = Array.from({length: inner.copies}, (_, c) => begin(c));
    const shown = inner.open ? all : [all.flat()];
    const frame = frames[frames.length - 1], copy = measure(inner.scope);
    frame.copies = inner.open ? all.map((_, c) => ({x: left + at(c).x, y: top + at(c).y, w: copy.w, h: copy.h})) : [];
    made.children.set(vertex, {
      frame,
      list: shown.map((b, c) => {
        const corner = at(c);
        return instance(inner.scope, b, left + corner.x, top + corner.y, made, inner, inner.open ? c : -1);
      })
    });
  });
  return made;
}

// ---- Lines: every input of every drawn node is followed back to where it was made ----------------------------------
let known = new Map();   // lines by what they join
function mark(key, points, edge, back = false) {
  let line = known.get(key);
  if (!line) {
    line = {points: points(), bytes: 0, critical: false, ends: [], back};
    known.set(key, line);
    lines.push(line);
  }
  line.bytes = Math.max(line.bytes, edge.bytes);
  line.critical = line.critical || edge.critical;
  line.ends.push(edge);
  if (!edge.lines.includes(line)) edge.lines.push(line);
}

const topOf = (inst, vertex) => inst.y + measure(inst.s).tops[scopes[inst.s].vertices[vertex][1]];
const layerEnd = (inst, layer) => inst.y + measure(inst.s).tops[layer] + measure(inst.s).heights[layer];
function portX(inst, vertex, port, out) {   // of a node, a port of the scope, or a group's port
  const child = inst.children.get(vertex);
  if (!child) return inst.x + measure(inst.s).vertexX[vertex];
  const copy = scopes[child.frame.group.scope], first = out ? child.list[child.list.length - 1] : child.list[0];
  const inside = out ? copy.vertices.length - copy.out_ports.length + port : port;
  return first.x + measure(first.s).vertexX[inside];
}
function bottomOf(inst, vertex) {
  const child = inst.children.get(vertex);
  return topOf(inst, vertex) + (child ? child.frame.h : isPort(scopes[inst.s], vertex) ? 0 : nodeHeight);
}

// Places of a line in a scope: from a vertex by vias to another.
function points(inst, [from, port, to, toPort, via]) {
  const scope = scopes[inst.s], place = measure(inst.s), list = [];
  list.push([portX(inst, to, toPort, false), topOf(inst, to)]);
  for (; via >= 0; via = scope.vias[via][2]) {
    const layer = scope.vias[via][1], x = inst.x + place.viaX[via];
    list.push([x, layerEnd(inst, layer)], [x, inst.y + place.tops[layer]]);
  }
  const x = portX(inst, from, port, true), layer = scope.vertices[from][1];
  if (layerEnd(inst, layer) > bottomOf(inst, from)) list.push([x, layerEnd(inst, layer)]);
  list.push([x, bottomOf(inst, from)]);
  const column = scope.layers[scope.vertices[to][1]][1];
  return list.reverse().flatMap((p, k) => k > 0 && p[1] < list[k - 1][1] ?
          [...rising(list[k - 1], p, inst.x + place.lefts[Math.max(1, column)] - columnGap / 2), p] :
          [p]);
}
// Corners of a line that goes up: beside what stands in between.
const rising = ([x0, y0], [x1, y1], gutter) => [[x0, y0 + 14], [gutter, y0 + 14], [gutter, y1 - 14], [x1, y1 - 14]];
const joined = (from, to, gutter) => to[1] < from[1] ? [from, ...rising(from, to, gutter), to] : [from, to];

// A source is a step of the scope (0 and above), or one of its in-ports (-1 - port).
function follow(inst, to, toPort, source, edge) {
  const scope = scopes[inst.s];
  if (source < 0) {
    step(inst, -1 - source, 0, to, toPort, edge);
    return climb(inst, -1 - source, edge);
  }
  const from = scope.vertexOf(source), group = scope.groupAt(from);
  if (!group) return step(inst, from, 0, to, toPort, edge);
  const inside = (source - group.first) % group.period, port = scopes[group.scope].out_ports.indexOf(inside);
  step(inst, from, port, to, toPort, edge);
  const child = inst.children.get(from), copy = group.open ? Math.floor((source - group.first) / group.period) : 0;
  const one = child.list[copy], {frame} = child;
  const leaves = () => [outPort(one, port), [portX(inst, from, port, true), frame.y + frame.h]];
  mark(key("out", one, port), leaves, edge);
  descend(one, inside, port, edge);
}
const ids = new Map();
const key = (kind, inst, ...more) => {
  if (!ids.has(inst)) ids.set(inst, ids.size);
  return [kind, ids.get(inst), ...more].join(" ");
};
function step(inst, from, port, to, toPort, edge) {
  const link = scopes[inst.s].link.get(linkKey(from, port, to, toPort));
  if (link !== undefined) mark(key("link", inst, link), () => points(inst, scopes[inst.s].links[link]), edge);
}
const outVertex = (s, port) => scopes[s].vertices.length - scopes[s].out_ports.length + port;
const outPort =
    (inst, port) => [inst.x + measure(inst.s).vertexX[outVertex(inst.s, port)], topOf(inst, outVertex(inst.s, port))];
const inPort = (inst, port) => [inst.x + measure(inst.s).vertexX[port], inst.y];
const descend = (inst, inside, port, edge) => follow(inst, outVertex(inst.s, port), 0, inside, edge);

// From an in-port of a copy to what feeds it: another copy, or the scope around.
function climb(inst, port, edge) {
  const {sources, carry} = inst.group.in[port], vertex = scopes[inst.parent.s].vertexOf(inst.group.first);
  const outside = source => {
    if (source !== null) follow(inst.parent, vertex, port, source, edge);
  };
  const enters = () => [[portX(inst.parent, vertex, port, false), topOf(inst.parent, vertex)], inPort(inst, port)];
  if (!inst.group.open) {
    if (sources.some(source => source !== null)) mark(key("in", inst, port), enters, edge);
    new Set(sources).forEach(outside);
    if (carry) {
      const out = scopes[inst.s].out_ports.indexOf(carry[0]);
      mark(key("carry", inst, out, port), () => joined(outPort(inst, out), inPort(inst, port), inst.x - frameSide / 2),
          edge, true);
      descend(inst, carry[0], out, edge);
    }
    return;
  }
  if (inst.copy >= sources.length) {
    const from = inst.parent.children.get(vertex).list[inst.copy - carry[1]],
          out = scopes[inst.s].out_ports.indexOf(carry[0]);
    mark(key("next", inst, port),
        () => joined(outPort(from, out), inPort(inst, port), inst.x - frameSide - copyGap / 2), edge);
    return descend(from, carry[0], out, edge);
  }
  mark(key("in", inst, port), enters, edge);
  outside(sources[inst.copy]);
}

let edges = [];   // {to, input, bytes, critical, makers, lines}: of drawn nodes
function build() {
  for (const scope of scopes) scope.measured = null;
  drawn = [];
  frames = [];
  lines = [];
  byNode = [];
  edges = [];
  known = new Map();
  ids.clear();
  instance(0, [0], 0, 0, null, null, -1);
  for (const item of drawn)
    (scopes[item.made.s].reads[item.step] || []).forEach((source, input) => {
      const flows = item.nodes.map(n => nodes[n].collectives[input]);
      const edge = {
        to: item,
        input,
        bytes: Math.max(...flows.map(flow => flow.bytes)),
        makers: [],
        lines: [],
        critical: item.nodes.some((n, c) => pathEdges.has(flows[c].maker + ">" + n)),
        flow: flows[0]
      };
      edges.push(edge);
      if (flows.every(flow => flow.maker === null)) return;   // an input of the graph
      for (const flow of flows)
        if (flow.maker !== null) {
          const maker = byNode[flow.maker];
          if (edge.makers.includes(maker)) continue;
          edge.makers.push(maker);
          if (!item.makers.includes(maker)) {
            item.makers.push(maker);
            maker.readers.push(item);
          }
        }
      follow(item.made, item.vertex, 0, source, edge);
    });
  const {w, h} = measure(0);
  extent = {left: 0, top: 0, right: Math.max(w, nodeWidth), bottom: Math.max(h, nodeHeight)};
}
