/** Further accounts of the team, written into the database: with the administrator's password, and longer in their role than any rule asks. */
import type { StaffRole } from '@roz/contract/roles.ts'
import { sql } from '@roz/server/db/sql.ts'
import { ask } from './calls.ts'
import { inDatabase } from './database.ts'
import { ADMIN, type Program } from './program.ts'

/** Adds an account and logs it in. */
export async function addColleague(
  roz: Pick<Program, 'url' | 'dataDir'>,
  role: StaffRole,
  email = `${role}@roz.example`,
  name = 'Sunita Nair',
): Promise<string> {
  await inDatabase(roz.dataDir, (db) =>
    db.query(sql`
      insert into member (name, email, role, staff_role, password_hash, email_verified_at, staff_since)
      select ${name}::text, ${email}::text, 'admin', ${role}::text, password_hash, roz_now(), roz_now() - interval '3 days'
        from member where role = 'admin' order by id limit 1 on conflict do nothing`),
  )
  const { output, text } = await ask(roz.url, 'adminLogin', { body: { email, password: ADMIN.password } })
  if (output === undefined) throw new Error(`the login answered ${text}`)
  return output.token
}

/** As if everybody of the team had their role for three days. */
export const settleTeam = (roz: Pick<Program, 'dataDir'>): Promise<unknown> =>
  inDatabase(roz.dataDir, (db) => db.query(sql`update member set staff_since = roz_now() - interval '3 days' where role = 'admin'`))
