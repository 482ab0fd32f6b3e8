/**
 * Mails about actions that somebody else may have done with a member's account.
 * - Each mail has one link "This wasn't me", valid for seven days.
 * - Only a hash of the link's token is stored.
 */
import { randomUUID } from 'node:crypto'
import { sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { type LinkSecrets, linkToken, tokenHash } from '../members/link-token.ts'
import type { MailData } from './mail-payload.ts'
import { mailMember, type MemberMail } from './mails.ts'

export const ALERTS = ['new_bank_account', 'withdrawal_requested', 'password_changed', 'new_device', 'google_linked'] as const
export type Alert = (typeof ALERTS)[number]

type AlertMail<T extends Alert> = Omit<MemberMail<T>, 'data'> & { readonly data: Omit<MailData[T], 'name' | 'origin' | 'tokenId'> }

export async function mailAlert<T extends Alert>(tx: Tx, secrets: LinkSecrets, mail: AlertMail<T>): Promise<void> {
  const tokenId = randomUUID()
  await tx.query(sql`
    insert into mail_token (id, token_hash, member_id, purpose, about, expires_at)
    values (${tokenId}::uuid, ${tokenHash(linkToken(secrets, tokenId))}::bytea, ${mail.memberId}::bigint, 'not_me', ${mail.template}::text,
      roz_now() + interval '7 days')`)
  // The spread loses the connection of T and its data in the type; AlertMail has checked it above.
  await mailMember(tx, { ...mail, data: { ...mail.data, tokenId } } as unknown as MemberMail<T>)
}
