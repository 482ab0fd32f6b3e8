/**
 * A payment gateway that is our own bank account: the payer transfers money with the reference of the order, and finance confirms it
 * (features/accounts/bank/transfers.ts).
 * - The session of an order is its reference. Nothing is asked of another machine.
 * - A transfer of another amount is no payment of its order: it was booked to SUSPENSE when it was confirmed.
 * - Nothing goes back by itself: there are no refunds, disputes or webhooks. A question about those of a former gateway has no answer.
 */
import { randomInt } from 'node:crypto'
import { gatewayIdOf } from '@roz/core/gateway-id.ts'
import { CURRENCY, type Paise } from '@roz/core/money.ts'
import { type Db, sql } from '../../db/sql.ts'
import { GatewayRefusedError, GatewayUnavailableError, type NewOrder, type Order, type Payment, type PaymentGateway } from './port.ts'

/** Letters and digits that nobody confuses when they copy them. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const newReference = (): string => `RZ${Array.from({ length: 8 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`

type Made = { readonly reference: string; readonly amount: Paise; readonly isExpired: boolean }
type Transfer = { readonly id: string; readonly amount: Paise; readonly bankNumber: string | null; readonly at: Date }

const unanswered = (): Promise<never> => Promise.reject(new GatewayUnavailableError('no gateway is set up for refunds and disputes'))

export function bankTransferGateway({ db }: { readonly db: Db }): PaymentGateway {
  const find = (orderId: string): Promise<Made | undefined> =>
    db.maybeOne<Made>(
      sql`select reference, amount, expires_at <= roz_now() as "isExpired" from bank_transfer_order where order_id = ${orderId}::text`,
    )
  const listPayments = async (orderId: string, amount: Paise): Promise<Payment[]> =>
    (
      await db.query<Transfer>(sql`
        select id, amount, bank_number as "bankNumber", decided_at as at from bank_transfer
         where order_id = ${orderId}::text and amount = ${amount}::bigint and status = 'confirmed' order by decided_at, id`)
    ).map(paymentOf)

  return {
    async createOrder({ orderId, amount, expiresAtMs }: NewOrder) {
      await refuseSoon(db, expiresAtMs)
      for (;;) {
        // A reference in use, or the same order: another look tells which.
        await db.query(sql`
          insert into bank_transfer_order (order_id, reference, amount, expires_at)
          values (${orderId}::text, ${newReference()}::text, ${amount}::bigint, to_timestamp(${expiresAtMs / 1000}::float8)) on conflict do nothing`)
        const made = await find(orderId)
        if (made === undefined) continue
        if (made.amount !== amount || (await listPayments(orderId, amount)).length > 0)
          throw new GatewayRefusedError('the order is paid, or has another amount', 409, 'order_already_exists')
        return { sessionId: made.reference }
      }
    },
    async fetchOrder(orderId): Promise<Order | undefined> {
      const made = await find(orderId)
      if (made === undefined) return undefined
      const payments = await listPayments(orderId, made.amount)
      const status = payments.length > 0 ? 'PAID' : made.isExpired ? 'EXPIRED' : 'PENDING'
      return { orderId, status, orderAmount: made.amount, currency: CURRENCY, sessionId: made.reference, payments }
    },
    createRefund: () => Promise.reject(new GatewayRefusedError('a bank transfer is not refunded', 400, 'refund_by_hand')),
    fetchRefund: unanswered,
    fetchDispute: unanswered,
    listDisputes: () => Promise.resolve([]),
    checkout: undefined,
    verifyWebhook: () => undefined,
    webhookLifeMs: 0,
    parseWebhook: () => undefined,
  }
}

/** A gateway after a time of bank transfers: it knows none of their orders, which would be questions without an end. */
export function besideTransfers({ db }: { readonly db: Db }, gateway: PaymentGateway): PaymentGateway {
  const transfers = bankTransferGateway({ db })
  return { ...gateway, fetchOrder: async (orderId, signal) => (await transfers.fetchOrder(orderId)) ?? gateway.fetchOrder(orderId, signal) }
}

async function refuseSoon(db: Db, expiresAtMs: number): Promise<void> {
  const isSoon = await db.maybeOne(sql`select where to_timestamp(${expiresAtMs / 1000}::float8) < roz_now() + interval '15 minutes'`)
  if (isSoon !== undefined) throw new GatewayRefusedError('the order expires too soon', 400, 'order_expiry_time_invalid')
}

const paymentOf = ({ id, amount, bankNumber, at }: Transfer): Payment => ({
  paymentId: gatewayIdOf(id),
  status: 'SUCCESS',
  orderAmount: amount,
  paymentAmount: amount,
  currency: CURRENCY,
  group: 'bank_transfer',
  message: undefined,
  bankReference: bankNumber ?? undefined,
  paidAtMs: at.getTime(),
})
