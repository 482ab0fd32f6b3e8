/** The gauges of /metrics: each shows what it names, and reads no big table from end to end. */
import { beforeAll, describe, expect, test } from 'vitest'
import { joinSql, type Sql, sql } from '../db/sql.ts'
import { useConnection, useTestDatabase } from '../testing/database.ts'
import { operatorApp } from '../testing/operator.ts'
import { figuresFor } from './figures.ts'

const WITNESSES = { keys: ['asha', 'binod', 'chitra'], quorum: 2 }
const NOON = new Date('2026-11-22T12:00:00+05:30')
const database = useTestDatabase({ isAudited: false })
const owner = useConnection(() => database.superUrl)
beforeAll(async () => {
  await database.setClock(NOON)
})

/** The metrics as Prometheus reads them. The tests only add rows, each to tables of its own. */
async function scrape(witnesses = WITNESSES): Promise<ReadonlyMap<string, number>> {
  const app = operatorApp(database.db, { witnesses })
  const { body } = await app.inject('/metrics')
  await app.close()
  return new Map([...body.matchAll(/^(roz_\w+)(?:\{\})? (-?[\d.e+-]+)$/gm)].map(([, name = '', value]) => [name, Number(value)]))
}
const UNKNOWN = new Set(['roz_backup_age_seconds'])
const ago = (seconds: number) => sql`roz_now() - make_interval(secs => ${seconds}::int)`

describe('a figure', () => {
  test('shows nothing to wait for on a new database', async () => {
    const values = await scrape()
    for (const { name } of figuresFor(WITNESSES)) expect([name, values.get(name)]).toEqual([name, UNKNOWN.has(name) ? -1 : 0])
  })

  test('of the queues counts from the time that work became due, mails apart', async () => {
    await owner.query(sql`insert into job (kind, key, payload, due_at, done_at) values
      ('mail', 'a', '{}', ${ago(100)}, null), ('mass_mail', 'a', '{}', ${ago(900)}, null),
      ('draft_story', 'a', '{}', ${ago(40)}, null), ('draft_story', 'later', '{}', ${ago(-500)}, null), ('mail', 'done', '{}', ${ago(5000)}, roz_now())`)
    const values = await scrape()
    expect(Math.round(values.get('roz_mail_queue_age_seconds') ?? 0)).toBeCloseTo(100, -1)
    expect(Math.round(values.get('roz_mass_mail_queue_age_seconds') ?? 0)).toBeCloseTo(900, -1)
    expect(Math.round(values.get('roz_job_queue_age_seconds') ?? 0)).toBeCloseTo(40, -1)
  })

  test('of the gateway counts overdue questions only', async () => {
    await owner.query(
      sql`insert into order_check (order_id, ask_at) values ('one', ${ago(300)}), ('two', ${ago(200)}), ('later', ${ago(-60)}), ('never', null)`,
    )
    await owner.query(sql`insert into payout_check (id, kind, ask_at) values (gen_random_uuid(), 'refund', ${ago(700)})`)
    const values = await scrape()
    expect(values.get('roz_orders_unsettled')).toBe(2)
    expect(Math.round(values.get('roz_order_question_age_seconds') ?? 0)).toBeCloseTo(300, -1)
    expect(Math.round(values.get('roz_payout_question_age_seconds') ?? 0)).toBeCloseTo(700, -1)
  })

  test('of the witnesses starts with the first state after the newest one with a quorum', async () => {
    const checkpoint = (size: number, seconds: number) =>
      owner.query(
        sql`insert into checkpoint (size, root, body, signed_by, created_at) values (${size}::bigint, sha256('a'), '', '', ${ago(seconds)})`,
      )
    const cosign = (size: number, key: string) =>
      owner.query(
        sql`insert into cosignature (size, key, name, time_seconds, line) values (${size}::bigint, ${key}::text, ${key}::text, 1, '')`,
      )
    const wait = async (): Promise<number> => Math.round((await scrape()).get('roz_witness_wait_seconds') ?? -1)
    await checkpoint(1, 900)
    await checkpoint(2, 600)
    await checkpoint(3, 300)
    expect(await wait()).toBeCloseTo(900, -1)
    await cosign(2, 'asha')
    await cosign(2, 'a stranger')
    expect(await wait()).toBeCloseTo(900, -1)
    await cosign(2, 'binod')
    expect(await wait()).toBeCloseTo(300, -1)
    await cosign(3, 'asha')
    await cosign(3, 'chitra')
    expect(await wait()).toBe(0)
    expect((await scrape({ keys: [], quorum: 2 })).get('roz_witness_wait_seconds')).toBe(0)
  })

  test('of the backups counts from the newest of this cluster', async () => {
    const note = (what: string, cluster: Sql, seconds: number) =>
      owner.query(sql`insert into backup_note (what, cluster, at) values (${what}::text, ${cluster}, ${ago(seconds)})
        on conflict (what, cluster) do update set at = excluded.at`)
    const here = sql`(select system_identifier::text from pg_control_system())`
    const age = async (): Promise<number> => Math.round((await scrape()).get('roz_backup_age_seconds') ?? -2)
    await note('backup', sql`'another'`, 50)
    expect(await age()).toBe(-1)
    await note('backup', here, 100_000)
    expect(await age()).toBe(100_000)
    await note('backup', here, -60)
    expect(await age()).toBe(0)
  })

  test('of the rounds counts from the end of an open round, and from the announced time of the beacon', async () => {
    await owner.query(sql`set session_replication_role = replica`)
    await owner.query(sql`
      insert into round (day, status, policy, need, reward, platform, winners, opens_at, closes_at, mode, secret_hash, sealed_secret)
      select day, 'open', 'A', 60, 30, 10, 1, start_of_ist_day(day), start_of_ist_day(day + 1), 'local', sha256('a'), 'a'
        from unnest(array['2026-11-21', '2026-11-22']::date[]) as day`)
    expect(Math.round((await scrape()).get('roz_round_late_seconds') ?? 0)).toBeCloseTo(43_200, -2)
    await owner.query(sql`
      update round set status = 'closed', closed_at = closes_at, entries = 0, pool = 0, mode = 'drand', draw_at = closes_at + interval '15 minutes'
       where day = '2026-11-21'`)
    const values = await scrape()
    expect(values.get('roz_round_late_seconds')).toBe(0)
    expect(Math.round(values.get('roz_beacon_wait_seconds') ?? 0)).toBeCloseTo(42_300, -2)
  })
})

/** A row per failure, per audit, per dispute or per standby: read from end to end, they are small. */
const SMALL = new Set([
  'failing_work',
  'gateway_silence',
  'foreign_answer',
  'books_hold',
  'dispute',
  'audit_run',
  'heartbeat',
  'clock_offset',
])

test('no figure reads a table that grows with the members or the days from end to end', async () => {
  await owner.query(sql`set enable_seqscan = off`)
  const scannedBy = async (read: Sql): Promise<string[]> => {
    const plan = JSON.stringify(await owner.query(joinSql([sql`explain (format json) select `, read], '')))
    return [...plan.matchAll(/"Node Type":"Seq Scan"[^{]*?"Relation Name":"(\w+)"/g)].map(([, table = '']) => table)
  }
  // The look at the plan finds a scan where there is one.
  expect(await scannedBy(sql`(select count(*) from member where name = 'Asha')`)).toEqual(['member'])
  for (const { name, read } of figuresFor(WITNESSES))
    expect([name, (await scannedBy(read)).filter((table) => !SMALL.has(table))]).toEqual([name, []])
  await owner.query(sql`reset enable_seqscan`)
})
