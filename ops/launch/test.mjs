/**
 * `npm test`: installs what is missing, the browser included, then checks types, lint and format and runs the tests.
 * - Files `*.all.test.ts` run with `npm run test:all`, or if a filter matches their path.
 * - No process and no temporary file outlives the run. A process that a test leaves running counts as a failure.
 * - `npm run test:watch` repeats the tests of what changes, until Ctrl-C.
 * - The last line counts everything, and the exit code agrees with it.
 */
import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { check } from './check.mjs'
import { unpackDebian } from './debian.mjs'
import { install } from './install.mjs'
import { findNode } from './node26.mjs'
import { allEnded, isStopping, LaunchError, run, say, stillThere, stopOnSignals, sweep } from './processes.mjs'
import { ensureChromium, ensurePython, ensureShell } from './programs.mjs'
import { temporaryFolder } from './temporary.mjs'
import { buildWeb } from './web.mjs'

const args = process.argv.slice(2)
const isWatch = args.includes('--watch')
const filters = args.filter((arg) => arg !== '--all' && arg !== '--watch')
// All files of the tests are below this folder, and all processes that they start carry the mark.
const folder = realpathSync(mkdtempSync(path.join(temporaryFolder(), 'roz-test-')))
chmodSync(folder, 0o711)
const LAST_BREATH_MS = 5000
const mark = `ROZ_TEST_RUN=${path.basename(folder)}`

stopOnSignals(async () => {
  await Promise.race([allEnded(), sweep(mark, folder)])
  await sweep(mark, folder)
  leave(130, 'stopped before all tests had run')
})

try {
  const outcome = await all()
  if (!isStopping()) await end(outcome)
} catch (error) {
  if (!isStopping()) {
    say(error instanceof LaunchError ? error.message : String(error.stack))
    await end({ passed: 0, failed: 1 })
  }
}

async function all() {
  await install()
  const node = findNode()
  const chromium = await ensureChromium()
  const shell = await ensureShell()
  await ensurePython()
  const debian = args.includes('--all') ? await unpackDebian() : undefined
  const isWhole = filters.length === 0 && !isWatch
  const outcomes = []
  // Beside the build and the first tests, which leave a core idle.
  const checking = isWhole ? check(node) : { passed: 0, failed: 0 }
  // For a filter, the global setup of the tests that open a page builds them (e2e/harness/first-data-setup.ts).
  const web = isWhole || args.includes('--all') ? await pages(node, outcomes) : undefined
  if (!isStopping()) outcomes.push(await vitest(node, { chromium, shell, web, debian }))
  outcomes.push(await checking)
  const sum = (name) => outcomes.reduce((total, outcome) => total + outcome[name], 0)
  return { passed: sum('passed'), failed: sum('failed') }
}

/** The tests that need no page run even if the build fails. */
function pages(node, outcomes) {
  return buildWeb(node).catch((error) => {
    if (!(error instanceof LaunchError)) throw error
    say(error.message)
    outcomes.push({ passed: 0, failed: 1 })
    return undefined
  })
}

async function vitest(node, { chromium, shell, web, debian }) {
  const report = path.join(folder, 'report.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const words = isWatch ? ['watch'] : ['run', ...reporters]
  const { code } = await run(node, ['node_modules/vitest/vitest.mjs', ...words, ...filters], {
    ...(isWatch ? { stdio: 'inherit' } : {}),
    env: {
      ...process.env,
      NODE_ENV: 'test',
      ROZ_TEST_RUN: path.basename(folder),
      TMPDIR: folder,
      ...(web === undefined ? {} : { WEB_DIR: web }),
      ...(chromium === undefined ? {} : { CHROMIUM: chromium }),
      ...(shell === undefined ? {} : { CHROMIUM_SHELL: shell }),
      ...(debian === undefined ? {} : { DEBIAN_PROGRAMS: debian }),
      ...(args.includes('--all') ? { ROZ_TEST_ALL: '1' } : {}),
      ...(args.length === 0 ? { ROZ_TEST_SHORT: '1' } : {}),
    },
  })
  if (isStopping() || isWatch) return { passed: 0, failed: 0 }
  const { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped = 0 } = readReport(report)
  if (skipped > 0)
    say(
      `${skipped} tests were skipped${args.includes('--all') ? '' : ': npm run test:all runs the longest, and those that need a Debian program'}.`,
    )
  // A file that does not load, or an error outside a test, fails the run without a failed test.
  return { passed, failed: code === 0 ? failed : Math.max(1, failed) }
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return { numPassedTests: 0, numFailedTests: 1 }
  }
}

/** Processes that are about to end after the last test get 5 s. */
async function end({ passed, failed }) {
  const left = await stillThere(mark, folder, LAST_BREATH_MS)
  if (left.length > 0) say(['These processes outlived their tests, which counts as a failure:', ...left].join('\n  '))
  await sweep(mark, folder)
  const failures = failed + (left.length > 0 ? 1 : 0)
  const seconds = Math.round(performance.now() / 1000)
  say(`${Math.floor(seconds / 60)} min ${seconds % 60} s on ${availableParallelism()} processors`)
  leave(failures === 0 ? 0 : 1, `${passed} passed, ${failures} failed`)
}

function leave(code, lastLine) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  say(lastLine)
  process.exit(code)
}
