/** The texts of the mails to the team: invitations, the second factor, changes of the team (owner-mails.ts). */
import type { Texts } from '@roz/core/language.ts'
import { texts } from '@roz/core/texts.ts'
import type { MailTexts, MailData } from './mail-payload.ts'
import type { TeamEvent } from './owner-mails.ts'

export const HELLO = texts('Hello {name},')

const TOTP_RESET = texts('Your authenticator app was removed, because someone on the team reset it. Set it up again when you log in.')
const TOTP_WORDS: Readonly<Record<string, Texts>> = {
  on: texts('An authenticator app was set up for your account. Logging in asks for its code from now on.'),
  off: texts('The authenticator app was removed from your account.'),
  codes: texts('New recovery codes were made for your account. The old ones no longer work.'),
  recovery: texts('A recovery code was used for your account. It does not work again.'),
  passkey_added: texts('A passkey was added to your account. It can be used to log in.'),
  passkey_removed: texts('A passkey was removed from your account. It no longer works.'),
  passkeys_only: texts('Codes of the authenticator app no longer log in to your account. Only a passkey or a recovery code does.'),
  codes_again: texts('Codes of the authenticator app log in to your account again.'),
}

const TEAM_WORDS = {
  invited: texts('{about} was invited to the team. Role: {detail}.'),
  joined: texts('{about} accepted the invitation and is in the team now. Role: {detail}.'),
  role: texts('The role of {about} changed. New role: {detail}.'),
  removed: texts('{about} was removed from the team. Reason: {detail}'),
  totp_reset: texts('The authenticator app of {about} was removed. Until a new one is set up, the password alone opens the account.'),
  role_asked: texts(
    'The role of the owner {about} is to change. New role: {detail}. It waits for a second owner; where there is none, for 48 hours.',
  ),
  removed_asked: texts(
    'The owner {about} is to be removed from the team. It waits for a second owner; where there is none, for 48 hours. Reason: {detail}',
  ),
  totp_reset_asked: texts(
    'The authenticator app of the owner {about} is to be removed. It waits for a second owner; where there is none, for 48 hours.',
  ),
  asked_withdrawn: texts('What was to change for the owner {about} was stopped. Nothing changed.'),
  receipt_withheld: texts('A public bill was withheld: {about}. The payment is recent, so look at it. Reason: {detail}'),
  consent_revoked: texts(
    'A consent was revoked, and its bills are no longer public: {about}. Paid in the last 30 days: {detail}. Look at it.',
  ),
  follow_up_withheld: texts('What a helped person told later was withheld from the public. Help: {about}. Reason: {detail}'),
  follow_ups_ended: texts(
    'A person’s consent to be asked again ended: {about}. Answers that were deleted with it: {detail}. Ask the person whether this is right.',
  ),
  not_received: texts('Help did not arrive: {about}. Find out today where the money is. What the receiver says: {detail}'),
  received_after_all: texts('Help that had not arrived is now recorded as received: {about}. Ask the receiver whether this is right.'),
  request_withdrawn: texts(
    'A request that the team had begun was withdrawn on the public page, with its number and phone number: {about}. Ask whoever worked on it whether the person wanted that.',
  ),
} as const satisfies Record<TeamEvent, Texts>

export const STAFF_MAILS = {
  staff_invitation: {
    subject: texts('You are invited to the team of {brandName}'),
    paragraphs: [HELLO, texts('{inviter} invited you to the team of {brandName}. Choose a password, and your account is ready.')],
    action: { label: texts('Accept the invitation'), path: '/admin/invitation?token={token}' },
    after: [texts('The link works once, for 24 hours. If you did not expect it, ignore this email.')],
  },
  totp_changed: ({ what }: MailData['totp_changed']) => ({
    subject: texts('Your {brandName} login code settings changed'),
    paragraphs: [HELLO, TOTP_WORDS[what] ?? TOTP_RESET],
    action: { label: texts('Open the portal'), path: '/admin/dashboard' },
    after: [texts('If it was not you, tell an owner of {brandName} at once.')],
  }),
  team_changed: ({ what, actor }: MailData['team_changed']) => ({
    subject: texts('{brandName}: a change in the team or its decisions'),
    paragraphs: [
      HELLO,
      TEAM_WORDS[what as TeamEvent] ?? TEAM_WORDS.role,
      actor === '' ? texts('At {at} IST, without an account.') : texts('By {actor}, at {at} IST.'),
    ],
    action: { label: texts('Open the portal'), path: '/admin/dashboard' },
    after: [texts('If this is not right, speak to the other owners at once: they can undo it.')],
  }),
} satisfies { readonly [T in 'staff_invitation' | 'totp_changed' | 'team_changed']: MailTexts | ((told: MailData[T]) => MailTexts) }
