/**
 * Every mail that is sent, with what it tells, and how one is ordered. Invariant: a mail is a job in
 * the transaction of the fact it tells of; its key makes it one mail. No secret stands in a payload:
 * a link's token is derived from its row's id when the mail is written (link-token.ts).
 */
import type { Language } from '@roz/core/language.ts'
import { maybeOne, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { enqueue } from '../jobs/queue.ts'

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
  /** A sign-in by a browser that was not known; `time` as HH:MM in IST. */
  new_device: Told<'tokenId' | 'day' | 'time'>
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

type MemberTemplate = Exclude<MailTemplate, 'contact'>
export type MemberMail<T extends MemberTemplate> = {
  readonly memberId: bigint
  readonly template: T
  /** Unique among all mails: `withdrawal_requested:<id>`. */
  readonly key: string
  readonly data: Omit<MailData[T], 'name' | 'origin'>
  /** The request's own origin; without one, that of the member's last sign-in. */
  readonly origin?: string
}

/** What a member may do without. Everything about money and safety is always sent. */
const OPTIONAL: ReadonlySet<MailTemplate> = new Set(['welcome', 'weekly_joins'])

type Recipient = { name: string; email: string | null; language: Language; link_origin: string | null; wants_mail: boolean }

/** Orders a mail to a member, in their language. An erased account gets none, one that wants no such mail gets what it needs. */
export async function mailMember<T extends MemberTemplate>(tx: Tx, mail: MemberMail<T>): Promise<void> {
  const member = await maybeOne<Recipient>(
    tx,
    sql`select case when email_verified_at is null then '' else name end as name, email, language, link_origin, wants_mail from member where id = ${mail.memberId}::bigint and deleted_at is null`,
  )
  if (member === undefined || member.email === null) return
  if (OPTIONAL.has(mail.template) && !member.wants_mail) return
  const data = { ...mail.data, name: member.name, origin: mail.origin ?? member.link_origin ?? '' }
  // The compiler does not tie T to its data through the spread; MemberMail did above.
  const payload = { to: member.email, template: mail.template, language: member.language, data } as unknown as MailPayload
  await enqueue(tx, { kind: 'mail', key: mail.key, payload })
}
