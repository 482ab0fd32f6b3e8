/**
 * Signing in with Google. Invariants: an ID token counts only with Google's signature, our audience,
 * Google as issuer, an unexpired time and a confirmed address; onto an account whose address nobody
 * had confirmed it discards the password, the sessions and the links first, for they may be those of
 * someone who registered a stranger's address to wait for them (pre-hijacking).
 */
import type { Language } from '@roz/core/language.ts'
import { name as nameRule } from '@roz/core/person-fields.ts'
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose'
import { type Db, maybeOne, one, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { UnavailableError } from '../../http/faults.ts'
import { addressKey, type LimitRules, take } from '../../http/limits.ts'
import type { Handlers } from '../../http/route.ts'
import { mailMember } from '../../people/mails.ts'
import { insertMember } from '../../people/new-member.ts'
import { confirmMail, forgetBrowsers, lockAccount, setPassword } from './accounts.ts'
import type { IdentityDeps } from './deps.ts'
import { endAllSessions } from './sessions.ts'
import { signIn } from './sign-in.ts'

type GoogleUser = { readonly sub: string; readonly email: string; readonly name: string }
/** Judges a credential: who it names, or undefined for one that does not count. */
type Judge = (credential: string, now: Date) => Promise<GoogleUser | undefined>

/** Whom Google gives no name, and whose address holds none. */
const NAMELESS = 'Member'
const ISSUERS = ['https://accounts.google.com', 'accounts.google.com']
/** Faults of reaching the keys, not of the credential. */
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
  const { sub, email, email_verified: isVerified, name } = payload
  if (typeof sub !== 'string' || sub === '' || sub.length > 255) return undefined
  if (typeof email !== 'string' || !/^[^\s@]+@[^\s@]+$/.test(email) || email.length > 254 || isVerified !== true) return undefined
  return { sub, email, name: asName(typeof name === 'string' ? name : '') ?? asName(email.split('@')[0] ?? '') ?? NAMELESS }
}

/** The letters of it, as the rule of names wants them; undefined where they are too few. */
function asName(given: string): string | undefined {
  const letters = given
    .replace(/[^\p{L}\p{M}'’‘-]+/gu, ' ')
    .trim()
    .slice(0, 100)
  return nameRule.safeParse(letters).data
}

type Found = { id: bigint; isLinked: boolean }
/** By Google's own id first: an address may pass to another person. */
const findMember = (tx: Tx, user: GoogleUser): Promise<Found | undefined> =>
  maybeOne<Found>(
    tx,
    sql`select id, google_sub is not distinct from ${user.sub}::text as "isLinked" from member
        where (google_sub = ${user.sub}::text or lower(email) = ${addressKey(user.email)}::text) and deleted_at is null
        order by google_sub is not distinct from ${user.sub}::text desc limit 1 for no key update`,
  )

/** The member of a Google account; made, linked or confirmed as needed. */
async function admit(tx: Tx, user: GoogleUser, fresh: { language: Language; termsVersion: string; origin: string }): Promise<bigint> {
  const { language, termsVersion, origin } = fresh
  const made =
    (await findMember(tx, user)) === undefined
      ? await insertMember(tx, {
          name: user.name,
          email: user.email,
          googleSub: user.sub,
          language,
          emailVerified: true,
          termsVersion,
          origin,
        })
      : undefined
  if (made !== undefined) {
    await mailMember(tx, { memberId: made, template: 'welcome', key: `welcome:${made}`, data: {}, origin })
    return made
  }
  // There already, or made by a request that was faster.
  const found = await findMember(tx, user)
  if (found === undefined) throw new Error('a Google account was neither found nor made')
  const account = await lockAccount(tx, found.id)
  if (account === undefined) throw new Error('a locked account is gone')
  if (!account.isVerified) {
    await setPassword(tx, account.id, null)
    await endAllSessions(tx, account.id)
    await forgetBrowsers(tx, account.id)
    await tx.query(
      sql`update mail_token set used_at = roz_now(), expires_at = roz_now() where member_id = ${account.id}::bigint and used_at is null`,
    )
    await confirmMail(tx, account, origin)
  }
  if (!found.isLinked) await tx.query(sql`update member set google_sub = ${user.sub}::text where id = ${account.id}::bigint`)
  return account.id
}

const clockOf = async (db: Db): Promise<Date> => (await one<{ at: Date }>(db, sql`select roz_now() as at`)).at

export function googleHandlers(deps: IdentityDeps, rules: LimitRules): Handlers<'google'> {
  const { db } = deps
  const judge = deps.google.clientId === undefined ? undefined : createJudge(deps.google.clientId, deps.google.jwksUrl)
  return {
    google: async ({ body, language, origin, ip, userAgent }) => {
      if (judge === undefined) return { ok: false, code: 'google_not_configured' }
      const source = { ip, userAgent }
      const taken = await take(db, rules.refusedGoogle(source))
      if (!taken.ok) return taken
      let user: GoogleUser | undefined
      try {
        user = await judge(body.token, await clockOf(db))
      } catch (error) {
        await taken.giveBack()
        throw error
      }
      if (user === undefined) return { ok: false, code: 'google_failed' }
      await taken.giveBack()
      const known = user
      return inTransaction(db, async (tx) => {
        const memberId = await admit(tx, known, { language, termsVersion: deps.termsVersion, origin })
        return { ok: true, value: await signIn(tx, memberId, { kind: 'member', source, origin }) }
      })
    },
  }
}
