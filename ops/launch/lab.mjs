/**
 * `npm run lab -- <work>`: measurements, fault injection and other long work by which we know that Roz does what it says (lab/).
 * - It installs what the work needs, builds the pages for work that shows them, and runs it on the pinned Node.
 * - The work gets every further argument. Without a name the list is printed.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { install } from './install.mjs'
import { findNode } from './node26.mjs'
import { allEnded, isStopping, LaunchError, ROOT, run, say, stopOnSignals } from './processes.mjs'
import { ensureChromium } from './programs.mjs'
import { buildWeb } from './web.mjs'

/** The exit code if the work could not be run. */
const NOT_RUN = 2

/** `beside`: a folder with packages of its own. `pages`: it needs the built pages. */
const WORK = {
  bench: {
    file: 'lab/bench/run.ts',
    beside: 'lab/bench/peer',
    says: 'the speed as ratios to pgbench, an empty handler and a comparable server',
  },
  sizes: { file: 'lab/bench/sizes.ts', says: 'a day of one and of ten million members' },
  web: { file: 'lab/bench/web.ts', beside: 'lab/bench/web', pages: true, says: 'pages and screens with Lighthouse, as a phone on slow 4G' },
  archive: { file: 'lab/bench/archive-month.ts', says: 'a month of entries on its way to a file and back' },
  traces: { file: 'lab/bench/traces.ts', says: 'joins per second without and with traces' },
  verifier: { file: 'lab/bench/verifier.ts', pages: true, says: 'the verifier on a day of one and of ten million entries' },
  faults: { file: 'lab/faults/main.ts', pages: true, says: 'faults under load; --instances 2 or --cluster for more than one server' },
  month: {
    file: 'lab/month/main.ts',
    pages: true,
    says: 'a month of payments and AutoPay with every fault of the gateway, met by gateway and bank',
  },
  cluster: { file: 'lab/cluster/main.ts', pages: true, says: 'three nodes of PostgreSQL, Patroni, etcd and Roz on this machine' },
  upgrade: { file: 'lab/upgrade/main.ts', pages: true, says: 'an upgrade under load, back, and forward again' },
  fuzz: { file: 'lab/fuzz/main.ts', pages: true, says: 'requests made from the contract, valid and wrong in every way' },
  interleavings: { file: 'lab/interleavings.ts', says: 'each pair of money operations, the first paused after each statement' },
  sdk: { file: 'lab/sdk/main.ts', beside: 'lab/sdk', says: "the gateway's own SDK as a client of the gateway sandbox" },
  bugs: { file: 'lab/bugs/run.ts', says: 'seeded bugs in SQL, locks and money, and the test that catches each' },
  mutations: {
    file: 'lab/mutations/run.ts',
    beside: 'lab/mutations',
    says: 'Stryker changes core, contract and verifier; whether a test notices',
  },
  screenshots: { file: 'lab/screenshots/main.ts', pages: true, says: "the pictures of README.md and the operator's guide" },
}

const [name, ...args] = process.argv.slice(2)
const work = Object.hasOwn(WORK, name ?? '') ? WORK[name] : undefined
if (work === undefined) {
  const width = Math.max(...Object.keys(WORK).map((one) => one.length))
  say(['npm run lab -- <work> [words]', ...Object.entries(WORK).map(([one, { says }]) => `  ${one.padEnd(width)}  ${says}`)].join('\n'))
  process.exit(name === undefined || name === '--help' ? 0 : NOT_RUN)
}

stopOnSignals(async () => {
  await allEnded()
  process.exit(130)
})

/** A relative path refers to the folder where the command was typed, while the work runs in the checkout. */
const resolved = (setting) => (process.env[setting] ? { [setting]: path.resolve(process.env[setting]) } : {})

try {
  await install()
  if (work.beside !== undefined) await installBeside(path.join(ROOT, work.beside))
  const node = findNode()
  const pages = work.pages ? { WEB_DIR: process.env.WEB_DIR || (await buildWeb(node)) } : {}
  const browser = name === 'web' ? { CHROMIUM: await ensureChromium() } : {}
  if (!isStopping()) {
    const cache = { NODE_COMPILE_CACHE: path.join(ROOT, '.build', 'compile-cache') }
    const env = { ...process.env, ...pages, ...browser, ...resolved('DATA_DIR'), ...cache }
    const { code } = await run(node, [work.file, ...args], { env, stdio: 'inherit' })
    process.exit(code ?? NOT_RUN)
  }
} catch (error) {
  if (!(error instanceof LaunchError)) throw error
  say(error.message)
  process.exit(NOT_RUN)
}

/** Installs into a folder of its own, so that people who only run Roz do not install these packages. Runs once per lockfile. */
async function installBeside(cwd) {
  const lockfile = readFileSync(path.join(cwd, 'package-lock.json'), 'utf8')
  const stamp = path.join(cwd, 'node_modules', '.roz-installed')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lockfile) return
  const npm = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  const { code, output } = await run('npm', npm, { cwd, quiet: true })
  if (code !== 0) throw new LaunchError(output)
  writeFileSync(stamp, lockfile)
}
