/**
 * Sends webhooks about events that have not happened: payments of unpaid orders, ends of open refunds, invented disputes.
 * - A signed webhook moves no money, because the server asks the gateway itself.
 * - A forged webhook is answered 401.
 */
import { createHmac } from 'node:crypto'
import { sql } from '@roz/server/db/sql.ts'
import type { Calls } from './patient-calls.ts'
import type { SystemUnderTest } from './system-under-test.ts'

const SECRET = 'sandbox-secret'
const OF_EACH_MAX = 12

type EarlyWebhook = { readonly type: string; readonly data: object }

async function webhooksAbout({ db }: SystemUnderTest): Promise<EarlyWebhook[]> {
  const orders = await db.query<{ id: string }>(
    sql`select order_id as id from topup where status in ('created', 'pending') limit ${OF_EACH_MAX}::int`,
  )
  const refunds = await db.query<{ id: string; order: string }>(
    sql`select replace(id::text, '-', '') as id, order_id as order from refund where status in ('requested', 'approved', 'sending') limit ${OF_EACH_MAX}::int`,
  )
  const paid = await db.query<{ order: string }>(
    sql`select order_id as order from topup where status = 'captured' limit ${OF_EACH_MAX}::int`,
  )
  return [
    ...orders.map(({ id }) => ({
      type: 'PAYMENT_SUCCESS_WEBHOOK',
      data: {
        order: { order_id: id, order_amount: 30, order_currency: 'INR' },
        payment: { cf_payment_id: `early${id}`, payment_status: 'SUCCESS', payment_amount: 30 },
      },
    })),
    ...refunds.map(({ id, order }) => ({
      type: 'REFUND_STATUS_WEBHOOK',
      data: { refund: { order_id: order, refund_id: id, refund_status: 'SUCCESS', refund_amount: 1 } },
    })),
    ...paid.map(({ order }, index) => ({
      type: 'DISPUTE_CREATED',
      data: { dispute: { dispute_id: `9999${index}`, dispute_status: 'CHARGEBACK_CREATED' }, order_details: { order_id: order } },
    })),
  ]
}

/** Sends each webhook once signed and once forged; returns whether there was any. */
export async function earlyWebhooks(system: SystemUnderTest, calls: Calls): Promise<boolean> {
  const webhooks = await webhooksAbout(system)
  const timestamp = String((await system.now()).getTime())
  for (const { type, data } of webhooks) {
    const body = JSON.stringify({ data, event_time: new Date(Number(timestamp)).toISOString(), type })
    for (const secret of [SECRET, 'not-the-secret']) {
      const signature = createHmac('sha256', secret)
        .update(timestamp + body)
        .digest('base64')
      const headers = {
        'content-type': 'application/json',
        'x-webhook-timestamp': timestamp,
        'x-webhook-signature': signature,
        'x-webhook-version': '2025-01-01',
      }
      const { status } = await calls.patiently({ path: '/api/webhooks/cashfree', body, headers, moves: true })
      if ((status === 200) !== (secret === SECRET)) throw new Error(`a webhook signed with ${secret} was answered ${status}`)
    }
  }
  return webhooks.length > 0
}
