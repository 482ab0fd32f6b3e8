/** Fixtures of help: somebody who is helped, and a disbursement as the help desk leaves it, with or without its entry in the ledger. */
import { createHash, randomUUID } from 'node:crypto'
import { paise } from '@roz/core/money.ts'
import { type Db, sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { bookDisbursement, correctDisbursement } from '../ledger/disbursements.ts'

type Helped = {
  readonly purpose?: string
  /** The purpose in Hindi; the other one is in English. */
  readonly hindi?: string
  readonly publicName?: string
  readonly amount?: number
  readonly status?: 'requested' | 'booked'
  readonly askedBy: bigint
  readonly decidedBy: bigint
}
export type PaidHelp = { readonly id: string; readonly beneficiaryId: string; readonly hash: Buffer }

/** A disbursement with one bill, as the help desk leaves it. */
export async function insertOutlay(db: Db, helped: Helped): Promise<PaidHelp> {
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
    insert into outlay (id, kind, amount_paise, purpose, translations, beneficiary_id, needs_second, status, asked_by, decided_by, decided_at)
    values (${id}::uuid, 'disbursement', ${helped.amount ?? 100}::bigint, ${helped.purpose ?? 'school shoes'}::text,
      ${helped.hindi === undefined ? '{}' : JSON.stringify({ hi: helped.hindi })}::jsonb, ${beneficiaryId}::uuid, false, ${isBooked ? 'booked' : 'requested'}::text, ${helped.askedBy}::bigint,
      ${isBooked ? helped.decidedBy : null}::bigint, ${isBooked ? new Date() : null}::timestamptz)`)
  await db.query(sql`insert into outlay_receipt (outlay_id, position, hash) values (${id}::uuid, 1, ${hash}::bytea)`)
  return { id, beneficiaryId, hash }
}

/** Pays help in the ledger too. `amount` is in paise. */
export async function payHelp(db: Db, helped: Helped): Promise<PaidHelp> {
  const outlay = await insertOutlay(db, helped)
  const booked = await inTransaction(db, (tx) =>
    bookDisbursement(tx, { id: outlay.id, amount: paise(BigInt(helped.amount ?? 100)), evidence: [outlay.hash] }),
  )
  if (!booked.ok) throw new Error(booked.code)
  return outlay
}

type NewStory = {
  readonly title?: string
  /** The help that it tells of. */
  readonly outlayId?: string
  /** It is the story of this round's day; else it is dated today. */
  readonly roundDay?: string
  readonly video?: string
  readonly isActive?: boolean
}
/** A story as an editor leaves it: a draft, or published now. Returns its id. */
export async function insertStory(db: Db, { title = 'Shoes', outlayId, roundDay, video, isActive = false }: NewStory): Promise<string> {
  const id = randomUUID()
  const day = sql`${roundDay ?? null}::date`
  await db.query(sql`
    insert into story (id, day, round_day, title, description, charity_name, charity_description, outlay_id, video_url, is_active, published_at)
    values (${id}::uuid, coalesce(${day}, ist_day(roz_now())), ${day}, ${title}::text, 'For school.', 'Meera', 'Shoes', ${outlayId ?? null}::uuid,
      ${video ?? null}::text, ${isActive}::boolean, case when ${isActive}::boolean then roz_now() end)`)
  return id
}

/** Somebody else of the team confirms by a call that it arrived. */
export const confirmArrival = async (db: Db, { id }: PaidHelp, by: bigint): Promise<void> => {
  await db.query(sql`
    insert into arrival (outlay_id, received, how, heard_on, recorded_by) values (${id}::uuid, true, 'call', ist_day(roz_now()), ${by}::bigint)`)
}

/** Money of the help that came back; the hash of its bill. */
export async function takeBack(db: Db, { id: corrects, beneficiaryId }: PaidHelp, amount: number, by: bigint): Promise<Buffer> {
  const id = randomUUID()
  const hash = createHash('sha256').update(id).digest()
  await db.query(sql`
    insert into receipt (hash, file, bytes, width, height, uploaded_by)
    values (${hash}::bytea, ${`receipts/${hash.toString('hex').slice(0, 32)}.webp`}::text, 10, 10, 10, ${by}::bigint)`)
  await db.query(sql`
    insert into outlay (id, kind, amount_paise, purpose, beneficiary_id, corrects, needs_second, status, asked_by, decided_by, decided_at)
    values (${id}::uuid, 'disbursement_back', ${amount}::bigint, 'it went back to the shop', ${beneficiaryId}::uuid, ${corrects}::uuid, false,
      'booked', ${by}::bigint, ${by}::bigint, roz_now())`)
  await db.query(sql`insert into outlay_receipt (outlay_id, position, hash) values (${id}::uuid, 1, ${hash}::bytea)`)
  const booked = await inTransaction(db, (tx) => correctDisbursement(tx, { id, corrects, amount: paise(BigInt(amount)), evidence: [hash] }))
  if (!booked.ok) throw new Error(booked.code)
  return hash
}

export const revokeConsent = async (db: Db, beneficiaryId: string): Promise<void> => {
  await db.query(sql`update beneficiary set revoked_at = roz_now() where id = ${beneficiaryId}::uuid`)
}
