/**
 * Follows an order from the payer's return until it is final.
 * - It asks at once, then after growing pauses, also after a failure: a phone that comes back from a UPI app often has a dead connection.
 * - A question without an answer is given up after 20 s, and the next one follows.
 * - A hidden page does not ask. It asks at once when it is shown or online again, and gives up a question that is under way.
 * - An order that is known stays shown, whatever a later question brings.
 */
import { deferred } from '../../app/deferred.ts'
import { type OrderView, recheckDelayMs } from './order-view.ts'

/** Why there is no order to show. */
type Problem = 'not_found' | 'no_data' | 'not_fetched'
export type OrderAnswered = { readonly order: OrderView } | { readonly problem: Problem }
/** `asked`: how many questions have ended. */
export type Followed = { readonly order?: OrderView; readonly problem?: Problem; readonly asked: number }

type Following = {
  /** Asks now; undefined if no answer came in time, or another question took its place. */
  readonly ask: () => Promise<OrderAnswered | undefined>
  /** The page is seen again: asks, unless it has asked in the last 2 s or the order is final. */
  readonly wake: () => void
  readonly end: () => void
}

type Around = {
  readonly check: (signal: AbortSignal) => Promise<OrderAnswered>
  readonly show: (followed: Followed) => void
  readonly isHidden: () => boolean
  readonly nowMs: () => number
  /** Runs `work` later; returns its cancellation. */
  readonly later: (work: () => void, ms: number) => () => void
}

export const GIVE_UP_MS = 20_000
const JUST_ASKED_MS = 2000

export function followOrder({ check, show, isHidden, nowMs, later }: Around): Following {
  let followed: Followed = { asked: 0 }
  let current: AbortController | undefined
  let askedAtMs = -Infinity
  let cancelNext = (): void => undefined
  const isOver = (): boolean => followed.order?.isFinal === true || (followed.order === undefined && followed.problem === 'not_found')

  function note(told: OrderAnswered | undefined): void {
    const { order } = followed
    const asked = followed.asked + 1
    if (told !== undefined && 'order' in told) followed = { order: told.order, asked }
    else if (order !== undefined) followed = { order, asked }
    else if (told === undefined) followed = { ...followed, asked }
    else followed = { problem: told.problem, asked }
    show(followed)
    if (!isOver()) cancelNext = later(() => void (isHidden() ? undefined : ask()), recheckDelayMs(asked))
  }

  async function ask(): Promise<OrderAnswered | undefined> {
    cancelNext()
    current?.abort()
    const mine = new AbortController()
    current = mine
    askedAtMs = nowMs()
    const lapsed = deferred<undefined>()
    const cancelLapse = later(() => lapsed.resolve(undefined), GIVE_UP_MS)
    const told = await Promise.race([check(mine.signal), lapsed.promise])
    cancelLapse()
    if (current !== mine) return undefined
    current = undefined
    mine.abort()
    note(told)
    return told
  }

  return {
    ask,
    wake: () => {
      if (!isOver() && !isHidden() && nowMs() - askedAtMs >= JUST_ASKED_MS) void ask()
    },
    end: () => {
      cancelNext()
      current?.abort()
      current = undefined
    },
  }
}
