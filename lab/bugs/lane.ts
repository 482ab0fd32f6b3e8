/**
 * A separate checkout of one commit, into which bugs are written one at a time.
 * - The developer's checkout is never touched.
 * - The change of one bug is undone before the next one.
 * - No process that was started outlives the lane.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Bug, INTERLEAVINGS } from './bug.ts'

const WORKSPACES = ['core', 'contract', 'gateway-sandbox', 'server', 'web', 'e2e', 'verifier']
/** The files that the server and its verifiers need to run. */
export const PRODUCT = ['core', 'locales', 'contract', 'gateway-sandbox', 'server', 'verifier', 'spec'] as const
const COPIED = [
  ...PRODUCT,
  // A test compares these pages with its tables.
  'docs/decisions',
  'docs/roles.txt',
  'vitest.config.ts',
  'tsconfig.base.json',
  'package.json',
]
/** The same random histories in every run. */
const SEED = '20261121'
const TEST_MS = 45_000

type Verdict = {
  readonly failed: readonly string[]
  readonly passed: readonly string[]
  readonly seconds: number
  readonly output: string
}
type Report = {
  readonly testResults: readonly {
    readonly message: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}
type Part = { readonly tests: readonly string[]; readonly only?: string | undefined; readonly boundMs: number; readonly keepsOn?: boolean }
type Server = { readonly urls: Readonly<Record<string, string>>; readonly stop: () => Promise<void> }

export type Lane = Awaited<ReturnType<typeof openLane>>

export async function openLane(root: string, commit: string) {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'roz-bugs-')))
  copySources(root, folder, commit)
  const { startTestServer } = (await import(pathToFileURL(path.join(folder, 'server/src/testing/postgres.ts')).href)) as {
    startTestServer: () => Promise<Server>
  }
  const server = await startTestServer()
  let child: ChildProcess | undefined

  function run({ tests, only, boundMs, keepsOn = false }: Part, shares: boolean): Promise<Verdict> {
    const report = path.join(folder, 'report.json')
    rmSync(report, { force: true })
    const args = [
      'node_modules/vitest/vitest.mjs',
      'run',
      ...tests,
      '--reporter=json',
      `--outputFile=${report}`,
      `--testTimeout=${TEST_MS}`,
    ]
    const env = {
      ...process.env,
      NODE_ENV: 'test',
      TMPDIR: folder,
      ROZ_SEED: SEED,
      ROZ_SHRINK: '0',
      // Runs every pair of operations: the sample that `npm test` picks could miss the bug.
      ...(tests.every((name) => name === INTERLEAVINGS) ? { ROZ_TEST_ALL: '1' } : {}),
      // A bug in the schema needs a PostgreSQL server of its own.
      ...(shares ? { ROZ_TEST_POSTGRES: JSON.stringify(server.urls) } : {}),
    }
    const began = Date.now()
    return new Promise((resolve) => {
      child = spawn(process.execPath, [...args, ...(keepsOn ? [] : ['--bail=1']), ...(only === undefined ? [] : ['-t', only])], {
        cwd: folder,
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let output = ''
      for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text: string) => (output += text))
      const bound = setTimeout(() => child?.kill('SIGTERM'), boundMs)
      child.once('close', () => {
        clearTimeout(bound)
        child = undefined
        resolve({ ...readReport(report), seconds: (Date.now() - began) / 1000, output })
      })
    })
  }

  return {
    /** Runs the tests without a bug. */
    sound: (tests: readonly string[], boundMs: number): Promise<Verdict> => run({ tests, boundMs, keepsOn: true }, true),
    /** Runs the tests with the bug. */
    async hunt(bug: Bug, part: Part): Promise<Verdict> {
      const undo = seed(folder, bug)
      try {
        return await run(part, !bug.file.startsWith('server/migrations/'))
      } finally {
        undo()
      }
    },
    async close(): Promise<void> {
      child?.kill('SIGTERM')
      await server.stop()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Links the installed packages; our own workspaces come from the commit. */
function copySources(root: string, folder: string, commit: string): void {
  const archive = execFileSync('git', ['archive', commit, ...COPIED], { cwd: root, maxBuffer: 1 << 30 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  linkPackages(root, folder)
}

/** Gives a copy the packages of the checkout, and its own workspaces in place of the checkout's. */
export function linkPackages(root: string, folder: string): void {
  const modules = path.join(folder, 'node_modules')
  mkdirSync(path.join(modules, '@roz'), { recursive: true })
  for (const name of readdirSync(path.join(root, 'node_modules')))
    if (name !== '@roz' && !name.startsWith('.')) symlinkSync(path.join(root, 'node_modules', name), path.join(modules, name))
  for (const name of WORKSPACES) symlinkSync(path.join(folder, name), path.join(modules, '@roz', name))
}

/** The failed and passed tests by name. Of failures outside a test, only the audit's finding counts. */
function readReport(file: string): Pick<Verdict, 'failed' | 'passed'> {
  let report: Report
  try {
    report = JSON.parse(readFileSync(file, 'utf8')) as Report
  } catch {
    return { failed: [], passed: [] }
  }
  const tests = report.testResults.flatMap((result) => result.assertionResults)
  const named = (wanted: string): string[] => tests.filter(({ status }) => status === wanted).map(({ fullName }) => fullName.trim())
  const audits = report.testResults.flatMap(({ message }) => /the audit found:\n(\w+)/.exec(message)?.[1] ?? [])
  return { failed: [...named('failed'), ...audits.map((invariant) => `audit after the tests: ${invariant}`)], passed: named('passed') }
}

/** Writes a bug into the copy, and returns a function that undoes it. */
function seed(folder: string, { file, find, replace = '' }: Bug): () => void {
  const place = path.join(folder, file)
  const text = readFileSync(place, 'utf8')
  if (text.split(find).length !== 2) throw new Error(`${file} has this text ${text.split(find).length - 1} times, not once: ${find}`)
  writeFileSync(
    place,
    text.replace(find, () => replace),
  )
  return () => writeFileSync(place, text)
}
