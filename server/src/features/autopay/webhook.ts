/** The gateway's webhooks about mandates: each makes a mandate of ours due. An event about another mandate causes nothing. */
import type { autopayCalls } from '@roz/contract/autopay.ts'
import { uuidOf } from '@roz/core/gateway-id.ts'
import { sql } from '../../db/sql.ts'
import type { Call } from '../../http/route.ts'
import { receiveWebhook } from '../../jobs/webhooks.ts'
import type { AutopayDeps } from './deps.ts'

export const receiveMandateWebhook = (deps: AutopayDeps, { raw }: Pick<Call<typeof autopayCalls.mandateWebhook>, 'raw'>) =>
  receiveWebhook(deps, raw, {
    gateway: deps.mandates,
    parse: (bytes) => deps.mandates.parseMandateWebhook(bytes),
    // The wallet's events share the table, whose rows lose the payer's fields after 90 days.
    table: 'gateway_event',
    refOf: (event) => event.mandateId ?? null,
    ask: async (tx, event, dueAt) => {
      const id = uuidOf(event.mandateId ?? '')
      await tx.query(sql`
        insert into autopay_check as c (mandate_id, ask_at) select id, ${dueAt}::timestamptz from autopay_mandate where id = ${id ?? null}::uuid
        on conflict (mandate_id) do update set ask_at = least(c.ask_at, excluded.ask_at), tries = 0`)
    },
  })
