/** Accounts: registering, signing in, the member's own record, and sessions. */
import type { identityCalls } from '@roz/contract/identity.ts'
import type { staffCalls } from '@roz/contract/staff.ts'
import { type Db, sql } from '../../db/sql.ts'
import { forgetOldHits, limitRules } from '../../protection/limits.ts'
import type { Handlers } from '../../http/route.ts'
import type { JobHandlers } from '../../jobs/worker.ts'
import type { Sessions } from '../../http/session.ts'
import { forgetOldSignals } from '../../members/signals.ts'
import type { IdentityDeps } from './deps.ts'
import { forgetUsed } from './google-nonce.ts'
import { googleHandlers } from './google.ts'
import { invitationHandlers, sweepInvitations } from './invitations.ts'
import { linkHandlers, linkJobs } from './links.ts'
import { notMeHandlers } from './not-me.ts'
import { ownAccountHandlers } from './own-account.ts'
import { ownPasskeyHandlers } from './own-passkeys.ts'
import { createAfterCode, ownTotpHandlers } from './own-totp.ts'
import { createPasswordCheck } from './password-check.ts'
import { profileHandlers } from './profile.ts'
import { createCodeLimit } from './second-factor.ts'
import { createSessions } from './sessions.ts'
import { listSessions, type SignedInDevice, signedInHandlers } from './signed-in.ts'
import { signInHandlers } from './sign-in.ts'
import { stepUpHandlers } from './step-up.ts'
import { teamHandlers } from './team.ts'
import { unconfirmedAddressHandlers } from './unconfirmed-address.ts'

/** The key of a ticket belongs to the rounds, and the staff log is a feature of its own. */
type Names = Exclude<keyof typeof identityCalls | keyof typeof staffCalls, 'ticketKey' | 'setTicketKey' | 'adminAudit' | 'adminAuditCsv'>

type Identity = {
  readonly handlers: Handlers<Names>
  readonly jobs: Pick<JobHandlers, 'reset_link'>
  readonly sessions: Sessions
  readonly exports: { readonly sessions: (memberId: bigint) => Promise<SignedInDevice[]> }
  readonly due: (now: Date) => Promise<boolean>
}

const SWEEP_MS = 600_000

export function createIdentity(deps: IdentityDeps): Identity {
  const rules = limitRules({ production: deps.production })
  const checkPassword = createPasswordCheck(deps.db, rules)
  const limited = createCodeLimit(deps.db, rules)
  const afterCode = createAfterCode(deps, limited)
  let sweptAtMs = Number.NEGATIVE_INFINITY
  return {
    handlers: {
      ...signInHandlers(deps, rules, checkPassword, limited),
      ...googleHandlers(deps, rules),
      ...linkHandlers(deps, rules),
      ...unconfirmedAddressHandlers(deps, rules, checkPassword),
      ...notMeHandlers(deps, rules),
      ...profileHandlers(deps, checkPassword),
      ...stepUpHandlers(deps, checkPassword, limited),
      ...ownTotpHandlers(deps, checkPassword, limited, afterCode),
      ...ownPasskeyHandlers(deps, afterCode),
      ...ownAccountHandlers(deps, checkPassword),
      ...teamHandlers(deps),
      ...invitationHandlers(deps, rules),
      ...signedInHandlers(deps),
    },
    jobs: linkJobs(deps),
    sessions: createSessions(deps.db, deps),
    exports: { sessions: (memberId) => listSessions(deps.db, memberId) },
    due: async (now) => {
      if (Math.abs(now.getTime() - sweptAtMs) < SWEEP_MS) return false
      sweptAtMs = now.getTime()
      await sweep(deps.db)
      return false
    },
  }
}

/**
 * Deletes expired rows. Links stay a week longer, so that an old link answers that it has expired.
 * `(select roz_now())` is evaluated once; a bare `roz_now()` would be evaluated for each row.
 */
async function sweep(db: Db): Promise<void> {
  await db.query(sql`delete from session where expires_at < (select roz_now()) or last_at < (select roz_now())`)
  await db.query(sql`delete from mail_token where expires_at < (select roz_now()) - interval '7 days'`)
  await db.query(sql`delete from known_browser where seen_at < (select roz_now()) - interval '180 days'`)
  await db.query(sql`delete from staff_passkey_challenge where expires_at < (select roz_now())`)
  await sweepInvitations(db)
  while (await forgetOldSignals(db));
  await forgetUsed(db)
  while (await forgetOldHits(db));
}
