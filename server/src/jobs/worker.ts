/**
 * Runs what is due, decided by roz_now() over our own tables: each feature's clockwork, mails, and the
 * other jobs, every one of them in a lane of its own, so that a mail server or a gateway that is slow,
 * or a portion that fails, holds up nothing else. Called by a one-second tick, by a nudge after a
 * commit that wrote a job, at start and by /dev/clock. Several processes may run it at once: clockwork
 * takes a lock in the database, a job is claimed with SKIP LOCKED and leased while it runs. A claim
 * books the next try, so that a job which fails or kills its process comes back ever more rarely; it
 * is parked after eight tries (parking.ts) and given up after a month, or at once where its handler says that it can never succeed, in the log.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { gatherReads } from '../db/gathered-read.ts'
import { type Db, sql } from '../db/sql.ts'
import { errorText } from './parking.ts'
import { GiveUpError, type JobKind, type JobPayloads, LaterError, onJobWritten } from './queue.ts'

export type JobHandlers = { readonly [K in JobKind]: (payload: JobPayloads[K], jobId: string) => Promise<void> }
/** A feature's clockwork: does one portion of what is due, and says whether there was any. */
export type Due = (now: Date) => Promise<boolean>

export type WorkerDeps = {
  readonly db: Db
  readonly handlers: JobHandlers
  /** One after the other where they stand in a row: the next one looks at what the one before has done. */
  readonly clockwork: readonly (Due | readonly Due[])[]
  /** What is asked for or forgotten after some time: nothing of the clockwork's makes it due. */
  readonly sweeps?: readonly Due[]
  /** Reads the product's clock: real time plus the offset in the database. */
  readonly now: () => Promise<Date>
  readonly log: FastifyBaseLogger
  /** How long a job stays claimed after its process was last heard of. */
  readonly leaseSeconds?: number
  /** How long runDue waits for jobs to come to an end, where new ones keep coming. */
  readonly patienceMs?: number
}

const PATIENCE_MS = 5000
const TICK_MS = 1000
/** Long enough for a pause of the process; short, because a mail whose process was killed waits for it. */
const LEASE_SECONDS = 15
const AT_ONCE = 16
/** So many tries, within minutes, and it is parked: told of, counted and listed (parking.ts; the view parked_work says the same). */
const ATTEMPTS_PARKED = 8
/** From here on a job that fails is one to look at: nine hours have passed. It is tried once a day. */
const ATTEMPTS_SOON = 20
const KEPT_DAYS = 30
const FAILED = 'what was due could not run; the next tick tries again'

/** What waits for another side, each in a lane of its own, holds up nobody else's work. */
const LANE_OF = {
  mail: 'mail',
  settle_order: 'gateway',
  send_payout: 'gateway',
  check_payout: 'gateway',
  send_refund: 'gateway',
  check_refund: 'gateway',
  check_dispute: 'gateway',
  push_page: 'push',
  reset_link: 'own',
  push_round: 'own',
  notice: 'own',
  join_after_topup: 'own',
  draft_story: 'own',
} as const satisfies Record<JobKind, string>
const KINDS = Object.keys(LANE_OF) as JobKind[]
const JOB_LANES = [...new Set(Object.values(LANE_OF))].map((name) => KINDS.filter((kind) => LANE_OF[kind] === name))

type ClaimedJob = { id: bigint; kind: JobKind; payload: JobPayloads[JobKind]; attempts: number; isOld: boolean }

export function createWorker(deps: WorkerDeps) {
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  const lane = (portion: () => Promise<boolean>) => createLane(portion, () => stopped)
  const readNow = gatherReads<undefined, Date>(async (askers) => {
    const at = await deps.now()
    return Array.from(askers, () => at)
  })
  // Most go by roz_now() in their own statements: only who asks for the time has it read.
  const laneOf = (due: Due): Lane =>
    lane(due.length === 0 ? (due as () => Promise<boolean>) : async () => due((await readNow(undefined)) ?? (await deps.now())))
  const chains = deps.clockwork.map((one) => (typeof one === 'function' ? [one] : one).map(laneOf))
  const sweepLanes = (deps.sweeps ?? []).map(laneOf)
  const jobLanes = JOB_LANES.map((kinds) => lane(() => runNextJobs(deps, kinds)))
  const lanes = [...chains.flat(), ...sweepLanes, ...jobLanes]

  /**
   * Runs everything that is due, until no lane finds anything. Fails where one did, after all others have
   * run. Where others keep asking for work there is no such moment: then it ends, after some patience,
   * once nothing is left that was due when the clockwork had caught up.
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
      // What jobs and sweeps have done may make another sweep due.
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

  /** Of the lanes of jobs those that have something to do; to ask them all is a statement for each. */
  async function runJobs(patienceMs: number): Promise<Ran> {
    let due: readonly boolean[]
    try {
      due = await listDueLanes(deps.db)
    } catch (error) {
      // The clockwork beside it goes on to its end before anybody hears of this.
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
  /** A lane that takes longer goes on by itself; how it fails then is told here. */
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
      // Calls that come while it runs only make it look once more: its failure is told by the first.
      if (one.isRunning()) one.lookAgain()
      else one.run().catch((error: unknown) => deps.log.error({ err: error }, FAILED))
    }
  }

  return {
    runDue,
    start(): void {
      // A job makes nothing due but itself.
      onJobWritten(() => setImmediate(() => wake(jobLanes)))
      timer = setInterval(() => wake(lanes), TICK_MS)
      wake(lanes)
    },
    /** Takes no more and waits for what runs. */
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

/** One lane after the other, each to its end; one that fails does not keep the next ones from it. */
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

/** For each lane of jobs whether any is due in it. */
async function listDueLanes(db: Db): Promise<readonly boolean[]> {
  const lists = JOB_LANES.map((kinds) => kinds.join())
  const due = await db.query<{ isDue: boolean }>(sql`
    select exists (
      select from job where done_at is null and due_at <= roz_now() and (locked_until is null or locked_until < roz_now())
         and kind = any (string_to_array(lane.kinds, ','))) as "isDue"
      from unnest(${lists}::text[]) with ordinality as lane (kinds, place) order by place`)
  return due.map(({ isDue }) => isDue)
}

/** Work done portion by portion until there is none; whoever asks while it runs makes it look once more. */
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
    /** Says whether there was anything. */
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

/** A claim moves due_at on: what runs or failed is not left. */
async function isLeft(db: Db, since: Date): Promise<boolean> {
  const left = await db.query(sql`select 1 from job where done_at is null and due_at <= ${since}::timestamptz limit 1`)
  return left.length > 0
}

/** Claims a few jobs, runs them side by side, and settles each on its own. */
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
    returning id, kind, payload, attempts, created_at < roz_now() - make_interval(days => ${KEPT_DAYS}::int) as "isOld"`)
  if (jobs.length === 0) return false
  const running = new Set(jobs)
  const renewal = setInterval(() => void renewLeases(deps, [...running], leaseSeconds), (leaseSeconds * 1000) / 3)
  const ended = await Promise.allSettled(jobs.map((job) => runJob(deps, job).finally(() => running.delete(job))))
  clearInterval(renewal)
  // The database went away before an end could be written: the lease brings the job back.
  const lost = ended.find((end) => end.status === 'rejected')
  if (lost !== undefined) throw lost.reason
  return true
}

/** While its work goes on a job stays claimed, however long it takes. */
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

async function runJob(deps: WorkerDeps, job: ClaimedJob): Promise<void> {
  const handler = deps.handlers[job.kind] as (payload: JobPayloads[JobKind], jobId: string) => Promise<void>
  try {
    await handler(job.payload, String(job.id))
    await endJob(deps.db, job, undefined)
  } catch (error) {
    // The kind and the error alone: a payload may hold a person's address.
    const told = { err: error, job: job.kind, jobId: String(job.id), attempts: job.attempts }
    const isHopeless = error instanceof GiveUpError
    if (isHopeless) deps.log.error(told, 'job given up: it can never succeed')
    else if (job.isOld) deps.log.error(told, 'job given up after a month')
    else if (job.attempts >= ATTEMPTS_SOON) deps.log.error(told, 'job keeps failing; it is tried again once a day')
    else if (job.attempts === ATTEMPTS_PARKED) deps.log.error(told, 'job is parked: “npm run parked” lists it and runs it again')
    else deps.log.warn(told, 'job failed; it is tried again')
    if (isHopeless || job.isOld) await endJob(deps.db, job, errorText(error))
    else await releaseJob(deps.db, job, error)
  }
}

/** Done, or given up with its last error. What it was about is forgotten: a mail's payload names a person. */
async function endJob(db: Db, job: ClaimedJob, lastError: string | undefined): Promise<void> {
  await db.query(sql`
    update job set done_at = roz_now(), locked_until = null, last_error = ${lastError ?? null}::text, payload = '{}' where id = ${job.id}::bigint`)
}

/** Free for the next try, unless another process has taken it over meanwhile. */
async function releaseJob(db: Db, job: ClaimedJob, error: unknown): Promise<void> {
  const afterSeconds = error instanceof LaterError ? error.afterSeconds : 0
  await db.query(sql`
    update job set locked_until = null, last_error = ${errorText(error)}::text,
      due_at = greatest(due_at, roz_now() + make_interval(secs => ${afterSeconds}::int))
    where id = ${job.id}::bigint and attempts = ${job.attempts}::int and done_at is null`)
}

/** Removes jobs done a month ago, a portion at a time. Their effects carry keys of their own. */
export async function forgetDoneJobs(db: Db): Promise<boolean> {
  const gone = await db.query(sql`
    delete from job where id in (
      select id from job where done_at < (select roz_now()) - make_interval(days => ${KEPT_DAYS}::int) limit 1000 for update skip locked)
    returning id`)
  return gone.length > 0
}
