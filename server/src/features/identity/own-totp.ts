/**
 * The own authenticator app: setting it up, new recovery codes, and turning it off.
 *
 * - A new secret counts only after one of its codes was given. It then ends all other sessions: they had no second factor.
 * - A set-up app is replaced only after it was turned off by password and code.
 */
import { randomBytes } from 'node:crypto'
import { logStaff } from '../../staff/staff-log.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import type { Source } from '../../protection/limits.ts'
import type { Handlers } from '../../http/route.ts'
import { mailMember } from '../../mail/mails.ts'
import { base32, otpauthUri, SECRET_BYTES } from '../../staff/totp.ts'
import { lockAccount, type LockedAccount } from './accounts.ts'
import type { IdentityDeps } from './deps.ts'
import { checkOwnPassword, getCredentials, type PasswordCheck } from './password-check.ts'
import { type CodeLimit, lockEnrolment, removeTotp, replaceRecoveryCodes, encryptSecret, useCode, useTotp } from './second-factor.ts'
import { endOtherSessions } from './sessions.ts'

type Names = 'startTotp' | 'confirmTotp' | 'newRecoveryCodes' | 'disableTotp'

const subjectOf = (memberId: bigint): string => `member:${memberId}`

type CodeCall = { readonly memberId: bigint; readonly source: Source; readonly totp: string }
export type AfterCode = ReturnType<typeof createAfterCode>

/** Runs work under the lock of the own account, after a code of its app or a recovery code. */
export const createAfterCode =
  ({ db, secrets }: Pick<IdentityDeps, 'db' | 'secrets'>, limited: CodeLimit) =>
  async <T>({ memberId, source, totp }: CodeCall, work: (tx: Tx, account: LockedAccount) => Promise<T>) => {
    const mine = await getCredentials(db, memberId, source)
    return limited(mine, source, () =>
      inTransaction(db, async (tx) => {
        const account = await lockAccount(tx, memberId)
        const app = await lockEnrolment(tx, memberId)
        if (account === undefined || app === undefined || app.confirmedAt === null) return { ok: false, code: 'totp_not_enrolled' } as const
        const used = await useCode(tx, secrets, memberId, app, totp)
        return used.ok ? ({ ok: true, value: await work(tx, account) } as const) : used
      }),
    )
  }

export function ownTotpHandlers(
  deps: IdentityDeps,
  checkPassword: PasswordCheck,
  limited: CodeLimit,
  afterCode: AfterCode,
): Handlers<Names> {
  const { db, secrets } = deps

  return {
    startTotp: ({ session: { memberId } }) =>
      inTransaction(db, async (tx) => {
        const account = await lockAccount(tx, memberId)
        const secret = randomBytes(SECRET_BYTES)
        const started = await tx.maybeOne(sql`
          insert into staff_totp (member_id, sealed) values (${memberId}::bigint, ${encryptSecret(secrets, memberId, secret)}::bytea)
              on conflict (member_id) do update set sealed = excluded.sealed, created_at = roz_now()
              where staff_totp.confirmed_at is null returning member_id`)
        if (started === undefined || account === undefined) return { ok: false, code: 'totp_enrolled' }
        await logStaff(tx, { actorId: memberId, action: 'staff.totp_start', subject: subjectOf(memberId) })
        const uri = otpauthUri(secret, { issuer: deps.brandName, account: account.email })
        return { ok: true, value: { uri, secret: base32(secret) } }
      }),

    confirmTotp: async ({ session, body, origin, ip, userAgent }) => {
      const { memberId } = session
      const source = { ip, userAgent }
      return limited(await getCredentials(db, memberId, source), source, () =>
        inTransaction(db, async (tx) => {
          await lockAccount(tx, memberId)
          const app = await lockEnrolment(tx, memberId)
          if (app === undefined) return { ok: false, code: 'totp_not_started' }
          if (app.confirmedAt !== null) return { ok: false, code: 'totp_enrolled' }
          if (!(await useTotp(tx, secrets, memberId, app, body.totp))) return { ok: false, code: 'wrong_code' }
          await tx.query(sql`update staff_totp set confirmed_at = roz_now() where member_id = ${memberId}::bigint`)
          await endOtherSessions(tx, session)
          const recoveryCodes = await replaceRecoveryCodes(tx, memberId)
          await logStaff(tx, { actorId: memberId, action: 'staff.totp_on', subject: subjectOf(memberId) })
          await tellTotp(tx, memberId, 'on', origin)
          return { ok: true, value: { recoveryCodes } }
        }),
      )
    },

    newRecoveryCodes: ({ session: { memberId }, body, origin, ip, userAgent }) =>
      afterCode({ memberId, source: { ip, userAgent }, totp: body.totp }, async (tx) => {
        const recoveryCodes = await replaceRecoveryCodes(tx, memberId)
        await logStaff(tx, { actorId: memberId, action: 'staff.recovery_codes', subject: subjectOf(memberId) })
        await tellTotp(tx, memberId, 'codes', origin)
        return { recoveryCodes }
      }),

    disableTotp: async ({ session: { memberId }, body, origin, ip, userAgent }) => {
      const source = { ip, userAgent }
      const checked = await checkOwnPassword({ db, checkPassword }, { memberId, source, password: body.password })
      if (!checked.ok) return checked
      return afterCode({ memberId, source, totp: body.totp }, async (tx) => {
        await removeTotp(tx, memberId)
        await logStaff(tx, { actorId: memberId, action: 'staff.totp_off', subject: subjectOf(memberId) })
        await tellTotp(tx, memberId, 'off', origin)
        return undefined
      })
    },
  }
}

/** Mails the person about every change of the second factor, and about each recovery code that was used. */
export async function tellTotp(
  tx: Tx,
  memberId: bigint,
  what: 'on' | 'off' | 'codes' | 'recovery' | 'reset' | 'passkey_added' | 'passkey_removed' | 'passkeys_only' | 'codes_again',
  origin?: string,
): Promise<void> {
  const key = `totp_changed:${randomBytes(12).toString('hex')}`
  await mailMember(tx, { memberId, template: 'totp_changed', key, data: { what }, ...(origin === undefined ? {} : { origin }) })
}
