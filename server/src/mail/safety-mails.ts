/**
 * Mails about actions that somebody else may have done with a member's account.
 * - Each mail has one link "This wasn't me", valid for seven days.
 * - Only a hash of the link's token is stored.
 * - After ten mails of a kind in a day, further mails share the newest link: an account has few links.
 * - An address that nobody confirmed gets no such mail, and no link is made.
 */
import { randomUUID } from 'node:crypto'
import { sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { type LinkSecrets, linkToken, tokenHash } from '../members/link-token.ts'
import type { MailData } from './mail-payload.ts'
import { mailMember, type MemberMail } from './mails.ts'

const ALERTS = [
  'new_bank_account',
  'withdrawal_requested',
  'password_changed',
  'phone_changed',
  'new_device',
  'google_linked',
  'more_happened',
] as const
type Alert = (typeof ALERTS)[number]

type AlertMail<T extends Alert> = Omit<MemberMail<T>, 'data'> & { readonly data: Omit<MailData[T], 'name' | 'origin' | 'tokenId'> }

/** Links of one kind that an account gets in a day. */
const LINKS_MAX = 10

export async function mailAlert<T extends Alert>(tx: Tx, secrets: LinkSecrets, mail: AlertMail<T>): Promise<void> {
  const tokenId = (await findShared(tx, mail)) ?? randomUUID()
  await tx.query(sql`
    insert into mail_token (id, token_hash, member_id, purpose, about, expires_at)
    select ${tokenId}::uuid, ${tokenHash(linkToken(secrets, tokenId))}::bytea, id, 'not_me', ${mail.template}::text, roz_now() + interval '7 days'
      from member where id = ${mail.memberId}::bigint and email_verified_at is not null
    on conflict (id) do nothing`)
  // The spread loses the connection of T and its data in the type; AlertMail has checked it above.
  await mailMember(tx, { ...mail, data: { ...mail.data, tokenId } } as unknown as MemberMail<T>)
}

/** The newest unused link of the kind, once the day has had its links. */
async function findShared(tx: Tx, { memberId, template }: { readonly memberId: bigint; readonly template: Alert }) {
  const links = await tx.query<{ id: string }>(sql`
    select id from mail_token
     where member_id = ${memberId}::bigint and purpose = 'not_me' and about = ${template}::text and used_at is null
       and expires_at > roz_now() + interval '6 days'
     order by expires_at desc limit ${LINKS_MAX}::int`)
  return links.length < LINKS_MAX ? undefined : links[0]?.id
}
