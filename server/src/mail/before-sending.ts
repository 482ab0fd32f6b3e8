/**
 * Judges a waiting mail again when its turn comes: a mail to many members may wait for hours.
 * - A member who deleted the account meanwhile, or turned such mails off, gets none.
 * - A mail about help is sent only while its story tells the member: not after a revoked consent, after the story was taken back or muted,
 *   nor once the member's part of the money came back.
 * - The weekly mail names helped people who were asked again. Their names are read here, so that none waits in a job.
 * - A mailbox that has had its mails of the day gets no more (allowance.ts).
 */
import { parseDay } from '@roz/core/ist-day.ts'
import { type Db, sql } from '../db/sql.ts'
import { hasPart, isMuted, TOLD } from '../members/own-stories.ts'
import { followUpsOfWeek } from '../members/told-follow-ups.ts'
import { createGate } from '../protection/concurrency-limit.ts'
import type { MailData, MailPayload } from './mail-payload.ts'
import { type AllowanceDeps, createAllowedMail } from './allowance.ts'
import { createLoggedMail } from './mail-log.ts'
import { isOptional } from './mails.ts'

type Send = (payload: MailPayload, jobId: string) => Promise<void>

/** The handlers of the two kinds of mail jobs: every mail passes here. */
export function mailHandlers(deps: AllowanceDeps, send: Send): { readonly mail: Send; readonly mass_mail: Send } {
  const logged = createLoggedMail(deps.db, send)
  return {
    mail: createJudgedMail(deps.db, createAllowedMail(deps, logged)),
    mass_mail: createJudgedMail(deps.db, createAllowedMail(deps, twoAtOnce(logged))),
  }
}

/** The same job, which ends without a mail where nobody may read it any more. */
export const createJudgedMail =
  (db: Db, send: Send): Send =>
  async (payload, jobId) => {
    if ((await isWanted(db, payload)) && (await isStillTold(db, payload))) await send(await withFollowUps(db, payload), jobId)
  }

async function withFollowUps(db: Db, payload: MailPayload): Promise<MailPayload> {
  if (payload.template !== 'weekly_joins') return payload
  const week = parseDay(payload.data.from)
  const news = week === undefined ? undefined : await followUpsOfWeek(db, payload.data.publicId, week)
  return news === undefined ? payload : { ...payload, data: { ...payload.data, ...news } }
}

/**
 * The same job, two at once: of the three connections to the mail server (adapters/mail/smtp.ts) one stays free for a mail to one
 * member. The lane claims 16 jobs at a time, so none is refused.
 */
export function twoAtOnce(send: Send): Send {
  const gate = createGate({ inFlightMax: 2, waitingMax: 16 })
  return (payload, jobId) => gate(() => send(payload, jobId))
}

/** Only mails to many name their member in the data. */
async function isWanted(db: Db, { template, data }: MailPayload): Promise<boolean> {
  if (!('publicId' in data) || data.publicId === '') return true
  const { wanted } = await db.one<{ wanted: boolean }>(sql`
    select exists (select from member where public_id = ${data.publicId}::uuid and deleted_at is null
          and (wants_mail or not ${isOptional(template)}::boolean)) as wanted`)
  return wanted
}

/** A mail of a release before `outlay` is known by the name and the words of its help, and is stopped by a revoked consent only. */
async function isStillTold(db: Db, { template, data }: MailPayload): Promise<boolean> {
  if (template !== 'help_told') return true
  const { outlay, helped, purpose, publicId } = data as Omit<MailData['help_told'], 'outlay'> & { readonly outlay?: string }
  const { isTold } = await db.one<{ isTold: boolean }>(
    outlay === undefined
      ? sql`
        select not exists (select from outlay o join beneficiary b on b.id = o.beneficiary_id
           where b.revoked_at is not null and b.public_name = ${helped}::text and o.purpose = ${purpose}::text) as "isTold"`
      : sql`
        select exists (select from member m, ${TOLD} where m.public_id = ${publicId}::uuid and o.id = ${outlay}::uuid
          and ${hasPart(sql`m.id`)} and not ${isMuted(sql`m.id`)}) as "isTold"`,
  )
  return isTold
}
