/** The webhooks of payouts. They name bank accounts, and are deleted after ninety days. */
import type { payoutCalls } from '@roz/contract/payouts.ts'
import { uuidOf } from '@roz/core/gateway-id.ts'
import type { PayoutEvent, PayoutGateway } from '../../adapters/payouts/port.ts'
import { type Db, sql } from '../../db/sql.ts'
import type { Call } from '../../http/route.ts'
import { enqueue } from '../../jobs/queue.ts'
import { receiveWebhook } from '../../jobs/webhooks.ts'
import type { PayoutsDeps } from './deps.ts'

const transferOf = (event: PayoutEvent): string | null => (event.kind === 'transfer' ? event.transferId : null)

export const receivePayoutWebhook = (
  deps: PayoutsDeps & { readonly payouts: PayoutGateway },
  { raw }: Pick<Call<typeof payoutCalls.payoutWebhook>, 'raw'>,
) =>
  receiveWebhook(deps, raw, {
    gateway: deps.payouts,
    parse: (bytes) => deps.payouts.parseWebhook(bytes),
    table: 'payout_event',
    refOf: transferOf,
    ask: async (tx, event, dueAt) => {
      const id = uuidOf(transferOf(event) ?? '')
      if (id === undefined) return
      const ours = await tx.maybeOne<{ id: string }>(sql`select id from withdrawal where id = ${id}::uuid`)
      if (ours !== undefined)
        await enqueue(tx, { kind: 'check_payout', key: `event:${event.eventKey}`, payload: { withdrawalId: ours.id }, dueAt })
    },
  })

export async function forgetOldEvents(db: Db): Promise<boolean> {
  const gone = await db.query(sql`
    delete from payout_event where event_key in (
      select event_key from payout_event where received_at < (select roz_now()) - interval '90 days' limit 500) returning event_key`)
  return gone.length > 0
}
