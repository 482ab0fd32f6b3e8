/**
 * `npm run lab -- sizes`: measures one day of a community of 1 million, then of 10 million members, in one database.
 *
 * - Each step of a day must grow in proportion to the members, and no transaction may grow with them.
 * - It writes the figures of docs/sizes.md. `--sizes 10000,100000` measures other sizes and writes nothing.
 * - Ten million take 25 GB of disk and about an hour.
 */
import { cpus } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { lockSession, unlockSession } from '@roz/server/db/advisory-locks.ts'
import { type IstDay, nextDay } from '@roz/core/ist-day.ts'
import { type Sql, sql } from '@roz/server/db/sql.ts'
import { inClockwork } from '@roz/server/ledger/round-lock.ts'
import { closeRound } from '@roz/server/ledger/rounds.ts'
import { voidRound } from '@roz/server/ledger/settlement.ts'
import { appendRecord } from '@roz/server/transparency-log/records.ts'
import { measuredHere, writeFigures } from '../page.ts'
import { complaints, type Program, ROOT, startProduct } from './processes.ts'
import { passDay, today } from './days.ts'
import { watchDatabase } from './longest.ts'
import { addMembers, cpuMsOf, leaveOutAudits, memberAt, openSetUp, type SetUp } from './set-up.ts'
import { type Size, type Step, tableOf } from './sizes-results.ts'
import { runWatched } from './watched-program.ts'

const { values } = parseArgs({
  options: { sizes: { type: 'string' } },
})
const sizes = (values.sizes ?? '1000000,10000000').split(',').map(Number)
/** Members added by one statement: below its time limit. */
const ADDED_AT_ONCE = 250_000
/** A usual balance, of one top-up. It decides how many parts the liabilities have: three or four for a member. */
const BALANCE_PAISE = 1_500
const DAY_MAX_MS = 3_600_000
/** Exit codes of the verifier: PASS, and WEAK, which a draw without a beacon and without witnesses always is. */
const SOUND = [0, 3]

const began = performance.now()
const say = (text: string): void => {
  process.stdout.write(`${((performance.now() - began) / 1000).toFixed(0).padStart(5)} s  ${text}\n`)
}

/** Processor time of the whole machine so far in ms, without idle time. */
const busyMs = (): number => cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0)

/** `ownMs`: processor time so far of all measured programs. The result gives the cores that others took since, on average. */
function watchOtherLoad(ownMs: () => number): () => number {
  const [busy, own, since] = [busyMs(), ownMs(), performance.now()]
  return () => Math.max(0, (busyMs() - busy - (ownMs() - own)) / (performance.now() - since))
}

const setUp = await openSetUp({ makesBooks: true })
await leaveOutAudits(setUp.root)
let product: Program | undefined
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end().finally(() => process.exit(130)))

async function end(): Promise<void> {
  await product?.stop()
  product = undefined
  await setUp.stop()
}

/** One day in which Auto Participate joins every member. Each size has its own server, so its memory is measured separately. */
async function measure(members: number, before: number): Promise<Size> {
  for (let from = before; from < members; from += ADDED_AT_ONCE) {
    const to = Math.min(members, from + ADDED_AT_ONCE)
    await addMembers(setUp, from, to, { autoJoin: true, sessions: false, balance: BALANCE_PAISE })
    if (to % 1_000_000 === 0) say(`${to} members are there`)
  }
  await setUp.root.query(sql`vacuum analyze wallet`)
  await setUp.root.query(sql`vacuum analyze ticket_key`)
  await setUp.root.query(sql`checkpoint`)
  // The books are measured by themselves: otherwise they would share the processor with the other steps.
  const { server, joined } = await withoutBooks(async () => {
    const started = await startProduct(setUp)
    product = started
    // The previous size ended in the middle of a day. The new server catches that day up while it serves.
    const day = await today(setUp)
    while (!(await readState(day, day)).joined) await sleep(50)
    return { server: started, joined: await stepsOfDay(started, ['auto-join']) }
  })
  const books = await booksOf(server)
  await halve(members)
  const drawn = await today(setUp)
  const settled = await withoutBooks(() => stepsOfDay(server, ['close', 'list and seal', 'draw', 'settle']))
  await untilBooks()
  const verification = await verify(server, drawn)
  const voided = await voidToday(server)
  const peakMb = server.peakMb()
  await server.stop()
  product = undefined
  await joinAgain(members)
  const { bytes } = await setUp.root.one<{ bytes: number }>(sql`select pg_database_size(current_database())::float8 as bytes`)
  say(`${members} members: peak memory of the server ${peakMb.toFixed(0)} MB, database ${(bytes / 1e9).toFixed(1)} GB`)
  return { members, steps: [...joined, ...settled, ...books, ...voided], verification, peakMb, databaseBytes: bytes }
}

const withoutBooks = <T>(work: () => Promise<T>): Promise<T> =>
  setUp.root.withConnection(async (holder) => {
    await lockSession(holder, 'books')
    try {
      return await work()
    } finally {
      await unlockSession(holder, 'books')
    }
  })

const walBytes = async ({ root }: SetUp): Promise<number> =>
  (await root.one<{ at: number }>(sql`select (pg_current_wal_lsn() - '0/0')::float8 as at`)).at

type State = {
  readonly closed: boolean
  readonly sealed: boolean
  readonly drawn: boolean
  readonly settled: boolean
  readonly joined: boolean
}
/** The steps in order, each with the query that shows its end. */
const STEPS: readonly [string, keyof State][] = [
  ['close', 'closed'],
  ['list and seal', 'sealed'],
  ['draw', 'drawn'],
  ['settle', 'settled'],
  ['auto-join', 'joined'],
]

/** Passes midnight. Measures each step of the day that ended, and the auto-join of the new one; returns the requested steps. */
async function stepsOfDay(server: Program, names: readonly string[]): Promise<Step[]> {
  const day = await today(setUp)
  const steps: Step[] = []
  const watch = watchDatabase(setUp)
  let [since, wal, cpu] = [performance.now(), await walBytes(setUp), server.cpuMs() + setUp.databaseCpuMs()]
  const passing = passDay(setUp, server, DAY_MAX_MS)
  // Its failure is thrown below: until then the steps are watched.
  passing.catch(() => undefined)
  for (const [name, sign] of STEPS) {
    while (!(await readState(day))[sign]) await sleep(20)
    const [now, written, spent] = [performance.now(), await walBytes(setUp), server.cpuMs() + setUp.databaseCpuMs()]
    const step = {
      name,
      seconds: (now - since) / 1000,
      cpuSeconds: (spent - cpu) / 1000,
      walBytes: written - wal,
      longestSeconds: watch.take(),
    }
    if (names.includes(name)) {
      steps.push(step)
      say(`${name}: ${step.seconds.toFixed(2)} s, longest transaction ${step.longestSeconds.toFixed(2)} s`)
    }
    ;[since, wal, cpu] = [now, written, spent]
    if (steps.length === names.length) break
  }
  watch.stop()
  await passing
  return steps
}

const readState = (day: IstDay, next = nextDay(day)): Promise<State> =>
  setUp.root.one<State>(sql`select status <> 'open' as closed, root is not null or status = 'void' as sealed,
               status in ('drawn', 'settled', 'void') as drawn, status in ('settled', 'void') as settled,
               exists (select from auto_join_told where day = ${next}::date) as joined
          from round where day = ${day}::date`)

/** Measures `work`, from its call until it ends, as a step. */
async function measured(server: Program, name: string, work: () => Promise<unknown>): Promise<Step> {
  const watch = watchDatabase(setUp)
  const [since, wal, cpu] = [performance.now(), await walBytes(setUp), server.cpuMs() + setUp.databaseCpuMs()]
  await work()
  watch.stop()
  const step: Step = {
    name,
    seconds: (performance.now() - since) / 1000,
    cpuSeconds: (server.cpuMs() + setUp.databaseCpuMs() - cpu) / 1000,
    walBytes: (await walBytes(setUp)) - wal,
    longestSeconds: watch.take(),
  }
  say(`${name}: ${step.seconds.toFixed(2)} s, longest transaction ${step.longestSeconds.toFixed(2)} s`)
  return step
}

/** Waits until each day that is over has its books. */
async function untilBooks(): Promise<void> {
  const day = await today(setUp)
  const left = sql`select from round where day < ${day}::date and not exists (select from books_day b where b.day = round.day)`
  while ((await setUp.root.query(left)).length > 0) await sleep(50)
}

/** The books and liabilities of the day that is over: every member has a balance at its end. */
const booksOf = async (server: Program): Promise<Step[]> => [await measured(server, 'books and liabilities of a day', untilBooks)]

/** The verifier reads the whole day from the server, as anybody can. */
async function verify(server: Program, day: IstDay): Promise<Size['verification']> {
  const cli = path.join(ROOT, 'verifier', 'src', 'cli.ts')
  const { out, ...run } = await runWatched(cli, [`http://127.0.0.1:${server.port}/api/public`, day])
  say(`verification of ${day}: ${run.seconds.toFixed(1)} s, ${run.peakMb.toFixed(0)} MB, exit code ${run.exitCode}`)
  if (!SOUND.includes(run.exitCode)) process.stdout.write(`${out}\n`)
  return run
}

/** From the next midnight on every second member has Auto Participate off. */
const halve = (members: number): Promise<void> => setAutoJoin(members, sql`auto_join = false`)
const joinAgain = (members: number): Promise<void> => setAutoJoin(members, sql`auto_join = true`)

async function setAutoJoin(members: number, set: Sql): Promise<void> {
  for (let from = 0; from < members; from += ADDED_AT_ONCE) {
    await setUp.root.query(sql`
      update wallet set ${set} where member_id % 2 = 0
         and member_id between ${memberAt(from)}::bigint and ${memberAt(Math.min(members, from + ADDED_AT_ONCE) - 1)}::bigint`)
  }
  await setUp.root.query(sql`vacuum wallet`)
}

/**
 * Today's round, with half of the members, ends as one whose beacon was unreachable for thirty days: it is closed and sealed, then every
 * rupee is given back and every member is told.
 */
async function voidToday(server: Program): Promise<Step[]> {
  const day = await today(setUp)
  // The clockwork waits for a number that nobody will give, instead of drawing by itself.
  await setUp.root.query(sql`update round set mode = 'drand' where day = ${day}::date`)
  const { entries } = await inClockwork(setUp.db, async (tx) => {
    const closed = await closeRound(tx, day, { early: true })
    if (!closed.ok) throw new Error(`round ${day} cannot be closed: ${closed.code}`)
    return closed.value
  })
  while (!(await readState(day)).sealed) await sleep(50)
  const step = await measured(server, 'void: half of the members get their rupee back', async () => {
    await inClockwork(setUp.db, async (tx) => {
      const ended = await voidRound(tx, day)
      if (!ended.ok) throw new Error(`round ${day} cannot end void: ${ended.code}`)
      await appendRecord(tx, { v: 1, kind: 'void', day, reason: 'beacon', returned: entries * 100 })
    })
    while (!(await readState(day)).settled) await sleep(50)
  })
  return [step]
}

try {
  const otherCores = watchOtherLoad(() => cpuMsOf(process.pid) + setUp.databaseCpuMs())
  const measuredSizes: Size[] = []
  for (const members of sizes) measuredSizes.push(await measure(members, sizes[measuredSizes.length - 1] ?? 0))
  const figures = tableOf(measuredSizes)
  const minutes = ((performance.now() - began) / 60_000).toFixed(0)
  process.stdout.write(`${figures}\n`)
  if (values.sizes === undefined)
    writeFigures(
      'sizes.md',
      'npm run lab -- sizes',
      `${measuredHere()}, ${minutes} minutes. Other programs took ${otherCores().toFixed(2)} cores on average.\n\n${figures}`,
    )
} catch (error) {
  process.stderr.write(`${complaints(setUp)}\n`)
  throw error
} finally {
  await end()
}
