/** Staff of tests about people: accounts with a password, their sessions in the portal, and the codes of their apps. */
import type { StaffRole } from '@roz/contract/roles.ts'
import { sql } from '../db/sql.ts'
import { hashPassword } from '../members/passwords.ts'
import { codeOfApp } from './authenticator.ts'
import type { TestAnswer } from './http.ts'
import type { People } from './people.ts'

export const STAFF_PASSWORD = 'a staff password'
export type Colleague = { readonly email: string; readonly memberId: bigint; readonly publicId: string }

export async function addStaff(roz: People, email: string, role: StaffRole): Promise<Colleague> {
  const passwordHash = await hashPassword(STAFF_PASSWORD)
  const row = await roz.db.one<{ memberId: bigint; publicId: string }>(sql`
    insert into member (name, email, role, staff_role, password_hash, email_verified_at, staff_since)
        values ('Meera Nair', ${email}::text, 'admin', ${role}::text, ${passwordHash}::text, roz_now(), roz_now() - interval '30 days')
        returning id as "memberId", public_id as "publicId"`)
  return { email, ...row }
}

export const adminLogin = (
  roz: People,
  email: string,
  given: { readonly password?: string; readonly totp?: string; readonly ip?: string } = {},
) =>
  roz.ask('POST /admin/login', {
    body: { email, password: given.password ?? STAFF_PASSWORD, ...(given.totp === undefined ? {} : { totp: given.totp }) },
    ip: given.ip ?? '198.51.100.20',
  })

export async function openPortal(roz: People, email: string, totp?: string): Promise<string> {
  const answer = await adminLogin(roz, email, totp === undefined ? {} : { totp })
  if (answer.status !== 200) throw new Error(`the login answered ${answer.status}: ${answer.text}`)
  return answer.body.token
}

/** `403 forbidden` */
export const said = (answer: TestAnswer): string => `${answer.status} ${answer.body?.code ?? ''}`.trim()

/** The code of the app on the server's clock. */
export async function codeFor(roz: Pick<People, 'db'>, secret: string, away = 0): Promise<string> {
  const { at } = await roz.db.one<{ at: Date }>(sql`select roz_now() as at`)
  return codeOfApp(secret, at.getTime(), away)
}

export type App = { readonly secret: string; readonly recoveryCodes: readonly string[] }

/** Sets an app up, and passes on to its next code. */
export async function enrol(roz: People, token: string): Promise<App> {
  const { secret } = (await roz.ask('POST /admin/totp', { token })).body
  const answer = await roz.ask('POST /admin/totp/confirm', { token, body: { totp: await codeFor(roz, secret) } })
  if (answer.status !== 200) throw new Error(`the app was refused: ${answer.text}`)
  await roz.pass(30)
  return { secret, recoveryCodes: answer.body.recoveryCodes }
}
