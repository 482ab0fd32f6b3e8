/**
 * GET and POST /dev/clock, outside production only.
 * - Calls run one after the other, across all processes.
 * - A call answers when all due work has run.
 * - A step back to before the opening of the newest opened round is refused and changes nothing.
 */
import type { FieldProblem } from '@roz/core/fields.ts'
import { isoIst } from '@roz/core/ist-day.ts'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Clock } from '../adapters/clock.ts'
import { tryLockInTransaction } from '../db/advisory-locks.ts'
import { type Db, sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { sendProblem } from '../http/faults.ts'

type DevClockDeps = {
  readonly db: Db
  readonly clock: Clock
  /** Runs all due work, jobs included, until none is left. */
  readonly runDue: () => Promise<void>
}

const RETRY_MS = 25
/** Waits this long for jobs that another process has claimed; a killed process never finishes its job. */
const OTHERS_MS = 2000
const body = z.strictObject({ now: z.iso.datetime({ offset: true }).nullable() })

export function registerDevClock(app: FastifyInstance, { db, clock, runDue }: DevClockDeps): void {
  app.get('/dev/clock', async (_request, reply) => {
    return reply.header('cache-control', 'no-store').send({ now: isoIst((await clock.read()).getTime()) })
  })
  app.post('/dev/clock', async (request, reply) => {
    const given = body.safeParse(request.body)
    const target = given.success ? targetOf(given.data.now) : undefined
    if (target === undefined)
      return sendProblem(request, reply, { code: 'invalid_input', fields: { now: 'time_invalid' satisfies FieldProblem } })
    const isSet = await oneByOne(db, async () => {
      if (!(await setClock(db, target))) return false
      await clock.read()
      const until = performance.now() + OTHERS_MS
      do await runDue()
      while ((await isClaimedElsewhere(db)) && performance.now() < until)
      return true
    })
    if (!isSet) return sendProblem(request, reply, { code: 'clock_step_back' })
    return reply.header('cache-control', 'no-store').send({ now: isoIst(clock.now().getTime()) })
  })
}

type Target = { readonly atMs: number } | 'real'

/** Accepts years from 2000 to 9998, whose days have four digits; undefined for anything else. */
function targetOf(now: string | null): Target | undefined {
  if (now === null) return 'real'
  const atMs = Date.parse(now)
  return atMs >= Date.UTC(2000, 0) && atMs < Date.UTC(9999, 0) ? { atMs } : undefined
}

/** Returns false and changes nothing if this steps back to before the opening of the newest opened round. */
async function setClock(db: Db, target: Target): Promise<boolean> {
  const { now } = await db.one<{ now: Date }>(sql`select machine_clock() as now`)
  const offsetMs = target === 'real' ? 0 : target.atMs - now.getTime()
  const set = await db.maybeOne(sql`select set_clock_offset(${offsetMs}::bigint)
         where not exists (
           select from round
            where opens_at <= roz_now() and opens_at > machine_clock() + ${offsetMs}::bigint * interval '1 millisecond')`)
  return set !== undefined
}

/** Tells whether another instance has claimed a job, and pauses if so; our own jobs have ended. */
async function isClaimedElsewhere(db: Db): Promise<boolean> {
  const { claimed } = await db.one<{ claimed: boolean }>(
    sql`select exists (select from job where done_at is null and locked_until > roz_now()) as claimed`,
  )
  if (claimed) await pause()
  return claimed
}

/**
 * Polls for the lock: a statement that waits for a lock would run into its timeout.
 * The lock is a transaction's: behind a pooler a session's would stay with another connection. The transaction does nothing else.
 */
const oneByOne = <T>(db: Db, work: () => Promise<T>): Promise<T> =>
  inTransaction(
    db,
    async (tx) => {
      while (!(await tryLockInTransaction(tx, 'devClock'))) await pause()
      return work()
    },
    { idleTimeoutMs: 0, transactionTimeoutMs: 0 },
  )

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, RETRY_MS))
