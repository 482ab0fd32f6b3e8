/** The tables of the help desk refuse what its calls refuse. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { type Sql, sql } from '../../db/sql.ts'
import { useTestDatabase } from '../../testing/database.ts'
import { makeStaff } from '../../testing/calls.ts'

const database = useTestDatabase()
let asker: bigint
let other: bigint
beforeAll(async () => {
  asker = await makeStaff(database.db, 'finance')
  other = await makeStaff(database.db, 'owner')
})

const run = (statement: Sql) => database.db.query(statement)

async function makeBeneficiary(): Promise<string> {
  const id = randomUUID()
  await run(sql`
    insert into beneficiary (id, public_name, consent_how, consented_on, created_by)
    values (${id}::uuid, 'Meera', 'written', '2026-11-20', ${asker}::bigint)`)
  return id
}

async function makeOutlay(beneficiaryId: string, needsSecond = true): Promise<string> {
  const id = randomUUID()
  await run(sql`
    insert into outlay (id, kind, amount_paise, purpose, beneficiary_id, needs_second, asked_by)
    values (${id}::uuid, 'disbursement', 50000, 'school shoes', ${beneficiaryId}::uuid, ${needsSecond}::boolean, ${asker}::bigint)`)
  return id
}

const book = (id: string, by: bigint) =>
  run(sql`update outlay set status = 'booked', decided_by = ${by}::bigint, decided_at = roz_now() where id = ${id}::uuid`)

const readPublic = (id: string) =>
  database.db.one<{ publicName: string | null; isRevoked: boolean; receipts: string[] }>(
    sql`select public_name as "publicName", is_revoked as "isRevoked", receipts from outlay_public where id = ${id}::uuid`,
  )

test('an outlay that needs a second person is not booked by the person who asked', async () => {
  const id = await makeOutlay(await makeBeneficiary())
  await expect(book(id, asker)).rejects.toThrow('check')
  await book(id, other)
  const small = await makeOutlay(await makeBeneficiary(), false)
  await book(small, asker)
})

test('an outlay is decided once, and what was asked for never changes', async () => {
  const id = await makeOutlay(await makeBeneficiary())
  await expect(run(sql`update outlay set amount_paise = 1 where id = ${id}::uuid`)).rejects.toThrow('no way to go')
  await book(id, other)
  await expect(
    run(sql`update outlay set status = 'rejected', decision = 'no', decided_by = ${other}::bigint where id = ${id}::uuid`),
  ).rejects.toThrow('no way to go')
  await expect(run(sql`delete from outlay where id = ${id}::uuid`)).rejects.toThrow('permission denied')
})

test('a receipt stays as it was uploaded, and while an outlay names it', async () => {
  const hash = Buffer.alloc(32, 7)
  await run(sql`
    insert into receipt (hash, file, bytes, width, height, uploaded_by) values (${hash}::bytea, 'receipts/x.webp', 10, 1, 1, ${asker}::bigint)`)
  await expect(run(sql`update receipt set bytes = 11 where hash = ${hash}::bytea`)).rejects.toThrow('permission denied')
  const id = await makeOutlay(await makeBeneficiary())
  await run(sql`insert into outlay_receipt (outlay_id, position, hash) values (${id}::uuid, 1, ${hash}::bytea)`)
  await expect(run(sql`delete from receipt where hash = ${hash}::bytea`)).rejects.toThrow('outlay_receipt')
})

test('after a revocation neither name nor bills are public, no story of it is published, and nothing undoes it', async () => {
  const beneficiaryId = await makeBeneficiary()
  const id = await makeOutlay(beneficiaryId)
  const hash = Buffer.alloc(32, 9)
  await run(sql`
    insert into receipt (hash, file, bytes, width, height, uploaded_by) values (${hash}::bytea, 'receipts/y.webp', 10, 1, 1, ${asker}::bigint)`)
  await run(sql`insert into outlay_receipt (outlay_id, position, hash) values (${id}::uuid, 1, ${hash}::bytea)`)
  await book(id, other)
  expect(await readPublic(id)).toEqual({ publicName: 'Meera', isRevoked: false, receipts: [hash.toString('hex')] })

  const unrecord = run(sql`update beneficiary set consent_how = null, consented_on = null where id = ${beneficiaryId}::uuid`)
  await expect(unrecord).rejects.toThrow('no way to go')
  await run(sql`update beneficiary set revoked_at = roz_now() where id = ${beneficiaryId}::uuid`)
  expect(await readPublic(id)).toEqual({ publicName: null, isRevoked: true, receipts: [] })
  await expect(run(sql`update beneficiary set revoked_at = null where id = ${beneficiaryId}::uuid`)).rejects.toThrow('no way to go')
  await expect(
    run(sql`
      insert into story (id, day, title, description, charity_name, charity_description, outlay_id, is_active, published_at)
      values (gen_random_uuid(), '2026-11-21', 'Shoes', 'New shoes', 'Roz', 'Help', ${id}::uuid, true, roz_now())`),
  ).rejects.toThrow('consent was revoked')
})

test('a child’s consent needs the guardian who gave it', async () => {
  const withConsent = (relation: string | null) =>
    run(sql`
      insert into beneficiary (id, public_name, consent_how, consented_on, is_child, guardian_relation, created_by)
      values (gen_random_uuid(), 'Asha', 'written', '2026-11-20', true, ${relation}::text, ${asker}::bigint)`)
  await expect(withConsent(null)).rejects.toThrow('check')
  await withConsent('mother')
})
