/** The name of a UPI ID: asked of its bank with the member's consent, shown to the member and to finance, and never a reason to refuse. */
import { paise } from '@roz/core/money.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { createAttempt } from '../../jobs/parking.ts'
import { makeStaff, type ServedCalls, serveCalls, testSecrets } from '../../testing/calls.ts'
import { logOf, useWalletWorld, waitFor } from '../../testing/wallet-world.ts'
import { createPayouts } from '../payouts/payouts.ts'
import { eraseIdentity } from '../rights/erase.ts'
import { inLatinLetters } from './payee-name.ts'

const world = useWalletWorld()
let portal: ServedCalls
let finance: bigint
beforeAll(async () => {
  const nothing = () => undefined
  const payouts = createPayouts({
    db: world.db,
    attempt: createAttempt({ db: world.db, log: logOf([]) }),
    payouts: undefined,
    gateway: { createRefund: () => Promise.reject(new Error('none')), fetchRefund: () => Promise.resolve(undefined), checkout: undefined },
    secrets: testSecrets,
    approvalAbove: paise(100_000n),
    warn: nothing,
    alarm: nothing,
  })
  portal = await serveCalls(world.db, payouts.handlers)
  finance = await makeStaff(world.db)
})
beforeEach(() => world.reset())
afterAll(() => portal.close())

const NAME = 'Asha Verma'
let made = 0
const freshUpiId = (): string => `asha.v${made++}@okbank`
const bankSays = (upiId: string, said: object) => world.control(`/upi-ids/${upiId}`, said)
const rupeesSentTo = async (upiId: string): Promise<number> =>
  ((await world.look(`/upi-ids/${upiId}`)) as { checks: unknown[] }).checks.length

type Asked = { readonly upiId: string; readonly name?: string; readonly nameCheck?: boolean }
async function withdraw(member: bigint, { upiId, name = NAME, nameCheck = true }: Asked): Promise<string> {
  const body = { amount: 10, upiDetail: { accountHolderName: name, upiId }, nameCheck }
  const { status, body: answer } = await world.calls.ask('POST /wallet/withdraw', { as: member, body })
  expect(status).toBe(200)
  return answer.withdrawal.id
}
const shownTo = async (member: bigint) => {
  const { withdrawals } = (await world.calls.ask('GET /wallet/withdrawals', { as: member })).body
  return withdrawals.map(({ bank }: { bank: { nameMatch: string | null } }) => bank.nameMatch)
}
const shownToFinance = async (id: string) => (await portal.ask(`GET /admin/withdrawals?q=${id}`, { as: finance })).body.withdrawals[0]
/** The next try of failed jobs, without waiting for their backoff and for the pause between two questions. */
async function runAgain(): Promise<void> {
  await world.db.query(sql`update payee_name_check set asked_at = asked_at - interval '2 minutes' where result is null`)
  await world.db.query(sql`update job set due_at = roz_now(), locked_until = null where done_at is null`)
  await world.runDue()
}
const checkOf = (member: bigint) =>
  world.db.query<{ result: string | null; asks: number }>(sql`
    select n.result, n.asks from payee_name_check n join bank_account b on b.id = n.bank_account_id where b.member_id = ${member}::bigint order by b.id`)

describe('with the member’s consent', () => {
  test('the result is shown to the member and to finance, and nothing keeps the name at the bank', async () => {
    const member = await world.funded(30)
    const upiId = freshUpiId()
    await bankSays(upiId, { name: 'VERMA ASHA' })
    const id = await withdraw(member, { upiId })
    await world.runDue()
    expect(await shownTo(member)).toEqual(['match'])
    const { transactions } = (await world.calls.ask('GET /wallet/transactions', { as: member })).body
    expect(transactions[0]).toMatchObject({ description: expect.stringContaining('…@okbank'), nameMatch: 'match' })
    expect((await world.calls.ask(`GET /wallet/transactions/${transactions[0].id}`, { as: member })).body.receipt.nameMatch).toBe('match')
    expect(await shownToFinance(id)).toMatchObject({ flags: ['new_account', 'young_money'], bank: { nameMatch: 'match' } })
    expect(await rupeesSentTo(upiId)).toBe(1)
    const kept = JSON.stringify(await world.db.query(sql`select to_jsonb(n) as n, j.payload, j.last_error from payee_name_check n, job j`))
    expect(kept.toUpperCase()).not.toContain('VERMA')
    expect(world.alarms).toEqual([])
  })

  test.each([
    [{ name: 'RAVI KUMAR' }, 'no_match'],
    [{ status: 'INVALID' }, 'no_such_id'],
  ])('a bank that says %j flags the withdrawal, and refuses nothing', async (said, result) => {
    const member = await world.funded(30)
    const upiId = freshUpiId()
    await bankSays(upiId, said)
    const id = await withdraw(member, { upiId })
    const before = await shownToFinance(id)
    await world.runDue()
    expect(await shownTo(member)).toEqual([result])
    const after = await shownToFinance(id)
    expect(after).toMatchObject({ flags: expect.arrayContaining(['name_mismatch']), bank: { nameMatch: result } })
    const approve = (seen: string) =>
      portal.ask(`POST /admin/withdrawals/${id}/approve`, { as: finance, body: { status: 'requested', seen } })
    // A decision needs a look at the flag.
    expect((await approve(before.seen)).body.code).toBe('changed_since_seen')
    expect((await approve(after.seen)).body.withdrawal.status).toBe('approved')
    expect(world.alarms).toEqual([])
  })

  test('words that nobody knows are not believed, and the operator is told what they were', async () => {
    const member = await world.funded(30)
    const upiId = freshUpiId()
    await bankSays(upiId, { result: 'PERFECT_MATCH' })
    const id = await withdraw(member, { upiId })
    await world.runDue()
    expect(await shownTo(member)).toEqual(['unknown'])
    expect(await shownToFinance(id)).toMatchObject({ flags: ['new_account', 'young_money'], bank: { nameMatch: 'unknown' } })
    expect(world.alarms).toMatchObject([{ said: 'status VALID, result PERFECT_MATCH' }])
    await runAgain()
    expect([await rupeesSentTo(upiId), world.alarms.length]).toEqual([1, 1])
  })

  test('two withdrawals at once to one UPI ID send one rupee, and a later one none', async () => {
    const member = await world.funded(30)
    const upiId = freshUpiId()
    await Promise.all([withdraw(member, { upiId }), withdraw(member, { upiId })])
    await Promise.all([world.runDue(), world.runDue()])
    await runAgain()
    await withdraw(member, { upiId })
    await world.runDue()
    expect([await rupeesSentTo(upiId), await shownTo(member).then((shown) => new Set(shown))]).toEqual([1, new Set(['match'])])
  })
})

test('a question of somebody else about a UPI ID does not replace the question about another name', async () => {
  const [mule, robbed] = [await world.funded(30), await world.funded(30)]
  const upiId = freshUpiId()
  await bankSays(upiId, { name: 'RAVI KUMAR' })
  await withdraw(mule, { upiId, name: 'Ravi Kumar' })
  await world.runDue()
  const id = await withdraw(robbed, { upiId })
  await world.runDue()
  expect([await shownTo(mule), await shownTo(robbed)]).toEqual([['match'], ['no_match']])
  expect((await shownToFinance(id)).flags).toContain('name_mismatch')
})

describe('a UPI ID is sent three rupees in seven days for a member', () => {
  const areFlagged = async (ids: readonly string[]): Promise<boolean[]> =>
    (await Promise.all(ids.map(shownToFinance))).map(({ flags }) => flags.includes('name_not_asked'))
  const laterBy = (days: number) =>
    world.db.query(sql`update payee_name_check set asked_at = asked_at - make_interval(days => ${days}::int)`)
  async function withdrawTo(upiId: string, member: bigint, names: readonly string[]): Promise<string[]> {
    const ids: string[] = []
    for (const name of names) ids.push(await withdraw(member, { upiId, name }))
    return ids
  }

  test('however its name is spelled; finance is warned of the others, until it is asked again later', async () => {
    const member = await world.funded(60)
    const upiId = freshUpiId()
    const ids = await withdrawTo(upiId, member, ['Asha Varma', 'Asha Devi Verma', 'Asha Rao'])
    await Promise.all([world.runDue(), world.runDue()])
    // The limit of a day has passed.
    await laterBy(2)
    const [id = ''] = await withdrawTo(upiId, member, [NAME])
    const before = await shownToFinance(id)
    await world.runDue()
    expect([await rupeesSentTo(upiId), await areFlagged([...ids, id])]).toEqual([3, [false, false, false, true]])
    const approve = { as: finance, body: { status: 'requested', seen: before.seen } }
    expect((await portal.ask(`POST /admin/withdrawals/${id}/approve`, approve)).body.code).toBe('changed_since_seen')
    await laterBy(6)
    const later = await withdraw(member, { upiId })
    await world.runDue()
    expect([await rupeesSentTo(upiId), await areFlagged([id, later])]).toEqual([4, [false, false]])
    expect(world.alarms).toEqual([])
  })

  test('and a stranger who has used theirs up takes none from another member', async () => {
    const [stranger, owner] = [await world.funded(30), await world.funded(30)]
    const upiId = freshUpiId()
    await withdrawTo(upiId, stranger, ['Ab', 'Cd', 'Ef'])
    await world.runDue()
    const id = await withdraw(owner, { upiId })
    await world.runDue()
    expect([await rupeesSentTo(upiId), await areFlagged([id]), await shownTo(owner)]).toEqual([4, [false], ['match']])
  })

  test('and nine for all members, of whom finance is warned of the others', async () => {
    const upiId = freshUpiId()
    const ids: string[] = []
    for (let n = 0; n < 4; n++) ids.push(...(await withdrawTo(upiId, await world.funded(30), ['Ab', 'Cd', 'Ef'])))
    await Promise.all([world.runDue(), world.runDue()])
    await runAgain()
    expect(await rupeesSentTo(upiId)).toBe(9)
    const views = await Promise.all(ids.map(shownToFinance))
    expect(views.filter(({ bank }) => bank.nameMatch === null)).toHaveLength(3)
    expect(await areFlagged(ids)).toEqual(views.map(({ bank }) => bank.nameMatch === null))
  })

  test('also by a check whose answers are lost, which then ends', async () => {
    const member = await world.funded(30)
    const upiId = freshUpiId()
    await withdrawTo(upiId, member, ['Asha Rao', 'Asha Devi'])
    await world.runDue()
    await withdraw(member, { upiId })
    await world.control('/faults', { api: 'error_after_commit' })
    await world.runDue()
    for (let n = 0; n < 3; n++) await runAgain()
    expect([await rupeesSentTo(upiId), (await checkOf(member)).at(-1)]).toEqual([3, { result: 'unknown', asks: 1 }])
    expect(world.alarms).toMatchObject([{ said: 'no answer' }])
  })
})

test('a member’s withdrawals send three rupees a day, to however many UPI IDs they go', async () => {
  const member = await world.funded(60)
  const upiIds = Array.from({ length: 6 }, freshUpiId)
  for (const upiId of upiIds) await withdraw(member, { upiId })
  await Promise.all([world.runDue(), world.runDue(), world.runDue()])
  await runAgain()
  const sent = await Promise.all(upiIds.map(rupeesSentTo))
  expect(sent.reduce((sum, rupees) => sum + rupees, 0)).toBe(3)
  expect((await shownTo(member)).filter((shown: string | null) => shown === null)).toHaveLength(3)
})

test('without consent, for a bank account, for a name in another script, and after the end of the withdrawal nobody is asked', async () => {
  const member = await world.funded(30)
  const [silent, hindi, ended] = [freshUpiId(), freshUpiId(), freshUpiId()]
  const unasked = [await withdraw(member, { upiId: silent, nameCheck: false }), await withdraw(member, { upiId: hindi, name: 'आशा वर्मा' })]
  const id = await withdraw(member, { upiId: ended })
  await portal.ask(`POST /admin/withdrawals/${id}/reject`, { as: finance, body: { status: 'requested', reason: 'Not this one' } })
  const other = await world.funded(10)
  expect((await world.withdraw(other, 10)).status).toBe(200)
  await world.runDue()
  expect(await Promise.all([silent, hindi, ended].map(rupeesSentTo))).toEqual([0, 0, 0])
  expect([await shownTo(member), await shownTo(other)]).toEqual([[null, null, null], [null]])
  for (const each of unasked) expect((await shownToFinance(each)).flags).toContain('name_not_asked')
})

describe('while the bank is asked', () => {
  /** Runs the due work until the gateway has answered, and does something before the answer arrives. */
  async function meanwhile(act: () => Promise<unknown>): Promise<void> {
    let arrive = (): void => undefined
    let waiting = 0
    const held = new Promise<void>((resolve) => {
      arrive = resolve
    })
    world.holdNames = () => {
      waiting++
      return held
    }
    const running = world.runDue()
    await waitFor('the gateway’s answer', () => Promise.resolve(waiting > 0))
    await act()
    arrive()
    await running
    world.holdNames = undefined
  }

  test('a member who changes the UPI ID gets a result of each', async () => {
    const member = await world.funded(30)
    const [first, second] = [freshUpiId(), freshUpiId()]
    await bankSays(first, { name: 'RAVI KUMAR' })
    await withdraw(member, { upiId: first })
    await meanwhile(() => withdraw(member, { upiId: second }))
    await runAgain()
    // Newest first.
    expect(await shownTo(member)).toEqual(['match', 'no_match'])
  })

  test('a member who deletes the account leaves nothing', async () => {
    const member = await world.funded(30)
    const upiId = freshUpiId()
    await withdraw(member, { upiId })
    await meanwhile(() => inTransaction(world.db, (tx) => eraseIdentity(tx, member)))
    expect([await rupeesSentTo(upiId), await checkOf(member)]).toEqual([1, []])
    await runAgain()
    expect([await rupeesSentTo(upiId), await checkOf(member)]).toEqual([1, []])
  })
})

describe('a gateway in trouble', () => {
  test('loses answers: a rupee each, three at most, then the result is unknown', async () => {
    const member = await world.funded(30)
    const upiId = freshUpiId()
    await withdraw(member, { upiId })
    await world.control('/faults', { api: 'error_after_commit' })
    await world.runDue()
    expect(await checkOf(member)).toEqual([{ result: null, asks: 1 }])
    // Too early: the question may still be under way.
    await world.db.query(sql`update job set due_at = roz_now(), locked_until = null where done_at is null`)
    await world.runDue()
    expect(await checkOf(member)).toEqual([{ result: null, asks: 1 }])
    for (let n = 0; n < 4; n++) await runAgain()
    expect([await rupeesSentTo(upiId), await checkOf(member)]).toEqual([3, [{ result: 'unknown', asks: 3 }]])
    expect(world.alarms).toMatchObject([{ said: expect.stringMatching(/^Status 500 for POST \/upi\/penny-drop/) }])
  })

  test('answers in another shape, which is named', async () => {
    const member = await world.funded(30)
    await withdraw(member, { upiId: freshUpiId() })
    await world.control('/faults', { edge: 'other_shape' })
    await world.runDue()
    for (let n = 0; n < 3; n++) await runAgain()
    expect(await shownTo(member)).toEqual(['unknown'])
    expect(world.alarms).toMatchObject([{ said: expect.stringMatching(/Unexpected body .*verification_id/) }])
  })

  test('a process that dies after the third question ends the check later', async () => {
    const member = await world.funded(30)
    const upiId = freshUpiId()
    await withdraw(member, { upiId })
    await world.db.query(sql`
      insert into payee_name_check (bank_account_id, asks, asked_at) select id, 3, roz_now() - interval '2 minutes' from bank_account where member_id = ${member}::bigint`)
    await world.runDue()
    expect([await rupeesSentTo(upiId), await checkOf(member)]).toEqual([0, [{ result: 'unknown', asks: 3 }]])
  })

  test('asks for a pause, or refuses our keys: the question does not count, and is asked again', async () => {
    const member = await world.funded(30)
    const upiId = freshUpiId()
    await withdraw(member, { upiId })
    await world.control('/faults', { api: 'rate_limit' })
    await world.runDue()
    for (let n = 0; n < 4; n++) await runAgain()
    expect(await checkOf(member)).toEqual([{ result: null, asks: 0 }])
    await world.control('/faults', {})
    await runAgain()
    expect([await rupeesSentTo(upiId), await checkOf(member)]).toEqual([1, [{ result: 'match', asks: 1 }]])
    const { left } = await world.db.one<{ left: number }>(
      sql`select count(*)::int as left from job where kind = 'check_payee_name' and done_at is null`,
    )
    expect([left, world.alarms]).toEqual([0, []])
  })
})

test.each([
  ['Asha  Verma', 'Asha Verma'],
  ['Áshā O’Neil, 2', 'Asha O Neil'],
  ["D'Souza R.", "D'Souza R."],
  ['आशा वर्मा', undefined],
  ['Asha वर्मा', undefined],
  ['42', undefined],
])('the bank is asked for %s as %s', (name, asked) => {
  expect(inLatinLetters(name)).toBe(asked)
})
