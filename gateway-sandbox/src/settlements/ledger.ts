/**
 * Credits and debits of the account, derived from payments, refunds and disputes.
 *
 * - The gateway keeps 1.95 % of a payment and 18 % tax on that, each to the paisa.
 * - A refund or a lost dispute is taken once it is final. If it is reversed after it was settled, it comes back as an event of its own.
 */
import type { Dispute } from '../model.ts'
import type { Store } from '../store.ts'
import type { EventType, MoneyEvent, Settlement } from './model.ts'

const CHARGE_PER_10_000 = 195
const TAX_PERCENT = 18

export function feeOf(amountPaise: number): { chargePaise: number; taxPaise: number } {
  const totalPaise = Math.round((amountPaise * CHARGE_PER_10_000 * (100 + TAX_PERCENT)) / 1_000_000)
  const taxPaise = Math.round((amountPaise * CHARGE_PER_10_000 * TAX_PERCENT) / 1_000_000)
  return { chargePaise: totalPaise - taxPaise, taxPaise }
}

const NOTHING = { chargePaise: 0, taxPaise: 0, orderId: null, cfPaymentId: null, refundId: null, disputeId: null, remarks: null } as const

export const credit = ({ sale, amountPaise, chargePaise, taxPaise }: MoneyEvent): number =>
  sale === 'CREDIT' ? amountPaise - chargePaise - taxPaise : -(amountPaise + chargePaise + taxPaise)

/** A settlement that came back pays nothing: its events are open again. */
const isLive = ({ status }: Settlement): boolean => status !== 'FAILED' && status !== 'REVERSED'

/** Where each event was settled. */
export function settledIn(store: Store): ReadonlyMap<string, Settlement> {
  const found = new Map<string, Settlement>()
  for (const settlement of store.settlements.values()) {
    if (isLive(settlement)) for (const { key } of settlement.events) found.set(key, settlement)
  }
  return found
}

/** All events, oldest first. */
export function moneyEvents(store: Store): MoneyEvent[] {
  const settled = settledIn(store)
  return [...payments(store), ...refunds(store, settled), ...disputes(store, settled), ...adjustments(store)].toSorted(
    (a, b) => a.atMs - b.atMs,
  )
}

const paid = (key: string, cfPaymentId: string, orderId: string, amountPaise: number, atMs: number): MoneyEvent => ({
  ...NOTHING,
  ...feeOf(amountPaise),
  key,
  eventId: cfPaymentId,
  type: 'PAYMENT',
  sale: 'CREDIT',
  amountPaise,
  atMs,
  orderId,
  cfPaymentId,
})

/** The order of a subscription's payment is the gateway's own. */
const payments = (store: Store): MoneyEvent[] => [
  ...[...store.attempts.values()]
    .filter(({ status }) => status === 'SUCCESS')
    .map((one) => paid(`payment:${one.cfPaymentId}`, one.cfPaymentId, one.orderId, one.amountPaise, one.endedAtMs ?? one.startedAtMs)),
  ...[...store.charges.values()]
    .filter(({ status }) => status === 'SUCCESS')
    .map((one) => paid(`charge:${one.cfPaymentId}`, one.cfPaymentId, one.cfOrderId, one.amountPaise, one.endedAtMs ?? one.initiatedAtMs)),
]

type Taken = Pick<MoneyEvent, 'eventId' | 'amountPaise' | 'atMs' | 'orderId' | 'cfPaymentId'> & Partial<MoneyEvent>

/** The event while it is valid; after its settlement, the event that reverses it; after that one's, a next turn. */
function taken(
  settled: ReadonlyMap<string, Settlement>,
  key: string,
  holds: boolean,
  types: readonly [EventType, EventType],
  one: Taken,
  turn = 1,
): MoneyEvent[] {
  const takes = turn === 1 ? key : `${key}:${turn}`
  const returns = `${takes}:reversal`
  const wasSettled = settled.has(takes)
  const isOver = settled.has(returns)
  const event = (type: EventType, sale: MoneyEvent['sale'], id: string): MoneyEvent => ({ ...NOTHING, ...one, key: id, type, sale })
  return [
    ...(holds || wasSettled ? [event(types[0], 'DEBIT', takes)] : []),
    ...((!holds && wasSettled) || isOver ? [event(types[1], 'CREDIT', returns)] : []),
    ...(isOver ? taken(settled, key, holds, types, one, turn + 1) : []),
  ]
}

function refunds(store: Store, settled: ReadonlyMap<string, Settlement>): MoneyEvent[] {
  const types = ['REFUND', 'REFUND_REVERSAL'] as const
  return [
    ...[...store.refunds.values()].flatMap((one) =>
      taken(settled, `refund:${one.refundId}`, one.status === 'SUCCESS', types, {
        eventId: one.cfRefundId,
        amountPaise: one.amountPaise,
        atMs: one.processedAtMs ?? one.createdAtMs,
        orderId: one.orderId,
        cfPaymentId: one.cfPaymentId,
        refundId: one.refundId,
        remarks: one.note,
      }),
    ),
    ...[...store.chargeRefunds.values()].flatMap((one) =>
      taken(settled, `charge_refund:${one.refundId}`, one.status === 'SUCCESS', types, {
        eventId: one.cfRefundId,
        amountPaise: one.amountPaise,
        atMs: one.processedAtMs ?? one.createdAtMs,
        orderId: store.charges.get(one.cfPaymentId)?.cfOrderId ?? null,
        cfPaymentId: one.cfPaymentId,
        refundId: one.refundId,
        remarks: one.note,
      }),
    ),
  ]
}

const LOST: ReadonlySet<Dispute['step']> = new Set(['MERCHANT_LOST', 'MERCHANT_ACCEPTED', 'INSUFFICIENT_EVIDENCE'])

const disputes = (store: Store, settled: ReadonlyMap<string, Settlement>): MoneyEvent[] =>
  [...store.disputes.values()].flatMap((one) => {
    const types = one.stage === 'RETRIEVAL' || one.stage === 'DISPUTE' ? DISPUTE : CHARGEBACK
    return taken(settled, `dispute:${one.disputeId}`, LOST.has(one.step), types, {
      eventId: one.disputeId,
      amountPaise: one.amountPaise,
      atMs: one.updatedAtMs,
      orderId: one.orderId,
      cfPaymentId: one.cfPaymentId,
      disputeId: one.disputeId,
      remarks: 'Goods or services not provided',
    })
  })
const DISPUTE = ['DISPUTE', 'DISPUTE_REVERSAL'] as const
const CHARGEBACK = ['CHARGEBACK', 'CHARGEBACK_REVERSAL'] as const

/** Adjustments exist only in their settlement. */
const adjustments = (store: Store): MoneyEvent[] =>
  [...store.settlements.values()].filter(isLive).flatMap(({ events }) => events.filter(({ type }) => type === 'OTHER_ADJUSTMENT'))

/** An amount with a sign, which the gateway adds or takes for reasons of its own. */
export function adjustment(store: Store, amountPaise: number, remarks: string | null, atMs: number): MoneyEvent {
  const eventId = store.nextCfId()
  const sale = amountPaise < 0 ? 'DEBIT' : 'CREDIT'
  return {
    ...NOTHING,
    key: `adjustment:${eventId}`,
    eventId,
    type: 'OTHER_ADJUSTMENT',
    sale,
    amountPaise: Math.abs(amountPaise),
    atMs,
    remarks,
  }
}
