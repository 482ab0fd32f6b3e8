/**
 * Decides when the next batch starts and how many requests share its statement.
 * - Requests that arrive while a statement runs wait for the next batch. Under load, more requests share each statement.
 * - One statement runs at a time, unless the one before is late (`lateMs`); then up to `atOnceMax` run.
 * - After a batch of 3 or more, the next one starts at least `paceMs` after that batch's start, unless 160 requests wait.
 * - A single request without load waits for no other request and for no timer.
 * - A timer starts the next batch behind a late statement, also when no further request arrives.
 */
type BatchSchedule = {
  /** The number of waiting requests. */
  readonly waiting: () => number
  /** Takes the next batch and starts its statement. The promise must not reject. Undefined: no batch may start yet. */
  readonly begin: () => Promise<void> | undefined
  /** Maximum number of concurrent statements, while earlier ones are late. */
  readonly atOnceMax: number
  /** A statement that takes longer than this is late: the next batch does not wait for it. */
  readonly lateMs: number
  /** Minimum interval between the starts of two batches under load. */
  readonly paceMs: number
}

/**
 * Size of the next batch: a quarter of the waiting requests, but at least 256. A quarter lets the database work
 * while the server sends answers and reads requests. A statement's fixed cost equals the cost of a few dozen requests.
 * Measured with 512 simultaneous joins: batches of 512 or of 60 are both 10 % slower.
 */
const TOGETHER = 256
export const shareMax = (waiting: number, most: number): number => Math.min(most, Math.max(TOGETHER, Math.ceil(waiting / 4)))

/**
 * A batch of this size counts as load: the next one keeps `paceMs`, so that more requests share it.
 * Without the interval, small batches keep preempting the server's CPU.
 */
const CROWD = 3

/** This many waiting requests start a batch before `paceMs` is over: gathering more would only add latency. */
const ENOUGH = 160

/** Returns a function to call after each new request. */
export function createBatchScheduler({ waiting, begin, atOnceMax, lateMs, paceMs }: BatchSchedule): () => void {
  let running = 0
  let begunAt = Number.NEGATIVE_INFINITY
  let shared = 0
  let isPlanned = false
  let timer: { readonly dueAt: number; readonly handle: NodeJS.Timeout } | undefined

  const look = (): void => {
    if (isPlanned || waiting() === 0) return
    if (running >= atOnceMax) return
    const keepsPace = shared >= CROWD && waiting() < ENOUGH
    const dueAt = begunAt + (running > 0 ? lateMs : keepsPace ? paceMs : 0)
    const now = performance.now()
    if (dueAt > now) return lookAt(dueAt, dueAt - now)
    isPlanned = true
    // After this turn of the event loop: all requests that arrived in it share the statement.
    setImmediate(() => {
      isPlanned = false
      void next()
    })
  }

  /** One timer, for the earliest due time. When it fires, `look` decides again. */
  const lookAt = (dueAt: number, inMs: number): void => {
    if (timer !== undefined && timer.dueAt <= dueAt) return
    clearTimeout(timer?.handle)
    const handle = setTimeout(() => {
      timer = undefined
      look()
    }, inMs)
    timer = { dueAt, handle }
  }

  const next = async (): Promise<void> => {
    const before = waiting()
    const work = begin()
    if (work === undefined) return
    shared = before - waiting()
    running++
    begunAt = performance.now()
    look()
    await work
    running--
    look()
  }

  return look
}
