/**
 * Judges a waiting mail again when its turn comes: a mail to many members may wait for hours.
 * - A member who deleted the account meanwhile, or turned such mails off, gets none.
 * - A mail about help to a person who revoked the consent meanwhile, or about a story that the member muted, is not sent.
 * - The weekly mail names helped people who were asked again. Their names are read here, so that none waits in a job.
 * - A mailbox that has had its mails of the day gets no more (allowance.ts).
 */
import { parseDay } from '@roz/core/ist-day.ts'
import { type Db, sql } from '../db/sql.ts'
import { isMuted } from '../members/own-stories.ts'
import { followUpsOfWeek } from '../members/told-follow-ups.ts'
import { createGate } from '../protection/concurrency-limit.ts'
import type { MailPayload } from './mail-payload.ts'
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
    if ((await isWanted(db, payload)) && !(await isRevoked(db, payload)) && !(await isMutedMeanwhile(db, payload)))
      await send(await withFollowUps(db, payload), jobId)
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

/** A mail of a release before `outlay` is known by the name and the words of its help. */
async function isRevoked(db: Db, { template, data }: MailPayload): Promise<boolean> {
  if (template !== 'help_told') return false
  const { outlay, helped, purpose } = data as { readonly outlay?: string; readonly helped: string; readonly purpose: string }
  const its = outlay === undefined ? sql`b.public_name = ${helped}::text and o.purpose = ${purpose}::text` : sql`o.id = ${outlay}::uuid`
  const { revoked } = await db.one<{ revoked: boolean }>(
    sql`select exists (select from outlay o join beneficiary b on b.id = o.beneficiary_id where b.revoked_at is not null and ${its}) as revoked`,
  )
  return revoked
}

async function isMutedMeanwhile(db: Db, { template, data }: MailPayload): Promise<boolean> {
  if (template !== 'help_told') return false
  const { outlay = null, publicId = '' } = data as { readonly outlay?: string; readonly publicId?: string }
  const { muted } = await db.one<{ muted: boolean }>(sql`
    select exists (select from member m, story s where m.public_id = nullif(${publicId}::text, '')::uuid and s.outlay_id = ${outlay}::uuid
          and ${isMuted(sql`m.id`)}) as muted`)
  return muted
}
