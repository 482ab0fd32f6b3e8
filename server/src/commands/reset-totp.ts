/**
 * `roz staff reset-totp <mail address>`: removes the authenticator app and the passkeys of a staff account, for the last owner whose phone is lost.
 * - It ends all sessions of the account, mails its owner, and leaves an entry of the system in the staff log.
 * - Exit code: 0 if the app is removed, 1 if the account has none, 2 if the database could not be read.
 */
import { sql } from '../db/sql.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { tellTotp } from '../features/identity/own-totp.ts'
import { removeTotp } from '../features/identity/second-factor.ts'
import { endAllSessions } from '../features/identity/sessions.ts'
import { addressKey } from '../protection/limits.ts'
import { logStaff } from '../staff/staff-log.ts'
import { type CommandTarget, exitCodeOnDatabase } from './command-database.ts'

export async function resetTotpNow(target: CommandTarget, email: string): Promise<0 | 1 | 2> {
  const { say } = target
  const reset = (tx: Tx) => removeTotpOf(tx, email, say)
  return exitCodeOnDatabase(
    target,
    { name: 'reset-totp' },
    (db) => inTransaction(db, reset),
    (why) => `The app could not be removed: ${why}`,
  )
}

async function removeTotpOf(tx: Tx, email: string, say: CommandTarget['say']): Promise<0 | 1> {
  const account = await tx.maybeOne<{ id: bigint; name: string }>(
    sql`select id, name from member where lower(email) = ${addressKey(email)}::text and role = 'admin' and deleted_at is null for no key update`,
  )
  if (account === undefined || !(await removeTotp(tx, account.id))) {
    say(`No staff account with this address has an authenticator app: ${email}`)
    return 1
  }
  await endAllSessions(tx, account.id)
  await tellTotp(tx, account.id, 'reset')
  await logStaff(tx, {
    actorId: undefined,
    action: 'staff.totp_reset',
    subject: `member:${account.id}`,
    after: { by: 'roz staff reset-totp' },
  })
  say(
    `The authenticator app of ${account.name} is removed. Its passkeys ended with it. The password alone logs in now: set up a new app at once.`,
  )
  return 0
}
