/**
 * `npm run lab -- web`: runs Lighthouse on pages and screens of the real server with the demo community.
 *
 * - Each figure is the median of five runs: a phone on slow 4G in the system's Chromium.
 * - The run writes the figures of docs/web-performance.md. `--quick` runs once; `--quick` and `--only` write nothing.
 * - No test asserts these figures. Budgets for every machine are in e2e/tests/app/budgets.test.ts.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import { addDays, dayAt } from '@roz/core/ist-day.ts'
import { DEMO_EMAIL } from '@roz/server/demo/community.ts'
import { DEMO_PASSWORD } from '@roz/server/demo/demo.ts'
import { paths, publicPath } from '@roz/web/paths.ts'
import { ask } from '../../e2e/harness/calls.ts'
import { endEverything, freePorts, ROOT, startProgram } from '../../e2e/harness/program.ts'
import { finish, type Look, type Page } from './web-results.ts'

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false }, only: { type: 'string', default: '' } } })
const RUNS = values.quick ? 1 : 5
const LIGHTHOUSE_FLAGS = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
]

const publicPages = (day: string): Page[] => [
  { name: 'home', kind: 'public', address: publicPath('home', 'en') },
  { name: 'privacy policy', kind: 'public', address: publicPath('privacyPolicy', 'en') },
  { name: 'help center', kind: 'public', address: publicPath('helpCenter', 'en') },
  { name: 'money trail', kind: 'public', address: publicPath('moneyTrail', 'en') },
  { name: 'verify a day', kind: 'public', address: `/verify/${day}` },
  { name: 'login', kind: 'app', address: paths.login },
]
const MEMBERS: readonly Page[] = [
  { name: 'dashboard', kind: 'app', address: paths.dashboard },
  { name: 'wallet', kind: 'app', address: paths.wallet },
  { name: 'history', kind: 'app', address: paths.history },
  { name: 'profile', kind: 'app', address: paths.profile },
]

const folder = mkdtempSync(path.join(tmpdir(), 'roz-lighthouse-'))
let browser: ChildProcess | undefined
let ending: Promise<void> | undefined
/** Runs once, on a signal, a failure or the normal end. */
const end = (): Promise<void> => (ending ??= endAll())
async function endAll(): Promise<void> {
  if (browser !== undefined) await stop(browser)
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  for (const complaint of await endEverything()) console.error(complaint)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end().finally(() => process.exit(130)))

try {
  finish(await lookAtAll(), { write: !values.quick && values.only === '' })
} catch (error) {
  // After a signal, calls in flight fail: report nothing.
  if (ending === undefined) throw error
} finally {
  await end()
}

async function lookAtAll(): Promise<Look[]> {
  const roz = await startProgram({ env: { DEMO: '1' } })
  const port = await freePorts()
  browser = startChromium(port)
  const { now } = (await (await fetch(`${roz.url}/dev/clock`)).json()) as { readonly now: string }
  const yesterday = addDays(dayAt(Date.parse(now)), -1)
  const looks = await look(port, roz.url, publicPages(yesterday))
  const { output } = await ask(roz.url, 'login', { body: { email: DEMO_EMAIL, password: DEMO_PASSWORD } })
  await signIn(port, roz.url, output.token)
  return [...looks, ...(await look(port, roz.url, MEMBERS))]
}

/** Starts the system's Chromium without automation, which would disturb the measurement. */
function startChromium(port: number): ChildProcess {
  const program = process.env.CHROMIUM ?? '/usr/bin/chromium'
  return spawn(program, [...LIGHTHOUSE_FLAGS, `--remote-debugging-port=${port}`, `--user-data-dir=${folder}`, 'about:blank'], {
    stdio: 'ignore',
  })
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  if (child.exitCode === null && child.signalCode === null && child.kill('SIGTERM')) await ended
}

/** Signs a member in. Lighthouse keeps the page's storage, so the session lasts for all runs. */
async function signIn(port: number, url: string, token: string): Promise<void> {
  const connection = await chromium.connectOverCDP(`http://127.0.0.1:${port}`)
  const page = await connection.contexts()[0]?.newPage()
  if (page === undefined) throw new Error('the browser has no window')
  await page.goto(`${url}/healthz`)
  await page.evaluate((value) => localStorage.setItem('token', value), token)
  await page.close()
  await connection.close()
}

async function look(port: number, url: string, pages: readonly Page[]): Promise<Look[]> {
  const wanted = pages.filter(({ name }) => name.includes(values.only))
  const order = { port, runs: RUNS, pages: wanted.map(({ name, address }) => ({ name, url: url + address })) }
  const child = spawn(process.execPath, [path.join(ROOT, 'lab/bench/web/measure.mjs'), JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const looks: Look[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    const seen = JSON.parse(line) as Omit<Look, 'page'> & { readonly name: string }
    const page = wanted.find(({ name }) => name === seen.name)
    if (page === undefined) throw new Error(`Lighthouse looked at ${seen.name}, which was not requested`)
    if (new URL(seen.finalUrl).pathname !== page.address) throw new Error(`${page.address} led to ${seen.finalUrl}`)
    looks.push({ ...seen, page })
    process.stdout.write(
      `${seen.run}  ${seen.name}: ${Object.values(seen.scores).join(' ')}, LCP ${Math.round(seen.metrics['largest-contentful-paint'])} ms\n`,
    )
  }
  if ((await ended) !== 0) throw new Error('Lighthouse did not finish')
  return looks
}
