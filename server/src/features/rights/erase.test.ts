/** Compares what is said to stay of a deleted member with the schema. */
import { expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { makeMember } from '../../testing/calls.ts'
import { useTestDatabase } from '../../testing/database.ts'
import { DELETED, EMPTIED, eraseIdentity, STAYS } from './erase.ts'

const database = useTestDatabase()

/** Of staff alone, or with a claim or message whose member is removed; `story` names a winner, whose public name follows the account. */
const OTHERS = ['staff_passkey', 'staff_passkey_challenge', 'staff_recovery_code', 'staff_totp', 'ticket_key_claim', 'contact_message']

test('every table with a row of a member is deleted from or named', async () => {
  const tables = await database.db.query<{ name: string }>(sql`
    select distinct table_name as name from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = 'public' and table_type = 'BASE TABLE' and column_name = 'member_id'`)
  const named = [...DELETED, ...OTHERS, ...Object.keys(STAYS).filter((table) => table !== 'member')]
  expect(tables.map(({ name }) => name).toSorted()).toEqual(named.toSorted())
})

test('every column of text or bytes in the tables that stay is named', async () => {
  for (const [table, columns] of Object.entries(STAYS)) {
    const found = await database.db.query<{ name: string }>(sql`
      select column_name as name from information_schema.columns
       where table_schema = 'public' and table_name = ${table}::text and data_type in ('text', 'bytea', 'jsonb', 'json', 'ARRAY', 'inet')`)
    const expected = table === 'member' ? [...columns, ...EMPTIED] : columns
    expect([table, found.map(({ name }) => name).toSorted()]).toEqual([table, expected.toSorted()])
  }
})

test('the columns that are emptied say nothing of the person, and the tables have no row', async () => {
  const id = await makeMember(database.db, { name: 'Leela Quintara' })
  await database.db.query(sql`
    update member set phone = '9876543210', avatar = '/uploads/avatars/1.webp', password_hash = 'hash', google_sub = 'g',
      link_origin = 'https://roz.example' where id = ${id}::bigint`)
  await database.db.query(sql`insert into signal_use (kind, key, member_id) values ('device', sha256('d'), ${id}::bigint)`)
  await inTransaction(database.db, (tx) => eraseIdentity(tx, id))
  const row = await database.db.one<Record<string, unknown>>(sql`select * from member where id = ${id}::bigint`)
  for (const column of EMPTIED) expect([column, row[column]]).toEqual([column, column === 'name' ? 'Closed account' : null])
  for (const table of DELETED) {
    const text = `select 1 from "${table}" where member_id = ${id}`
    expect([table, await database.db.query(sql([text] as unknown as TemplateStringsArray))]).toEqual([table, []])
  }
})
