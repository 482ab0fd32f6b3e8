import { beforeEach, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { showAccount } from '../../ledger/withdrawals.ts'
import { operatorApp } from '../../testing/operator.ts'
import { makeMember } from '../../testing/calls.ts'
import { usePayoutsWorld } from '../../testing/payouts-world.ts'
import { BANK } from '../../testing/wallet-world.ts'

const world = usePayoutsWorld()
let member: bigint
let id: string
beforeEach(async () => {
  Object.assign(world.script, { sendings: [], beneficiary: 'ready', isSilent: false, beforeAnswer: undefined })
  world.alarms.length = 0
  member = await world.funded(30)
  id = await world.withdraw(member)
})

const approved = async (): Promise<void> => {
  expect((await world.decide(id, 'approve')).status).toBe(200)
  await world.runDue()
}
const auditOf = async (): Promise<string[]> =>
  (await world.db.query<{ action: string }>(sql`select action from audit_log where subject = ${`withdrawal:${id}`}::text order by id`)).map(
    ({ action }) => action,
  )
const shown = async () => (await world.calls.ask('GET /wallet/withdrawals', { as: member })).body.withdrawals[0]

test('a withdrawal is approved, sent under its own id to the member’s account, and paid; the member sees the reference', async () => {
  expect((await world.decide(id, 'approve')).body.withdrawal).toMatchObject({ id, status: 'approved', transferId: id.replaceAll('-', '') })
  expect((await shown()).status).toBe('processing')
  await world.runDue()
  expect(await world.stateOf(id)).toEqual(['sending', 20, 10])
  expect(world.script.beneficiaries.at(-1)).toMatchObject({ name: BANK.accountHolderName, account: BANK.accountNumber })
  expect(world.script.methods.at(-1)).toBe('bank')
  expect(world.timesSent(id)).toBe(1)
  world.gatewaySays(id, 'paid')
  await world.pass(20)
  expect(await world.stateOf(id)).toEqual(['paid', 20, 0])
  expect(await shown()).toMatchObject({ status: 'completed', reference: 'UTR42' })
  await world.runDue()
  expect(await world.noticesOf(member)).toEqual(['withdrawal_paid', 'withdrawal_requested'])
  expect(await auditOf()).toEqual(['withdrawal.approve'])
  expect(world.alarms).toEqual([])
})

test('a withdrawal that fails at the gateway returns the money and tells the member once', async () => {
  await approved()
  world.gatewaySays(id, 'failed', { statusCode: 'INVALID_ACCOUNT' })
  await world.pass(20)
  expect(await world.stateOf(id)).toEqual(['failed', 30, 0])
  expect(await shown()).toMatchObject({ status: 'failed', reason: 'INVALID_ACCOUNT' })
  // A gateway's code is not a reason that a member could understand.
  const { transactions } = (await world.calls.ask('GET /wallet/transactions', { as: member })).body
  expect(transactions.map((one: { reason: null }) => one.reason)).toEqual([null, null, null])
  await world.pass(86_400)
  expect(await world.noticesOf(member)).toEqual(['withdrawal_requested', 'withdrawal_returned'])
})

test('a withdrawal reversed days after it was paid is found by the sweep alone', async () => {
  await approved()
  world.gatewaySays(id, 'paid')
  await world.pass(20)
  world.gatewaySays(id, 'reversed')
  await world.pass(86_400)
  expect(await world.stateOf(id)).toEqual(['reversed', 30, 0])
  expect((await shown()).status).toBe('failed')
  expect(world.alarms).toEqual([])
  const { transactions } = (await world.calls.ask('GET /wallet/transactions', { as: member })).body
  expect(transactions.map((one: { description: string; status: string }) => [one.description, one.status]).slice(0, 2)).toEqual([
    ['Withdrawal to HDFC Bank ••9012 returned by the bank', 'completed'],
    ['Withdrawal to HDFC Bank ••9012', 'failed'],
  ])
})

test('after ten days the sweep stops asking, and a webhook still causes a question', async () => {
  await approved()
  world.gatewaySays(id, 'paid')
  await world.pass(20)
  for (let day = 0; day < 12; day++) await world.pass(86_400)
  const asked = world.script.asked.length
  await world.pass(86_400)
  expect(world.script.asked.length).toBe(asked)
  world.gatewaySays(id, 'reversed')
  expect((await world.webhook(`TRANSFER_REVERSED ${id.replaceAll('-', '')}`)).status).toBe(200)
  await world.runDue()
  expect(await world.stateOf(id)).toEqual(['reversed', 30, 0])
})

test('a sending without an answer reverses nothing; a transfer that the gateway took is found and not sent twice', async () => {
  world.script.sendings = ['take_silently']
  await approved()
  world.script.isSilent = true
  await world.pass(3600)
  await world.pass(86_400)
  expect(await world.stateOf(id)).toEqual(['sending', 20, 10])
  expect((await world.decide(id, 'reject', { reason: 'too late' })).body.code).toBe('withdrawal_final')
  world.script.isSilent = false
  world.gatewaySays(id, 'paid')
  await world.pass(3600)
  expect([await world.stateOf(id), world.timesSent(id)]).toEqual([['paid', 20, 0], 1])
})

test('a lost transfer is sent again under the same id, after three answers that it is unknown and ten minutes', async () => {
  world.script.sendings = ['lose']
  await approved()
  for (const seconds of [16, 31, 61, 121, 241]) await world.pass(seconds)
  expect([await world.stateOf(id), world.timesSent(id)]).toEqual([['sending', 20, 10], 1])
  await world.pass(481)
  expect(world.timesSent(id)).toBe(2)
  world.gatewaySays(id, 'paid')
  await world.pass(3600)
  expect(await world.stateOf(id)).toEqual(['paid', 20, 0])
})

test('a process that dies between commit and sending loses nothing', async () => {
  await world.decide(id, 'approve')
  await world.db.query(sql`update withdrawal set status = 'sending' where id = ${id}::uuid`)
  await world.db.query(sql`
    insert into payout_check (id, kind, asks, asked_at, ask_at, unanswered_at)
    values (${id}::uuid, 'withdrawal', 1, roz_now(), roz_now() + interval '15 seconds', roz_now())`)
  await world.runDue()
  expect(world.timesSent(id)).toBe(0)
  for (const seconds of [16, 31, 61, 121, 241, 481]) await world.pass(seconds)
  expect(world.timesSent(id)).toBe(1)
})

test.each([
  ['the transfer', { sendings: ['refuse'] }, 'transfer_amount_invalid'],
  ['the beneficiary', { beneficiary: 'refuse' }, 'bank_ifsc_invalid'],
  ['the bank account', { beneficiary: 'unusable' }, 'beneficiary_unusable'],
] as const)('after a refusal of %s the withdrawal is approved again; a retry sends it', async (_what, change, problem) => {
  Object.assign(world.script, { ...change, sendings: 'sendings' in change ? [...change.sendings] : [] })
  await approved()
  const listed = await world.calls.ask(`GET /admin/withdrawals?q=${id}`, { as: world.admin })
  expect(listed.body.withdrawals).toMatchObject([{ id, status: 'approved', problem }])
  world.script.beneficiary = 'ready'
  expect((await world.decide(id, 'retry')).status).toBe(200)
  await world.runDue()
  world.gatewaySays(id, 'paid')
  await world.pass(40)
  expect(await world.stateOf(id)).toEqual(['paid', 20, 0])
})

test('a refusal after an unanswered sending proves nothing: the withdrawal stays under way', async () => {
  world.script.sendings = ['lose']
  await approved()
  await world.db.query(sql`update payout_check set misses = 3, unanswered_at = roz_now() - interval '9 minutes' where id = ${id}::uuid`)
  world.script.sendings = ['refuse']
  await world.payouts.jobs.send_payout({ withdrawalId: id })
  expect(await world.stateOf(id)).toEqual(['sending', 20, 10])
  await world.db.query(sql`update payout_check set misses = 3, unanswered_at = roz_now() - interval '11 minutes' where id = ${id}::uuid`)
  await world.pass(20)
  expect(await world.stateOf(id)).toEqual(['approved', 20, 10])
  await world.decide(id, 'reject', { reason: 'the bank does not take it' })
  expect(await world.stateOf(id)).toEqual(['rejected', 30, 0])
})

test('a second job whose beneficiary is refused does not touch the sending under way', async () => {
  await approved()
  world.script.beneficiary = 'refuse'
  await world.payouts.jobs.send_payout({ withdrawalId: id })
  expect([await world.stateOf(id), world.timesSent(id)]).toEqual([['sending', 20, 10], 1])
  world.gatewaySays(id, 'paid')
  await world.pass(20)
  expect(await world.stateOf(id)).toEqual(['paid', 20, 0])
})

test('a lost sending without a usable account returns to the administrator’s decision', async () => {
  world.script.sendings = ['lose']
  await approved()
  world.script.beneficiary = 'unusable'
  for (const seconds of [16, 31, 61, 121, 241]) await world.pass(seconds)
  expect(await world.stateOf(id)).toEqual(['sending', 20, 10])
  await world.pass(481)
  expect([await world.stateOf(id), world.timesSent(id)]).toEqual([['approved', 20, 10], 1])
  await world.decide(id, 'reject', { reason: 'The account is closed' })
  expect(await world.stateOf(id)).toEqual(['rejected', 30, 0])
})

test('a gateway that is silent before the sending leaves the withdrawal approved, and the job is retried', async () => {
  world.script.beneficiary = 'silent'
  await approved()
  expect([await world.stateOf(id), world.timesSent(id)]).toEqual([['approved', 20, 10], 0])
  world.script.beneficiary = 'ready'
  await world.pass(3600)
  expect([await world.stateOf(id), world.timesSent(id)]).toEqual([['sending', 20, 10], 1])
})

test('a rejection returns the money and shows its reason; if the gateway pays all the same, a loss is booked with an alarm', async () => {
  expect((await world.decide(id, 'reject', { reason: 'Name of another person' })).body.withdrawal).toMatchObject({ status: 'rejected' })
  const reason = 'Name of another person'
  expect(await shown()).toMatchObject({ status: 'rejected', reason })
  const { transactions } = (await world.calls.ask('GET /wallet/transactions', { as: member })).body
  expect(transactions.slice(0, 3)).toMatchObject([
    { description: 'Withdrawal to HDFC Bank ••9012 returned', reason },
    { description: 'Withdrawal to HDFC Bank ••9012', status: 'rejected', reason },
    { description: 'Money added', reason: null },
  ])
  const { receipt } = (await world.calls.ask(`GET /wallet/transactions/${transactions[1].id}`, { as: member })).body
  expect(receipt).toMatchObject({ status: 'rejected', reason })
  await world.runDue()
  expect(await world.toldOf(member, 'withdrawal_rejected')).toEqual([
    ['mail', { amount: '₹10.00', reason }],
    ['notice', { amount: '₹10.00', reason }],
  ])
  expect(await world.stateOf(id)).toEqual(['rejected', 30, 0])
  world.gatewaySays(id, 'paid')
  await world.webhook(`TRANSFER_SUCCESS ${id.replaceAll('-', '')} late`)
  await world.runDue()
  expect(await world.stateOf(id)).toEqual(['rejected', 30, 0])
  expect(world.alarms).toMatchObject([{ withdrawalId: id, ours: 'rejected', booked: 'conflict' }])
  const flags = await world.db.query(sql`select kind, subject from member_flag where member_id = ${member}::bigint`)
  expect(flags).toEqual([{ kind: 'gateway_conflict', subject: `withdrawal:${id}` }])
  const [loss] = await world.db.query(sql`select amount from transfer where kind = 'wd_conflict' and ref = ${id}::text`)
  expect(loss).toEqual({ amount: 1000n })
  const app = operatorApp(world.db)
  expect((await app.inject('/metrics')).body).toMatch(/^roz_withdrawals_contradicted [1-9]/m)
  await app.close()
  await world.runDue()
  expect(await world.noticesOf(member)).toEqual(['withdrawal_rejected', 'withdrawal_requested'])
})

test('a transfer of another amount under our id is not booked and raises an alarm', async () => {
  await approved()
  world.gatewaySays(id, 'paid', { amount: 999n as never })
  await world.pass(20)
  expect(await world.stateOf(id)).toEqual(['sending', 20, 10])
  expect(world.alarms.length).toBeGreaterThan(0)
  const { withdrawals } = (await world.calls.ask(`GET /admin/withdrawals?q=${id}`, { as: world.admin })).body
  expect(withdrawals[0].flags).toContain('other_amount')
  world.gatewaySays(id, 'paid', { amount: 1000n as never })
  await world.pass(3600)
  expect(await world.stateOf(id)).toEqual(['paid', 20, 0])
  // The two agree: nobody has to look any more.
  const again = (await world.calls.ask(`GET /admin/withdrawals?q=${id}`, { as: world.admin })).body
  expect(again.withdrawals[0].flags).not.toContain('other_amount')
})

test('a transfer of the gateway beside a payment by hand moves nothing, and raises one alarm', async () => {
  world.script.sendings = ['refuse']
  await approved()
  await inTransaction(world.db, (tx) => showAccount(tx, { id, by: world.admin }))
  expect((await world.decide(id, 'complete', { bankReference: 'UTR1234' })).status).toBe(200)
  world.gatewaySays(id, 'reversed')
  for (const say of ['first', 'again']) {
    await world.webhook(`TRANSFER_REVERSED ${id.replaceAll('-', '')} ${say}`)
    await world.pass(20)
  }
  expect(await world.stateOf(id)).toEqual(['paid', 20, 0])
  expect(world.alarms).toMatchObject([{ withdrawalId: id, ours: 'paid', booked: 'unchanged' }])
  expect(await world.noticesOf(member)).toEqual(['withdrawal_paid', 'withdrawal_requested'])
})

test('a transfer in another currency under our id is not booked and raises an alarm', async () => {
  await approved()
  world.gatewaySays(id, 'paid', { currency: 'USD' })
  await world.pass(20)
  expect(await world.stateOf(id)).toEqual(['sending', 20, 10])
  expect(world.alarms.length).toBeGreaterThan(0)
  world.gatewaySays(id, 'paid', { currency: 'INR' })
  await world.pass(3600)
  expect(await world.stateOf(id)).toEqual(['paid', 20, 0])
})

test('a forged webhook is refused, an event is stored once, and webhook and sweep at once book once', async () => {
  await approved()
  world.gatewaySays(id, 'paid')
  const text = `TRANSFER_SUCCESS ${id.replaceAll('-', '')}`
  expect((await world.webhook(text, 'forged')).status).toBe(401)
  expect((await world.webhook('')).status).toBe(400)
  await world.db.query(sql`update payout_check set asked_at = asked_at - interval '6 seconds', ask_at = roz_now() where id = ${id}::uuid`)
  const answers = await Promise.all([...Array.from({ length: 5 }, () => world.webhook(text)), world.webhook('LOW_BALANCE_ALERT')])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
  const sweeps = () => world.payouts.sweeps.map((sweep) => sweep())
  await Promise.all([...sweeps(), ...sweeps(), world.runDue(), world.payouts.jobs.check_payout({ withdrawalId: id })])
  await world.pass(20)
  expect(await world.stateOf(id)).toEqual(['paid', 20, 0])
  expect(await world.db.query(sql`select 1 from payout_event where transfer_id = ${id.replaceAll('-', '')}::text`)).toHaveLength(1)
  expect((await world.webhook('TRANSFER_SUCCESS nobody')).status).toBe(200)
})

test('an event is stored encrypted, and deleted after ninety days', async () => {
  const text = `TRANSFER_SUCCESS ${id.replaceAll('-', '')} 123456789012`
  await world.webhook(text)
  const [event] = await world.db.query<{ sealed: Buffer }>(
    sql`select sealed from payout_event where transfer_id = ${id.replaceAll('-', '')}::text`,
  )
  expect(event?.sealed.includes('123456789012')).toBe(false)
  await world.pass(91 * 86_400)
  expect(await world.db.query(sql`select 1 from payout_event`)).toEqual([])
})

test('an answer to an old question does not count once a newer one was booked', async () => {
  await approved()
  world.gatewaySays(id, 'paid')
  await world.db.query(sql`update payout_check set asked_at = asked_at - interval '1 minute' where id = ${id}::uuid`)
  world.script.beforeAnswer = async () => {
    // Meanwhile another process asks, and hears that the transfer was reversed.
    await world.db.query(sql`update payout_check set asked_at = asked_at - interval '1 minute' where id = ${id}::uuid`)
    world.gatewaySays(id, 'reversed')
    await world.payouts.jobs.check_payout({ withdrawalId: id })
  }
  await world.payouts.jobs.check_payout({ withdrawalId: id })
  expect(await world.stateOf(id)).toEqual(['failed', 30, 0])
  expect(world.alarms).toEqual([])
})

test('of approvals and a rejection at once one takes effect, with at most one sending', async () => {
  for (let round = 0; round < 5; round++) {
    id = await world.withdraw(member)
    const [yes, no, again] = await Promise.all([
      world.decide(id, 'approve'),
      world.decide(id, 'reject', { reason: 'not this one' }),
      world.decide(id, 'approve'),
    ])
    await world.runDue()
    const [status] = await world.stateOf(id)
    expect([yes.status, again.status].filter((code) => code === 200).length).toBeLessThanOrEqual(1)
    expect(status).toBe(no.status === 200 ? 'rejected' : 'sending')
    expect(world.timesSent(id)).toBe(no.status === 200 ? 0 : 1)
    if (status === 'sending') {
      world.gatewaySays(id, 'failed')
      await world.pass(20)
    }
  }
  await world.decide(id, 'approve')
})

test('the same Idempotency-Key gets the first answer; another reason is a mismatch', async () => {
  const key = { 'idempotency-key': `k-${id}` }
  const said = { status: 'requested', reason: 'first reason' }
  const first = await world.decide(id, 'reject', said, { headers: key })
  expect((await world.decide(id, 'reject', said, { headers: key })).body).toEqual(first.body)
  expect((await world.decide(id, 'reject', { reason: 'another reason' }, { headers: key })).body.code).toBe('idempotency_mismatch')
  expect((await world.decide(id, 'approve', {}, { headers: key })).body.code).toBe('idempotency_mismatch')
  expect((await auditOf()).filter((action) => action === 'withdrawal.reject')).toHaveLength(1)
})

test('only an administrator after a step-up decides; an unknown withdrawal answers 404, an ended one 409', async () => {
  const path = `POST /admin/withdrawals/${id}/approve`
  expect((await world.calls.ask(path)).status).toBe(401)
  expect((await world.calls.ask(path, { as: member })).body.code).toBe('forbidden')
  expect((await world.calls.ask(path, { as: world.admin, isStale: true })).body).toMatchObject({ code: 'step_up_required' })
  expect((await world.calls.ask('GET /admin/withdrawals', { as: world.admin, isStale: true })).status).toBe(200)
  expect((await world.decide('nonsense', 'approve')).body.code).toBe('withdrawal_not_found')
  expect((await world.decide(crypto.randomUUID(), 'retry')).body.code).toBe('withdrawal_not_found')
  expect((await world.decide(id, 'retry')).body.code).toBe('withdrawal_final')
  expect((await world.decide(id, 'reject', { reason: ' ' })).body.fields).toHaveProperty('reason')
  for (const [what, body] of [
    ['complete', { bankReference: 'UTR123' }],
    ['bank', {}],
  ] as const)
    expect((await world.decide(id, what, body)).body.code).toBe('payouts_by_gateway')
  expect(await world.stateOf(id)).toEqual(['requested', 20, 10])
})

test('a suspended member is paid nothing until the suspension ends', async () => {
  await world.db.query(sql`update member set suspended_at = roz_now() where id = ${member}::bigint`)
  expect((await world.decide(id, 'approve')).body.code).toBe('member_on_hold')
  await world.db.query(sql`update member set suspended_at = null where id = ${member}::bigint`)
  expect((await world.decide(id, 'approve')).status).toBe(200)
})

test('the list pages newest first and is searched by state, name and id', async () => {
  const other = await makeMember(world.db, { name: 'Zubin_100%' })
  await world.db.query(sql`select 1`)
  expect(other).toBeGreaterThan(member)
  const ids = [id, await world.withdraw(member), await world.withdraw(member)].reverse()
  const ask = async (query: string) => (await world.calls.ask(`GET /admin/withdrawals?${query}`, { as: world.admin })).body
  const first = await ask('limit=2')
  expect(first.withdrawals.map((one: { id: string }) => one.id)).toEqual(ids.slice(0, 2))
  const second = await ask(`limit=1&cursor=${first.nextCursor}`)
  expect(second.withdrawals.map((one: { id: string }) => one.id)).toEqual(ids.slice(2))
  expect((await ask(`q=${id.replaceAll('-', '')}`)).withdrawals).toMatchObject([{ id, member: { email: expect.stringContaining('@') } }])
  expect((await ask('q=100%25')).withdrawals).toEqual([])
  expect((await ask('status=rejected&limit=100')).withdrawals.every((one: { status: string }) => one.status === 'rejected')).toBe(true)
  expect((await ask('status=unheard')).code).toBe('invalid_input')
})
