/**
 * Reads a member and maps them to the API's `User`, with one query and one mapping for every call.
 * - A `User` contains no password hash, no numeric id and no token.
 */
import type { User } from '@roz/contract/shapes.ts'
import { isoIst } from '@roz/core/ist-day.ts'
import type { Language } from '@roz/core/language.ts'
import { type Paise, rupeesFromPaise } from '@roz/core/money.ts'
import type { PublicName } from '@roz/core/names.ts'
import type { ReminderTime } from '@roz/core/reminder.ts'
import { type Queryable, sql } from '../db/sql.ts'
import type { StaffRole } from '@roz/contract/roles.ts'
import { owedOf } from '../ledger/debts.ts'

export type UserRow = {
  readonly id: bigint
  readonly public_id: string
  readonly name: string
  readonly email: string
  readonly phone: string | null
  readonly avatar: string | null
  readonly language: Language
  readonly public_name: PublicName
  readonly role: 'member' | 'admin'
  readonly staff_role: StaffRole | null
  readonly email_verified_at: Date | null
  readonly created_at: Date
  readonly balance: bigint
  readonly owed: bigint
  readonly auto_join: boolean
  readonly passes_on: boolean
  readonly reminder: ReminderTime | null
}

/** The columns of a UserRow, selected from `userSource`. */
export const userColumns = sql`
  m.id, m.public_id, m.name, coalesce(m.email, '') as email, m.phone, m.avatar, m.language, m.public_name, m.role, m.staff_role,
  m.email_verified_at, m.created_at, coalesce(w.balance, 0)::bigint as balance, ${owedOf(sql`m.id`)} as owed, coalesce(w.auto_join, false) as auto_join,
  coalesce(w.passes_on, false) as passes_on,
  (select to_char(e.at, 'HH24:MI') from evening_reminder e where e.member_id = m.id) as reminder`
/** An outer join, because staff accounts have no wallet. */
export const userSource = sql`member m left join wallet w on w.member_id = m.id`

export const userOf = (row: UserRow): User => ({
  id: row.public_id,
  name: row.name,
  email: row.email,
  phone: row.phone,
  avatar: row.avatar,
  wallet: { balance: rupeesFromPaise(row.balance as Paise), owed: rupeesFromPaise(row.owed as Paise) },
  autoParticipate: row.auto_join,
  passOn: row.passes_on,
  reminder: row.reminder,
  createdAt: isoIst(row.created_at.getTime()),
  role: row.role,
  emailVerified: row.email_verified_at !== null,
  publicName: row.public_name,
  language: row.language,
  staffRole: row.staff_role,
})

/** The User of a member who exists, because the caller has their session. Throws otherwise. */
export async function getUser(from: Queryable, memberId: bigint): Promise<User> {
  return userOf(await from.one<UserRow>(sql`select ${userColumns} from ${userSource} where m.id = ${memberId}::bigint`))
}
