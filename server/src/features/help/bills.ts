/**
 * Bills: pictures that prove a payment by decision.
 * - Only the pixels are kept, as WebP. The hash of the published bytes is the evidence in the books.
 * - The same picture is kept once, also if it is uploaded again.
 * - Everybody can see a bill once its entry is booked; until then, and after the consent is revoked, only staff can.
 * - A picture can be withheld for good, for example one with a phone number: only staff see it then. Its hash stays in the books.
 *   A person who decided about the payment does not withhold it.
 * - Caches ask each time (ETag), so that a revocation or a withheld picture takes effect at once.
 * - The picture of a signature that confirms an arrival is kept like a bill until the consent is revoked, and only staff see it.
 * - An upload that neither names within a day is deleted.
 */
import { createHash } from 'node:crypto'
import type { PublicFile } from '@roz/contract/endpoint.ts'
import type { Storage } from '../../adapters/storage/port.ts'
import { lockInTransaction } from '../../db/advisory-locks.ts'
import { type Db, type Sql, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { memberLimits, take } from '../../protection/limits.ts'
import { instantOf } from '../../lists/listing.ts'
import { reencodePicture, type Shape } from '../../pictures/picture.ts'
import type { Handlers } from '../../http/route.ts'
import { storeAndName } from '../../pictures/stored-upload.ts'
import { enqueue } from '../../jobs/queue.ts'
import { tellOwners } from '../../mail/owner-mails.ts'
import { logStaff } from '../../staff/staff-log.ts'
import type { HelpDeps } from './deps.ts'
import { judgeProofs } from './proofs.ts'

export const FOR_STAFF = 'private, no-store'
export const FOR_ALL = 'public, no-cache'

/** The whole picture on white, with no side longer than this. */
export const within =
  (sideMaxPx: number): Shape =>
  (upright) =>
    upright.flatten({ background: '#ffffff' }).resize(sideMaxPx, sideMaxPx, { fit: 'inside', withoutEnlargement: true })
const asBill = within(2400)

/** A kept picture as its call sends it; undefined if the storage has none. */
export async function pictureFile(storage: Storage, name: string, etag: string, cacheControl: string): Promise<PublicFile | undefined> {
  const file = await storage.find(name)
  return file && { type: file.contentType, isFinal: true, cacheControl, etag, bytes: file.bytes.length, body: file.bytes }
}

const NOT_FOUND = { ok: false, code: 'receipt_not_found' } as const
const isHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)
const urlOfBill = (hash: string): string => `/api/receipts/${hash}`

type Names = 'uploadReceipt' | 'adminReceipt' | 'publicReceipt' | 'withholdReceipt'

export function billHandlers({ db, storage }: HelpDeps): Handlers<Names> {
  const read = async (hash: string, condition: Sql, cacheControl: string) => {
    if (!isHash(hash)) return NOT_FOUND
    const row = await db.maybeOne<{ file: string }>(
      sql`select file from receipt r where hash = ${Buffer.from(hash, 'hex')}::bytea and ${condition}`,
    )
    const value = row && (await pictureFile(storage, row.file, hash, cacheControl))
    return value === undefined ? NOT_FOUND : ({ ok: true, value } as const)
  }

  return {
    uploadReceipt: async ({ session, upload }) => {
      const sent = await upload(await take(db, memberLimits.bills(session.memberId)))
      if (!sent.ok) return sent
      const picture = await reencodePicture(sent, asBill)
      if (!picture.ok) return { ok: false, code: picture.code === 'avatar_not_image' ? 'receipt_not_picture' : picture.code }
      const digest = createHash('sha256').update(picture.bytes).digest()
      const hash = digest.toString('hex')
      const shown = { hash, width: picture.width, height: picture.height, url: urlOfBill(hash) }
      if ((await db.maybeOne(sql`select from receipt where hash = ${digest}::bytea`)) !== undefined) return { ok: true, value: shown }
      const isNamed = async (file: string): Promise<boolean> =>
        (await db.maybeOne(sql`select from receipt where file = ${file}::text`)) !== undefined
      await storeAndName(storage, { folder: 'receipts', bytes: picture.bytes, isNamed }, async (file) => {
        const isKept = await inTransaction(db, async (tx) => {
          const [kept] = await tx.query(sql`
            insert into receipt (hash, file, bytes, width, height, uploaded_by)
            values (${digest}::bytea, ${file}::text, ${picture.bytes.length}::int, ${picture.width}::int, ${picture.height}::int, ${session.memberId}::bigint)
            on conflict (hash) do nothing returning 1`)
          if (kept === undefined) return false
          await logStaff(tx, { actorId: session.memberId, action: 'receipt.upload', subject: `receipt:${hash}` })
          await enqueue(tx, { kind: 'forget_receipt', key: file, payload: { hash }, dueAt: await inADay(tx) })
          return true
        })
        // Somebody uploaded the same picture meanwhile.
        if (!isKept) await storage.remove(file)
      })
      return { ok: true, value: shown }
    },
    adminReceipt: ({ params }) => read(params.hash, sql`true`, FOR_STAFF),
    publicReceipt: ({ params }) =>
      read(
        params.hash,
        sql`exists (select from outlay_receipt l join outlay_public o on o.id = l.outlay_id where l.hash = r.hash and not coalesce(o.is_revoked, false))
          and not exists (select from receipt_withheld w where w.hash = r.hash)`,
        FOR_ALL,
      ),
    withholdReceipt: ({ session, params: { hash }, body: { reason } }) => withhold(db, { hash, reason, by: session.memberId }),
  }
}

export const inADay = async (tx: Tx): Promise<Date> => (await tx.one<{ at: Date }>(sql`select roz_now() + interval '1 day' as at`)).at

type Withholding = { readonly hash: string; readonly reason: string; readonly by: bigint }

/** Withholds a picture that an outlay names: an upload that none names goes by itself. */
const withhold = (db: Db, { hash, reason, by }: Withholding) =>
  inTransaction(db, async (tx) => {
    if (!isHash(hash)) return NOT_FOUND
    const digest = Buffer.from(hash, 'hex')
    const named = await tx.one<{ outlays: string[] }>(
      sql`select array(select outlay_id from outlay_receipt where hash = ${digest}::bytea) as outlays`,
    )
    if (named.outlays.length === 0) return NOT_FOUND
    const proofs = await judgeProofs(tx, by, named.outlays)
    if (!proofs.ok) return proofs
    const [withheld] = await tx.query<{ at: Date; name: string }>(sql`
      insert into receipt_withheld (hash, reason, withheld_by) values (${digest}::bytea, ${reason}::text, ${by}::bigint)
      on conflict (hash) do nothing returning withheld_at as at, (select name from member where id = withheld_by) as name`)
    if (withheld === undefined) return { ok: false, code: 'receipt_withheld' } as const
    await logStaff(tx, { actorId: by, action: 'receipt.withhold', subject: `receipt:${hash}`, after: { reason } })
    if (proofs.recent > 0n) await tellOwners(tx, { what: 'receipt_withheld', actorId: by, about: hash.slice(0, 12), detail: reason })
    return { ok: true, value: { withheld: { reason, by: withheld.name, at: instantOf(withheld.at) } } } as const
  })

/** Deletes an upload that no request names. The lock delays a request that is about to name it; that request then finds it deleted. */
export const forgetBill = (db: Db, hash: string): Promise<void> =>
  inTransaction(db, async (tx) => {
    await lockInTransaction(tx, 'helpFund')
    const [gone] = await tx.query<{ file: string }>(sql`
      delete from receipt r where hash = ${Buffer.from(hash, 'hex')}::bytea
         and not exists (select from outlay_receipt l where l.hash = r.hash)
         and not exists (select from arrival a where a.paper = r.hash) returning file`)
    if (gone !== undefined) await enqueue(tx, { kind: 'remove_file', key: gone.file, payload: { name: gone.file } })
  })
