/**
 * Templates of all mails, with the data of each.
 * - A payload contains no secret: a link's token is derived from its row's id when the mail is rendered (members/link-token.ts).
 */
import type { Language, Texts } from '@roz/core/language.ts'

/**
 * Amounts are ready to print (`₹10.00`), days are `YYYY-MM-DD`. `origin` is the base address of the links.
 * `name` is empty until the address is confirmed: the address may be a stranger's, and the person who registered it chose the name.
 */
type Told<Data extends string = never> = Readonly<Record<'name' | 'origin' | Data, string>>
/** `paid`: the part of the money that paid the member's debt first. Without a debt there is none. */
type OfMoney<Data extends string> = Told<Data> & { readonly paid?: string }
/** `held`: the member was on hold, so the withdrawal waits. */
type Requested<Data extends string> = Told<Data> & { readonly held?: string }
export type MailData = {
  /** The link that confirms the address. */
  verify: Told<'tokenId'>
  reset: Told<'tokenId'>
  /** Once, when the address is confirmed. */
  welcome: Told
  password_changed: Told<'tokenId'>
  /** The number that the team calls before it releases money; `ending` is its last four digits. */
  phone_changed: Told<'tokenId' | 'ending'>
  /** A login by an unknown browser; `time` is HH:MM in IST. `browser` and `system` are names of core/src/device-name.ts, or empty. */
  new_device: Told<'tokenId' | 'day' | 'time' | 'browser' | 'system'>
  /** The first login with Google: password and sessions from before are discarded. */
  google_linked: Told<'tokenId'>
  /** After "This wasn't me": what was ended, and the link for a new password. `staff` is yes for an account of the team, which has no wallet. */
  secured: Told<'tokenId' | 'day' | 'time' | 'staff'>
  /** The mailbox has had its mails of some kind for today (allowance.ts). */
  more_happened: Told<'tokenId'>
  /** The last mail to a member: the account is erased. */
  account_closed: Told
  /** Suspended or on hold, by the staff. The reason is not told: it may concern somebody else. */
  account_suspended: Told
  account_reinstated: Told
  payouts_held: Told
  payouts_released: Told
  /** A withdrawal to a bank account used for the first time, in place of withdrawal_requested; `account` is its last four digits, or the masked UPI ID. */
  new_bank_account: Requested<'amount' | 'bank' | 'account' | 'tokenId'>
  withdrawal_requested: Requested<'amount' | 'account' | 'tokenId'>
  /** `reference` is the bank's reference, or empty. */
  withdrawal_paid: Told<'amount' | 'account' | 'reference'>
  withdrawal_returned: OfMoney<'amount'>
  /** `reason` is an administrator's sentence. */
  withdrawal_rejected: OfMoney<'amount' | 'reason'>
  refund_requested: Told<'amount'>
  refund_paid: Told<'amount'>
  refund_returned: OfMoney<'amount'>
  refund_rejected: OfMoney<'amount' | 'reason'>
  money_added: Told<'amount' | 'orderId'>
  autopay_on: Told<'amount'>
  /** Before a debit: the last moment to pause or stop it is the day before. */
  autopay_raised: Told<'amount' | 'day'>
  autopay_added: Told<'amount' | 'balance'>
  /** `next` is the first day of the next debit. */
  autopay_failed: Told<'amount' | 'day' | 'next'>
  autopay_resting: Told
  autopay_payer_paused: Told
  autopay_payer_stopped: Told
  autopay_stopped: Told
  /** The staff stopped it; the reason is theirs. */
  autopay_stopped_by_us: Told
  autopay_expiring: Told<'day'>
  /** A payment of the member's order that does not fit, and waits in suspense. */
  payment_waiting: Told<'amount'>
  /** A payment in suspense that the staff credited to the member. */
  payment_assigned: OfMoney<'amount'>
  /** `amount` came from the wallet, `owed` was more than the wallet had; one of the two may be empty. `open`: the bank has not decided. */
  payment_taken_back: Told<'amount' | 'owed' | 'open'>
  /** `amount` is back in the wallet, `owed` is no longer owed; one of the two may be empty. */
  payment_given_back: OfMoney<'amount' | 'owed'>
  /** A round that ended void: everyone's rupee is back. */
  round_returned: OfMoney<'day'>
  /** `amount` is after tax; `tax` is what was withheld, if anything; `passed` what went on to the help fund. */
  draw_won: OfMoney<'amount' | 'day'> & { readonly tax?: string; readonly passed?: string }
  /**
   * The joins by Auto Participate in a week; `from` and `to` are days. `received` counts the help with the member's rupees that arrived.
   * `helped`, `weeks` and `told` (how many) are of follow-ups; they are read when the mail is sent (before-sending.ts).
   */
  weekly_joins: Told<'rounds' | 'from' | 'to' | 'publicId'> & {
    readonly received?: string
    readonly helped?: string
    readonly weeks?: string
    readonly told?: string
  }
  /** Auto Participate found less than a rupee in the wallet; once until the next join. */
  auto_join_skipped: Told<'day' | 'publicId'>
  /** To somebody whom an owner invites to the team: the link that makes the account. */
  staff_invitation: Told<'inviter' | 'tokenId'>
  /** The second factor of a staff account: `what` is on, off, codes (new ones), recovery (one was used), reset (by somebody else), or a change of passkeys. */
  totp_changed: Told<'what'>
  /** To all owners and the person concerned: `actor` changed the team or took a proof back; `what` is of owner-mails.ts, `at` is in IST. */
  team_changed: Told<'what' | 'actor' | 'about' | 'detail' | 'at'>
  /** Help with a rupee of the member has its story: `purpose` for `helped`; `more` counts the other stories of the day. `outlay` is its id: a revoked consent stops the mail (before-sending.ts). */
  help_told: Told<'outlay' | 'purpose' | 'helped' | 'more' | 'publicId'>
  /** To the owners: broken invariants of money, one line each; `at` is in IST. */
  audit_alarm: Told<'at' | 'sentences'>
  /** To support: a message from the contact form; a reply goes to its writer. */
  contact: Readonly<Record<'ticket' | 'name' | 'email' | 'message', string>>
  /** To the writer of that message. The address may be a stranger's: the mail repeats no word of the message. */
  contact_received: Told<'ticket'>
  /** To the address that a request for help names. It may be a stranger's: the mail repeats no word of the request. */
  help_asked: Told<'number'>
  /** To the same address, when the request was withdrawn with its number and phone number. */
  help_withdrawn: Told<'number'>
  /** An answer by the staff, in the thread of that message. */
  contact_reply: Told<'ticket' | 'text'>
}
export type MailTemplate = keyof MailData

export type MailPayload = {
  readonly [T in MailTemplate]: { readonly to: string; readonly template: T; readonly language: Language; readonly data: MailData[T] }
}[MailTemplate]

/** The words of a mail in every language. */
export type MailTexts = {
  readonly subject: Texts
  /** A plain string is the same in every language. */
  readonly paragraphs: readonly (Texts | string)[]
  readonly action?: { readonly label: Texts; readonly path: string }
  readonly after?: readonly Texts[]
}
