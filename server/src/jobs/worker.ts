/**
 * Runs what is due. `runDue` decides by roz_now() over our own tables: first the features' clockwork,
 * then the jobs, again until neither finds anything. It is called by a one-second tick, by a nudge
 * after a commit that wrote a job, at start and by /dev/clock. Several processes may run it at once:
 * clockwork takes a lock in the database, a job is claimed with SKIP LOCKED.
 */
import type { FastifyBaseLogger } from 'fastify'
import { type Db, sql } from '../db/sql.ts'
import { type JobKind, type JobPayloads, onJobWritten } from './queue.ts'

export type JobHandlers = { readonly [K in JobKind]: (payload: JobPayloads[K], jobId: string) => Promise<void> }
/** A feature's clockwork: does one portion of what is due, and says whether there was any. */
export type Due = (now: Date) => Promise<boolean>

export type WorkerDeps = {
  readonly db: Db
  readonly handlers: JobHandlers
  readonly clockwork: readonly Due[]
  /** Reads the product's clock: real time plus the offset in the database. */
  readonly now: () => Promise<Date>
  readonly log: FastifyBaseLogger
}

const TICK_MS = 1000
const LEASE_SECONDS = 60
const ATTEMPTS_MAX = 20

type ClaimedJob = { id: bigint; kind: JobKind; payload: JobPayloads[JobKind]; attempts: number }

export function createWorker(deps: WorkerDeps) {
  let running: Promise<void> | undefined
  let again = false
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  /** Runs everything that is due. Calls that come while it runs make it look once more. */
  async function runDue(): Promise<void> {
    if (running !== undefined) {
      again = true
      return running
    }
    running = (async () => {
      do {
        again = false
        await runOnce(deps, () => stopped)
      } while (again && !stopped)
    })().finally(() => {
      running = undefined
    })
    return running
  }

  const tick = (): void => {
    if (stopped) return
    runDue().catch((error: unknown) => deps.log.error({ err: error }, 'what was due could not run; the next tick tries again'))
  }

  return {
    runDue,
    start(): void {
      onJobWritten(() => setImmediate(tick))
      timer = setInterval(tick, TICK_MS)
      tick()
    },
    /** Takes no more and waits for what runs. */
    async stop(): Promise<void> {
      stopped = true
      clearInterval(timer)
      onJobWritten(() => undefined)
      await running?.catch(() => undefined)
    },
  }
}

async function runOnce(deps: WorkerDeps, isStopped: () => boolean): Promise<void> {
  for (let worked = true; worked && !isStopped(); ) {
    worked = false
    for (const due of deps.clockwork) {
      while (!isStopped() && (await due(await deps.now()))) worked = true
    }
    while (!isStopped() && (await runNextJobs(deps))) worked = true
  }
}

/** Claims a few jobs, runs them side by side, and settles each on its own. */
async function runNextJobs(deps: WorkerDeps): Promise<boolean> {
  const jobs = await deps.db.query<ClaimedJob>(sql`
    update job set locked_until = roz_now() + make_interval(secs => ${LEASE_SECONDS}::int), attempts = attempts + 1
    where id in (
      select id from job
      where done_at is null and due_at <= roz_now() and (locked_until is null or locked_until < roz_now()) and attempts < ${ATTEMPTS_MAX}::int
      order by due_at, id limit 16 for update skip locked)
    returning id, kind, payload, attempts`)
  await Promise.all(jobs.map((job) => runJob(deps, job)))
  return jobs.length > 0
}

async function runJob(deps: WorkerDeps, job: ClaimedJob): Promise<void> {
  const handler = deps.handlers[job.kind] as (payload: JobPayloads[JobKind], jobId: string) => Promise<void>
  try {
    await handler(job.payload, String(job.id))
    // What it was about is forgotten: a mail's payload names a person.
    await deps.db.query(sql`
      update job set done_at = roz_now(), locked_until = null, last_error = null, payload = '{}' where id = ${job.id}::bigint`)
  } catch (error) {
    // The kind and the error alone: a payload may hold a person's address.
    deps.log.warn({ err: error, job: job.kind, attempts: job.attempts }, 'job failed; it is tried again')
    const waitSeconds = Math.min(3600, 2 ** Math.min(job.attempts, 12))
    await deps.db.query(sql`
      update job set locked_until = null, due_at = roz_now() + make_interval(secs => ${waitSeconds}::int), last_error = ${errorText(error)}::text
      where id = ${job.id}::bigint`)
  }
}

const errorText = (error: unknown): string => (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, 500)

const KEPT_DAYS = 30

/** Removes jobs done a month ago, a portion at a time. Their effects carry keys of their own. */
export async function forgetDoneJobs(db: Db): Promise<boolean> {
  const gone = await db.query(sql`
    delete from job where id in (
      select id from job where done_at < roz_now() - make_interval(days => ${KEPT_DAYS}::int) limit 1000 for update skip locked)
    returning id`)
  return gone.length > 0
}
