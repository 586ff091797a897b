// How quick the page is with 100 runs of 100,000 points: node many.mjs FOLDER, which `oxbow bench events --many FOLDER` writes.
import { createRequire } from 'node:module';
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const { chromium } = createRequire(join(process.env.PLAYWRIGHT, 'package.json'))('playwright-core');
const command = process.env.OXBOW.split(' ');
const server = spawn(command[0], [...command.slice(1), 'dashboard', process.argv[2], '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
let text = '', failed = false;
server.stdout.on('data', d => text += d);
const until = async (check, seconds = 120) => { for (const end = Date.now() + 1000 * seconds; ;) { const v = await check(); if (v) return v; if (Date.now() > end) throw new Error('too late'); await new Promise(r => setTimeout(r, 50)); } };
const bar = (what, ms, most) => { const bad = ms > most; failed ||= bad; console.log(`${bad ? 'SLOW' : 'ok  '} ${what}: ${Math.round(ms)} ms (bar ${most})`); };
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
try {
  const base = await until(() => text.match(/to look: +(http:\S+)\//)?.[1]);
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } }), began = Date.now();
  const all = async () => (await page.evaluate(async () => (await (await fetch('/api/runs')).json()).runs.filter(r => r.progress > .999).length)) === 100;
  await page.goto(base);
  await page.locator('[data-run]').first().waitFor();
  bar('the first run is listed', Date.now() - began, 3000);
  await until(all);
  console.log(`     all 100 runs are read: ${Date.now() - began} ms`);
  let at = Date.now();
  await page.goto(`${base}/#run=run-000&pane=curves`);
  await page.reload();
  await until(async () => (await page.locator('[data-tag="train/loss"] .quiet').textContent({ timeout: 500 }).catch(() => '')) === '100 runs');
  bar('curves of 100 runs are drawn', Date.now() - at, 2000);
  const asked = await page.evaluate(async () => {
    const runs = Array.from({ length: 100 }, (_, i) => 'run=run-' + String(i).padStart(3, '0')).join('&'), ms = [];
    let size = 0;
    for (let i = 0; i < 10; i++) { const t = performance.now(); size = (await (await fetch(`/api/series?tag=train/loss&points=200&${runs}`)).text()).length; ms.push(performance.now() - t); }
    return { ms: ms.sort((a, b) => a - b)[5], size };
  });
  bar(`a request for all curves, ${Math.round(asked.size / 1000)} KB`, asked.ms, 300);
  const frames = await page.evaluate(() => new Promise(done => { const t = []; const f = now => { t.push(now); if (t.length > 120) done(t.slice(1).map((v, i) => v - t[i]).sort((a, b) => a - b)); else requestAnimationFrame(f); }; requestAnimationFrame(f); }));
  bar('a frame while it is live, 95 %', frames[Math.floor(frames.length * .95)], 100);
  const canvas = page.locator('[data-tag="train/loss"] canvas'), box = await canvas.boundingBox();
  at = Date.now();
  for (let i = 0; i < 30; i++) await page.mouse.move(box.x + 60 + i * 8, box.y + 100);
  bar('a move of the mouse over 100 curves', (Date.now() - at) / 30, 50);
  const before = await canvas.evaluate(c => c.toDataURL());
  at = Date.now();
  await page.mouse.move(box.x + 100, box.y + 100); await page.mouse.down(); await page.mouse.move(box.x + 160, box.y + 100); await page.mouse.up();
  await until(async () => await canvas.evaluate(c => c.toDataURL()) !== before && (await page.evaluate(() => performance.getEntriesByType('resource').some(e => e.name.includes('from=') && e.responseEnd > 0))));
  bar('a zoom of all of them', Date.now() - at, 3000);
  if (process.argv[3]) await page.screenshot({ path: join(process.argv[3], 'dashboard-many.png') });
} finally {
  await browser.close();
  try { process.kill(-server.pid, 'SIGKILL'); } catch { /* it has ended */ }
}
process.exit(failed ? 1 : 0);
