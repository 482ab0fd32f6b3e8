/** Fixtures of help: somebody who is helped, and a disbursement that two persons decided, without its entry in the ledger. */
import { createHash, randomUUID } from 'node:crypto'
import { type Db, sql } from '../db/sql.ts'

export type Helped = {
  readonly purpose?: string
  readonly publicName?: string
  readonly rupees?: number
  readonly status?: 'requested' | 'booked'
  readonly askedBy: bigint
  readonly decidedBy: bigint
}
export type Outlay = { readonly id: string; readonly beneficiaryId: string; readonly hash: Buffer }

/** A disbursement with one receipt, as the help desk leaves it. */
export async function insertOutlay(db: Db, helped: Helped): Promise<Outlay> {
  const [id, beneficiaryId] = [randomUUID(), randomUUID()]
  const hash = createHash('sha256').update(id).digest()
  const isBooked = helped.status !== 'requested'
  await db.query(sql`
    insert into beneficiary (id, public_name, consent_how, consented_on, created_by)
    values (${beneficiaryId}::uuid, ${helped.publicName ?? 'Meera'}::text, 'written', ist_day(roz_now()), ${helped.askedBy}::bigint)`)
  await db.query(sql`
    insert into receipt (hash, file, bytes, width, height, uploaded_by)
    values (${hash}::bytea, ${`receipts/${hash.toString('hex').slice(0, 32)}.webp`}::text, 10, 10, 10, ${helped.askedBy}::bigint)`)
  await db.query(sql`
    insert into outlay (id, kind, amount_paise, purpose, beneficiary_id, needs_second, status, asked_by, decided_by, decided_at)
    values (${id}::uuid, 'disbursement', ${BigInt(helped.rupees ?? 1) * 100n}::bigint, ${helped.purpose ?? 'school shoes'}::text,
      ${beneficiaryId}::uuid, false, ${isBooked ? 'booked' : 'requested'}::text, ${helped.askedBy}::bigint,
      ${isBooked ? helped.decidedBy : null}::bigint, ${isBooked ? new Date() : null}::timestamptz)`)
  await db.query(sql`insert into outlay_receipt (outlay_id, position, hash) values (${id}::uuid, 1, ${hash}::bytea)`)
  return { id, beneficiaryId, hash }
}

export const revokeConsent = async (db: Db, beneficiaryId: string): Promise<void> => {
  await db.query(sql`update beneficiary set revoked_at = roz_now() where id = ${beneficiaryId}::uuid`)
}
