// One step on all workers: a band for each device, a row for what overlaps. Wheel, drag, pinch of keys; a click tells what a span is.
import { el, css, tip, millis, canvas2d, ticks } from './page.js';

const LEFT = 92, ROW = 20, TOP = 24, KINDS = ['compute', 'communication', 'waiting'];

export class Timeline {
  constructor(trace, pick) {
    this.pick = pick;
    this.bands = [];
    for (const w of trace.workers) {
      const devices = new Map();
      for (const s of w.spans) {
        const span = { from: s[0], length: s[1], kind: KINDS[s[2]], name: s[3], op: s[4], nodes: s[5], origin: s[6], device: s[7], worker: w.name };
        if (!devices.has(span.device)) devices.set(span.device, []);
        devices.get(span.device).push(span);
      }
      for (const [device, spans] of devices) this.bands.push({ worker: w.name, device, rows: rows(spans) });
    }
    this.end = Math.max(1, ...this.bands.flatMap(b => b.rows.flat()).map(s => s.from + s.length));
    this.view = [0, this.end];
    const labels = this.bands.map(b => `${b.worker} ${b.device}`).join(', ');
    this.canvas = el('canvas', { tabindex: '0', role: 'img', 'aria-label': `timeline of ${labels}`, class: 'timeline' });
    const c = this.canvas;
    c.addEventListener('wheel', e => { e.preventDefault(); this.zoom(e.deltaY > 0 ? 1.25 : .8, e.offsetX); }, { passive: false });
    c.addEventListener('pointerdown', e => { c.setPointerCapture(e.pointerId); this.drag = { x: e.offsetX, view: [...this.view], moved: false }; });
    c.addEventListener('pointermove', e => this.move(e));
    c.addEventListener('pointerup', e => { if (this.drag && !this.drag.moved) this.choose(this.at(e)); this.drag = null; });
    c.addEventListener('pointerleave', () => tip(null));
    c.addEventListener('dblclick', () => { this.view = [0, this.end]; this.draw(); });
    c.addEventListener('keydown', e => this.key(e));
  }

  get height() { return TOP + this.bands.reduce((h, b) => h + b.rows.length * ROW + 12, 0) + 6; }

  draw() {
    if (!this.canvas.isConnected) return;
    const [c, width] = canvas2d(this.canvas, this.height), [a, b] = this.view;
    const X = this.X = t => LEFT + (t - a) / (b - a) * (width - LEFT - 6);
    c.font = '11px system-ui, sans-serif'; c.textBaseline = 'middle'; c.fillStyle = css('--soft'); c.strokeStyle = css('--line');
    for (const t of ticks(a, b, Math.max(2, Math.floor(width / 120)))) {
      c.beginPath(); c.moveTo(X(t), TOP - 6); c.lineTo(X(t), this.height); c.stroke();
      c.textAlign = 'center'; c.fillText(millis(t / 1000), X(t), 9);
    }
    let y = TOP;
    for (const band of this.bands) {
      c.textAlign = 'left'; c.fillStyle = css('--ink'); c.font = '600 11px system-ui, sans-serif'; c.fillText(band.worker, 4, y + 8);
      c.fillStyle = css('--soft'); c.font = '10px system-ui, sans-serif';
      if (band.rows.length > 1) c.fillText(band.device.replace(/.*device:/, ''), 4, y + 22);
      c.save(); c.beginPath(); c.rect(LEFT, 0, width - LEFT, this.height); c.clip();
      for (const row of band.rows) {
        for (const s of row) this.span(c, s, X, y);
        y += ROW;
      }
      c.restore();
      y += 12;
    }
  }

  span(c, s, X, y) {
    const x = X(s.from), w = Math.max(.6, X(s.from + s.length) - x);
    s.y = y;
    if (x + w < LEFT || x > this.canvas.clientWidth) return;
    c.fillStyle = css('--' + s.kind);
    c.globalAlpha = s === this.chosen ? 1 : .86;
    c.fillRect(x, y + 1, Math.max(.6, w - .5), ROW - 3);
    c.globalAlpha = 1;
    if (s === this.chosen) { c.strokeStyle = css('--ink'); c.lineWidth = 2; c.strokeRect(x, y + 1, w, ROW - 3); c.lineWidth = 1; c.strokeStyle = css('--line'); }
    if (w > 34) {
      c.fillStyle = '#fff'; c.textAlign = 'left';
      const from = Math.max(x, LEFT) + 4, room = x + w - from - 4, text = s.op || s.name;
      if (room > text.length * 6) c.fillText(text, from, y + ROW / 2);
    }
  }

  time(x) { return this.view[0] + (x - LEFT) / (this.canvas.clientWidth - LEFT - 6) * (this.view[1] - this.view[0]); }

  at(e) {
    const t = this.time(e.offsetX), slack = (this.view[1] - this.view[0]) / this.canvas.clientWidth * 2;
    for (const b of this.bands) for (const row of b.rows) for (const s of row)
      if (e.offsetY >= s.y && e.offsetY < s.y + ROW && t >= s.from - slack && t <= s.from + s.length + slack) return s;
    return null;
  }

  choose(s) { if (s) { this.chosen = s; this.pick(s); this.draw(); } }

  move(e) {
    if (this.drag) {
      const dx = e.offsetX - this.drag.x;
      this.drag.moved ||= Math.abs(dx) > 4;
      const shift = -dx / (this.canvas.clientWidth - LEFT) * (this.drag.view[1] - this.drag.view[0]);
      if (this.drag.moved) this.set(this.drag.view[0] + shift, this.drag.view[1] + shift);
      return;
    }
    const s = this.at(e);
    tip(s ? `${s.name}\n${s.op}${s.nodes > 1 ? ` and ${s.nodes - 1} more as one kernel` : ''}\n${millis(s.length / 1000)}, ${s.kind}` : null, e.clientX, e.clientY);
  }

  set(a, b) {
    const w = Math.min(this.end, Math.max(.05, b - a));
    a = Math.max(0, Math.min(this.end - w, a));
    this.view = [a, a + w];
    this.draw();
  }

  zoom(by, x) {
    const t = x === undefined ? (this.view[0] + this.view[1]) / 2 : Math.max(this.view[0], this.time(x));
    this.set(t - (t - this.view[0]) * by, t + (this.view[1] - t) * by);
  }

  key(e) {
    const [a, b] = this.view, w = b - a, all = this.bands.flatMap(x => x.rows.flat()).sort((p, q) => p.from - q.from);
    const keys = {
      '+': () => this.zoom(.6), '=': () => this.zoom(.6), '-': () => this.zoom(1.6), '0': () => this.set(0, this.end),
      ArrowLeft: () => this.set(a - w / 4, b - w / 4), ArrowRight: () => this.set(a + w / 4, b + w / 4),
      n: () => this.choose(all[(all.indexOf(this.chosen) + 1) % all.length]), p: () => this.choose(all.at(all.indexOf(this.chosen) - 1)),
    };
    if (!keys[e.key]) return;
    e.preventDefault(); e.stopPropagation();
    keys[e.key]();
  }
}

/** Spans in as few rows as they need, at most eight; kernels before exchanges. */
function rows(spans) {
  const out = [];
  for (const kinds of [['compute'], ['communication', 'waiting']]) {
    const own = [];
    for (const s of spans.filter(x => kinds.includes(x.kind)).sort((a, b) => a.from - b.from)) {
      let row = own.find(r => r.end <= s.from + .001);
      if (!row) { if (own.length < 8) own.push(row = []); else row = own[7]; }
      row.push(s);
      row.end = Math.max(row.end || 0, s.from + s.length);
    }
    out.push(...own);
  }
  return out;
}
