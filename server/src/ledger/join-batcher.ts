/**
 * Batches joins: requests that arrive together, or while a statement runs, share the next statement.
 * - The outcome equals joining one member at a time.
 * - A member is in at most one running statement.
 * - An answer that was lost with its connection is found again by the batch's UUID: no fee is taken twice.
 * - A wallet that stays locked elsewhere is left out of its batch after 50 ms, and its member joins alone.
 * - One statement runs at a time, unless it hangs. A lone request waits for no timer, a request under load for at most 10 ms
 *   (batch-scheduler.ts, docs/decisions/0011-one-batch-of-joins-at-a-time.md).
 * - A request that finds the queue full is refused at once.
 */
import { randomUUID } from 'node:crypto'
import type { IstDay } from '@roz/core/ist-day.ts'
import { accepted, refused } from '@roz/core/outcome.ts'
import type { JoinRefusal } from '@roz/core/round.ts'
import { DatabaseUnavailableError, type Db, sqlState, violatedConstraint } from '../db/sql.ts'
import { createBatchScheduler, shareMax } from '../db/batch-scheduler.ts'
import { activeSpan, inShared, type Span } from '../tracing/spans.ts'
import { type AloneRequest, joinAlone } from './join-alone.ts'
import { type FoundJoin, type JoinOutcome, joinedOf, keyPrefix } from './join-outcome.ts'
import { joinMembers, type JoinRow, joinsOfBatches, newestJoins, passingHeld } from './join-statement.ts'

export type JoinBatcher = {
  readonly join: (request: { readonly memberId: bigint; readonly idempotencyKey?: string | undefined }) => Promise<JoinOutcome>
  /** Waits until nothing is queued or running. */
  readonly idle: () => Promise<void>
}
type JoinBatcherOptions = {
  readonly db: Db
  /** Called after each statement, with the number of requests and of joins. */
  readonly onBatch?: (batch: { readonly asked: number; readonly joined: number; readonly day: IstDay | undefined }) => void
  /** Called after each statement that joined members. It must return at once: the next batch waits for it. */
  readonly onJoined?: (batch: {
    readonly batchId: bigint
    readonly day: IstDay
    readonly at: Date
    readonly memberIds: readonly bigint[]
  }) => void
  readonly batchMax?: number
  readonly queueMax?: number
  /** The next statement does not wait for a statement that takes longer than this. */
  readonly lateMs?: number
}

const UNSENT: readonly string[] = []

/** One queued request. Kept small: about 1,000 of these are alive at each garbage collection. */
class Pending implements AloneRequest {
  readonly memberId: bigint
  readonly keyPrefix: bigint | null
  readonly span: Span | undefined = activeSpan()
  sentIn: readonly string[] = UNSENT
  #isOver = false
  readonly #ended: () => void
  readonly #resolve: (outcome: JoinOutcome) => void
  readonly #reject: (error: unknown) => void

  constructor(
    request: { readonly memberId: bigint; readonly idempotencyKey?: string | undefined },
    resolve: (outcome: JoinOutcome) => void,
    reject: (error: unknown) => void,
    ended: () => void,
  ) {
    this.memberId = request.memberId
    this.keyPrefix = request.idempotencyKey === undefined ? null : keyPrefix(request.idempotencyKey)
    this.#resolve = resolve
    this.#reject = reject
    this.#ended = ended
  }

  settle(outcome: JoinOutcome): void {
    this.#end()
    this.#resolve(outcome)
  }
  /** No effect on a request that has its outcome already. */
  fail(error: unknown): void {
    this.#end()
    this.#reject(error)
  }
  #end(): void {
    if (!this.#isOver) this.#ended()
    this.#isOver = true
  }
}

const SEND_ATTEMPTS_MAX = 8
/** Connections for members who join alone, so that locked wallets cannot use up the pool. */
const ALONE_MAX = 3
const LATE_MS = 100
/** Most statements at once, if the earlier ones hang. */
const AT_ONCE_MAX = 3
/**
 * Minimum interval between the starts of two batches under load: a longer one saves little, and delays everybody. Measured at half of
 * the maximum load, 12 ms against 3 ms: 1/8 less CPU time per join, 1/5 less in the database. The p99 is 6 ms higher.
 */
const PACE_MS = 10

export function createJoinBatcher(options: JoinBatcherOptions): JoinBatcher {
  const { db, onBatch, onJoined, batchMax = 1000, queueMax = 20_000, lateMs = LATE_MS } = options
  let waiting: Pending[] = []
  const underWay = new Set<bigint>()
  // Members whose wallet was busy: one request of a member runs alone, and later requests of that member wait behind it.
  const alone = new Map<bigint, Pending[]>()
  const aloneWaiting: Pending[] = []
  let aloneRunning = 0
  let queued = 0
  let idleWaiters: (() => void)[] = []

  const begin = (): Promise<void> | undefined => {
    const { batch, rest } = takeBatch(waiting, shareMax(waiting.length, batchMax), underWay)
    waiting = rest
    // Every waiting request belongs to a member who is under way. The end of that batch looks again.
    return batch.length === 0 ? undefined : goTogether(batch)
  }
  const look = createBatchScheduler({ waiting: () => waiting.length, begin, atOnceMax: AT_ONCE_MAX, lateMs, paceMs: PACE_MS })

  const goTogether = async (batch: readonly Pending[]): Promise<void> => {
    const busy = await inShared(
      { name: 'join batch', kind: 'internal', attributes: { 'roz.batch.size': batch.length } },
      () => batch.map(({ span }) => span),
      () => runBatch(db, batch, { onBatch, onJoined }),
    )
    for (const { memberId } of batch) underWay.delete(memberId)
    for (const pending of busy) goAlone(pending)
    // Later requests of busy members wait behind the first one, instead of waiting for the wallet in a batch.
    if (busy.length > 0) waiting = waiting.filter((pending) => alone.get(pending.memberId)?.push(pending) === undefined)
  }

  const enter = (pending: Pending): void => {
    const behind = alone.get(pending.memberId)
    if (behind !== undefined) {
      behind.push(pending)
      return
    }
    waiting.push(pending)
    look()
  }

  const goAlone = (pending: Pending): void => {
    const behind = alone.get(pending.memberId)
    if (behind !== undefined) {
      behind.push(pending)
      return
    }
    alone.set(pending.memberId, [])
    aloneWaiting.push(pending)
    startAlone()
  }

  const startAlone = (): void => {
    while (aloneRunning < ALONE_MAX) {
      const pending = aloneWaiting.shift()
      if (pending === undefined) return
      aloneRunning++
      void inShared(
        { name: 'join alone', kind: 'internal' },
        () => [pending.span],
        () => joinAlone(db, pending, 'member'),
      )
        .then(
          (outcome) => pending.settle(outcome),
          (error: unknown) => pending.fail(error),
        )
        .then(() => {
          aloneRunning--
          const behind = alone.get(pending.memberId) ?? []
          alone.delete(pending.memberId)
          for (const next of behind) enter(next)
          startAlone()
        })
    }
  }

  const finishing = (): void => {
    queued--
    if (queued > 0) return
    const waiters = idleWaiters
    idleWaiters = []
    for (const wake of waiters) wake()
  }

  return {
    join: (request) => {
      if (queued >= queueMax) return Promise.resolve(refused('overloaded'))
      queued++
      return new Promise((resolve, reject) => enter(new Pending(request, resolve, reject, finishing)))
    },
    idle: () => (queued === 0 ? Promise.resolve() : new Promise((resolve) => idleWaiters.push(resolve))),
  }
}

/** Takes the oldest requests, at most one per member: a second request waits for the end of the first. Marks the members as under way. */
function takeBatch(
  waiting: readonly Pending[],
  batchMax: number,
  underWay: Set<bigint>,
): { readonly batch: Pending[]; readonly rest: Pending[] } {
  const batch: Pending[] = []
  const rest: Pending[] = []
  for (const pending of waiting) {
    if (batch.length === batchMax || underWay.has(pending.memberId)) rest.push(pending)
    else {
      underWay.add(pending.memberId)
      batch.push(pending)
    }
  }
  return { batch, rest }
}

/** The row of a join has all its fields. */
type JoinedRow = JoinRow & FoundJoin
type Told = Pick<JoinBatcherOptions, 'onBatch' | 'onJoined'>

/** Sends a batch and settles its requests, except the busy ones, which it returns. Never throws. */
async function runBatch(db: Db, batch: readonly Pending[], told: Told): Promise<Pending[]> {
  let rows: JoinRow[]
  try {
    rows = await send(db, batch)
  } catch (error) {
    if (error instanceof DatabaseUnavailableError || batch.length === 1) {
      for (const pending of batch) pending.fail(error)
      return []
    }
    // One request made the batch fail and roll back: halves the batch until that request is alone.
    const middle = batch.length >> 1
    return [...(await runBatch(db, batch.slice(0, middle), told)), ...(await runBatch(db, batch.slice(middle), told))]
  }
  const joined = rows.filter((row): row is JoinedRow => row.verdict === 'joined')
  told.onBatch?.({ asked: batch.length, joined: joined.length, day: joined[0]?.day })
  // Two batches after a lost answer: the members whom it had joined, and the rest, who were sent again.
  for (const [batchId, members] of Map.groupBy(joined, (row) => row.batchId)) {
    const { day, at } = members[0] as JoinedRow
    told.onJoined?.({ batchId, day, at, memberIds: members.map(({ memberId }) => memberId) })
  }
  try {
    return await settleRows(db, batch, rows)
  } catch (error) {
    for (const pending of batch) pending.fail(error)
    return []
  }
}

/** Sends the statement, and again with the same UUID after a lost answer or a deadlock. */
async function send(db: Db, batch: readonly Pending[]): Promise<JoinRow[]> {
  const uuid = randomUUID()
  const memberIds = membersOf(batch)
  const keyPrefixes = batch.map((pending) => pending.keyPrefix)
  const newest = [uuid]
  for (let attempt = 1; ; attempt++) {
    for (const pending of batch) pending.sentIn = pending.sentIn === UNSENT ? newest : [...pending.sentIn, uuid]
    try {
      return await passingHeld((held) => joinMembers(db, { uuid, via: 'member', memberIds, keyPrefixes, held }))
    } catch (error) {
      if (violatedConstraint(error) === 'join_batch_uuid_key') return afterLostAnswer(db, batch, uuid)
      if (attempt >= SEND_ATTEMPTS_MAX || !isWorthSendingAgain(error)) throw error
      if (error instanceof DatabaseUnavailableError) await pause(attempt)
    }
  }
}

/** The sending whose answer was lost has committed: finds its joins by its UUID, and sends the rest again. */
async function afterLostAnswer(db: Db, batch: readonly Pending[], uuid: string): Promise<JoinRow[]> {
  const found = await db.query<FoundJoin>(joinsOfBatches([uuid], membersOf(batch)))
  const rowOf = new Map(found.map((join): [bigint, JoinRow] => [join.memberId, { ...join, verdict: 'joined' }]))
  const rest = batch.filter(({ memberId }) => !rowOf.has(memberId))
  if (rest.length > 0) for (const row of await send(db, rest)) rowOf.set(row.memberId, row)
  return batch.map(({ memberId }) => rowOf.get(memberId) as JoinRow)
}

const membersOf = (batch: readonly Pending[]): bigint[] => batch.map((pending) => pending.memberId)

function isWorthSendingAgain(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError) return true
  const state = sqlState(error)
  return state === '40P01' || state === '40001'
}

const pause = (attempt: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.min(1000, 20 * 2 ** attempt)))

async function settleRows(db: Db, batch: readonly Pending[], rows: readonly JoinRow[]): Promise<Pending[]> {
  const busy: Pending[] = []
  const replayed: Pending[] = []
  const uncertain: { pending: Pending; verdict: JoinRefusal | 'may_not_move' }[] = []
  for (const [index, pending] of batch.entries()) {
    const row = rows[index] as JoinRow
    if (row.verdict === 'joined') pending.settle(accepted(joinedOf(row as JoinedRow, false)))
    else if (row.verdict === 'replayed') replayed.push(pending)
    else if (row.verdict === 'busy') busy.push(pending)
    else if (pending.sentIn.length > 1) uncertain.push({ pending, verdict: row.verdict })
    else pending.settle(refused(row.verdict))
  }
  // Later statements: a join that committed while this one waited is not in this one's snapshot.
  const again = uncertain.map(({ pending }) => pending)
  const [first, sent] = await Promise.all([
    replayed.length === 0 ? [] : db.query<FoundJoin>(newestJoins(membersOf(replayed))),
    again.length === 0
      ? []
      : db.query<FoundJoin>(
          joinsOfBatches(
            again.flatMap((pending) => pending.sentIn),
            membersOf(again),
          ),
        ),
  ])
  for (const pending of replayed) {
    const found = first.find((join) => join.memberId === pending.memberId)
    if (found === undefined) pending.fail(new Error('the first join of a repeated key was not found'))
    else pending.settle(accepted(joinedOf(found, true)))
  }
  for (const { pending, verdict } of uncertain) {
    const found = sent.find((join) => join.memberId === pending.memberId)
    pending.settle(found === undefined ? refused(verdict) : accepted(joinedOf(found, false)))
  }
  return busy
}
