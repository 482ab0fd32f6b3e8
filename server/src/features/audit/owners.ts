/** The mail to the owners when the books do not add up. */
import { one, sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import type { Checked } from '../../ledger/audit.ts'
import { mailMember } from '../../mail/mails.ts'

/** `found` identifies the finding: each owner gets one mail for it. */
export async function mailOwners(tx: Tx, found: string, broken: readonly Checked[]): Promise<void> {
  const owners = await tx.query<{ id: bigint }>(
    sql`select id from member where role = 'admin' and staff_role = 'owner' and deleted_at is null order by id`,
  )
  const { at } = await one<{ at: string }>(tx, sql`select to_char(roz_now() at time zone interval '05:30', 'FMDD Mon YYYY, HH24:MI') as at`)
  const data = { at, sentences: broken.map(({ sentence, rows }) => `${sentence} (${rows[0]?.subject}: ${rows[0]?.found})`).join('\n') }
  for (const { id } of owners) await mailMember(tx, { memberId: id, template: 'audit_alarm', key: `audit_alarm:${found}:${id}`, data })
}
