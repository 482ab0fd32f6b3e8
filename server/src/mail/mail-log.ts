/**
 * Remembers which mails went to a member, for the staff who help them: kind, time and outcome, never the text.
 * - An entry is kept for a year, or until the member's identity is erased.
 */
import { type Db, sql } from '../db/sql.ts'
import { GiveUpError } from '../jobs/queue.ts'
import type { MailPayload } from './mail-payload.ts'

type Send = (payload: MailPayload, jobId: string) => Promise<void>

/** The same job, which also writes what became of the mail. */
export const createLoggedMail =
  (db: Db, send: Send): Send =>
  async (payload, jobId) => {
    try {
      await send(payload, jobId)
    } catch (error) {
      if (error instanceof GiveUpError) await keep(db, payload, jobId, 'refused')
      throw error
    }
    await keep(db, payload, jobId, 'sent')
  }

/** A mail to an address of no member, such as our own, is not kept. */
const keep = (db: Db, { to, template }: MailPayload, jobId: string, outcome: 'sent' | 'refused') =>
  db.query(sql`
    insert into member_mail (job_id, member_id, template, outcome)
    select ${jobId}::bigint, id, ${template}::text, ${outcome}::text from member where lower(email) = lower(${to}::text) and role = 'member'
    on conflict do nothing`)

export const forgetOldMails = (db: Db) =>
  db.query(sql`delete from member_mail where at < (select roz_now()) - interval '1 year'`).then(() => undefined)
