/**
 * Receipts: pictures that prove a payment by decision.
 * - Only the pixels are kept, as WebP. The hash of the published bytes is the evidence in the books.
 * - The same picture is kept once, also if it is uploaded again.
 * - Everybody can see a receipt once its entry is booked; until then, and after the consent is revoked, only staff can.
 * - A revocation must end what caches show: they may keep a receipt for five minutes.
 */
import { createHash } from 'node:crypto'
import type { PublicFile } from '@roz/contract/endpoint.ts'
import { maybeOne, type Sql, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { memberLimits, take } from '../../http/limits.ts'
import { reencodePicture } from '../../http/picture.ts'
import type { Handlers } from '../../http/route.ts'
import { storeAndName } from '../../http/stored-upload.ts'
import { audit } from '../../staff/audit-log.ts'
import type { HelpDeps } from './deps.ts'

const SIDE_MAX_PX = 2400
const FOR_STAFF = 'private, no-store'
/** Minutes only, as a story's picture: a receipt stops being public when somebody takes their consent back. */
const FOR_ALL = 'public, max-age=300'

const isHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)
export const urlOfReceipt = (hash: string): string => `/api/receipts/${hash}`

export function receiptHandlers({ db, storage }: HelpDeps): Handlers<'uploadReceipt' | 'adminReceipt' | 'publicReceipt'> {
  const read = async (hash: string, condition: Sql, cacheControl: string) => {
    const notFound = { ok: false, code: 'receipt_not_found' } as const
    if (!isHash(hash)) return notFound
    const row = await maybeOne<{ file: string }>(
      db,
      sql`select file from receipt r where hash = ${Buffer.from(hash, 'hex')}::bytea and ${condition}`,
    )
    const file = row === undefined ? undefined : await storage.find(row.file)
    if (file === undefined) return notFound
    const { bytes, contentType } = file
    const value: PublicFile = { type: contentType, isFinal: true, cacheControl, etag: hash, bytes: bytes.length, body: bytes }
    return { ok: true, value } as const
  }

  return {
    uploadReceipt: async ({ session, upload }) => {
      const sent = await upload(await take(db, memberLimits.receipts(session.memberId)))
      if (!sent.ok) return sent
      const picture = await reencodePicture(sent, (upright) =>
        upright.flatten({ background: '#ffffff' }).resize(SIDE_MAX_PX, SIDE_MAX_PX, { fit: 'inside', withoutEnlargement: true }),
      )
      if (!picture.ok) return { ok: false, code: picture.code === 'avatar_too_large' ? 'receipt_too_large' : 'receipt_not_picture' }
      const digest = createHash('sha256').update(picture.bytes).digest()
      const hash = digest.toString('hex')
      const shown = { hash, width: picture.width, height: picture.height, url: urlOfReceipt(hash) }
      if ((await maybeOne(db, sql`select from receipt where hash = ${digest}::bytea`)) !== undefined) return { ok: true, value: shown }
      const isNamed = async (file: string): Promise<boolean> =>
        (await maybeOne(db, sql`select from receipt where file = ${file}::text`)) !== undefined
      await storeAndName(storage, { folder: 'receipts', bytes: picture.bytes, isNamed }, async (file) => {
        const isKept = await inTransaction(db, async (tx) => {
          const [kept] = await tx.query(sql`
            insert into receipt (hash, file, bytes, width, height, uploaded_by)
            values (${digest}::bytea, ${file}::text, ${picture.bytes.length}::int, ${picture.width}::int, ${picture.height}::int, ${session.memberId}::bigint)
            on conflict (hash) do nothing returning 1`)
          if (kept === undefined) return false
          await audit(tx, { actorId: session.memberId, action: 'receipt.upload', subject: `receipt:${hash}` })
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
        sql`exists (select from outlay_receipt l join outlay_public o on o.id = l.outlay_id where l.hash = r.hash and not coalesce(o.is_revoked, false))`,
        FOR_ALL,
      ),
  }
}
