/**
 * The gateway's own steps with charges when its clock moves.
 *
 * - With the fault switch `debits` at `wait`, the default, nothing: a person or a test plays the bank.
 * - `pay` and `refuse`: the payer is notified on the day before, at most seven times an hour apart. The debit follows 25 hours after a
 *   successful notification, inside a debit window of its day; a refused one is repeated three times, an hour apart, on the same day.
 * - A debit that `late_success` marked succeeds when its hour is over, whatever `debits` says.
 */
import type { Parts } from '../calls.ts'
import { advanceTransfers } from '../moves.ts'
import { dayOf, DAY_MS, dayStart, HOUR_MS, nextDebitTime } from './calendar.ts'
import { DEBIT_FAILED, moveCharge, NOTICE_FAILED, notify, save } from './charges.ts'
import type { Charge } from './model.ts'

const TICK_MS = 1_000
const NOTICE_BEFORE_MS = 25 * HOUR_MS
const NOTICE_TRIES = 7
const RETRIES = 3
const NOT_ACTIVE = 'DEBIT FAILED | Mandate is not active'

/** Moves every open charge to where it is at `nowMs`. */
export function advance(parts: Parts, nowMs: number): void {
  for (const charge of parts.store.openCharges()) {
    if (charge.lateAtMs !== null && charge.status === 'FAILED') {
      if (charge.lateAtMs <= nowMs) moveCharge(parts, charge, { status: 'SUCCESS', reason: undefined, copies: 1, force: true }, nowMs)
    } else if (parts.store.faults().debits !== 'wait' && charge.day !== null) {
      const notified = noticed(parts, charge, charge.day, nowMs)
      if (notified !== undefined) debited(parts, notified, charge.day, nowMs)
    }
  }
}

/** The charge once its payer was notified; undefined while that waits, or after it failed. */
function noticed(parts: Parts, charge: Charge, day: number, nowMs: number): Charge | undefined {
  let one = charge
  const firstMs = Math.max(charge.initiatedAtMs, dayStart(day) - DAY_MS)
  while (one.notifiedAtMs === null) {
    const dueMs = firstMs + one.noticeTries * HOUR_MS
    if (dueMs > nowMs) return undefined
    if (!parts.store.faults().notice_fails) return notify(parts, one, 1, dueMs, nowMs)
    one = save(parts.store, { ...one, noticeTries: one.noticeTries + 1 })
    if (one.noticeTries === NOTICE_TRIES) {
      moveCharge(parts, one, { status: 'FAILED', reason: NOTICE_FAILED, copies: 1, force: false }, nowMs)
      return undefined
    }
  }
  return one
}

function debited(parts: Parts, charge: Charge, day: number, nowMs: number): void {
  const isActive = parts.store.subscriptions.get(charge.subscriptionId)?.status === 'ACTIVE'
  const end = (one: Charge, status: 'SUCCESS' | 'FAILED', reason = DEBIT_FAILED): void => {
    moveCharge(parts, one, { status, reason, copies: 1, force: false }, nowMs)
  }
  let one = charge
  for (;;) {
    const { attemptedAtMs } = one
    const earliestMs =
      attemptedAtMs === null ? Math.max((one.notifiedAtMs ?? 0) + NOTICE_BEFORE_MS, dayStart(day)) : attemptedAtMs + HOUR_MS
    const dueMs = nextDebitTime(earliestMs)
    if (dayOf(dueMs) > day) return end(one, 'FAILED')
    if (dueMs > nowMs) return
    if (!isActive) return end(one, 'FAILED', NOT_ACTIVE)
    if (parts.store.faults().debits === 'pay') return end(one, 'SUCCESS')
    const tried = { ...one, attemptedAtMs: dueMs, retryAttempts: attemptedAtMs === null ? 0 : one.retryAttempts + 1 }
    if (tried.retryAttempts === RETRIES) return end(tried, 'FAILED')
    // The gateway keeps a refused debit PENDING until the last repetition.
    const pending = { status: 'PENDING', reason: undefined, copies: 0, force: false } as const
    one = one.status === 'PENDING' ? save(parts.store, tried) : moveCharge(parts, tried, pending, nowMs)
  }
}

/** Moves charges, and transfers of test data, though nobody asks for them: their webhooks are due. */
export function startTimekeeper(parts: Parts): { close(): void } {
  let isClosed = false
  async function tick(): Promise<void> {
    if (parts.store.openCharges().length === 0 && parts.store.scheduledTransfers().length === 0) return
    const nowMs = await parts.clock.recent()
    if (isClosed) return
    advance(parts, nowMs)
    advanceTransfers(parts, nowMs)
  }
  const timer = setInterval(() => void tick().catch(console.error), TICK_MS)
  return {
    close() {
      isClosed = true
      clearInterval(timer)
    },
  }
}
