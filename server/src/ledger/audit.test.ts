import { randomUUID } from 'node:crypto'
import { nextDay } from '@roz/core/ist-day.ts'
import { wholeRupees } from '@roz/core/money.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect, type Db, sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { listInvariants, runAudit } from './audit.ts'
import { addMoney, DAY, endDay, newMembers, newOrderId, openDay, payOut } from './fixtures.ts'
import { createJoinBatcher } from './join-batcher.ts'
import { sealDay } from './seal-day.ts'
import { captureTopup, createTopup } from './topups.ts'
import { holdWithdrawal, rejectWithdrawal } from './withdrawals.ts'

let database: TestDatabase
let superuser: Db
let members: bigint[]
const [held, rejected] = [randomUUID(), randomUUID()]
const TODAY = nextDay(DAY)
const text = (statement: string) => sql([statement] as unknown as TemplateStringsArray)

beforeAll(async () => {
  database = await createTestDatabase()
  superuser = connect({ url: database.superUrl, max: 1, named: false })
  const { db } = database
  await openDay(database, DAY)
  members = await newMembers(db, 5, { rupees: 30 })
  const batcher = createJoinBatcher({ db })
  for (const memberId of members) await batcher.join({ memberId })
  await endDay(database, DAY)
  await inTransaction(db, (tx) => sealDay(tx, DAY))
  await payOut(db, DAY, [members[0] as bigint])
  await openDay(database, TODAY)
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
})
afterAll(async () => {
  await superuser.close()
  await database.dropUnaudited()
})

/** What the audit finds once these rows are broken; everything is put back afterwards. */
async function foundAfter(...statements: string[]) {
  await superuser.query(text('begin'))
  try {
    await superuser.query(text('set local session_replication_role = replica'))
    for (const statement of statements) await superuser.query(text(statement))
    return await runAudit(superuser)
  } finally {
    await superuser.query(text('rollback'))
  }
}

test('the audit finds nothing where nothing is broken', async () => {
  expect(await runAudit(superuser)).toEqual([])
})

test('the audit finds nothing in a database where no money ever moved', async () => {
  const empty = await createTestDatabase()
  await empty.drop()
})

type Break = { readonly invariant: string; readonly breaks: readonly string[]; readonly names: () => string }
const drop = (table: string, constraint: string) => `alter table ${table} drop constraint ${constraint}`
const BREAKS: readonly Break[] = [
  { invariant: 'legs_sum_to_zero', breaks: ['truncate transfer', 'truncate round_join'], names: () => 'all accounts' },
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
  {
    invariant: 'sealed_day_recomputes',
    breaks: [`insert into transfer (kind, ref, debit, credit, amount, day) values ('wd_conflict', 'x', 9, 2, 100, '${DAY}')`],
    names: () => `day ${DAY}, account 2`,
  },
  { invariant: 'member_has_wallet', breaks: ['delete from wallet where member_id = $1'], names: () => `member ${members[0]}` },
]

test.each(BREAKS)('$invariant names the row: $breaks', async ({ invariant, breaks, names }) => {
  const violations = await foundAfter(...breaks.map((statement) => statement.replace('$1', String(members[0]))))
  const named = violations.filter((violation) => violation.invariant === invariant)
  expect(named.map(({ subject }) => subject).join('\n')).toContain(names())
})

test('every invariant has a row broken on purpose above, and a sentence', async () => {
  const invariants = await listInvariants()
  expect(invariants.map(({ name }) => name)).toEqual([...new Set(BREAKS.map(({ invariant }) => invariant))].sort())
  for (const { sentence } of invariants) expect(sentence).toMatch(/^[A-Z].+\.$/)
})

test.each([
  'transfer',
  'round_join',
  'join_batch',
  'wallet',
  'round',
  'topup',
  'withdrawal',
  'suspense_item',
  'draw_winner',
  'ledger_day_total',
])('where money moved, an empty %s is no clean audit', async (table) => {
  expect(await foundAfter(`truncate ${table}`)).not.toEqual([])
})

test('a test file whose money does not add up fails when its database is dropped', async () => {
  const broken = await createTestDatabase()
  const owner = connect({ url: broken.superUrl, max: 1 })
  await owner.query(sql`insert into wallet (member_id, balance) values (1001, 5)`)
  await owner.close()
  await expect(broken.drop()).rejects.toThrow('wallet_is_sum_of_legs: member 1001')
})
