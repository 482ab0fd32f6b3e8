/**
 * The payouts' webhooks. Invariants: only bytes that the gateway signed are stored, sealed, because
 * they name bank accounts; an event is stored once, committed, then answered; its body never moves
 * money, it only makes us ask; it is kept for ninety days.
 */
import type { payoutCalls } from '@roz/contract/payouts.ts'
import type { PayoutEvent, PayoutGateway } from '../../adapters/payouts/port.ts'
import { type Db, maybeOne, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Answer, Call } from '../../http/route.ts'
import { enqueue } from '../../jobs/queue.ts'
import { uuidOf } from '../../ledger/gateway-id.ts'
import type { Secrets } from '../../secrets.ts'
import type { PayoutsDeps } from './deps.ts'

type Webhook = typeof payoutCalls.cashfreePayoutsWebhook

export async function receiveWebhook(
  deps: PayoutsDeps & { readonly payouts: PayoutGateway },
  { raw }: Pick<Call<Webhook>, 'raw'>,
): Promise<Answer<Webhook>> {
  if (!deps.payouts.verifyWebhook(raw.headers, raw.bytes)) return { ok: false, code: 'webhook_signature' }
  const event = deps.payouts.parseWebhook(raw.bytes)
  if (event === undefined) return { ok: false, code: 'bad_json' }
  await storeEvent(deps.db, deps.secrets, event, raw.bytes)
  return { ok: true, value: { received: true } }
}

async function storeEvent(db: Db, secrets: Secrets, event: PayoutEvent, bytes: Buffer): Promise<void> {
  const transferId = event.kind === 'transfer' ? event.transferId : null
  await inTransaction(db, async (tx) => {
    const fresh = await tx.query(sql`
      insert into payout_event (event_key, type, transfer_id, sealed)
      values (${event.eventKey}::text, ${event.type}::text, ${transferId}::text, ${secrets.seal(bytes, `payout_event:${event.eventKey}`)}::bytea)
      on conflict do nothing returning event_key`)
    if (fresh.length === 0 || transferId === null) return
    const id = uuidOf(transferId) ?? null
    const ours = await maybeOne<{ id: string }>(tx, sql`select id from withdrawal where id = ${id}::uuid`)
    if (ours !== undefined) await enqueue(tx, { kind: 'check_payout', key: `event:${event.eventKey}`, payload: { withdrawalId: ours.id } })
  })
}

export async function forgetOldEvents(db: Db): Promise<boolean> {
  const gone = await db.query(sql`
    delete from payout_event where event_key in (
      select event_key from payout_event where received_at < (select roz_now()) - interval '90 days' limit 500) returning event_key`)
  return gone.length > 0
}
