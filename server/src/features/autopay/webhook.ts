/**
 * The gateway's webhooks about mandates, at an address of their own.
 * - Only bytes that the gateway signed are stored, encrypted, once. A body never moves money: it makes a mandate of ours due.
 * - An event about a mandate that is not ours is stored and causes nothing.
 */
import type { autopayCalls } from '@roz/contract/autopay.ts'
import { maybeOne, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Call } from '../../http/route.ts'
import { askAt, isLate, lagSeconds } from '../../jobs/webhook-age.ts'
import { uuidOf } from '@roz/core/gateway-id.ts'
import type { AutopayDeps } from './deps.ts'

type Raw = Call<typeof autopayCalls.mandateWebhook>['raw']

/** The context of the wallet's events: both share a table, whose rows lose the payer's fields after 90 days. */
const contextOf = (eventKey: string): string => `gateway_event:${eventKey}`

export async function receiveMandateWebhook(deps: AutopayDeps, raw: Raw): Promise<'stored' | 'bad_signature' | 'unreadable'> {
  const { db, mandates, secrets, webhookLag } = deps
  const signed = mandates.verifyWebhook(raw.headers, raw.bytes)
  if (signed === undefined) return 'bad_signature'
  const event = mandates.parseMandateWebhook(raw.bytes)
  if (event === undefined) return 'unreadable'
  const age = { signedAtMs: signed.atMs, lifeMs: mandates.webhookLifeMs }
  const sealed = secrets.encrypt(raw.bytes, contextOf(event.eventKey))
  const lag = await inTransaction(db, async (tx) => {
    const stored = await maybeOne<{ askAt: Date; lag: number | null }>(
      tx,
      sql`
      insert into gateway_event (event_key, type, order_id, sealed, is_late)
      values (${event.eventKey}::text, ${event.type}::text, ${event.mandateId ?? null}::text, ${sealed}::bytea, ${isLate(age)})
      on conflict do nothing returning ${askAt} as "askAt", ${lagSeconds(age)} as lag`,
    )
    if (stored === undefined) return undefined
    const id = uuidOf(event.mandateId ?? '')
    await tx.query(sql`
      insert into autopay_check as c (mandate_id, ask_at) select id, ${stored.askAt}::timestamptz from autopay_mandate where id = ${id ?? null}::uuid
      on conflict (mandate_id) do update set ask_at = least(c.ask_at, excluded.ask_at), tries = 0`)
    return stored.lag
  })
  if (lag !== undefined) webhookLag?.(lag)
  return 'stored'
}
