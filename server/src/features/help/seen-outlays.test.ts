/** An approval of a payment from our accounts names what its row showed: another bill, consent or sum is another thing to decide. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { forgetAlone } from '../../testing/database.ts'
import { useHelpWorld } from '../../testing/help-world.ts'

const world = useHelpWorld({ approvalAbove: 10 })
beforeAll(async () => {
  await world.give(1000)
})
beforeEach(() => forgetAlone(world.database))

type Shown = { readonly id: string; readonly seen: string; readonly receipts: readonly { readonly hash: string }[] }
const said = ({ status, body }: { status: number; body: { code?: string } }) => `${status} ${body.code ?? ''}`.trim()
const post = async (path: string, body: object, as = world.staff.finance) => world.calls.ask(`POST /admin/${path}`, { as, body })

const help = async (beneficiaryId: string, amount = 11): Promise<Shown> =>
  (await post('disbursements', { amount, purpose: 'school shoes', beneficiaryId, receipts: [await world.bill()] })).body.disbursement
/** A booked payment of ₹5, and the waiting request that ₹2 of it came back. */
async function correction(beneficiaryId: string): Promise<Shown> {
  const paid = await help(beneficiaryId, 5)
  const back = { amount: 2, purpose: 'shoes returned', receipts: [await world.bill()] }
  const { body } = await post(`disbursements/${paid.id}/correct`, back)
  return body.disbursement
}
const settlement = async (): Promise<Shown> =>
  (await post('settlements', { reference: 'utr0010', day: '2026-11-21', amount: 11, fee: 0, receipts: [await world.bill()] })).body.entry

const withhold = ({ receipts }: Shown) => post(`receipts/${receipts[0]?.hash}/withhold`, { reason: 'A phone number' }, world.staff.owner)
const revoke = (id: string) => world.calls.ask(`PUT /admin/beneficiaries/${id}`, { as: world.staff.editor, body: { revoked: true } })

/** Approves it as the first row showed it, then as the row is now. The owner requested none of them. */
async function approveTwice(list: 'disbursements' | 'house-entries', { id, seen }: Shown) {
  const approve = (named: string) => post(`${list}/${id}/approve`, { status: 'requested', seen: named }, world.staff.owner)
  const stale = said(await approve(seen))
  const moved = await world.db.one(sql`select status from outlay where id = ${id}::uuid`)
  expect(moved).toEqual({ status: 'requested' })
  const { body } = await world.calls.ask(`GET /admin/${list}?status=requested`, { as: world.staff.owner })
  const row = (body.disbursements ?? body.entries).find((one: Shown) => one.id === id)
  return [stale, said(await approve(row.seen))]
}

test('an approval of help is refused after another payment to the person, or after a bill was withheld', async () => {
  const meera = await world.beneficiary()
  const first = await help(meera)
  await help(meera, 4)
  expect(await approveTwice('disbursements', first)).toEqual(['409 changed_since_seen', '200'])
  const second = await help(meera)
  expect(said(await withhold(second))).toBe('200')
  expect(await approveTwice('disbursements', second)).toEqual(['409 changed_since_seen', '200'])
})

test('an approval of money that came back is refused after a revoked consent', async () => {
  const meera = await world.beneficiary()
  const back = await correction(meera)
  expect(said(await revoke(meera))).toBe('200')
  expect(await approveTwice('disbursements', back)).toEqual(['409 changed_since_seen', '200'])
})

test('an approval of a settlement is refused after its report was withheld', async () => {
  const entry = await settlement()
  expect(said(await withhold(entry))).toBe('200')
  expect(await approveTwice('house-entries', entry)).toEqual(['409 changed_since_seen', '200'])
})

test('a waiting payment is approved as it was requested, and a rejection names what was shown too', async () => {
  const { id, seen } = await help(await world.beneficiary())
  const reject = (named: string) =>
    post(`disbursements/${id}/reject`, { status: 'requested', reason: 'Not now', seen: named }, world.staff.owner)
  expect(said(await reject('0'.repeat(32)))).toBe('409 changed_since_seen')
  expect(said(await post(`disbursements/${id}/approve`, { status: 'requested', seen }, world.staff.owner))).toBe('200')
})

test('no statement of the server changes the words, the sum or the bills of a waiting payment', async () => {
  const { id } = await help(await world.beneficiary())
  for (const change of [
    sql`update outlay set purpose = 'a new phone' where id = ${id}::uuid`,
    sql`update outlay set amount_paise = amount_paise + 1 where id = ${id}::uuid`,
    sql`update outlay set beneficiary_id = (select max(id::text)::uuid from beneficiary) where id = ${id}::uuid`,
    sql`delete from outlay_receipt where outlay_id = ${id}::uuid`,
    sql`update outlay_receipt set hash = hash where outlay_id = ${id}::uuid`,
  ])
    await expect(world.db.query(change)).rejects.toMatchObject({ code: expect.stringMatching(/^(RZ00\d|42501)$/) })
})
