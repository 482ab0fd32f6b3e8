/** A payment by hand that came back, or never left, returns to the member: by the bank's statement where one is imported. */
import { randomUUID } from 'node:crypto'
import { addDays, isoIst, startOfDayMs } from '@roz/core/ist-day.ts'
import { wholeRupees } from '@roz/core/money.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { closeWallet } from '../../ledger/closing.ts'
import { addMoney, DAY } from '../../ledger/testing/fixtures.ts'
import { voidVoices } from '../../ledger/voices-that-left.ts'
import { bookPayout } from '../../ledger/withdrawals.ts'
import { readWallet } from '../../ledger/wallets.ts'
import { makeMember, makeStaff } from '../../testing/calls.ts'
import { noticesTo } from '../../testing/notices.ts'
import { openServicesWorld, type ServicesWorld } from '../../testing/services-world.ts'
import { BANK } from '../../testing/wallet-world.ts'
import { readTodo } from '../desk/todo.ts'
import { type Line, statementText } from '../../testing/statement.ts'
import { HDFC } from '../accounts/bank/testing/samples.ts'

let world: ServicesWorld
let db: ServicesWorld['database']['db']
let ravi: bigint
let sunita: bigint
beforeAll(async () => {
  world = await openServicesWorld({ payouts: undefined, settings: { APPROVAL_ABOVE: '1000' } })
  db = world.database.db
  ravi = await makeStaff(db)
  sunita = await makeStaff(db)
})
afterAll(() => world.close())

const ask = (as: bigint, call: string, body: object = {}) => world.calls.ask(call, { as, body })
const decide = (id: string, what: string, body: object, as = ravi) => ask(as, `POST /admin/withdrawals/${id}/${what}`, body)
const cameBack = (id: string, line: string | null = null, as = ravi) =>
  decide(id, 'came-back', { status: 'paid', reason: 'The bank returned it', line }, as)
const owners: Record<string, bigint> = {}
const ownerOf = (id: string): bigint => owners[id] as bigint
const balanceOf = async (id: string): Promise<number> => Number((await readWallet(db, ownerOf(id)))?.balance) / 100

let numbers = 0
/** A withdrawal of all of a member's money, paid by Ravi's hand; or he was shown the account alone. */
async function paidByHand(rupees: number, until: 'paid' | 'shown' = 'paid'): Promise<{ readonly id: string; readonly utr: string }> {
  const member = await makeMember(db)
  await addMoney(db, member, wholeRupees(rupees))
  const { id } = (await ask(member, 'POST /wallet/withdraw', { amount: rupees, bankDetail: BANK })).body.withdrawal
  owners[id] = member
  // A second voice where the first is not enough.
  if ((await decide(id, 'approve', { status: 'requested' })).body.withdrawal.status === 'awaiting_second')
    await decide(id, 'approve', { status: 'awaiting_second' }, sunita)
  await decide(id, 'bank', { status: 'approved' })
  const utr = `UTR70000000${++numbers}`
  if (until === 'shown') return { id, utr }
  expect((await decide(id, 'complete', { status: 'approved', bankReference: utr })).body.withdrawal.status).toBe('paid')
  return { id, utr }
}
/** Lets the decisions of one person of the last day count no more. */
const tomorrow = (): Promise<unknown> => db.query(sql`select set_clock_offset((select offset_ms from clock_offset) + 25::bigint * 3600000)`)

test('up to the limit one person gives it back, and the member is told', async () => {
  const { id } = await paidByHand(100)
  expect(await balanceOf(id)).toBe(0)
  expect((await decide(id, 'came-back', { status: 'paid', reason: ' ', line: null })).body.fields).toHaveProperty('reason')
  expect((await cameBack(id)).body.withdrawal).toMatchObject({ status: 'reversed', reason: 'The bank returned it', returnFirst: null })
  expect(await balanceOf(id)).toBe(100)
  expect((await noticesTo(db, ownerOf(id))).map(({ kind }) => kind)).toContain('withdrawal_returned')
  expect((await cameBack(id)).body.code).toBe('changed_since_seen')
  expect((await decide(id, 'came-back', { status: 'reversed', reason: 'Again', line: null })).body.code).toBe('withdrawal_final')
})

test('a payment of the gateway comes back by its own answer only', async () => {
  const member = await makeMember(db)
  await addMoney(db, member, wholeRupees(10))
  const { id } = (await ask(member, 'POST /wallet/withdraw', { amount: 10, bankDetail: BANK })).body.withdrawal
  await inTransaction(db, (tx) => bookPayout(tx, { id, word: 'paid' }))
  expect((await cameBack(id)).body.code).toBe('payouts_by_gateway')
})

test('above the limit two persons say so, and of many at once it is given back once', async () => {
  await tomorrow()
  const { id } = await paidByHand(1500)
  const waits = async (as: bigint) =>
    (await world.calls.ask('GET /admin/withdrawals?status=to_second', { as })).body.withdrawals.map((one: { id: string }) => one.id)
  expect((await cameBack(id)).body.withdrawal).toMatchObject({ status: 'paid', returnFirst: { id: expect.any(String) } })
  expect(await balanceOf(id)).toBe(0)
  expect((await cameBack(id)).body.code).toBe('second_person_needed')
  expect([await waits(ravi), await waits(sunita)]).toEqual([[], [id]])
  const answers = await Promise.all([1, 2, 3].map(() => cameBack(id, null, sunita)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
  expect([await balanceOf(id), await waits(sunita)]).toEqual([1500, []])
})

test('a first word ends with the role of its person, and lapses after seven days', async () => {
  await tomorrow()
  const { id } = await paidByHand(1500)
  const meera = await makeStaff(db)
  const waits = async () =>
    (await world.calls.ask('GET /admin/withdrawals?status=to_second', { as: sunita })).body.withdrawals.map((one: { id: string }) => one.id)
  await cameBack(id, null, meera)
  expect(await waits()).toEqual([id])
  await inTransaction(db, async (tx) => {
    await tx.query(sql`update member set deleted_at = roz_now(), email = null where id = ${meera}::bigint`)
    await voidVoices(tx, meera, sunita)
  })
  expect([await waits(), (await cameBack(id)).body.withdrawal.returnFirst?.id]).toEqual([[], expect.any(String)])
  const listed = async () =>
    (await readTodo(db, { viewer: { memberId: sunita, staffRole: 'finance' }, payoutsByHand: true })).find(
      ({ code }) => code === 'withdrawals_second',
    )
  // It waits since the first word, not since the withdrawal.
  const said = (await db.one<{ at: Date }>(sql`select return_first_at as at from withdrawal where id = ${id}::uuid`)).at
  expect(await listed()).toMatchObject({ count: 1, oldest: isoIst(said.getTime()) })
  await db.query(sql`select set_clock_offset((select offset_ms from clock_offset) + 7::bigint * 86400000)`)
  expect([await waits(), await listed()]).toEqual([[], undefined])
  // So Sunita's is the first one now.
  expect((await cameBack(id, null, sunita)).body.withdrawal).toMatchObject({ status: 'paid', returnFirst: { id: expect.any(String) } })
  expect((await cameBack(id)).body.withdrawal.status).toBe('reversed')
})

test('whoever pays friends and takes it back is stopped by the limit of a day', async () => {
  await tomorrow()
  const first = await paidByHand(300)
  const second = await paidByHand(300)
  expect((await cameBack(first.id)).body.withdrawal.status).toBe('reversed')
  // Two approvals of ₹300 and one return of ₹300: another ₹300 is above ₹1,000.
  expect((await cameBack(second.id)).body.withdrawal).toMatchObject({ status: 'paid', returnFirst: { id: expect.any(String) } })
})

const shownToRavi = async (rupees: number): Promise<string> => (await paidByHand(rupees, 'shown')).id
const notPaid = (id: string, as = ravi) => decide(id, 'not-paid', { status: 'approved', reason: 'The bank did not take it' }, as)

test('whoever pays friends and says that it was not paid is stopped by the limit of a day', async () => {
  await tomorrow()
  const first = await shownToRavi(300)
  const second = await shownToRavi(300)
  expect((await notPaid(first)).body.withdrawal.status).toBe('rejected')
  expect((await notPaid(second)).body.withdrawal).toMatchObject({ status: 'approved', returnFirst: { id: expect.any(String) } })
  expect([await balanceOf(first), await balanceOf(second)]).toEqual([300, 0])
})

test('above the limit somebody else confirms that it was not paid; that word is no return once it was paid', async () => {
  await tomorrow()
  const id = await shownToRavi(1500)
  const waits = async (as: bigint) =>
    (await world.calls.ask(`GET /admin/withdrawals?status=to_second&q=${id}`, { as })).body.withdrawals.map((one: { id: string }) => one.id)
  // Only who was shown the account may say so first.
  expect((await notPaid(id, sunita)).body.code).toBe('being_paid_by_hand')
  expect((await notPaid(id)).body.withdrawal).toMatchObject({ status: 'approved', returnFirst: { id: expect.any(String) } })
  expect([(await notPaid(id)).body.code, await waits(ravi), await waits(sunita)]).toEqual(['second_person_needed', [], [id]])
  const answers = await Promise.all([1, 2].map(() => notPaid(id, sunita)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  expect([await balanceOf(id), await waits(sunita)]).toEqual([1500, []])

  const paid = await shownToRavi(1500)
  await notPaid(paid)
  const done = await decide(paid, 'complete', { status: 'approved', bankReference: 'UTR7000000099' })
  expect(done.body.withdrawal).toMatchObject({ status: 'paid', returnFirst: null })
  expect((await cameBack(paid, null, sunita)).body.withdrawal).toMatchObject({ status: 'paid', returnFirst: { id: expect.any(String) } })
  expect(await balanceOf(paid)).toBe(0)
})

test('the money of a closed account waits in suspense, to be paid again', async () => {
  await tomorrow()
  const { id } = await paidByHand(20)
  await inTransaction(db, async (tx) => {
    await closeWallet(tx, ownerOf(id))
    await tx.query(sql`update member set deleted_at = roz_now(), email = null, name = 'Closed account' where id = ${ownerOf(id)}::bigint`)
  })
  expect((await cameBack(id)).body.withdrawal.status).toBe('reversed')
  const item = await db.one<{ id: bigint }>(sql`select id from suspense_item where payment_id = ${`wd_reversed:${id}`}::text`)
  const again = { status: 'open', bankReference: 'UTR0000000099' }
  expect((await ask(ravi, `POST /admin/suspense/${item.id}/pay`, again)).body.item.status).toBe('paid')
})

test('nobody gives their own money back', async () => {
  const { id } = await paidByHand(10)
  await db.query(sql`update member set email = 'sunita.n+w@example.org' where id = ${ownerOf(id)}::bigint`)
  await db.query(sql`update member set email = 'sunita.n@example.org' where id = ${sunita}::bigint`)
  expect(await cameBack(id, null, sunita)).toMatchObject({ status: 403, body: { code: 'own_money' } })
})

/** From here on a statement is imported: no test above this line has one. */
const account = randomUUID()
const statement: Line[] = []
const today = async () => (await db.one<{ day: string }>(sql`select ist_day(roz_now())::text as day`)).day as typeof DAY
const atBank = async (words: string, rupees: number): Promise<void> =>
  void statement.push({ day: await today(), amount: BigInt(rupees) * 100n, words })
async function importToNow(): Promise<void> {
  const until = await today()
  await world.database.setClock(new Date(startOfDayMs(addDays(until, 1)) + 12 * 3_600_000))
  const send = (where: string) => {
    const form = new FormData()
    form.set('file', new Blob([statementText(statement, 0n)], { type: 'text/csv' }), 'statement.csv')
    return world.calls.ask(`POST /admin/bank-accounts/${account}/${where}`, { as: ravi, form })
  }
  const body = { name: 'Current account', lastFour: '8901', mapping: HDFC }
  await world.calls.ask(`PUT /admin/bank-accounts/${account}`, { as: ravi, body })
  expect((await send(`import?until=${until}&seen=${(await send('preview')).body.seen}`)).status).toBe(200)
}
const openLines = async (rupees: number): Promise<readonly string[]> =>
  (await world.calls.ask('GET /admin/bank-lines?status=open&limit=100', { as: ravi })).body.lines
    .filter(({ amount }: { amount: number }) => amount === rupees)
    .map(({ id }: { id: string }) => id)
const findings = async (): Promise<object[]> =>
  (await world.calls.ask('GET /admin/findings', { as: ravi })).body.findings.filter(({ kind }: { kind: string }) =>
    kind.startsWith('bank_'),
  )
const findingsOf = async (words: string): Promise<object[]> => (await findings()).filter((one) => JSON.stringify(one).includes(words))

test('with a statement the line of the return is needed, and becomes the return’s', async () => {
  const { id, utr } = await paidByHand(110)
  const another = await paidByHand(110)
  await atBank(`NEFT DR ${utr}`, -110)
  await atBank('NEFT RETURN ACCOUNT CLOSED', 110)
  await atBank('CASH', 111)
  await importToNow()
  const [line = ''] = await openLines(110)
  expect(await findingsOf(line)).toHaveLength(1)
  expect(await cameBack(id)).toMatchObject({
    status: 409,
    body: { code: 'bank_line_needed', message: expect.stringContaining('choose the line by which the money came back') },
  })
  const [other = ''] = await openLines(111)
  for (const wrong of [other, randomUUID(), 'x']) expect((await cameBack(id, wrong)).body.code).toBe('bank_match_refused')
  expect(await balanceOf(id)).toBe(0)
  // One line is one return: the friend of an insider gets nothing by the line of another payment.
  const answers = await Promise.all([cameBack(id, line), cameBack(another.id, line)])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  const returned = answers[0]?.status === 200 ? id : another.id
  expect(await balanceOf(returned)).toBe(110)
  const shown = (await world.calls.ask(`GET /admin/bank-lines?limit=100`, { as: ravi })).body.lines.find(
    (one: { id: string }) => one.id === line,
  )
  expect(shown).toMatchObject({ status: 'decided', subject: `wd_reversed:${returned}` })
  await world.services.worker.runDue()
  expect(await findingsOf(line)).toEqual([])
})

test('a line by which a member added money is no return', async () => {
  const { id, utr } = await paidByHand(120)
  await db.query(sql`
    insert into bank_transfer_order (order_id, reference, amount, expires_at)
    values (${randomUUID().replaceAll('-', '')}::text, 'RZAB2CD3EF', 12000, roz_now() + interval '10 days')`)
  await atBank(`NEFT DR ${utr}`, -120)
  await atBank('NEFT CR RZ-AB2CD-3EF ASHA', 120)
  await importToNow()
  const [line = ''] = await openLines(120)
  expect((await cameBack(id, line)).body.code).toBe('bank_match_refused')
})

test('a payment that never left needs no line, once the statement has the day after it and not the payment', async () => {
  const never = await paidByHand(130)
  const left = await paidByHand(140)
  await atBank('CHEQUE 7', -140)
  await importToNow()
  // The statement ends with the day of the payment: it may still come.
  expect((await cameBack(never.id)).body.code).toBe('bank_line_needed')
  await atBank('CASH', 1)
  await importToNow()
  expect((await cameBack(left.id)).body.code).toBe('bank_line_needed')
  const [cheque = ''] = await openLines(-140)
  const matched = { status: 'open', subject: `wd_paid:${left.id}` }
  expect((await ask(ravi, `POST /admin/bank-lines/${cheque}/match`, matched)).status).toBe(200)
  expect((await cameBack(never.id)).body.withdrawal.status).toBe('reversed')
  expect(await balanceOf(never.id)).toBe(130)
})

test('a larger debit may hold the payment with others, until somebody closes it with a reason', async () => {
  const { id } = await paidByHand(150)
  await atBank('BULK PAYMENT 3 PAYEES', -410)
  await atBank('CASH', 2)
  await importToNow()
  await atBank('CASH', 3)
  await importToNow()
  expect((await cameBack(id)).body.code).toBe('bank_line_needed')
  const [line = ''] = await openLines(-410)
  const [finding] = (await findingsOf(line)) as [{ id: string; seen: string }]
  expect((await ask(ravi, `POST /admin/findings/${finding.id}/close`, { status: 'open', seen: finding.seen, reason: 'Rent' })).status).toBe(
    200,
  )
  expect((await cameBack(id)).body.withdrawal.status).toBe('reversed')
})

test('a line that was closed with a reason is offered, and may be the return', async () => {
  await tomorrow()
  const { id, utr } = await paidByHand(160)
  await atBank(`NEFT DR ${utr}`, -160)
  await atBank('NEFT RETURN', 160)
  await importToNow()
  const [line = ''] = await openLines(160)
  const [finding] = (await findingsOf(line)) as [{ id: string; seen: string }]
  await ask(ravi, `POST /admin/findings/${finding.id}/close`, { status: 'open', seen: finding.seen, reason: 'Nobody knows' })
  expect(await openLines(160)).toEqual([])
  const offered = async (of: string) => (await world.calls.ask(`GET /admin/bank-lines?returnOf=${of}&limit=100`, { as: ravi })).body.lines
  expect(await offered(id)).toMatchObject([{ id: line, status: 'closed' }])
  expect([await offered(randomUUID()), await offered('x')]).toEqual([[], []])
  expect((await cameBack(id, line)).body.withdrawal.status).toBe('reversed')
  expect(await offered(id)).toEqual([])
})

const linesOf = async (rupees: number): Promise<readonly string[]> =>
  (await world.calls.ask('GET /admin/bank-lines?limit=100', { as: ravi })).body.lines
    .filter(({ amount }: { amount: number }) => amount === rupees)
    .map(({ id }: { id: string }) => id)
const match = async (line: string, status: string, subject: string | null): Promise<void> =>
  expect((await ask(ravi, `POST /admin/bank-lines/${line}/match`, { status, subject })).status).toBe(200)

test('whoever took a line from another entry proves no return with it', async () => {
  await tomorrow()
  const [first, second] = [await paidByHand(180), await paidByHand(180)]
  for (const { utr } of [first, second]) await atBank(`NEFT DR ${utr}`, -180)
  await atBank('NEFT RETURN', 180)
  await importToNow()
  const [line = ''] = await openLines(180)
  expect((await cameBack(first.id, line)).body.withdrawal.status).toBe('reversed')
  await match(line, 'decided', null)
  expect((await cameBack(second.id, line)).body.code).toBe('bank_match_refused')
  expect(await balanceOf(second.id)).toBe(0)
  // Another person judges what it is.
  expect((await cameBack(second.id, line, sunita)).body.withdrawal.status).toBe('reversed')
})

test('whoever matched a debit of the amount with another payment does not say that this one never left', async () => {
  await tomorrow()
  const [left, other] = [await paidByHand(190), await paidByHand(190)]
  await atBank(`NEFT DR ${left.utr}`, -190)
  await importToNow()
  await atBank('CASH', 6)
  await importToNow()
  const [debit = ''] = await linesOf(-190)
  await match(debit, 'matched', null)
  await match(debit, 'open', `wd_paid:${other.id}`)
  expect((await cameBack(left.id)).body.code).toBe('bank_line_needed')
  expect(await balanceOf(left.id)).toBe(0)
})

test('every account’s statement must have the days of the payment: another one may have paid', async () => {
  await tomorrow()
  const { id } = await paidByHand(170)
  await db.query(sql`
    insert into statement_account (id, name, last_four, mapping, opening, first_day, closing, last_day, complete_until, lines)
    select gen_random_uuid(), 'Savings', '8902', mapping, 0, ist_day(roz_now()) + 1, 0, ist_day(roz_now()) + 1, ist_day(roz_now()) + 9, 1 from statement_account limit 1`)
  await atBank('CASH', 4)
  await importToNow()
  await atBank('CASH', 5)
  await importToNow()
  expect((await cameBack(id)).body.code).toBe('bank_line_needed')
})
