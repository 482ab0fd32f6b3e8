/** Nobody is on both sides of a payment of help: its record, its payment, and the end of its proof. The limit is ₹10. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { listAlarms } from '../../operation/alarms.ts'
import { makeStaff } from '../../testing/calls.ts'
import { forgetAlone } from '../../testing/database.ts'
import { MEERA, useHelpWorld } from '../../testing/help-world.ts'

const world = useHelpWorld({ approvalAbove: 10 })
let ravi: bigint
let meera: string
beforeAll(async () => {
  await world.give(1000)
})
beforeEach(async () => {
  await forgetAlone(world.database)
  ravi = await makeStaff(world.db, 'finance')
  meera = await world.beneficiary()
})

const said = ({ status, body }: { status: number; body: { code?: string } }) => `${status} ${body.code ?? ''}`.trim()
const ask = async (as: bigint, amount: number, beneficiaryId = meera) =>
  world.calls.ask('POST /admin/disbursements', {
    as,
    body: { amount, purpose: 'school shoes', beneficiaryId, receipts: [await world.bill()] },
  })
const stateOf = ({ body }: { body: { disbursement: { status: string } } }) => body.disbursement.status
const approve = (as: bigint, id: string) =>
  world.calls.ask(`POST /admin/disbursements/${id}/approve`, { as, body: { status: 'requested' } })
const edit = (as: bigint, body: object, id = meera) => world.calls.ask(`PUT /admin/beneficiaries/${id}`, { as, body })
const withhold = (as: bigint, hash: string) =>
  world.calls.ask(`POST /admin/receipts/${hash}/withhold`, { as, body: { reason: 'It shows a phone number' } })
const alarms = async () => (await listAlarms(world.db)).filter(({ code }) => code === 'proof_taken_back')
const ownersTold = async (): Promise<string[]> =>
  (
    await world.db.query<{ what: string }>(sql`
      select payload -> 'data' ->> 'what' as what from job j join member m on m.email = j.payload ->> 'to'
       where j.kind = 'mail' and j.payload ->> 'template' = 'team_changed' and m.id = ${world.staff.owner}::bigint order by j.id`)
  ).map(({ what }) => what)

test('payments just below the limit are one payment: over people, over kinds, and on the other side of a correction', async () => {
  expect(stateOf(await ask(ravi, 6))).toBe('booked')
  expect(stateOf(await ask(ravi, 6, await world.beneficiary({ publicName: 'Lata' })))).toBe('requested')
  expect(stateOf(await ask(ravi, 4))).toBe('booked')
  const house = await world.calls.ask('POST /admin/settlements', {
    as: ravi,
    body: { reference: 'utr0009', day: '2026-11-21', amount: 1, fee: 0, receipts: [await world.bill()] },
  })
  expect(house.body.entry.status).toBe('requested')
  await forgetAlone(world.database)
  const paid = (await ask(ravi, 5)).body.disbursement.id
  const back = async (as: bigint) =>
    world.calls.ask(`POST /admin/disbursements/${paid}/correct`, {
      as,
      body: { amount: 1, purpose: 'shoes returned', receipts: [await world.bill()] },
    })
  expect([stateOf(await back(ravi)), stateOf(await back(world.staff.finance))]).toEqual(['requested', 'booked'])
})

test('of two payments at once that each fit alone, one is booked and the other waits', async () => {
  for (let round = 0; round < 5; round++) {
    const person = await makeStaff(world.db, 'finance')
    const answers = await Promise.all([ask(person, 6), ask(person, 6)])
    expect(answers.map(stateOf).toSorted()).toEqual(['booked', 'requested'])
  }
})

test('whoever wrote or changed the record of a person pays nothing to them, alone or as the second person', async () => {
  const { body } = await world.calls.ask('POST /admin/beneficiaries', { as: ravi, body: MEERA })
  const own = body.beneficiary.id
  const { id } = (await ask(ravi, 1, own)).body.disbursement
  expect(said(await approve(ravi, id))).toBe('403 own_request')
  expect(said(await approve(world.staff.finance, id))).toBe('200')
  const asked = (await ask(world.staff.editor, 1, own)).body.disbursement.id
  expect(said(await approve(ravi, asked))).toBe('403 own_consent')
  // A change of a record that somebody else wrote counts too.
  const other = await makeStaff(world.db, 'finance')
  expect((await edit(other, { note: 'Pay to account 1234' })).status).toBe(200)
  expect(stateOf(await ask(other, 1))).toBe('requested')
})

test('while a payment waits for approval, the record of the person stays as the approver sees it', async () => {
  const { id } = (await ask(ravi, 11)).body.disbursement
  for (const change of [{ publicName: 'Lata' }, { note: 'Pay to account 1234' }])
    expect(said(await edit(world.staff.editor, change))).toBe('409 request_waiting')
  expect(said(await approve(world.staff.finance, id))).toBe('200')
  expect(said(await edit(world.staff.editor, { note: 'Pay to account 1234' }))).toBe('200')
  // An edit and a request at once: the approver sees exactly the requested record.
  for (let round = 0; round < 5; round++) {
    const other = await world.beneficiary({ publicName: 'Sita' })
    const [asked, edited] = await Promise.all([ask(ravi, 11, other), edit(world.staff.editor, { publicName: 'Gita' }, other)])
    const { publicName } = asked.body.disbursement.beneficiary
    expect([said(edited), publicName]).toEqual(said(edited) === '200' ? ['200', 'Gita'] : ['409 request_waiting', 'Sita'])
  }
})

test('a request of an account that is new, or has left, is no first voice: the approver decides alone, up to the limit', async () => {
  const fresh = await makeStaff(world.db, 'editor', '0')
  const [small, large] = [(await ask(fresh, 4)).body.disbursement.id, (await ask(fresh, 11)).body.disbursement.id]
  expect(said(await approve(ravi, large))).toBe('409 role_too_new')
  expect(said(await approve(ravi, small))).toBe('200')
  // It was Ravi's decision alone.
  expect(stateOf(await ask(ravi, 7))).toBe('requested')
  await world.db.query(sql`update member set staff_since = roz_now() - interval '48 hours' where id = ${fresh}::bigint`)
  expect(said(await approve(ravi, large))).toBe('200')
})

test('whoever paid takes no proof back: neither the bill nor the consent; the owners are told when another person does', async () => {
  const before = (await ownersTold()).length
  const paid = (await ask(ravi, 5)).body.disbursement
  const hash = paid.receipts[0].hash
  expect(said(await withhold(ravi, hash))).toBe('403 own_payment')
  expect(said(await edit(ravi, { revoked: true }))).toBe('403 own_payment')
  expect((await world.calls.ask(`GET /receipts/${hash}`)).status).toBe(200)
  expect(await alarms()).toEqual([])
  expect(said(await withhold(world.staff.finance, hash))).toBe('200')
  expect(said(await edit(world.staff.editor, { revoked: true }))).toBe('200')
  expect((await world.calls.ask(`GET /receipts/${hash}`)).status).toBe(404)
  expect((await ownersTold()).slice(before)).toEqual(['receipt_withheld', 'consent_revoked'])
  expect(await alarms()).toMatchObject([{ waiting: 1 }])
})

test('where nobody else of the treasury is left, a proof is taken back by who decided or requested', async () => {
  const { id } = (await ask(world.staff.editor, 1)).body.disbursement
  await approve(ravi, id)
  expect(said(await edit(world.staff.editor, { revoked: true }))).toBe('403 own_payment')
  await world.db.query(sql`update member set staff_role = 'owner' where id = ${ravi}::bigint`)
  await world.db.query(sql`
    update member set staff_role = 'auditor' where role = 'admin' and staff_role in ('owner', 'finance') and id <> ${ravi}::bigint`)
  expect(said(await edit(world.staff.editor, { revoked: true }))).toBe('200')
})
