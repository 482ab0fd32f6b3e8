/**
 * Registering and signing in.
 *
 * - Account, wallet, first session and verification mail are committed together or not at all.
 * - A session is opened only while the password that was checked is unchanged.
 * - Only the administrators' sign-in makes an administrator's session, and its refusals give no reason. It is the only login of staff:
 *   a member's login would need no second factor.
 */
import { randomUUID } from 'node:crypto'
import type { Output } from '@roz/contract/api.ts'
import type { identityCalls } from '@roz/contract/identity.ts'
import { deviceNameOf } from '@roz/core/device-name.ts'
import { logStaff } from '../../staff/staff-log.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { addressKey, type LimitRules, plainIp, type Source, take } from '../../protection/limits.ts'
import { type Handlers, invalid } from '../../http/route.ts'
import { mailAlert } from '../../mail/safety-mails.ts'
import { listRunning } from '../../members/announcements.ts'
import { isCommonPassword } from '../../members/common-passwords.ts'
import { insertMember } from '../../members/new-member.ts'
import { noteMailbox, noteSignal } from '../../members/signals.ts'
import { hashPassword } from '../../members/passwords.ts'
import { getUser } from '../../members/user-row.ts'
import { type Credentials, findByEmail, lockAccount, rememberSignIn, takeLogin } from './accounts.ts'
import type { IdentityDeps } from './deps.ts'
import { momentOf, sendLink } from './links.ts'
import { tellTotp } from './own-totp.ts'
import type { PasswordCheck } from './password-check.ts'
import { loadPasskeys, requestOptions } from './passkeys.ts'
import { type CodeLimit, type Given as SecondFactor, passSecondFactor } from './second-factor.ts'
import { endSession, openSession } from './sessions.ts'

const WRONG = { ok: false, code: 'invalid_credentials' } as const
type Given = { readonly email: string; readonly password: string }
type StaffOpening = { readonly second: SecondFactor; readonly source: Source; readonly origin: string }
type SignedIn = Output<(typeof identityCalls)['login']>

/** Opens a session in the caller's transaction and answers with it. */
export async function signIn(
  tx: Tx,
  deps: Pick<IdentityDeps, 'secrets'>,
  memberId: bigint,
  how: { readonly kind: 'member' | 'admin'; readonly source: Source; readonly origin: string; readonly tells?: boolean },
): Promise<SignedIn> {
  const isKnown = await rememberSignIn(tx, memberId, how.source, how.origin)
  if (how.tells === true && !isKnown) await tellNewDevice(tx, deps, memberId, how)
  if (how.kind === 'member') await noteWhere(tx, deps, memberId, how.source)
  const token = await openSession(tx, memberId, how.kind, how.source.userAgent)
  const announcements = how.kind === 'member' ? await listRunning(tx) : []
  const user = await getUser(tx, memberId)
  if (how.kind === 'member' && user.emailVerified) await noteMailbox(tx, deps.secrets, memberId, user.email)
  return { token, user, announcements }
}

/** Notes device and network address of a sign-in, as keyed hashes. */
async function noteWhere(tx: Tx, { secrets }: Pick<IdentityDeps, 'secrets'>, memberId: bigint, { ip, userAgent }: Source): Promise<void> {
  const network = plainIp(ip)
  if (userAgent !== '') await noteSignal(tx, secrets, { kind: 'device', value: `${network}\n${userAgent}`, memberId })
  await noteSignal(tx, secrets, { kind: 'network', value: network, memberId })
}

/** Mails the member about a browser that never signed in to this account, or not from this part of the network. */
async function tellNewDevice(
  tx: Tx,
  deps: Pick<IdentityDeps, 'secrets'>,
  memberId: bigint,
  how: { readonly source: Source; readonly origin: string },
): Promise<void> {
  const { browser, system } = deviceNameOf(how.source.userAgent)
  const data = { ...(await momentOf(tx)), browser: browser ?? '', system: system ?? '' }
  await mailAlert(tx, deps.secrets, { memberId, template: 'new_device', key: `new_device:${randomUUID()}`, data, origin: how.origin })
}

/** Locks an account whose password was checked; undefined if it was changed or reset since: then it opens nothing. */
async function lockChecked(tx: Tx, known: Credentials) {
  const account = await lockAccount(tx, known.id)
  return account?.passwordHash === known.passwordHash ? account : undefined
}

export function signInHandlers(
  deps: IdentityDeps,
  rules: LimitRules,
  checkPassword: PasswordCheck,
  limited: CodeLimit,
): Handlers<'register' | 'login' | 'adminLogin' | 'askLoginPasskey' | 'logout'> {
  const { db } = deps

  /** Checks a password; sign-ins of members and of staff count the same wrong ones. */
  async function check(given: Given, source: Source, admits?: (account: Credentials) => boolean) {
    const { email, password } = given
    const find = () => findByEmail(db, email, source)
    const checked = await checkPassword({ email, password, source, find, ...(admits === undefined ? {} : { admits }) })
    return !checked.ok && checked.code === 'wrong' ? WRONG : checked
  }

  /** Opens a staff session after the second factor, where one is set up. */
  const openForStaff = (known: Credentials, { second, source, origin }: StaffOpening) =>
    inTransaction(db, async (tx) => {
      const account = await lockChecked(tx, known)
      if (account?.isStaff !== true) return WRONG
      const passed = await passSecondFactor(tx, deps.secrets, account.id, second, { purpose: 'login', origin })
      if (!passed.ok) return passed
      const taken = await takeLogin(tx, rules, account.id, source)
      if (!taken.ok) return taken
      if (passed.by === 'recovery') await tellTotp(tx, account.id, 'recovery', origin)
      const after = { secondFactor: passed.by }
      await logStaff(tx, { actorId: account.id, action: 'staff.sign_in', subject: `member:${account.id}`, after, from: source })
      return { ok: true, value: await signIn(tx, deps, account.id, { kind: 'admin', source, origin, tells: true }) } as const
    })

  return {
    register: async ({ body, language, origin, ip, userAgent }) => {
      if (isCommonPassword(body.password)) return invalid({ password: 'password_common' })
      const source = { ip, userAgent }
      const taken = await take(db, rules.registration(body.email, source))
      if (!taken.ok) return taken
      const known = await db.maybeOne(sql`select id from member where lower(email) = ${addressKey(body.email)}::text`)
      if (known !== undefined) {
        const probes = await take(db, rules.probes(source))
        return probes.ok ? { ok: false, code: 'email_taken' } : probes
      }
      const passwordHash = await hashPassword(body.password)
      return inTransaction(db, async (tx) => {
        const { name, email, phone } = body
        const terms = deps.termsVersion
        const memberId = await insertMember(tx, {
          name,
          email,
          phone,
          passwordHash,
          language,
          emailVerified: false,
          termsVersion: terms,
          origin,
        })
        if (memberId === undefined) return { ok: false, code: 'email_taken' }
        await noteSignal(tx, deps.secrets, { kind: 'phone', value: phone, memberId })
        await sendLink(tx, deps, { memberId, purpose: 'verify', origin })
        return { ok: true, value: await signIn(tx, deps, memberId, { kind: 'member', source, origin }) }
      })
    },
    login: async ({ body, origin, ip, userAgent }) => {
      const source = { ip, userAgent }
      const checked = await check(body, source)
      if (!checked.ok) return checked
      return inTransaction(db, async (tx) => {
        const account = await lockChecked(tx, checked.account)
        if (account === undefined) return WRONG
        if (account.isStaff) return { ok: false, code: 'staff_portal' }
        const taken = await takeLogin(tx, rules, account.id, source)
        if (!taken.ok) return taken
        return { ok: true, value: await signIn(tx, deps, account.id, { kind: 'member', source, origin, tells: true }) }
      })
    },
    adminLogin: async ({ body, origin, ip, userAgent }) => {
      const source = { ip, userAgent }
      const { totp, passkey } = body
      const checked = await check(body, source, (account) => account.isStaff)
      if (!checked.ok) return checked
      const open = () => openForStaff(checked.account, { second: { totp, passkey }, source, origin })
      return totp === undefined ? open() : limited(checked.account, source, open)
    },
    askLoginPasskey: async ({ body, origin, ip, userAgent }) => {
      const checked = await check(body, { ip, userAgent }, (account) => account.isStaff)
      if (!checked.ok) return checked
      await loadPasskeys()
      return inTransaction(db, async (tx) => {
        const account = await lockChecked(tx, checked.account)
        if (account?.isStaff !== true) return WRONG
        const publicKey = await requestOptions(tx, account.id, { purpose: 'login', origin })
        return publicKey === undefined ? { ok: false, code: 'no_passkey' } : { ok: true, value: { publicKey } }
      })
    },
    logout: async ({ session }) => {
      await endSession(db, session.tokenHash)
      return { ok: true, value: undefined }
    },
  }
}
