/**
 * Writes notices in the app, in the transaction of the fact that they report.
 * - A fact is told once: a member has at most one notice of each key, even years later.
 * - A closed account gets none. Nor does a wallet without an account, which only tests and benches make.
 * - Kind and data are stored, never text: a notice is shown in its reader's language.
 */
import type { NoticeData, NoticeKind } from '@roz/core/notices.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'

type NewNotice = {
  readonly memberId: bigint
  readonly kind: NoticeKind
  /** Names the fact among the member's notices: `topup:<order id>`. */
  readonly key: string
  readonly data: NoticeData
}

export const tellMember = async (tx: Tx, { memberId, kind, key, data }: NewNotice): Promise<void> => {
  await tx.query(sql`
    insert into notice (member_id, kind, source, data)
    select id, ${kind}::text, ${key}::text, ${JSON.stringify(data)}::jsonb from member where id = ${memberId}::bigint and deleted_at is null
    on conflict (member_id, source) do nothing`)
}

/** Tells many members in one statement. `source` yields member_id, key (unique within the kind) and data. */
export async function tellMembers(tx: Tx, kind: NoticeKind, source: Sql): Promise<void> {
  await tx.query(sql`
    insert into notice (member_id, kind, source, data)
    select m.id, ${kind}::text, ${kind}::text || ':' || s.key, s.data
      from (${source}) s join member m on m.id = s.member_id and m.deleted_at is null
     order by m.id
    on conflict (member_id, source) do nothing`)
}
