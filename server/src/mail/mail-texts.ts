/**
 * The texts of every mail: subject, paragraphs, button and small print for each template.
 * - A template without a text, or a text without one of the languages, does not compile.
 * - Values are plain text; mail-layout.ts escapes them.
 */
import { isolated } from '@roz/core/isolated.ts'
import { parseDay } from '@roz/core/ist-day.ts'
import type { Language, Texts } from '@roz/core/language.ts'
import { dayText, isToUpi, PAID_DEBT, PASSED_ON, REQUESTED_TO_UPI, SENT_TO_UPI, TAX_WITHHELD, whenPaid } from '@roz/core/notices.ts'
import type { Modes } from '@roz/core/modes.ts'
import { inPlural } from '@roz/core/plural.ts'
import { texts } from '@roz/core/texts.ts'
import { AUTOPAY_MAILS } from './autopay-mail-texts.ts'
import type { MailWords } from './mail-layout.ts'
import type { MailTexts, MailData, MailPayload, MailTemplate } from './mail-payload.ts'
import { HELLO, STAFF_MAILS } from './staff-mail-texts.ts'
import { UNSUBSCRIBE_PATH } from './unsubscribe-token.ts'

/** Values that any mail may use: brand name, limits, support address, and the base address and token of its one link. */
export type MailFrame = {
  readonly brandName: string
  /** Least and greatest amount that can be added at once, ready to print. */
  readonly topupMin: string
  readonly topupMax: string
  readonly link: (path: string) => string
  readonly token: string
  readonly supportEmail: string
  /** The operator's switches. */
  readonly modes: Modes
}

/** `{amount}` and the like are filled from the mail's data; `{brandName}`, `{token}` and `{topupMin}` from the frame. */

const HELLO_NOBODY = texts('Hello,')
const ARRIVED = texts(
  '{received, plural, one {# payment of help with your rupees was confirmed as received.} other {# payments of help with your rupees were confirmed as received.}}',
)
const TOLD = texts(
  '{helped}, {weeks, plural, one {# week} other {# weeks}} later: read what the person says after the help from your rupees.',
)
const TOLD_MANY = texts(
  '{helped}, {weeks, plural, one {# week} other {# weeks}} later: read what the person says after the help from your rupees. In all, {told} answers came this week.',
)
const SEE_WALLET = texts('See your wallet')
const sentTo = (told: { readonly account: string; readonly reference: string }): Texts[] => {
  if (isToUpi(told)) return told.reference === '' ? [SENT_TO_UPI] : [SENT_TO_UPI, texts('Bank reference: {reference}')]
  return [
    told.reference === ''
      ? texts('{amount} was sent to your account ending in {account}.')
      : texts('{amount} was sent to your account ending in {account}. Bank reference: {reference}'),
  ]
}
const TAKEN_FOR_NOW = texts('A payment is disputed. We took back {amount} from your wallet until the bank decides.')
const TAKEN = texts('The bank took back a disputed payment. We took {amount} from your wallet.')
const REASON = texts('Reason: {reason}')
const debtOf = ({ paid }: { readonly paid?: string }): readonly Texts[] => (paid === undefined ? [] : [PAID_DEBT])
const passedOf = ({ passed }: { readonly passed?: string }): readonly Texts[] => (passed === undefined ? [] : [PASSED_ON])
const taxOf = ({ tax }: { readonly tax?: string }): readonly Texts[] => (tax === undefined ? [] : [TAX_WITHHELD])
/** The only button of each mail about an action that somebody else may have done. */
const NOT_ME = { label: texts("This wasn't me"), path: '/not-me?token={token}' }
const WHAT_IT_DOES = texts(
  'If it was you, there is nothing to do. If not, press the button within 7 days: on its page you can log out all devices, stop withdrawals and choose a new password.',
)

function deviceLine(browser: string, system: string): Texts {
  if (browser && system) return texts('Device: {browser} on {system}')
  // One of the two is empty.
  return browser || system ? texts('Device: {browser}{system}') : texts('Device: unknown')
}

export const MAIL_TEXTS: { readonly [T in MailTemplate]: MailTexts | ((told: MailData[T], modes: Modes) => MailTexts) } = {
  verify: {
    subject: texts('Verify your email for {brandName}'),
    paragraphs: [HELLO, texts("Please confirm that this is your email address. Then you can join today's round.")],
    action: { label: texts('Verify my email'), path: '/verify-email?token={token}' },
    after: [texts('The link works for 24 hours. If you did not register, ignore this email.')],
  },
  reset: {
    subject: texts('Reset your {brandName} password'),
    paragraphs: [HELLO, texts('Someone requested a new password for your account. If it was you, choose one here:')],
    action: { label: texts('Choose a new password'), path: '/reset-password?token={token}' },
    after: [texts('The link works once, for one hour. If you did not request it, ignore this email: nothing changes.')],
  },
  secured: ({ staff }) => ({
    subject: texts('Your {brandName} account is secured: choose a new password'),
    paragraphs: [
      HELLO,
      texts("On {day} at {time} IST, someone pressed the button on the page of the link “This wasn't me” in our email to you."),
      texts('So we logged out all devices. The old password no longer works, and earlier links in our emails no longer work.'),
      ...(staff === ''
        ? [texts('Withdrawals and refunds are stopped until we have checked your account. Your money is not touched.')]
        : []),
      texts('To log in again, choose a new password here:'),
    ],
    action: { label: texts('Choose a new password'), path: '/reset-password?token={token}' },
    after: [texts('The link works once, for one hour. After that, use “Forgot password?” on the login page.')],
  }),
  more_happened: {
    subject: texts('More happened in your {brandName} account today'),
    paragraphs: [
      HELLO,
      texts(
        'The same thing happened in your account many times in 24 hours. We have sent you an email about the first ones, and send no more about it for now.',
      ),
      texts('Log in to see everything: your wallet shows each withdrawal and refund, and your profile each device that is logged in.'),
    ],
    action: NOT_ME,
    after: [WHAT_IT_DOES],
  },
  welcome: (_told, { topupsOn }) => ({
    subject: texts('Welcome to {brandName}'),
    paragraphs: [
      HELLO,
      topupsOn
        ? texts("Your email is verified. Add {topupMin} to {topupMax} to your wallet and join today's round with ₹1.")
        : texts('Your email is verified. Adding money is paused right now. Until then you can see everything that happens here.'),
    ],
    action: { label: texts('Go to your dashboard'), path: '/dashboard' },
  }),
  password_changed: {
    subject: texts('Your {brandName} password was changed'),
    paragraphs: [HELLO, texts('Your password was changed and all other devices were logged out.')],
    action: NOT_ME,
    after: [WHAT_IT_DOES],
  },
  phone_changed: {
    subject: texts('Your {brandName} phone number was changed'),
    paragraphs: [HELLO, texts('The phone number of your account ends in {ending} now. We may call it before money leaves your account.')],
    action: NOT_ME,
    after: [WHAT_IT_DOES],
  },
  new_device: ({ browser, system }) => ({
    subject: texts('New login to your {brandName} account'),
    paragraphs: [
      HELLO,
      texts('Someone logged in to your account on {day} at {time} IST, from a new device or network.'),
      deviceLine(browser, system),
    ],
    action: NOT_ME,
    after: [WHAT_IT_DOES],
  }),
  google_linked: {
    subject: texts('Google is now linked to your {brandName} account'),
    paragraphs: [
      HELLO,
      texts('Someone logged in with Google for the first time, with the Google account of this email address.'),
      texts(
        'Your old password was removed and all other devices were logged out, so that nobody else can use them. You can keep using Google, or set a new password with “Forgot password?” on the login page.',
      ),
    ],
    action: NOT_ME,
    after: [WHAT_IT_DOES],
  },
  account_closed: {
    subject: texts('Your {brandName} account is deleted'),
    paragraphs: [
      HELLO,
      texts(
        'Your account was deleted and your name, email, phone number and picture were erased. Our public accounts keep the amounts, without your name.',
      ),
      texts('Thank you for every rupee you shared.'),
    ],
    action: { label: texts('Write to us'), path: '/contact-us' },
    after: [texts('If this was not you, please write to us at once.')],
  },
  account_suspended: {
    subject: texts('Your {brandName} account is suspended'),
    paragraphs: [
      HELLO,
      texts(
        'We have suspended your account while we look into something. You can still log in, see everything and download your data. You cannot join rounds or move money for now.',
      ),
      texts(
        'Your money stays in your wallet, and what you get meanwhile is added to it. Please write to us: we want to solve this with you.',
      ),
    ],
    action: { label: texts('Write to us'), path: '/contact-us' },
  },
  account_reinstated: {
    subject: texts('Your {brandName} account works again'),
    paragraphs: [
      HELLO,
      texts('Your account is no longer suspended: everything works for you as it does for other members. Thank you for your patience.'),
    ],
    action: { label: texts('Go to your dashboard'), path: '/dashboard' },
  },
  payouts_held: {
    subject: texts('Your withdrawals are on hold'),
    paragraphs: [
      HELLO,
      texts(
        'We are checking something about your account. Until we are done, withdrawals and refunds wait. Everything else works as before.',
      ),
      texts('Your balance has not changed. If you have a question, please write to us.'),
    ],
    action: { label: texts('Write to us'), path: '/contact-us' },
  },
  payouts_released: {
    subject: texts('Your withdrawals are no longer on hold'),
    paragraphs: [HELLO, texts('We have finished checking your account. Your withdrawals and refunds no longer wait for it.')],
    action: { label: SEE_WALLET, path: '/wallet' },
  },
  new_bank_account: (told) => ({
    // A mail that was queued before this text named the amount has none.
    subject: isToUpi(told)
      ? texts('Withdrawal of {amount} to a new UPI ID requested')
      : 'amount' in told
        ? texts('Withdrawal of {amount} to a new bank account requested')
        : texts('Withdrawal to a new bank account requested'),
    paragraphs: [
      HELLO,
      isToUpi(told)
        ? texts('You requested a withdrawal of {amount} to a UPI ID that you have not used here before: {account}.')
        : 'amount' in told
          ? texts(
              'You requested a withdrawal of {amount} to a bank account that you have not used here before: {bank}, account ending in {account}.',
            )
          : texts('You requested a withdrawal to a bank account that you have not used here before: {bank}, account ending in {account}.'),
      whenPaid(told),
    ],
    action: NOT_ME,
    after: [WHAT_IT_DOES],
  }),
  withdrawal_requested: (told) => ({
    subject: texts('Withdrawal of {amount} requested'),
    paragraphs: [
      HELLO,
      isToUpi(told) ? REQUESTED_TO_UPI : texts('You requested a withdrawal of {amount} to the account ending in {account}.'),
      whenPaid(told),
    ],
    action: NOT_ME,
    after: [WHAT_IT_DOES],
  }),
  withdrawal_paid: (told) => ({
    subject: texts('Your withdrawal of {amount} was sent'),
    paragraphs: [HELLO, ...sentTo(told)],
    action: { label: SEE_WALLET, path: '/wallet' },
  }),
  withdrawal_returned: (told) => ({
    subject: texts('Your withdrawal of {amount} was returned'),
    paragraphs: [HELLO, texts('Your withdrawal of {amount} did not go through. The money is back in your wallet.'), ...debtOf(told)],
    action: { label: SEE_WALLET, path: '/wallet' },
  }),
  withdrawal_rejected: (told) => ({
    subject: texts('Your withdrawal of {amount} was rejected'),
    paragraphs: [HELLO, texts('Your withdrawal of {amount} was rejected. The money is back in your wallet.'), ...debtOf(told), REASON],
    action: { label: SEE_WALLET, path: '/wallet' },
  }),
  refund_requested: {
    subject: texts('Refund of {amount} requested'),
    paragraphs: [
      HELLO,
      texts("You requested a refund of {amount}. We'll review it soon."),
      texts('After approval it goes to your original payment method in 5–10 business days.'),
    ],
    action: { label: SEE_WALLET, path: '/wallet' },
  },
  refund_paid: {
    subject: texts('Your refund of {amount} was sent'),
    paragraphs: [HELLO, texts('{amount} was sent to your original payment method. Your bank may take a few days.')],
    action: { label: SEE_WALLET, path: '/wallet' },
  },
  refund_returned: (told) => ({
    subject: texts('Your refund of {amount} did not go through'),
    paragraphs: [HELLO, texts('Your refund of {amount} did not go through. The money is back in your wallet.'), ...debtOf(told)],
    action: { label: SEE_WALLET, path: '/wallet' },
  }),
  refund_rejected: (told) => ({
    subject: texts('Your refund of {amount} was rejected'),
    paragraphs: [HELLO, texts('Your refund of {amount} was rejected. The money is back in your wallet.'), ...debtOf(told), REASON],
    action: { label: SEE_WALLET, path: '/wallet' },
  }),
  money_added: (_told, { byTransfer = false }) => ({
    subject: texts('{amount} added to your wallet'),
    paragraphs: [HELLO, texts('{amount} was added to your wallet. Order ID: {orderId}')],
    action: { label: SEE_WALLET, path: '/wallet' },
    after: [byTransfer ? texts('This is your receipt.') : texts('This is your receipt. The unused part can be refunded within 7 days.')],
  }),
  ...AUTOPAY_MAILS,
  payment_waiting: {
    subject: texts('Payment being checked'),
    paragraphs: [
      HELLO,
      texts(
        'A payment of {amount} does not fit your order: it came twice, late or with another amount. We add it to your wallet or send it back.',
      ),
    ],
    action: { label: SEE_WALLET, path: '/wallet' },
    after: [texts('If you hear nothing more within two working days, please write to us.')],
  },
  payment_assigned: (told) => ({
    subject: texts('{amount} added to your wallet'),
    paragraphs: [HELLO, texts('A payment of {amount} was checked and is now in your wallet.'), ...debtOf(told)],
    action: { label: SEE_WALLET, path: '/wallet' },
    after: [texts('If this payment is not yours, please write to us.')],
  }),
  payment_taken_back: ({ amount, owed, open }) => ({
    subject: texts('A payment to {brandName} is disputed'),
    paragraphs: [
      HELLO,
      ...(amount === '' ? [] : [open === '' ? TAKEN : TAKEN_FOR_NOW]),
      ...(owed === ''
        ? []
        : [
            texts(
              'The bank took back a payment, and your wallet was {owed} short. Money that you get here, except what you add yourself, goes towards this first.',
            ),
          ]),
    ],
    action: { label: SEE_WALLET, path: '/wallet' },
    after: [texts('If you did not dispute a payment, ask your bank why it was disputed, and write to us.')],
  }),
  payment_given_back: ({ amount, owed, ...told }) => ({
    subject: texts('A disputed payment to {brandName} was returned'),
    paragraphs: [
      HELLO,
      amount === ''
        ? texts('The bank returned a disputed payment.')
        : texts('The bank returned a disputed payment. {amount} is back in your wallet.'),
      ...debtOf(told),
      ...(owed === '' ? [] : [texts('You no longer owe {owed} for it.')]),
    ],
    action: { label: SEE_WALLET, path: '/wallet' },
  }),
  round_returned: (told) => ({
    subject: texts('Your ₹1 for {day} is back'),
    paragraphs: [
      HELLO,
      texts(
        'The round of {day} ended without a result: its public random number did not come for 30 days. Everyone who joined got ₹1 back. Yours is in your wallet.',
      ),
      ...debtOf(told),
    ],
    action: { label: SEE_WALLET, path: '/wallet' },
  }),
  draw_won: (told) => ({
    subject: texts('You won {amount}!'),
    paragraphs: [
      HELLO,
      texts('You won {amount} in the round of {day}. It is already in your wallet.'),
      ...debtOf(told),
      ...passedOf(told),
      ...taxOf(told),
    ],
    action: { label: texts('See the round'), path: '/history' },
  }),
  weekly_joins: ({ received = '0', told = '0' }) => ({
    subject: texts('Your week with {brandName}: {rounds, plural, one {# round} other {# rounds}}'),
    paragraphs: [
      HELLO,
      texts(
        'Auto Participate joined you to {rounds, plural, one {# round from {from} to {to}, for ₹1} other {# rounds from {from} to {to}, for ₹1 each}}.',
      ),
      ...(received === '0' ? [] : [ARRIVED]),
      ...(told === '0' ? [] : [told === '1' ? TOLD : TOLD_MANY]),
    ],
    action: { label: texts('See your rounds'), path: '/history' },
    after: [texts('You can turn Auto Participate off at any time in your profile.')],
  }),
  auto_join_skipped: (_told, { topupsOn }) => ({
    subject: texts('You were not joined to the round of {day}'),
    paragraphs: [
      HELLO,
      texts(
        'Auto Participate did not join you to the round of {day}: your wallet had less than ₹1. It stays on and joins you again once your wallet has ₹1.',
      ),
    ],
    action: { label: topupsOn ? texts('Add money') : SEE_WALLET, path: '/wallet' },
    after: [texts('You can turn Auto Participate off at any time in your profile.')],
  }),
  ...STAFF_MAILS,
  help_told: ({ more }) => ({
    subject: texts('Your rupee helped: {purpose} for {helped}'),
    paragraphs: [
      HELLO,
      texts('Part of one of your rupees paid for {purpose} for {helped}. Read the story and see the bill.'),
      ...(more === '0'
        ? []
        : [more === '1' ? texts('One more story shows help from your rupees.') : texts('{more} more stories show help from your rupees.')]),
    ],
    action: { label: texts('See where your rupees went'), path: '/history' },
  }),
  audit_alarm: {
    subject: texts('{brandName}: the accounts do not add up'),
    paragraphs: [HELLO, texts('The check of the accounts at {at} IST found errors:'), '{sentences}'],
    action: { label: texts('Open the portal'), path: '/admin/dashboard' },
    after: [texts('Hold withdrawals and refunds until the cause is known. roz audit names every row.')],
  },
  contact: {
    subject: texts('[{ticket}] Message from {name}'),
    paragraphs: [texts('{name} <{email}> wrote:'), '{message}'],
  },
  contact_received: {
    subject: texts('[{ticket}] We got your message'),
    paragraphs: [HELLO, texts('We got your message. Your ticket number is {ticket}. We answer within 1–2 business days.')],
    action: { label: texts('Open the help center'), path: '/help-center' },
    after: [texts('If you did not write to us, ignore this email.')],
  },
  help_asked: {
    subject: texts('[#{number}] We have your request for help'),
    paragraphs: [
      HELLO,
      texts('We have your request. Its number is #{number}. We will call you.'),
      texts('With this number and your phone number you can see where your request is.'),
    ],
    action: { label: texts('See your request'), path: '/ask-for-help/{number}' },
    after: [texts('If you did not ask for help, ignore this email.')],
  },
  help_withdrawn: {
    subject: texts('[#{number}] Your request was withdrawn'),
    paragraphs: [
      HELLO,
      texts('Your request #{number} was withdrawn, with its number and your phone number. We have deleted your words and your contact.'),
      texts('If you did not withdraw it, please ask again and tell us so.'),
    ],
    action: { label: texts('Ask for help again'), path: '/ask-for-help' },
    after: [texts('If you did not ask for help, ignore this email.')],
  },
  contact_reply: {
    // The subject of the acknowledgement: mail programs keep both in one thread.
    subject: texts('Re: [{ticket}] We got your message'),
    paragraphs: [HELLO, '{text}', texts('To answer, reply to this email. Your ticket number is {ticket}.')],
  },
}

/** The emails with a link that ends them. */
export const STOPPABLE: ReadonlySet<MailTemplate> = new Set(['weekly_joins', 'auto_join_skipped', 'help_told'])
const STOP = texts('Stop these emails')
const FOOTER = texts('Questions? Write to {supportEmail}')

const DAYS: readonly string[] = ['day', 'from', 'to', 'next']

/** The data of a mail, ready to print: days are written in the mail's language. */
function toldIn(data: Readonly<Record<string, string>>, language: Language): Readonly<Record<string, string>> {
  const printed = Object.entries(data).map(([name, value]) => {
    const day = DAYS.includes(name) ? parseDay(value) : undefined
    return [name, day === undefined ? value : dayText(day, language)] as const
  })
  return Object.fromEntries(printed)
}

/** A path with the mail's values. */
const addressOf = (path: string, values: Readonly<Record<string, string | undefined>>): string =>
  path.replace(/\{(\w+)\}/g, (_mark, name: string) => encodeURIComponent(values[name] ?? ''))

/** Renders a mail in its language. Values are filled in once, so braces in a name stay as they are. */
export function mailWords({ template, data, language }: MailPayload, { link, token, modes, ...named }: MailFrame): MailWords {
  // The payload's type ties template and data; indexing the map by the template loses that.
  const written = MAIL_TEXTS[template] as MailTexts | ((told: typeof data, modes: Modes) => MailTexts)
  const { subject, paragraphs, action, after } = typeof written === 'function' ? written(data, modes) : written
  const values: Readonly<Record<string, string>> = { ...toldIn(data, language), ...named }
  const fill = (words: Texts | string): string =>
    inPlural(typeof words === 'string' ? words : words[language], values, language).replace(/\{(\w+)\}/g, (mark, name: string) =>
      isolated(values[name] ?? mark),
    )
  return {
    subject: fill(subject),
    paragraphs: paragraphs.map((words) => fill(words === HELLO && data.name === '' ? HELLO_NOBODY : words)),
    ...(action === undefined ? {} : { action: { label: fill(action.label), url: link(addressOf(action.path, { ...data, token })) } }),
    after: (after ?? []).map(fill),
    ...(STOPPABLE.has(template)
      ? { stop: { label: fill(STOP), url: link(`${UNSUBSCRIBE_PATH}?token=${encodeURIComponent(token)}`) } }
      : {}),
    // Support itself gets no support address.
    ...(template === 'contact' ? {} : { footer: fill(FOOTER) }),
  }
}
