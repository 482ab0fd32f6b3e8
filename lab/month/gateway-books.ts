/**
 * The gateway's own records, read from the sandbox's journal: the outside world's word, which no call of the product touches.
 * - The journal only grows; each reading goes on where the last one ended.
 * - `owes` is the gateway's debt to us by its own records. What settlements pay too little or too much is told apart, because the product
 *   must find each of it.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import path from 'node:path'
import type { Attempt, Dispute, Order, Refund, Transfer } from '@roz/gateway-sandbox/model.ts'
import type { Settlement } from '@roz/gateway-sandbox/settlements/model.ts'
import type { Charge, ChargeRefund, Subscription } from '@roz/gateway-sandbox/subscriptions/model.ts'

type Records = {
  order: Order
  attempt: Attempt
  refund: Refund
  dispute: Dispute
  transfer: Transfer
  subscription: Subscription
  charge: Charge
  chargeRefund: ChargeRefund
  settlement: Settlement
}
type Kind = keyof Records
type Change = { readonly kind: string; readonly value: object }

const KEY_OF: { readonly [K in Kind]: (value: Records[K]) => string } = {
  order: (one) => one.orderId,
  attempt: (one) => one.cfPaymentId,
  refund: (one) => one.refundId,
  dispute: (one) => one.disputeId,
  transfer: (one) => one.transferId,
  subscription: (one) => one.subscriptionId,
  charge: (one) => one.cfPaymentId,
  chargeRefund: (one) => one.refundId,
  settlement: (one) => one.settlementId,
}
const LOST = new Set(['MERCHANT_LOST', 'MERCHANT_ACCEPTED', 'INSUFFICIENT_EVIDENCE'])
const WON = 'MERCHANT_WON'
const OPEN_TRANSFER = new Set(['RECEIVED', 'APPROVAL_PENDING', 'QUEUED', 'PENDING'])
const OPEN_REFUND = new Set(['PENDING', 'ONHOLD', 'INITIALIZED'])

export type GatewayBooks = ReturnType<typeof readGatewayBooks>

export function readGatewayBooks(dataDir: string) {
  const file = path.join(dataDir, 'gateway-sandbox', 'gateway.jsonl')
  const records = Object.fromEntries(Object.keys(KEY_OF).map((kind) => [kind, new Map()])) as { [K in Kind]: Map<string, Records[K]> }
  const mandates = new Map<string, string>()
  let offset = 0
  let torn = ''

  function keep({ kind, value }: Change): void {
    if (!Object.hasOwn(KEY_OF, kind)) return
    const key = (KEY_OF[kind as Kind] as (one: object) => string)(value)
    ;(records[kind as Kind] as Map<string, object>).set(key, value)
    if (kind === 'subscription') mandates.set((value as Subscription).customer.phone, key)
  }

  return {
    ...records,
    /** The newest mandate of a payer. */
    mandateOf: (phone: string): string | undefined => mandates.get(phone),
    /** Reads what is new. */
    read(): void {
      const text = torn + readFrom(file, offset, (read) => (offset += read))
      const lines = text.split('\n')
      torn = lines.pop() ?? ''
      for (const line of lines) if (line !== '') for (const change of JSON.parse(line) as Change[]) keep(change)
    },
  }
}

function readFrom(file: string, offset: number, passed: (read: number) => void): string {
  const handle = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(fstatSync(handle).size - offset)
    passed(readSync(handle, bytes, 0, bytes.length, offset))
    return bytes.toString('utf8')
  } finally {
    closeSync(handle)
  }
}

const sum = <T>(all: Iterable<T>, of: (one: T) => number): number => [...all].reduce((total, one) => total + of(one), 0)

export const openRefunds = (books: GatewayBooks): readonly Refund[] =>
  [...books.refund.values()].filter(({ status }) => OPEN_REFUND.has(status))
export const openChargeRefunds = (books: GatewayBooks): readonly ChargeRefund[] =>
  [...books.chargeRefund.values()].filter(({ status }) => OPEN_REFUND.has(status))
export const openTransfers = (books: GatewayBooks): readonly Transfer[] =>
  [...books.transfer.values()].filter(({ status }) => OPEN_TRANSFER.has(status))
export const openDisputes = (books: GatewayBooks): readonly Dispute[] =>
  [...books.dispute.values()].filter(({ step }) => step !== WON && !LOST.has(step))
/** Payments that a bank has not decided. */
export const openAttempts = (books: GatewayBooks): readonly Attempt[] =>
  [...books.attempt.values()].filter(({ status }) => ['PENDING', 'FLAGGED', 'NOT_ATTEMPTED'].includes(status))
export const openCharges = (books: GatewayBooks): readonly Charge[] =>
  [...books.charge.values()].filter(({ status }) => status === 'INITIALIZED' || status === 'PENDING')

const isOfSettlement = ({ type }: Settlement['events'][number]): boolean => type !== 'OTHER_ADJUSTMENT'
const signed = ({ sale, amountPaise }: Settlement['events'][number]): number => (sale === 'CREDIT' ? amountPaise : -amountPaise)
const feesOf = ({ events }: Settlement): number => sum(events, ({ chargePaise, taxPaise }) => chargePaise + taxPaise)
/** By how much a settlement paid less than the payments, refunds and disputes in it come to. */
const keptBy = (one: Settlement): number => sum(one.events.filter(isOfSettlement), signed) - feesOf(one) - one.amountSettledPaise

export type Outside = {
  /** Paise that the gateway owes by its own records: what was earned, less what was taken back and what settlements ended. */
  readonly owes: number
  readonly earned: number
  readonly taken: number
  readonly ended: number
  /** Paise that settlements paid less than our entries come to: by adjustments and wrong sums, and more by surcharges of payers. */
  readonly kept: number
  readonly refunding: number
  readonly payments: number
  readonly debits: number
}

export function outsideOf(books: GatewayBooks): Outside {
  const paid = [...books.attempt.values()].filter(({ status }) => status === 'SUCCESS')
  const debited = [...books.charge.values()].filter(({ status }) => status === 'SUCCESS')
  const settled = [...books.settlement.values()].filter(({ status }) => status === 'SUCCESS')
  const amountOf = ({ amountPaise }: { readonly amountPaise: number }): number => amountPaise
  const refunds = [...books.refund.values(), ...books.chargeRefund.values()]
  const earned = sum(paid, amountOf) + sum(debited, amountOf)
  const taken =
    sum(
      refunds.filter(({ status }) => status === 'SUCCESS'),
      amountOf,
    ) +
    sum(
      [...books.dispute.values()].filter(({ step }) => LOST.has(step)),
      amountOf,
    )
  // Money that a payer pays on top of an order is the gateway's, until it is settled to us.
  const surcharges = sum(paid, ({ orderId, amountPaise }) => amountPaise - (books.order.get(orderId)?.amountPaise ?? amountPaise))
  const ended = sum(settled, (one) => one.amountSettledPaise + feesOf(one) + keptBy(one))
  return {
    owes: earned - taken - ended,
    earned,
    taken,
    ended,
    kept: sum(settled, keptBy) - surcharges,
    refunding: sum(
      refunds.filter(({ status }) => OPEN_REFUND.has(status)),
      amountOf,
    ),
    payments: paid.length,
    debits: debited.length,
  }
}
