/**
 * `npm run bench -- --ten-million`: measures one day of a community of 1 million, then of 10 million members, in one database.
 *
 * - Each step of a day must grow in proportion to the members, and no transaction may grow with them.
 * - The run prints a table and writes nothing. `--sizes 10000,100000` measures other sizes.
 * - Ten million take 25 GB of disk and about 40 minutes.
 */
import { parseArgs } from 'node:util'
import { lockSession, unlockSession } from '@roz/server/db/advisory-locks.ts'
import { type IstDay, nextDay } from '@roz/core/ist-day.ts'
import { one, sql } from '@roz/server/db/sql.ts'
import { complaints, type Program, startProduct } from './processes.ts'
import { passDay, today } from './days.ts'
import { watchDatabase } from './longest.ts'
import { addMembers, leaveOutAudits, openScene, type Scene } from './scene.ts'
import { type Size, type Step, tableOf } from './sizes-results.ts'

const { values } = parseArgs({ options: { 'ten-million': { type: 'boolean' }, sizes: { type: 'string' } } })
const sizes = (values.sizes ?? '1000000,10000000').split(',').map(Number)
/** Members added by one statement: below its time limit. */
const ADDED_AT_ONCE = 500_000
/** A usual balance, of one top-up. It decides how many parts the liabilities have: three or four for a member. */
const BALANCE_PAISE = 1_500
const DAY_MAX_MS = 3_600_000

const began = performance.now()
const say = (text: string): void => {
  process.stdout.write(`${((performance.now() - began) / 1000).toFixed(0).padStart(5)} s  ${text}\n`)
}

const scene = await openScene({ makesBooks: true })
await leaveOutAudits(scene.root)
let product: Program | undefined
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end().finally(() => process.exit(130)))

async function end(): Promise<void> {
  await product?.stop()
  product = undefined
  await scene.stop()
}

/** One day in which Auto Participate joins every member. Each size has its own server, so its memory is measured separately. */
async function measure(members: number, before: number): Promise<Size> {
  for (let from = before; from < members; from += ADDED_AT_ONCE) {
    const to = Math.min(members, from + ADDED_AT_ONCE)
    await addMembers(scene, from, to, { autoJoin: true, sessions: false, balance: BALANCE_PAISE })
    if (to % 1_000_000 === 0) say(`${to} members are there`)
  }
  await scene.root.query(sql`vacuum analyze wallet`)
  await scene.root.query(sql`vacuum analyze ticket_key`)
  await scene.root.query(sql`checkpoint`)
  // The books are measured by themselves: otherwise they would share the processor with the other steps.
  const { server, joined } = await withoutBooks(async () => {
    const started = await startProduct(scene)
    product = started
    // The previous size ended in the middle of a day. The new server catches that day up while it serves.
    const day = await today(scene)
    while (!(await readState(day, day)).joined) await new Promise((resolve) => setTimeout(resolve, 50))
    return { server: started, joined: await stepsOfDay(started, ['auto-join']) }
  })
  const books = await booksOf(server)
  const settled = await withoutBooks(() => stepsOfDay(server, ['close', 'list and seal', 'draw', 'settle']))
  const peakMb = server.peakMb()
  await server.stop()
  product = undefined
  const { bytes } = await one<{ bytes: number }>(scene.root, sql`select pg_database_size(current_database())::float8 as bytes`)
  say(`${members} members: peak memory of the server ${peakMb.toFixed(0)} MB, database ${(bytes / 1e9).toFixed(1)} GB`)
  return { members, steps: [...joined, ...settled, ...books], peakMb, databaseBytes: bytes }
}

const withoutBooks = <T>(work: () => Promise<T>): Promise<T> =>
  scene.root.withConnection(async (holder) => {
    await lockSession(holder, 'books')
    try {
      return await work()
    } finally {
      await unlockSession(holder, 'books')
    }
  })

const walBytes = async ({ root }: Scene): Promise<number> =>
  (await one<{ at: number }>(root, sql`select (pg_current_wal_lsn() - '0/0')::float8 as at`)).at

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

/** Passes midnight. Measures each step of the day that ended, and the auto-join of the new one; returns those that are asked for. */
async function stepsOfDay(server: Program, names: readonly string[]): Promise<Step[]> {
  const day = await today(scene)
  const steps: Step[] = []
  const watch = watchDatabase(scene)
  let [since, wal, cpu] = [performance.now(), await walBytes(scene), server.cpuMs() + scene.databaseCpuMs()]
  const passing = passDay(scene, server, DAY_MAX_MS)
  // The server is stopped after the last step, whatever is left of its day.
  passing.catch(() => undefined)
  for (const [name, sign] of STEPS) {
    while (!(await readState(day))[sign]) await new Promise((resolve) => setTimeout(resolve, 20))
    const [now, written, spent] = [performance.now(), await walBytes(scene), server.cpuMs() + scene.databaseCpuMs()]
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
  if (names.includes('auto-join')) await passing
  watch.stop()
  return steps
}

const readState = (day: IstDay, next = nextDay(day)): Promise<State> =>
  one<State>(
    scene.root,
    sql`select status <> 'open' as closed, root is not null or status = 'void' as sealed,
               status in ('drawn', 'settled', 'void') as drawn, status in ('settled', 'void') as settled,
               exists (select from auto_join_told where day = ${next}::date) as joined
          from round where day = ${day}::date`,
  )

/** The books and liabilities of the day that is over: every member has a balance at its end. */
async function booksOf(server: Program): Promise<Step[]> {
  const day = await today(scene)
  const watch = watchDatabase(scene)
  const [since, wal, cpu] = [performance.now(), await walBytes(scene), server.cpuMs() + scene.databaseCpuMs()]
  const isLeft = async (): Promise<boolean> =>
    (
      await scene.root.query(
        sql`select from round where day < ${day}::date and not exists (select from books_day b where b.day = round.day)`,
      )
    ).length > 0
  while (await isLeft()) await new Promise((resolve) => setTimeout(resolve, 50))
  watch.stop()
  const step: Step = {
    name: 'books and liabilities of a day',
    seconds: (performance.now() - since) / 1000,
    cpuSeconds: (server.cpuMs() + scene.databaseCpuMs() - cpu) / 1000,
    walBytes: (await walBytes(scene)) - wal,
    longestSeconds: watch.take(),
  }
  say(`${step.name}: ${step.seconds.toFixed(2)} s, longest transaction ${step.longestSeconds.toFixed(2)} s`)
  return [step]
}

try {
  const measured: Size[] = []
  for (const members of sizes) measured.push(await measure(members, sizes[measured.length - 1] ?? 0))
  process.stdout.write(`${tableOf(measured)}\n`)
} catch (error) {
  process.stderr.write(`${complaints(scene)}\n`)
  throw error
} finally {
  await end()
}
