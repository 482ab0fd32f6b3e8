/**
 * The rules of AutoPay: a top-up that the gateway debits when a wallet runs low.
 * - At most one debit in 27 days, and never a second one before the first has ended.
 * - Three failures in a row, and it rests until the member tries again.
 * - The gateway's final status of a mandate always wins; its unknown words change nothing.
 */
import { addDays, dayAt, type IstDay, startOfDayMs } from './ist-day.ts'

/** Days from a paid debit to the next one. */
export const AUTOPAY_GAP_DAYS = 27
/** A debit is raised this many days ahead: the payer's bank tells the payer a day before. */
export const AUTOPAY_AHEAD_DAYS = 2
/** After the first and the second failure in a row the next debit comes at least so many days later; after the third it rests. */
const AUTOPAY_RETRY_DAYS = [3, 7] as const
const AUTOPAY_FAILURES_MAX = AUTOPAY_RETRY_DAYS.length + 1
export const AUTOPAY_YEARS = 3

export const AUTOPAY_STATES = [
  'setup',
  'bank',
  'on',
  'paused',
  'payer_paused',
  'resting',
  'stopping',
  'stopped',
  'payer_stopped',
  'ended',
  'lapsed',
] as const
export type AutopayState = (typeof AUTOPAY_STATES)[number]
/** From these nothing follows: the member may set up another one. */
export const AUTOPAY_ENDED: ReadonlySet<AutopayState> = new Set(['stopped', 'payer_stopped', 'ended', 'lapsed'])

/** Why nothing is debited though a mandate is on: the operator has switched it off, the limits no longer allow its amount, or as named. */
export const AUTOPAY_IDLE = ['switched_off', 'amount_not_allowed', 'auto_participate_off'] as const

/** The gateway's status of a mandate, as its port names it. */
export type MandateStatus =
  | 'INITIALIZED'
  | 'BANK_APPROVAL_PENDING'
  | 'ACTIVE'
  | 'CUSTOMER_PAUSED'
  | 'CUSTOMER_CANCELLED'
  | 'CANCELLED'
  | 'COMPLETED'
  /** Also an authorisation that was never begun. */
  | 'EXPIRED'
  | 'UNKNOWN'

const FINAL: ReadonlySet<MandateStatus> = new Set(['CUSTOMER_CANCELLED', 'CANCELLED', 'COMPLETED', 'EXPIRED'])
export const isFinalMandate = (status: MandateStatus): boolean => FINAL.has(status)

type MandateWishes = { readonly state: AutopayState; readonly isPaused: boolean; readonly failures: number }

/** The state of a working mandate by the member's own wishes. */
export const workingState = ({ isPaused, failures }: Omit<MandateWishes, 'state'>): AutopayState =>
  isPaused ? 'paused' : failures >= AUTOPAY_FAILURES_MAX ? 'resting' : 'on'

/** The state after the gateway has told its status. */
export function stateAfter(standing: MandateWishes, status: MandateStatus): AutopayState {
  const { state } = standing
  if (AUTOPAY_ENDED.has(state)) return state
  const isSetup = state === 'setup' || state === 'bank'
  switch (status) {
    case 'CANCELLED':
      return 'stopped'
    case 'CUSTOMER_CANCELLED':
      return state === 'stopping' ? 'stopped' : 'payer_stopped'
    case 'COMPLETED':
      return state === 'stopping' ? 'stopped' : 'ended'
    case 'EXPIRED':
      return state === 'stopping' ? 'stopped' : isSetup ? 'lapsed' : 'ended'
    default:
      break
  }
  // Our own stop stands until the gateway confirms it.
  if (state === 'stopping') return state
  if (status === 'ACTIVE') return workingState(standing)
  if (status === 'CUSTOMER_PAUSED') return 'payer_paused'
  if (status === 'BANK_APPROVAL_PENDING' && isSetup) return 'bank'
  return state
}

/** The first day of the next debit after a failure; undefined: it rests. `failures` counts this one. */
export function dayAfterFailure(day: IstDay, failures: number): IstDay | undefined {
  const wait = AUTOPAY_RETRY_DAYS[failures - 1]
  return wait === undefined ? undefined : addDays(day, wait)
}

const HOUR_MS = 3_600_000
/** After the bank's hours of the day, at its end, and later: by the last one a person must look. */
const ASKED_MS = [10.5, 17.5, 24, 48, 96, 144].map((hours) => hours * HOUR_MS)
/** A debit without an end this long after its day began needs a person. */
const LATE_MS = 144 * HOUR_MS

/** When the gateway is asked next about a debit of this day that has not ended; daily once it is late. */
export function nextQuestionMs(day: IstDay, nowMs: number): number {
  const start = startOfDayMs(day)
  const next = ASKED_MS.map((wait) => start + wait).find((at) => at > nowMs)
  return next ?? nowMs + 24 * HOUR_MS
}

export const isLateCharge = (day: IstDay, nowMs: number): boolean => nowMs >= startOfDayMs(day) + LATE_MS

/** Debits are raised in these hours, in Kolkata: after the day's rounds, and before the gateway's own end of the day. */
const RAISED_FROM_MS = 6 * HOUR_MS
const RAISED_UNTIL_MS = 20.5 * HOUR_MS
export function mayRaiseAt(nowMs: number): boolean {
  const time = nowMs - startOfDayMs(dayAt(nowMs))
  return time >= RAISED_FROM_MS && time < RAISED_UNTIL_MS
}

/** Whether the gateway still takes a debit of this day: until the evening before. */
export const mayStillSend = (day: IstDay, nowMs: number): boolean => nowMs < startOfDayMs(addDays(day, -1)) + RAISED_UNTIL_MS
