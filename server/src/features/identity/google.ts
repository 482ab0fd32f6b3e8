/**
 * Signing in with Google.
 *
 * - An ID token needs Google's signature, our audience, Google as issuer, an unexpired time and a confirmed address.
 * - An ID token is accepted once, and only from the page that asked for it (google-nonce.ts).
 * - The first Google sign-in to an account discards its password, sessions, known browsers and links, and renews its ticket key. An
 *   attacker may have registered the victim's address before (pre-hijacking), even if a mail scanner confirmed it.
 * - A second Google account with the same address is refused, and so is an account of the staff: it logs in to the portal alone.
 */
import { randomUUID } from 'node:crypto'
import type { identityCalls } from '@roz/contract/identity.ts'
import type { Language } from '@roz/core/language.ts'
import { name as nameRule } from '@roz/core/name-fields.ts'
import { email as emailRule } from '@roz/core/person-fields.ts'
import { line } from '@roz/core/written.ts'
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose'
import { type Db, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { UnavailableError } from '../../http/faults.ts'
import { addressKey, limitAttempts, type LimitRules } from '../../protection/limits.ts'
import type { Answer, Call, Handlers, Refusal } from '../../http/route.ts'
import { mailAlert } from '../../mail/safety-mails.ts'
import { mailMember } from '../../mail/mails.ts'
import { insertMember } from '../../members/new-member.ts'
import { confirmMail, forgetBrowsers, type LockedAccount, lockAccount, setPassword, takeLogin } from './accounts.ts'
import type { IdentityDeps } from './deps.ts'
import { isBound, makeNonce, useOnce } from './google-nonce.ts'
import { endAllSessions } from './sessions.ts'
import { signIn } from './sign-in.ts'

type GoogleUser = {
  readonly sub: string
  readonly email: string
  readonly name: string
  readonly claim: string | undefined
  readonly expiresAt: Date
}
type GoogleCall = Call<typeof identityCalls.google>
type GoogleAnswer = Answer<typeof identityCalls.google>
/** Verifies a credential; undefined when it is refused. */
type Judge = (credential: string, now: Date) => Promise<GoogleUser | undefined>

/** The name of a member whose Google account and address give no letters. */
const NAMELESS = 'Member'
const ISSUERS = ['https://accounts.google.com', 'accounts.google.com']
/** Errors of fetching the keys, not of the credential. */
const UNREACHABLE = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID'])

function createJudge(clientId: string, jwksUrl: string): Judge {
  const keys = createRemoteJWKSet(new URL(jwksUrl), { timeoutDuration: 5_000, cooldownDuration: 30_000, cacheMaxAge: 600_000 })
  return async (credential, now) => {
    try {
      const { payload } = await jwtVerify(credential, keys, {
        audience: clientId,
        issuer: ISSUERS,
        algorithms: ['RS256'],
        requiredClaims: ['sub', 'email', 'exp', 'iat'],
        clockTolerance: 30,
        currentDate: now,
      })
      return userIn(payload)
    } catch (error) {
      if (error instanceof errors.JOSEError && !UNREACHABLE.has(error.code)) return undefined
      throw new UnavailableError('the keys of the Google sign-in could not be fetched', { cause: error })
    }
  }
}

function userIn(payload: JWTPayload): GoogleUser | undefined {
  const { sub, email, email_verified: isVerified, name, nonce, exp } = payload
  if (typeof sub !== 'string' || sub === '' || sub.length > 255) return undefined
  const address = emailRule.safeParse(email).data
  if (address === undefined || isVerified !== true) return undefined
  if (exp === undefined || (nonce !== undefined && typeof nonce !== 'string')) return undefined
  const called = asName(typeof name === 'string' ? name : '') ?? asName((address.split('@')[0] ?? '').replaceAll('.', ' ')) ?? NAMELESS
  return { sub, email: address, name: called, claim: nonce, expiresAt: new Date(exp * 1000) }
}

/** A text as a valid name: as it is, or its letters and signs of names; undefined when too few are left. */
function asName(given: string): string | undefined {
  const letters = given.replace(/[^\p{L}\p{M}\p{Zs}\p{Join_C}.'’‘-]+/gu, ' ').replace(/\.(?=\S)/g, '. ')
  const short = Array.from(line(letters)).slice(0, 50).join('')
  return nameRule.safeParse(given).data ?? nameRule.safeParse(short).data
}

/** Finds by Google's id first, because an address may pass to another person. */
const findMember = (tx: Tx, user: GoogleUser): Promise<{ id: bigint } | undefined> =>
  tx.maybeOne<{ id: bigint }>(sql`select id from member
        where (google_sub = ${user.sub}::text or lower(email) = ${addressKey(user.email)}::text) and deleted_at is null
        order by google_sub is not distinct from ${user.sub}::text desc limit 1 for no key update`)

type Fresh = { readonly language: Language; readonly termsVersion: string; readonly origin: string }
type Linking = Pick<IdentityDeps, 'secrets' | 'ticketKeys'>
type Admitted =
  | { readonly ok: true; readonly memberId: bigint; readonly isFirst: boolean }
  | Refusal<'google_other_account' | 'staff_portal'>

/** Returns the member of a Google account; makes or links the account if needed. */
async function admit(tx: Tx, deps: Linking, user: GoogleUser, fresh: Fresh): Promise<Admitted> {
  const { origin } = fresh
  if ((await findMember(tx, user)) === undefined) {
    const made = await insertMember(tx, { ...fresh, name: user.name, email: user.email, googleSub: user.sub, emailVerified: true })
    if (made !== undefined) {
      await mailMember(tx, { memberId: made, template: 'welcome', key: `welcome:${made}`, data: {}, origin })
      return { ok: true, memberId: made, isFirst: true }
    }
  }
  // The account existed, or a concurrent request made it.
  const found = await findMember(tx, user)
  const account = found === undefined ? undefined : await lockAccount(tx, found.id)
  if (account === undefined) throw new Error('a Google account was neither found nor made')
  if (account.isStaff) return { ok: false, code: 'staff_portal' }
  if (account.googleSub === null) await link(tx, deps, account, user, origin)
  else if (account.googleSub !== user.sub) return { ok: false, code: 'google_other_account' }
  return { ok: true, memberId: account.id, isFirst: account.googleSub === null }
}

/** Links a Google account and discards every earlier way in; the member sets a new password by a reset. */
async function link(tx: Tx, { secrets, ticketKeys }: Linking, account: LockedAccount, user: GoogleUser, origin: string): Promise<void> {
  await setPassword(tx, account.id, null)
  await endAllSessions(tx, account.id)
  await forgetBrowsers(tx, account.id)
  await tx.query(sql`update mail_token set used_at = roz_now(), expires_at = roz_now()
        where member_id = ${account.id}::bigint and purpose in ('verify', 'reset') and used_at is null`)
  await tx.query(sql`update member set google_sub = ${user.sub}::text where id = ${account.id}::bigint`)
  await confirmMail(tx, secrets, account, origin)
  await ticketKeys.renew(tx, account.id)
  await mailAlert(tx, secrets, { memberId: account.id, template: 'google_linked', key: `google_linked:${randomUUID()}`, data: {}, origin })
}

const clockOf = async (db: Db): Promise<Date> => (await db.one<{ at: Date }>(sql`select roz_now() as at`)).at

export function googleHandlers(deps: IdentityDeps, rules: LimitRules): Handlers<'google' | 'googleNonce'> {
  const { db, secrets } = deps
  const judge = deps.google.clientId === undefined ? undefined : createJudge(deps.google.clientId, deps.google.jwksUrl)

  async function signInBy(judgeIt: Judge, { body, language, origin, ip, userAgent }: GoogleCall): Promise<GoogleAnswer> {
    const now = await clockOf(db)
    const user = await judgeIt(body.token, now)
    if (user === undefined || !isBound(secrets, { claim: user.claim, nonce: body.nonce }, now)) return { ok: false, code: 'google_failed' }
    return inTransaction(db, async (tx) => {
      if (!(await useOnce(tx, body.token, user))) return { ok: false, code: 'google_failed' }
      const admitted = await admit(tx, deps, user, { language, termsVersion: deps.termsVersion, origin })
      if (!admitted.ok) return admitted
      const source = { ip, userAgent }
      const taken = await takeLogin(tx, rules, admitted.memberId, source)
      if (!taken.ok) return taken
      // The first sign-in sends a mail of its own.
      return { ok: true, value: await signIn(tx, deps, admitted.memberId, { kind: 'member', source, origin, tells: !admitted.isFirst }) }
    })
  }

  return {
    googleNonce: async () => {
      if (judge === undefined) return { ok: false, code: 'google_not_configured' }
      return { ok: true, value: makeNonce(secrets, await clockOf(db)) }
    },
    google: async (call) => {
      if (judge === undefined) return { ok: false, code: 'google_not_configured' }
      const limits = rules.refusedGoogle({ ip: call.ip, userAgent: call.userAgent })
      return limitAttempts(
        db,
        limits,
        () => signInBy(judge, call),
        (answer) => !answer.ok && answer.code === 'google_failed',
      )
    },
  }
}
