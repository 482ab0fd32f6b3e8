/**
 * The own account of a staff member in the portal: name, language, password, and the devices on which it is logged in.
 *
 * - A new password ends every other session, and is decided under the lock of the account.
 */
import { isoIst } from '@roz/core/ist-day.ts'
import { logStaff } from '../../staff/staff-log.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { type Handlers, invalid } from '../../http/route.ts'
import { requiresTotp } from '../../http/session.ts'
import { mailAlert } from '../../mail/safety-mails.ts'
import { isCommonPassword } from '../../members/common-passwords.ts'
import { hashPassword } from '../../members/passwords.ts'
import { getUser } from '../../members/user-row.ts'
import { lockAccount, setPassword } from './accounts.ts'
import type { IdentityDeps } from './deps.ts'
import { useUp } from './links.ts'
import { checkOwnPassword, type PasswordCheck } from './password-check.ts'
import { passkeyOf } from './own-passkeys.ts'
import { listPasskeys } from './passkeys.ts'
import { countRecoveryCodes } from './second-factor.ts'
import { endOtherSessions } from './sessions.ts'
import { listOwnSessions } from './signed-in.ts'

type Names = 'staffAccount' | 'updateStaffAccount' | 'changeStaffPassword' | 'endOtherStaffSessions'

export function ownAccountHandlers(deps: IdentityDeps, checkPassword: PasswordCheck): Handlers<Names> {
  const { db } = deps
  return {
    staffAccount: async ({ session }) => {
      const { memberId } = session
      const [app, recoveryCodesLeft, passkeys, sessions] = await Promise.all([
        db.maybeOne<{ at: Date; passkeysOnly: boolean }>(
          sql`select confirmed_at as at, passkeys_only as "passkeysOnly" from staff_totp where member_id = ${memberId}::bigint and confirmed_at is not null`,
        ),
        countRecoveryCodes(db, memberId),
        listPasskeys(db, memberId),
        listOwnSessions(db, session),
      ])
      const totp = {
        enrolledAt: app === undefined ? null : isoIst(app.at.getTime()),
        required: requiresTotp(deps),
        recoveryCodesLeft,
        passkeysOnly: app?.passkeysOnly ?? false,
      }
      return { ok: true, value: { totp, passkeys: passkeys.map(passkeyOf), sessions } }
    },

    updateStaffAccount: ({ session: { memberId }, body }) =>
      inTransaction(db, async (tx) => {
        const before = await tx.one<{ name: string; language: string }>(
          sql`select name, language from member where id = ${memberId}::bigint and deleted_at is null for no key update`,
        )
        const after = { name: body.name ?? before.name, language: body.language ?? before.language }
        await tx.query(sql`update member set name = ${after.name}::text, language = ${after.language}::text where id = ${memberId}::bigint`)
        await logStaff(tx, { actorId: memberId, action: 'staff.profile', subject: `member:${memberId}`, before, after })
        return { ok: true, value: { user: await getUser(tx, memberId) } }
      }),

    changeStaffPassword: async ({ session, body, origin, ip, userAgent }) => {
      const { memberId } = session
      if (isCommonPassword(body.newPassword)) return invalid({ newPassword: 'password_common' })
      const source = { ip, userAgent }
      const checked = await checkOwnPassword({ db, checkPassword }, { memberId, source, password: body.currentPassword })
      if (!checked.ok) return checked
      const passwordHash = await hashPassword(body.newPassword)
      return inTransaction(db, async (tx) => {
        const account = await lockAccount(tx, memberId)
        if (account === undefined || account.passwordHash !== checked.account.passwordHash) return { ok: false, code: 'wrong_password' }
        await setPassword(tx, memberId, passwordHash)
        const ended = await endOtherSessions(tx, session)
        await useUp(tx, memberId, 'reset')
        await logStaff(tx, { actorId: memberId, action: 'staff.password_change', subject: `member:${memberId}` })
        const key = `password_changed:${passwordHash.slice(-22)}`
        await mailAlert(tx, deps.secrets, { memberId, template: 'password_changed', key, data: {}, origin })
        return { ok: true, value: { ended } }
      })
    },

    endOtherStaffSessions: ({ session }) =>
      inTransaction(db, async (tx) => {
        const ended = await endOtherSessions(tx, session)
        await logStaff(tx, {
          actorId: session.memberId,
          action: 'staff.end_sessions',
          subject: `member:${session.memberId}`,
          after: { ended },
        })
        return { ok: true, value: { ended } }
      }),
  }
}
