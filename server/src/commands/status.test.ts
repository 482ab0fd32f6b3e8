/** The output of `roz status`, and its exit code. */
import { beforeAll, expect, test } from 'vitest'
import { beat } from '../db/heartbeat.ts'
import { sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { createAudit } from '../features/audit/scheduled-audit.ts'
import { createTopup } from '../ledger/topups.ts'
import { paise } from '@roz/core/money.ts'
import { makeMember } from '../testing/calls.ts'
import { useTestDatabase } from '../testing/database.ts'
import { linesOver, statusNow } from './status.ts'

const database = useTestDatabase()
beforeAll(async () => {
  await database.setClock(new Date('2026-11-22T12:00:00+05:30'))
})

async function status(url = database.appUrl): Promise<{ readonly code: number; readonly text: string }> {
  const said: string[] = []
  const code = await statusNow({ DATABASE_URL: url, DATA_DIR: '/nowhere' }, (line) => void said.push(line))
  return { code, text: said.join('\n') }
}

test('it says so if nothing waits; work that waits for the gateway is listed with its age, and is no fault', async () => {
  expect(await status()).toEqual({ code: 0, text: '  no backup is known (docs/runbooks/backup-away.md)\nNothing needs a person.' })
  const memberId = await makeMember(database.db)
  await inTransaction(database.db, (tx) => createTopup(tx, { orderId: 'a'.repeat(32), memberId, amount: paise(1000n) }))
  await database.setClock(new Date('2026-11-22T13:00:00+05:30'))
  const { code, text } = await status()
  expect([code, text]).toEqual([
    0,
    expect.stringMatching(/1 orders that the gateway has not called final, the oldest since 2026-11-22T12:0/),
  ])
})

test('a question that is overdue and work that failed are listed with their age and their runbook', async () => {
  await database.db.query(sql`insert into order_check (order_id, ask_at) values ('one', roz_now() - interval '20 minutes')`)
  await database.db.query(sql`insert into job (kind, key, payload, due_at) values ('notice', 'x', '{}', roz_now() - interval '5 hours')`)
  const { code, text } = await status()
  expect(code).toBe(1)
  expect(text).toContain('✗ for 20 minutes a due question about an order waits (docs/runbooks/gateway-away.md)')
  expect(text).toContain('✗ for 5 hours a due job waits (docs/runbooks/queue-behind.md)')
  await database.db.query(sql`update order_check set ask_at = null`)
  await database.db.query(sql`update job set done_at = roz_now()`)
  expect((await status()).code).toBe(0)
})

test('a moved clock or stopped servers raise no alarm about a missing audit; hours of running servers without one do', async () => {
  const audit = createAudit({ db: database.db, everyMs: 0, alarm: () => undefined })
  const pass = (minutes: number) => database.db.query(sql`update heartbeat set at = at - make_interval(mins => ${minutes}::int)`)
  await beat(database.db)
  while (await audit.due());
  await database.setClock(new Date('2026-11-22T18:00:00+05:30'))
  expect((await status()).code).toBe(0)
  await pass(300)
  expect((await status()).code).toBe(0)
  await beat(database.db)
  expect((await status()).code).toBe(0)
  for (let twoMinutes = 0; twoMinutes < 100; twoMinutes++) {
    await pass(2)
    await beat(database.db)
  }
  expect(await status()).toEqual({
    code: 1,
    text: expect.stringContaining('✗ for 3 hours no audit has ended (docs/runbooks/books-broken.md)'),
  })
  while (await audit.due());
  expect((await status()).code).toBe(0)
})

test('a disk that is more than nine tenths full is listed in percent', () => {
  expect(linesOver(new Map([['roz_disk_used_ratio', 0.9]]))).toEqual([])
  const full = linesOver(new Map([['roz_disk_used_ratio', 0.957]]))
  expect(full).toEqual(['✗ 95 % of the disk of DATA_DIR is used (docs/runbooks/disk-full.md)'])
})

test('a database that does not answer ends with code 2 and its runbook', async () => {
  expect(await status('postgres://nobody@127.0.0.1:1/roz')).toEqual({ code: 2, text: expect.stringContaining('server-away.md') })
})
