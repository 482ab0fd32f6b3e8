/**
 * The gateway's webhooks.
 * - They name the payer, and are stored encrypted.
 * - A body causes a question to the gateway, or a reading of its settlements. An event of unknown type is stored and causes nothing.
 */
import type { PaymentGateway, WebhookEvent } from '../../adapters/payments/port.ts'
import { DatabaseUnavailableError, type Db, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import type { Meters } from '../../operation/meters.ts'
import type { Call } from '../../http/route.ts'
import type { walletCalls } from '@roz/contract/wallet.ts'
import { type Attempt, isResting } from '../../jobs/parking.ts'
import { enqueue } from '../../jobs/queue.ts'
import { receiveWebhook } from '../../jobs/webhooks.ts'
import { uuidOf } from '@roz/core/gateway-id.ts'
import { wantReading } from '../../ledger/gateway-reading.ts'
import type { Secrets } from '../../secrets/secrets.ts'

type Deps = { readonly db: Db; readonly secrets: Secrets; readonly webhookLag?: Meters['webhookLag'] | undefined }

const contextOf = (eventKey: string): string => `gateway_event:${eventKey}`

export const receivePaymentWebhook = (
  deps: Deps & { readonly gateway: PaymentGateway },
  { raw }: Pick<Call<typeof walletCalls.paymentWebhook>, 'raw'>,
) =>
  receiveWebhook(deps, raw, {
    gateway: deps.gateway,
    parse: (bytes) => deps.gateway.parseWebhook(bytes),
    table: 'gateway_event',
    refOf: (event) => (event.kind === 'other' || event.kind === 'settlement' ? null : event.orderId),
    ask: askGateway,
  })

async function askGateway(tx: Tx, event: WebhookEvent, dueAt: Date): Promise<void> {
  if (event.kind === 'other') return
  const key = `event:${event.eventKey}`
  if (event.kind === 'settlement') {
    await wantReading(tx, dueAt)
    return
  }
  if (event.kind === 'payment') {
    await enqueue(tx, { kind: 'settle_order', key, payload: { orderId: event.orderId }, dueAt })
    return
  }
  if (event.kind === 'dispute') {
    await enqueue(tx, { kind: 'check_dispute', key, payload: { disputeId: event.disputeId }, dueAt })
    return
  }
  const id = uuidOf(event.refundId) ?? null
  const refund = await tx.maybeOne<{ id: string }>(sql`select id from refund where id = ${id}::uuid`)
  if (refund !== undefined) await enqueue(tx, { kind: 'check_refund', key, payload: { refundId: refund.id }, dueAt })
}

const CUSTOMER_FIELDS = new Set(['customer_details', 'payment_method'])

type OldEvent = { readonly key: string; readonly sealed: Buffer }

/** Removes the customer's fields from events older than 90 days, as the privacy policy promises (section 7). Returns whether any lost them. */
export async function cleanOldEvents({ db, secrets, attempt }: Deps & { readonly attempt: Attempt }): Promise<boolean> {
  const old = await db.query<OldEvent>(sql`
    select event_key as key, sealed from gateway_event
    where cleaned_at is null and sealed is not null and received_at < (select roz_now()) - interval '90 days'
      and not ${isResting('event', sql`event_key`)} limit 500`)
  if (old.length === 0) return false
  const clean = (events: readonly OldEvent[]): Promise<void> => writeCleaned({ db, secrets }, events)
  try {
    await clean(old)
    return true
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) throw error
    // One event fails the whole statement: clean each on its own.
    let done = false
    for (const event of old) done = (await attempt('event', event.key, () => clean([event]))).ok || done
    return done
  }
}

async function writeCleaned({ db, secrets }: Deps, old: readonly OldEvent[]): Promise<void> {
  const cleaned = old.map(({ key, sealed }) => {
    const event: unknown = JSON.parse(secrets.decrypt(sealed, contextOf(key)).toString('utf8'))
    const left = JSON.stringify(event, (name, value: unknown) => (CUSTOMER_FIELDS.has(name) ? undefined : value))
    return secrets.encrypt(Buffer.from(left), contextOf(key))
  })
  await db.query(sql`
    update gateway_event e set cleaned_at = roz_now(), sealed = c.sealed
    from unnest(${old.map(({ key }) => key)}::text[], ${cleaned}::bytea[]) as c (key, sealed) where e.event_key = c.key`)
}

/** Encrypts some of the bodies that were stored before bodies were encrypted; returns how many. */
export const encryptPlainEvents = ({ db, secrets }: Deps, limit: number): Promise<number> =>
  inTransaction(db, async (tx) => {
    const plain = await tx.query<{ key: string; body: string }>(sql`
      select event_key as key, payload::text as body from gateway_event where payload is not null limit ${limit}::int for update skip locked`)
    const encrypted = plain.map(({ key, body }) => secrets.encrypt(Buffer.from(body), contextOf(key)))
    await tx.query(sql`
      update gateway_event e set payload = null, sealed = s.sealed
      from unnest(${plain.map(({ key }) => key)}::text[], ${encrypted}::bytea[]) as s (key, sealed) where e.event_key = s.key`)
    return plain.length
  })
