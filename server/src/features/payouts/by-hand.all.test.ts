/** Without payout keys finance pays by hand, once. Only the person who was shown the account says how it ended. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { paise } from '@roz/core/money.ts'
import { sql } from '../../db/sql.ts'
import { chargeBack } from '../../ledger/testing/fixtures.ts'
import { createAttempt } from '../../jobs/parking.ts'
import { createPayouts } from './payouts.ts'
import { makeStaff, testSecrets, publicIdOf } from '../../testing/calls.ts'
import { usePayoutsWorld, scriptedPayouts, scriptedRefunds } from '../../testing/payouts-world.ts'
import { BANK, logOf } from '../../testing/wallet-world.ts'

const world = usePayoutsWorld({ byHand: true })
let member: bigint
let id: string
/** Ravi works in finance, Sunita is an owner. */
let ravi: bigint
let sunita: bigint
beforeAll(async () => {
  ravi = await named('Ravi Rao', 'finance')
  sunita = await named('Sunita Nair', 'owner')
})
beforeEach(async () => {
  member = await world.funded(30)
  id = await world.withdraw(member)
})

async function named(name: string, role: 'finance' | 'owner'): Promise<bigint> {
  const staff = await makeStaff(world.db, role)
  await world.db.query(sql`update member set name = ${name}::text where id = ${staff}::bigint`)
  return staff
}
const paid = { bankReference: 'UTR1234' }
const why = { reason: 'The bank did not take it' }
const approve = () => world.decide(id, 'approve')
const show = (as: bigint) => world.decide(id, 'bank', {}, { as })
const shownTo = async (as: bigint): Promise<void> => {
  expect((await approve()).status).toBe(200)
  expect((await show(as)).body).toEqual({ bankDetail: BANK, upiDetail: null })
}
/** The staff log's entry of a look. e2e/scenario/audit-watch.ts relies on the name. */
const LOGGED = { withdrawalBank: 'withdrawal.see_bank' }
const auditOf = () =>
  world.db.query<{ action: string; actor: bigint }>(
    sql`select action, actor_id as actor from audit_log where subject = ${`withdrawal:${id}`}::text order by id`,
  )
const takeOver = async (as: bigint, from: bigint, body: object = { reason: 'Ravi has left us' }) =>
  world.decide(id, 'take-over', { from: await publicIdOf(world.db, from), ...body }, { as })
const listed = async () => (await world.calls.ask(`GET /admin/withdrawals?q=${id}`, { as: world.admin })).body.withdrawals[0]
const RAVI_HAS_IT = 'Ravi Rao has seen the bank account and may have paid. Only Ravi Rao can end this withdrawal, as paid or as not paid.'

test('an approved withdrawal is shown to finance, recorded in the staff log, and completed with the bank’s reference', async () => {
  expect((await show(ravi)).body.code).toBe('withdrawal_not_approved')
  expect((await world.decide(id, 'complete', paid)).body.code).toBe('withdrawal_not_approved')
  expect((await approve()).status).toBe(200)
  await world.pass(3600)
  expect(await world.stateOf(id)).toEqual(['approved', 20, 10])
  expect((await world.decide(id, 'retry')).body.code).toBe('payouts_by_hand')
  expect((await show(ravi)).body).toEqual({ bankDetail: BANK, upiDetail: null })
  expect((await world.decide(id, 'complete', { bankReference: '?' }, { as: ravi })).body.fields).toHaveProperty('bankReference')
  const headers = { 'idempotency-key': 'complete-1' }
  const body = { status: 'approved', ...paid }
  const answers = await Promise.all([1, 2, 3].map(() => world.decide(id, 'complete', body, { as: ravi, headers })))
  expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1)
  expect(answers[0]?.body.withdrawal).toMatchObject({ status: 'paid', reference: 'UTR1234' })
  expect((await world.decide(id, 'complete', paid, { as: ravi })).body.code).toBe('withdrawal_final')
  expect(await world.stateOf(id)).toEqual(['paid', 20, 0])
  await world.runDue()
  expect(await world.noticesOf(member)).toEqual(['withdrawal_paid', 'withdrawal_requested'])
  expect((await auditOf()).map(({ action }) => action)).toEqual(['withdrawal.approve', 'withdrawal.see_bank', 'withdrawal.complete'])
  expect(
    JSON.stringify(await world.db.query(sql`select * from audit_log`), (_key, value) =>
      typeof value === 'bigint' ? String(value) : value,
    ),
  ).not.toContain(BANK.accountNumber)
})

test('once the account was shown nobody else ends the withdrawal, and the refusal names that person', async () => {
  await shownTo(ravi)
  for (const [what, body] of [
    ['reject', why],
    ['complete', paid],
    ['not-paid', why],
    ['bank', {}],
  ] as const) {
    const { status, body: refused } = await world.decide(id, what, body)
    expect([what, status, refused.message]).toEqual([what, 409, RAVI_HAS_IT])
  }
  const inHindi = await world.decide(id, 'reject', why, { headers: { 'accept-language': 'hi' } })
  expect(inHindi.body).toMatchObject({ code: 'being_paid_by_hand', values: { name: 'Ravi Rao' } })
  expect(inHindi.body.message).toContain('Ravi Rao ने बैंक खाता देख लिया है')
  expect(await world.stateOf(id)).toEqual(['approved', 20, 10])
  expect(await listed()).toMatchObject({ shownTo: { name: 'Ravi Rao', at: expect.any(String) } })
  expect((await world.decide(id, 'complete', paid, { as: ravi })).status).toBe(200)
})

test('the person who was shown the account cannot reject; “not paid” with a reason returns the money', async () => {
  await shownTo(ravi)
  expect((await world.decide(id, 'reject', why, { as: ravi })).body.code).toBe('being_paid_by_hand')
  expect((await world.decide(id, 'not-paid', { reason: ' ' }, { as: ravi })).body.fields).toHaveProperty('reason')
  const { body } = await world.decide(id, 'not-paid', why, { as: ravi })
  expect(body.withdrawal).toMatchObject({ status: 'rejected', ...why, approvedAt: expect.any(String) })
  expect(await world.stateOf(id)).toEqual(['rejected', 30, 0])
  expect((await auditOf()).at(-1)).toEqual({ action: 'withdrawal.not_paid', actor: ravi })
  await world.runDue()
  expect(await world.noticesOf(member)).toEqual(['withdrawal_rejected', 'withdrawal_requested'])
})

test('“paid” and “not paid” are refused while nobody was shown the account, and take nothing', async () => {
  await approve()
  const first = 'Open the bank account of this withdrawal first. Only the person who has seen it can end the withdrawal.'
  for (const [what, body] of [
    ['complete', paid],
    ['not-paid', why],
  ] as const)
    expect(await world.decide(id, what, body, { as: ravi })).toMatchObject({
      status: 409,
      body: { code: 'bank_not_shown', message: first },
    })
  const inHindi = await world.decide(id, 'complete', paid, { as: ravi, headers: { 'accept-language': 'hi' } })
  expect(inHindi.body.message).toContain('पहले इस निकासी का बैंक खाता')
  expect(await world.stateOf(id)).toEqual(['approved', 20, 10])
  expect((await world.decide(id, 'reject', why)).body.withdrawal).toMatchObject({ status: 'rejected', approvedAt: expect.any(String) })
})

test('a second look by the same person shows the account again and is recorded; the first time stays', async () => {
  await shownTo(ravi)
  const { shownTo: first } = await listed()
  await world.pass(60)
  expect((await show(ravi)).body).toEqual({ bankDetail: BANK, upiDetail: null })
  expect((await listed()).shownTo).toEqual(first)
  expect((await auditOf()).map(({ action }) => action)).toEqual(['withdrawal.approve', LOGGED.withdrawalBank, LOGGED.withdrawalBank])
})

test('only an owner takes over, with a recorded reason; then only that owner ends it', async () => {
  await shownTo(ravi)
  const gone = { reason: 'Ravi has left us; the bank shows no payment' }
  const finance = await makeStaff(world.db, 'finance')
  expect((await takeOver(finance, ravi, gone)).status).toBe(403)
  expect((await world.decide(id, 'take-over', {}, { as: sunita })).body.fields).toMatchObject({
    reason: expect.anything(),
    from: expect.anything(),
  })
  expect((await takeOver(sunita, ravi, gone)).body.withdrawal).toMatchObject({ shownTo: { name: 'Sunita Nair' } })
  expect((await takeOver(sunita, ravi, gone)).body.code).toBe('withdrawal_final')
  const [entry] = await world.db.query(
    sql`select actor_id as actor, after from audit_log where action = 'withdrawal.take_over' and subject = ${`withdrawal:${id}`}::text`,
  )
  expect(entry).toMatchObject({ actor: sunita, after: { ...gone, from: String(ravi) } })
  expect((await world.decide(id, 'complete', paid, { as: ravi })).body.message).toContain('Sunita Nair')
  expect((await world.decide(id, 'not-paid', why, { as: sunita })).status).toBe(200)
})

test('an owner takes over only from the person whom the owner saw: another owner who has it by then may have paid', async () => {
  await shownTo(ravi)
  const asha = await named('Asha Iyer', 'owner')
  expect((await takeOver(sunita, ravi)).status).toBe(200)
  expect(await takeOver(asha, ravi)).toMatchObject({ status: 409, body: { code: 'changed_since_seen' } })
  expect(await world.decide(id, 'not-paid', why, { as: asha })).toMatchObject({ status: 409, body: { values: { name: 'Sunita Nair' } } })
  expect((await world.decide(id, 'complete', paid, { as: sunita })).status).toBe(200)
  expect(await world.stateOf(id)).toEqual(['paid', 20, 0])
})

test('of two owners who take over at once, both from the person whom they saw, one has it', async () => {
  const asha = await named('Asha Menon', 'owner')
  for (let round = 0; round < 6; round++) {
    id = await world.withdraw(await world.funded(10))
    await shownTo(ravi)
    const seen = { status: 'approved', reason: 'Ravi has left us' }
    const answers = await Promise.all([sunita, asha].map((as) => takeOver(as, ravi, seen)))
    expect(answers.map(({ status, body }) => [status, body.code]).toSorted()).toEqual([
      [200, undefined],
      [409, 'changed_since_seen'],
    ])
    const taker = answers[0]?.status === 200 ? 'Sunita Nair' : 'Asha Menon'
    expect((await listed()).shownTo.name).toBe(taker)
  }
})

test('nobody is shown, or takes over, the payment to an account of their own', async () => {
  await world.db.query(sql`update member set email = 'someone' || id || '@example.org' where email like '%@gmail.com'`)
  await world.db.query(sql`update member set email = 'kavita.rao+wallet@gmail.com' where id = ${member}::bigint`)
  const kavita = await named('Kavita Rao', 'owner')
  await world.db.query(sql`update member set email = 'kavitarao@gmail.com' where id = ${kavita}::bigint`)
  await approve()
  expect(await show(kavita)).toMatchObject({ status: 403, body: { code: 'own_money' } })
  expect((await show(ravi)).status).toBe(200)
  const taken = await takeOver(kavita, ravi)
  expect([taken.status, taken.body.code]).toEqual([403, 'own_money'])
  expect((await world.decide(id, 'complete', paid, { as: ravi })).status).toBe(200)
})

test('nobody ends the payment to an account that became their own after the showing; another owner takes it over', async () => {
  await world.db.query(sql`update member set email = 'nobody' || id || '@example.org' where email like '%@gmail.com'`)
  await shownTo(ravi)
  await world.db.query(sql`update member set email = 'ravi.rao+wallet@gmail.com' where id = ${member}::bigint`)
  await world.db.query(sql`update member set email = 'ravirao@gmail.com' where id = ${ravi}::bigint`)
  for (const [what, body] of [
    ['complete', paid],
    ['not-paid', why],
  ] as const)
    expect(await world.decide(id, what, body, { as: ravi })).toMatchObject({ status: 403, body: { code: 'own_money' } })
  expect(await world.stateOf(id)).toEqual(['approved', 20, 10])
  expect((await takeOver(sunita, ravi, { reason: 'It is his own' })).status).toBe(200)
  expect((await world.decide(id, 'complete', paid, { as: sunita })).status).toBe(200)
})

/** The payer's bank takes the ₹30 back. The wallet has ₹20, so the member owes ₹10. */
async function takeBack(): Promise<void> {
  const { orderId } = await world.db.one<{ orderId: string }>(
    sql`select order_id as "orderId" from topup where member_id = ${member}::bigint and status = 'captured'`,
  )
  await chargeBack(world.db, `by-hand-${member}`, orderId, paise(3000n))
}

test('a member in debt is paid nothing by hand; a payment that may have left before the debt is still recorded', async () => {
  await approve()
  await takeBack()
  expect((await show(ravi)).body.code).toBe('member_in_debt')
  expect((await world.decide(id, 'complete', paid, { as: ravi })).body.code).toBe('bank_not_shown')
  expect((await world.decide(id, 'reject', why)).status).toBe(200)
  expect(await world.stateOf(id)).toEqual(['rejected', 0, 0])

  member = await world.funded(30)
  id = await world.withdraw(member)
  await shownTo(ravi)
  await takeBack()
  expect((await show(ravi)).body.code).toBe('member_in_debt')
  expect((await world.decide(id, 'complete', paid, { as: ravi })).status).toBe(200)
  expect(await world.stateOf(id)).toEqual(['paid', 0, 0])
})

test('a new gateway is not given a withdrawal that somebody was shown, and that person still ends it', async () => {
  await shownTo(ravi)
  const { script, payouts } = scriptedPayouts()
  const { gateway } = scriptedRefunds()
  const quiet = { warn: () => undefined, alarm: () => undefined, attempt: createAttempt({ db: world.db, log: logOf([]) }) }
  const withGateway = createPayouts({ db: world.db, payouts, gateway, secrets: testSecrets, approvalAbove: paise(100_000n), ...quiet })
  await withGateway.jobs.send_payout({ withdrawalId: id })
  expect([script.sent, script.beneficiaries]).toEqual([[], []])
  const call = { params: { id }, session: { memberId: ravi }, idempotencyKey: undefined } as never as object
  const ask = (name: 'retryWithdrawal' | 'completeWithdrawal', body: object) =>
    withGateway.handlers[name]({ ...call, body: { status: 'approved', ...body } } as never)
  expect(await ask('retryWithdrawal', {})).toMatchObject({ ok: false, code: 'being_paid_by_hand' })
  expect(await ask('completeWithdrawal', paid)).toMatchObject({ ok: true })
})

test('of showing and rejecting at once one succeeds, never both', async () => {
  for (let round = 0; round < 8; round++) {
    member = await world.funded(10)
    id = await world.withdraw(member)
    await approve()
    const seen = { status: 'approved' }
    const [shown, rejected] = await Promise.all([
      world.decide(id, 'bank', seen, { as: ravi }),
      world.decide(id, 'reject', { ...seen, ...why }),
    ])
    expect([shown.status, rejected.status].toSorted()).toEqual([200, 409])
    expect(await world.stateOf(id)).toEqual(shown.status === 200 ? ['approved', 0, 10] : ['rejected', 10, 0])
    expect((shown.status === 200 ? rejected : shown).body.code).toBe(shown.status === 200 ? 'being_paid_by_hand' : 'changed_since_seen')
  }
})

test('of two people who open the account at once one is shown it', async () => {
  for (let round = 0; round < 5; round++) {
    id = await world.withdraw(await world.funded(10))
    await approve()
    const answers = await Promise.all([ravi, sunita].map((as) => world.decide(id, 'bank', { status: 'approved' }, { as })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  }
})

test('of paid and not paid in two tabs at once one succeeds, and the money moves once', async () => {
  for (let round = 0; round < 8; round++) {
    id = await world.withdraw(await world.funded(10))
    await shownTo(ravi)
    const seen = { status: 'approved' }
    const [complete, notPaid] = await Promise.all([
      world.decide(id, 'complete', { ...seen, ...paid }, { as: ravi }),
      world.decide(id, 'not-paid', { ...seen, ...why }, { as: ravi }),
    ])
    expect([complete.status, notPaid.status].toSorted()).toEqual([200, 409])
    expect(await world.stateOf(id)).toEqual(complete.status === 200 ? ['paid', 0, 0] : ['rejected', 10, 0])
  }
})

test('the schema refuses to reject, send or hide a withdrawal that was shown', async () => {
  await shownTo(ravi)
  for (const change of [
    sql`status = 'rejected', ended_at = roz_now(), reason = 'no'`,
    sql`status = 'rejected', ended_at = roz_now(), reason = 'no', not_paid_by = ${sunita}::bigint`,
    sql`status = 'sending'`,
    sql`shown_to = null, shown_at = null`,
  ])
    await expect(world.db.query(sql`update withdrawal set ${change} where id = ${id}::uuid`)).rejects.toThrow(/withdrawal/)
})

test('a webhook is refused without payout keys, because nobody can have signed it', async () => {
  expect((await world.webhook('TRANSFER_SUCCESS x')).status).toBe(401)
})
