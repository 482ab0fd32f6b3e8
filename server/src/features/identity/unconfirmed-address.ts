/**
 * Corrects a mail address that is not confirmed: a mistyped one would keep its member out for good.
 *
 * - A confirmed address never changes. The account's lock decides between a correction and a confirmation of the same moment.
 * - The password is required: a session alone cannot take the account over.
 * - Links in mails to the old address die, those for a new password included: a stranger may have got them, and would otherwise confirm
 *   the new address.
 * - A suspended or held account keeps its address: it is evidence.
 */
import { type Db, sql, violatedConstraint } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { addressKey, type LimitRules, type Source, take } from '../../protection/limits.ts'
import type { Handlers } from '../../http/route.ts'
import { getUser } from '../../members/user-row.ts'
import { lockAccount } from './accounts.ts'
import type { IdentityDeps } from './deps.ts'
import { sendLink } from './links.ts'
import { checkOwnPassword, type PasswordCheck } from './password-check.ts'

const TAKEN = { ok: false, code: 'email_taken' } as const
type Correction = { readonly memberId: bigint; readonly passwordHash: string | null; readonly email: string; readonly origin: string }

export function unconfirmedAddressHandlers(deps: IdentityDeps, rules: LimitRules, checkPassword: PasswordCheck): Handlers<'changeAddress'> {
  const { db } = deps

  const refuseTaken = async (source: Source) => {
    const probes = await take(db, rules.probes(source))
    return probes.ok ? TAKEN : probes
  }

  return {
    changeAddress: async ({ session, body, origin, ip, userAgent }) => {
      if (session.emailVerified) return { ok: false, code: 'already_verified' }
      const { memberId } = session
      const source = { ip, userAgent }
      const checked = await checkOwnPassword({ db, checkPassword }, { memberId, source, password: body.currentPassword })
      if (!checked.ok) return checked
      const taken = await take(db, rules.correction(memberId, body.email, source))
      if (!taken.ok) return taken
      if (await isTaken(db, memberId, body.email)) return refuseTaken(source)
      try {
        return await inTransaction(db, (tx) => correct(tx, deps, { ...checked.account, memberId, email: body.email, origin }))
      } catch (error) {
        // Somebody took the address in the same moment.
        if (violatedConstraint(error) === 'member_email') return refuseTaken(source)
        throw error
      }
    },
  }
}

const isTaken = async (db: Db, memberId: bigint, email: string): Promise<boolean> =>
  (await db.maybeOne(sql`select id from member where lower(email) = ${addressKey(email)}::text and id <> ${memberId}::bigint`)) !==
  undefined

async function correct(tx: Tx, deps: IdentityDeps, { memberId, passwordHash, email, origin }: Correction) {
  const account = await lockAccount(tx, memberId)
  if (account === undefined || account.passwordHash !== passwordHash) return { ok: false, code: 'wrong_password' } as const
  if (account.isVerified) return { ok: false, code: 'already_verified' } as const
  if (account.isSuspended) return { ok: false, code: 'on_hold' } as const
  if (account.isHeld) return { ok: false, code: 'account_checked' } as const
  await tx.query(sql`update member set email = ${email}::text, verification_resent_at = null where id = ${memberId}::bigint`)
  await tx.query(sql`delete from mail_token where member_id = ${memberId}::bigint and purpose in ('verify', 'reset')`)
  await sendLink(tx, deps, { memberId, purpose: 'verify', origin })
  return { ok: true, value: { user: await getUser(tx, memberId) } } as const
}
