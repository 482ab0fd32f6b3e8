/**
 * The gateway's webhooks. Invariants: only bytes that the gateway signed are stored; an event is
 * stored once, committed, then answered; its body never moves money, it only makes us ask; a type
 * that we do not know is stored and left alone (cashfree.md 2, "Rule").
 */
import type { PaymentGateway, WebhookEvent } from '../../adapters/payments/port.ts'
import { type Db, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Call } from '../../http/route.ts'
import type { walletCalls } from '@roz/contract/wallet.ts'
import { enqueue } from '../../jobs/queue.ts'

type Raw = Call<typeof walletCalls.cashfreeWebhook>['raw']

export async function receiveWebhook(db: Db, gateway: PaymentGateway, raw: Raw): Promise<'stored' | 'bad_signature' | 'unreadable'> {
  if (!gateway.verifyWebhook(raw.headers, raw.bytes)) return 'bad_signature'
  const event = gateway.parseWebhook(raw.bytes)
  if (event === undefined) return 'unreadable'
  await storeEvent(db, event, raw.bytes)
  return 'stored'
}

async function storeEvent(db: Db, event: WebhookEvent, bytes: Buffer): Promise<void> {
  const orderId = event.kind === 'payment' ? event.orderId : null
  await inTransaction(db, async (tx) => {
    const fresh = await tx.query(sql`
      insert into gateway_event (event_key, type, order_id, payload)
      values (${event.eventKey}::text, ${event.type}::text, ${orderId}::text, ${bytes.toString('utf8')}::json)
      on conflict do nothing returning event_key`)
    if (fresh.length === 0 || event.kind !== 'payment') return
    await enqueue(tx, { kind: 'settle_order', key: `event:${event.eventKey}`, payload: { orderId: event.orderId } })
  })
}

/** Takes the customer's fields out of events older than 90 days (product.md "Members' rights"). */
export async function cleanOldEvents(db: Db): Promise<boolean> {
  const cleaned = await db.query(sql`
    update gateway_event set cleaned_at = roz_now(),
      payload = (payload::jsonb #- '{data,customer_details}' #- '{data,payment,payment_method}')::json
    where event_key in (
      select event_key from gateway_event where cleaned_at is null and received_at < (select roz_now()) - interval '90 days' limit 500)
    returning event_key`)
  return cleaned.length > 0
}
