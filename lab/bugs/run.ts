/**
 * `npm run lab -- bugs`: writes each bug into a copy of the commit, one at a time, and runs the tests that should catch it.
 * - The bug's own tests run first, then the wider set.
 * - The checkout is not written.
 * - A test counts only if it passes without the bug. A bug that no test catches fails the run.
 *
 *   npm run lab -- bugs -- [words] [--lanes 2] [--minutes 30]
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Bug, fileOf, testOf, WIDER } from './bug.ts'
import { BUGS } from './bugs.ts'
import { type Lane, openLane } from './lane.ts'

type Row = {
  /** The test that caught the bug, or undefined if none did. */
  readonly by: string | undefined
  readonly file: string
  /** A test of the wider set caught the bug, and not the test that was meant to. */
  readonly wider: boolean
  readonly seconds: number
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const NARROW_MS = 240_000
const WIDER_MS = 600_000
const SOUND_MS = 900_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    lanes: { type: 'string', default: '2' },
    minutes: { type: 'string', default: '60' },
  },
})
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const began = performance.now()
const seconds = (): number => (performance.now() - began) / 1000

const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim()
const wanted = BUGS.filter(({ name, file }) => positionals.length === 0 || positionals.some((word) => `${name} ${file}`.includes(word)))
const waiting = [...wanted]
const rows: Row[] = []

let stopped = false
const lanes: Lane[] = []
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    stopped = true
    void Promise.all(lanes.map((lane) => lane.close())).then(() => process.exit(130))
  })
const goesOn = (): boolean => !stopped && seconds() < Number(values.minutes) * 60

/** The names of the tests that pass without any bug: a test that fails there proves nothing. Each file runs once. */
const sound = new Map<string, Promise<ReadonlySet<string>>>()
function soundOf(lane: Lane, file: string): Promise<ReadonlySet<string>> {
  const known = sound.get(file) ?? learnSound(lane, file)
  sound.set(file, known)
  return known
}

async function learnSound(lane: Lane, file: string): Promise<ReadonlySet<string>> {
  const { passed, failed, seconds: took, output } = await lane.sound([file], SOUND_MS)
  say(`${failed.length === 0 && passed.length > 0 ? '✓' : '✗'} without a bug: ${file} (${passed.length} passed, ${took.toFixed(1)} s)`)
  if (failed.length > 0 || passed.length === 0) say([...failed, output.slice(-1500)].join('\n'))
  return new Set(passed)
}

/** The first failure that the bug caused. */
async function hunt(lane: Lane, bug: Bug): Promise<Row> {
  const test = testOf(bug)
  const passing = await soundOf(lane, test)
  const narrow = await lane.hunt(bug, { tests: [test], only: bug.only, boundMs: NARROW_MS })
  const by = narrow.failed.find((name) => passing.has(name) || name.startsWith('audit after'))
  if (by !== undefined || stopped) return { by, file: test, wider: false, seconds: narrow.seconds }
  const wide = await lane.hunt(bug, { tests: WIDER, boundMs: WIDER_MS })
  const took = narrow.seconds + wide.seconds
  if (wide.failed[0] === undefined) say([narrow.output.slice(-800), wide.output.slice(-800)].join('\n'))
  return { by: wide.failed[0], file: 'the wider set', wider: true, seconds: took }
}

async function work(lane: Lane): Promise<void> {
  for (let bug = waiting.shift(); bug !== undefined && goesOn(); bug = waiting.shift()) {
    const row = await hunt(lane, bug)
    if (stopped) return
    rows.push(row)
    const mark = row.by === undefined ? '✗ NOT CAUGHT' : row.wider ? '✓ only by a wider test' : '✓'
    say(
      `[${rows.length}/${wanted.length}, ${(seconds() / 60).toFixed(1)} min] ${mark} ${bug.name} · ${fileOf(row.file)}: ${row.by ?? ''} (${row.seconds.toFixed(1)} s)`,
    )
  }
}

say(`${wanted.length} bugs at commit ${commit.slice(0, 12)}`)
try {
  for (let n = 0; n < Math.min(Number(values.lanes), wanted.length); n++) lanes.push(await openLane(ROOT, commit))
  await Promise.all(lanes.map((lane) => work(lane)))
} finally {
  await Promise.all(lanes.splice(0).map((lane) => lane.close()))
}

const caught = rows.filter(({ by }) => by !== undefined)
say(
  `${caught.length} of ${wanted.length} bugs caught${rows.length < wanted.length ? `, ${wanted.length - rows.length} not run` : ''}, ${(seconds() / 60).toFixed(1)} minutes`,
)
process.exit(caught.length === wanted.length ? 0 : 1)
