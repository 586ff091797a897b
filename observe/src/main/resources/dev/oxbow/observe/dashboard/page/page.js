// What all panes use: elements, requests, numbers, colours. Text goes in by textContent only, so nothing in a run can be markup.
export function el(tag, props = {}, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(props)) {
    if (k.startsWith('on')) e.addEventListener(k.slice(2), v);
    else if (k === 'class') e.className = v;
    else if (k === 'style') Object.entries(v).forEach(([n, s]) => e.style.setProperty(n, s));
    else if (k in e && typeof v !== 'string') e[k] = v;
    else e.setAttribute(k, v);
  }
  e.append(...children.flat().filter(c => c !== null && c !== undefined));
  return e;
}

export function svg(tag, props = {}, ...children) {
  const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [k, v] of Object.entries(props)) {
    if (k.startsWith('on')) e.addEventListener(k.slice(2), v);
    else e.setAttribute(k, v);
  }
  e.append(...children.flat());
  return e;
}

export const state = { runs: [], run: null, hidden: new Set(), token: null };

/** Asks the server; parts that are lists are repeated. */
export async function ask(path, parts = {}) {
  const q = new URLSearchParams();
  for (const [k, v] of Object.entries(parts)) [v].flat().forEach(x => q.append(k, x));
  const r = await fetch(path + (q.size ? '?' + q : ''));
  if (!r.ok) throw new Error((await r.text()).trim());
  return r.json();
}

export async function request(path, parts) {
  const r = await fetch(path + '?' + new URLSearchParams(parts), { method: 'POST', headers: { Authorization: 'Bearer ' + (state.token || '') } });
  if (!r.ok) throw new Error((await r.text()).trim());
}

const SHADES = ['#0f8b8d', '#e4572e', '#5b6ee1', '#d29a06', '#a23fb0', '#2f9e44', '#d6336c', '#1c7ed6', '#8d6e4a', '#74808b'];

/** A run keeps its colour, whatever else is shown. */
export function colour(name) {
  let i = state.runs.findIndex(r => r.name === name);
  return SHADES[(i < 0 ? 0 : i) % SHADES.length];
}

export const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export function num(v, digits = 4) {
  if (v === null || v === undefined || Number.isNaN(v)) return '–';
  const a = Math.abs(v);
  if (a !== 0 && (a < 1e-3 || a >= 1e6)) return v.toExponential(2);
  return String(Number(v.toPrecision(digits)));
}

export function bytes(v) {
  if (v === null || v === undefined) return '–';
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let i = 0;
  while (v >= 1000 && i < 4) { v /= 1000; i++; }
  return `${v < 10 && i ? v.toFixed(1) : Math.round(v)} ${units[i]}`;
}

export const millis = v => v === null || v === undefined ? '–' : v >= 1000 ? num(v / 1000, 3) + ' s' : v >= 1 ? num(v, 3) + ' ms' : num(v * 1000, 3) + ' µs';
export const clock = s => new Date(s * 1000).toLocaleTimeString();

export function ago(s) {
  if (s < 90) return Math.max(0, Math.round(s)) + ' s';
  if (s < 5400) return Math.round(s / 60) + ' min';
  return s < 130000 ? Math.round(s / 3600) + ' h' : Math.round(s / 86400) + ' days';
}

const tipBox = document.getElementById('tip');

export function tip(text, x, y) {
  tipBox.hidden = !text;
  if (!text) return;
  tipBox.replaceChildren(...text.split('\n').map(l => el('div', {}, l)));
  const w = tipBox.offsetWidth, h = tipBox.offsetHeight;
  tipBox.style.left = Math.max(4, Math.min(innerWidth - w - 8, x + 14)) + 'px';
  tipBox.style.top = Math.max(4, Math.min(innerHeight - h - 8, y + 14)) + 'px';
}

/** Sets a canvas up for the pixels of this screen. */
export function canvas2d(canvas, height) {
  const ratio = devicePixelRatio || 1, width = canvas.clientWidth || 300;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = height + 'px';
  }
  const c = canvas.getContext('2d');
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.clearRect(0, 0, width, height);
  return [c, width];
}

/** Round numbers that part a range, at most so many. */
export function ticks(from, to, most) {
  const span = to - from;
  if (!(span > 0)) return [from];
  let step = 10 ** Math.floor(Math.log10(span / most));
  for (const m of [1, 2, 5, 10]) if (span / (step * m) <= most) { step *= m; break; }
  const out = [];
  for (let v = Math.ceil(from / step) * step; v <= to + step * 1e-6; v += step) out.push(Number(v.toPrecision(12)));
  return out;
}
