/** How a withdrawal ends: by which party, in which order, and how every contradiction is booked. */
import { randomUUID } from 'node:crypto'
import { wholeRupees } from '@roz/core/money.ts'
import { beforeAll, expect, test } from 'vitest'
import { sql, violatedConstraint } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { useTestDatabase } from '../testing/database.ts'
import { APPROVER, giveAccounts, makeApprover, newMember } from './testing/fixtures.ts'
import { readWallet } from './wallets.ts'
import {
  approveWithdrawal,
  bookPayout,
  completeWithdrawal,
  holdWithdrawal,
  type PayoutWord,
  rejectWithdrawal,
  showAccount,
  startSending,
  stopSending,
  type WithdrawalStatus,
} from './withdrawals.ts'

const database = useTestDatabase({ connectionsMax: 20 })
beforeAll(async () => {
  await makeApprover(database.db)
})

const approve = (id: string) => inTransaction(database.db, (tx) => approveWithdrawal(tx, id, APPROVER))
const send = (id: string, again = false) => inTransaction(database.db, (tx) => startSending(tx, id, { again }))
const reject = (id: string) => inTransaction(database.db, (tx) => rejectWithdrawal(tx, { id, reason: 'no' }))
const show = (id: string) => inTransaction(database.db, (tx) => showAccount(tx, { id, by: 1n }))
const complete = (id: string) => inTransaction(database.db, (tx) => completeWithdrawal(tx, { id, by: 1n, reference: 'UTR1' }))
const tell = (id: string, word: PayoutWord) =>
  inTransaction(database.db, (tx) => bookPayout(tx, { id, word, reference: 'UTR9', reason: word }))

/** A withdrawal of ₹10 out of ₹30, brought to a state. */
async function withdrawalIn(status: WithdrawalStatus): Promise<{ id: string; memberId: bigint }> {
  const memberId = await newMember(database.db, { rupees: 30 })
  const id = randomUUID()
  await inTransaction(database.db, (tx) => holdWithdrawal(tx, { id, memberId, amount: wholeRupees(10), bankAccountId: 1n }))
  if (status === 'rejected') await reject(id)
  if (status === 'requested' || status === 'rejected') return { id, memberId }
  await approve(id)
  if (status === 'approved') return { id, memberId }
  await send(id)
  if (status === 'paid' || status === 'reversed') await tell(id, 'paid')
  if (status === 'failed') await tell(id, 'failed')
  if (status === 'reversed') await tell(id, 'reversed')
  expect((await rowOf(id)).status).toBe(status)
  return { id, memberId }
}
const rowOf = (id: string) =>
  database.db.one<{ status: WithdrawalStatus; reference: string | null; reason: string | null; flags: string[]; problem: string | null }>(
    sql`select status, reference, reason, flags, problem from withdrawal where id = ${id}::uuid`,
  )
const losses = async (id: string): Promise<bigint> =>
  (
    await database.db.one<{ lost: bigint }>(sql`
      select coalesce(sum(case kind when 'wd_conflict' then amount else -amount end), 0)::bigint as lost
            from transfer where kind in ('wd_conflict', 'wd_conflict_back') and ref like ${`${id}%`}::text`)
  ).lost

type Case = readonly [from: WithdrawalStatus, word: PayoutWord, result: string, to: WithdrawalStatus, balance: bigint, contradicts: boolean]
const CASES: readonly Case[] = [
  ['sending', 'paid', 'paid', 'paid', 2000n, false],
  ['sending', 'failed', 'failed', 'failed', 3000n, false],
  ['sending', 'reversed', 'failed', 'failed', 3000n, false],
  ['requested', 'paid', 'paid', 'paid', 2000n, true],
  ['approved', 'paid', 'paid', 'paid', 2000n, true],
  ['approved', 'failed', 'failed', 'failed', 3000n, true],
  ['paid', 'paid', 'unchanged', 'paid', 2000n, false],
  ['paid', 'reversed', 'reversed', 'reversed', 3000n, false],
  ['paid', 'failed', 'reversed', 'reversed', 3000n, true],
  ['rejected', 'failed', 'unchanged', 'rejected', 3000n, false],
  ['rejected', 'paid', 'conflict', 'rejected', 3000n, true],
  ['failed', 'failed', 'unchanged', 'failed', 3000n, false],
  ['failed', 'paid', 'conflict', 'failed', 3000n, true],
  ['reversed', 'reversed', 'unchanged', 'reversed', 3000n, false],
  ['reversed', 'paid', 'conflict', 'reversed', 3000n, true],
]
test.each(CASES)('a %s withdrawal that the gateway reports as %s is booked as %s', async (from, word, result, to, balance, contradicts) => {
  const { id, memberId } = await withdrawalIn(from)
  expect(await tell(id, word)).toMatchObject({ memberId, amount: 1000n, result, contradicts })
  expect((await rowOf(id)).status).toBe(to)
  expect(await readWallet(database.db, memberId)).toMatchObject({ balance, held: 0n })
  expect(await losses(id)).toBe(result === 'conflict' ? 1000n : 0n)
  // The same word again books nothing.
  expect(await tell(id, word)).toMatchObject({ result: 'unchanged' })
  expect(await losses(id)).toBe(result === 'conflict' ? 1000n : 0n)
})

test('a loss ends when the money comes back, and begins again when the money leaves again', async () => {
  const { id, memberId } = await withdrawalIn('failed')
  const results: unknown[] = []
  const flagged: number[] = []
  for (const word of ['paid', 'paid', 'failed', 'failed', 'paid', 'reversed', 'paid'] as const) {
    results.push((await tell(id, word))?.result)
    flagged.push((await rowOf(id)).flags.length)
  }
  expect(flagged).toEqual([1, 1, 0, 0, 1, 0, 1])
  expect(results).toEqual(['conflict', 'unchanged', 'conflict_back', 'unchanged', 'conflict', 'conflict_back', 'conflict'])
  expect([await losses(id), (await rowOf(id)).flags]).toEqual([1000n, ['gateway_conflict']])
  expect(await readWallet(database.db, memberId)).toMatchObject({ balance: 3000n, held: 0n })
})

/** The member sets the approver's phone, after the approval. */
async function takeApproversPhone(memberId: bigint): Promise<void> {
  await giveAccounts(database.db, [memberId])
  await database.db.query(sql`update member set phone = '9812345670' where id = any(array[${APPROVER.by}::bigint, ${memberId}::bigint])`)
}

test.each([
  ['sending', 'paid', 2000n],
  ['sending', 'failed', 3000n],
  ['paid', 'reversed', 3000n],
] as const)('the phone of a member that became the approver’s refuses no final word: %s, then %s', async (from, word, balance) => {
  const { id, memberId } = await withdrawalIn(from)
  await takeApproversPhone(memberId)
  expect(await tell(id, word)).toMatchObject({ result: word, contradicts: false })
  expect(await rowOf(id)).toMatchObject({ status: word })
  expect(await readWallet(database.db, memberId)).toMatchObject({ balance, held: 0n })
})

test('an approved withdrawal whose member took the approver’s phone can be sent, declined and rejected', async () => {
  const { id, memberId } = await withdrawalIn('approved')
  await takeApproversPhone(memberId)
  expect(await send(id)).toBe(true)
  await inTransaction(database.db, (tx) => stopSending(tx, id, 'bank_ifsc_invalid'))
  expect(await reject(id)).toMatchObject({ ok: true })
  expect(await readWallet(database.db, memberId)).toMatchObject({ balance: 3000n, held: 0n })
})

test('a word or decision about an unknown withdrawal changes nothing', async () => {
  expect(await tell(randomUUID(), 'paid')).toBeUndefined()
  expect(await approve(randomUUID())).toEqual({ ok: false, code: 'withdrawal_not_found' })
})

test('only the gateway ends a withdrawal after the sending', async () => {
  const { id } = await withdrawalIn('sending')
  for (const ended of [await approve(id), await reject(id), await complete(id)])
    expect(ended).toEqual({ ok: false, code: 'withdrawal_final' })
  expect([await send(id), await send(id, true)]).toEqual([false, true])
})

test('only an approved withdrawal is paid by hand, and it keeps the reference of the bank', async () => {
  const asked = await withdrawalIn('requested')
  expect(await complete(asked.id)).toEqual({ ok: false, code: 'withdrawal_not_approved' })
  const { id, memberId } = await withdrawalIn('approved')
  expect(await complete(id)).toEqual({ ok: false, code: 'bank_not_shown' })
  expect(await show(id)).toMatchObject({ ok: true })
  expect(await complete(id)).toMatchObject({ ok: true })
  expect(await rowOf(id)).toMatchObject({ status: 'paid', reference: 'UTR1' })
  expect(await complete(id)).toEqual({ ok: false, code: 'withdrawal_final' })
  expect(await readWallet(database.db, memberId)).toMatchObject({ balance: 2000n, held: 0n })
})

test.each(['paid', 'failed', 'reversed'] as const)('%s by the gateway gives back nothing that was paid by hand', async (word) => {
  const { id, memberId } = await withdrawalIn('approved')
  await show(id)
  // The person may have paid already.
  if (word !== 'paid') expect(await tell(id, word)).toMatchObject({ result: 'unchanged', contradicts: true })
  expect(await complete(id)).toMatchObject({ ok: true })
  for (let times = 0; times < 2; times++) expect(await tell(id, word)).toMatchObject({ result: 'unchanged', contradicts: true })
  expect(await rowOf(id)).toMatchObject({ status: 'paid', reference: 'UTR1', flags: word === 'paid' ? ['gateway_conflict'] : [] })
  // What the gateway paid beside it came back.
  await tell(id, 'reversed')
  expect((await rowOf(id)).flags).toEqual([])
  expect(await readWallet(database.db, memberId)).toMatchObject({ balance: 2000n, held: 0n })
})

test('a payment of the gateway after the account was shown, or typed with its number, comes back by its word', async () => {
  const told = await withdrawalIn('approved')
  await show(told.id)
  expect(await tell(told.id, 'paid')).toMatchObject({ result: 'paid', contradicts: true })
  const typed = await withdrawalIn('approved')
  await show(typed.id)
  await inTransaction(database.db, (tx) => completeWithdrawal(tx, { id: typed.id, by: 1n, reference: 'utr-9' }))
  for (const { id, memberId } of [told, typed]) {
    expect(await tell(id, 'paid')).toMatchObject({ result: 'unchanged', contradicts: false })
    expect(await tell(id, 'reversed')).toMatchObject({ result: 'reversed' })
    expect(await readWallet(database.db, memberId)).toMatchObject({ balance: 3000n, held: 0n })
  }
})

test('a withdrawal that the gateway declined stays approved with the reason, and can be rejected', async () => {
  const { id, memberId } = await withdrawalIn('sending')
  await inTransaction(database.db, (tx) => stopSending(tx, id, 'bank_ifsc_invalid'))
  expect(await rowOf(id)).toMatchObject({ status: 'approved', problem: 'bank_ifsc_invalid' })
  expect(await reject(id)).toMatchObject({ ok: true })
  await inTransaction(database.db, (tx) => stopSending(tx, id, 'late'))
  expect((await rowOf(id)).status).toBe('rejected')
  expect(await readWallet(database.db, memberId)).toMatchObject({ balance: 3000n, held: 0n })
})

test('an approval and a rejection at the same time leave the money either held or given back', async () => {
  for (let round = 0; round < 10; round++) {
    const { id, memberId } = await withdrawalIn('requested')
    const first = round % 2 === 0 ? approve(id) : undefined
    const rejecting = reject(id)
    const [approved, rejected] = await Promise.all([first ?? approve(id), rejecting])
    const { status } = await rowOf(id)
    // A rejection may still follow the approval, never the other way round.
    if (status === 'rejected') expect(rejected).toMatchObject({ ok: true })
    else expect([approved, rejected, status]).toMatchObject([{ ok: true }, { ok: false }, 'approved'])
    const held = status === 'rejected' ? 0n : 1000n
    expect(await readWallet(database.db, memberId)).toMatchObject({ balance: 3000n - held, held })
  }
})

test('a rejection and a sending at the same time: only one of them takes effect', async () => {
  for (let round = 0; round < 10; round++) {
    const { id } = await withdrawalIn('approved')
    const [sent, rejected] = await Promise.all([send(id), reject(id)])
    expect([sent, rejected.ok].filter(Boolean)).toHaveLength(1)
    expect((await rowOf(id)).status).toBe(sent ? 'sending' : 'rejected')
  }
})

test('approvals at the same time take effect once', async () => {
  const { id } = await withdrawalIn('requested')
  const outcomes = await Promise.all([1, 2, 3, 4].map(() => approve(id)))
  expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(1)
})

test('the words paid and failed at the same time give the member the money once', async () => {
  for (let round = 0; round < 10; round++) {
    const { id, memberId } = await withdrawalIn('sending')
    const told = await Promise.all([tell(id, 'paid'), tell(id, 'failed'), tell(id, 'paid'), tell(id, 'failed')])
    const { status } = await rowOf(id)
    const lost = await losses(id)
    expect(told.filter((one) => one?.result === 'paid' || one?.result === 'failed')).toHaveLength(1)
    // In any order: `failed` gives the money back to the wallet, and a `paid` after it is a loss.
    expect(['failed', 'reversed']).toContain(status)
    expect([0n, 1000n]).toContain(lost)
    expect(await readWallet(database.db, memberId)).toMatchObject({ balance: 3000n, held: 0n })
  }
})

/** The constraint by which the tables refuse this work; undefined if they accept it. */
async function refusalOf(work: Parameters<typeof inTransaction<unknown>>[1]): Promise<string | undefined> {
  try {
    await inTransaction(database.db, work)
  } catch (error) {
    return violatedConstraint(error) ?? String(error)
  }
  return undefined
}

test('the tables refuse to reopen an ended withdrawal, to change its amount and to reverse it before it was paid', async () => {
  const { id, memberId } = await withdrawalIn('failed')
  for (const status of ['requested', 'sending', 'paid', 'reversed'])
    expect(
      await refusalOf((tx) => tx.query(sql`update withdrawal set status = ${status}::text, ended_at = roz_now() where id = ${id}::uuid`)),
    ).toBe('withdrawal_moves')
  expect(await refusalOf((tx) => tx.query(sql`update withdrawal set amount = 1 where id = ${id}::uuid`))).toBe('withdrawal_moves')
  const move = (kind: string, debit: bigint, credit: bigint) => (tx: Parameters<Parameters<typeof inTransaction>[1]>[0]) =>
    tx.query(sql`
      insert into transfer (kind, ref, debit, credit, amount, wallet_seq, balance_after, day)
      values (${kind}::text, ${id}::text, ${debit}::bigint, ${credit}::bigint, 1000, ${credit > 1000n ? 99n : null}::bigint, ${credit > 1000n ? 0n : null}::bigint, posting_day())`)
  expect(await refusalOf(move('wd_reversed', 2n, memberId))).toBe('withdrawal_order')
  expect(await refusalOf(move('wd_conflict_back', 2n, 9n))).toBe('withdrawal_order')
  expect(await refusalOf(move('wd_paid', 3n, 2n))).toBe('transfer_withdrawal_ends_once')
  const open = await withdrawalIn('requested')
  const early = sql`insert into transfer (kind, ref, debit, credit, amount, day) values ('wd_conflict', ${open.id}::text, 9, 2, 1000, posting_day())`
  expect(await refusalOf((tx) => tx.query(early))).toBe('withdrawal_order')
})
