// The frame: runs at the side, panes on top, one look at the server each second.
import { el, ask, state, colour, num, ago, bytes, tip } from './page.js';
import * as panes from './panes.js';

const PANES = [['overview', 'Overview'], ['curves', 'Curves'], ['workers', 'Workers'], ['timeline', 'Timeline'], ['graph', 'Graph'], ['histograms', 'Histograms'], ['media', 'Media'], ['log', 'Log']];
const $ = id => document.getElementById(id);
const pane = $('pane');
let current = { name: 'overview', live: {} }, turn = 0, slow = 0;

function place() {
  const h = new URLSearchParams(location.hash.slice(1));
  if (h.get('token')) { state.token = h.get('token'); h.delete('token'); history.replaceState(null, '', '#' + h); }
  return h;
}

function go(changes) {
  const h = place();
  Object.entries(changes).forEach(([k, v]) => h.set(k, v));
  location.hash = h.toString();
}

$('tabs').append(...PANES.map(([id, title], i) => el('button', { role: 'tab', id: 'tab-' + id, 'aria-selected': 'false', 'aria-controls': 'pane', title: `key ${i + 1}`, onclick: () => go({ pane: id }) }, title)));
$('tabs').addEventListener('keydown', e => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
  if (!step) return;
  const i = PANES.findIndex(p => p[0] === current.name), next = PANES[(i + step + PANES.length) % PANES.length][0];
  go({ pane: next });
  $('tab-' + next).focus();
});

async function show() {
  const h = place(), name = PANES.some(p => p[0] === h.get('pane')) ? h.get('pane') : 'overview', run = h.get('run');
  state.run = state.runs.some(r => r.name === run) ? run : newest();
  const mine = ++turn;
  current = { name, live: {} };
  for (const [id] of PANES) { const t = $('tab-' + id); t.setAttribute('aria-selected', String(id === name)); t.tabIndex = id === name ? 0 : -1; }
  list();
  pane.onscroll = null;
  tip(null);
  const fresh = document.createDocumentFragment(), holder = el('div');
  fresh.append(holder);
  pane.replaceChildren(holder);
  document.title = state.run ? `${state.run} · Oxbow` : 'Oxbow';
  if (!state.run) {
    holder.append(el('div', { class: 'empty' }, el('h2', {}, 'No runs yet'), el('p', {}, 'Start one with ', el('code', {}, './oxbow train --dashboard'), ' or point the dashboard to a folder with event files.')));
    return;
  }
  try {
    const live = await panes[name](holder, state.run);
    if (mine === turn) current.live = live || {};
  } catch (e) {
    if (mine === turn) holder.replaceChildren(el('p', { class: 'empty' }, e.message));
  }
}

function newest() {
  const all = [...state.runs].sort((a, b) => (b.seen || 0) - (a.seen || 0));
  return all.length ? all[0].name : null;
}

const rows = new Map();

/** The elements of a run in the list; they stay, so that no click is lost when the list is brought up to date. */
function row(name) {
  if (rows.has(name)) return rows.get(name);
  const box = el('input', { type: 'checkbox', 'aria-label': `show ${name} in curves`, onclick: e => { e.stopPropagation(); toggle(name); } });
  const chip = el('span'), small = el('small');
  const root = el('div', { class: 'run', role: 'option', 'data-run': name, onclick: () => { go({ run: name }); $('side').classList.remove('open'); } },
    box, el('span', { class: 'name', title: name }, name), chip, small);
  rows.set(name, { root, box, chip, small });
  return rows.get(name);
}

function list() {
  const wanted = $('filter').value.toLowerCase(), shown = state.runs.filter(r => r.name.toLowerCase().includes(wanted));
  const now = Date.now() / 1000;
  const all = shown.slice(0, 300).map(r => {
    const { root, box, chip, small } = row(r.name), chosen = r.name === state.run;
    root.setAttribute('aria-selected', String(chosen));
    root.tabIndex = chosen ? 0 : -1;
    root.style.setProperty('--c', colour(r.name));
    box.checked = !state.hidden.has(r.name);
    chip.className = 'chip ' + r.state;
    chip.textContent = r.progress < .995 ? `${Math.floor(100 * r.progress)} %` : r.state.toLowerCase();
    small.textContent = (r.step >= 0 ? `step ${r.step} · loss ${num(r.loss, 3)}${r.workers > 1 ? ` · ${r.workers} workers` : ''}` : 'no step yet') + (r.seen ? ` · ${ago(now - r.seen)} ago` : '');
    return root;
  });
  const before = $('runs').children;
  if (before.length !== all.length || all.some((e, i) => before[i] !== e)) $('runs').replaceChildren(...all);
  $('more').textContent = shown.length > 300 ? `and ${shown.length - 300} more` : state.runs.length ? `${state.runs.length} runs, ${bytes(state.runs.reduce((s, r) => s + r.bytes, 0))}` : '';
}

function toggle(name) {
  if (!state.hidden.delete(name)) state.hidden.add(name);
  current.live.refresh?.();
  list();
}

async function beat() {
  try {
    const answer = await ask('/api/runs'), before = state.runs.length;
    state.runs = answer.runs;
    $('live').className = '';
    if (before === 0 && state.runs.length) await show();
    else {
      list();
      const run = state.runs.find(r => r.name === state.run), still = run && ['DONE', 'FAILED', 'LOST', 'SILENT'].includes(run.state) && run.progress > .995;
      if (!document.hidden && (!still || slow++ % 5 === 0)) await current.live.refresh?.();
    }
  } catch {
    $('live').className = 'off';
  }
  setTimeout(beat, 1000);
}

function theme(next) {
  document.documentElement.dataset.theme = next;
  try { localStorage.setItem('theme', next); } catch { /* a browser that keeps nothing */ }
  current.live.redraw?.();
}

const flip = () => theme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
$('theme').addEventListener('click', flip);
$('help').addEventListener('click', () => $('keys').showModal());
$('menu').addEventListener('click', () => $('menu').setAttribute('aria-expanded', String($('side').classList.toggle('open'))));
$('filter').addEventListener('input', list);
addEventListener('hashchange', show);
addEventListener('resize', () => current.live.redraw?.());
addEventListener('keydown', e => {
  if (e.target.matches('input[type=search], select') || e.ctrlKey || e.metaKey || e.altKey) return;
  const i = state.runs.findIndex(r => r.name === state.run), at = k => state.runs[(i + k + state.runs.length) % state.runs.length];
  if (/^[1-8]$/.test(e.key)) go({ pane: PANES[e.key - 1][0] });
  else if (e.key === '/') { e.preventDefault(); $('side').classList.add('open'); $('filter').focus(); }
  else if (e.key === 't') flip();
  else if (e.key === '?') $('keys').showModal();
  else if (e.key === 'j' && at(1)) go({ run: at(1).name });
  else if (e.key === 'k' && at(-1)) go({ run: at(-1).name });
  else if (e.key === 'x' && state.run) toggle(state.run);
});

let kept = null;
try { kept = localStorage.getItem('theme'); } catch { /* as above */ }
theme(kept || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'));
place();
await beat();
if (!state.runs.length) await show();
