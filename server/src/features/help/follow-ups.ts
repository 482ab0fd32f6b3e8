/**
 * Follow-ups: what a helped person says 2, 4 and 12 weeks after the help arrived.
 * - Only with a consent of its own. When that or the whole consent ends, its rows are deleted (beneficiaries.ts).
 * - Every answer is public with the story, a bad one too. One with personal data is withheld, with a reason in the staff log, and its
 *   picture is deleted (follow-up-pictures.ts).
 * - A picture needs the person's agreement to this picture.
 * - Somebody other than the payer records it. The payer does not withhold it while somebody else of the treasury can (proofs.ts). All
 *   owners get a mail about a withheld one.
 * - The request whose payment it is counts as followed up: what identifies the person is kept for 180 days from then.
 * - Of two at once for the same weeks one is recorded: the payment is locked.
 */
import { randomUUID } from 'node:crypto'
import type { Input } from '@roz/contract/api.ts'
import type { disbursementCalls } from '@roz/contract/disbursements.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { type Handlers, invalid } from '../../http/route.ts'
import { DUE_FOLLOW_UP } from '../../ledger/follow-ups.ts'
import { IS_RECEIVED } from '../../ledger/arrivals.ts'
import { CURSOR_PARTS } from '../../lists/cursor.ts'
import { tellOwners } from '../../mail/owner-mails.ts'
import { pushFollowUps } from '../../members/told-follow-ups.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import { logStaff } from '../../staff/staff-log.ts'
import { moveCase } from './cases.ts'
import type { HelpDeps } from './deps.ts'
import { viewDisbursement } from './disbursement-view.ts'
import { deletePictures, lockPicture, storePicture } from './follow-up-pictures.ts'
import { judgeProofs } from './proofs.ts'

type Found = { readonly hasConsent: boolean; readonly isReceived: boolean; readonly mayRecord: boolean; readonly due: number | null }

type Names = 'recordFollowUp' | 'uploadFollowUpPicture' | 'withholdFollowUp'

export const followUpHandlers = (deps: HelpDeps): Handlers<Names> => ({
  recordFollowUp: ({ params: { id }, body, session }) =>
    inTransaction(deps.db, async (tx) => {
      const refused = await recordFollowUp(tx, deps.secrets, { id, by: session.memberId, said: body })
      return refused ?? ({ ok: true, value: { disbursement: await viewDisbursement(tx, id) } } as const)
    }),
  uploadFollowUpPicture: (call) => storePicture(deps, call, (tx) => judgeFollowUp(tx, call.params.id, call.session.memberId)),
  withholdFollowUp: async ({ params: { id }, body: { reason }, session }) => {
    let files: readonly string[] = []
    const answer = await inTransaction(deps.db, async (tx) => {
      const found = CURSOR_PARTS.uuid(id)
        ? await tx.maybeOne<{ outlayId: string; purpose: string; withheld: string | null }>(
            sql`select f.outlay_id as "outlayId", o.purpose, f.withheld from follow_up f join outlay o on o.id = f.outlay_id where f.id = ${id}::uuid for update of f`,
          )
        : undefined
      if (found === undefined) return { ok: false, code: 'follow_up_not_found' } as const
      if (found.withheld !== null) return { ok: false, code: 'follow_up_withheld' } as const
      const proofs = await judgeProofs(tx, session.memberId, [found.outlayId])
      if (!proofs.ok) return proofs
      await tx.query(sql`update follow_up set withheld = ${reason}::text where id = ${id}::uuid`)
      files = await deletePictures(tx, sql`p.follow_up_id = ${id}::uuid`)
      await logStaff(tx, {
        actorId: session.memberId,
        action: 'follow_up.withhold',
        subject: `outlay:${found.outlayId}`,
        after: { reason },
      })
      await tellOwners(tx, { what: 'follow_up_withheld', actorId: session.memberId, about: found.purpose, detail: reason })
      return { ok: true, value: { disbursement: await viewDisbursement(tx, found.outlayId) } } as const
    })
    for (const file of files) await deps.storage.remove(file)
    return answer
  },
})

type Said = Input<(typeof disbursementCalls)['recordFollowUp']>['body']
type Saying = { readonly id: string; readonly by: bigint; readonly said: Said }

/** Whether this person may record the follow-up of a payment now, and its weeks. */
export async function judgeFollowUp(tx: Tx, id: string, by: bigint) {
  if (!CURSOR_PARTS.uuid(id)) return { ok: false, code: 'disbursement_not_found' } as const
  // The lock on the person makes an end of the consent wait for the commit, that on the payment a second record.
  const locked = await tx.maybeOne(sql`select from outlay o join beneficiary b on b.id = o.beneficiary_id
         where o.id = ${id}::uuid and o.kind = 'disbursement' and o.status = 'booked' for no key update of o for share of b`)
  if (locked === undefined) return { ok: false, code: 'disbursement_not_found' } as const
  const { hasConsent, isReceived, mayRecord, due } = await tx.one<Found>(sql`
    select b.follow_up_on is not null and b.revoked_at is null as "hasConsent", coalesce(${IS_RECEIVED}, false) as "isReceived", ${DUE_FOLLOW_UP} as due,
          may_confirm_arrival(${by}::bigint, o.id) as "mayRecord"
          from outlay o join beneficiary b on b.id = o.beneficiary_id where o.id = ${id}::uuid`)
  if (!hasConsent) return { ok: false, code: 'follow_up_consent' } as const
  if (!isReceived || due === null) return { ok: false, code: 'follow_up_not_due' } as const
  if (!mayRecord) return { ok: false, code: 'own_arrival' } as const
  return { ok: true, outlayId: id.toLowerCase(), due } as const
}

/** Records the follow-up of a payment that is due now. Undefined: it is recorded. */
export async function recordFollowUp(tx: Tx, secrets: Secrets, { id, by, said }: Saying) {
  const { language, words, translation, retoldBy, picture } = said
  const judged = await judgeFollowUp(tx, id, by)
  if (!judged.ok) return judged
  const { outlayId, due } = judged
  if (translation !== undefined && translation.language === language) return invalid({ translation: 'choice_invalid' })
  const translations = translation === undefined ? {} : { [translation.language]: translation.words }
  const hash = picture === undefined ? undefined : Buffer.from(picture.hash, 'hex')
  if (hash !== undefined && !(await lockPicture(tx, outlayId, hash))) return { ok: false, code: 'follow_up_picture' } as const
  const followUpId = randomUUID()
  await tx.query(sql`
    insert into follow_up (id, outlay_id, weeks, written_in, words, translations, retold_by, recorded_by)
    values (${followUpId}::uuid, ${outlayId}::uuid, ${due}::int, ${language}::text, ${words}::text, ${JSON.stringify(translations)}::jsonb,
      ${retoldBy ?? null}::text, ${by}::bigint)`)
  if (hash !== undefined)
    await tx.query(sql`
      update follow_up_picture set follow_up_id = ${followUpId}::uuid where outlay_id = ${outlayId}::uuid and hash = ${hash}::bytea`)
  await noteInRequest(tx, secrets, outlayId, by)
  await pushFollowUps(tx, sql`${outlayId}::uuid`)
  // The log keeps no words: they end with the consent.
  await logStaff(tx, {
    actorId: by,
    action: 'follow_up.record',
    subject: `outlay:${outlayId}`,
    after: { weeks: due, language, isRetold: retoldBy !== undefined, hasPicture: hash !== undefined },
  })
  return undefined
}

/** Without the words: the history of a request is kept longer than the consent to publish them. */
const noteInRequest = (tx: Tx, secrets: Secrets, outlayId: string, by: bigint): Promise<void> =>
  moveCase(tx, secrets, { stage: 'followed_up', by, where: sql`c.outlay_id = ${outlayId}::uuid and c.stage in ('helped', 'followed_up')` })
