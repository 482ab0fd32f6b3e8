/**
 * Pictures of follow-ups.
 * - Only the pixels are kept, as WebP.
 * - An upload belongs to the payment whose follow-up is due. One that no follow-up names is deleted after a day.
 * - Public with a published story, at an address with its hash. Caches ask each time (ETag).
 * - The end of the consent and the withholding delete rows and files, uploads without a follow-up too. The address answers 404 from that
 *   commit on.
 */
import { createHash } from 'node:crypto'
import type { EndpointSpec } from '@roz/contract/endpoint.ts'
import type { pictureUpload } from '@roz/contract/disbursements.ts'
import type { RefusalCode } from '@roz/core/refusals.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import type { Call, Handlers } from '../../http/route.ts'
import { enqueue } from '../../jobs/queue.ts'
import { giveUpFile } from '../../jobs/sure-removal.ts'
import { CURSOR_PARTS } from '../../lists/cursor.ts'
import { reencodePicture } from '../../pictures/picture.ts'
import { storeAndName } from '../../pictures/stored-upload.ts'
import { memberLimits, take } from '../../protection/limits.ts'
import { logStaff } from '../../staff/staff-log.ts'
import { FOR_ALL, FOR_STAFF, inADay, pictureFile, within } from './bills.ts'
import type { HelpDeps } from './deps.ts'

const asShown = within(1280)
const NOT_FOUND = { ok: false, code: 'not_found' } as const

/** The picture `p` of follow-up `f` while everybody may see it. */
const IS_PUBLIC = sql`exists (
  select from outlay o join beneficiary b on b.id = o.beneficiary_id join story s on s.outlay_id = o.id
   where o.id = p.outlay_id and s.is_active and f.withheld is null and b.revoked_at is null and b.follow_up_on is not null)`

export function pictureHandlers({ db, storage }: HelpDeps): Handlers<'followUpPicture' | 'followUpPictureForTeam'> {
  const read = async (id: string, condition: Sql, cacheControl: string) => {
    const row = CURSOR_PARTS.uuid(id)
      ? await db.maybeOne<{ file: string; hash: string }>(sql`
        select p.file, encode(p.hash, 'hex') as hash from follow_up_picture p join follow_up f on f.id = p.follow_up_id
               where f.id = ${id}::uuid and ${condition}`)
      : undefined
    const value = row && (await pictureFile(storage, row.file, row.hash, cacheControl))
    return value === undefined ? NOT_FOUND : ({ ok: true, value } as const)
  }
  return {
    followUpPicture: ({ params: { id, hash } }) => read(id, sql`encode(p.hash, 'hex') = ${hash}::text and ${IS_PUBLIC}`, FOR_ALL),
    followUpPictureForTeam: ({ params: { id } }) => read(id, sql`true`, FOR_STAFF),
  }
}

type Uploading = Pick<Call<EndpointSpec & typeof pictureUpload>, 'upload'> & { readonly session: { readonly memberId: bigint } }
type Judged = { readonly ok: true; readonly outlayId: string } | { readonly ok: false; readonly code: RefusalCode }

/** Stores a picture for the payment that `judge` finds, in the transaction that writes it. */
export async function storePicture<J extends Judged>(
  { db, storage }: HelpDeps,
  { upload, session: { memberId: by } }: Uploading,
  judge: (tx: Tx) => Promise<J>,
) {
  const sent = await upload(await take(db, memberLimits.avatars(by)))
  if (!sent.ok) return sent
  const picture = await reencodePicture(sent, asShown)
  if (!picture.ok) return { ok: false, code: picture.code === 'avatar_not_image' ? 'picture_not_picture' : picture.code } as const
  const { bytes, width, height } = picture
  const digest = createHash('sha256').update(bytes).digest()
  const isNamed = async (file: string): Promise<boolean> =>
    (await db.maybeOne(sql`select from follow_up_picture where file = ${file}::text`)) !== undefined
  return storeAndName(storage, { folder: 'receipts', bytes, isNamed }, async (file) => {
    const stored = await inTransaction(db, async (tx) => {
      const judged = await judge(tx)
      if (!judged.ok) return judged as Extract<J, { readonly ok: false }>
      const { outlayId } = judged
      const [made] = await tx.query(sql`
        insert into follow_up_picture (outlay_id, hash, file, bytes, width, height, uploaded_by)
        values (${outlayId}::uuid, ${digest}::bytea, ${file}::text, ${bytes.length}::int, ${width}::int, ${height}::int, ${by}::bigint)
        on conflict (outlay_id, hash) do nothing returning 1`)
      // The same picture again: an upload whose answer was lost.
      if (made === undefined && !(await lockPicture(tx, outlayId, digest))) return { ok: false, code: 'follow_up_picture' } as const
      if (made !== undefined) {
        await logStaff(tx, { actorId: by, action: 'follow_up.picture', subject: `outlay:${outlayId}`, after: { bytes: bytes.length } })
        await enqueue(tx, { kind: 'forget_follow_up_picture', key: file, payload: { file }, dueAt: await inADay(tx) })
      }
      return { ok: true, value: { hash: digest.toString('hex'), width, height }, isMade: made !== undefined } as const
    })
    if (!stored.ok || !stored.isMade) await storage.remove(file)
    return stored
  })
}

/** Locks an upload of this payment that no follow-up names; false: there is none. */
export const lockPicture = async (tx: Tx, outlayId: string, hash: Buffer): Promise<boolean> =>
  (await tx.maybeOne(
    sql`select from follow_up_picture where outlay_id = ${outlayId}::uuid and hash = ${hash}::bytea and follow_up_id is null for update`,
  )) !== undefined

/** Deletes the pictures `p` that `which` names; returns their files, for the caller to remove after the commit. */
export async function deletePictures(tx: Tx, which: Sql): Promise<readonly string[]> {
  const gone = await tx.query<{ file: string }>(sql`delete from follow_up_picture p where ${which} returning file`)
  for (const { file } of gone) await giveUpFile(tx, file)
  return gone.map(({ file }) => file)
}

/** Deletes an upload that no follow-up names. A follow-up that is about to name it holds its lock. */
export const forgetPicture = async ({ db, storage }: HelpDeps, file: string): Promise<void> => {
  const gone = await inTransaction(db, (tx) => deletePictures(tx, sql`p.file = ${file}::text and p.follow_up_id is null`))
  for (const name of gone) await storage.remove(name)
}
