// The panes: each makes its elements for the chosen run, and may say how it is brought up to date.
import { el, svg, ask, request, state, colour, css, num, bytes, millis, ago, clock, canvas2d } from './page.js';
import { Chart, view } from './chart.js';
import { Timeline } from './timeline.js';
import { graphView } from './graph.js';

const empty = text => el('p', { class: 'empty' }, text);
const figure = (value, label) => el('div', { class: 'card figure' }, el('b', {}, value), el('span', {}, label));
const chip = s => el('span', { class: 'chip ' + s }, s.toLowerCase());
const picker = (label, options, value, change) => el('label', {}, label,
  el('select', { onchange: e => change(e.target.value) }, options.map(o => el('option', { value: o, selected: o === value }, o))));

export async function overview(pane, run) {
  const figures = el('div', { class: 'figures' }), says = el('section', { class: 'card says wide' }), loss = new Chart('train/loss', 260), time = new Chart('time/step_ms', 260);
  const settings = el('section', { class: 'card wide' });
  pane.append(figures, el('div', { class: 'grid' }, says, loss.root, time.root, settings));
  const refresh = async () => {
    const [r, d] = await Promise.all([ask('/api/run', { run }), ask('/api/diagnosis', { run })]);
    const w = r.workers, mean = k => w.reduce((s, x) => s + (x[k] || 0), 0) / w.length, rate = w.reduce((s, x) => s + (x.examplesPerSecond || 0), 0);
    const listed = state.runs.find(x => x.name === run), planned = r.planner.stepMillis, actual = mean('stepMillis');
    time.mark = planned ? { value: planned, text: `planner ${millis(planned)}` } : null;
    figures.replaceChildren(
      figure(num(listed?.loss), 'loss, recent'), figure(String(w[0].step), 'step'), figure(millis(actual), 'a step'),
      figure(num(rate, 4), planned && actual ? `examples a second, planner ${num(rate * actual / planned, 3)}` : 'examples a second'), figure(`${num(100 * mean('inputMillis') / (actual || 1), 2)} %`, 'waiting for input'),
      planned && actual ? figure(`${num(100 * planned / actual, 3)} %`, `efficiency: of the planner's ${millis(planned)}`) : figure(String(w.length), w.length === 1 ? 'worker' : 'workers'));
    says.replaceChildren(el('h2', {}, 'What holds it up'), ...d.sentences.map(s => el('p', {}, s)), ...d.shares.map(bar), d.shares.length ? legend() : '');
    settings.replaceChildren(el('h2', {}, 'Settings'), table(['setting', 'value'], Object.entries(r.settings)));
    await Promise.all([loss.load(), time.load()]);
  };
  await refresh();
  return { refresh, redraw: () => [loss, time].forEach(c => c.draw()) };
}

function bar(s) {
  const parts = [['compute', s.compute], ['communication', s.exchange - s.hidden], ['waiting', s.waiting], ['input', s.input]];
  parts.push(['rest', Math.max(0, s.step - parts.reduce((a, p) => a + p[1], 0))]);
  const all = parts.reduce((a, p) => a + p[1], 0) || 1;
  return el('div', {}, el('small', { class: 'quiet' }, `${s.worker}, ${millis(s.step)} a step`),
    el('div', { class: 'bar', role: 'img', 'aria-label': parts.map(p => `${p[0]} ${num(100 * p[1] / all, 2)} %`).join(', ') },
      parts.map(p => el('i', { class: p[0], style: { width: 100 * p[1] / all + '%' }, title: `${p[0]} ${millis(p[1])}` }))));
}

const legend = () => el('div', { class: 'legend' }, [['compute', 'compute'], ['communication', 'exchange'], ['waiting', 'waiting for others'], ['input', 'input'], ['rest', 'other']]
  .map(([c, t]) => el('span', {}, el('i', { class: c }), t)));

function table(heads, rows, mark = () => '') {
  return el('div', { class: 'scroll' }, el('table', {}, el('thead', {}, el('tr', {}, heads.map(h => el('th', {}, h)))),
    el('tbody', {}, rows.map(r => el('tr', { class: mark(r) }, r.map(c => el('td', {}, c)))))));
}

/** What users look for first. */
const ORDER = ['train/', 'epoch/', null, 'time/', 'rate/', 'planner/', 'health/'];
const rank = tag => { const i = ORDER.findIndex(p => p && tag.startsWith(p)); return i < 0 ? ORDER.indexOf(null) : i; };

export async function curves(pane, run) {
  const find = el('input', { type: 'search', placeholder: 'filter curves', 'aria-label': 'Filter curves' });
  const grid = el('div', { class: 'grid' }), smooth = el('input', { type: 'range', min: '0', max: '0.98', step: '0.02', value: String(view.smoothing) });
  const log = el('input', { type: 'checkbox', checked: view.log });
  let charts = [], known = null, tags = [];
  const build = () => {
    const before = new Map(charts.map(c => [c.tag, c]));
    charts = tags.filter(t => t.includes(find.value)).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1)).slice(0, 60).map(t => before.get(t) || new Chart(t));
    grid.replaceChildren(...charts.map(c => c.root));
  };
  const seen = () => charts.filter(c => { const b = c.root.getBoundingClientRect(); return b.bottom > -200 && b.top < innerHeight + 200; });
  const load = () => Promise.all(seen().map(c => c.load()));
  const refresh = async () => { // a run that has just begun gets its tags by and by
    tags = (await ask('/api/run', { run })).scalars;
    if (tags.join('\n') !== known) { known = tags.join('\n'); build(); }
    await load();
  };
  smooth.addEventListener('input', () => { view.smoothing = Number(smooth.value); charts.forEach(c => c.draw()); });
  log.addEventListener('change', () => { view.log = log.checked; charts.forEach(c => c.draw()); });
  find.addEventListener('input', () => { build(); load(); });
  pane.append(el('div', { class: 'row' }, find, el('label', {}, 'smoothing', smooth), el('label', {}, log, 'log scale'), el('span', { class: 'quiet' }, 'drag to zoom, double click for all')), grid);
  pane.parentElement.onscroll = () => { clearTimeout(pane.timer); pane.timer = setTimeout(load, 120); };
  await refresh();
  return { refresh, redraw: () => charts.forEach(c => c.draw()) };
}

export async function workers(pane, run) {
  const box = el('div', { class: 'card scroll' }), waits = el('section', { class: 'card' }), asks = el('div', { class: 'row' }), said = el('span', { class: 'quiet' });
  if (state.token) asks.append(
    el('button', { onclick: () => act('/api/trace', 'a step is going to be traced') }, 'Trace a step'),
    el('button', { onclick: () => act('/api/stop', 'the run is going to stop') }, 'Stop the run'), said);
  else asks.append(el('span', { class: 'quiet' }, 'Open the address with the token to ask the run for something.'));
  const act = async (path, text) => { try { await request(path, { run }); said.textContent = text; } catch (e) { said.textContent = e.message; } };
  pane.append(asks, box, el('br'), waits);
  const refresh = async () => {
    const r = await ask('/api/run', { run }), now = Date.now() / 1000;
    box.replaceChildren(el('h2', {}, 'Workers'), table(
      ['worker', 'state', 'host', 'devices', 'step', 'a step', 'input', 'examples/s', 'memory', 'heap', 'cores', 'heard of', 'events lost'],
      r.workers.map(w => [w.name, chip(w.state), w.host || '–', Object.entries(w.devices).map(([d, b]) => `${d} ${bytes(b)}`).join(', ') || '–', String(w.step), millis(w.stepMillis), millis(w.inputMillis), num(w.examplesPerSecond), bytes(w.memoryBytes), bytes(w.heapBytes), num(w.cpu, 2),
        w.seen ? ago(now - w.seen) + ' ago' : '–', String((w.lostEvents || 0) + w.dropped) + (w.damage ? ' ' + w.damage : '')]),
      row => ['lost', 'failed'].includes(row[1].textContent) ? 'bad' : ''));
    const names = r.workers.map(w => w.name.replace('worker-', ''));
    const longest = r.workers.flatMap(w => Object.entries(w.waits).map(([n, t]) => [t, w.name, 'worker-' + n])).sort((a, b) => b[0] - a[0])[0];
    waits.replaceChildren(el('h2', {}, 'Who waited for whom'), longest ? el('p', {}, `${longest[1]} waited longest, ${millis(longest[0])} for ${longest[2]}.`) : '', names.length > 1
      ? table(['', ...names.map(n => 'for ' + n)], r.workers.map(w => [w.name, ...names.map(n => w.waits[n] === undefined ? '–' : millis(w.waits[n]))]))
      : el('p', { class: 'quiet' }, 'There is one worker.'));
  };
  await refresh();
  return { refresh };
}

export async function timeline(pane, run) {
  const detail = el('section', { class: 'card' }, el('p', { class: 'quiet' }, 'Click a span to see its node and the line that made it. Wheel or + and − zoom, drag or arrows move.'));
  const head = el('div', { class: 'row' }), holder = el('section', { class: 'card' });
  pane.append(head, holder, el('br'), detail);
  let chart, step;
  const show = async wanted => {
    const t = await ask('/api/trace', wanted === undefined ? { run } : { run, step: wanted });
    if (!t.workers.length) { holder.replaceChildren(empty('No step has been traced yet: the twentieth is the first.')); return; }
    if (t.step === step) return;
    step = t.step;
    head.replaceChildren(picker('step', t.steps.map(String), String(t.step), v => show(v)), legend());
    chart = new Timeline(t, s => detail.replaceChildren(el('h2', {}, s.name), table(['', ''], [
      ['op', s.op + (s.nodes > 1 ? `, and ${s.nodes - 1} more nodes as one kernel` : '')], ['made at', s.origin || 'unknown'], ['worker', s.worker], ['device', s.device],
      ['began after', millis(s.from / 1000)], ['took', millis(s.length / 1000)], ['kind', s.kind]]),
      el('button', { onclick: () => { location.hash = new URLSearchParams({ run, pane: 'graph', node: s.name }); } }, 'Show in the graph')));
    holder.replaceChildren(chart.canvas);
    chart.draw();
  };
  await show();
  return { redraw: () => chart?.draw(), refresh: () => step === undefined ? show() : null };
}

export async function graph(pane, run) {
  const crumbs = el('div', { class: 'crumbs row' }), holder = el('section', { class: 'card scroll' }), detail = el('section', { class: 'card' });
  pane.append(crumbs, holder, el('br'), detail);
  const tell = b => detail.replaceChildren(el('h2', {}, b.name),
    table(['', ''], [['op', b.op || `${b.nodes} nodes`], ['device', b.devices.join(' ') || '–'], ['cost', b.millis ? millis(b.millis) : '–'], ['made at', b.origin || 'unknown']]));
  const open = async (scope, wanted) => {
    const g = await ask('/api/graph', { run, scope });
    const parts = scope ? scope.split('/') : [];
    crumbs.replaceChildren(el('button', { onclick: () => open('') }, 'graph'), ...parts.map((p, i) => el('button', { onclick: () => open(parts.slice(0, i + 1).join('/')) }, p)),
      el('span', { class: 'quiet' }, scope ? `${g.boxes.length} inside` : `${g.nodes} nodes, ${g.constants} of them constants, which are left out; bars show the cost of the newest traced step${g.elsewhere > 1e-6 ? `, of which ${millis(g.elsewhere)} went to kernels that optimisation made` : ''}`));
    holder.replaceChildren(graphView(g, open, tell));
    const found = wanted && g.boxes.find(b => b.name === wanted);
    if (found) {
      tell(found);
      const box = [...holder.querySelectorAll('.box')].find(b => b.dataset.name === wanted);
      box?.classList.add('on');
      box?.scrollIntoView({ block: 'center', inline: 'center' });
    } else detail.replaceChildren(el('p', { class: 'quiet' }, wanted ? `${wanted} is not in the graph as it was built: an optimisation made it.` : 'Scopes open, nodes tell where they run and what they cost.'));
  };
  const node = new URLSearchParams(location.hash.slice(1)).get('node');
  await open(node ? node.split('/').slice(0, -1).join('/') : '', node);
  return {};
}

export async function histograms(pane, run) {
  const grid = el('div', { class: 'grid' }), none = empty('No histograms yet: parameters are counted after each epoch.');
  pane.append(none, grid);
  const drawn = new Map();
  const load = async d => { d.data = (await ask('/api/histograms', { run, tag: d.tag, points: 24 })).histograms; ridge(d); };
  const refresh = async () => {
    for (const tag of (await ask('/api/run', { run })).histograms.slice(0, 48)) {
      if (drawn.has(tag)) continue;
      const canvas = el('canvas', { role: 'img', 'aria-label': 'histograms of ' + tag }), note = el('span', { class: 'quiet' });
      grid.append(el('section', { class: 'card' }, el('div', { class: 'head' }, el('h3', {}, tag), note), canvas));
      drawn.set(tag, { tag, canvas, note });
    }
    none.hidden = drawn.size > 0;
    await Promise.all([...drawn.values()].map(load));
  };
  await refresh();
  return { refresh, redraw: () => drawn.forEach(ridge) };
}

/** One curve for each step, the newest in front. */
function ridge(d) {
  if (!d.data?.length || !d.canvas.isConnected) return;
  const H = 210, [c, width] = canvas2d(d.canvas, H), n = d.data.length, last = d.data.at(-1);
  const low = Math.min(...d.data.map(h => h.min)), high = Math.max(...d.data.map(h => h.max)), span = high - low || 1, bins = 60;
  d.note.textContent = `mean ${num(last.mean, 3)}, deviation ${num(last.deviation, 3)}`;
  const spread = h => {
    const out = new Array(bins).fill(0);
    h.counts.forEach((count, i) => {
      if (!count) return;
      const a = Math.max(low, i ? h.limits[i - 1] : h.min, h.min), b = Math.min(high, h.limits[i], h.max), from = (a - low) / span * bins, to = Math.max(from + 1e-6, (b - low) / span * bins);
      for (let k = Math.floor(from); k <= Math.min(bins - 1, Math.floor(to)); k++) out[k] += count * Math.max(0, Math.min(to, k + 1) - Math.max(from, k)) / (to - from);
    });
    return out;
  };
  const all = d.data.map(spread), most = Math.max(...all.flat(), 1e-9), room = 96, accent = css('--accent'), card = css('--card');
  all.forEach((row, i) => {
    const base = 20 + room - 8 + (H - 44 - room + 8) * (n === 1 ? 1 : i / (n - 1));
    c.beginPath(); c.moveTo(8, base);
    row.forEach((v, k) => c.lineTo(8 + (k + .5) / bins * (width - 16), base - v / most * room));
    c.lineTo(width - 8, base); c.closePath();
    c.fillStyle = card; c.globalAlpha = .8; c.fill();
    c.fillStyle = accent; c.globalAlpha = .12 + .4 * (i + 1) / n; c.fill();
    c.globalAlpha = 1; c.strokeStyle = accent; c.lineWidth = i === n - 1 ? 1.6 : .7; c.stroke();
  });
  c.fillStyle = css('--soft'); c.font = '11px system-ui, sans-serif'; c.textBaseline = 'bottom';
  c.textAlign = 'left'; c.fillText(num(low, 3), 8, H - 2); c.textAlign = 'right'; c.fillText(num(high, 3), width - 8, H - 2);
  c.textAlign = 'center'; c.fillText(`steps ${d.data[0].step} to ${last.step}`, width / 2, H - 2);
}

export async function media(pane, run) {
  const r = await ask('/api/run', { run });
  if (!r.images.length && !r.audio.length && !r.texts.length) { pane.append(empty('No pictures, sounds or texts.')); return {}; }
  const grid = el('div', { class: 'grid' });
  pane.append(grid);
  for (const tag of [...new Set([...r.images, ...r.audio, ...r.texts])].slice(0, 60)) {
    const m = await ask('/api/media', { run, tag }), box = el('section', { class: 'card' }, el('h3', {}, tag));
    const address = (kind, x) => `/api/${kind}?` + new URLSearchParams({ run, tag, index: x.index });
    if (m.image.length) box.append(el('div', { class: 'gallery' }, m.image.slice(-6).map(x => el('figure', {}, el('img', { src: address('image', x), alt: `${tag} at step ${x.step}` }), el('figcaption', { class: 'quiet' }, 'step ' + x.step)))));
    m.audio.slice(-3).forEach(x => box.append(el('p', {}, 'step ' + x.step + ' ', el('audio', { controls: true, preload: 'none', src: address('audio', x) }))));
    m.text.slice(-3).forEach(x => box.append(el('small', { class: 'quiet' }, 'step ' + x.step), el('pre', {}, x.text)));
    grid.append(box);
  }
  return {};
}

export async function log(pane, run) {
  const box = el('section', { class: 'card' });
  pane.append(box);
  const refresh = async () => {
    const l = await ask('/api/log', { run });
    const lines = l.lines.sort((a, b) => a.seconds - b.seconds).slice(-500);
    box.replaceChildren(lines.length ? el('div', { class: 'log' }, lines.flatMap(x => [el('span', { class: 'quiet' }, clock(x.seconds)), el('span', { class: 'quiet' }, x.worker), el('pre', { class: 'w' + x.level }, x.text)])) : el('p', { class: 'quiet' }, 'Nothing has been said.'));
  };
  await refresh();
  return { refresh };
}
