/**
 * Notices in the app: every kind with its texts.
 * - The server stores kind and data, never text, so a notice is shown in the reader's language.
 * - `{name}` in a text is replaced by a value of the notice's data.
 */
import { type IstDay, parseDay } from './ist-day.ts'
import { type Language, SPEECH, type Texts } from './language.ts'
import { texts } from './texts.ts'

type Notice = { readonly title: Texts; readonly body: Texts }
const notice = (title: Texts, body: Texts): Notice => ({ title, body })

export const NOTICES = {
  /** Derived from the join rows, not stored; data: day */
  auto_joined: notice(texts("You're in"), texts('Auto Participate joined you to the round of {day} for ₹1.')),
  /** data: balance (₹2.50) */
  low_balance: notice(texts('Your balance is low'), texts('Your wallet has {balance} left. Add money to keep joining each day.')),
  /** data: day */
  auto_join_skipped: notice(
    texts("You were not joined to today's round"),
    texts('Your wallet had less than ₹1 on {day}. Auto Participate stays on: add money today and you are in.'),
  ),
  /** data: year */
  yearly_maximum: notice(
    texts('You have reached the yearly maximum'),
    texts('You have reached the yearly maximum of ₹365. Auto Participate goes on with the first day of next year.'),
  ),
  /** data: amount, day */
  won: notice(texts('You won!'), texts('You won {amount} in the round of {day}. It is in your wallet.')),
  /** data: day */
  round_returned: notice(
    texts('Your ₹1 is back'),
    texts('There was no draw for {day}: the public number that decides it did not come for 30 days. Your ₹1 is back in your wallet.'),
  ),
  /** data: amount, balance */
  topup_credited: notice(texts('Money added'), texts('{amount} was added to your wallet.')),
  /** data: amount, account (last four digits) */
  withdrawal_requested: notice(
    texts('Withdrawal requested'),
    texts('Your withdrawal of {amount} to the account ending in {account} is being processed. It takes 24 to 48 hours.'),
  ),
  /** data: amount, account (last four digits) */
  withdrawal_paid: notice(texts('Withdrawal paid'), texts('{amount} was sent to your account ending in {account}.')),
  /** data: amount */
  withdrawal_returned: notice(
    texts('Withdrawal returned'),
    texts('Your withdrawal of {amount} did not go through. The money is back in your wallet.'),
  ),
  /** data: amount, reason (an administrator's words) */
  withdrawal_rejected: notice(
    texts('Withdrawal rejected'),
    texts('Your withdrawal of {amount} was rejected. The money is back in your wallet. Reason: {reason}'),
  ),
  /** data: amount */
  refund_paid: notice(texts('Refund sent'), texts('{amount} was sent back to where it came from. Your bank may take a few days.')),
  /** data: amount */
  refund_returned: notice(texts('Refund returned'), texts('Your refund of {amount} did not go through. The money is back in your wallet.')),
  /** data: amount, reason (an administrator's words) */
  refund_rejected: notice(
    texts('Refund rejected'),
    texts('Your refund of {amount} was rejected. The money is back in your wallet. Reason: {reason}'),
  ),
  /** data: amount */
  payment_assigned: notice(texts('Payment credited'), texts('A payment of {amount} was checked and is now in your wallet.')),
  /** data: amount */
  payment_taken_back: notice(
    texts('Payment taken back'),
    texts('A payment of yours was disputed at the bank. {amount} of it was taken from your wallet until it is decided.'),
  ),
  /** data: amount */
  payment_owed: notice(
    texts('You owe for a payment'),
    texts(
      'The bank took back a payment of yours, and your wallet did not cover {amount} of it. Rewards and money that comes back pay this first.',
    ),
  ),
  /** data: amount */
  payment_given_back: notice(
    texts('Payment given back'),
    texts('The bank gave a disputed payment back. {amount} is in your wallet again.'),
  ),
} as const satisfies Record<string, Notice>

const DAY = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const
/** A day as text: `21 November 2026`, `21 नवंबर 2026`. */
export const dayText = (day: IstDay, language: Language): string =>
  new Intl.DateTimeFormat(SPEECH[language].locale, DAY).format(new Date(`${day}T00:00:00Z`))

export type NoticeKind = keyof typeof NOTICES
export type NoticeData = Readonly<Record<string, string>>

export const isNoticeKind = (kind: string): kind is NoticeKind => Object.hasOwn(NOTICES, kind)

/** Title and body of a notice in a language. */
export function noticeText(kind: NoticeKind, data: NoticeData, language: Language): { title: string; body: string } {
  const day = parseDay(data.day ?? '')
  const values: NoticeData = day === undefined ? data : { ...data, day: dayText(day, language) }
  const fill = (text: string): string => text.replace(/\{(\w+)\}/g, (_whole, name: string) => values[name] ?? '')
  return { title: fill(NOTICES[kind].title[language]), body: fill(NOTICES[kind].body[language]) }
}
