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

/** The invariant, the row that it names, and the statements that break it. `$1` and `$3` are the first and the third member. */
type Break = readonly [invariant: string, names: string, ...breaks: readonly string[]]
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
  ...HELP_BREAKS.map(([invariant, statement, subject]): Break => [invariant, subject, statement]),
  ...ACKNOWLEDGED.map(
    ([route, ref]): Break => [
      'acknowledged_is_present',
      'key of member 1001',
      acknowledge(route.includes('.') ? `${route} ${ref}` : route, ref),
    ],
  ),
  ['legs_sum_to_zero', 'all accounts', 'truncate transfer', 'truncate round_join, join_batch'],
  ['legs_sum_to_zero', `day ${DAY}`, `delete from round_join where day = '${DAY}' and member_id = $1`],
  ['balances_not_negative', 'member $1', drop('wallet', 'wallet_balance_check'), 'update wallet set balance = -1 where member_id = $1'],
  ['balances_not_negative', 'all wallets', 'truncate wallet'],
  ['wallet_is_sum_of_legs', 'member $1', 'update wallet set balance = balance + 1 where member_id = $1'],
  ['wallet_is_sum_of_legs', 'member $1', `update transfer set amount = amount + 1 where kind = 'prize'`],
  ['wallet_history_has_no_gap', 'member $1', 'update round_join set wallet_seq = 9 where member_id = $1'],
  ['wallet_history_has_no_gap', 'member $1', 'update wallet set seq = seq + 1 where member_id = $1'],
  ['wallet_history_has_no_gap', 'member $1', `update transfer set balance_after = balance_after + 1 where kind = 'prize'`],
  ['held_is_open_withdrawals', 'member $3', 'update wallet set held = 500 where held > 0'],
  ['held_is_open_withdrawals', 'PAYOUTS_PENDING', `delete from transfer where kind = 'wd_back'`],
  [
    'one_join_a_day',
    `member $1 on ${DAY}`,
    'alter table round_join drop constraint round_join_pkey',
    `insert into round_join select * from round_join where member_id = $1`,
  ],
  ['one_join_a_day', 'member $1', 'update wallet set joins = joins + 1 where member_id = $1'],
  ['year_is_counted', 'member $1', 'update wallet set year_joins = year_joins + 1 where member_id = $1'],
  [
    'joins_are_batches_are_pool',
    'batch ',
    drop('join_batch', 'join_batch_check'),
    `update join_batch set n = n + 1 where day = '${TODAY}'`,
  ],
  [
    'joins_are_batches_are_pool',
    `round ${DAY}`,
    `update round set entries = 6, pool = 600, need_paise = need_paise + 100 where day = '${DAY}'`,
  ],
  ['ended_pool_is_empty', `round ${DAY}`, `delete from transfer where kind = 'platform'`],
  [
    'ended_pool_is_empty',
    `round ${DAY}`,
    `update round set need_paise = need_paise - 1, platform_paise = platform_paise + 1 where day = '${DAY}'`,
  ],
  ['winners_joined_and_were_paid', `round ${DAY}, rank 1`, `delete from transfer where kind = 'prize'`],
  ['winners_joined_and_were_paid', `prize ${DAY}:1`, 'truncate draw_winner'],
  ['winners_joined_and_were_paid', `round ${DAY}, rank 1`, 'delete from round_join where member_id = $1'],
  ['payment_credited_once', 'order ', `delete from transfer where kind = 'topup' and ref = 'first'`],
  ['payment_credited_once', 'payment first', `delete from topup where payment_id = 'first'`],
  ['suspense_is_open_items', 'SUSPENSE', `update suspense_item set status = 'credited', decided_at = created_at`],
  ['withdrawal_ends_once', `withdrawal ${held}`, `update withdrawal set status = 'paid', ended_at = created_at where id = '${held}'`],
  ['withdrawal_ends_once', `withdrawal ${rejected}`, `delete from withdrawal where id = '${rejected}'`],
  // Refused: paid and given back, given back twice, reversed before it was paid, a loss of money still held.
  [
    'withdrawal_ends_once',
    `withdrawal ${rejected}`,
    'drop index transfer_withdrawal_ends_once',
    insertTransfer('wd_paid', rejected, 3, 2, 1000),
  ],
  [
    'withdrawal_ends_once',
    `withdrawal ${reversed}`,
    drop('transfer', 'transfer_once'),
    insertTransfer('wd_reversed', reversed, 2, `(${memberOf(reversed)})`, 1000),
  ],
  ['withdrawal_ends_once', `withdrawal ${reversed}`, `delete from transfer where kind = 'wd_paid' and ref = '${reversed}'`],
  [
    'withdrawal_ends_once',
    `withdrawal ${reversed}`,
    `update transfer set credit = 5, wallet_seq = null, balance_after = null where kind = 'wd_reversed' and ref = '${reversed}'`,
  ],
  [
    'refund_ends_once',
    `refund ${cameBack}`,
    `update transfer set credit = 5, wallet_seq = null, balance_after = null where kind = 'refund_reversed' and ref = '${cameBack}'`,
  ],
  ['withdrawal_ends_once', `withdrawal ${held}`, insertTransfer('wd_conflict', held, 9, 2, 1000)],
  ['withdrawal_ends_once', `withdrawal ${lost}`, insertTransfer('wd_conflict', `${lost}#2`, 9, 2, 1000)],
  ['withdrawal_ends_once', `withdrawal ${lost}`, insertTransfer('wd_conflict_back', lost, 2, 9, 999)],
  ['held_is_open_withdrawals', 'PAYOUTS_PENDING', `update withdrawal set status = 'failed', ended_at = created_at where id = '${held}'`],
  ['held_is_open_withdrawals', 'REFUNDS_PENDING', `delete from transfer where kind = 'refund_paid' and ref = '${refunded}'`],
  ['held_is_open_withdrawals', 'member ', `delete from refund where id = '${asked}'`],
  [
    'refund_ends_once',
    `refund ${refusedRefund}`,
    'drop index transfer_refund_ends_once',
    insertTransfer('refund_paid', refusedRefund, 4, 1, 500),
  ],
  ['refund_ends_once', `refund ${asked}`, `update refund set status = 'paid', ended_at = created_at where id = '${asked}'`],
  ['refund_ends_once', `refund ${refunded}`, `delete from refund where id = '${refunded}'`],
  ['refund_ends_once', 'order ', `update refund set amount = 4000 where id = '${asked}'`],
  ['refund_ends_once', `refund ${ofItem}`, `delete from transfer where kind = 'suspense_refund' and ref = '${ofItem}'`],
  ...["'credited'", "'paid', reference = 'UTR1'", "'taken', reference = 'taken#part1'"].map(
    (status): Break => [
      'suspense_is_open_items',
      'suspense item ',
      `update suspense_item set status = ${status}, reason = 'closed_account' ${STRANGE}`,
    ],
  ),
  ['suspense_is_open_items', 'suspense_paid 77', insertTransfer('suspense_paid', '77', 5, 2, 100)],
  ['suspense_is_open_items', `refund ${ofItem}`, `delete from suspense_item ${STRANGE}`],
  [
    'sealed_day_recomputes',
    `day ${DAY}, account 2`,
    `insert into transfer (kind, ref, debit, credit, amount, day) values ('wd_conflict', 'x', 9, 2, 100, '${DAY}')`,
  ],
  ['refund_ends_once', `refund ${cameBack}`, `delete from transfer where kind = 'refund_paid' and ref = '${cameBack}'`],
  ['refund_ends_once', `refund ${asked}`, insertTransfer('refund_conflict', asked, 9, 1, 500)],
  ['refund_ends_once', 'refund nobody', insertTransfer('refund_conflict', 'nobody', 9, 1, 500)],
  ['chargeback_is_dispute', 'dispute taken', `update dispute set is_taken = false where id = 'taken'`],
  ['chargeback_is_dispute', 'dispute returned', `update dispute set is_taken = true where id = 'returned'`],
  ['chargeback_is_dispute', 'dispute taken', `delete from dispute where id = 'taken'`],
  [
    'chargeback_is_dispute',
    'chargeback never#loss',
    drop('transfer', 'transfer_once'),
    insertTransfer('chargeback_back', 'never#loss', 1, 9, 100),
  ],
  ['chargeback_is_dispute', 'order ', `update topup set amount = 1 where order_id = (select order_id from dispute where id = 'taken')`],
  ['debt_is_unpaid_loss', 'debt owed', `update debt set amount = amount + 1 where ref = 'owed'`],
  ['debt_is_unpaid_loss', 'debt owed', `update debt set paid = 0 where ref = 'owed'`],
  ['debt_is_unpaid_loss', 'debt owed', `update debt set member_id = 1001 where ref = 'owed'`],
  ['debt_is_unpaid_loss', 'debt owed', `update debt set returned_at = roz_now() where ref = 'owed'`],
  ['debt_is_unpaid_loss', 'debt repaid', `update debt set returned_at = null where ref = 'repaid'`],
  ['debt_is_unpaid_loss', 'debt repaid', `delete from transfer where kind = 'debt_back'`],
  ['debt_is_unpaid_loss', 'chargeback owed#loss', `delete from debt where ref = 'owed'`],
  ['debt_is_unpaid_loss', 'debt_paid never#debt1', insertTransfer('debt_paid', 'never#debt1', 5, 9, 100)],
  ['debt_is_unpaid_loss', ', movement ', `delete from transfer where kind = 'debt_paid' and ref = 'owed#debt1'`],
  [
    'closed_wallet_is_empty',
    'member $1',
    drop('wallet', 'wallet_closed_is_empty'),
    'update wallet set is_closed = true where member_id = $1',
  ],
  ['member_has_wallet', 'member $1', 'delete from wallet where member_id = $1'],
]

test.each(BREAKS)('%s names the row “%s” after: %s', async (invariant, names, ...breaks) => {
  const filled = (words: string): string => words.replace(/\$(\d)/, (_, place: string) => String(members[Number(place) - 1]))
  const violations = await foundAfter(...breaks.map(filled))
  const named = violations.filter((violation) => violation.invariant === invariant)
  expect(named.map(({ subject }) => subject).join('\n')).toContain(filled(names))
})

test('every invariant has a sentence and a test that breaks it', async () => {
  const invariants = await listInvariants()
  expect(invariants.map(({ name }) => name)).toEqual([...new Set(BREAKS.map(([invariant]) => invariant))].sort())
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
