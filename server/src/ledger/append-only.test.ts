import { paise } from '@roz/core/money.ts'
import { beforeAll, expect, test } from 'vitest'
import { sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { useConnection, useTestDatabase } from '../testing/database.ts'
import { bookDisbursement } from './disbursements.ts'
import { DAY, endDay, hashOf, newMember, openDay, payOut } from './testing/fixtures.ts'
import { createJoinBatcher } from './join-batcher.ts'
import { sealDay } from './seal-day.ts'

const TABLES = [
  'transfer',
  'round_join',
  'join_batch',
  'draw_winner',
  'account',
  'ledger_day_total',
  'disbursement',
  'help_allotment',
  'evidence',
] as const
const COLUMN: Readonly<Record<string, string>> = {
  account: 'name',
  join_batch: 'n',
  draw_winner: 'tax',
  disbursement: 'corrects',
  help_allotment: 'paise',
  evidence: 'ref',
}
const text = (statement: string) => sql([statement] as unknown as TemplateStringsArray)

const database = useTestDatabase()
const owner = useConnection(() => database.ownerUrl)
beforeAll(async () => {
  await openDay(database, DAY)
  const memberId = await newMember(database.db, { rupees: 10 })
  expect((await createJoinBatcher({ db: database.db }).join({ memberId })).ok).toBe(true)
  await endDay(database, DAY)
  await payOut(database.db, DAY, [memberId])
  const shoes = { id: 'shoes', amount: paise(60n), evidence: [hashOf('bill')] }
  expect(await inTransaction(database.db, (tx) => bookDisbursement(tx, shoes))).toMatchObject({ ok: true })
})

test.each(TABLES)('the server can neither change nor remove a row of %s', async (table) => {
  const [column] = await database.db.query<{ name: string }>(
    sql`select column_name as name from information_schema.columns where table_name = ${table}::text order by ordinal_position desc limit 1`,
  )
  const name = column?.name ?? 'day'
  for (const statement of [`update ${table} set ${name} = ${name}`, `delete from ${table}`, `truncate ${table}`]) {
    await expect(database.db.query(text(statement)), statement).rejects.toThrow('permission denied')
  }
})

test.each(TABLES.filter((table) => table !== 'ledger_day_total'))(
  'triggers protect the rows of %s when the server works as the owner',
  async (table) => {
    const name = COLUMN[table] ?? 'wallet_seq'
    for (const statement of [`update ${table} set ${name} = ${name}`, `delete from ${table}`, `truncate ${table}`]) {
      await expect(owner.query(text(statement)), statement).rejects.toThrow(/never changed|truncate a table referenced in a foreign key/)
    }
  },
)

test('the partitions of round_join are closed to the server, and triggers protect them from the owner', async () => {
  await expect(database.db.query(sql`select 1 from round_join_2026_11`)).rejects.toThrow('permission denied')
  for (const statement of [
    'update round_join_2026_11 set wallet_seq = 1',
    'delete from round_join_2026_11',
    'truncate round_join_2026_11',
  ]) {
    await expect(owner.query(text(statement)), statement).rejects.toThrow('never changed')
  }
})

test('an ended round and a sealed day cannot be changed', async () => {
  for (const set of ["status = 'drawn', settled_at = null", 'platform_paise = platform_paise']) {
    await expect(database.db.query(text(`update round set ${set} where day = '${DAY}'`)), set).rejects.toThrow('never changed')
  }
  await inTransaction(database.db, (tx) => sealDay(tx, DAY))
  await expect(database.db.query(sql`update ledger_day set sealed_at = null where day = ${DAY}::date`)).rejects.toThrow('never changed')
})

test('the server can delete no wallet, round, top-up or withdrawal, and alter no table', async () => {
  for (const table of [
    'wallet',
    'round',
    'topup',
    'withdrawal',
    'suspense_item',
    'ledger_day',
    'clock_offset',
    'schema_migration',
    'app_grant',
  ]) {
    await expect(database.db.query(text(`delete from ${table}`)), table).rejects.toThrow('permission denied')
  }
  await expect(database.db.query(sql`alter table wallet drop constraint wallet_balance_check`)).rejects.toThrow('must be owner')
  await expect(database.db.query(sql`update clock_offset set offset_ms = 1`)).rejects.toThrow('permission denied')
  await expect(database.db.query(sql`select set_clock_production(true)`)).rejects.toThrow('permission denied')
})
