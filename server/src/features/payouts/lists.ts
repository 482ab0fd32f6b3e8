/** The member of a row in the administrator's lists of money, with the flags and debt that inform a decision. */
import { type Paise, rupeesFromPaise } from '@roz/core/money.ts'
import { sql } from '../../db/sql.ts'
import { owedOf } from '../../ledger/debts.ts'

/** The member of a row, if it has one, joined as `m`. */
export const payeeColumns = sql`m.public_id as "memberPublicId", m.name as "memberName", m.email as "memberEmail"`
export type PayeeRow = {
  readonly memberPublicId: string | null
  readonly memberName: string | null
  readonly memberEmail: string | null
}
export const payeeOf = ({ memberPublicId, memberName, memberEmail }: PayeeRow) =>
  memberPublicId === null ? null : { id: memberPublicId, name: memberName ?? '', email: memberEmail }
/** The flags and debt of the member joined as `m`, to inform a decision. */
export const suspectColumns = sql`
  array(select distinct f.kind from member_flag f where f.member_id = m.id order by f.kind) as "memberFlags", ${owedOf(sql`m.id`)} as owed`
export type SuspectRow = { readonly memberFlags: readonly string[]; readonly owed: Paise }
export const suspectOf = ({ memberFlags, owed }: SuspectRow) => ({
  memberFlags: owed > 0n ? ['debt', ...memberFlags] : [...memberFlags],
  owed: rupeesFromPaise(owed),
})
