/** Books that cannot be made, for example because a ticket key does not decrypt: the day is held, all else continues. */
import { beforeEach, expect, test } from 'vitest'
import { sql, TransactionTimeoutError } from '../../db/sql.ts'
import { heldBooksNow } from '../../commands/held-books.ts'
import { findHeldBooks } from '../../ledger/held-books.ts'
import { breakRows } from '../../testing/database.ts'
import { operatorApp } from '../../testing/operator.ts'
import { openRoundsWorld } from '../../testing/rounds-world.ts'
import { VERDICT, verifyDay, verifyDayByTwin } from '../../testing/verifier.ts'
import { perTest } from '../../testing/fixture.ts'

const DAYS = ['2026-11-21', '2026-11-22', '2026-11-23'] as const
const [DAY, NEXT] = DAYS
const world = perTest(openRoundsWorld)
/** Has a balance, and joins the first day only. */
let silent: bigint
let other: bigint

beforeEach(async () => {
  silent = await world.member(5)
  other = await world.member(5)
  for (const member of [silent, other]) await world.join(member)
  await world.goTo(`${NEXT}T12:00:00+05:30`)
  await world.join(other)
})

/** Changes one bit of the ciphertext. A second time changes it back. */
const flipBit = (memberId: bigint) =>
  world.db.query(
    sql`update ticket_key set sealed_key = set_byte(sealed_key, 50, get_byte(sealed_key, 50) # 1) where member_id = ${memberId}::bigint`,
  )
const isPublished = async (day: string): Promise<boolean> => (await world.ask(`GET /public/books/${day}`)).status === 200
const alarms = (): unknown[] => world.faults.splice(0)
async function command(...words: string[]): Promise<string> {
  const said: string[] = []
  const target = { databaseUrl: world.database.appUrl, dataDir: '/nowhere', namedStatements: true }
  expect(await heldBooksNow({ ...target, words, say: (line) => void said.push(line) })).toBe(0)
  return said.join('\n')
}
async function readiness(): Promise<unknown> {
  const app = operatorApp(world.db)
  const answer = await app.inject('/readyz')
  await app.close()
  return answer.json()
}

test('an unreadable key holds the books with an alarm that names the member, is tried ever more rarely, and follows its mend', async () => {
  await flipBit(silent)
  await world.goTo('2026-11-23T00:00:05+05:30')
  expect(alarms()).toMatchObject([
    { day: NEXT, memberId: String(silent), found: expect.stringContaining(`the ticket key of member ${silent}`) },
  ])
  expect([await isPublished(DAY), await isPublished(NEXT)]).toEqual([true, false])
  expect(await world.statuses()).toMatchObject({ [NEXT]: 'settled', '2026-11-23': 'open' })
  expect((await world.join(other)).status).toBe(200)
  expect(await readiness()).toEqual({ status: 'ready', alarms: [{ code: 'books_held', day: NEXT, waiting: 0 }], parked: 0 })
  expect(await command()).toContain(`the ticket key of member ${silent} cannot be read`)

  // Tried after a second, then after as long as it has been held.
  const tries: number[] = []
  for (const at of ['01:00', '01:15', '03:00', '04:00', '20:00', '25:00']) {
    await world.goTo(`2026-11-23T00:${at}+05:30`)
    tries.push(alarms().length)
  }
  expect(tries).toEqual([1, 0, 1, 0, 1, 0])
  await world.goTo('2026-11-24T00:00:05+05:30')
  expect(alarms()).toHaveLength(1)
  expect(await readiness()).toMatchObject({ alarms: [{ day: NEXT, waiting: 1 }] })

  await flipBit(silent)
  expect(await command('retry')).toBe(`The books of ${NEXT} are tried again now.`)
  await world.runDue()
  for (const day of DAYS) expect(await isPublished(day)).toBe(true)
  for (const { code, text } of await Promise.all([
    verifyDay({ url: world.url, day: NEXT }),
    verifyDayByTwin({ url: world.url, day: NEXT }),
  ]))
    expect(code, text).toBe(VERDICT.weak)
  expect(await readiness()).toMatchObject({ alarms: [], parked: 0 })
})

test('books that exceed their transaction’s time limit are held after the third try', async () => {
  const slow = await openRoundsWorld({ bookPages: { transactionTimeoutMs: 2000 } })
  await slow.join(await slow.member(5))
  const quicken = await breakRows(slow.database, 'liability_page', "pg_sleep(5)::text = 'never'")
  await slow.database.setClock(new Date(`${NEXT}T00:00:05+05:30`))
  const held = () => findHeldBooks(slow.db)
  let failed = 0
  while ((await held()) === undefined && failed < 10)
    await slow.runDue().catch((error: unknown) => {
      expect(error).toBeInstanceOf(TransactionTimeoutError)
      failed++
    })
  expect(failed).toBeGreaterThan(0)
  expect(await held()).toMatchObject({ day: DAY, found: 'TransactionTimeoutError: a transaction took longer than its limit of 2000 ms' })
  expect(slow.faults.splice(0).at(-1)).toMatchObject({ day: DAY, found: expect.stringContaining('longer than its limit') })
  await quicken()
  await slow.goTo(`${NEXT}T02:00:00+05:30`)
  expect(await held()).toBeUndefined()
  await slow.close()
}, 60_000)
