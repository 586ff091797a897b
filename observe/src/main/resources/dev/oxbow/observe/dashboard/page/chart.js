// Curves of several runs over steps: drag to zoom, double click to see all, and the same by keys.
import { el, ask, state, colour, css, num, tip, canvas2d, ticks } from './page.js';

const LEFT = 52, BOTTOM = 22, TOP = 8, RIGHT = 10;
export const view = { smoothing: 0.6, log: false };

export class Chart {
  constructor(tag, height = 220) {
    this.tag = tag;
    this.height = height;
    this.range = null;
    this.series = [];
    this.canvas = el('canvas', { tabindex: '0', role: 'img', 'aria-label': `curve of ${tag}` });
    this.value = el('span', { class: 'quiet' });
    this.root = el('section', { class: 'card chart' }, el('div', { class: 'head' }, el('h3', {}, tag), this.value), this.canvas);
    this.root.dataset.tag = tag;
    const c = this.canvas;
    c.addEventListener('pointerdown', e => this.press(e));
    c.addEventListener('pointermove', e => this.move(e));
    c.addEventListener('pointerup', e => this.release(e));
    c.addEventListener('pointerleave', () => { this.at = null; tip(null); this.pointer(); });
    c.addEventListener('dblclick', () => this.zoom(null));
    c.addEventListener('keydown', e => this.key(e));
  }

  async load() {
    const runs = state.runs.map(r => r.name).filter(n => !state.hidden.has(n)).slice(0, 200);
    if (!runs.length) { this.series = []; this.draw(); return; }
    const parts = { tag: this.tag, run: runs, points: Math.min(500, Math.max(60, Math.round(20000 / runs.length))) };
    if (this.range) { parts.from = Math.max(0, Math.floor(this.range[0])); parts.to = Math.ceil(this.range[1]); }
    const answer = await ask('/api/series', parts);
    this.series = answer.series.filter(s => s.points.length);
    this.draw();
  }

  zoom(range) {
    if (range && range[1] - range[0] < 2) return;
    this.range = range;
    this.load();
  }

  bounds() {
    let x0 = Infinity, x1 = -Infinity, low = [], y0 = Infinity, y1 = -Infinity;
    for (const s of this.series) for (const p of s.points) {
      if (this.range && (p[0] < this.range[0] || p[0] > this.range[1])) continue;
      x0 = Math.min(x0, p[0]); x1 = Math.max(x1, p[0]);
      if (p[2] === null || (view.log && p[2] <= 0)) continue;
      low.push(p[2]); y0 = Math.min(y0, p[2]); y1 = Math.max(y1, p[2]);
    }
    const mark = this.mark && Number.isFinite(y0) && (!view.log || this.mark.value > 0) ? this.mark.value : null;
    if (this.range) [x0, x1] = this.range;
    if (!Number.isFinite(x0)) return null;
    if (!Number.isFinite(y0)) { y0 = 0; y1 = 1; }
    if (!view.log && low.length > 40) { // a few outliers must not flatten the rest
      low.sort((a, b) => a - b);
      const q0 = low[Math.floor(low.length * .01)], q1 = low[Math.floor(low.length * .99)], room = (q1 - q0) * .6 || Math.abs(q1) || 1;
      y0 = Math.max(y0, q0 - room); y1 = Math.min(y1, q1 + room);
    }
    if (mark !== null) { y0 = Math.min(y0, mark); y1 = Math.max(y1, mark); }
    if (x0 === x1) x1 = x0 + 1;
    if (view.log) { y0 = Math.log10(y0); y1 = Math.log10(y1); }
    if (y1 - y0 < 1e-12) { y0 -= Math.abs(y0) * .1 || .5; y1 += Math.abs(y1) * .1 || .5; }
    const pad = (y1 - y0) * .06;
    return { x0, x1, y0: y0 - pad, y1: y1 + pad };
  }

  draw() {
    if (!this.canvas.isConnected) return;
    const [c, width] = canvas2d(this.canvas, this.height), b = this.box = this.bounds();
    c.font = '11px system-ui, sans-serif';
    if (!b) { this.drawn = null; c.fillStyle = css('--soft'); c.fillText('nothing yet', LEFT, 40); return; }
    const X = this.X = v => LEFT + (v - b.x0) / (b.x1 - b.x0) * (width - LEFT - RIGHT);
    const scale = v => view.log ? Math.log10(v) : v;
    const Y = v => TOP + (1 - (scale(v) - b.y0) / (b.y1 - b.y0)) * (this.height - TOP - BOTTOM);
    this.axes(c, width, b, X);
    c.save();
    c.beginPath(); c.rect(LEFT, 0, width - LEFT - RIGHT, this.height - BOTTOM + 2); c.clip();
    for (const s of this.series) this.line(c, s, X, Y);
    if (this.mark) this.marked(c, width, Y);
    c.restore();
    this.drawn = new OffscreenCanvas(this.canvas.width, this.canvas.height); // moves of the mouse draw no curve again
    this.drawn.getContext('2d').drawImage(this.canvas, 0, 0);
    const last = this.series.length === 1 ? this.series[0].points.at(-1) : null;
    this.value.textContent = last ? num(last[2]) : `${this.series.length} runs`;
    this.pointer();
  }

  /** What the pointer shows above the curves. */
  pointer() {
    if (!this.drawn) return;
    const [c, width] = canvas2d(this.canvas, this.height);
    c.drawImage(this.drawn, 0, 0, width, this.height);
    if (this.pressed && this.at) {
      c.fillStyle = css('--accent'); c.globalAlpha = .15;
      c.fillRect(Math.min(this.pressed, this.at.x), 0, Math.abs(this.at.x - this.pressed), this.height - BOTTOM);
      c.globalAlpha = 1;
    } else if (this.at) {
      c.strokeStyle = css('--soft'); c.globalAlpha = .5;
      c.beginPath(); c.moveTo(this.at.x, TOP); c.lineTo(this.at.x, this.height - BOTTOM); c.stroke(); c.globalAlpha = 1;
    }
  }

  axes(c, width, b, X) {
    c.strokeStyle = css('--line'); c.fillStyle = css('--soft'); c.lineWidth = 1; c.textAlign = 'right'; c.textBaseline = 'middle';
    const marks = view.log ? ticks(Math.ceil(b.y0), b.y1, 6).filter(v => Number.isInteger(v)) : ticks(b.y0, b.y1, 5);
    for (const v of marks.length ? marks : ticks(b.y0, b.y1, 4)) {
      const y = TOP + (1 - (v - b.y0) / (b.y1 - b.y0)) * (this.height - TOP - BOTTOM);
      c.beginPath(); c.moveTo(LEFT, y); c.lineTo(width - RIGHT, y); c.stroke();
      c.fillText(num(view.log ? 10 ** v : v, 3), LEFT - 6, y);
    }
    c.textAlign = 'center'; c.textBaseline = 'top';
    for (const v of ticks(b.x0, b.x1, Math.max(2, Math.floor(width / 64)))) c.fillText(v >= 10000 ? num(v / 1000, 4) + 'k' : String(v), X(v), this.height - BOTTOM + 6);
  }

  line(c, s, X, Y) {
    const shade = colour(s.run), ok = p => p[2] !== null && (!view.log || p[3] > 0), points = s.points.filter(ok);
    if (!points.length) return;
    if (view.smoothing > 0 || points.some(p => p[4] > p[3])) { // what smoothing hides, faintly
      c.fillStyle = shade; c.strokeStyle = shade; c.globalAlpha = this.series.length > 12 ? .06 : .18; c.lineWidth = 1;
      c.beginPath();
      points.forEach((p, i) => i ? c.lineTo(X(p[0]), Y(p[4])) : c.moveTo(X(p[0]), Y(p[4])));
      for (let i = points.length - 1; i >= 0; i--) c.lineTo(X(points[i][0]), Y(points[i][3]));
      c.closePath(); c.fill(); c.stroke();
    }
    c.globalAlpha = 1; c.strokeStyle = shade; c.lineWidth = s.run === state.run ? 2.2 : 1.5; c.lineJoin = 'round';
    c.beginPath();
    let mean = 0, weight = 0;
    s.smooth = points.map((p, i) => {
      mean = mean * view.smoothing + p[2] * (1 - view.smoothing); weight = weight * view.smoothing + 1 - view.smoothing;
      const v = mean / weight;
      if (i) c.lineTo(X(p[0]), Y(v)); else c.moveTo(X(p[0]), Y(v));
      return [p[0], v];
    });
    if (points.length === 1) { c.arc(X(points[0][0]), Y(points[0][2]), 2.5, 0, 7); }
    c.stroke();
  }

  /** A value to hold the curve against. */
  marked(c, width, Y) {
    if (view.log && this.mark.value <= 0) return;
    const y = Y(this.mark.value);
    c.strokeStyle = css('--communication'); c.fillStyle = css('--communication'); c.lineWidth = 1.5; c.setLineDash([6, 4]);
    c.beginPath(); c.moveTo(LEFT, y); c.lineTo(width - RIGHT, y); c.stroke(); c.setLineDash([]);
    c.textAlign = 'right'; c.textBaseline = 'bottom'; c.fillText(this.mark.text, width - RIGHT - 6, y - 3);
  }

  stepAt(x) { return this.box.x0 + (x - LEFT) / (this.canvas.clientWidth - LEFT - RIGHT) * (this.box.x1 - this.box.x0); }

  press(e) {
    if (e.pointerType === 'touch') return;
    this.canvas.setPointerCapture(e.pointerId);
    this.pressed = e.offsetX;
  }

  move(e) {
    if (!this.box) return;
    this.at = { x: e.offsetX };
    this.pointer();
    const step = this.stepAt(e.offsetX), rows = [];
    for (const s of this.series) {
      const near = nearest(s.smooth || [], step);
      if (near) rows.push([near[1], `${s.run}  ${num(near[1])}  at ${near[0]}`]);
    }
    rows.sort((a, b) => a[0] - b[0]);
    const shown = rows.slice(0, 8).map(r => r[1]);
    if (rows.length > 8) shown.push(`and ${rows.length - 8} more`);
    tip(shown.join('\n'), e.clientX, e.clientY);
  }

  release(e) {
    const from = this.pressed;
    this.pressed = null;
    if (from === null || from === undefined || Math.abs(e.offsetX - from) < 8 || !this.box) return;
    const a = this.stepAt(from), b = this.stepAt(e.offsetX);
    this.zoom([Math.max(0, Math.min(a, b)), Math.max(a, b)]);
  }

  key(e) {
    if (!this.box) return;
    const { x0, x1 } = this.box, w = x1 - x0, keys = {
      '+': [x0 + w / 4, x1 - w / 4], '=': [x0 + w / 4, x1 - w / 4], '-': [Math.max(0, x0 - w / 2), x1 + w / 2],
      ArrowLeft: [Math.max(0, x0 - w / 4), Math.max(w, x1 - w / 4)], ArrowRight: [x0 + w / 4, x1 + w / 4], '0': null,
    };
    if (!(e.key in keys)) return;
    e.preventDefault(); e.stopPropagation();
    this.zoom(keys[e.key]);
  }
}

/** Of points in the order of their steps, the one that is nearest to a step. */
function nearest(points, step) {
  let low = 0, high = points.length - 1;
  while (low < high) { const m = (low + high) >> 1; if (points[m][0] < step) low = m + 1; else high = m; }
  return low > 0 && step - points[low - 1][0] < points[low][0] - step ? points[low - 1] : points[low];
}
