/** A day drawn by a beacon: a chain with a key of the test's own, over real relays. */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import { roundTimeMs } from '../../adapters/beacon/port.ts'
import { isRoundSignature } from '../../adapters/beacon/chain.ts'
import { one, sql } from '../../db/sql.ts'
import { makeChain, startRelay, type TestRelay } from '../../testing/beacon-relay.ts'
import { openRoundsWorld, type RoundsWorld } from '../../testing/rounds-world.ts'

const made = makeChain()
const { chain } = made
const relays: TestRelay[] = []
let world: RoundsWorld
let clockErrorMs = 0
const relayNow = async (): Promise<number> => (await world.clock.read()).getTime() + clockErrorMs

beforeAll(async () => {
  relays.push(await startRelay(made, relayNow), await startRelay(made, relayNow))
  world = await openRoundsWorld({ beacon: { chain, relays: relays.map(({ url }) => url) } })
})
afterAll(async () => {
  await world.close()
  for (const relay of relays) await relay.close()
})
let today = '2026-11-21' as IstDay
let member: bigint
const all = (mood: TestRelay['mood']): void => {
  for (const relay of relays) relay.mood = mood
}
beforeEach(async () => {
  all('good')
  clockErrorMs = 0
  today = addDays(today, 1)
  await world.goTo(`${today}T10:00:00+05:30`)
  member = await world.member(5)
  expect((await world.join(member)).status).toBe(200)
})
const tomorrow = (time: string): string => `${addDays(today, 1)}T${time}+05:30`
const statusOf = async (): Promise<string | undefined> => (await world.statuses())[today]
const record = async (kind: string): Promise<Record<string, unknown>> =>
  (await world.log()).find((found) => found.kind === kind && found.day === today) as Record<string, unknown>
/** What the log complained about; to be told, or a test fails at its end. */
const complaints = (): string[] => world.faults.splice(0).map(String)

test('is sealed at midnight, waits fifteen minutes, and is drawn by the round that its close record named', async () => {
  expect(await record('open')).toMatchObject({ draw: { mode: 'beacon', chainHash: chain.chainHash, publicKey: chain.publicKey } })
  await world.goTo(tomorrow('00:00:02'))
  expect(await statusOf()).toBe('closed')
  const close = await record('close')
  const drawAt = Number(close['sealedAt']) + 900_000
  expect(roundTimeMs(chain, Number(close['round']))).toBeGreaterThanOrEqual(drawAt)
  expect(roundTimeMs(chain, Number(close['round']) - 1)).toBeLessThan(drawAt)
  await world.goTo(tomorrow('00:14:00'))
  expect(await statusOf()).toBe('closed')
  await world.goTo(tomorrow('00:15:30'))
  expect(await statusOf()).toBe('settled')
  const result = await record('result')
  const signature = Buffer.from(String(result['signature']), 'hex')
  expect(isRoundSignature(chain, Number(close['round']), signature)).toBe(true)
  expect(result['randomness']).toBe(createHash('sha256').update(signature).digest('hex'))
  expect(result).not.toHaveProperty('secret')
  expect(await world.balance(member)).toBe(430n)
  expect(complaints()).toEqual([])
})

test('with one relay down and then the other lying it is drawn all the same', async () => {
  ;(relays[0] as TestRelay).mood = 'down'
  await world.goTo(tomorrow('00:00:02'))
  ;(relays[0] as TestRelay).mood = 'wrong signature'
  await world.goTo(tomorrow('00:16:00'))
  expect(await statusOf()).toBe('settled')
})

test.each(['down', 'wrong signature', 'wrong round', 'wrong chain'] satisfies TestRelay['mood'][])(
  'with every relay %s it waits as closed with its drawAt, the next day goes on, and it is drawn once they are back',
  async (mood) => {
    await world.goTo(tomorrow('00:00:02'))
    all(mood)
    await world.goTo(tomorrow('05:00:00'))
    expect(await statusOf()).toBe('closed')
    const { drawAt } = await one<{ drawAt: Date }>(world.db, sql`select draw_at as "drawAt" from round where day = ${today}::date`)
    expect(drawAt.getTime()).toBe(Number((await record('close'))['sealedAt']) + 900_000)
    expect((await world.join(member)).status).toBe(200)
    all('good')
    await world.goTo(tomorrow('06:00:00'))
    expect(await statusOf()).toBe('settled')
    today = addDays(today, 1)
  },
)

test('away at midnight already: the list is sealed by our own clock, and said so', async () => {
  all('down')
  await world.goTo(tomorrow('00:00:02'))
  expect(await record('close')).toMatchObject({ count: 1 })
  expect(complaints()).toHaveLength(1)
})

test.each([
  ['behind', 40_000],
  ['ahead', -40_000],
])('our clock more than 30 s %s of the newest round: sealing waits, and goes on when they agree', async (_which, errorMs) => {
  clockErrorMs = errorMs
  await world.goTo(tomorrow('00:00:02'))
  expect(await statusOf()).toBe('closed')
  expect(await record('close')).toBeUndefined()
  expect(complaints().length).toBeGreaterThan(0)
  // The day after it takes joins meanwhile.
  expect((await world.join(member)).status).toBe(200)
  clockErrorMs = 0
  await world.goTo(tomorrow('00:03:00'))
  const close = await record('close')
  expect(Number(close['sealedAt'])).toBeGreaterThanOrEqual(Date.parse(tomorrow('00:03:00')))
  await world.goTo(tomorrow('00:20:00'))
  expect(await statusOf()).toBe('settled')
  today = addDays(today, 1)
})

test('triggered by hand it is sealed and answers 202 with its drawAt; asked again it is waiting', async () => {
  const { status, body } = await world.trigger({ day: today })
  expect(body['message']).toBe('The round is closed and waits for its public random number. The draw follows by itself.')
  expect({ status, round: body['round'] }).toMatchObject({ status: 202, round: { status: 'closed', drawAt: expect.any(String) } })
  const again = await world.trigger({ day: today })
  expect({ status: again.status, ...again.body }).toMatchObject({ status: 409, code: 'draw_waiting' })
  await world.goTo(`${today}T10:20:00+05:30`)
  expect(await statusOf()).toBe('settled')
  const { asked } = await one<{ asked: bigint }>(
    world.db,
    sql`select count(*) as asked from audit_log where action = 'round.trigger_draw' and subject = ${`round:${today}`}::text`,
  )
  expect(asked).toBe(1n)
})

test('without its number for thirty days, while relays prove that the chain stands still, it ends void and every rupee goes back; nothing sooner', async () => {
  await world.goTo(tomorrow('00:00:02'))
  expect(await world.balance(member)).toBe(400n)
  all('down')
  await world.goTo(`${addDays(today, 31)}T00:14:00+05:30`)
  expect(await statusOf()).toBe('closed')
  expect(await world.balance(member)).toBe(400n)
  // Silence is no proof: it may have appeared long ago.
  for (const time of ['00:17:00', '00:19:00', '00:21:00', '00:23:00']) await world.goTo(`${addDays(today, 31)}T${time}+05:30`)
  expect(await statusOf()).toBe('closed')
  // Nor does one look say enough, of relays that may be behind.
  all('good')
  clockErrorMs = -32 * 86_400_000
  await world.goTo(`${addDays(today, 31)}T00:25:00+05:30`)
  expect(await statusOf()).toBe('closed')
  expect(await world.balance(member)).toBe(400n)
  for (const time of ['00:27:00', '00:29:00']) await world.goTo(`${addDays(today, 31)}T${time}+05:30`)
  expect(await statusOf()).toBe('void')
  expect(await world.balance(member)).toBe(500n)
  expect(await record('void')).toMatchObject({ reason: 'beacon', returned: 100 })
  expect(await record('result')).toBeUndefined()
  // Two days cannot be closed while nobody tells the time: each of the missed ones was told of.
  complaints()
})
