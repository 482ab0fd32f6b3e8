/**
 * Every mail that is sent, with the data its text is made of.
 *
 * - No secret is in a payload: a link's token is derived from its row's id when the mail is written (link-token.ts).
 */
import type { Language } from '@roz/core/language.ts'

/**
 * Amounts are ready to print (`₹10.00`), days `YYYY-MM-DD`. `origin` is where the links lead. `name` is empty while the
 * address is not confirmed: it may be a stranger's, and whoever registered it chose the name.
 */
type Told<Data extends string = never> = Readonly<Record<'name' | 'origin' | Data, string>>
export type MailData = {
  /** The link that confirms the address. */
  verify: Told<'tokenId'>
  reset: Told<'tokenId'>
  /** Once, when the address is confirmed. */
  welcome: Told
  password_changed: Told<'tokenId'>
  /** A sign-in by a browser that was not known; `time` as HH:MM in IST. Names are those of device-name.ts, or empty. */
  new_device: Told<'tokenId' | 'day' | 'time' | 'browser' | 'system'>
  /** The first sign-in with Google: what opened the account before is discarded. */
  google_linked: Told<'tokenId'>
  /** The last one: the account is erased. */
  account_closed: Told
  /** A bank account was used for the first time; `account` is its last four digits. */
  new_bank_account: Told<'bank' | 'account' | 'tokenId'>
  withdrawal_requested: Told<'amount' | 'account' | 'tokenId'>
  /** `reference` is the bank's, or empty. */
  withdrawal_paid: Told<'amount' | 'account' | 'reference'>
  withdrawal_returned: Told<'amount'>
  /** `reason` is an administrator's sentence. */
  withdrawal_rejected: Told<'amount' | 'reason'>
  refund_paid: Told<'amount'>
  refund_returned: Told<'amount'>
  refund_rejected: Told<'amount' | 'reason'>
  money_added: Told<'amount' | 'orderId'>
  draw_won: Told<'amount' | 'day'>
  /** What Auto Participate did in a week; `from` and `to` are days. */
  weekly_joins: Told<'rounds' | 'from' | 'to'>
  /** To the owners: broken invariants of money, a line each; `at` in IST. */
  audit_alarm: Told<'at' | 'sentences'>
  /** To support: a message from the contact form; answers go to its writer. */
  contact: Readonly<Record<'ticket' | 'name' | 'email' | 'message', string>>
}
export type MailTemplate = keyof MailData

export type MailPayload = {
  readonly [T in MailTemplate]: { readonly to: string; readonly template: T; readonly language: Language; readonly data: MailData[T] }
}[MailTemplate]
