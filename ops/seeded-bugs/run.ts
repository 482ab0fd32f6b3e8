/**
 * npm run seeded-bugs: writes each bug of the list into a copy of the sources, one at a time, and runs
 * the narrowest tests that should notice. Invariants: the checkout is never touched but for the table
 * in docs/seeded-bugs.md; without a bug the same tests pass; a bug that passes fails the run.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Bug, MODEL } from './bug.ts'
import { BUGS } from './bugs.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TABLE = path.join(ROOT, 'docs/seeded-bugs.md')
const WORKSPACES = ['core', 'contract', 'gateway-sandbox', 'server', 'web', 'e2e', 'verifier']
const COPIED = [
  'core',
  'contract',
  'gateway-sandbox',
  'server',
  'verifier',
  'spec',
  'vitest.config.ts',
  'tsconfig.base.json',
  'package.json',
]
const LEFT_OUT = /(^|\/)(node_modules|dist|\.build|\.data)(\/|$)/
const BOUND_MS = 240_000
/** The same random histories every time. */
const SEED = '20261121'
const NOT_CAUGHT = 'NOT CAUGHT'

type Verdict = { readonly failed: readonly string[]; readonly passed: number; readonly seconds: number; readonly output: string }
type Report = {
  readonly numPassedTests: number
  readonly testResults: readonly {
    readonly status: string
    readonly message: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

let child: ChildProcess | undefined
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'roz-bugs-')))
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    child?.kill('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
    process.exit(130)
  })

const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** A checkout of its own: packages are linked, our own workspaces are the copies. */
function copySources(): void {
  for (const name of COPIED)
    cpSync(path.join(ROOT, name), path.join(folder, name), {
      recursive: true,
      filter: (from) => !LEFT_OUT.test(path.relative(ROOT, from)),
    })
  const modules = path.join(folder, 'node_modules')
  mkdirSync(path.join(modules, '@roz'), { recursive: true })
  for (const name of readdirSync(path.join(ROOT, 'node_modules')))
    if (name !== '@roz' && !name.startsWith('.')) symlinkSync(path.join(ROOT, 'node_modules', name), path.join(modules, name))
  for (const name of WORKSPACES) symlinkSync(path.join(folder, name), path.join(modules, '@roz', name))
}

function runTests(test: string, only: string | undefined, long = false): Promise<Verdict> {
  const report = path.join(folder, 'report.json')
  rmSync(report, { force: true })
  const args = ['node_modules/vitest/vitest.mjs', 'run', test, '--bail=1', '--reporter=json', `--outputFile=${report}`]
  const began = Date.now()
  return new Promise((resolve) => {
    const env = {
      ...process.env,
      NODE_ENV: 'test',
      TMPDIR: folder,
      ROZ_SEED: SEED,
      ROZ_SHRINK: '0',
      ...(long ? { ROZ_TEST_ALL: '1' } : {}),
    }
    child = spawn(process.execPath, only === undefined ? args : [...args, '-t', only], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text: string) => (output += text))
    const bound = setTimeout(() => child?.kill('SIGTERM'), BOUND_MS)
    child.once('close', () => {
      clearTimeout(bound)
      resolve({ ...readReport(report), seconds: (Date.now() - began) / 1000, output })
    })
  })
}

/** Failed tests by name; a file that fails outside its tests counts only by the audit's word. */
function readReport(file: string): Pick<Verdict, 'failed' | 'passed'> {
  let report: Report
  try {
    report = JSON.parse(readFileSync(file, 'utf8')) as Report
  } catch {
    return { failed: [], passed: 0 }
  }
  const tests = report.testResults.flatMap((result) => result.assertionResults)
  const failed = tests.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName.trim())
  const audits = report.testResults.flatMap(({ message }) => /the audit found:\n(\w+)/.exec(message)?.[1] ?? [])
  return { failed: [...failed, ...audits.map((invariant) => `audit after the tests: ${invariant}`)], passed: report.numPassedTests }
}

/** Writes a bug into the copy, and gives what takes it out again. */
function seed({ file, find, replace }: Bug): () => void {
  const place = path.join(folder, file)
  const text = readFileSync(place, 'utf8')
  if (text.split(find).length !== 2) throw new Error(`${file} has this text ${text.split(find).length - 1} times, not once: ${find}`)
  writeFileSync(
    place,
    text.replace(find, () => replace),
  )
  return () => writeFileSync(place, text)
}

/** Each part of the suite once without any bug: what fails there proves nothing. */
async function baseline(parts: Iterable<Pick<Bug, 'test' | 'only'>>): Promise<ReadonlySet<string>> {
  const sound = new Set<string>()
  for (const part of parts) {
    const { failed, passed, seconds, output } = await runTests(part.test, part.only)
    const isSound = failed.length === 0 && passed > 0
    if (isSound) sound.add(nameOf(part))
    say(`${isSound ? '✓' : '✗'} without a bug: ${nameOf(part)} (${passed} passed, ${seconds.toFixed(1)} s)`)
    if (!isSound) say([...failed, output.slice(-2000)].join('\n'))
  }
  return sound
}
const nameOf = ({ test, only }: Pick<Bug, 'test' | 'only'>): string => (only === undefined ? test : `${test} -t '${only}'`)

const wanted = process.argv.slice(2)
const bugs = BUGS.filter(({ name, file }) => wanted.length === 0 || wanted.some((word) => `${name} ${file}`.includes(word)))
const rows = readRows()
let missed = 0
try {
  copySources()
  const sound = await baseline(new Map(bugs.map((bug) => [nameOf(bug), bug])).values())
  for (const [index, bug] of bugs.entries()) {
    const undo = seed(bug)
    const { failed, seconds, output } = await runTests(bug.test, bug.only, bug.test === MODEL)
    undo()
    const caught = sound.has(nameOf(bug)) && failed[0] !== undefined
    if (!caught) {
      missed++
      say(output.slice(-1500))
    }
    const by = failed[0] ?? NOT_CAUGHT
    say(`${caught ? '✓' : '✗'} ${index + 1}/${bugs.length} ${bug.name} · ${bug.test} · ${by} (${seconds.toFixed(1)} s)`)
    const cell = (text: string): string => text.replaceAll('|', '\\|')
    rows.set(cell(bug.name), `\`${bug.file}\` | \`${path.basename(bug.test)}\`: ${cell(by)} | ${seconds.toFixed(1)} |`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
writeFileSync(TABLE, page())
say(`${bugs.length - missed} of ${bugs.length} bugs caught`)
process.exit(missed === 0 ? 0 : 1)

/** What earlier runs found, by the bug's name: a run of some leaves the others as they were. */
function readRows(): Map<string, string> {
  const text = existsSync(TABLE) ? readFileSync(TABLE, 'utf8') : ''
  return new Map([...text.matchAll(/^\| \d+ \| (.+?) \| (`.+)$/gm)].map((match) => [match[1] ?? '', match[2] ?? '']))
}

function page(): string {
  const lines = BUGS.map(({ name }, index) => `| ${index + 1} | ${name} | ${rows.get(name) ?? 'not run | | |'}`)
  const caught = BUGS.filter(({ name }) => rows.has(name) && !rows.get(name)?.includes(NOT_CAUGHT)).length
  return `# Seeded bugs

Each of these was written into a copy of the sources, one at a time, and the test named beside it failed: ${caught} of ${BUGS.length} caught.
The list is [ops/seeded-bugs](../ops/seeded-bugs/bugs.ts). \`npm run seeded-bugs\` runs it and writes this page; with a word
(\`npm run seeded-bugs -- refund\`) it runs those whose name or file has the word and leaves the other rows. Seconds include starting a PostgreSQL for each.

| # | Bug | Where | Caught by | Seconds |
|---|---|---|---|---|
${lines.join('\n')}
`
}
