// What the dashboard must do in a real browser, with real trainings behind it. Each check prints a line; the first that fails ends it.
import { createRequire } from 'node:module';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, statSync, writeFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import assert from 'node:assert';

const { chromium } = createRequire(join(process.env.PLAYWRIGHT, 'package.json'))('playwright-core');
const pictures = process.argv[2];
const home = mkdtempSync(join(tmpdir(), 'oxbow-browser-'));
const command = process.env.OXBOW.split(' ');
const token = 'browser-suite-token-0123';
const started = [];

function oxbow(...args) {
  const p = spawn(command[0], [...command.slice(1), ...args], { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  p.text = '';
  p.stdout.on('data', d => p.text += d);
  started.push(p);
  return p;
}

async function until(what, seconds, check) {
  const end = Date.now() + seconds * 1000;
  while (true) {
    const value = await check();
    if (value) { console.log('ok   ' + what); return value; }
    if (Date.now() > end) throw new Error(`not within ${seconds} s: ${what}`);
    await new Promise(r => setTimeout(r, 100));
  }
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
let failure = null;
try {
  writeFileSync(join(home, 'token'), token);
  const server = oxbow('dashboard', join(home, 'runs'), '--port', '0', '--token-file', join(home, 'token'));
  const base = await until('the dashboard is up', 60, () => server.text.match(/to look: +(http:\S+)\//)?.[1]);
  const errors = [];
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 }, colorScheme: 'light' });
  page.on('console', m => { if (m.type() === 'error') errors.push(m.text()); });
  page.on('pageerror', e => errors.push(e.message));
  page.on('request', r => { if (!r.url().startsWith(base) && !r.url().startsWith('data:')) errors.push('a request to ' + r.url()); });
  const go = async hash => { await page.goto(`${base}/#${hash}`); await page.waitForSelector('main > div > *', { state: 'attached' }); };
  const shot = async name => { if (pictures) await page.screenshot({ path: join(pictures, `dashboard-${name}.png`) }); };
  const image = selector => page.$eval(selector, c => c.toDataURL());

  await page.goto(base);
  await until('a page without runs says how to start one', 20, () => page.getByText('No runs yet').isVisible());
  const first = oxbow('train', '--epochs', '30', '--log', join(home, 'runs/first'));
  await until('a run appears by itself', 60, () => page.locator('[data-run=first]').count());
  await go('run=first&pane=curves');
  const before = await until('its curve is drawn', 60, async () => await page.locator('.chart canvas').count() && image('.chart canvas'));
  await until('a live curve moves', 30, async () => await image('.chart canvas') !== before);
  await until('the first run ends', 180, () => first.exitCode !== null);

  const job = oxbow('train', '--epochs', '100000', '--workers', '2', '--batch', '256', '--rate', '0.002', '--log', join(home, 'runs/two-workers'), '--trace-every', '50');
  await until('a run of two workers appears', 90, () => page.locator('[data-run=two-workers]').count());
  await go('run=two-workers&pane=curves');
  await until('two runs are compared', 60, async () => (await page.locator('[data-tag="train/loss"] .quiet').textContent()) === '2 runs');
  await until('both have gone on a little', 60, async () => (await (await page.request.get(`${base}/api/run?run=two-workers`)).json()).workers[0].step > 120);
  await page.waitForTimeout(1500);
  await shot('curves');
  await page.locator('[data-run=first] input').click();
  await until('one of them is hidden', 20, async () => (await page.locator('[data-tag="train/loss"] .quiet').textContent()) !== '2 runs');
  await page.locator('[data-run=first] input').click();

  await go('run=two-workers&pane=timeline');
  await until('a timeline of both workers is drawn', 90, async () => await page.locator('canvas.timeline').count() && /worker-0.*worker-1/.test(await page.locator('canvas.timeline').getAttribute('aria-label')));
  const all = await image('canvas.timeline');
  await page.locator('canvas.timeline').focus();
  await page.keyboard.press('n');
  await until('a span tells its line of code', 10, () => page.getByText('.java:').first().isVisible());
  await shot('timeline');
  await page.getByText('Show in the graph').click();
  await until('and is found in the graph', 20, async () => await page.locator('#tab-graph[aria-selected=true]').count() && (await page.locator('.box.on').count() || await page.getByText('is not in the graph as it was built').count()));
  await go('run=two-workers&pane=timeline');
  await until('the timeline is there again', 20, () => page.locator('canvas.timeline').count());
  await page.mouse.move(700, 190);
  await page.mouse.wheel(0, -400);
  await until('it is zoomed by the wheel', 10, async () => await image('canvas.timeline') !== all);
  await page.locator('canvas.timeline').focus();
  const zoomed = await image('canvas.timeline');
  await page.keyboard.press('-');
  await until('and by keys', 10, async () => await image('canvas.timeline') !== zoomed);

  await go('run=first&pane=graph');
  await page.locator('.box.scope').first().click();
  await until('a scope of the graph is opened', 20, async () => await page.locator('.crumbs button').count() === 2);
  await page.locator('.crumbs button').first().click();
  await until('and left again', 20, async () => await page.locator('.crumbs button').count() === 1);
  await shot('graph');

  const asked = headers => page.request.post(`${base}/api/trace?run=two-workers`, { headers });
  assert.equal((await asked({})).status(), 401);
  assert.equal((await asked({ Authorization: 'Bearer ' + token })).status(), 200);
  console.log('ok   a change is refused without the token and allowed with it');
  await go('run=two-workers&pane=workers');
  assert.equal(await page.getByText('Trace a step').count(), 0);
  await page.goto(`${base}/#run=two-workers&pane=workers&token=${token}`);
  await page.reload();
  await page.goto(`${base}/#run=two-workers&pane=workers&token=${token}`);
  await until('the page with the token offers it', 20, () => page.getByText('Trace a step').count());
  assert.ok(!page.url().includes(token), 'the token stays in the address');
  await page.getByText('Trace a step').click();
  await until('and a step is traced', 20, () => page.getByText('is going to be traced').isVisible());

  const written = () => { const d = join(home, 'runs/two-workers'); return readdirSync(d).filter(f => f.includes('tfevents')).reduce((n, f) => n + statSync(join(d, f)).size, 0); };
  const spare = oxbow('dashboard', join(home, 'runs'), '--port', '0');
  await until('a second dashboard is up', 60, () => spare.text.includes('to look:'));
  const grows = async what => { const before = written(); await until(what, 20, () => written() > before + 20000); };
  process.kill(-spare.pid, 'SIGSTOP');
  await grows('training goes on while a dashboard hangs');
  process.kill(-spare.pid, 'SIGKILL');
  await grows('and when it was killed');

  const file = readdirSync(join(home, 'runs/two-workers/worker-1')).find(f => f.includes('tfevents'));
  const pid = Number(file.split('.').at(-3));
  process.kill(pid, 'SIGSTOP');
  await until('a worker that stands still turns red within its deadline of 8 s', 12, () => page.locator('tr.bad', { hasText: 'worker-1' }).count());
  await shot('lost');
  process.kill(pid, 'SIGCONT');
  await until('the others name it and end', 60, () => job.exitCode !== null);

  await go('run=first&pane=histograms');
  const inked = () => page.$$eval('canvas', all => all.length > 0 && all.every(c => { const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; for (let i = 3; i < d.length; i += 4) if (d[i] > 0) return true; return false; }));
  await until('histograms are drawn', 20, inked);
  await shot('histograms');
  await go('run=two-workers&pane=overview');
  await until('what holds the run up is said', 20, () => page.getByText('What holds it up').isVisible());
  await until('and how fast it is against the planner', 20, () => page.getByText("efficiency: of the planner's").isVisible());
  await page.waitForTimeout(600);
  await shot('overview');
  await page.keyboard.press('t');
  await until('it is dark', 5, () => page.evaluate(() => document.documentElement.dataset.theme === 'dark'));
  await shot('dark');
  await page.keyboard.press('2');
  await until('keys change the pane', 10, () => page.locator('#tab-curves[aria-selected=true]').count());
  await page.setViewportSize({ width: 390, height: 844 });
  await go('run=two-workers&pane=overview');
  await page.waitForTimeout(600);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is wider than a phone');
  console.log('ok   nothing is wider than a phone');
  await shot('phone');
  assert.deepEqual(errors, []);
  console.log('ok   no error on the console, no request to another host');
} catch (e) {
  failure = e;
}
await browser.close();
for (const p of started) try { process.kill(-p.pid, 'SIGKILL'); } catch { /* it has ended */ }
rmSync(home, { recursive: true, force: true });
if (failure) { console.error('FAILED ' + failure.stack); process.exit(1); }
