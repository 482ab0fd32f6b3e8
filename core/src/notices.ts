/**
 * Notices in the app: every kind with its texts.
 * - The server stores kind and data, never text, so a notice is shown in the reader's language.
 * - `{name}` in a text is replaced by a value of the notice's data.
 * - With `paid` in the data, a sentence says how much of the money paid a debt; with `passed`, how much was passed on.
 */
import { ARRIVAL_WAYS, RECEIVED_WORDS } from './arrival-fields.ts'
import { type IstDay, parseDay } from './ist-day.ts'
import { type Language, SPEECH, type Texts } from './language.ts'
import { formatPaise, type Paise, paise } from './money.ts'
import { inPlural } from './plural.ts'
import { texts } from './texts.ts'
import { isolated } from './isolated.ts'

export type NoticeData = Readonly<Record<string, string>>
type Body = Texts | ((data: NoticeData) => Texts)
/** `last`: an optional final sentence, after the body and the debt sentence. */
type Notice = { readonly title: Texts; readonly body: Body; readonly last: ((data: NoticeData) => Texts | undefined) | undefined }
const notice = <B extends Body>(title: Texts, body: B, last?: Notice['last']): Notice & { readonly body: B } => ({ title, body, last })

const REASON = texts('Reason: {reason}')
const IN_TIME = texts('The amount is set aside, and processed in 24 to 48 hours.')
const AFTER_CHECK = texts('The amount is set aside, and waits until we have checked your account.')
/** Whether a withdrawal's `account` is a masked UPI ID, and not the last four digits of an account. */
export const isToUpi = ({ account }: { readonly account?: string }): boolean => account?.includes('@') === true
export const REQUESTED_TO_UPI = texts('You requested a withdrawal of {amount} to the UPI ID {account}.')
/** A withdrawal that was paid to a UPI ID. */
export const SENT_TO_UPI = texts('{amount} was sent to your UPI ID {account}.')
const SENT = texts('{amount} was sent to your account ending in {account}.')
const REQUESTED = texts('You requested a withdrawal of {amount} to the account ending in {account}.')
/** After a requested withdrawal; `held`: the member was on hold. */
export const whenPaid = ({ held }: { readonly held?: string }): Texts => (held === undefined ? IN_TIME : AFTER_CHECK)
/** After money that was won or returned, and paid a debt first. */
export const PAID_DEBT = texts('{paid} of it paid what you owed.')
/** After a reward that the member passed on, by the switch in the profile. */
export const PASSED_ON = texts('{passed} of it went on to the help fund, as you chose in your profile.')
/** The data of that sentence; none if nothing was passed on. */
export const passedOnData = (passed: Paise): { readonly passed?: string } => (passed > 0n ? { passed: formatPaise(passed) } : {})
/** After a reward from which tax was withheld. */
export const TAX_WITHHELD = texts(
  'Tax of {tax} was withheld from the reward. If you have not given your PAN yet, give it in History, under “Your year on one page”.',
)
/** The data of that sentence; none without tax. */
export const taxData = (tax: Paise): { readonly tax?: string } => (tax > 0n ? { tax: formatPaise(tax) } : {})
/** The data of the sentence about a debt, in the data of the notice or mail about the money; none without a debt. */
export const debtData = (paid: Paise): { readonly paid?: string } => (paid > 0n ? { paid: formatPaise(paid) } : {})

/** After help that arrived. */
const whenReceived = ({ received }: NoticeData): Texts | undefined =>
  ARRIVAL_WAYS.filter((way) => way === received).map((way) => RECEIVED_WORDS[way])[0]

export const NOTICES = {
  /** Derived from the join rows, not stored; data: day */
  auto_joined: notice(texts("You're in"), texts('Auto Participate joined you to the round of {day} for ₹1.')),
  /** Derived from joins and allotments, not stored; data: paise, day, purpose, helped (a public name), others; received (how) and on (its day) once it arrived */
  help_told: notice(
    texts('Help was sent with your rupee'),
    texts('Your {paise} paise of {day}: {purpose} for {helped}, with {others, plural, one {# other} other {# others}}.'),
    whenReceived,
  ),
  /** As help_told, of a round without other members */
  help_told_alone: notice(
    texts('Help was sent with your rupee'),
    texts('Your {paise} paise of {day}: {purpose} for {helped}.'),
    whenReceived,
  ),
  /** As help_told, of several days; data: paise, days, purpose, helped */
  help_told_days: notice(
    texts('Help was sent with your rupees'),
    texts('{sum} of your rupees, from {days} days, paid for: {purpose} for {helped}.'),
    whenReceived,
  ),
  /** Derived from the follow-up, joins and allotments, not stored; data: helped (a public name), weeks, purpose */
  follow_up_told: notice(
    texts('{helped}, {weeks, plural, one {# week} other {# weeks}} later'),
    texts('Your rupees helped with: {purpose}. Read what the person says now.'),
  ),
  /** data: balance (₹2.50) */
  low_balance: notice(texts('Your balance is low'), texts('Your wallet has {balance} left. Each round takes ₹1.')),
  /** data: day */
  auto_join_skipped: notice(
    texts('You missed the round of {day}'),
    texts(
      'Auto Participate did not join you to the round of {day}: your wallet had less than ₹1. It stays on and joins you again once your wallet has ₹1.',
    ),
  ),
  /** data: year */
  yearly_maximum: notice(
    texts('You have reached the yearly maximum'),
    texts('You have reached the yearly maximum of ₹365. Auto Participate restarts on 1 January.'),
  ),
  /** data: amount (after tax), day; tax if some was withheld; paid if it paid a debt; passed if it was passed on */
  won: notice(texts('You won!'), texts('You won {amount} in the round of {day}. It is in your wallet.'), ({ tax }) =>
    tax === undefined ? undefined : TAX_WITHHELD,
  ),
  /** data: day; paid if it paid a debt */
  round_returned: notice(
    texts('Your ₹1 is back'),
    texts(
      'The round of {day} ended without a result: its public random number did not come for 30 days. Everyone who joined got ₹1 back. Yours is in your wallet.',
    ),
  ),
  /** data: amount, balance */
  topup_credited: notice(texts('Money added'), texts('{amount} was added to your wallet.')),
  /** data: amount, account (last four digits, or the masked UPI ID); held if the member was on hold */
  withdrawal_requested: notice(texts('Withdrawal requested'), (data) => (isToUpi(data) ? REQUESTED_TO_UPI : REQUESTED), whenPaid),
  /** data: amount, account (last four digits, or the masked UPI ID) */
  withdrawal_paid: notice(texts('Withdrawal sent'), (data) => (isToUpi(data) ? SENT_TO_UPI : SENT)),
  /** data: amount; paid if it paid a debt */
  withdrawal_returned: notice(
    texts('Withdrawal returned'),
    texts('Your withdrawal of {amount} did not go through. The money is back in your wallet.'),
  ),
  /** data: amount, reason (an administrator's words); paid if it paid a debt */
  withdrawal_rejected: notice(
    texts('Withdrawal rejected'),
    texts('Your withdrawal of {amount} was rejected. The money is back in your wallet.'),
    () => REASON,
  ),
  /** data: amount */
  refund_paid: notice(texts('Refund sent'), texts('{amount} was sent to your original payment method. Your bank may take a few days.')),
  /** data: amount; paid if it paid a debt */
  refund_returned: notice(texts('Refund returned'), texts('Your refund of {amount} did not go through. The money is back in your wallet.')),
  /** data: amount, reason (an administrator's words); paid if it paid a debt */
  refund_rejected: notice(
    texts('Refund rejected'),
    texts('Your refund of {amount} was rejected. The money is back in your wallet.'),
    () => REASON,
  ),
  /** data: amount */
  autopay_on: notice(
    texts('AutoPay is on'),
    texts('AutoPay is set up, and Auto Participate is on. {amount} is added when your wallet runs low, at most once in 27 days.'),
  ),
  /** data: amount, day */
  autopay_raised: notice(
    texts('AutoPay on {day}'),
    texts('{amount} will be added by AutoPay on {day}. You can pause or stop it in your wallet before that day.'),
  ),
  /** data: amount, balance */
  autopay_added: notice(
    texts('Added by AutoPay'),
    texts('{amount} was added to your wallet by AutoPay. If something is wrong, contact us.'),
  ),
  /** data: amount, day, next */
  autopay_failed: notice(
    texts('AutoPay did not go through'),
    texts('Your bank did not pay {amount} on {day}. AutoPay tries again from {next} on, if your wallet is still low.'),
  ),
  autopay_resting: notice(
    texts('AutoPay needs you'),
    texts('Your bank refused three payments. Check your account, then press “Try again” in your wallet.'),
  ),
  autopay_payer_paused: notice(
    texts('AutoPay is paused in your UPI app'),
    texts('AutoPay is paused in your UPI app, so nothing is added to your wallet. You can resume it there.'),
  ),
  autopay_payer_stopped: notice(
    texts('AutoPay is stopped in your UPI app'),
    texts('AutoPay was stopped in your UPI app, so nothing is added to your wallet. You can set it up again in your wallet.'),
  ),
  autopay_stopped: notice(
    texts('AutoPay has stopped'),
    texts('AutoPay has stopped. A payment already at your bank may still arrive in your wallet.'),
  ),
  autopay_stopped_by_us: notice(
    texts('We have stopped AutoPay'),
    texts(
      'Our team has stopped AutoPay, so nothing more is added to your wallet. A payment already at your bank may still arrive. If this is wrong, contact us.',
    ),
  ),
  /** data: day */
  autopay_expiring: notice(
    texts('AutoPay ends on {day}'),
    texts('Your AutoPay ends on {day}. After that day you can set it up again in your wallet.'),
  ),
  /** A payment of the member's order that does not fit; data: amount */
  payment_waiting: notice(
    texts('Payment being checked'),
    texts(
      'A payment of {amount} does not fit your order: it came twice, late or with another amount. We add it to your wallet or send it back.',
    ),
  ),
  /** data: amount; paid if it paid a debt */
  payment_assigned: notice(texts('Payment added'), texts('A payment of {amount} was checked and is now in your wallet.')),
  /** While the dispute is open; data: amount */
  payment_taken_back: notice(
    texts('Payment disputed'),
    texts('A payment is disputed. We took back {amount} from your wallet until the bank decides.'),
  ),
  /** After the bank's decision; data: amount */
  payment_lost: notice(texts('Payment taken back'), texts('The bank took back a disputed payment. We took {amount} from your wallet.')),
  /** data: amount */
  payment_owed: notice(
    texts('You owe for a payment'),
    texts(
      'The bank took back a payment, and your wallet was {amount} short. Money that you get here, except what you add yourself, goes towards this first.',
    ),
  ),
  /** data: amount; paid if it paid another debt */
  payment_given_back: notice(
    texts('Disputed payment returned'),
    texts('The bank returned a disputed payment. {amount} is back in your wallet.'),
  ),
  /** data: amount */
  debt_ended: notice(
    texts('You no longer owe for a payment'),
    texts('The bank returned a disputed payment. You no longer owe {amount} for it.'),
  ),
} as const satisfies Record<string, Notice>

const DAY = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const
/** A day as text: `21 November 2026`, `21 नवंबर 2026`. */
export const dayText = (day: IstDay, language: Language): string =>
  new Intl.DateTimeFormat(SPEECH[language].locale, DAY).format(new Date(`${day}T00:00:00Z`))

const PAISE = texts('{paise} paise')
/** `60 paise`, or rupees from 100 paise on. */
const sumText = (amount: string, language: Language): string =>
  BigInt(amount) < 100n ? PAISE[language].replace('{paise}', amount) : formatPaise(paise(BigInt(amount)))

export type NoticeKind = keyof typeof NOTICES

export const isNoticeKind = (kind: string): kind is NoticeKind => Object.hasOwn(NOTICES, kind)

export function noticeText(kind: NoticeKind, data: NoticeData, language: Language): { title: string; body: string } {
  const printed = ['day', 'next', 'on'].flatMap((name) => {
    const day = parseDay(data[name] ?? '')
    return day === undefined ? [] : [[name, dayText(day, language)] as const]
  })
  const values: NoticeData = {
    ...data,
    ...Object.fromEntries(printed),
    ...(data.paise === undefined ? {} : { sum: sumText(data.paise, language) }),
  }
  const fill = (text: string): string =>
    inPlural(text, values, language).replace(/\{(\w+)\}/g, (_whole, name: string) => isolated(values[name] ?? ''))
  const { title, body, last }: Notice = NOTICES[kind]
  const sentences = [
    typeof body === 'function' ? body(data) : body,
    data.paid === undefined ? undefined : PAID_DEBT,
    data.passed === undefined ? undefined : PASSED_ON,
    last?.(data),
  ]
  return { title: fill(title[language]), body: sentences.flatMap((words) => (words === undefined ? [] : fill(words[language]))).join(' ') }
}
