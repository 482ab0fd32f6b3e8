/**
 * `npm run lab -- bugs`: writes each bug into a copy of the commit, one at a time, and runs the tests that should catch it.
 * - The bug's own tests run first, then the wider set.
 * - Of the checkout, only .build/ is written: its file has a row for each bug, with the test that caught it.
 * - A test counts only if it passes without the bug. A bug that no test catches fails the run.
 * - Finished rows are stored in .build/: an interrupted run continues at the same commit.
 *
 *   npm run lab -- bugs -- [words] [--lanes 2] [--minutes 30] [--anew]
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Bug, fileOf, WIDER } from './bug.ts'
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
const KEPT = path.join(ROOT, '.build', 'seeded-bugs.json')
const NARROW_MS = 240_000
const WIDER_MS = 600_000
const SOUND_MS = 900_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    lanes: { type: 'string', default: '2' },
    minutes: { type: 'string', default: '60' },
    anew: { type: 'boolean', default: false },
  },
})
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const began = performance.now()
const seconds = (): number => (performance.now() - began) / 1000

/** The results stored between runs, for this commit and for each bug's text at that time. */
type Kept = { commit: string; seconds: number; sound: string[]; rows: Record<string, Row & { readonly bug: string }> }
const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim()
const hashOf = (bug: Bug): string => createHash('sha256').update(JSON.stringify(bug)).digest('hex').slice(0, 16)

function readKept(): Kept {
  const none: Kept = { commit, seconds: 0, sound: [], rows: {} }
  if (values.anew) return none
  try {
    const kept = JSON.parse(readFileSync(KEPT, 'utf8')) as Kept
    return kept.commit === commit ? kept : none
  } catch {
    return none
  }
}
const kept = readKept()
const secondsBefore = kept.seconds
function keep(): void {
  kept.seconds = secondsBefore + seconds()
  mkdirSync(path.dirname(KEPT), { recursive: true })
  writeFileSync(KEPT, JSON.stringify(kept))
}

const wanted = BUGS.filter(({ name, file }) => positionals.length === 0 || positionals.some((word) => `${name} ${file}`.includes(word)))
const isDone = (bug: Bug): boolean => kept.rows[bug.name]?.bug === hashOf(bug)
const waiting = wanted.filter((bug) => !isDone(bug))
const soundOf = (file: string): Set<string> => new Set(kept.sound.filter((line) => line.startsWith(`${file} `)))

let stopped = false
const lanes: Lane[] = []
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    stopped = true
    void Promise.all(lanes.map((lane) => lane.close())).then(() => process.exit(130))
  })
const goesOn = (): boolean => !stopped && seconds() < Number(values.minutes) * 60

/** Each test file runs once without any bug: a test that fails there proves nothing. */
const learning = new Map<string, Promise<void>>()
function learnOnce(lane: Lane, file: string): Promise<void> {
  const known = learning.get(file) ?? (soundOf(file).size > 0 ? Promise.resolve() : learnSound(lane, file))
  learning.set(file, known)
  return known
}

async function learnSound(lane: Lane, file: string): Promise<void> {
  const { passed, failed, seconds: took, output } = await lane.sound([file], SOUND_MS)
  say(`${failed.length === 0 && passed.length > 0 ? '✓' : '✗'} without a bug: ${file} (${passed.length} passed, ${took.toFixed(1)} s)`)
  if (failed.length > 0 || passed.length === 0) say([...failed, output.slice(-1500)].join('\n'))
  kept.sound.push(...passed.map((name) => `${file} ${name}`), `${file} audit`)
  keep()
}

/** The first failure that the bug caused. */
async function hunt(lane: Lane, bug: Bug): Promise<Row> {
  const narrow = await lane.hunt(bug, { tests: [bug.test], only: bug.only, boundMs: NARROW_MS })
  const sound = soundOf(bug.test)
  const by = narrow.failed.find((name) => sound.has(`${bug.test} ${name}`) || name.startsWith('audit after'))
  if (by !== undefined || stopped) return { by, file: bug.test, wider: false, seconds: narrow.seconds }
  const wide = await lane.hunt(bug, { tests: WIDER, boundMs: WIDER_MS })
  const took = narrow.seconds + wide.seconds
  if (wide.failed[0] === undefined) say([narrow.output.slice(-800), wide.output.slice(-800)].join('\n'))
  return { by: wide.failed[0], file: 'the wider set', wider: true, seconds: took }
}

async function work(lane: Lane, files: string[], bugs: Bug[]): Promise<void> {
  for (let file = files.shift(); file !== undefined && goesOn(); file = files.shift()) await learnOnce(lane, file)
  for (let bug = bugs.shift(); bug !== undefined && goesOn(); bug = bugs.shift()) {
    await learnOnce(lane, bug.test)
    const row = await hunt(lane, bug)
    if (stopped) return
    kept.rows[bug.name] = { ...row, bug: hashOf(bug) }
    keep()
    const done = wanted.filter(isDone).length
    const mark = row.by === undefined ? '✗ NOT CAUGHT' : row.wider ? '✓ only by a wider test' : '✓'
    say(
      `[${done}/${wanted.length}, ${(seconds() / 60).toFixed(1)} min] ${mark} ${bug.name} · ${fileOf(row.file)}: ${row.by ?? ''} (${row.seconds.toFixed(1)} s)`,
    )
  }
}

say(`${wanted.length} bugs at commit ${commit.slice(0, 12)}, ${wanted.length - waiting.length} of them already run`)
const files = [...new Set(waiting.map(({ test }) => test))].filter((file) => soundOf(file).size === 0)
try {
  for (let n = 0; n < Math.min(Number(values.lanes), waiting.length); n++) lanes.push(await openLane(ROOT, commit))
  await Promise.all(lanes.map((lane) => work(lane, files, waiting)))
} finally {
  await Promise.all(lanes.splice(0).map((lane) => lane.close()))
}

const done = wanted.filter(isDone)
const caught = done.filter(({ name }) => kept.rows[name]?.by !== undefined)
say(
  `${caught.length} of ${wanted.length} bugs caught${done.length < wanted.length ? `, ${wanted.length - done.length} not run` : ''}, ${(seconds() / 60).toFixed(1)} minutes`,
)
process.exit(caught.length === wanted.length ? 0 : 1)
