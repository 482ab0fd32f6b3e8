/**
 * Who shares a statement with whom. Invariants: what is asked for while a statement runs goes into the
 * next one; one statement at a time, so that the more there is, the more of it shares one; in a crowd the
 * next one is not begun at once, unless enough wait, so that more of it shares it; a lone one waits for
 * nobody and for no timer; whoever waits behind one that hangs is looked after once it is late, however
 * they came, and also where nobody comes after them.
 */
export type Turns = {
  /** How many wait. */
  readonly waiting: () => number
  /** Takes those whose turn it is and begins with them, never to fail; undefined where nobody may go yet. */
  readonly begin: () => Promise<void> | undefined
  /** Statements at once, where the ones before hang. */
  readonly atOnceMax: number
  /** A statement that takes longer than this is not waited for. */
  readonly lateMs: number
  /** In a crowd: from the begin of one statement to that of the next, at least. */
  readonly paceMs: number
}

/**
 * How many of those who wait may share the next statement: a quarter, so that the database works for some while
 * answers of others leave and requests of others arrive; below so many, all of them, for a statement costs
 * as much as a few dozen of those who share it. Measured with 512 who join at once: all together take a
 * tenth longer, and so do they by the sixty.
 */
const TOGETHER = 256
export const shareMax = (waiting: number, most: number): number => Math.min(most, Math.max(TOGETHER, Math.ceil(waiting / 4)))

/**
 * So many who shared a statement are a crowd: the next one keeps the pace, so that more of them share it.
 * Where each is small, one of them takes the processor that the server is working on, again and again.
 */
const CROWD = 3

/** So many are enough for a statement, whatever the pace: to gather still more of them would leave everybody waiting for each other. */
const ENOUGH = 160

/** To be called whenever somebody has come. */
export function createTurns({ waiting, begin, atOnceMax, lateMs, paceMs }: Turns): () => void {
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
    // After this turn of input: all who came with it share the statement.
    setImmediate(() => {
      isPlanned = false
      void next()
    })
  }

  /** One timer, for the earliest: what it finds decides anew. */
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
