/** A finding of an audit stays open until a later audit of the same rows finds none. */
import { beforeEach, expect, test } from 'vitest'
import { sql } from '../db/sql.ts'
import { useTestDatabase } from '../testing/database.ts'
import { listFindings } from './audit-findings.ts'

const database = useTestDatabase()
beforeEach(async () => {
  await database.db.query(sql`delete from audit_run`)
})

/** `since`: a recent run. Returns its id. */
async function begin(since: string | null = null): Promise<bigint> {
  const [run] = await database.db.query<{ id: bigint }>(sql`
    insert into audit_run (scope, since) values (case when ${since}::date is null then 'full' else 'recent' end, ${since}::date) returning id`)
  return run?.id ?? 0n
}
async function end(id: bigint, ...broken: readonly string[]): Promise<void> {
  const found = broken.map((invariant) => ({
    invariant,
    sentence: `${invariant}.`,
    rows: [{ subject: 'day 1', found: 'two' }],
    hasMore: false,
  }))
  await database.db.query(
    sql`update audit_run set finished_at = roz_now(), broken = ${JSON.stringify(found)}::jsonb where id = ${id}::bigint`,
  )
}
const standing = async (): Promise<string[]> => (await listFindings(database.db)).map(({ invariant }) => invariant)

test('a recent run ends no finding of a full run; the next full run ends all', async () => {
  await end(await begin(), 'credited')
  await end(await begin('2026-11-21'), 'zero')
  await end(await begin('2026-11-22'))
  expect(await listFindings(database.db)).toEqual([
    { invariant: 'credited', sentence: 'credited.', rows: 1, first: 'day 1: two', at: expect.any(Date) },
    expect.objectContaining({ invariant: 'zero' }),
  ])
  const unfinished = await begin()
  expect(await standing()).toEqual(['credited', 'zero'])
  await end(unfinished)
  expect(await standing()).toEqual([])
})

test('a recent run ends the finding of an earlier one only if it reads the same days', async () => {
  await end(await begin('2026-11-21'), 'zero')
  await end(await begin('2026-11-22'))
  expect(await standing()).toEqual(['zero'])
  await end(await begin('2026-11-21'))
  expect(await standing()).toEqual([])
})

test('a full run that ends after a later recent run is not overlooked', async () => {
  const long = await begin()
  await end(await begin('2026-11-22'), 'zero')
  await end(long, 'credited')
  expect(await standing()).toEqual(['credited', 'zero'])
})

test('a run that began before a finding does not end it, also if it ends later', async () => {
  const recent = await begin('2026-11-22')
  const full = await begin()
  // The full run read these tables before they broke.
  const broken = [
    { invariant: 'zero', sentence: 'zero.', rows: [{ subject: 'day 1', found: 'two' }], newest: String(full), isOfTables: true },
  ]
  await database.db.query(
    sql`update audit_run set finished_at = roz_now(), broken = ${JSON.stringify(broken)}::jsonb where id = ${recent}::bigint`,
  )
  await end(full)
  expect(await standing()).toEqual(['zero'])
  // Every recent run reads whole tables.
  await end(await begin('2026-11-23'))
  expect(await standing()).toEqual([])
})

test('a finding of a run under way counts at once', async () => {
  const full = await begin()
  await end(full, 'zero')
  await database.db.query(sql`update audit_run set finished_at = null`)
  expect(await standing()).toEqual(['zero'])
})
