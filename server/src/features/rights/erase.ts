/**
 * What is left of a member when the account is closed: a number, amounts, the last four digits of bank
 * accounts. Invariant: whatever names a person, opens the account or could be read as a message to
 * them is gone with the commit; the picture's file goes after it.
 */
import { UPLOADS_PATH } from '../../adapters/storage/port.ts'
import { one, sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'

/** What administrators read beside what is left. */
const NOBODY = 'Closed account'

/** Erases a locked account; the name of the stored picture that is no longer anybody's. */
export async function eraseIdentity(tx: Tx, memberId: bigint): Promise<string | undefined> {
  const id = sql`${memberId}::bigint`
  const { avatar } = await one<{ avatar: string | null }>(
    tx,
    sql`update member set name = ${NOBODY}::text, email = null, phone = null, avatar = null, public_name = 'anonymous',
          password_hash = null, google_sub = null, email_verified_at = null, verification_resent_at = null, link_origin = null,
          wants_mail = false, wants_push = false, deleted_at = roz_now()
         where id = ${id} returning old.avatar`,
  )
  // Each with its device.
  await tx.query(sql`delete from session where member_id = ${id}`)
  await tx.query(sql`delete from mail_token where member_id = ${id}`)
  await tx.query(sql`delete from known_browser where member_id = ${id}`)
  await tx.query(sql`delete from notice where member_id = ${id}`)
  await tx.query(sql`delete from join_notice_read where member_id = ${id}`)
  await tx.query(sql`delete from idempotency_key where member_id = ${id}`)
  // Every round they were in has ended, and whose its tickets were is forgotten: without the key nobody can say it again.
  // The claim stays, so that no other member ever holds the key, and names nobody.
  await tx.query(sql`delete from ticket_key where member_id = ${id}`)
  await tx.query(sql`update ticket_key_claim set member_id = null where member_id = ${id}`)
  // Withdrawals name these rows. Neither the details nor what they could be recognised by is left.
  await tx.query(sql`
    update bank_account set sealed = ''::bytea, account_mac = sha256(uuid_send(gen_random_uuid())), details_mac = sha256(uuid_send(gen_random_uuid()))
     where member_id = ${id}`)
  return avatar?.startsWith(UPLOADS_PATH) === true ? avatar.slice(UPLOADS_PATH.length) : undefined
}
