// A scope of the graph, drawn in layers: what is read stands above what reads it.
import { el, svg, millis } from './page.js';

const WIDTH = 178, HEIGHT = 46, GAP = 22, DOWN = 38, MOST = 160;

export function graphView(data, open, pick) {
  const boxes = new Map(data.boxes.map(b => [b.name, { ...b, ins: [], outs: [] }]));
  for (const [from, to] of data.edges) { boxes.get(from).outs.push(to); boxes.get(to).ins.push(from); }
  if (!boxes.size) return el('p', { class: 'quiet' }, 'This run has no graph.');
  if (boxes.size > MOST) return list([...boxes.values()], open, pick);
  const layers = layer(boxes);
  const wide = Math.max(...layers.map(l => l.length));
  const w = wide * (WIDTH + GAP) + GAP, h = layers.length * (HEIGHT + DOWN) + DOWN;
  layers.forEach((l, y) => l.forEach((b, x) => {
    b.x = w / 2 + (x - l.length / 2) * (WIDTH + GAP) + GAP / 2;
    b.y = DOWN / 2 + y * (HEIGHT + DOWN);
  }));
  const most = Math.max(1e-9, ...[...boxes.values()].map(b => b.millis));
  const root = svg('svg', { viewBox: `0 0 ${w} ${h}`, width: w, height: h, role: 'group', 'aria-label': 'graph' });
  for (const [from, to, count] of data.edges) {
    const a = boxes.get(from), b = boxes.get(to), x0 = a.x + WIDTH / 2, y0 = a.y + HEIGHT, x1 = b.x + WIDTH / 2, y1 = b.y;
    const bend = b.y > a.y ? (y1 - y0) / 2 : 60;
    root.append(svg('path', { class: 'edge', 'stroke-width': Math.min(4, 1 + Math.log2(count) / 2), d: `M${x0} ${y0} C${x0} ${y0 + bend} ${x1} ${y1 - bend} ${x1} ${y1}` }));
  }
  for (const b of boxes.values()) root.append(draw(b, most, data.scope, open, pick));
  return root;
}

const short = (name, scope) => scope ? name.slice(scope.length + 1) : name;
const cut = (text, most) => text.length > most ? text.slice(0, most - 1) + '…' : text;

function draw(b, most, scope, open, pick) {
  const isScope = b.nodes > 1, act = () => isScope ? open(b.name) : pick(b);
  const g = svg('g', {
    class: 'box' + (isScope ? ' scope' : ''), transform: `translate(${b.x} ${b.y})`, tabindex: '0', role: 'button', 'aria-label': b.name,
    onclick: act, onkeydown: e => { if (e.key === 'Enter' || e.key === ' ') { e.preventDefault(); act(); } },
  });
  g.dataset.name = b.name;
  g.append(svg('rect', { width: WIDTH, height: HEIGHT, rx: isScope ? 9 : 4 }));
  if (b.millis > 0) g.append(svg('rect', { class: 'heat', x: 1, y: HEIGHT - 5, height: 4, width: Math.max(2, (WIDTH - 2) * b.millis / most), rx: 2 }));
  g.append(svg('text', { x: 10, y: 18 }, cut(short(b.name, scope), 24)));
  const parts = [isScope ? `${b.nodes} nodes` : b.op, b.millis > 0 ? millis(b.millis) : '', b.devices.map(d => d.replace(/.*device:/, '')).join(' ')];
  g.append(svg('text', { x: 10, y: 34, class: 'small' }, cut(parts.filter(Boolean).join(' · '), 30)));
  g.append(svg('title', {}, b.name));
  return g;
}

function layer(boxes) {
  const depth = new Map(), busy = new Set();
  const of = name => {
    if (depth.has(name)) return depth.get(name);
    if (busy.has(name)) return 0; // scopes may read each other in circles
    busy.add(name);
    const d = Math.max(0, ...boxes.get(name).ins.map(i => of(i) + 1));
    busy.delete(name);
    depth.set(name, d);
    return d;
  };
  const layers = [];
  for (const [name, b] of boxes) (layers[of(name)] ||= []).push(b);
  const split = layers.filter(Boolean).flatMap(l => { // wide layers become several
    const out = [];
    for (let i = 0; i < l.length; i += 9) out.push(l.slice(i, i + 9));
    return out;
  });
  const place = new Map();
  for (let round = 0; round < 3; round++) for (const l of split) { // below what they read
    const key = b => b.ins.length ? b.ins.reduce((s, i) => s + (place.get(i) ?? 0), 0) / b.ins.length : place.get(b.name) ?? 0;
    l.sort((a, b) => key(a) - key(b));
    l.forEach((b, i) => place.set(b.name, i - l.length / 2));
  }
  return split;
}

function list(boxes, open, pick) {
  boxes.sort((a, b) => b.millis - a.millis || b.nodes - a.nodes);
  return el('div', { class: 'scroll' }, el('table', {},
    el('thead', {}, el('tr', {}, ...['name', 'op', 'nodes', 'cost', 'device'].map(t => el('th', {}, t)))),
    el('tbody', {}, boxes.map(b => el('tr', {},
      el('td', {}, el('button', { onclick: () => b.nodes > 1 ? open(b.name) : pick(b) }, b.name)),
      el('td', {}, b.op), el('td', {}, String(b.nodes)), el('td', {}, b.millis ? millis(b.millis) : ''), el('td', {}, b.devices.join(' ')))))));
}
