/**
 * Beneficiaries: the people whom the help fund helps, and their consent.
 * - The private note is encrypted at rest, and only the roles that can write it can read it. The downloaded table has no note, and after
 *   a revocation no name.
 * - The public words of a person's payments never contain the public name, even a later one: a revocation could not remove it there.
 * - While a payment to the person waits for approval, the record does not change, except by a revocation.
 * - A child's consent has the relation of the guardian who gave it.
 * - A recorded consent can be corrected, but only a revocation ends it, because public pages check only for a revocation.
 * - The consent to be asked again has its own day. Its end, or a revocation, deletes what the person told and showed (follow-ups.ts). The owners get
 *   a mail, and the payer does not end it either.
 * - A revocation is final. Whoever decided about a payment to the person does not record it. Its transaction turns every story that was ever about the person into a draft without a picture. Mails that
 *   wait with the name are not sent (mail/before-sending.ts). The books keep their entries; public pages show them without the name
 *   (view outlay_public).
 */
import { randomUUID } from 'node:crypto'
import type { Input, Output } from '@roz/contract/api.ts'
import { HELPERS, type StaffRole } from '@roz/contract/roles.ts'
import type { helpCalls } from '@roz/contract/help.ts'
import { type ConsentWay, type Guardian, namesPerson } from '@roz/core/help-fields.ts'
import { type IstDay, parseDay } from '@roz/core/ist-day.ts'
import { formatPaise, type Paise, rupeesFromPaise, ZERO } from '@roz/core/money.ts'
import { contains } from '../../members/member-search.ts'
import { EVERY_PURPOSE } from '../../members/reader-purpose.ts'
import { type Queryable, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { CURSOR_PARTS, type Cursor } from '../../lists/cursor.ts'
import { instantOf, instantOrNull, pageOf, type Search } from '../../lists/listing.ts'
import { microsOf, olderThan } from '../../lists/newest-first.ts'
import { forgetAnswersAbout } from '../../http/idempotency.ts'
import { type Handlers, invalid } from '../../http/route.ts'
import { forget } from '../../jobs/parking.ts'
import { giveUpFile, giveUpPicture } from '../../jobs/sure-removal.ts'
import { tellOwners } from '../../mail/owner-mails.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import { logStaff } from '../../staff/staff-log.ts'
import { type Columns, exportList, noteRead } from '../../staff/exported-list.ts'
import type { HelpDeps } from './deps.ts'
import { deletePictures } from './follow-up-pictures.ts'
import { judgeProofs } from './proofs.ts'

type Shown = Output<(typeof helpCalls)['beneficiaries']>['beneficiaries'][number]
type Fields = Input<(typeof helpCalls)['createBeneficiary']>['body']
type Row = {
  readonly id: string
  readonly publicName: string
  readonly how: ConsentWay | null
  readonly consentedOn: IstDay | null
  readonly isChild: boolean
  readonly guardian: Guardian | null
  readonly followUpOn: IstDay | null
  readonly encryptedNote: Buffer | null
  readonly revokedAt: Date | null
  readonly createdAt: Date
  readonly helped: Paise
  readonly sortedAt: string
}

/** Disbursed to the beneficiary `b` so far, less what came back. */
export const HELPED = sql`
  (select coalesce(sum(case o.kind when 'disbursement' then o.amount_paise else -o.amount_paise end), 0)::bigint
     from outlay o where o.beneficiary_id = b.id and o.status = 'booked')`

const rows = sql`
  select b.id, b.public_name as "publicName", b.consent_how as how, b.consented_on as "consentedOn", b.is_child as "isChild",
    b.guardian_relation as guardian, b.follow_up_on as "followUpOn", b.sealed_note as "encryptedNote", b.revoked_at as "revokedAt", b.created_at as "createdAt",
    ${HELPED} as helped,
    ${microsOf(sql`b.created_at`)} as "sortedAt"
  from beneficiary b`

const STATES = {
  waiting: sql`b.revoked_at is null and b.consent_how is null`,
  consented: sql`b.revoked_at is null and b.consent_how is not null`,
  revoked: sql`b.revoked_at is not null`,
} as const
/** How and when the consent was given; null before it was. */
export const consentOf = ({ how, consentedOn }: Pick<Row, 'how' | 'consentedOn'>): Shown['consent'] =>
  how === null || consentedOn === null ? null : { how, on: consentedOn }
const followUpsOf = ({ followUpOn }: Row): Shown['followUps'] => (followUpOn === null ? null : { on: followUpOn })
const statusOf = ({ revokedAt, how }: Row): Shown['status'] => (revokedAt !== null ? 'revoked' : how === null ? 'waiting' : 'consented')
const keyOf = ({ sortedAt, id }: Row): Cursor => [sortedAt, id]
const contextOf = (id: string): string => `beneficiary:${id}`

type Names = 'beneficiaries' | 'beneficiariesCsv' | 'createBeneficiary' | 'updateBeneficiary'

export function beneficiaryHandlers(deps: HelpDeps): Handlers<Names> {
  const { db, secrets, storage } = deps

  const viewOf = (row: Row, role: StaffRole): Shown => ({
    id: row.id,
    publicName: row.publicName,
    status: statusOf(row),
    isChild: row.isChild,
    guardian: row.guardian,
    followUps: followUpsOf(row),
    consent: consentOf(row),
    note:
      row.encryptedNote === null || !HELPERS.some((helper) => helper === role)
        ? null
        : secrets.decrypt(row.encryptedNote, contextOf(row.id)).toString('utf8'),
    revokedAt: instantOrNull(row.revokedAt),
    createdAt: instantOf(row.createdAt),
    helped: rupeesFromPaise(row.helped),
  })
  const show = async (from: Queryable, id: string, role: StaffRole) => ({
    ok: true as const,
    value: { beneficiary: viewOf(await from.one<Row>(sql`${rows} where b.id = ${id}::uuid`), role) },
  })

  return {
    beneficiaries: async (call) => {
      const { query, session } = call
      const { status, q, id } = query
      const page = await pageOf(query, async (part) =>
        (await search(db, { status, q, ...part }, id)).map((row) => ({
          shown: viewOf(row, session.staffRole),
          key: keyOf(row),
        })),
      )
      if (!page.ok) return page
      await noteRead(db, call, { name: 'beneficiaries', rows: page.rows.length })
      return { ok: true, value: { beneficiaries: [...page.rows], nextCursor: page.nextCursor } }
    },
    beneficiariesCsv: (call) => {
      const { status, q } = call.query
      return exportList(db, call, {
        name: 'beneficiaries',
        read: async (page) => (await search(db, { status, q, ...page })).map((row) => ({ shown: row, key: keyOf(row) })),
        columns: CSV_COLUMNS,
      })
    },
    createBeneficiary: ({ session, body }) =>
      inTransaction(db, async (tx) => {
        const made = await insertBeneficiary(tx, deps, { by: session.memberId, fields: body })
        if (!made.ok) return made
        const subject = `beneficiary:${made.id}`
        await logStaff(tx, { actorId: session.memberId, action: 'beneficiary.create', subject, after: openly(body) })
        return show(tx, made.id, session.staffRole)
      }),
    updateBeneficiary: async ({ session, params: { id }, body: { revoked, ...edit } }) => {
      let files: readonly string[] = []
      const answer = await inTransaction(db, async (tx) => {
        const before = CURSOR_PARTS.uuid(id)
          ? await tx.maybeOne<Row>(sql`${rows} where b.id = ${id}::uuid for no key update of b`)
          : undefined
        if (before === undefined) return { ok: false, code: 'beneficiary_not_found' } as const
        if (before.revokedAt !== null) return { ok: false, code: 'consent_revoked' } as const
        if (revoked !== true && (await isAsked(tx, id))) return { ok: false, code: 'request_waiting' } as const
        const fields = { ...fieldsOf(before), ...edit }
        if (before.how !== null && fields.consent === null) return invalid({ consent: 'consent_recorded' })
        const problem = await problemOf(tx, fields)
        if (problem !== undefined) return problem
        if (fields.publicName !== before.publicName && (await isSaid(tx, id, fields.publicName)))
          return invalid({ publicName: 'public_name_in_words' })
        const isAskable = revoked !== true && (fields.followUps ?? null) !== null
        const endsFollowUps = !isAskable && before.followUpOn !== null
        const proofs = revoked === true || endsFollowUps ? await judgeProofs(tx, session.memberId, await paidTo(tx, id)) : NO_PROOFS
        if (!proofs.ok) return proofs
        const note = edit.note === undefined ? before.encryptedNote : encryptNote(secrets, id, edit.note)
        await tx.query(sql`
          update beneficiary set public_name = ${fields.publicName}::text, consent_how = ${fields.consent?.how ?? null}::text,
            consented_on = ${fields.consent?.on ?? null}::date, is_child = ${fields.isChild}::boolean,
            guardian_relation = ${fields.guardian}::text, follow_up_on = ${isAskable ? (fields.followUps?.on ?? null) : null}::date, sealed_note = ${note}::bytea,
            revoked_at = case when ${revoked === true}::boolean then roz_now() end
          where id = ${id}::uuid`)
        const { told, pictures } = isAskable ? { told: 0, pictures: [] } : await forgetFollowUps(tx, id)
        files = pictures
        if (revoked === true || endsFollowUps) await forgetAnswersAbout(tx, id)
        if (revoked === true) {
          files = [...pictures, ...(await takeBackStories(tx, id)), ...(await forgetArrivals(tx, id))]
        }
        const actorId = session.memberId
        const about = id.slice(0, 8)
        if (revoked === true && proofs.recent > 0n)
          await tellOwners(tx, { what: 'consent_revoked', actorId, about, detail: formatPaise(proofs.recent) })
        else if (endsFollowUps) await tellOwners(tx, { what: 'follow_ups_ended', actorId, about, detail: String(told) })
        await logStaff(tx, {
          actorId,
          action: revoked === true ? 'beneficiary.revoke' : 'beneficiary.update',
          subject: `beneficiary:${id}`,
          before: openly(fieldsOf(before)),
          after: { ...openly(fields), ...(edit.note === undefined ? {} : { note: 'changed' }), ...(revoked === true ? { revoked } : {}) },
        })
        return show(tx, id, session.staffRole)
      })
      // After the commit: until then the stories still show them. A process that ends here leaves it to the job.
      for (const file of files) await storage.remove(file)
      return answer
    },
  }
}

const encryptNote = (secrets: Secrets, id: string, note: string): Buffer | null =>
  note === '' ? null : secrets.encrypt(Buffer.from(note), contextOf(id))

/** Records a person whom the fund may help. `by` pays nothing to them later. The caller writes the staff log. */
export async function insertBeneficiary(
  tx: Tx,
  { secrets }: Pick<HelpDeps, 'secrets'>,
  { by, fields }: { readonly by: bigint; readonly fields: Fields },
) {
  const problem = await problemOf(tx, fields)
  if (problem !== undefined) return problem
  const id = randomUUID()
  await tx.query(sql`
    insert into beneficiary (id, public_name, consent_how, consented_on, is_child, guardian_relation, follow_up_on, sealed_note, created_by)
    values (${id}::uuid, ${fields.publicName}::text, ${fields.consent?.how ?? null}::text, ${fields.consent?.on ?? null}::date,
      ${fields.isChild}::boolean, ${fields.guardian}::text, ${fields.followUps?.on ?? null}::date, ${encryptNote(secrets, id, fields.note)}::bytea, ${by}::bigint)`)
  return { ok: true, id } as const
}

const CSV_COLUMNS = {
  id: (row) => row.id,
  created: (row) => instantOf(row.createdAt),
  status: statusOf,
  public_name: (row) => (row.revokedAt === null ? row.publicName : undefined),
  child: (row) => (row.isChild ? 'yes' : 'no'),
  guardian: (row) => row.guardian,
  consent: (row) => row.how,
  consented_on: (row) => row.consentedOn,
  revoked: (row) => instantOrNull(row.revokedAt),
  helped: (row) => rupeesFromPaise(row.helped),
} satisfies Columns<Row>

/** The fields that the staff log keeps: never the note. */
export const openly = ({ publicName, isChild, guardian, consent, followUps = null }: Omit<Fields, 'note'>) => ({
  publicName,
  isChild,
  guardian,
  consent,
  ...(followUps === null ? {} : { followUps }),
})

const fieldsOf = (row: Row): Omit<Fields, 'note'> => ({
  publicName: row.publicName,
  isChild: row.isChild,
  guardian: row.guardian,
  consent: consentOf(row),
  followUps: followUpsOf(row),
})

/** The rules between fields: a real day that is not in the future, and a guardian only for a child's consent. */
async function problemOf(from: Queryable, { consent, isChild, guardian, followUps = null }: Omit<Fields, 'note'>) {
  if (followUps !== null) {
    if (consent === null || parseDay(followUps.on) === undefined) return invalid({ followUps: 'follow_up_day' })
    const { future } = await from.one<{ future: boolean }>(sql`select ${followUps.on}::date > ist_day(roz_now()) as future`)
    if (future) return invalid({ followUps: 'consent_day_future' })
  }
  if (!isChild && guardian !== null) return invalid({ guardian: 'choice_invalid' })
  if (consent === null) return undefined
  if (parseDay(consent.on) === undefined) return invalid({ consent: 'consent_day' })
  const { future } = await from.one<{ future: boolean }>(sql`select ${consent.on}::date > ist_day(roz_now()) as future`)
  if (future) return invalid({ consent: 'consent_day_future' })
  return isChild && guardian === null ? invalid({ guardian: 'guardian_needed' }) : undefined
}

/** Whether a payment waits for approval: what its approver sees of the person stays as it was when it was requested. */
const isAsked = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.maybeOne(sql`select from outlay where beneficiary_id = ${id}::uuid and status = 'requested' limit 1`)) !== undefined

const NO_PROOFS = { ok: true, recent: ZERO } as const

/** The payments that the person's consent makes public. The caller's lock on the person makes a booking wait. */
async function paidTo(tx: Tx, id: string): Promise<readonly string[]> {
  const rows = await tx.query<{ id: string }>(sql`select id from outlay where beneficiary_id = ${id}::uuid and status = 'booked'`)
  return rows.map((row) => row.id)
}

/** Whether the words of a payment that is or may become public contain this name. */
async function isSaid(tx: Tx, id: string, publicName: string): Promise<boolean> {
  const paid = await tx.query<{ words: string }>(
    sql`select ${EVERY_PURPOSE} as words from outlay o where o.beneficiary_id = ${id}::uuid and o.status <> 'rejected'`,
  )
  return paid.some(({ words }) => namesPerson(words, publicName))
}

/** Deletes the person's follow-ups when the consent to be asked ends. The caller removes the returned picture files. */
async function forgetFollowUps(tx: Tx, id: string): Promise<{ readonly told: number; readonly pictures: readonly string[] }> {
  const paid = sql`(select id from outlay where beneficiary_id = ${id}::uuid)`
  // Locked before their pictures, as when one is withheld.
  const told = await tx.query(sql`select from follow_up where outlay_id in ${paid} order by id for update`)
  const pictures = await deletePictures(tx, sql`p.outlay_id in ${paid}`)
  await tx.query(sql`delete from follow_up where outlay_id in ${paid}`)
  return { told: told.length, pictures }
}

/** Makes drafts of the person's stories and takes their pictures; returns the names of our own pictures. */
async function takeBackStories(tx: Tx, beneficiaryId: string): Promise<string[]> {
  // Locked and read first: on a table with triggers, PostgreSQL 18.4 returns as `old` the row before a concurrent update.
  const told = await tx.query<{ id: string; imageUrl: string | null }>(sql`
    select s.id, s.image_url as "imageUrl" from story s
     where s.id in (select story_id from story_subject where beneficiary_id = ${beneficiaryId}::uuid) order by s.id for update of s`)
  const ids = told.map(({ id }) => id)
  await tx.query(sql`
    update story set is_active = false, publish_at = null, image_url = null, video_url = null where id = any (${ids}::uuid[])`)
  await forget(tx, 'story', ids)
  const posters: string[] = []
  for (const { imageUrl } of told) {
    const poster = await giveUpPicture(tx, imageUrl)
    if (poster !== undefined) posters.push(poster)
  }
  return posters
}

const search = (from: Queryable, { status, q, after, limit }: Search, only?: string): Promise<Row[]> =>
  from.query<Row>(sql`
    ${rows} where ${olderThan({ at: sql`b.created_at`, id: sql`b.id` }, after)}
      and ${status === undefined ? sql`true` : STATES[status as keyof typeof STATES]} and (${contains(q, sql`b.public_name`)})
      and ${only === undefined ? sql`true` : sql`b.id = ${only}::uuid`}
    order by b.created_at desc, b.id desc limit ${limit + 1}::int`)

/** Deletes why help of this person did not arrive, also in the request's history, and gives up the signed papers. That it did or did not stays. */
async function forgetArrivals(tx: Tx, beneficiaryId: string): Promise<readonly string[]> {
  const paid = sql`(select id from outlay where beneficiary_id = ${beneficiaryId}::uuid)`
  await tx.query(sql`delete from arrival_reason where arrival_id in (select id from arrival where outlay_id in ${paid})`)
  await tx.query(sql`
    update help_case_step set sealed_note = null
     where step = 'not_received' and sealed_note is not null and number in (select number from help_case where outlay_id in ${paid})`)
  const papers = await tx.query<{ file: string }>(
    sql`select r.file from receipt r join arrival a on a.paper = r.hash where a.outlay_id in ${paid}`,
  )
  for (const { file } of papers) await giveUpFile(tx, file)
  return papers.map(({ file }) => file)
}
