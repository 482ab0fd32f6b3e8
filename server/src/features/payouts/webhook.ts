/**
 * The webhooks of payouts.
 *
 * - Only bytes that the gateway signed are stored. They are encrypted, because they name bank accounts.
 * - An event is stored once and committed before it is answered.
 * - A body never moves money: it only causes a question to the gateway. An event older than the gateway's own last retry
 *   waits its turn.
 * - An event is deleted after ninety days.
 */
import type { payoutCalls } from '@roz/contract/payouts.ts'
import type { PayoutEvent, PayoutGateway } from '../../adapters/payouts/port.ts'
import { type Db, maybeOne, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Answer, Call } from '../../http/route.ts'
import { enqueue } from '../../jobs/queue.ts'
import { askAt, isLate, lagSeconds, type WebhookAge } from '../../jobs/webhook-age.ts'
import { uuidOf } from '@roz/core/gateway-id.ts'
import type { PayoutsDeps } from './deps.ts'

type Webhook = typeof payoutCalls.payoutWebhook

export async function receivePayoutWebhook(
  deps: PayoutsDeps & { readonly payouts: PayoutGateway },
  { raw }: Pick<Call<Webhook>, 'raw'>,
): Promise<Answer<Webhook>> {
  const signed = deps.payouts.verifyWebhook(raw.headers, raw.bytes)
  if (signed === undefined) return { ok: false, code: 'webhook_signature' }
  const event = deps.payouts.parseWebhook(raw.bytes)
  if (event === undefined) return { ok: false, code: 'bad_json' }
  await storeEvent(deps, event, raw.bytes, { signedAtMs: signed.atMs, lifeMs: deps.payouts.webhookLifeMs })
  return { ok: true, value: { received: true } }
}

async function storeEvent({ db, secrets, webhookLag }: PayoutsDeps, event: PayoutEvent, bytes: Buffer, age: WebhookAge): Promise<void> {
  const transferId = event.kind === 'transfer' ? event.transferId : null
  const lag = await inTransaction(db, async (tx) => {
    const encrypted = secrets.encrypt(bytes, `payout_event:${event.eventKey}`)
    const stored = await maybeOne<{ askAt: Date; lag: number | null }>(
      tx,
      sql`
      insert into payout_event (event_key, type, transfer_id, sealed, is_late)
      values (${event.eventKey}::text, ${event.type}::text, ${transferId}::text, ${encrypted}::bytea, ${isLate(age)})
      on conflict do nothing returning ${askAt} as "askAt", ${lagSeconds(age)} as lag`,
    )
    if (stored === undefined || transferId === null) return stored?.lag
    const id = uuidOf(transferId) ?? null
    const ours = await maybeOne<{ id: string }>(tx, sql`select id from withdrawal where id = ${id}::uuid`)
    if (ours === undefined) return stored.lag
    await enqueue(tx, { kind: 'check_payout', key: `event:${event.eventKey}`, payload: { withdrawalId: ours.id }, dueAt: stored.askAt })
    return stored.lag
  })
  if (lag !== undefined) webhookLag?.(lag)
}

export async function forgetOldEvents(db: Db): Promise<boolean> {
  const gone = await db.query(sql`
    delete from payout_event where event_key in (
      select event_key from payout_event where received_at < (select roz_now()) - interval '90 days' limit 500) returning event_key`)
  return gone.length > 0
}
