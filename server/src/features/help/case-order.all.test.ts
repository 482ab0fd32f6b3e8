/** “Let the day decide”: who may list what until when, a list against the close of its round, and the order of the day's seed. */
import { caseOrder } from '@roz/core/case-order.ts'
import { nextDay } from '@roz/core/ist-day.ts'
import { expect, test } from 'vitest'
import { sql, sqlState } from '../../db/sql.ts'
import { createJoinBatcher } from '../../ledger/join-batcher.ts'
import { inClockwork } from '../../ledger/round-lock.ts'
import { closeRound } from '../../ledger/rounds.ts'
import { DAY, drawWinners, endDay, newMember, openDay } from '../../ledger/testing/fixtures.ts'
import { MEERA, openHelpWorld } from '../../testing/help-world.ts'
import { sha256 } from '../../tickets/sha256.ts'
import { perTest } from '../../testing/fixture.ts'

const LOGGED = { freezeHelpOrder: 'help_order.freeze' }

const world = perTest(openHelpWorld)

let phones = 0
const FORM = { for: 'self', kind: 'food', words: 'Rice for my family.', district: 'Pune', state: 'MH', name: 'Gita Rao' }
const asked = async (): Promise<string> =>
  (await world.calls.ask('POST /ask-for-help', { body: { ...FORM, phone: `97${String(++phones).padStart(8, '0')}` } })).body.number
const step = (number: string, name: string, version: number) =>
  world.calls.ask(`POST /admin/help-cases/${number}/steps`, {
    as: world.staff.editor,
    body: { step: name, how: 'call', note: 'A short note.', version },
  })
async function agreed(): Promise<string> {
  const number = await asked()
  await step(number, 'checked', 1)
  const body = { amount: 500, note: 'Both have seen it.', beneficiary: MEERA, version: 2 }
  const { status, text } = await world.calls.ask(`POST /admin/help-cases/${number}/agree`, { as: world.staff.editor, body })
  if (status !== 200) throw new Error(text)
  return number
}
const agreedCases = async (count: number): Promise<string[]> => {
  const numbers: string[] = []
  for (let n = 0; n < count; n++) numbers.push(await agreed())
  return numbers.sort()
}
const freeze = (numbers: readonly string[], day: string = DAY, as = world.staff.editor) =>
  world.calls.ask(`PUT /admin/help-order/${day}`, { as, body: { numbers } })
const offered = async () => (await world.calls.ask('GET /admin/help-order', { as: world.staff.finance })).body
const kept = () => world.db.query<{ day: string; numbers: string[] }>(sql`select day, numbers from help_order order by day`)
const entrant = async (): Promise<bigint> => {
  const member = await newMember(world.db, { rupees: 5 })
  expect((await createJoinBatcher({ db: world.db }).join({ memberId: member })).ok).toBe(true)
  return member
}

test('agreed requests are listed for today, the list can change until its round closes, and the staff log has each change', async () => {
  const [first, second, third] = (await agreedCases(3)) as [string, string, string]
  expect(await offered()).toMatchObject({ day: DAY, numbers: [] })
  expect((await offered()).agreed.map(({ number }: { number: string }) => number).sort()).toEqual([first, second, third])
  expect((await freeze([third, `#${first.toLowerCase()}`, third])).body).toEqual({ day: DAY, numbers: [first, third] })
  expect((await freeze([second, third])).status).toBe(200)
  expect(await kept()).toEqual([{ day: DAY, numbers: [second, third] }])
  const log = await world.db.query(
    sql`select actor_id as by, before, after from audit_log where action = ${LOGGED.freezeHelpOrder}::text and subject = ${`round:${DAY}`}::text order by id`,
  )
  expect(log).toEqual([
    { by: world.staff.editor, before: { numbers: [] }, after: { numbers: [first, third] } },
    { by: world.staff.editor, before: { numbers: [first, third] }, after: { numbers: [second, third] } },
  ])
})

test('a list that somebody else changed meanwhile is not overwritten by a person who did not see it', async () => {
  const [first, second, third] = (await agreedCases(3)) as [string, string, string]
  const { seen } = await offered()
  const give = (numbers: readonly string[], saw: string) =>
    world.calls.ask(`PUT /admin/help-order/${DAY}`, { as: world.staff.finance, body: { numbers, seen: saw } })
  expect((await give([first, second, third], seen)).status).toBe(200)
  const late = await give([first, second], seen)
  expect([late.status, late.body.code]).toEqual([409, 'changed_since_seen'])
  expect(await kept()).toEqual([{ day: DAY, numbers: [first, second, third] }])
  expect((await give([first, second], (await offered()).seen)).status).toBe(200)
})

test('one request, an unknown one, one that nobody agreed to and another day are refused', async () => {
  const [first, second] = (await agreedCases(2)) as [string, string]
  const unjudged = await asked()
  expect((await freeze([first, first])).body).toMatchObject({ code: 'invalid_input', fields: { numbers: expect.any(String) } })
  expect((await freeze([first, 'ZZZZZZ'])).body.code).toBe('case_not_found')
  expect((await freeze([first, 'no number'])).body.code).toBe('case_not_found')
  expect((await freeze([first, unjudged])).body.code).toBe('case_not_agreed')
  for (const day of ['2026-11-20', '2026-11-22', 'today']) expect((await freeze([first, second], day)).body.code).toBe('round_closed')
  expect(await kept()).toEqual([])
})

test('one whose person revoked the consent is neither offered nor taken', async () => {
  const [first, second, third] = (await agreedCases(3)) as [string, string, string]
  await world.db.query(
    sql`update beneficiary set revoked_at = roz_now() where id = (select beneficiary_id from help_case where number = ${first}::text)`,
  )
  expect((await offered()).agreed.map(({ number }: { number: string }) => number).sort()).toEqual([second, third])
  expect((await freeze([first, second])).body.code).toBe('case_not_agreed')
  expect((await freeze([second, third])).status).toBe(200)
})

test('a list that is frozen while its round closes is whole or refused, and never changes later', async () => {
  const numbers = await agreedCases(2)
  const more = [...numbers, await agreed()].sort()
  await entrant()
  const [[one, other], closed] = await Promise.all([
    Promise.all([freeze(numbers), freeze(more, DAY, world.staff.finance)]),
    inClockwork(world.db, (tx) => closeRound(tx, DAY, { early: true })),
  ])
  expect(closed.ok).toBe(true)
  for (const { status, body } of [one, other]) if (status !== 200) expect(body.code).toBe('round_closed')
  const before = await kept()
  if ([one, other].every(({ status }) => status !== 200)) expect(before).toEqual([])
  else expect([numbers, more]).toContainEqual(before[0]?.numbers)
  expect((await freeze(numbers)).body.code).toBe('round_closed')
  expect(await kept()).toEqual(before)
})

test('of two lists for a day at once the second sees the first, and the staff log says what it replaced', async () => {
  const numbers = await agreedCases(2)
  const more = [...numbers, await agreed()].sort()
  const answers = await Promise.all([freeze(numbers), freeze(more, DAY, world.staff.finance)])
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  const log = await world.db.query<{ before: { numbers: string[] }; after: { numbers: string[] } }>(
    sql`select before, after from audit_log where action = ${LOGGED.freezeHelpOrder}::text order by id`,
  )
  expect(log[0]?.before).toEqual({ numbers: [] })
  expect(log[1]?.before).toEqual(log[0]?.after)
  expect((await kept())[0]?.numbers).toEqual(log[1]?.after.numbers)
})

test('a request with a drawn place is not listed again; a list of a day without a seed blocks nothing', async () => {
  const [first, second, third, fourth] = (await agreedCases(4)) as [string, string, string, string]
  const member = await entrant()
  expect((await freeze([first, second])).status).toBe(200)
  await endDay(world.database, DAY)
  const tomorrow = nextDay(DAY)
  await openDay(world.database, tomorrow)
  expect((await freeze([first, third], tomorrow)).status).toBe(200)
  await drawWinners(world.db, DAY, [member])
  const again = await freeze([first, third], tomorrow)
  expect([again.status, again.body.code]).toEqual([409, 'case_ordered'])
  expect((await offered()).agreed.map(({ number }: { number: string }) => number).sort()).toEqual([third, fourth])
  expect((await freeze([third, fourth], tomorrow)).status).toBe(200)
})

test('the database refuses a list after the close, and the close waits for a list that is being written', async () => {
  const numbers = await agreedCases(2)
  await entrant()
  expect((await freeze(numbers)).status).toBe(200)
  await endDay(world.database, DAY)
  const write = (statement: ReturnType<typeof sql>) => world.db.query(statement).then(() => 'written', sqlState)
  expect(await write(sql`update help_order set numbers = '{AAAA,BBBB}' where day = ${DAY}::date`)).toBe('RZ003')
  expect(await write(sql`update help_order set day = ${DAY}::date where day = ${DAY}::date`)).toBe('RZ003')
  expect(await kept()).toEqual([{ day: DAY, numbers }])
})

test('the seed orders the list, each request knows its place, and a withdrawn one keeps its number', async () => {
  const numbers = await agreedCases(4)
  const gone = numbers[1] as string
  const member = await entrant()
  await freeze(numbers)
  expect((await step(gone, 'withdrawn', 3)).status).toBe(200)
  const listed = async () =>
    (await world.calls.ask('GET /admin/help-cases', { as: world.staff.auditor })).body.cases as {
      number: string
      order: { place: number | null }
    }[]
  for (const { order } of await listed()) expect(order).toEqual({ day: DAY, of: 4, place: null })
  // Without the withdrawn request the list still can change, and with it as well.
  expect((await freeze(numbers)).status).toBe(200)
  await endDay(world.database, DAY)
  await drawWinners(world.db, DAY, [member])
  const [row] = await world.db.query<{ seed: Buffer }>(sql`select seed from round where day = ${DAY}::date`)
  const order = caseOrder(sha256, row?.seed ?? Buffer.alloc(0), numbers)
  const places = (await listed()).map(({ number, order: { place } }) => [number, place])
  expect(Object.fromEntries(places)).toEqual(Object.fromEntries(order.map((number, index) => [number, index + 1])))
})
