/**
 * The step-up: an administrator repeats the second factor, or the password if there is none, before money moves.
 *
 * - A step-up is valid for ten minutes and only for this session.
 * - A wrong password or code counts in the throttle like one at a sign-in.
 * - A step-up is recorded only while the password that was checked is unchanged.
 */
import { isoIst } from '@roz/core/ist-day.ts'
import { logStaff } from '../../staff/staff-log.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { type Handlers, invalid } from '../../http/route.ts'
import type { AdminSession } from '../../http/session.ts'
import { lockAccount } from './accounts.ts'
import type { IdentityDeps } from './deps.ts'
import { tellTotp } from './own-totp.ts'
import { checkOwnPassword, getCredentials, type PasswordCheck } from './password-check.ts'
import { type CodeLimit, passSecondFactor } from './second-factor.ts'
import { STEP_UP_LASTS } from './sessions.ts'

type Deps = Pick<IdentityDeps, 'db' | 'secrets'>

export function stepUpHandlers({ db, secrets }: Deps, checkPassword: PasswordCheck, limited: CodeLimit): Handlers<'stepUp'> {
  return {
    stepUp: async ({ session, body: { password, totp, passkey }, origin, ip, userAgent }) => {
      const source = { ip, userAgent }
      const { memberId } = session
      const use = { purpose: 'step_up', tokenHash: session.tokenHash, origin } as const
      if (totp !== undefined || passkey !== undefined) {
        return limited(await getCredentials(db, memberId, source), source, () =>
          inTransaction(db, async (tx) => {
            await lockAccount(tx, session.memberId)
            const passed = await passSecondFactor(tx, secrets, session.memberId, { totp, passkey }, use)
            if (!passed.ok) return passed
            if (passed.by === 'none') return invalid({ password: 'fill_all' })
            if (passed.by === 'recovery') await tellTotp(tx, session.memberId, 'recovery', origin)
            return record(tx, session, passed.by)
          }),
        )
      }
      const enrolled = await db.maybeOne<{ hasPasskey: boolean }>(sql`
        select exists (select from staff_passkey k where k.member_id = t.member_id) as "hasPasskey"
            from staff_totp t where t.member_id = ${session.memberId}::bigint and t.confirmed_at is not null`)
      if (enrolled !== undefined) return { ok: false, code: enrolled.hasPasskey ? 'passkey_required' : 'code_required' }
      if (password === undefined) return invalid({ password: 'fill_all' })
      const checked = await checkOwnPassword({ db, checkPassword }, { memberId, source, password })
      if (!checked.ok) return checked
      return inTransaction(db, async (tx) => {
        const account = await lockAccount(tx, session.memberId)
        if (account === undefined || account.passwordHash !== checked.account.passwordHash) return { ok: false, code: 'wrong_password' }
        // An app may have been set up since.
        const passed = await passSecondFactor(tx, secrets, session.memberId, {}, use)
        return passed.ok ? record(tx, session, 'password') : passed
      })
    },
  }
}

async function record(tx: Tx, { memberId, tokenHash }: AdminSession, by: 'password' | 'app' | 'recovery' | 'passkey') {
  const stepped = await tx.maybeOne<{ until: Date }>(sql`update session set stepped_up_at = roz_now() where token_hash = ${tokenHash}::bytea
        returning stepped_up_at + ${STEP_UP_LASTS} as until`)
  if (stepped === undefined) return { ok: false, code: 'unauthenticated' } as const
  await logStaff(tx, { actorId: memberId, action: 'staff.step_up', subject: `member:${memberId}`, after: { by } })
  return { ok: true, value: { until: isoIst(stepped.until.getTime()) } } as const
}
