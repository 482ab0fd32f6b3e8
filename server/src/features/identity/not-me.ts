/**
 * "This wasn't me", from a link in a mail.
 *
 * - Opening the link changes nothing, because mail scanners open links. The page has a button that makes this call.
 * - The first press ends every session, the password, the link with Google and all mailed links, and renews the ticket key, which
 *   somebody else may have read. It holds withdrawals and refunds until an administrator releases the member, and mails a link for
 *   a new password. Of staff it also ends what waits for a second person: first decisions, changes of owners, invitations.
 * - A second press, also of an earlier mail's link, answers the same and changes nothing.
 */
import { texts } from '@roz/core/texts.ts'
import { holdMember } from '../../ledger/suspension.ts'
import { voidVoices } from '../../ledger/voices-that-left.ts'
import { logStaff } from '../../staff/staff-log.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { type LimitRules, take } from '../../protection/limits.ts'
import type { Handlers } from '../../http/route.ts'
import { forgetBrowsers, type LockedAccount, setPassword } from './accounts.ts'
import type { IdentityDeps } from './deps.ts'
import { cancelInvitationsOf } from './invitations.ts'
import { lockToken, momentOf, sendLink, useUp } from './links.ts'
import { endAllSessions } from './sessions.ts'

const SECURED = texts(
  'All devices are logged out, the old password no longer works, and the link with Google is removed. Withdrawals and refunds are stopped until we have checked your account. You need a new password: we have sent you an email with a link to choose one.',
)

/** Staff have no wallet. */
const SECURED_STAFF = texts(
  'All devices are logged out, and the old password no longer works. You need a new password: we have sent you an email with a link to choose one.',
)

export function notMeHandlers(deps: IdentityDeps, rules: LimitRules): Handlers<'notMe'> {
  return {
    notMe: async ({ body, language, origin, ip, userAgent }) => {
      const taken = await take(deps.db, rules.other({ ip, userAgent }))
      if (!taken.ok) return taken
      return inTransaction(deps.db, async (tx) => {
        const found = await lockToken(tx, body.token, 'not_me')
        if (found === undefined || !found.row.isLive) return { ok: false, code: 'alert_link_invalid' }
        if (!found.row.isUsed) {
          await secure(tx, deps, found.account, found.row.about ?? '')
          const secured = { ...(await momentOf(tx)), staff: found.account.isStaff ? 'yes' : '' }
          await sendLink(tx, deps, { memberId: found.account.id, purpose: 'reset', origin, secured })
        }
        return { ok: true, value: { message: (found.account.isStaff ? SECURED_STAFF : SECURED)[language] } }
      })
    },
  }
}

async function secure(tx: Tx, { ticketKeys }: IdentityDeps, account: LockedAccount, about: string): Promise<void> {
  const { id } = account
  await setPassword(tx, id, null)
  await endAllSessions(tx, id)
  await forgetBrowsers(tx, id)
  for (const purpose of ['not_me', 'reset'] as const) await useUp(tx, id, purpose)
  await cancelInvitationsOf(tx, id)
  await tx.query(sql`update member set google_sub = null where id = ${id}::bigint`)
  // Staff have no wallet, so there is no money to hold.
  if (account.isStaff) await endVoices(tx, id)
  else await holdMember(tx, id, about)
  await ticketKeys.renew(tx, id)
  await logStaff(tx, { actorId: id, action: account.isStaff ? 'staff.not_me' : 'member.not_me', subject: `member:${id}`, after: { about } })
}

/** Ends the first decisions. The schema keeps those of a settled role, so the role counts as new until they have ended. */
async function endVoices(tx: Tx, id: bigint): Promise<void> {
  const { since } = await tx.one<{ since: string | null }>(sql`
    update member set staff_since = roz_now() where id = ${id}::bigint returning old.staff_since::text as since`)
  await voidVoices(tx, id, id)
  await tx.query(sql`update member set staff_since = ${since}::timestamptz where id = ${id}::bigint`)
}
