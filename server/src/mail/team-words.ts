/** What the mail to the owners says for each event of the team (owner-mails.ts). */
import type { Texts } from '@roz/core/language.ts'
import { texts } from '@roz/core/texts.ts'
import type { TeamEvent } from './owner-mails.ts'

export const TEAM_WORDS = {
  invited: texts('{about} was invited to the team. Role: {detail}.'),
  joined: texts('{about} accepted the invitation and is in the team now. Role: {detail}.'),
  role: texts('The role of {about} changed. New role: {detail}.'),
  removed: texts('{about} was removed from the team. Reason: {detail}'),
  totp_reset: texts('The authenticator app of {about} was removed. Until a new one is set up, the password alone opens the account.'),
  role_asked: texts('The role of the owner {about} is to change. New role: {detail}. A second owner must confirm it.'),
  removed_asked: texts('The owner {about} is to be removed from the team. A second owner must confirm it. Reason: {detail}'),
  totp_reset_asked: texts('The authenticator app of the owner {about} is to be removed. A second owner must confirm it.'),
  asked_withdrawn: texts('What was to change for the owner {about} was stopped. Nothing changed.'),
  receipt_withheld: texts('A public receipt was withheld: {about}. The payment is recent, so look at it. Reason: {detail}'),
  consent_revoked: texts(
    'A consent was revoked, and its receipts are no longer public: {about}. Paid in the last 30 days: {detail}. Look at it.',
  ),
} as const satisfies Record<TeamEvent, Texts>
