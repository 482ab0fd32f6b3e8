/** Disbursements: who may ask and approve, what is refused, and what two decisions at once leave behind. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { DAY } from '../../ledger/testing/fixtures.ts'
import { makeStaff } from '../../testing/calls.ts'
import { forgetAlone } from '../../testing/database.ts'
import { useHelpWorld } from '../../testing/help-world.ts'
import { insertStory } from '../../testing/help.ts'

const world = useHelpWorld()
let meera: string
beforeAll(async () => {
  meera = await world.beneficiary()
  await world.give(40_000)
})

type Sent = Readonly<Record<string, unknown>>
const ask = async (fields: Sent = {}, as = world.staff.finance, headers = {}) =>
  world.calls.ask('POST /admin/disbursements', {
    as,
    headers,
    body: { amount: 100, purpose: 'school shoes', beneficiaryId: meera, receipts: [await world.bill()], ...fields },
  })
/** A disbursement of ₹1,500 by finance, which waits for another person. */
const request = async (fields: Sent = {}): Promise<string> => {
  const { body, text } = await ask({ amount: 1500, ...fields })
  if (body.disbursement === undefined) throw new Error(text)
  expect(body.disbursement).toMatchObject({ status: 'requested', needsSecond: true })
  return body.disbursement.id
}
const decide = (id: string, action: 'approve' | 'reject', as = world.staff.owner, fields: Sent = {}) =>
  world.calls.ask(`POST /admin/disbursements/${id}/${action}`, {
    as,
    body: { status: 'requested', ...(action === 'reject' ? { reason: 'The bill is not readable' } : {}), ...fields },
  })
const list = async (query = '') => (await world.calls.ask(`GET /admin/disbursements${query}`, { as: world.staff.auditor })).body
const bookedTimes = async (id: string): Promise<number> =>
  (await world.db.one<{ n: number }>(sql`select count(*)::int as n from transfer where ref = ${id}::text`)).n

/** The staff log's entries about an outlay. */
const auditOf = async (id: string): Promise<string[]> =>
  (await world.db.query<{ action: string }>(sql`select action from audit_log where subject = ${`outlay:${id}`}::text order by id`)).map(
    ({ action }) => action,
  )

// One person's own decisions count for 24 hours, so each test has a separate day.
beforeEach(() => forgetAlone(world.database))

describe('a disbursement', () => {
  test('up to the limit is booked by the confirmation of the person who asks, from the oldest open days', async () => {
    const before = (await list()).fund.balance
    const hash = await world.bill()
    const { status, body } = await ask({ amount: 1000, receipts: [hash] })
    expect([status, body.disbursement]).toMatchObject([
      200,
      {
        kind: 'disbursement',
        amount: 1000,
        purpose: 'school shoes',
        status: 'booked',
        needsSecond: false,
        beneficiary: { id: meera, publicName: 'Meera', consent: { how: 'written', on: '2026-11-20' }, guardian: null, isRevoked: false },
        receipts: [{ hash }],
        days: [{ day: DAY, amount: 1000 }],
        returned: 0,
        corrects: null,
        story: null,
      },
    ])
    const { disbursements, fund } = await list()
    const table = await world.calls.ask('GET /admin/disbursements.csv?q=shoes', { as: world.staff.auditor })
    const [head, row] = table.text.trimEnd().split('\r\n')
    expect(head).toBe(
      'id,asked,kind,amount,status,purpose,asked_by,decided_by,decided,reason,receipts,given_to,corrects,received,came_back,days',
    )
    expect(row).toMatch(new RegExp(`,disbursement,1000,booked,school shoes,.*,${hash},Meera,,,0,${DAY}: 1000$`))
    expect(disbursements[0]).toEqual(body.disbursement)
    expect(fund).toEqual({ balance: before - 1000, requested: 0, approvalAbove: 1000 })
    expect((await world.calls.ask(`GET /receipts/${hash}`)).status).toBe(200)
  })

  test('above the limit is booked by another person, never by the one who asked', async () => {
    const id = await request()
    expect((await list()).fund.requested).toBe(1500)
    expect((await decide(id, 'approve', world.staff.finance)).body).toMatchObject({ code: 'own_request' })
    expect(await bookedTimes(id)).toBe(0)
    expect((await decide(id, 'approve')).body.disbursement).toMatchObject({ status: 'booked', days: [{ day: DAY, amount: 1500 }] })
    expect(await bookedTimes(id)).toBe(1)
  })

  test('is not approved by the one who asked after a removal and a new invitation, nor by a second account of that mailbox', async () => {
    const staffAt = async (address: string): Promise<bigint> => {
      const id = await makeStaff(world.db, 'finance')
      await world.db.query(sql`update member set email = ${address}::text where id = ${id}::bigint`)
      return id
    }
    const asker = await staffAt('lata.rao@gmail.com')
    const { id } = (await ask({ amount: 1500 }, asker)).body.disbursement
    const second = await staffAt('latarao+two@gmail.com')
    await world.db.query(sql`update member set deleted_at = roz_now(), email = null where id = ${asker}::bigint`)
    for (const as of [second, await staffAt('lata.rao@gmail.com')]) {
      expect((await decide(id, 'approve', as)).body.code).toBe('own_request')
      const book = sql`update outlay set status = 'booked', decided_by = ${as}::bigint, decided_at = roz_now() where id = ${id}::uuid`
      await expect(world.db.query(book)).rejects.toThrow('it was asked for by the same person')
    }
    expect(await bookedTimes(id)).toBe(0)
    // A former colleague's approval does not count: only the owner's is left, and the amount is above the limit.
    expect((await decide(id, 'approve')).body.code).toBe('role_too_new')
  })

  test('of two people with one name says which one: by number, consent, guardian and the help so far', async () => {
    const child = { isChild: true, guardian: 'mother', consent: { how: 'recorded', on: '2026-11-19' } }
    const ids = [await world.beneficiary({ publicName: 'Tara' }), await world.beneficiary({ publicName: 'Tara', ...child })]
    for (const [at, amount] of [3, 4].entries()) await ask({ beneficiaryId: ids[at], amount })
    const shown = (await list('?q=tara')).disbursements.map(({ beneficiary }: { beneficiary: object }) => beneficiary)
    expect(shown).toEqual([
      { id: ids[1], publicName: 'Tara', guardian: 'mother', consent: child.consent, helped: 4, isRevoked: false },
      { id: ids[0], publicName: 'Tara', guardian: null, consent: { how: 'written', on: '2026-11-20' }, helped: 3, isRevoked: false },
    ])
  })

  test('that an editor asked for waits for the treasury, however small', async () => {
    // This editor did not write the person's record, which would be a reason of its own.
    const { body } = await ask({ amount: 1 }, await makeStaff(world.db, 'editor'))
    expect(body.disbursement).toMatchObject({ status: 'requested', needsSecond: true })
    expect((await decide(body.disbursement.id, 'approve', world.staff.editor)).body.code).toBe('forbidden')
    expect((await decide(body.disbursement.id, 'approve', world.staff.finance)).status).toBe(200)
  })

  test('is rejected with a reason; its bill is free again and stays unpublished', async () => {
    const hash = await world.bill()
    const id = await request({ receipts: [hash] })
    expect((await decide(id, 'reject', world.staff.owner, { reason: '' })).body.code).toBe('invalid_input')
    expect((await decide(id, 'reject')).body.disbursement).toMatchObject({ status: 'rejected', reason: 'The bill is not readable' })
    expect((await world.calls.ask(`GET /receipts/${hash}`)).status).toBe(404)
    expect((await ask({ receipts: [hash] })).status).toBe(200)
    expect(await auditOf(id)).toEqual(['disbursement.ask', 'disbursement.reject'])
  })

  test('leaves lines in the staff log for the request and the decision', async () => {
    const id = await request()
    await decide(id, 'approve')
    expect(await auditOf(id)).toEqual(['disbursement.ask', 'disbursement.approve'])
  })

  test('with the same Idempotency-Key is one, also when it is sent three times at once', async () => {
    const receipts = [await world.bill()]
    const send = () => ask({ receipts }, world.staff.finance, { 'idempotency-key': 'one help' })
    const answers = await Promise.all([send(), send(), send()])
    expect(new Set(answers.map(({ body }) => body.disbursement.id)).size).toBe(1)
    expect((await ask({ receipts, amount: 7 }, world.staff.finance, { 'idempotency-key': 'one help' })).body.code).toBe(
      'idempotency_mismatch',
    )
  })
})

describe('a request is refused', () => {
  const UNKNOWN = '2b1c0a9e-0000-4000-8000-000000000000'
  test.each([
    ['without an amount', { amount: 0 }, 400, 'invalid_input'],
    ['with a negative amount', { amount: -5 }, 400, 'invalid_input'],
    ['with the name in its words', { purpose: 'shoes for Meera' }, 400, 'invalid_input'],
    ['with a phone number in its words', { purpose: 'call 98765 43210' }, 400, 'invalid_input'],
    ['without a bill', { receipts: [] }, 400, 'invalid_input'],
    ['with a bill that nobody uploaded', { receipts: ['ab'.repeat(32)] }, 404, 'receipt_not_found'],
    ['for nobody', { beneficiaryId: UNKNOWN }, 404, 'beneficiary_not_found'],
    ['above the fund', { amount: 1_000_000 }, 409, 'insufficient_funds'],
  ])('%s', async (_what, fields, status, code) => {
    const answer = await ask(fields)
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })

  test('for somebody without a consent, or whose consent was revoked', async () => {
    const waiting = await world.beneficiary({ publicName: 'Ravi', consent: null })
    expect((await ask({ beneficiaryId: waiting })).body.code).toBe('consent_missing')
    await world.calls.ask(`PUT /admin/beneficiaries/${waiting}`, { as: world.staff.editor, body: { revoked: true } })
    expect((await ask({ beneficiaryId: waiting })).body.code).toBe('consent_revoked')
  })

  test('with a name of several in its words', async () => {
    const both = await world.beneficiary({ publicName: 'Asha and Ravi' })
    expect((await ask({ beneficiaryId: both, purpose: 'shoes for Asha' })).body.fields).toEqual({
      purpose: 'Please leave the name out: it is shown beside these words',
    })
  })

  test('with a bill of another one, requested or booked, or twice the same', async () => {
    const [first, second] = [await world.bill(), await world.bill()]
    await request({ receipts: [first] })
    await ask({ receipts: [second] })
    for (const receipts of [[first], [second]]) expect((await ask({ receipts })).body.code).toBe('receipt_used')
    const twice = await world.bill()
    expect((await ask({ receipts: [twice, twice] })).body.code).toBe('receipt_used')
  })

  test('without a fresh step-up', async () => {
    const body = { amount: 1, purpose: 'shoes', beneficiaryId: meera, receipts: [await world.bill()] }
    const answer = await world.calls.ask('POST /admin/disbursements', { as: world.staff.finance, isStale: true, body })
    expect([answer.status, answer.body.code]).toEqual([403, 'step_up_required'])
  })
})

describe('a decision', () => {
  test('on a state that has changed, on a decided one, or on none is refused', async () => {
    const id = await request()
    expect((await decide(id, 'approve', world.staff.owner, { status: 'booked' })).body.code).toBe('changed_since_seen')
    await decide(id, 'approve')
    expect((await decide(id, 'reject')).body.code).toBe('changed_since_seen')
    for (const action of ['approve', 'reject'] as const)
      expect((await decide(id, action, world.staff.owner, { status: 'booked' })).body.code).toBe('outlay_final')
    expect((await decide('unknown', 'approve')).body.code).toBe('outlay_not_found')
  })

  test('is refused when the consent was revoked since the request', async () => {
    const lata = await world.beneficiary({ publicName: 'Lata' })
    const id = await request({ beneficiaryId: lata })
    await world.calls.ask(`PUT /admin/beneficiaries/${lata}`, { as: world.staff.editor, body: { revoked: true } })
    expect((await decide(id, 'approve')).body.code).toBe('consent_revoked')
    expect(await bookedTimes(id)).toBe(0)
  })

  test('of two approvals at once one books, and the other sees that it changed', async () => {
    const id = await request()
    const answers = await Promise.all([decide(id, 'approve'), decide(id, 'approve')])
    expect(answers.map(({ body }) => body.code ?? 'booked').sort()).toEqual(['booked', 'changed_since_seen'])
    expect(await bookedTimes(id)).toBe(1)
  })

  test('of an approval and a rejection at once one takes effect', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await request()
      const answers = await Promise.all([decide(id, 'approve'), decide(id, 'reject')])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
      const { status } = (await list()).disbursements.find((one: { id: string }) => one.id === id)
      expect(await bookedTimes(id)).toBe(status === 'booked' ? 1 : 0)
      expect(status).toBe(answers[0]?.status === 200 ? 'booked' : 'rejected')
    }
  })

  test('of an approval and a revocation at once: help is booked with a consent, or not at all', async () => {
    for (let round = 0; round < 5; round++) {
      const asha = await world.beneficiary({ publicName: 'Asha' })
      const id = await request({ beneficiaryId: asha })
      const revoke = world.calls.ask(`PUT /admin/beneficiaries/${asha}`, { as: world.staff.editor, body: { revoked: true } })
      const [approved, revoked] = await Promise.all([decide(id, 'approve'), revoke])
      expect(revoked.status).toBe(200)
      expect(await bookedTimes(id)).toBe(approved.status === 200 ? 1 : 0)
      if (approved.status !== 200) expect(approved.body.code).toBe('consent_revoked')
    }
  })
})

describe('words that contain a name given since', () => {
  /** As rows of a release before the rule about new names. */
  const nameWithoutRule = (id: string, name: string) =>
    world.db.query(sql`update beneficiary set public_name = ${name}::text where id = ${id}::uuid`)

  test('are not approved, of a disbursement or of money that came back', async () => {
    const family = await world.beneficiary({ publicName: 'A family' })
    const paid = await request({ beneficiaryId: family })
    await decide(paid, 'approve')
    const { body } = await world.calls.ask(`POST /admin/disbursements/${paid}/correct`, {
      as: world.staff.finance,
      body: { amount: 1500, purpose: 'Ravi gave it back', receipts: [await world.bill()] },
    })
    const asked = await request({ beneficiaryId: family, purpose: 'shoes for Ravi' })
    await nameWithoutRule(family, 'Ravi')
    for (const id of [asked, body.disbursement.id]) {
      expect((await decide(id, 'approve')).body.code).toBe('purpose_names_person')
      expect(await bookedTimes(id)).toBe(0)
      expect((await decide(id, 'reject')).status).toBe(200)
    }
  })

  test('at the same time are never both accepted', async () => {
    for (let round = 0; round < 5; round++) {
      const family = await world.beneficiary({ publicName: 'A family' })
      const rename = world.calls.ask(`PUT /admin/beneficiaries/${family}`, { as: world.staff.editor, body: { publicName: 'Ravi' } })
      const answers = await Promise.all([ask({ beneficiaryId: family, amount: 1, purpose: 'shoes for Ravi' }), rename])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    }
  })
})

describe('the quote', () => {
  const quote = (amount: number | string) => world.calls.ask(`GET /admin/disbursements/quote?amount=${amount}`, { as: world.staff.support })
  test('names the days that would give, before anything is sent', async () => {
    const { balance, days } = (await quote(12.5)).body
    expect([balance, days]).toEqual([(await list()).fund.balance, [{ day: DAY, amount: 12.5 }]])
  })
  test.each([
    [0, 'invalid_input'],
    ['x', 'invalid_input'],
    [1_000_000, 'insufficient_funds'],
  ])('of %s is refused', async (amount, code) => {
    expect((await quote(amount)).body.code).toBe(code)
  })
})

describe('money that came back', () => {
  let booked: string
  beforeEach(async () => {
    booked = (await ask({ amount: 500 })).body.disbursement.id
  })
  // The payer does not book the correction alone.
  const correct = async (fields: Sent = {}, id = booked, as = world.staff.owner) =>
    world.calls.ask(`POST /admin/disbursements/${id}/correct`, {
      as,
      body: { amount: 200, purpose: 'shoes returned', receipts: [await world.bill()], ...fields },
    })

  test('is an entry of its own: the disbursement stays, and its days are open again', async () => {
    const before = (await list()).fund.balance
    const { body } = await correct()
    expect(body.disbursement).toMatchObject({
      kind: 'disbursement_back',
      status: 'booked',
      corrects: booked,
      days: [{ day: DAY, amount: 200 }],
    })
    const { disbursements, fund } = await list()
    expect(disbursements.find((one: { id: string }) => one.id === booked)).toMatchObject({ amount: 500, returned: 200 })
    expect(fund.balance).toBe(before + 200)
    expect(await auditOf(body.disbursement.id)).toEqual(['disbursement_back.book'])
    expect((await correct({ amount: 301 })).body.code).toBe('correction_too_large')
    expect((await correct({ amount: 300 })).status).toBe(200)
  })

  test('of a disbursement that was not booked, or of a correction, is refused', async () => {
    const back = (await correct({ amount: 1 })).body.disbursement.id
    for (const id of [await request(), back, 'unknown']) expect((await correct({}, id)).body.code).toBe('disbursement_not_found')
  })

  test('with an Idempotency-Key of another disbursement’s is refused, and never answered as if it were booked', async () => {
    const [other, receipts, headers] = [
      (await ask({ amount: 500 })).body.disbursement.id,
      [await world.bill()],
      { 'idempotency-key': 'back' },
    ]
    const send = (id: string) =>
      world.calls.ask(`POST /admin/disbursements/${id}/correct`, {
        as: world.staff.owner,
        headers,
        body: { amount: 500, purpose: 'shoes returned', receipts },
      })
    expect((await send(booked)).body.disbursement.corrects).toBe(booked)
    expect((await send(other)).body.code).toBe('idempotency_mismatch')
    expect((await send(booked)).body.disbursement.corrects).toBe(booked)
    expect((await correct({ amount: 500 }, other)).status).toBe(200)
  })

  test('whole ends the schedule of its story, in part it does not', async () => {
    const id = await insertStory(world.db, { outlayId: booked })
    await world.db.query(sql`update story set publish_at = roz_now() + interval '1 hour' where id = ${id}::uuid`)
    const state = async () => (await list('?limit=100')).disbursements.find((one: { id: string }) => one.id === booked).story.state
    expect((await correct({ amount: 499 })).status).toBe(200)
    expect(await state()).toBe('scheduled')
    expect((await correct({ amount: 1 })).status).toBe(200)
    expect(await state()).toBe('draft')
  })

  test('above the limit waits for another person, and two of them never return more than was given', async () => {
    const id = await request({ amount: 2000 })
    await decide(id, 'approve')
    const asked = () => correct({ amount: 1500 }, id, world.staff.finance)
    const [first, second] = [await asked(), await asked()]
    expect(first.body.disbursement).toMatchObject({ status: 'requested', needsSecond: true })
    expect((await decide(first.body.disbursement.id, 'approve', world.staff.finance)).body.code).toBe('own_request')
    const answers = await Promise.all([first, second].map(({ body }) => decide(body.disbursement.id, 'approve')))
    expect(answers.map(({ body }) => body.code ?? 'booked').sort()).toEqual(['booked', 'correction_too_large'])
  })
})

describe('the list finds help by its story', () => {
  const ids = async (state: string): Promise<string[]> =>
    (await list(`?status=${state}&limit=100`)).disbursements.map(({ id }: { id: string }) => id)

  test('without one, with a draft, scheduled and published; the table has the same filters', async () => {
    const { id } = (await ask({ amount: 1, purpose: 'a school bag' })).body.disbursement
    const row = async () => (await list('?q=school%20bag')).disbursements[0]
    const inLists = async () => [(await ids('untold')).includes(id), (await ids('storyless')).includes(id)]
    expect([(await row()).story, await inLists()]).toEqual([null, [true, true]])
    await insertStory(world.db, { title: 'A bag', outlayId: id })
    expect([(await row()).story, await inLists()]).toEqual([{ id: expect.any(String), title: 'A bag', state: 'draft' }, [true, false]])
    await world.db.query(sql`update story set publish_at = roz_now() + interval '1 hour' where outlay_id = ${id}::uuid`)
    expect((await row()).story.state).toBe('scheduled')
    const csv = await world.calls.ask('GET /admin/disbursements.csv?status=untold', { as: world.staff.auditor })
    expect(csv.text).toContain('a school bag')
    await world.db.query(sql`update story set publish_at = null, is_active = true, published_at = roz_now() where outlay_id = ${id}::uuid`)
    expect([(await row()).story.state, await inLists()]).toEqual(['published', [false, false]])
    expect((await world.calls.ask('GET /admin/house-entries?status=untold', { as: world.staff.auditor })).status).toBe(400)
  })

  test('neither money that came back, nor a request, nor somebody who revoked the consent waits for a story', async () => {
    const request1 = await request()
    const lata = await world.beneficiary({ publicName: 'Lata' })
    const { id } = (await ask({ amount: 1, beneficiaryId: lata })).body.disbursement
    const found = await ids('untold')
    expect([found.includes(id), found.includes(request1)]).toEqual([true, false])
    await world.calls.ask(`PUT /admin/beneficiaries/${lata}`, { as: world.staff.editor, body: { revoked: true } })
    expect(await ids('untold')).not.toContain(id)
    expect(await ids('storyless')).not.toContain(id)
  })
})
