/** Shared by the steps of a random history: the operations so far, the ids in use, and picking by a number. */
import { type addDays, startOfDayMs } from '@roz/core/ist-day.ts'
import { POLICY_A, policyB } from '@roz/core/split.ts'
import type { Books } from './model-books.ts'
import type { Op } from './model-ops.ts'

/** No wallet has this id. */
export const STRANGER = 9_000_000_000n
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/** The operations that one history has done, and the ids that it has given. */
export class History {
  readonly done: Op[] = []
  readonly #number: number
  #ids = 0
  #days = 0

  constructor(number: number) {
    this.#number = number
  }

  get disputes(): string {
    return `dp${this.#number}-`
  }
  dispute(index: number): string {
    return `${this.disputes}${index}`
  }
  disbursement(index: number): string {
    return `need${this.#number}-${index}`
  }
  receipt(index: number): string {
    return `receipt${this.#number}-${index}`
  }
  uuid(): string {
    this.#ids++
    return `${this.#number.toString(16).padStart(8, '0')}-0000-4000-8000-${this.#ids.toString(16).padStart(12, '0')}`
  }
  orderId(): string {
    return this.uuid().replaceAll('-', '')
  }
  /** Each day's clock is 2 minutes earlier than the day before. A top-up is then refundable on its seventh day, as in the model. */
  newDay(day: ReturnType<typeof addDays>, policy: number): Op {
    const at = new Date(startOfDayMs(day) + 20 * HOUR_MS - this.#days * 2 * MINUTE_MS)
    this.#days++
    return { do: 'new day', day, at, policy: pick([POLICY_A, policyB(2), policyB(4)], policy) as typeof POLICY_A }
  }
}

export function pick<T>(from: readonly T[], n: number): T | undefined {
  // One of the six newest: recent things can still go wrong.
  return from.length === 0 ? undefined : from[from.length - 1 - (n % Math.min(from.length, 6))]
}
const idsOf = (books: Books): bigint[] => [...books.members.keys()]
export const memberOf = (books: Books, n: number): bigint => idsOf(books)[n % books.members.size] as bigint
export const anyoneOf = (books: Books, n: number): bigint => (n % 12 === 11 ? STRANGER : memberOf(books, n))
export const paymentOf = (orderId: string): string => `pay-${orderId}`
