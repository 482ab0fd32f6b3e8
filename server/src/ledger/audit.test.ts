import { randomUUID } from 'node:crypto'
import { addDays, type IstDay, nextDay } from '@roz/core/ist-day.ts'
import { wholeRupees } from '@roz/core/money.ts'
import { beforeAll, expect, test } from 'vitest'
import { connect, sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { createTestDatabase, useConnection, useTestDatabase } from '../testing/database.ts'
import { BEGIN, LAST_MEMBER, listInvariants, type Progress, runAudit } from './audit.ts'
import { addMoney, DAY, endDay, newMember, newMembers, newOrderId, openDay, payOut } from './testing/fixtures.ts'
import { createJoinBatcher } from './join-batcher.ts'
import { sealDay } from './seal-day.ts'
import { asked, cameBack, HELP_BREAKS, lost, moveOut, ofItem, payHelp, refunded, refusedRefund, reversed } from './testing/audit-history.ts'
import { captureTopup, createTopup } from './topups.ts'
import { holdWithdrawal, rejectWithdrawal } from './withdrawals.ts'

const database = useTestDatabase({ isAudited: false })
const superuser = useConnection(() => database.superUrl)
let members: bigint[]
const [held, rejected] = [randomUUID(), randomUUID()]
const TODAY = nextDay(DAY)
const text = (statement: string) => sql([statement] as unknown as TemplateStringsArray)

beforeAll(async () => {
  const { db } = database
  await openDay(database, DAY)
  members = await newMembers(db, 5, { rupees: 30 })
  const batcher = createJoinBatcher({ db })
  for (const memberId of members) await batcher.join({ memberId })
  await endDay(database, DAY)
  await inTransaction(db, (tx) => sealDay(tx, DAY))
  await payOut(db, DAY, [members[0] as bigint])
  await openDay(database, TODAY)
  await payHelp(db)
  await batcher.join({ memberId: members[1] as bigint })
  for (const id of [held, rejected]) {
    await inTransaction(db, (tx) => holdWithdrawal(tx, { id, memberId: members[2] as bigint, amount: wholeRupees(10), bankAccountId: 1n }))
  }
  await inTransaction(db, (tx) => rejectWithdrawal(tx, { id: rejected, reason: 'no' }))
  const orderId = newOrderId()
  await inTransaction(db, (tx) => createTopup(tx, { orderId, memberId: members[3] as bigint, amount: wholeRupees(10) }))
  for (const paymentId of ['first', 'second'])
    await inTransaction(db, (tx) => captureTopup(tx, { orderId, paymentId, orderAmount: wholeRupees(10) }))
  await addMoney(db, members[4] as bigint, wholeRupees(20))
  await moveOut(db, await newMember(db))
})

/** Two members in a part, and one day. */
const SMALL = { members: 2, entries: 1 }

/** The findings of an audit in small parts after these statements, which are rolled back. */
const foundAfter = (...statements: string[]) => foundSince(BEGIN, ...statements)
async function foundSince(begin: Progress, ...statements: string[]) {
  await superuser.query(text('begin'))
  try {
    await superuser.query(text('set local session_replication_role = replica'))
    for (const statement of statements) await superuser.query(text(statement))
    return await runAudit(superuser, begin, SMALL)
  } finally {
    await superuser.query(text('rollback'))
  }
}

test('the audit finds nothing in a ledger that adds up, in parts of any size', async () => {
  expect(await runAudit(superuser)).toEqual([])
  for (const pages of [SMALL, { members: 1, entries: 6 }, { members: 6, entries: 5 }])
    expect(await runAudit(superuser, BEGIN, pages)).toEqual([])
})

test('no member is left out between two parts', async () => {
  for (const [place, member] of members.entries()) {
    const found = await foundAfter(`update wallet set balance = balance + 1 where member_id = ${member}`)
    expect([place, found.filter(({ invariant }) => invariant === 'wallet_is_sum_of_legs')]).toEqual([
      place,
      [expect.objectContaining({ subject: `member ${member}` })],
    ])
  }
})

test('the audit finds nothing in a database where no money ever moved', async () => {
  const empty = await createTestDatabase()
  await empty.drop()
})

type Break = { readonly invariant: string; readonly breaks: readonly string[]; readonly names: () => string }
const drop = (table: string, constraint: string) => `alter table ${table} drop constraint ${constraint}`
const memberOf = (id: string) => `select member_id from withdrawal where id = '${id}'`
const insertTransfer = (kind: string, ref: string, debit: number, credit: number | string, amount: number) =>
  `insert into transfer (kind, ref, debit, credit, amount, wallet_seq, balance_after, day)
   values ('${kind}', '${ref}', ${debit}, ${credit}, ${amount}, ${typeof credit === 'string' ? '99, 0' : 'null, null'}, '${TODAY}')`
const acknowledge = (route: string, ref: string) =>
  `insert into idempotency_key (member_id, route, key, body_hmac, ref, status, answer)
   values (1001, '${route}', 'k', decode(repeat('00', 32), 'hex'), '${ref}', 200, '{"ok": true}')`
const ACKNOWLEDGED = [
  ['addMoney', newOrderId()],
  ['withdraw', randomUUID()],
  ['requestRefund', randomUUID()],
  ['withdrawal.approve', `withdrawal:${held}`],
  ['withdrawal.reject', `withdrawal:${held}`],
  ['withdrawal.complete', `withdrawal:${held}`],
  ['refund.approve', `refund:${asked}`],
  ['refund.reject', `refund:${asked}`],
  ['suspense.credit', 'suspense:1'],
  ['suspense.refund', 'suspense:77'],
  ['suspense.pay', 'suspense:1'],
  ['triggerDraw', 'triggerDraw'],
  ['closeAccount', randomUUID()],
  ['aCallOfTomorrow', 'anything'],
] as const
const STRANGE = "where payment_id = 'strange'"
const BREAKS: readonly Break[] = [
  ...HELP_BREAKS.map(([invariant, statement, subject]) => ({ invariant, breaks: [statement], names: () => subject })),
  ...ACKNOWLEDGED.map(([route, ref]) => ({
    invariant: 'acknowledged_is_present',
    breaks: [acknowledge(route.includes('.') ? `${route} ${ref}` : route, ref)],
    names: () => 'key of member 1001',
  })),
  { invariant: 'legs_sum_to_zero', breaks: ['truncate transfer', 'truncate round_join, join_batch'], names: () => 'all accounts' },
  { invariant: 'legs_sum_to_zero', breaks: [`delete from round_join where day = '${DAY}' and member_id = $1`], names: () => `day ${DAY}` },
  {
    invariant: 'balances_not_negative',
    breaks: [drop('wallet', 'wallet_balance_check'), 'update wallet set balance = -1 where member_id = $1'],
    names: () => `member ${members[0]}`,
  },
  { invariant: 'balances_not_negative', breaks: ['truncate wallet'], names: () => 'all wallets' },
  {
    invariant: 'wallet_is_sum_of_legs',
    breaks: ['update wallet set balance = balance + 1 where member_id = $1'],
    names: () => `member ${members[0]}`,
  },
  {
    invariant: 'wallet_is_sum_of_legs',
    breaks: [`update transfer set amount = amount + 1 where kind = 'prize'`],
    names: () => `member ${members[0]}`,
  },
  {
    invariant: 'wallet_history_has_no_gap',
    breaks: ['update round_join set wallet_seq = 9 where member_id = $1'],
    names: () => `member ${members[0]}`,
  },
  {
    invariant: 'wallet_history_has_no_gap',
    breaks: ['update wallet set seq = seq + 1 where member_id = $1'],
    names: () => `member ${members[0]}`,
  },
  {
    invariant: 'wallet_history_has_no_gap',
    breaks: [`update transfer set balance_after = balance_after + 1 where kind = 'prize'`],
    names: () => `member ${members[0]}`,
  },
  { invariant: 'held_is_open_withdrawals', breaks: ['update wallet set held = 500 where held > 0'], names: () => `member ${members[2]}` },
  { invariant: 'held_is_open_withdrawals', breaks: [`delete from transfer where kind = 'wd_back'`], names: () => 'PAYOUTS_PENDING' },
  {
    invariant: 'one_join_a_day',
    breaks: [
      'alter table round_join drop constraint round_join_pkey',
      `insert into round_join select * from round_join where member_id = $1`,
    ],
    names: () => `member ${members[0]} on ${DAY}`,
  },
  {
    invariant: 'one_join_a_day',
    breaks: ['update wallet set joins = joins + 1 where member_id = $1'],
    names: () => `member ${members[0]}`,
  },
  {
    invariant: 'year_is_counted',
    breaks: ['update wallet set year_joins = year_joins + 1 where member_id = $1'],
    names: () => `member ${members[0]}`,
  },
  {
    invariant: 'joins_are_batches_are_pool',
    breaks: [drop('join_batch', 'join_batch_check'), `update join_batch set n = n + 1 where day = '${TODAY}'`],
    names: () => 'batch ',
  },
  {
    invariant: 'joins_are_batches_are_pool',
    breaks: [`update round set entries = 6, pool = 600, need_paise = need_paise + 100 where day = '${DAY}'`],
    names: () => `round ${DAY}`,
  },
  { invariant: 'ended_pool_is_empty', breaks: [`delete from transfer where kind = 'platform'`], names: () => `round ${DAY}` },
  {
    invariant: 'ended_pool_is_empty',
    breaks: [`update round set need_paise = need_paise - 1, platform_paise = platform_paise + 1 where day = '${DAY}'`],
    names: () => `round ${DAY}`,
  },
  { invariant: 'winners_joined_and_were_paid', breaks: [`delete from transfer where kind = 'prize'`], names: () => `round ${DAY}, rank 1` },
  { invariant: 'winners_joined_and_were_paid', breaks: ['truncate draw_winner'], names: () => `prize ${DAY}:1` },
  {
    invariant: 'winners_joined_and_were_paid',
    breaks: ['delete from round_join where member_id = $1'],
    names: () => `round ${DAY}, rank 1`,
  },
  { invariant: 'payment_credited_once', breaks: [`delete from transfer where kind = 'topup' and ref = 'first'`], names: () => 'order ' },
  { invariant: 'payment_credited_once', breaks: [`delete from topup where payment_id = 'first'`], names: () => 'payment first' },
  {
    invariant: 'suspense_is_open_items',
    breaks: [`update suspense_item set status = 'credited', decided_at = created_at`],
    names: () => 'SUSPENSE',
  },
  {
    invariant: 'withdrawal_ends_once',
    breaks: [`update withdrawal set status = 'paid', ended_at = created_at where id = '${held}'`],
    names: () => `withdrawal ${held}`,
  },
  { invariant: 'withdrawal_ends_once', breaks: [`delete from withdrawal where id = '${rejected}'`], names: () => `withdrawal ${rejected}` },
  // Refused: paid and given back, given back twice, reversed before it was paid, a loss of money still held.
  {
    invariant: 'withdrawal_ends_once',
    breaks: ['drop index transfer_withdrawal_ends_once', insertTransfer('wd_paid', rejected, 3, 2, 1000)],
    names: () => `withdrawal ${rejected}`,
  },
  {
    invariant: 'withdrawal_ends_once',
    breaks: [drop('transfer', 'transfer_once'), insertTransfer('wd_reversed', reversed, 2, `(${memberOf(reversed)})`, 1000)],
    names: () => `withdrawal ${reversed}`,
  },
  {
    invariant: 'withdrawal_ends_once',
    breaks: [`delete from transfer where kind = 'wd_paid' and ref = '${reversed}'`],
    names: () => `withdrawal ${reversed}`,
  },
  {
    invariant: 'withdrawal_ends_once',
    breaks: [`update transfer set credit = 5, wallet_seq = null, balance_after = null where kind = 'wd_reversed' and ref = '${reversed}'`],
    names: () => `withdrawal ${reversed}`,
  },
  {
    invariant: 'refund_ends_once',
    breaks: [
      `update transfer set credit = 5, wallet_seq = null, balance_after = null where kind = 'refund_reversed' and ref = '${cameBack}'`,
    ],
    names: () => `refund ${cameBack}`,
  },
  { invariant: 'withdrawal_ends_once', breaks: [insertTransfer('wd_conflict', held, 9, 2, 1000)], names: () => `withdrawal ${held}` },
  {
    invariant: 'withdrawal_ends_once',
    breaks: [insertTransfer('wd_conflict', `${lost}#2`, 9, 2, 1000)],
    names: () => `withdrawal ${lost}`,
  },
  { invariant: 'withdrawal_ends_once', breaks: [insertTransfer('wd_conflict_back', lost, 2, 9, 999)], names: () => `withdrawal ${lost}` },
  {
    invariant: 'held_is_open_withdrawals',
    breaks: [`update withdrawal set status = 'failed', ended_at = created_at where id = '${held}'`],
    names: () => 'PAYOUTS_PENDING',
  },
  {
    invariant: 'held_is_open_withdrawals',
    breaks: [`delete from transfer where kind = 'refund_paid' and ref = '${refunded}'`],
    names: () => 'REFUNDS_PENDING',
  },
  { invariant: 'held_is_open_withdrawals', breaks: [`delete from refund where id = '${asked}'`], names: () => 'member ' },
  {
    invariant: 'refund_ends_once',
    breaks: ['drop index transfer_refund_ends_once', insertTransfer('refund_paid', refusedRefund, 4, 1, 500)],
    names: () => `refund ${refusedRefund}`,
  },
  {
    invariant: 'refund_ends_once',
    breaks: [`update refund set status = 'paid', ended_at = created_at where id = '${asked}'`],
    names: () => `refund ${asked}`,
  },
  { invariant: 'refund_ends_once', breaks: [`delete from refund where id = '${refunded}'`], names: () => `refund ${refunded}` },
  { invariant: 'refund_ends_once', breaks: [`update refund set amount = 4000 where id = '${asked}'`], names: () => 'order ' },
  {
    invariant: 'refund_ends_once',
    breaks: [`delete from transfer where kind = 'suspense_refund' and ref = '${ofItem}'`],
    names: () => `refund ${ofItem}`,
  },
  ...["'credited'", "'paid', reference = 'UTR1'", "'taken', reference = 'taken#part1'"].map((status) => ({
    invariant: 'suspense_is_open_items',
    breaks: [`update suspense_item set status = ${status}, reason = 'closed_account' ${STRANGE}`],
    names: () => 'suspense item ',
  })),
  { invariant: 'suspense_is_open_items', breaks: [insertTransfer('suspense_paid', '77', 5, 2, 100)], names: () => 'suspense_paid 77' },
  { invariant: 'suspense_is_open_items', breaks: [`delete from suspense_item ${STRANGE}`], names: () => `refund ${ofItem}` },
  {
    invariant: 'sealed_day_recomputes',
    breaks: [`insert into transfer (kind, ref, debit, credit, amount, day) values ('wd_conflict', 'x', 9, 2, 100, '${DAY}')`],
    names: () => `day ${DAY}, account 2`,
  },
  {
    invariant: 'refund_ends_once',
    breaks: [`delete from transfer where kind = 'refund_paid' and ref = '${cameBack}'`],
    names: () => `refund ${cameBack}`,
  },
  { invariant: 'refund_ends_once', breaks: [insertTransfer('refund_conflict', asked, 9, 1, 500)], names: () => `refund ${asked}` },
  { invariant: 'refund_ends_once', breaks: [insertTransfer('refund_conflict', 'nobody', 9, 1, 500)], names: () => 'refund nobody' },
  { invariant: 'chargeback_is_dispute', breaks: [`update dispute set is_taken = false where id = 'taken'`], names: () => 'dispute taken' },
  {
    invariant: 'chargeback_is_dispute',
    breaks: [`update dispute set is_taken = true where id = 'returned'`],
    names: () => 'dispute returned',
  },
  { invariant: 'chargeback_is_dispute', breaks: [`delete from dispute where id = 'taken'`], names: () => 'dispute taken' },
  {
    invariant: 'chargeback_is_dispute',
    breaks: [drop('transfer', 'transfer_once'), insertTransfer('chargeback_back', 'never#loss', 1, 9, 100)],
    names: () => 'chargeback never#loss',
  },
  {
    invariant: 'chargeback_is_dispute',
    breaks: [`update topup set amount = 1 where order_id = (select order_id from dispute where id = 'taken')`],
    names: () => 'order ',
  },
  { invariant: 'debt_is_unpaid_loss', breaks: [`update debt set amount = amount + 1 where ref = 'owed'`], names: () => 'debt owed' },
  { invariant: 'debt_is_unpaid_loss', breaks: [`update debt set paid = 0 where ref = 'owed'`], names: () => 'debt owed' },
  { invariant: 'debt_is_unpaid_loss', breaks: [`update debt set member_id = 1001 where ref = 'owed'`], names: () => 'debt owed' },
  { invariant: 'debt_is_unpaid_loss', breaks: [`update debt set returned_at = roz_now() where ref = 'owed'`], names: () => 'debt owed' },
  { invariant: 'debt_is_unpaid_loss', breaks: [`update debt set returned_at = null where ref = 'repaid'`], names: () => 'debt repaid' },
  { invariant: 'debt_is_unpaid_loss', breaks: [`delete from transfer where kind = 'debt_back'`], names: () => 'debt repaid' },
  { invariant: 'debt_is_unpaid_loss', breaks: [`delete from debt where ref = 'owed'`], names: () => 'chargeback owed#loss' },
  {
    invariant: 'debt_is_unpaid_loss',
    breaks: [insertTransfer('debt_paid', 'never#debt1', 5, 9, 100)],
    names: () => 'debt_paid never#debt1',
  },
  {
    invariant: 'debt_is_unpaid_loss',
    breaks: [`delete from transfer where kind = 'debt_paid' and ref = 'owed#debt1'`],
    names: () => ', movement ',
  },
  {
    invariant: 'closed_wallet_is_empty',
    breaks: [drop('wallet', 'wallet_closed_is_empty'), 'update wallet set is_closed = true where member_id = $1'],
    names: () => `member ${members[0]}`,
  },
  { invariant: 'member_has_wallet', breaks: ['delete from wallet where member_id = $1'], names: () => `member ${members[0]}` },
]

test.each(BREAKS)('$invariant names the row: $breaks', async ({ invariant, breaks, names }) => {
  const violations = await foundAfter(...breaks.map((statement) => statement.replace('$1', String(members[0]))))
  const named = violations.filter((violation) => violation.invariant === invariant)
  expect(named.map(({ subject }) => subject).join('\n')).toContain(names())
})

test('every invariant has a sentence and a test that breaks it', async () => {
  const invariants = await listInvariants()
  expect(invariants.map(({ name }) => name)).toEqual([...new Set(BREAKS.map(({ invariant }) => invariant))].sort())
  for (const { sentence } of invariants) expect(sentence).toMatch(/^[A-Z].+\.$/)
})

test('a recent audit reads the days since its start, and whole tables whatever their age', async () => {
  const recent = async (statement: string, dayBefore: IstDay) => {
    const found = await foundSince({ ...BEGIN, lastDay: dayBefore, lastMember: LAST_MEMBER }, statement)
    return found.map(({ invariant }) => invariant)
  }
  const [sinceDay, sinceToday] = [addDays(DAY, -1), DAY]
  const addWinner = `insert into draw_winner (day, rank, member_id, amount) values ('${DAY}', 9, 4242, 1)`
  expect(await recent(addWinner, sinceDay)).toEqual(['winners_joined_and_were_paid', 'winners_joined_and_were_paid'])
  expect(await recent(addWinner, sinceToday)).toEqual([])
  expect(await recent(`delete from round_join where day = '${DAY}' and member_id = ${members[4]}`, sinceDay)).toContain(
    'joins_are_batches_are_pool',
  )
  expect(await recent(`delete from ledger_day_total where day = '${DAY}'`, sinceDay)).toContain('sealed_day_recomputes')
  expect(await recent(`update wallet set held = held + 1 where member_id = ${members[4]}`, sinceToday)).toEqual([
    'held_is_open_withdrawals',
  ])
  expect(await recent('delete from dispute', sinceToday)).toContain('chargeback_is_dispute')
  // Only a full audit reads the whole history of each member.
  expect(await recent(`update wallet set balance = balance + 1 where member_id = ${members[4]}`, sinceToday)).toEqual([])
})

test("the server's role can read everything that the audit reads", async () => {
  expect(await runAudit(database.db)).toEqual([])
})

test.each([
  'transfer',
  'round_join',
  'join_batch',
  'wallet',
  'round, help_order',
  'topup, autopay_mandate, autopay_charge, autopay_check',
  'withdrawal',
  'refund',
  'suspense_item',
  'dispute',
  'debt',
  'disbursement, help_allotment',
  'help_allotment',
  'evidence',
  'draw_winner',
  'ledger_day_total',
])('the audit reports an empty %s after money moved', async (table) => {
  expect(await foundAfter(`truncate ${table}`)).not.toEqual([])
})

test('a test file whose money does not add up fails when its database is dropped', async () => {
  const broken = await createTestDatabase()
  const owner = connect({ url: broken.superUrl, max: 1, named: false })
  await owner.query(text('set session_replication_role = replica; insert into wallet (member_id, balance) values (1001, 5)'))
  await owner.close()
  await expect(broken.drop()).rejects.toThrow('wallet_is_sum_of_legs: member 1001')
})
