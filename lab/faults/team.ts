/** The two administrators of the load: the first one of the servers, and a colleague with the same password, both long in their role. */
import { type Db, sql } from '@roz/server/db/sql.ts'
import { ADMIN } from '../../e2e/harness/program.ts'

type Account = { readonly email: string; readonly password: string }
export const TEAM: readonly [Account, Account] = [ADMIN, { email: 'second@roz.example', password: ADMIN.password }]

export async function makeTeam(db: Db): Promise<void> {
  await db.query(sql`
    insert into member (name, email, role, staff_role, password_hash, email_verified_at)
    select 'Sunita Nair', ${TEAM[1].email}::text, 'admin', staff_role, password_hash, roz_now() from member where email = ${ADMIN.email}::text`)
  // Release 1.0.0 does not have the column: there nobody waits for 48 hours.
  const known = await db.query(
    sql`select from information_schema.columns where table_schema = 'public' and table_name = 'member' and column_name = 'staff_since'`,
  )
  if (known.length > 0) await db.query(sql`update member set staff_since = roz_now() - interval '3 days' where role = 'admin'`)
}
