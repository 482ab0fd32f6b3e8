/**
 * Catches mails outside production: keeps them in a table for /dev/mail instead of sending them.
 * - One message id is one row, however often the mail is sent.
 * - The newest 10,000 mails are kept.
 */
import { isoIst } from '@roz/core/ist-day.ts'
import { type Db, sql } from '../../db/sql.ts'
import type { Mailer } from './port.ts'

export type CaughtMail = {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The distinct addresses in the text, in order. */
  readonly links: readonly string[]
  readonly at: string
}
export type Catcher = Mailer & {
  /** Newest first; with `to` only the mails to this address, in any case. */
  readonly listCaught: (to?: string) => Promise<CaughtMail[]>
}

const KEPT_MAX = 10_000

type Row = { recipient: string; subject: string; body_text: string; body_html: string; at: Date }

export function createCatcher(db: Db): Catcher {
  return {
    send: async (mail) => {
      await db.query(sql`
        insert into caught_mail (message_id, recipient, reply_to, thread, subject, body_text, body_html)
        values (${mail.messageId}::text, ${mail.to}::text, ${mail.replyTo ?? null}::text, ${mail.thread ?? null}::text, ${mail.subject}::text, ${mail.text}::text, ${mail.html}::text)
        on conflict (message_id) do nothing`)
      await db.query(sql`delete from caught_mail where id <= (select max(id) - ${KEPT_MAX}::bigint from caught_mail)`)
    },
    close: async () => undefined,
    listCaught: async (to) => {
      const rows = await db.query<Row>(sql`
        select recipient, subject, body_text, body_html, at from caught_mail
        where ${to ?? null}::text is null or lower(recipient) = lower(${to ?? null}::text)
        order by id desc limit ${KEPT_MAX}::int`)
      return rows.map((row) => ({
        to: row.recipient,
        subject: row.subject,
        text: row.body_text,
        html: row.body_html,
        links: [...new Set(row.body_text.match(/https?:\/\/[^\s<>"]*[^\s<>"'.,;:!?)\]]/g) ?? [])],
        at: isoIst(row.at.getTime()),
      }))
    },
  }
}
