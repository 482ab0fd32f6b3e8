/**
 * The life of a settlement: the gateway pays out what is open, less its charges.
 *
 * - An event is in one live settlement at most. Those of a FAILED or REVERSED settlement come again in a later one.
 * - A settlement never pays less than nothing: what would stays open.
 */
import type { Parts } from '../calls.ts'
import { noSettlement, noSuchStep, Refusal } from '../refusals.ts'
import type { Store } from '../store.ts'
import { announceSettlement } from './events.ts'
import { adjustment, credit, moneyEvents, settledIn } from './ledger.ts'
import type { MoneyEvent, Settlement, SettlementStatus } from './model.ts'

const SHORT_PAISE = 100

export const SETTLEMENT_STATUSES = ['SUCCESS', 'PENDING', 'PENDING_WITH_CASHFREE', 'PENDING_WITH_BANK', 'FAILED', 'REVERSED'] as const

type NewSettlement = {
  readonly status: SettlementStatus
  readonly reason: string | null
  /** Which of the open events are settled. */
  readonly includes: (event: MoneyEvent) => boolean
  readonly adjustmentPaise: number
  readonly remarks: string | null
}

const nothing = (message: string): Refusal => new Refusal(409, message, 'nothing_to_settle')

export function settle(parts: Parts, input: NewSettlement, copies: number, nowMs: number): Settlement {
  const { store } = parts
  const settled = settledIn(store)
  const open = moneyEvents(store).filter((event) => !settled.has(event.key) && input.includes(event))
  const adjusted = input.adjustmentPaise === 0 ? [] : [adjustment(store, input.adjustmentPaise, input.remarks, nowMs)]
  const events = [...open, ...adjusted]
  const paidPaise = events.reduce((sum, event) => sum + credit(event), 0)
  if (events.length === 0) throw nothing('there is nothing to settle')
  if (paidPaise < 0) throw nothing('what was taken exceeds what was paid')
  const isDone = input.status === 'SUCCESS'
  const settlement: Settlement = {
    settlementId: store.nextCfId(),
    utr: isDone ? newUtr(store) : null,
    status: input.status,
    events,
    paymentFromMs: Math.min(...events.map(({ atMs }) => atMs)),
    paymentTillMs: Math.max(...events.map(({ atMs }) => atMs)),
    initiatedAtMs: nowMs,
    processedAtMs: isDone ? nowMs : null,
    amountSettledPaise: paidPaise - (store.faults().settlement_off ? SHORT_PAISE : 0),
    reason: input.reason,
  }
  store.put({ kind: 'settlement', value: settlement })
  announceSettlement(parts, settlement, 'SETTLEMENT_INITIATED', copies, nowMs)
  announceEnd(parts, settlement, copies, nowMs)
  return settlement
}

/** The number of the transfer at the bank: digits, as the gateway's webhooks write it as a number. */
const newUtr = (store: Store): string => `26${store.nextCfId()}`

const ENDS = { SUCCESS: 'SETTLEMENT_SUCCESS', FAILED: 'SETTLEMENT_FAILED', REVERSED: 'SETTLEMENT_REVERSED' } as const

function announceEnd(parts: Parts, settlement: Settlement, copies: number, nowMs: number): void {
  const { status } = settlement
  if (status === 'SUCCESS' || status === 'FAILED' || status === 'REVERSED')
    announceSettlement(parts, settlement, ENDS[status], copies, nowMs)
}

export function readSettlement(store: Store, settlementId: string): Settlement {
  const settlement = store.settlements.get(settlementId)
  if (settlement === undefined) throw noSettlement()
  return settlement
}

const isPending = (status: SettlementStatus): boolean => status.startsWith('PENDING')

/** The states that may follow: a settlement that was paid can only come back. */
export function settlementSteps({ status }: Settlement): readonly SettlementStatus[] {
  if (isPending(status)) return SETTLEMENT_STATUSES.filter((one) => one !== status && one !== 'REVERSED')
  return status === 'SUCCESS' ? ['REVERSED'] : []
}

type Move = { readonly status: SettlementStatus; readonly reason: string | null; readonly copies: number; readonly force: boolean }

export function moveSettlement(parts: Parts, settlementId: string, { status, reason, copies, force }: Move, nowMs: number): Settlement {
  const settlement = readSettlement(parts.store, settlementId)
  if (!force && !settlementSteps(settlement).includes(status)) throw noSuchStep(settlement.status, status)
  const isDone = status === 'SUCCESS'
  const moved: Settlement = {
    ...settlement,
    status,
    reason,
    utr: settlement.utr ?? (isDone ? newUtr(parts.store) : null),
    processedAtMs: settlement.processedAtMs ?? (isDone ? nowMs : null),
  }
  parts.store.put({ kind: 'settlement', value: moved })
  announceEnd(parts, moved, copies, nowMs)
  return moved
}
