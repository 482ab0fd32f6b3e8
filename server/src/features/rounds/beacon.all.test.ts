/** Draws by a beacon: a chain with a key of this test, served by real HTTP relays. */
import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import { roundTimeMs } from '../../adapters/beacon/port.ts'
import { isRoundSignature } from '../../adapters/beacon/chain.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { listParked, runAgain } from '../../jobs/parking.ts'
import { closeWallet, giveRest } from '../../ledger/closing.ts'
import { makeChain, startRelay, type TestRelay } from '../../testing/beacon-relay.ts'
import { breakRows } from '../../testing/database.ts'
import { openRoundsWorld } from '../../testing/rounds-world.ts'
import { VERDICT, verifyDay, verifyDayByTwin } from '../../testing/verifier.ts'
import { allNotices } from '../../testing/notices.ts'
import { perFile } from '../../testing/fixture.ts'

const made = makeChain()
const { chain } = made
let clockErrorMs = 0
const relayNow = async (): Promise<number> => (await world.clock.read()).getTime() + clockErrorMs
const relays = [perFile(() => startRelay(made, relayNow)), perFile(() => startRelay(made, relayNow))]
const world = perFile(() => openRoundsWorld({ beacon: { chain, relays: relays.map(({ url }) => url) } }))

let today = '2026-11-21' as IstDay
let member: bigint
const all = (mode: TestRelay['mode']): void => {
  for (const relay of relays) relay.mode = mode
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
/** The notices about returned rupees, the oldest first. */
const returned = async () => (await allNotices(world.db)).filter(({ kind }) => kind === 'round_returned')
/** Takes the errors that the server logged. A test that leaves one fails at its end. */
const complaints = (): string[] =>
  world.faults.splice(0).map((fault) => JSON.stringify(fault, (_k, v: unknown) => (v instanceof Error ? v.stack : v)))

test('a round is sealed at midnight, waits fifteen minutes, and is drawn by the beacon round that its close record named', async () => {
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

test('a round is drawn though one relay is down and later lies', async () => {
  ;(relays[0] as TestRelay).mode = 'down'
  await world.goTo(tomorrow('00:00:02'))
  ;(relays[0] as TestRelay).mode = 'wrong signature'
  await world.goTo(tomorrow('00:16:00'))
  expect(await statusOf()).toBe('settled')
})

test.each(['down', 'wrong signature', 'wrong round', 'wrong chain'] satisfies TestRelay['mode'][])(
  'with every relay %s a round stays closed with its drawAt, the next day continues, and the draw follows once they are back',
  async (mode) => {
    await world.goTo(tomorrow('00:00:02'))
    all(mode)
    await world.goTo(tomorrow('05:00:00'))
    expect(await statusOf()).toBe('closed')
    const { drawAt } = await world.db.one<{ drawAt: Date }>(sql`select draw_at as "drawAt" from round where day = ${today}::date`)
    expect(drawAt.getTime()).toBe(Number((await record('close'))['sealedAt']) + 900_000)
    expect((await world.join(member)).status).toBe(200)
    all('good')
    await world.goTo(tomorrow('06:00:00'))
    expect(await statusOf()).toBe('settled')
    today = addDays(today, 1)
  },
)

test('with every relay down at midnight the list is sealed by our own clock, with a warning in the log', async () => {
  all('down')
  await world.goTo(tomorrow('00:00:02'))
  expect(await record('close')).toMatchObject({ count: 1 })
  expect(complaints().filter((line) => !line.includes('hours'))).toHaveLength(1)
})

test.each([
  ['behind', 40_000],
  ['ahead', -40_000],
])('with our clock more than 30 s %s of the newest round sealing waits, and continues when they agree', async (_which, errorMs) => {
  clockErrorMs = errorMs
  await world.goTo(tomorrow('00:00:02'))
  expect(await statusOf()).toBe('closed')
  expect(await record('close')).toBeUndefined()
  expect(complaints().length).toBeGreaterThan(0)
  // The next day takes joins meanwhile.
  expect((await world.join(member)).status).toBe(200)
  clockErrorMs = 0
  await world.goTo(tomorrow('00:03:00'))
  const close = await record('close')
  expect(Number(close['sealedAt'])).toBeGreaterThanOrEqual(Date.parse(tomorrow('00:03:00')))
  await world.goTo(tomorrow('00:20:00'))
  expect(await statusOf()).toBe('settled')
  today = addDays(today, 1)
})

test('a trigger by hand seals the round and answers 202 with its drawAt; a second one answers that the draw waits', async () => {
  const { status, body } = await world.trigger({ day: today })
  expect(body['message']).toBe('The round is closed and waits for its public random number. The draw follows by itself.')
  expect({ status, round: body['round'] }).toMatchObject({ status: 202, round: { status: 'closed', drawAt: expect.any(String) } })
  const again = await world.trigger({ day: today })
  expect({ status: again.status, ...again.body }).toMatchObject({ status: 409, code: 'draw_waiting' })
  await world.goTo(`${today}T10:20:00+05:30`)
  expect(await statusOf()).toBe('settled')
  const { asked } = await world.db.one<{ asked: bigint }>(
    sql`select count(*) as asked from audit_log where action = 'round.trigger_draw' and subject = ${`round:${today}`}::text`,
  )
  expect(asked).toBe(1n)
})

const day = (count: number, time: string): string => `${addDays(today, count)}T${time}+05:30`
/** Asks the relays three times, as often as a void needs. */
const lookThrice = async (count: number, hour: string): Promise<void> => {
  for (const minute of ['01', '03', '05']) await world.goTo(day(count, `${hour}:${minute}:30`))
}

test('a list that waits for its seal over a second midnight does not keep the clockwork busy', async () => {
  // The next day is over too, and cannot be closed before the list of this one is sealed.
  await world.database.setClock(new Date(`${addDays(today, 2)}T00:00:01+05:30`))
  let portions = 0
  while (portions < 20 && (await world.rounds.due())) portions++
  expect(await world.statuses()).toMatchObject({ [today]: 'closed', [addDays(today, 1)]: 'open' })
  expect(portions).toBeLessThan(5)
  for (const hour of [10, 11]) await world.goTo(`${addDays(today, 2)}T${hour}:00:00+05:30`)
  expect(await world.statuses()).toMatchObject({ [today]: 'settled', [addDays(today, 1)]: 'void', [addDays(today, 2)]: 'open' })
  today = addDays(today, 2)
})

describe('a round whose beacon number is missing', () => {
  test('ends void after thirty days of 404 from every relay: every rupee is returned, and showing the number disproves it', async () => {
    await world.goTo(tomorrow('00:00:02'))
    const others = [await world.member(2), await world.member(3)]
    const round = Number((await record('close'))['round'])
    all('none')
    await world.goTo(tomorrow('00:20:00'))
    await lookThrice(15, '10')
    await world.goTo(day(31, '00:05:00'))
    await lookThrice(31, '00')
    // The 30 days end at a quarter past midnight.
    expect([await statusOf(), await world.balance(member)]).toEqual(['closed', 400n])
    await world.goTo(day(31, '00:16:00'))
    expect([await statusOf(), await world.balance(member)]).toEqual(['void', 500n])
    expect(await Promise.all(others.map((other) => world.balance(other)))).toEqual([200n, 300n])
    expect(await record('void')).toMatchObject({ reason: 'beacon', returned: 100 })
    expect(await record('result')).toBeUndefined()
    expect((await returned()).map(({ memberId, data }) => [memberId, data])).toEqual([[member, { day: today }]])
    const mails = world.jobs.filter(({ payload }) => payload['template'] === 'round_returned')
    expect(mails.map(({ payload }) => payload)).toMatchObject([{ data: { day: today } }])
    expect(complaints().some((line) => line.includes(today))).toBe(true)
    await expectVoidShown(round)
    // The number appears after all: no money moves any more.
    all('good')
    await world.goTo(day(32, '00:20:00'))
    expect([await statusOf(), await world.balance(member)]).toEqual(['void', 500n])
    expect(await record('result')).toBeUndefined()
    expect((await world.trigger({ day: today })).body['code']).toBe('round_already_closed')
    complaints()
    // The account can be closed now. The transaction is rolled back: the audit requires a complete closing.
    const outcomes: unknown[] = []
    const closing = inTransaction(world.db, async (tx) => {
      outcomes.push(await closeWallet(tx, member))
      await giveRest(tx, { memberId: member, ref: crypto.randomUUID() })
      outcomes.push(await closeWallet(tx, member))
      throw new Error('rolled back')
    })
    await expect(closing).rejects.toThrow('rolled back')
    expect(outcomes).toMatchObject([{ ok: false, code: 'money_left' }, { ok: true }])
    today = addDays(today, 32)
  })

  test('gives the rupees of all members back but one whose wallet fails, and that one after it is mended', async () => {
    const others = [await world.member(5), await world.member(5)]
    for (const other of others) await world.join(other)
    const [failing = 0n] = others
    await world.goTo(tomorrow('00:00:02'))
    all('none')
    await world.goTo(tomorrow('00:20:00'))
    await lookThrice(15, '10')
    await world.goTo(day(31, '00:05:00'))
    await lookThrice(31, '00')
    const mend = await breakRows(world.database, 'wallet', `new.member_id = ${failing}`)
    await world.goTo(day(31, '00:16:00'))
    for (const minute of [17, 18, 19, 20, 21]) await world.goTo(day(31, `00:${minute}:00`))
    const balances = () => Promise.all([member, ...others].map((id) => world.balance(id)))
    expect([await statusOf(), ...(await balances())]).toEqual(['closed', 500n, 400n, 500n])
    const [parked] = await listParked(world.db)
    expect(parked).toMatchObject({
      work: 'give_back',
      item: today,
      error: expect.stringContaining(`member ${failing}: error: broken on purpose`),
    })
    expect((await returned()).slice(-2).map(({ memberId }) => memberId)).not.toContain(failing)
    await mend()
    expect(await runAgain(world.db, 'give_back', today)).toBe(true)
    await world.goTo(day(31, '00:22:00'))
    expect([await statusOf(), ...(await balances())]).toEqual(['void', 500n, 500n, 500n])
    expect(await listParked(world.db)).toEqual([])
    complaints()
    today = addDays(today, 31)
  })

  /** Checks how verifiers, public pages and the member see a day that ended void. */
  async function expectVoidShown(round: number): Promise<void> {
    await world.goTo(day(32, '00:10:00'))
    const asked = { url: world.url, day: today, chainHash: chain.chainHash }
    const signature = made.sign(round).toString('hex')
    for (const { code, text } of await Promise.all([verifyDay(asked), verifyDayByTwin(asked)])) expect(code, text).toBe(VERDICT.weak)
    const shown = [verifyDay(asked, '--beacon-signature', signature), verifyDayByTwin(asked, '--drand', signature)]
    for (const { code, text } of await Promise.all(shown)) expect(code, text).toBe(VERDICT.fail)
    // A signature of another beacon round proves nothing.
    const other = await verifyDay(asked, '--beacon-signature', made.sign(round + 1).toString('hex'))
    expect(other.code, other.text).toBe(VERDICT.weak)
    // The books of the day on which the money was returned.
    const returned = { ...asked, day: addDays(today, 31) }
    for (const { code, text } of await Promise.all([verifyDay(returned), verifyDayByTwin(returned)])) expect(code, text).toBe(VERDICT.pass)
    const view = (await world.ask(`GET /public/days/${today}`)).body['day'] as Record<string, unknown>
    expect(view).toMatchObject({ status: 'void', entries: 1, intake: 1, winners: [], assurance: 'weak' })
    const { results } = (await world.ask('GET /rounds/history?limit=100', { as: member })).body as { results: Record<string, unknown>[] }
    expect(results.find(({ date }) => date === today)).toMatchObject({ status: 'void', participated: true, isWinner: false, winner: null })
    const own = await world.ask(`GET /user/tickets/${today}`, { as: member })
    expect(own.body).toMatchObject({ day: today, proof: { position: 0 } })
  }

  test('is drawn as usual when the number appears on the twenty-ninth day', async () => {
    await world.goTo(tomorrow('00:00:02'))
    const round = Number((await record('close'))['round'])
    all('none')
    await lookThrice(1, '01')
    await lookThrice(29, '10')
    expect(await statusOf()).toBe('closed')
    all('good')
    await world.goTo(day(29, '10:08:00'))
    expect(await statusOf()).toBe('settled')
    expect(await record('result')).toMatchObject({ signature: made.sign(round).toString('hex') })
    complaints()
    today = addDays(today, 29)
  })

  test('waits on when relays withhold the number but prove later ones: the number exists', async () => {
    await world.goTo(tomorrow('00:00:02'))
    all('withholds')
    await lookThrice(31, '10')
    await lookThrice(40, '10')
    expect([await statusOf(), await world.balance(member)]).toEqual(['closed', 400n])
    all('good')
    await world.goTo(day(40, '10:10:00'))
    expect(await statusOf()).toBe('settled')
    complaints()
    today = addDays(today, 40)
  })

  test('ends void without any relay’s answer only after a whole day of attempts: the silence may be ours', async () => {
    await world.goTo(tomorrow('00:00:02'))
    all('down')
    // As after a month in which our server did not run.
    await lookThrice(33, '10')
    await lookThrice(33, '11')
    expect(await statusOf()).toBe('closed')
    for (let look = 1; look <= 34 && (await statusOf()) === 'closed'; look++) {
      const at = new Date(Date.parse(day(33, '11:05:30')) + look * 45 * 60_000)
      await world.goTo(at.toISOString())
      if (at.getTime() < Date.parse(day(34, '10:01:00'))) expect(await statusOf()).toBe('closed')
    }
    expect([await statusOf(), await world.balance(member)]).toEqual(['void', 500n])
    complaints()
    today = addDays(today, 34)
  })

  test('ends void when relays prove that the chain stopped before it; one attempt is not enough', async () => {
    await world.goTo(tomorrow('00:00:02'))
    clockErrorMs = -32 * 86_400_000
    await world.goTo(day(31, '00:25:00'))
    expect([await statusOf(), await world.balance(member)]).toEqual(['closed', 400n])
    for (const time of ['00:27:00', '00:29:00']) await world.goTo(day(31, time))
    expect([await statusOf(), await world.balance(member)]).toEqual(['void', 500n])
    complaints()
    today = addDays(today, 31)
  })
})

test('a day whose beacon signature cannot be stored does not delay another day', async () => {
  await world.goTo(tomorrow('00:00:02'))
  const stuck = today
  const { round } = await world.db.one<{ round: bigint }>(sql`select beacon_round as round from round where day = ${stuck}::date`)
  const mend = await breakRows(world.database, 'beacon_signature', `new.round = ${round}`)
  await world.goTo(tomorrow('00:16:00'))
  expect((await world.join(member)).status).toBe(200)
  today = addDays(today, 1)
  await world.goTo(tomorrow('00:00:02'))
  await world.goTo(tomorrow('00:20:00'))
  expect([await statusOf(), (await world.statuses())[stuck]]).toEqual(['settled', 'closed'])
  await mend()
  await world.goTo(tomorrow('02:00:00'))
  expect((await world.statuses())[stuck]).toBe('settled')
  expect(complaints().length).toBeGreaterThan(0)
})
