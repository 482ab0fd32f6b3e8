/**
 * Erases a member's identity when the account is closed.
 *
 * - With the commit nothing is left that names a person, opens the account, or could be read as a message to the member.
 * - The picture's file is deleted after the commit, by a job if the process ends before.
 * - `STAYS` lists all that stays of a member, and a test compares it with the schema. The privacy policy says it in words.
 */
import { sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import { forgetAnswersAbout } from '../../http/idempotency.ts'
import { giveUpPicture } from '../../jobs/sure-removal.ts'
import { forgetSignals } from '../../members/signals.ts'

/**
 * Tables with a row of a closed account, and their columns of text and bytes. Numbers, times and references are not listed.
 * - Of the account: its numbers, language, dates, and the version of the terms. `held_about` is empty, for a held account is not erased.
 * - Of money: orders, withdrawals and refunds with the words written about them, the bank and last four digits of paid accounts.
 * - Of AutoPay: its mandates without the UPI ID that paid, and its debits without the bank's words about a failure.
 * - Of withheld tax: the PAN under which it is reported, encrypted, and the numbers of the certificates.
 * - Of rounds: entries without the key that would link the tickets; the claim of a key without its member.
 * - Of the team's work: flags of money events, and entries of the log, which cannot be changed.
 * - Not of the account: messages to support, which carry the address that was typed, for two years; a hash of a mailbox, for a day
 *   (mail/allowance.ts).
 */
export const STAYS: Readonly<Record<string, readonly string[]>> = {
  member: ['held_about', 'language', 'public_name', 'role', 'staff_mailbox', 'staff_role', 'terms_version'],
  bank_account: ['account_mac', 'bank_name', 'beneficiary_id', 'details_mac', 'last_four', 'sealed'],
  topup: ['order_id', 'payment_id', 'status'],
  withdrawal: ['flags', 'problem', 'reason', 'reference', 'status'],
  autopay_mandate: ['auth_order_id', 'gateway_status', 'payer', 'state', 'terms_version'],
  member_pan: ['last_four', 'sealed'],
  tax_certificate: ['number'],
  refund: ['decision', 'order_id', 'problem', 'reason', 'reference', 'status'],
  debt: ['ref'],
  wallet: [],
  round_join: [],
  archived_entry: ['batch_ids', 'days', 'wallet_seqs'],
  auto_skip: ['reason'],
  return_skip: [],
  draw_winner: [],
  books_cover: ['account'],
  books_hold: ['found'],
  member_flag: ['kind', 'subject'],
}
/** Columns of an account that are emptied. */
export const EMPTIED: readonly string[] = ['name', 'email', 'phone', 'avatar', 'password_hash', 'google_sub', 'link_origin']
/** Tables whose rows of the member are deleted. Devices are deleted with their session. */
export const DELETED: readonly string[] = [
  'session',
  'push_device',
  'mail_token',
  'known_browser',
  'notice',
  'join_notice_read',
  'story_notice_read',
  'follow_up_notice_read',
  'story_mute',
  'idempotency_key',
  'member_note',
  'member_sort',
  'member_mail',
  'ticket_key',
  'unreadable_key',
  'signal_use',
  'evening_reminder',
]

/** The name that administrators see beside the remaining rows. */
const NOBODY = 'Closed account'

/** Erases a locked account; returns the name of its stored picture, for the caller to delete. */
export async function eraseIdentity(tx: Tx, memberId: bigint): Promise<string | undefined> {
  const id = sql`${memberId}::bigint`
  const { avatar, publicId } = await tx.one<{ avatar: string | null; publicId: string }>(sql`
    update member set name = ${NOBODY}::text, email = null, phone = null, avatar = null, public_name = 'anonymous',
          password_hash = null, google_sub = null, email_verified_at = null, verification_resent_at = null, link_origin = null,
          wants_mail = false, wants_push = false, deleted_at = roz_now()
         where id = ${id} returning old.avatar, public_id as "publicId"`)
  // A session's device is deleted with it.
  await tx.query(sql`delete from session where member_id = ${id}`)
  await tx.query(sql`delete from mail_token where member_id = ${id}`)
  await tx.query(sql`delete from known_browser where member_id = ${id}`)
  await tx.query(sql`delete from notice where member_id = ${id}`)
  await tx.query(sql`delete from join_notice_read where member_id = ${id}`)
  await tx.query(sql`delete from story_notice_read where member_id = ${id}`)
  await tx.query(sql`delete from follow_up_notice_read where member_id = ${id}`)
  await tx.query(sql`delete from story_mute where member_id = ${id}`)
  await tx.query(sql`delete from idempotency_key where member_id = ${id}`)
  await forgetAnswersAbout(tx, publicId)
  await tx.query(sql`delete from member_note where member_id = ${id}`)
  await tx.query(sql`delete from evening_reminder where member_id = ${id}`)
  await tx.query(sql`delete from member_sort where member_id = ${id}`)
  await forgetSignals(tx, memberId)
  await tx.query(sql`delete from member_mail where member_id = ${id}`)
  // All rounds of the member have ended, and ticket owners are forgotten: without the key nobody can link the tickets again.
  // The claim stays without a name, so that no other member can ever get the same key.
  await tx.query(sql`delete from ticket_key where member_id = ${id}`)
  await tx.query(sql`delete from unreadable_key where member_id = ${id}`)
  await tx.query(sql`update ticket_key_claim set member_id = null where member_id = ${id}`)
  await tx.query(sql`update contact_message set member_id = null where member_id = ${id}`)
  // Withdrawals refer to these rows. The details and the MACs that would recognise them are erased.
  await tx.query(sql`
    update bank_account set sealed = ''::bytea, account_mac = sha256(uuid_send(gen_random_uuid())), details_mac = sha256(uuid_send(gen_random_uuid())),
           beneficiary_id = null, last_four = regexp_replace(last_four, '^.*@', '…@')
     where member_id = ${id}`)
  await tx.query(sql`delete from payee_name_check where bank_account_id in (select id from bank_account where member_id = ${id})`)
  await tx.query(sql`update autopay_mandate set payer = null where member_id = ${id}`)
  await tx.query(sql`
    update autopay_charge set failure_reason = null
     where failure_reason is not null and mandate_id in (select id from autopay_mandate where member_id = ${id})`)
  return giveUpPicture(tx, avatar)
}
