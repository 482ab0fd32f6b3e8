/**
 * Who shares a statement with whom. Invariants: what is asked for while a statement runs goes into the
 * next one, without a timer, so that a lone one waits for nobody; one statement at a time, so that the
 * more there is, the more of it shares one; but whoever waits behind one that hangs is looked after
 * once it is late, however they came, and also where nobody comes after them.
 */
export type Turns = {
  readonly isWaiting: () => boolean
  /** Takes those whose turn it is and begins with them, never to fail; undefined where nobody may go yet. */
  readonly begin: () => Promise<void> | undefined
  /** Statements at once, where the ones before hang. */
  readonly atOnceMax: number
  /** A statement that takes longer than this is not waited for. */
  readonly lateMs: number
}

/** To be called whenever somebody has come. */
export function createTurns({ isWaiting, begin, atOnceMax, lateMs }: Turns): () => void {
  let running = 0
  let begunAt = 0
  let isPlanned = false
  let isTimed = false

  const look = (): void => {
    if (isPlanned || !isWaiting()) return
    const isFree = running === 0 || (running < atOnceMax && performance.now() - begunAt > lateMs)
    if (!isFree) return lookLater()
    isPlanned = true
    // After this turn of input: all who came with it share the statement.
    setImmediate(() => {
      isPlanned = false
      void next()
    })
  }

  const lookLater = (): void => {
    if (isTimed || running >= atOnceMax) return
    isTimed = true
    setTimeout(() => {
      isTimed = false
      look()
    }, lateMs + 1).unref()
  }

  const next = async (): Promise<void> => {
    const work = begin()
    if (work === undefined) return
    running++
    begunAt = performance.now()
    look()
    await work
    running--
    look()
  }

  return look
}
