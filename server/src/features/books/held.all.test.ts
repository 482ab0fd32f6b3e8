/** Unsound books: the day is held, the next days wait behind it, and everything else continues. */
import { beforeEach, expect, test } from 'vitest'
import type { IstDay } from '@roz/core/ist-day.ts'
import { sql } from '../../db/sql.ts'
import { heldBooksNow } from '../../commands/held-books.ts'
import { operatorApp } from '../../testing/operator.ts'
import { openRoundsWorld } from '../../testing/rounds-world.ts'
import { VERDICT, verifyDay, verifyDayByTwin } from '../../testing/verifier.ts'
import { perTest } from '../../testing/fixture.ts'

const DAY = '2026-11-21' as IstDay
const NEXT = '2026-11-22'
const world = perTest(openRoundsWorld)
let short: bigint

/** A clock that ran ahead: money is added on the next day and joins the round of the day before. */
beforeEach(async () => {
  short = await world.member(0)
  for (let others = 0; others < 3; others++) await world.join(await world.member(5))
  await world.database.setClock(new Date(`${NEXT}T00:00:10+05:30`))
  await world.fund(short, 1000n)
  await world.database.setClock(new Date(`${DAY}T23:59:40+05:30`))
  expect((await world.join(short)).status).toBe(200)
  await world.goTo(`${NEXT}T00:00:05+05:30`)
})

const isPublished = async (day: string): Promise<boolean> => (await world.ask(`GET /public/books/${day}`)).status === 200
const complaints = (): unknown[] => world.faults.splice(0)
const command = async (...words: string[]): Promise<{ code: number; said: string }> => {
  const said: string[] = []
  const target = { databaseUrl: world.database.appUrl, dataDir: '/nowhere', namedStatements: true }
  const code = await heldBooksNow({ ...target, words, say: (line) => void said.push(line) })
  return { code, said: said.join('\n') }
}
async function readiness(): Promise<unknown> {
  const app = operatorApp(world.db)
  const answer = await app.inject('/readyz')
  await app.close()
  expect(answer.statusCode).toBe(200)
  return answer.json()
}

test('a wallet below zero at a day’s end holds that day’s books with an alarm that names the member; all else continues', async () => {
  expect(complaints()).toEqual([{ day: DAY, memberId: String(short), found: `member ${short} has -100 paise at the end of ${DAY}` }])
  expect((await world.statuses())[DAY]).toBe('settled')
  expect((await world.join(short)).status).toBe(200)
  await world.goTo('2026-11-23T00:00:05+05:30')
  expect(await world.statuses()).toMatchObject({ [DAY]: 'settled', [NEXT]: 'settled', '2026-11-23': 'open' })
  expect(await world.db.query(sql`select day from ledger_day where sealed_at is null and day < ist_day(roz_now())`)).toEqual([])
  expect([await isPublished(DAY), await isPublished(NEXT)]).toEqual([false, false])
  expect(await readiness()).toEqual({ status: 'ready', alarms: [{ code: 'books_held', day: DAY, waiting: 1 }], parked: 0 })
  // The alarm is raised with each try, once an hour, not with each tick.
  expect(complaints()).toHaveLength(1)
  await world.goTo('2026-11-23T00:30:00+05:30')
  expect(complaints()).toEqual([])
})

test('roz books list says which day is held and why; once covered, all days follow and pass both verifiers', async () => {
  complaints()
  expect((await world.join(short)).status).toBe(200)
  await world.goTo('2026-11-23T00:00:05+05:30')
  complaints()
  const { code, said } = await command()
  expect(code).toBe(0)
  expect(said).toContain(`The books of ${DAY} are held since`)
  expect(said).toContain(`member ${short} has -100 paise at the end of ${DAY}`)
  expect(said).toContain('1 day waits behind it.')
  // Tried again unchanged, the day is held again.
  expect(await command('retry')).toEqual({ code: 0, said: `The books of ${DAY} are tried again now.` })
  await world.runDue()
  expect(complaints()).toHaveLength(1)
  expect(await isPublished(DAY)).toBe(false)
  expect(await command('cover')).toEqual({ code: 0, said: `The books of ${DAY} are tried again now, and covered.` })
  await world.runDue()
  expect([await isPublished(DAY), await isPublished(NEXT)]).toEqual([true, true])
  const flowsOf = async (day: string) => ((await world.ask(`GET /public/books/${day}`)).body as { flows: unknown[] }).flows
  expect(await flowsOf(DAY)).toContainEqual({ kind: 'cover', from: 'LOSSES', to: 'MEMBERS', paise: 100 })
  expect(await flowsOf(NEXT)).toContainEqual({ kind: 'cover_back', from: 'MEMBERS', to: 'LOSSES', paise: 100 })
  for (const day of [DAY, NEXT])
    for (const { code: verdict, text } of await Promise.all([verifyDay({ url: world.url, day }), verifyDayByTwin({ url: world.url, day })]))
      expect(verdict, text).toBe(VERDICT.weak)
  expect(await readiness()).toMatchObject({ status: 'ready', alarms: [] })
  expect((await world.ask(`GET /user/liabilities/${DAY}`, { as: short })).body).toMatchObject({ balance: 0, held: 0, parts: [] })
  expect(await command()).toEqual({ code: 0, said: 'No books are held.' })
  expect(await command('cover')).toEqual({ code: 0, said: 'No books are held.' })
  expect((await command('mend')).code).toBe(1)
  const written = await world.db.query(sql`select action, subject from audit_log where action like 'books.%' order by id`)
  expect(written).toEqual(['retry', 'cover'].map((word) => ({ action: `books.${word}`, subject: `books:${DAY}` })))
})
