/**
 * npm test. Installs what is missing, the browser included, then types, lint, format and every test.
 * Invariants: no process and no temporary file outlives it; its last line counts everything, and its
 * exit code agrees with that line.
 */
import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { check } from './check.mjs'
import { install } from './install.mjs'
import { findNode } from './node26.mjs'
import { allEnded, isStopping, LaunchError, run, say, stopOnSignals, sweep } from './processes.mjs'
import { ensureChromium, ensurePython } from './programs.mjs'
import { buildWeb } from './web.mjs'

const args = process.argv.slice(2)
const filters = args.filter((arg) => arg !== '--all')
// Everything a test makes lies below this folder, and everything it starts carries the mark.
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'roz-test-')))
chmodSync(folder, 0o711)
const mark = `ROZ_TEST_RUN=${path.basename(folder)}`

stopOnSignals(async () => {
  await Promise.race([allEnded(), sweep(mark, folder)])
  await end(130, 'stopped before the end')
})

try {
  const { passed, failed } = await all()
  if (!isStopping()) await end(failed === 0 ? 0 : 1, `${passed} passed, ${failed} failed`)
} catch (error) {
  if (!isStopping()) {
    say(error instanceof LaunchError ? error.message : String(error.stack))
    await end(1, '0 passed, 1 failed')
  }
}

async function all() {
  await install()
  const node = findNode()
  const chromium = await ensureChromium()
  await ensurePython()
  const outcomes = []
  const web = await buildWeb(node).catch((error) => {
    // Everything that needs no page can still be tested.
    if (!(error instanceof LaunchError)) throw error
    say(error.message)
    outcomes.push({ passed: 0, failed: 1 })
    return undefined
  })
  if (filters.length === 0) outcomes.push(await check(node))
  if (!isStopping()) outcomes.push(await vitest(node, { chromium, web }))
  const sum = (name) => outcomes.reduce((total, outcome) => total + outcome[name], 0)
  return { passed: sum('passed'), failed: sum('failed') }
}

async function vitest(node, { chromium, web }) {
  const report = path.join(folder, 'report.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { code } = await run(node, ['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...filters], {
    env: {
      ...process.env,
      NODE_ENV: 'test',
      ROZ_TEST_RUN: path.basename(folder),
      TMPDIR: folder,
      ...(web === undefined ? {} : { WEB_DIR: web }),
      ...(chromium === undefined ? {} : { CHROMIUM: chromium }),
      ...(args.includes('--all') ? { ROZ_TEST_ALL: '1' } : {}),
    },
  })
  if (isStopping()) return { passed: 0, failed: 0 }
  const { numPassedTests: passed, numFailedTests: failed } = readReport(report)
  // A file that does not load, or an error outside every test, fails the run without failing a test.
  return { passed, failed: code === 0 ? failed : Math.max(1, failed) }
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return { numPassedTests: 0, numFailedTests: 1 }
  }
}

async function end(code, lastLine) {
  const left = await sweep(mark, folder)
  if (left > 0 && code === 0) say(`Ended ${left} process(es) that tests had left behind.`)
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  say(lastLine)
  process.exit(code)
}
