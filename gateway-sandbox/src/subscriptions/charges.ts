/**
 * The life of a subscription's payments: INITIALIZED → PENDING → SUCCESS or FAILED; CANCELLED before the bank has it.
 *
 * - A payment id is used once in the account.
 * - A charge needs an ACTIVE subscription and at most the plan's maximum.
 * - A final state changes only by `force`, by RETRY after FAILED, or by the fault `late_success`.
 */
import type { Parts } from '../calls.ts'
import { duplicateCharge, invalid, noCharge, notNow, noSuchStep, wrongMode } from '../refusals.ts'
import type { Store } from '../store.ts'
import { HOUR_MS, readDebitDay } from './calendar.ts'
import type { Paying } from './charge-fields.ts'
import { announceCharge } from './events.ts'
import type { Charge, ChargeStatus, Subscription } from './model.ts'

export const NOTICE_FAILED = 'DEBIT FAILED | Pre-debit notification could not be delivered'
export const DEBIT_FAILED = 'DEBIT FAILED | Insufficient Funds In Customer (Remitter) Account'
export const NO_ACTION = 'No action performed by customer'

const STEPS: Readonly<Record<ChargeStatus, readonly ChargeStatus[]>> = {
  INITIALIZED: ['PENDING', 'SUCCESS', 'FAILED', 'CANCELLED'],
  PENDING: ['SUCCESS', 'FAILED'],
  SUCCESS: [],
  FAILED: [],
  CANCELLED: [],
}
export const chargeSteps = ({ status }: Charge): readonly ChargeStatus[] => STEPS[status]

const isOpen = ({ status }: Charge): boolean => status === 'INITIALIZED' || status === 'PENDING'

type NewCharge = Pick<Charge, 'paymentId' | 'type' | 'amountPaise' | 'day' | 'remarks'>

export function newCharge(store: Store, subscriptionId: string, input: NewCharge, nowMs: number): Charge {
  return {
    ...input,
    subscriptionId,
    cfPaymentId: (input.type === 'CHARGE' ? sharedNumber(store) : undefined) ?? store.nextCfId(),
    cfOrderId: store.nextCfId(),
    cfTxnId: null,
    status: 'INITIALIZED',
    initiatedAtMs: nowMs,
    endedAtMs: null,
    retryAttempts: 0,
    failureReason: null,
    noticeTries: 0,
    notifiedAtMs: null,
    attemptedAtMs: null,
    lateAtMs: null,
  }
}

/** With the fault `same_numbers`: the number of an order's payment that no charge has yet. */
function sharedNumber(store: Store): string | undefined {
  if (!store.faults().same_numbers) return undefined
  return [...store.attempts.keys()].findLast((cfPaymentId) => !store.charges.has(cfPaymentId))
}

/** Without a day the gateway never debits by itself: the controlled flow does. */
type Charging = Omit<Paying & { type: 'CHARGE' }, 'day' | 'subscriptionId'> & { readonly day: number | null }

export function createCharge(parts: Parts, subscription: Subscription, paying: Charging, nowMs: number): Charge {
  const { store } = parts
  const { paymentId, type, amountPaise, day, remarks } = paying
  if (store.chargeByPaymentId(paymentId) !== undefined) throw duplicateCharge()
  if (subscription.status !== 'ACTIVE') throw notNow('subscription', subscription.status, 'CHARGE')
  if (amountPaise > subscription.plan.maxAmountPaise) {
    throw invalid('payment_amount', `should be at most the plan's ${subscription.plan.maxAmountPaise / 100}`, amountPaise / 100)
  }
  return save(store, newCharge(store, subscription.subscriptionId, { paymentId, type, amountPaise, day, remarks }, nowMs))
}

/** An authorisation that the shop starts itself, without the hosted page. */
export function createAuth(parts: Parts, subscription: Subscription, paying: Paying & { type: 'AUTH' }, nowMs: number): Charge {
  const { store } = parts
  if (subscription.status !== 'INITIALIZED') throw wrongMode()
  if (paying.sessionId !== subscription.sessionId) throw invalid('subscription_session_id', 'is not present or is invalid', '')
  if (store.chargeByPaymentId(paying.paymentId) !== undefined) throw duplicateCharge()
  const { authAmountPaise: amountPaise } = subscription
  const input = { paymentId: paying.paymentId, type: 'AUTH', amountPaise, day: null, remarks: null } as const
  return save(store, newCharge(store, subscription.subscriptionId, input, nowMs))
}

export function readCharge(store: Store, paymentId: string, subscriptionId?: string): Charge {
  const charge = store.chargeByPaymentId(paymentId)
  if (charge === undefined || (subscriptionId !== undefined && charge.subscriptionId !== subscriptionId)) throw noCharge()
  return charge
}

export function save(store: Store, charge: Charge): Charge {
  store.put({ kind: 'charge', value: charge })
  return charge
}

type Move = { readonly status: ChargeStatus; readonly reason: string | undefined; readonly copies: number; readonly force: boolean }

/** Plays the bank. `force` allows any step, as by a gateway that reverses a final state. */
export function moveCharge(parts: Parts, charge: Charge, { status, reason, copies, force }: Move, nowMs: number): Charge {
  if (!force && !chargeSteps(charge).includes(status)) throw noSuchStep(charge.status, status)
  const { store } = parts
  const faults = store.faults()
  const isCharge = charge.type === 'CHARGE'
  if (faults.notice_fails && isCharge && status === 'SUCCESS' && !force) {
    return moveCharge(parts, charge, { status: 'FAILED', reason: NOTICE_FAILED, copies, force }, nowMs)
  }
  const isDebit = status === 'PENDING' || status === 'SUCCESS' || status === 'FAILED'
  const moved = save(store, {
    ...charge,
    status,
    cfTxnId: charge.cfTxnId ?? (isDebit ? store.nextCfId() : null),
    endedAtMs: status === 'INITIALIZED' || status === 'PENDING' ? null : nowMs,
    failureReason: status === 'FAILED' ? (reason ?? DEBIT_FAILED) : null,
    lateAtMs: faults.late_success && isCharge && status === 'FAILED' ? nowMs + HOUR_MS : null,
  })
  announceCharge(parts, moved, copies, nowMs)
  if (faults.debit_twice && isCharge && status === 'SUCCESS') debitAgain(parts, moved, copies, nowMs)
  return moved
}

/** The fault of a bank or a gateway: one charge, two debits under one payment id. */
function debitAgain(parts: Parts, charge: Charge, copies: number, nowMs: number): void {
  const { store } = parts
  const second = { ...charge, cfPaymentId: store.nextCfId(), cfOrderId: store.nextCfId(), cfTxnId: store.nextCfId() }
  announceCharge(parts, save(store, second), copies, nowMs)
}

export function cancelCharge(parts: Parts, charge: Charge, nowMs: number): Charge {
  if (charge.type !== 'CHARGE' || charge.status !== 'INITIALIZED') throw notNow('payment', charge.status, 'CANCEL')
  if (parts.store.faults().cancel_ignored) return charge
  return moveCharge(parts, charge, { status: 'CANCELLED', reason: undefined, copies: 1, force: false }, nowMs)
}

export function cancelOpenCharges(parts: Parts, subscriptionId: string, nowMs: number): void {
  for (const charge of parts.store.chargesOf(subscriptionId)) {
    if (charge.type === 'CHARGE' && charge.status === 'INITIALIZED') cancelCharge(parts, charge, nowMs)
  }
}

/** RETRY asks for the same debit on another day. */
export function retryCharge(parts: Parts, subscription: Subscription, charge: Charge, nextTime: unknown, nowMs: number): Charge {
  if (charge.day === null || charge.status !== 'FAILED') throw notNow('payment', charge.status, 'RETRY')
  if (subscription.status !== 'ACTIVE') throw notNow('subscription', subscription.status, 'RETRY')
  const day = readDebitDay(nextTime, 'action_details.next_scheduled_time', nowMs)
  return save(parts.store, { ...charge, ...UNTRIED, status: 'INITIALIZED', day, retryAttempts: 0 })
}

/** A charge for another day begins again, with a notification of its own. */
const UNTRIED = { endedAtMs: null, failureReason: null, noticeTries: 0, notifiedAtMs: null, attemptedAtMs: null, lateAtMs: null } as const

/** Plays the gateway that moves an open charge by a day. */
export function rescheduleCharge(parts: Parts, charge: Charge): Charge {
  if (!isOpen(charge) || charge.day === null) throw notNow('payment', charge.status, 'RESCHEDULE')
  return save(parts.store, { ...charge, ...UNTRIED, status: 'INITIALIZED', day: charge.day + 1 })
}

/** The issuer tells the payer of the debit. */
export function notify(parts: Parts, charge: Charge, copies: number, atMs: number, nowMs: number): Charge {
  if (charge.type !== 'CHARGE' || charge.status !== 'INITIALIZED') throw noSuchStep(charge.status, 'NOTIFIED')
  const notified = save(parts.store, { ...charge, noticeTries: charge.noticeTries + 1, notifiedAtMs: atMs })
  announceCharge(parts, notified, copies, nowMs, 'SUBSCRIPTION_PAYMENT_NOTIFICATION_INITIATED')
  return notified
}
