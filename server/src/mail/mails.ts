/**
 * Orders mails.
 * - A mail is a job in the transaction of the fact that it reports; the job's key makes it one mail.
 * - An address that nobody confirmed may be a stranger's: it gets only the link that confirms it, or one for a new password.
 */
import type { Language } from '@roz/core/language.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { enqueue } from '../jobs/queue.ts'
import type { MailData, MailPayload, MailTemplate } from './mail-payload.ts'

type MemberTemplate = Exclude<
  MailTemplate,
  'contact' | 'contact_received' | 'contact_reply' | 'help_asked' | 'help_withdrawn' | 'staff_invitation'
>
export type MemberMail<T extends MemberTemplate> = {
  readonly memberId: bigint
  readonly template: T
  /** Unique among all mails: `withdrawal_requested:<id>`. */
  readonly key: string
  readonly data: Omit<MailData[T], 'name' | 'origin'>
  /** The request's own origin; without it, the origin of the member's last login. */
  readonly origin?: string
}

/** Mails that a member can turn off. Mails about money and safety are always sent. */
const OPTIONAL: ReadonlySet<MailTemplate> = new Set(['welcome', 'weekly_joins', 'auto_join_skipped', 'help_told'])
export const isOptional = (template: MailTemplate): boolean => OPTIONAL.has(template)

/** Mails to an address that is not confirmed. */
const UNCONFIRMED: ReadonlySet<MailTemplate> = new Set(['verify', 'reset'])

type Recipient = {
  name: string
  email: string | null
  language: Language
  link_origin: string | null
  wants_mail: boolean
  is_confirmed: boolean
}

/** Orders a mail to a member in the member's language. An erased account gets none; optional mails can be turned off. */
export async function mailMember<T extends MemberTemplate>(tx: Tx, mail: MemberMail<T>): Promise<void> {
  const member = await tx.maybeOne<Recipient>(sql`
    select case when email_verified_at is null then '' else name end as name, email, language, link_origin, wants_mail,
          email_verified_at is not null as is_confirmed
        from member where id = ${mail.memberId}::bigint and deleted_at is null`)
  if (member === undefined || member.email === null) return
  if (!member.is_confirmed && !UNCONFIRMED.has(mail.template)) return
  if (isOptional(mail.template) && !member.wants_mail) return
  const data = { ...mail.data, name: member.name, origin: mail.origin ?? member.link_origin ?? '' }
  // The spread loses the connection of T and its data in the type; MemberMail has checked it above.
  const payload = { to: member.email, template: mail.template, language: member.language, data } as unknown as MailPayload
  await enqueue(tx, { kind: 'mail', key: mail.key, payload })
}

/**
 * Orders the same mail to many members in one statement, by the rules of `mailMember`. `source` yields member_id, key
 * (unique within the template) and data, which here may name the member's public_id as `publicId`.
 * A server of release 1.0.0 ordered such a mail as `mail`: it is not ordered again.
 */
export async function mailMembers(tx: Tx, template: MemberTemplate, source: Sql): Promise<void> {
  await tx.query(sql`
    insert into job (kind, key, payload, due_at)
    select 'mass_mail', ${template}::text || ':' || s.key,
      jsonb_build_object('to', m.email, 'template', ${template}::text, 'language', m.language, 'data', s.data || jsonb_build_object(
        'name', m.name, 'origin', coalesce(m.link_origin, ''), 'publicId', m.public_id)),
      roz_now()
    from (${source}) s join member m on m.id = s.member_id
    where m.email is not null and m.email_verified_at is not null and m.deleted_at is null and (m.wants_mail or not ${isOptional(template)}::boolean)
      and not exists (select from job earlier where earlier.kind = 'mail' and earlier.key = ${template}::text || ':' || s.key)
    order by m.id
    on conflict (kind, key) do nothing`)
}
