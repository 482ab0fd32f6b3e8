/**
 * Links sent by mail: confirming an address and setting a new password.
 *
 * - Tokens are stored as hashes and expire by roz_now().
 * - A verification link has one effect and answers ok again for its 24 hours, because mail scanners open links.
 * - A reset link works once, for an hour, even if it is sent twice at the same moment.
 * - A request for a reset link does the same work for a known and an unknown address.
 * - How many mails a mailbox gets in a day is decided where they are sent (mail/allowance.ts). The answers do not say so.
 */
import { randomUUID } from 'node:crypto'
import { isoIst } from '@roz/core/ist-day.ts'
import { PASSWORD_MIN } from '@roz/core/person-fields.ts'
import { STAFF_PASSWORD_MIN } from '@roz/core/staff-fields.ts'
import { texts } from '@roz/core/texts.ts'
import { logStaff } from '../../staff/staff-log.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { addressKey, type LimitRules, take } from '../../protection/limits.ts'
import { type Handlers, invalid } from '../../http/route.ts'
import { isCommonPassword } from '../../members/common-passwords.ts'
import { enqueue } from '../../jobs/queue.ts'
import type { JobHandlers } from '../../jobs/worker.ts'
import { mailAlert } from '../../mail/safety-mails.ts'
import { linkToken, tokenHash } from '../../members/link-token.ts'
import { mailMember } from '../../mail/mails.ts'
import { hashPassword } from '../../members/passwords.ts'
import { confirmMail, forgetBrowsers, lockAccount, rememberSignIn, setPassword } from './accounts.ts'
import type { IdentityDeps } from './deps.ts'
import { endAllSessions } from './sessions.ts'

type Purpose = 'verify' | 'reset' | 'not_me'
const HOURS: Readonly<Record<'verify' | 'reset', number>> = { verify: 24, reset: 1 }

const VERIFIED = texts('Your email is verified. You can log in now.')
const SENT_AGAIN = texts('We have sent the verification email again. Please check your inbox.')
const FORGOTTEN = texts('If there is an account with this email, we have sent a link to set a new password.')
const RESET_DONE = texts('Your password is changed. Please log in with the new one.')

/** The link of a new password after "This wasn't me" has a mail of its own. */
type Secured = { readonly day: string; readonly time: string; readonly staff: string }

/** Makes a link's token and queues its mail, in the caller's transaction. */
export async function sendLink(
  tx: Tx,
  deps: Pick<IdentityDeps, 'secrets'>,
  link: { memberId: bigint; purpose: 'verify' | 'reset'; origin: string; id?: string; secured?: Secured },
): Promise<void> {
  const { id = randomUUID() } = link
  await tx.query(sql`
    insert into mail_token (id, token_hash, member_id, purpose, expires_at)
    values (${id}::uuid, ${tokenHash(linkToken(deps.secrets, id))}::bytea, ${link.memberId}::bigint, ${link.purpose}::text,
      roz_now() + make_interval(hours => ${HOURS[link.purpose]}::int))
    on conflict (id) do nothing`)
  const { memberId, purpose, origin, secured } = link
  const mail = { memberId, key: `${purpose}:${id}`, origin }
  if (secured === undefined) await mailMember(tx, { ...mail, template: purpose, data: { tokenId: id } })
  else await mailMember(tx, { ...mail, template: 'secured', data: { tokenId: id, ...secured } })
}

/** The day, and the time to the minute in IST, for a mail that says when something happened. */
export async function momentOf(tx: Tx): Promise<{ readonly day: string; readonly time: string }> {
  const { at } = await tx.one<{ at: Date }>(sql`select roz_now() as at`)
  const [day = '', time = ''] = isoIst(at.getTime()).split('T')
  return { day, time: time.slice(0, 5) }
}

type TokenRow = { id: string; memberId: bigint; isUsed: boolean; isLive: boolean; about: string | null }

/** Returns the token's row under the lock of its account, which every change of sign-in takes first. */
export async function lockToken(tx: Tx, token: string, purpose: Purpose) {
  const find = (): Promise<TokenRow | undefined> =>
    tx.maybeOne<TokenRow>(sql`select id, member_id as "memberId", used_at is not null as "isUsed", expires_at > roz_now() as "isLive", about
          from mail_token where token_hash = ${tokenHash(token)}::bytea and purpose = ${purpose}::text`)
  const seen = await find()
  const account = seen === undefined ? undefined : await lockAccount(tx, seen.memberId)
  // Read again under the lock: a concurrent request may have used the token.
  const row = account === undefined ? undefined : await find()
  return row === undefined || account === undefined ? undefined : { row, account }
}

/** Marks an account's unused links of a purpose as used. */
export const useUp = async (tx: Tx, memberId: bigint, purpose: Purpose): Promise<void> => {
  await tx.query(sql`
    update mail_token set used_at = roz_now() where member_id = ${memberId}::bigint and purpose = ${purpose}::text and used_at is null`)
}

/** Looks the address up in a job, after the answer, so that the time of the answer does not reveal whether it is known. */
export function linkJobs(deps: Pick<IdentityDeps, 'db' | 'secrets'>): Pick<JobHandlers, 'reset_link'> {
  return {
    reset_link: ({ tokenId, email, origin }) =>
      inTransaction(deps.db, async (tx) => {
        const member = await tx.maybeOne<{ id: bigint }>(
          // A repeated job has made its link already.
          sql`select id from member where lower(email) = ${email}::text and deleted_at is null
                 and not exists (select from mail_token where id = ${tokenId}::uuid)`,
        )
        if (member !== undefined) await sendLink(tx, deps, { memberId: member.id, purpose: 'reset', origin, id: tokenId })
      }),
  }
}

export function linkHandlers(
  deps: IdentityDeps,
  rules: LimitRules,
): Handlers<'verifyEmail' | 'resendVerification' | 'forgotPassword' | 'resetPassword'> {
  const { db } = deps
  return {
    verifyEmail: async ({ query, language, origin }) => {
      const token = Array.isArray(query.token) ? query.token[0] : query.token
      if (token === undefined || token === '') return { ok: false, code: 'verification_token_invalid' }
      return inTransaction(db, async (tx) => {
        const found = await lockToken(tx, token, 'verify')
        if (found === undefined) return { ok: false, code: 'verification_token_invalid' }
        if (!found.row.isLive) return { ok: false, code: 'verification_token_expired' }
        await tx.query(sql`update mail_token set used_at = roz_now() where id = ${found.row.id}::uuid and used_at is null`)
        await confirmMail(tx, deps.secrets, found.account, origin)
        return { ok: true, value: VERIFIED[language] }
      })
    },

    resendVerification: async ({ session, language, origin, ip, userAgent }) => {
      const taken = await take(db, rules.other({ ip, userAgent }))
      if (!taken.ok) return taken
      return inTransaction(db, async (tx) => {
        const account = await lockAccount(tx, session.memberId)
        if (account === undefined || account.isVerified) return { ok: false, code: 'already_verified' }
        const { waitSeconds } = await tx.one<{ waitSeconds: number }>(
          // A time in the future, after the clock was set back, delays nobody.
          sql`select coalesce(case when verification_resent_at <= roz_now()
                then extract(epoch from verification_resent_at + interval '1 minute' - roz_now()) end, 0)::float8 as "waitSeconds"
              from member where id = ${session.memberId}::bigint`,
        )
        if (waitSeconds > 0) return { ok: false, code: 'too_many_requests', retryAfterSeconds: waitSeconds }
        const today = await take(tx, rules.resent(account.email))
        if (!today.ok) return today
        await tx.query(sql`update member set verification_resent_at = roz_now() where id = ${session.memberId}::bigint`)
        await sendLink(tx, deps, { memberId: session.memberId, purpose: 'verify', origin })
        return { ok: true, value: { message: SENT_AGAIN[language] } }
      })
    },

    forgotPassword: async ({ body, language, origin, ip, userAgent }) => {
      const taken = await take(db, rules.forgotten(body.email, { ip, userAgent }))
      if (!taken.ok) return taken
      const payload = { tokenId: randomUUID(), email: addressKey(body.email), origin }
      await inTransaction(db, (tx) => enqueue(tx, { kind: 'reset_link', key: payload.tokenId, payload }))
      return { ok: true, value: { message: FORGOTTEN[language] } }
    },

    resetPassword: async ({ body, language, origin, ip, userAgent }) => {
      const source = { ip, userAgent }
      const taken = await take(db, rules.other(source))
      if (!taken.ok) return taken
      // Only a link that may work is worth the time of a password hash. The transaction checks again.
      const live = await db.maybeOne<{ isStaff: boolean }>(sql`
        select m.role = 'admin' as "isStaff" from mail_token t join member m on m.id = t.member_id
             where t.token_hash = ${tokenHash(body.token)}::bytea and t.purpose = 'reset' and t.used_at is null and t.expires_at > roz_now()`)
      if (live?.isStaff === true && body.password.length < STAFF_PASSWORD_MIN) return invalid({ password: 'password_staff_short' })
      if (body.password.length < PASSWORD_MIN) return invalid({ password: 'password_short' })
      if (live === undefined) return { ok: false, code: 'reset_token_invalid' }
      if (isCommonPassword(body.password)) return invalid({ password: 'password_common' })
      const passwordHash = await hashPassword(body.password)
      return inTransaction(db, async (tx) => {
        const found = await lockToken(tx, body.token, 'reset')
        if (found === undefined || !found.row.isLive || found.row.isUsed) return { ok: false, code: 'reset_token_invalid' }
        const { account } = found
        if (account.isStaff && body.password.length < STAFF_PASSWORD_MIN) return invalid({ password: 'password_staff_short' })
        await useUp(tx, account.id, 'reset')
        await setPassword(tx, account.id, passwordHash)
        await endAllSessions(tx, account.id)
        // A thief who had the old password may have used one of the known browsers.
        await forgetBrowsers(tx, account.id)
        await rememberSignIn(tx, account.id, source, origin)
        // Somebody else may have registered the address, and know or have chosen the key that shows the member's tickets and balance.
        if (!account.isVerified) await deps.ticketKeys.renew(tx, account.id)
        await confirmMail(tx, deps.secrets, account, origin)
        await mailAlert(tx, deps.secrets, {
          memberId: account.id,
          template: 'password_changed',
          key: `password_changed:${found.row.id}`,
          data: {},
          origin,
        })
        if (account.isStaff)
          await logStaff(tx, { actorId: account.id, action: 'staff.password_reset', subject: `member:${account.id}`, from: source })
        return { ok: true, value: { message: RESET_DONE[language] } }
      })
    },
  }
}
