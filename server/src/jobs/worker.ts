/**
 * Runs due work: each feature's clockwork, the sweeps, and the jobs of queue.ts.
 * - Work is due by roz_now() over our own tables. A tick each second, a commit that wrote a job, a start and /dev/clock run it.
 * - Each clockwork, each sweep and each group of jobs (mail, mass, gateway, names, push, files, signals, many, own) has a lane.
 * - A slow mail server or gateway, or a failing portion, blocks no other lane.
 * - Several processes may run the worker: clockwork takes a database lock, and a job is claimed with SKIP LOCKED under a lease.
 * - A claim schedules the next try with exponential backoff, so a job that fails or kills its process returns ever more rarely.
 * - A job is parked after 8 tries (parking.ts) and given up after 30 days.
 * - A job whose handler throws GiveUpError is given up at once. The log says so in each case.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { gatherReads } from '../db/gathered-read.ts'
import { type Db, sql } from '../db/sql.ts'
import { inTrace, outsideTraces } from '../tracing/spans.ts'
import { errorText } from './parking.ts'
import { GiveUpError, type JobKind, type JobPayloads, LaterError, onJobWritten } from './queue.ts'

export type JobHandlers = { readonly [K in JobKind]: (payload: JobPayloads[K], jobId: string) => Promise<void> }
/** A feature's clockwork: does one portion of its due work. False: nothing was due. */
type Due = (now: Date) => Promise<boolean>

export type WorkerDeps = {
  readonly db: Db
  readonly handlers: JobHandlers
  /**
   * Lanes run in parallel. The functions of one inner list run one after the other, because each step depends on the previous step. The
   * very first list also runs before a server serves.
   */
  readonly clockwork: readonly (Due | readonly Due[])[]
  /** Work that only the passing of time makes due, such as questions to the gateway and deletions: no clockwork makes it due. */
  readonly sweeps?: readonly Due[]
  /** Reads the product's clock: real time plus the offset stored in the database. */
  readonly now: () => Promise<Date>
  readonly log: FastifyBaseLogger
  /** How long a job stays claimed after its lease was last renewed. */
  readonly leaseSeconds?: number
  /** How long runDue waits for running jobs while new ones keep arriving. */
  readonly patienceMs?: number
}

const PATIENCE_MS = 5000
const CATCH_UP_MS = 2000
const TICK_MS = 1000
/** Longer than a pause of the process. Short, because a mail whose process was killed waits for the lease to end. */
const LEASE_SECONDS = 15
const AT_ONCE = 16
/** After this many tries, within minutes, a job is parked (parking.ts). The view parked_work repeats the number. */
const ATTEMPTS_PARKED = 8
/** After this many tries, some nine hours, a job is tried once a day, and each failure is logged as an error. */
const ATTEMPTS_SOON = 20
const KEPT_DAYS = 30
const FAILED = 'a lane of due work failed; the next tick retries it'

/** Jobs that wait for the mail server, the gateway, push services or the file store have lanes of their own, so that they block no other jobs. */
const LANE_OF = {
  mail: 'mail',
  // A password link must not wait behind a mail to a million members.
  mass_mail: 'mass',
  settle_order: 'gateway',
  send_payout: 'gateway',
  check_payout: 'gateway',
  send_refund: 'gateway',
  check_refund: 'gateway',
  check_dispute: 'gateway',
  find_dispute: 'gateway',
  push_page: 'push',
  push_story_page: 'push',
  push_follow_up_page: 'push',
  push_reminder: 'push',
  remove_file: 'files',
  reset_link: 'own',
  push_round: 'own',
  push_story: 'own',
  push_follow_up: 'own',
  notice: 'own',
  join_after_topup: 'own',
  // One job for each withdrawal: after an upgrade they are many, and nobody waits for them.
  note_signals: 'signals',
  // The bank is asked while the gateway waits: payments must not wait behind it.
  check_payee_name: 'names',
  // Minutes of work where millions are told.
  tell_skipped: 'many',
  tell_low_balance: 'many',
  forget_receipt: 'own',
  forget_follow_up_picture: 'own',
  draft_story: 'own',
} as const satisfies Record<JobKind, string>
export const JOB_KINDS = Object.keys(LANE_OF) as JobKind[]
const JOB_LANES = [...new Set(Object.values(LANE_OF))].map((name) => JOB_KINDS.filter((kind) => LANE_OF[kind] === name))

type ClaimedJob = {
  id: bigint
  kind: JobKind
  payload: JobPayloads[JobKind]
  attempts: number
  isOld: boolean
  /** Of the request that queued it. */
  traceparent: string | null
}

export function createWorker(deps: WorkerDeps) {
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  const lane = (portion: () => Promise<boolean>) => createLane(portion, () => stopped)
  const readNow = gatherReads<undefined, Date>(async (askers) => {
    const at = await deps.now()
    return Array.from(askers, () => at)
  })
  // Most portions use roz_now() in their own statements: the clock is read only for those with a parameter.
  const laneOf = (due: Due): Lane =>
    lane(due.length === 0 ? (due as () => Promise<boolean>) : async () => due((await readNow(undefined)) ?? (await deps.now())))
  const chains = deps.clockwork.map((one) => (typeof one === 'function' ? [one] : one).map(laneOf))
  const sweepLanes = (deps.sweeps ?? []).map(laneOf)
  const jobLanes = JOB_LANES.map((kinds) => lane(() => runNextJobs(deps, kinds)))
  const lanes = [...chains.flat(), ...sweepLanes, ...jobLanes]

  /**
   * Runs everything that is due, until no lane finds more. If a lane fails, the others still run to their end; then it throws.
   * If new work keeps arriving, it ends after `patienceMs`, once no job is left that was due when the clockwork had caught up.
   */
  async function runDue(): Promise<void> {
    const { patienceMs = PATIENCE_MS } = deps
    let caughtUpAt: Date | undefined
    let until = 0
    for (let sweeps = sweepLanes; ; ) {
      const [clockwork, others] = await Promise.all([
        Promise.all(chains.map(runInOrder)),
        Promise.all([...sweeps.map((one) => runInOrder([one])), runJobs(patienceMs)]),
      ])
      const failed = [...clockwork, ...others].flatMap(({ failures }) => failures)
      const found = !stopped && [...clockwork, ...others].some((run) => run.found)
      // A job or a sweep may have made another sweep due.
      sweeps = others.some((run) => run.found) ? sweepLanes : []
      if (found && performance.now() < until) continue
      if (found && (caughtUpAt === undefined || (await isLeft(deps.db, caughtUpAt)))) {
        caughtUpAt ??= await deps.now()
        until = performance.now() + patienceMs
        continue
      }
      if (failed.length > 0) throw failed[0]
      return
    }
  }

  /** Runs the job lanes that have due jobs. One statement finds them; running every lane would cost one statement each. */
  async function runJobs(patienceMs: number): Promise<Ran> {
    let due: readonly boolean[]
    try {
      due = await listDueLanes(deps.db)
    } catch (error) {
      // Returned, not thrown: the clockwork that runs in parallel must finish first.
      return { found: false, failures: [error] }
    }
    const runs = await Promise.all(
      jobLanes
        .filter(({ isRunning }, index) => due[index] === true || isRunning())
        .map(({ run }) => runInOrder([{ run: () => runPatiently(run(), patienceMs) }])),
    )
    return { found: runs.some(({ found }) => found), failures: runs.flatMap(({ failures }) => failures) }
  }

  const unawaited = new WeakSet<Promise<boolean>>()
  /** Waits up to `patienceMs` for a lane. A slower lane continues in the background, and its failure is logged here. */
  async function runPatiently(run: Promise<boolean>, patienceMs: number): Promise<boolean> {
    const found = await Promise.race([run, sleep(patienceMs, undefined, { ref: false })])
    if (found !== undefined) return found
    if (!unawaited.has(run)) run.catch((error: unknown) => deps.log.error({ err: error }, FAILED))
    unawaited.add(run)
    return true
  }

  const wake = (woken: readonly Lane[]): void => {
    if (stopped) return
    for (const one of woken) {
      // A lane that already runs only looks once more: the call that started it logs its failure.
      if (one.isRunning()) one.lookAgain()
      else one.run().catch((error: unknown) => deps.log.error({ err: error }, FAILED))
    }
  }

  return {
    runDue,
    /**
     * Runs the first clockwork before a server serves, for at most two seconds. A day of millions continues while the server
     * serves, as at midnight.
     */
    async catchUp(): Promise<void> {
      const first = lanes[0]
      if (first !== undefined) await runPatiently(first.run(), CATCH_UP_MS)
    },
    start(): void {
      // A new job makes nothing else due: only the job lanes wake.
      onJobWritten(() => outsideTraces(() => setImmediate(() => wake(jobLanes))))
      timer = setInterval(() => wake(lanes), TICK_MS)
      wake(lanes)
    },
    /** Starts no further work and waits for running work. */
    async stop(): Promise<void> {
      stopped = true
      clearInterval(timer)
      onJobWritten(() => undefined)
      await Promise.allSettled(lanes.filter((one) => one.isRunning()).map((one) => one.run()))
    },
  }
}

type Lane = ReturnType<typeof createLane>
type Ran = { readonly found: boolean; readonly failures: readonly unknown[] }

/** Runs lanes in order, each to its end. A lane that fails does not stop the next one. */
async function runInOrder(lanes: readonly Pick<Lane, 'run'>[]): Promise<Ran> {
  let found = false
  const failures: unknown[] = []
  for (const { run } of lanes) {
    try {
      if (await run()) found = true
    } catch (error) {
      failures.push(error)
    }
  }
  return { found, failures }
}

/** For each job lane, whether it has a due job. */
async function listDueLanes(db: Db): Promise<readonly boolean[]> {
  const lists = JOB_LANES.map((kinds) => kinds.join())
  const due = await db.query<{ isDue: boolean }>(sql`
    select exists (
      select from job where done_at is null and due_at <= roz_now() and (locked_until is null or locked_until < roz_now())
         and kind = any (string_to_array(lane.kinds, ','))) as "isDue"
      from unnest(${lists}::text[]) with ordinality as lane (kinds, place) order by place`)
  return due.map(({ isDue }) => isDue)
}

/** Runs portions until none is left. A call during a run makes that run look once more. */
function createLane(portion: () => Promise<boolean>, isStopped: () => boolean) {
  let running: Promise<boolean> | undefined
  let again = false
  const drain = async (): Promise<boolean> => {
    let worked = false
    try {
      do {
        again = false
        while (!isStopped() && (await portion())) worked = true
      } while (again && !isStopped())
      return worked
    } finally {
      running = undefined
    }
  }
  return {
    /** Resolves to whether any portion found work. */
    run: (): Promise<boolean> => {
      again = true
      if (running !== undefined) return running
      const run = drain()
      if (!isStopped()) running = run
      return run
    },
    isRunning: (): boolean => running !== undefined,
    lookAgain: (): void => {
      again = true
    },
  }
}

/** True if a job that was due at `since` was never claimed. A claim moves `due_at`, so running and failed jobs do not count. */
async function isLeft(db: Db, since: Date): Promise<boolean> {
  const left = await db.query(sql`select 1 from job where done_at is null and due_at <= ${since}::timestamptz limit 1`)
  return left.length > 0
}

/**
 * Claims up to 16 jobs, runs them concurrently, and records each end separately.
 * If all 16 fail, the lane rests until the next tick: a mail server that is down would otherwise be tried as fast as the database
 * claims jobs.
 */
async function runNextJobs(deps: WorkerDeps, kinds: readonly JobKind[]): Promise<boolean> {
  const { db, leaseSeconds = LEASE_SECONDS } = deps
  const jobs = await db.query<ClaimedJob>(sql`
    update job set locked_until = roz_now() + make_interval(secs => ${leaseSeconds}::int), attempts = attempts + 1,
      due_at = roz_now() + case when attempts < ${ATTEMPTS_SOON}::int then least(2 ^ (attempts + 1), 3600) else 86400 end * interval '1 second'
    where id in (
      select id from job
      where done_at is null and due_at <= roz_now() and (locked_until is null or locked_until < roz_now())
        and kind = any (${kinds}::text[])
      order by due_at, id limit ${AT_ONCE}::int for update skip locked)
    returning id, kind, payload, attempts, traceparent, created_at < roz_now() - make_interval(days => ${KEPT_DAYS}::int) as "isOld"`)
  if (jobs.length === 0) return false
  const running = new Set(jobs)
  const renewal = setInterval(() => void renewLeases(deps, [...running], leaseSeconds), (leaseSeconds * 1000) / 3)
  const ended = await Promise.allSettled(jobs.map((job) => runJob(deps, job).finally(() => running.delete(job))))
  clearInterval(renewal)
  // The database failed before a job's end was written: the job returns when its lease ends.
  const lost = ended.find((end) => end.status === 'rejected')
  if (lost !== undefined) throw lost.reason
  const isAway = jobs.length === AT_ONCE && ended.every((end) => end.status === 'fulfilled' && !end.value)
  return !isAway
}

/** Renews the leases of running jobs: a job stays claimed however long it runs. */
async function renewLeases({ db, log }: WorkerDeps, jobs: readonly ClaimedJob[], leaseSeconds: number): Promise<void> {
  try {
    await db.query(sql`
      update job set locked_until = roz_now() + make_interval(secs => ${leaseSeconds}::int)
      from unnest(${jobs.map((job) => job.id)}::bigint[], ${jobs.map((job) => job.attempts)}::int[]) as mine (id, attempts)
      where job.id = mine.id and job.attempts = mine.attempts and job.done_at is null and job.locked_until is not null`)
  } catch (error) {
    log.warn({ err: error }, 'the leases of running jobs could not be renewed')
  }
}

/** Returns whether the job has ended, done or given up. */
async function runJob(deps: WorkerDeps, job: ClaimedJob): Promise<boolean> {
  const handler = deps.handlers[job.kind] as (payload: JobPayloads[JobKind], jobId: string) => Promise<void>
  try {
    const attributes = { 'roz.job.attempts': job.attempts }
    await inTrace({ name: `job ${job.kind}`, kind: 'consumer', attributes }, () => handler(job.payload, String(job.id)), job.traceparent)
    await endJob(deps.db, job, undefined)
    return true
  } catch (error) {
    // Logs the kind and the error only: a payload may contain a person's address.
    const told = { err: error, job: job.kind, jobId: String(job.id), attempts: job.attempts }
    const isHopeless = error instanceof GiveUpError
    if (isHopeless) deps.log.error(told, 'job given up: it can never succeed')
    else if (job.isOld) deps.log.error(told, 'job given up after a month')
    else if (job.attempts > ATTEMPTS_SOON) deps.log.error(told, 'job keeps failing; it is tried again once a day')
    else if (job.attempts === ATTEMPTS_PARKED)
      deps.log.error(told, 'job is parked: “roz work list” lists it, “roz work retry” runs it again')
    else deps.log.warn(told, 'job failed; it is tried again')
    if (isHopeless || job.isOld) await endJob(deps.db, job, errorText(error))
    else await releaseJob(deps.db, job, error)
    return isHopeless
  }
}

/** Marks a job as done, or as given up with its last error, and deletes its payload, which may name a person. */
async function endJob(db: Db, job: ClaimedJob, lastError: string | undefined): Promise<void> {
  await db.query(sql`
    update job set done_at = roz_now(), locked_until = null, last_error = ${lastError ?? null}::text, payload = '{}', traceparent = null where id = ${job.id}::bigint`)
}

/** Releases a failed job for its next try, unless another process has claimed it meanwhile. */
async function releaseJob(db: Db, job: ClaimedJob, error: unknown): Promise<void> {
  const afterSeconds = error instanceof LaterError ? error.afterSeconds : 0
  await db.query(sql`
    update job set locked_until = null, last_error = ${errorText(error)}::text,
      due_at = greatest(due_at, roz_now() + make_interval(secs => ${afterSeconds}::int))
    where id = ${job.id}::bigint and attempts = ${job.attempts}::int and done_at is null`)
}

/** Deletes jobs that ended 30 days ago, 1,000 at a time. Their effects keep their own unique keys. */
export async function forgetDoneJobs(db: Db): Promise<boolean> {
  const gone = await db.query(sql`
    delete from job where id in (
      select id from job where done_at < (select roz_now()) - make_interval(days => ${KEPT_DAYS}::int) limit 1000 for update skip locked)
    returning id`)
  return gone.length > 0
}
