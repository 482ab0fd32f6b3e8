/**
 * The step-up: an administrator repeats the password before money moves.
 *
 * - A step-up is valid for ten minutes and for this session alone.
 * - A wrong password counts in the throttle like one at a sign-in.
 * - A step-up is recorded only while the password that was checked is unchanged.
 */
import { isoIst } from '@roz/core/ist-day.ts'
import { audit } from '../../staff/audit-log.ts'
import { maybeOne, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Handlers } from '../../http/route.ts'
import { findById, lockAccount } from './accounts.ts'
import type { IdentityDeps } from './deps.ts'
import type { PasswordCheck } from './password-check.ts'
import { STEP_UP_LASTS } from './sessions.ts'

export function stepUpHandlers({ db }: Pick<IdentityDeps, 'db'>, checkPassword: PasswordCheck): Handlers<'stepUp'> {
  return {
    stepUp: async ({ session, body, ip, userAgent }) => {
      const source = { ip, userAgent }
      const mine = await findById(db, session.memberId, source)
      if (mine === undefined) throw new Error('stepUp: a session without its account')
      const checked = await checkPassword({ email: mine.email, source, password: body.password, find: async () => mine })
      if (!checked.ok) return checked.code === 'wrong' ? { ok: false, code: 'wrong_password' } : checked
      return inTransaction(db, async (tx) => {
        const account = await lockAccount(tx, session.memberId)
        if (account === undefined || account.passwordHash !== mine.passwordHash) return { ok: false, code: 'wrong_password' }
        const stepped = await maybeOne<{ until: Date }>(
          tx,
          sql`update session set stepped_up_at = roz_now() where token_hash = ${session.tokenHash}::bytea
              returning stepped_up_at + ${STEP_UP_LASTS} as until`,
        )
        if (stepped === undefined) return { ok: false, code: 'unauthenticated' }
        await audit(tx, { actorId: account.id, action: 'staff.step_up', subject: `member:${account.id}` })
        return { ok: true, value: { until: isoIst(stepped.until.getTime()) } }
      })
    },
  }
}
