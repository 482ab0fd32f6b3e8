/**
 * The gateway's faults and their times: each switch of the sandbox (gateway-sandbox/README.md) has a part of a day, and most a night.
 * - Switches of debits come again at the end of the month, when debits are due.
 * - The rest of the members' day is without a fault, so that every payment of the month is made.
 */
import { EDGES } from '@roz/gateway-sandbox/faults.ts'
import type { Json } from './world.ts'

export type Fault = {
  readonly name: string
  readonly switches: Json
  /** A call waits ten seconds for an answer: few calls are made meanwhile. */
  readonly isSlow?: boolean
}

const fault = (name: string, switches: Json, more: Partial<Fault> = {}): Fault => ({ name, switches, ...more })

/** Of webhooks, answers and amounts. */
const OF_CALLS: readonly Fault[] = [
  fault('duplicate', { duplicate: 4 }),
  fault('late webhooks', { delayMs: 1500 }),
  fault('shuffle', { shuffle: true, duplicate: 2 }),
  fault('tamper', { tamper: true }),
  fault('lose', { lose: true }),
  fault('aged', { agedMs: 3_600_000 }),
  fault('rate_limit', { api: 'rate_limit' }),
  fault('bank_failure', { api: 'bank_failure' }),
  fault('error_after_commit', { api: 'error_after_commit' }),
  fault('no_answer', { api: 'no_answer' }, { isSlow: true }),
  ...EDGES.filter((edge) => edge !== 'none').map((edge) => fault(edge, { edge })),
  fault('surcharge', { surcharge: 1 }),
  fault('rate', { rate: 5 }),
  fault('limits', { limits: 'production' }),
  fault('mismatch_400', { mismatch_400: true }),
  fault('settlement_off', { settlement_off: true }),
]

/** Of mandates and their debits. */
const OF_DEBITS: readonly Fault[] = [
  fault('auth_one_rupee', { auth_one_rupee: true }),
  fault('same_numbers', { same_numbers: true }),
  fault('debit_twice', { debit_twice: true }),
  fault('refuse', { debits: 'refuse' }),
  fault('late_success', { debits: 'refuse', late_success: true }),
  fault('cancel_ignored', { cancel_ignored: true }),
  fault('notice_fails', { notice_fails: true }),
]

/** The gateway as it should be: payers' banks pay. */
export const WELL: Json = { debits: 'pay' }
/** A time of its own, because everything that the gateway says meanwhile is in that currency. */
export const FOREIGN = fault('currency', { currency: 'USD' })
export const ALL_FAULTS: readonly Fault[] = [...OF_DEBITS, ...OF_CALLS, FOREIGN]
/** From this day on debits of the first mandates are due. */
const DEBITS_FROM = 25
const IN_TURN: readonly Fault[] = [...OF_DEBITS, ...OF_CALLS]
const A_DAY = 2
const FOREIGN_EVERY = 10

const nth = (faults: readonly Fault[], n: number): Fault => faults[n % faults.length] as Fault

/** The faults of the members' day, one after the other. */
export const faultsOfDay = (day: number): readonly Fault[] =>
  Array.from({ length: A_DAY }, (_, n) => nth(day < DEBITS_FROM ? IN_TURN : OF_DEBITS, day * A_DAY + n))
/** The fault of the night after a day, which the reading of settlements meets. */
export const faultOfNight = (day: number): Fault => (day < DEBITS_FROM ? nth(OF_CALLS, day * 5 + 3) : nth(OF_DEBITS, day + 3))
export const isForeignDay = (day: number): boolean => day % FOREIGN_EVERY === 3
