/**
 * The guards of the schema itself, tested with statements sent as the server's role, past the program.
 * - Rights and constraints alone would accept each of these statements.
 */
import { type IstDay, nextDay } from '@roz/core/ist-day.ts'
import { paise } from '@roz/core/money.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect, type Db, sql, sqlState } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { useTestDatabase } from '../testing/database.ts'
import { DAY, endDay, holdOpen, newMember, openDay, payOut, untilLockWaits } from './testing/fixtures.ts'
import { createJoinBatcher } from './join-batcher.ts'
import { sealDay } from './seal-day.ts'
import { readWallet } from './wallets.ts'
import { bookPayout, holdWithdrawal, rejectWithdrawal } from './withdrawals.ts'

const [SEALED, TODAY] = [DAY, nextDay(DAY)]
const [FENCE, MOVEMENT] = ['RZ004', 'RZ005']

// The audit finds no trace of the attempts.
const database = useTestDatabase()
let app: Db
let member: bigint
beforeAll(async () => {
  app = connect({ url: database.appUrl, max: 2 })
  await openDay(database, SEALED)
  member = await newMember(app, { rupees: 30 })
  await createJoinBatcher({ db: app }).join({ memberId: member })
  await endDay(database, SEALED)
  await payOut(app, SEALED, [member])
  await inTransaction(app, (tx) => sealDay(tx, SEALED))
  await openDay(database, TODAY)
})
afterAll(() => app.close())

const refusalOf = (statement: string): Promise<string | undefined> =>
  app.query(sql([statement] as unknown as TemplateStringsArray)).then(
    () => 'it was taken',
    (error: unknown) => sqlState(error),
  )
const transferOn = (day: IstDay, ref: string): string =>
  `insert into transfer (kind, ref, debit, credit, amount, day) values ('gateway_settled', '${ref}', 2, 1, 100, '${day}')`

test('the tests use the role of the server, which owns nothing', async () => {
  const [role] = await app.query(sql`
    select current_user::text as name, (select count(*)::int from pg_tables where tableowner = current_user) as owned`)
  expect(role).toEqual({ name: 'roz_app', owned: 0 })
})

test('a transfer into a sealed day or a day that was never opened is refused', async () => {
  expect(await refusalOf(transferOn(SEALED, 'late'))).toBe(FENCE)
  expect(await refusalOf(transferOn('2031-01-01' as IstDay, 'early'))).toBe(FENCE)
})

test('a transfer that met the sealing of its day waits and is refused', async () => {
  const yesterday = TODAY
  await openDay(database, nextDay(TODAY))
  await app.query(
    sql`update round set status = 'closed', closed_at = roz_now(), closes_at = least(closes_at, roz_now()), entries = 0, pool = 0 where day = ${yesterday}::date`,
  )
  const sealing = await holdOpen(app, (tx) => sealDay(tx, yesterday))
  const late = refusalOf(transferOn(yesterday, 'met'))
  await untilLockWaits(database.db, '%gateway_settled%')
  await sealing.commit()
  expect(await late).toBe(FENCE)
})

const joinOn = (day: IstDay, { n = 1, balance = 'w.balance - 100' } = {}): string => `
  with paid as (
    update wallet w set balance = ${balance}, seq = seq + 1, last_round = '${day}', joins = joins + 1 where member_id = ${member} returning *),
  batch as (insert into join_batch (uuid, day, via, n, amount) values (gen_random_uuid(), '${day}', 'member', ${n}, ${n * 100}) returning batch_id)
  insert into round_join (batch_id, member_id, balance_after, wallet_seq, day) select batch_id, member_id, balance, seq, '${day}' from paid, batch`

test('a join into a closed round, an unopened round or a batch that does not count it is refused', async () => {
  const open = nextDay(TODAY)
  expect(await refusalOf(joinOn(SEALED))).toBe('23505')
  expect(await refusalOf(joinOn(TODAY))).toBe(FENCE)
  expect(await refusalOf(joinOn(nextDay(open)))).toBe(FENCE)
  expect(await refusalOf(joinOn(open, { n: 2 }))).toBe(FENCE)
  const without = `insert into round_join (batch_id, member_id, balance_after, wallet_seq, day)
    select max(batch_id), 4242, 0, 1, '${open}' from join_batch`
  expect(await refusalOf(without)).toBe(FENCE)
  expect(await refusalOf(joinOn(open, { balance: 'w.balance - 99' }))).toBe(MOVEMENT)
})

test('a change of a wallet without its movement is refused', async () => {
  const change = (set: string): Promise<string | undefined> => refusalOf(`update wallet set ${set} where member_id = ${member}`)
  for (const set of [
    'balance = balance + 1',
    'balance = balance + 100, seq = seq + 1',
    'seq = seq + 1',
    'held = held + 100',
    'balance = balance - 100, held = held + 100, seq = seq + 1',
    'balance = balance - 100, seq = seq + 1, joins = joins + 1',
    'member_id = 4242',
  ])
    expect([set, await change(set)]).toEqual([set, MOVEMENT])
  expect(await change('auto_join = true')).toBe('it was taken')
  for (const [columns, values] of [
    ['balance', '100'],
    ['held', '100'],
    ['seq', '1'],
  ])
    expect(await refusalOf(`insert into wallet (member_id, ${columns}) values (4242, ${values})`)).toBe(MOVEMENT)
})

test('a movement that contradicts the wallet is refused', async () => {
  const gift = (amount: number, taken: number): string => `
    with fence as materialized (select posting_day() as day),
    moved as (update wallet set balance = balance - ${taken}, seq = seq + 1 where member_id = ${member} returning *)
    insert into transfer (kind, ref, debit, credit, amount, wallet_seq, balance_after, day)
    select 'gift', 'g', member_id, 6, ${amount}, seq, balance, day from moved, fence`
  expect(await refusalOf(gift(100, 200))).toBe(MOVEMENT)
  const topup = (amount: number, given: number): string => `
    with fence as materialized (select posting_day() as day),
    moved as (update wallet set balance = balance + ${given}, seq = seq + 1 where member_id = ${member} returning *)
    insert into transfer (kind, ref, debit, credit, amount, wallet_seq, balance_after, day)
    select 'topup', 't', 1, member_id, ${amount}, seq, balance, day from moved, fence`
  expect(await refusalOf(topup(100, 200))).toBe(MOVEMENT)
  const alone = `
    insert into transfer (kind, ref, debit, credit, amount, wallet_seq, balance_after, day)
    select 'gift', 'g', member_id, 6, 100, seq + 1, balance - 100, posting_day() from wallet where member_id = ${member}`
  expect(await refusalOf(alone)).toBe(MOVEMENT)
  expect(await refusalOf(gift(200, 200))).toBe('it was taken')
})

test('what a wallet holds changes only with a movement of that kind, and ends only with its payment', async () => {
  const who = await newMember(app, { rupees: 30 })
  const held = async () => (await readWallet(app, who))?.held
  const hold = async (rupees: bigint): Promise<string> => {
    const id = crypto.randomUUID()
    const amount = paise(rupees * 100n)
    const asked = await inTransaction(app, (tx) => holdWithdrawal(tx, { id, memberId: who, amount, bankAccountId: 1n }))
    expect(asked).toMatchObject({ ok: true })
    return id
  }
  const [ten, five, four] = [await hold(10n), await hold(5n), await hold(4n)]
  for (const change of ['held = held - 1000', 'held = 0', 'held = held - 1'])
    expect([change, await refusalOf(`update wallet set ${change} where member_id = ${who}`)]).toEqual([change, MOVEMENT])
  const moves = (kind: string, sides: string, by: number, holds: string): string => `
    with fence as materialized (select posting_day() as day),
    moved as (update wallet set balance = balance + ${by}, held = held ${holds}, seq = seq + 1 where member_id = ${who} returning *)
    insert into transfer (kind, ref, debit, credit, amount, wallet_seq, balance_after, day)
    select '${kind}', '${kind}-${by}', ${sides}, ${Math.abs(by)}, seq, balance, day from moved, fence`
  for (const [kind, sides, by, holds] of [
    ['topup', '1, member_id', 100, '+ 3000'],
    ['topup', '1, member_id', 100, '- 1000'],
    ['gift', 'member_id, 6', -100, '+ 100'],
    ['gift', 'member_id, 6', -100, '- 1000'],
    ['wd_hold', 'member_id, 3', -100, '+ 0'],
    ['wd_hold', 'member_id, 3', -100, '+ 200'],
    ['wd_back', '3, member_id', 1000, '- 1900'],
    ['refund_failed', '4, member_id', 1000, '+ 0'],
  ] as const)
    expect([kind, holds, await refusalOf(moves(kind, sides, by, holds))]).toEqual([kind, holds, MOVEMENT])
  expect(await held()).toBe(1900n)

  const paid = (id: string, more: string) =>
    inTransaction(app, async (tx) => {
      await bookPayout(tx, { id, word: 'paid' })
      await tx.query(sql([`update wallet set ${more} where member_id = ${who}`] as unknown as TemplateStringsArray))
    }).then(
      () => 'it was taken',
      (error: unknown) => sqlState(error),
    )
  // The end of a hold releases no other hold.
  for (const more of ['held = held - 500', 'held = 0', 'held = held - 1']) expect([more, await paid(ten, more)]).toEqual([more, MOVEMENT])
  expect(await paid(ten, 'auto_join = auto_join')).toBe('it was taken')
  expect(await held()).toBe(900n)
  await Promise.all([
    inTransaction(app, (tx) => bookPayout(tx, { id: five, word: 'paid' })),
    inTransaction(app, (tx) => rejectWithdrawal(tx, { id: four, reason: 'no' })),
  ])
  expect(await readWallet(app, who)).toMatchObject({ balance: 1500n, held: 0n })
})
