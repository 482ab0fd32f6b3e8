/** Joining, and reading the current round, over HTTP. */
import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { makeMember } from '../../testing/calls.ts'
import { useRoundsWorld } from '../../testing/rounds-world.ts'

const world = useRoundsWorld()

const DAY = '2026-11-21'
const keyOf = (digit: string): string => digit.repeat(64)
const ticketOf = (key: string, day: string): string =>
  createHmac('sha256', Buffer.from(key, 'hex')).update(`roz/v1/ticket\n${day}`).digest('hex')

test('the current round is cached publicly only for visitors; with any token it is private', async () => {
  const member = await world.member(1)
  const asked = await Promise.all(
    [undefined, member, world.admin].map((as) => world.ask('GET /rounds/current', as === undefined ? {} : { as })),
  )
  expect(asked.map(({ headers }) => [headers.get('vary'), headers.get('cache-control'), headers.get('etag') !== null])).toEqual([
    [
      'Authorization, Accept-Language, Accept-Encoding',
      'public, max-age=0, s-maxage=2, stale-while-revalidate=30, stale-if-error=86400',
      true,
    ],
    ['Authorization, Accept-Language, Accept-Encoding', 'private, no-store', false],
    ['Authorization, Accept-Language, Accept-Encoding', 'private, no-store', false],
  ])
})

test('other origins may read public figures without a token, and nothing else', async () => {
  const allowed = async (path: string, as?: bigint) =>
    (await world.ask(path, as === undefined ? {} : { as })).headers.get('access-control-allow-origin')
  expect([await allowed('GET /public/days'), await allowed('GET /public/days', world.admin)]).toEqual(['*', null])
  expect([await allowed('GET /rounds/current'), await allowed('GET /user/wins', await world.member(0))]).toEqual([null, null])
})

test('an unchanged current round answers 304, with the time of day in a header', async () => {
  const first = await world.ask('GET /rounds/current')
  const etag = first.headers.get('etag') ?? ''
  expect([etag, first.headers.get('x-server-time')]).toEqual([
    expect.stringMatching(/^W\/"/),
    (first.body as { serverTime: string }).serverTime,
  ])
  await world.db.query(sql`select set_clock_offset((select offset_ms from clock_offset) + 5000)`)
  const again = await world.ask('GET /rounds/current', { headers: { 'if-none-match': etag } })
  expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag])
  expect(again.headers.get('x-server-time')).not.toBe(first.headers.get('x-server-time'))
  await world.join(await world.member(2))
  expect((await world.ask('GET /rounds/current', { headers: { 'if-none-match': etag } })).status).toBe(200)
})

describe('joining', () => {
  test('takes one rupee and answers the balance and the ticket of the day', async () => {
    const member = await world.member(10)
    const { status, body } = await world.join(member, { ticketKey: keyOf('1') })
    expect(status).toBe(200)
    expect(body).toEqual({
      balance: 9,
      ticket: { day: DAY, ticket: ticketOf(keyOf('1'), DAY), receipt: expect.objectContaining({ count: 1, index: 0, path: [] }) },
    })
  })

  test('without a key gets a custodial key', async () => {
    const member = await world.member(1)
    const { body } = await world.join(member)
    const { body: key } = await world.ask('GET /user/ticket-key', { as: member })
    expect(key).toEqual({ key: expect.stringMatching(/^[0-9a-f]{64}$/), custodial: true })
    expect(body).toEqual({
      balance: 0,
      ticket: { day: DAY, ticket: ticketOf(String(key['key']), DAY), receipt: expect.objectContaining({ count: 1, index: 0, path: [] }) },
    })
  })

  test('a second time on the same day is refused: You have already joined today’s round.', async () => {
    const member = await world.member(10)
    await world.join(member)
    const { status, body } = await world.join(member)
    expect({ status, ...body }).toEqual({ status: 409, code: 'already_joined', message: "You have already joined today's round." })
    expect(await world.balance(member)).toBe(900n)
  })

  test('with less than one rupee is refused: Insufficient balance. Please add money to your wallet.', async () => {
    const member = await world.member(0.99)
    const { status, body } = await world.join(member, { ticketKey: keyOf('2') })
    expect({ status, ...body }).toEqual({
      status: 409,
      code: 'insufficient_balance',
      message: 'Insufficient balance. Please add money to your wallet.',
    })
    // A refused join keeps nothing, not even its key.
    expect((await world.ask('GET /user/ticket-key', { as: member })).body).toEqual({ key: null, custodial: false })
  })

  test('with an unconfirmed mail, suspended, as staff or as a visitor is refused', async () => {
    const unverified = await makeMember(world.db, { verified: false })
    expect((await world.join(unverified)).body).toMatchObject({
      code: 'email_unverified',
      message: 'Please verify your email to continue.',
    })
    const held = await world.member(10)
    await world.db.query(sql`update wallet set may_move = false where member_id = ${held}::bigint`)
    expect((await world.join(held)).body).toMatchObject({ code: 'on_hold', message: 'Your account is suspended. Please contact us.' })
    expect((await world.join(world.admin)).status).toBe(403)
    expect((await world.ask('POST /rounds/join')).status).toBe(401)
  })

  test('with another member’s key answers 409 and takes nothing', async () => {
    const [first, second] = [await world.member(10), await world.member(10)]
    await world.join(first, { ticketKey: keyOf('3') })
    const { status, body } = await world.join(second, { ticketKey: keyOf('3') })
    expect({ status, code: body['code'] }).toEqual({ status: 409, code: 'ticket_key_taken' })
    expect(await world.balance(second)).toBe(1000n)
    expect((await world.join(second, { ticketKey: keyOf('4') })).status).toBe(200)
  })

  test('with bad input is refused and changes nothing', async () => {
    const member = await world.member(10)
    for (const body of [{ ticketKey: 'ABC' }, { ticketKey: 7 }, { amount: 1 }, [], '{"ticketKey":']) {
      expect((await world.join(member, body)).status).toBe(400)
    }
    expect((await world.join(member, {}, { 'idempotency-key': 'x'.repeat(201) })).status).toBe(400)
    expect(await world.balance(member)).toBe(1000n)
  })

  test('with the same Idempotency-Key gets the first answer; with another or none it answers 409', async () => {
    const member = await world.member(10)
    const key = { 'idempotency-key': 'tap-1' }
    const first = await world.join(member, {}, key)
    await world.fund(member, 500n)
    expect((await world.join(member, {}, key)).body).toEqual(first.body)
    expect((await world.join(member, {}, { 'idempotency-key': 'tap-2' })).status).toBe(409)
    expect((await world.join(member)).status).toBe(409)
    expect(await world.balance(member)).toBe(1400n)
  })

  test('fifty times at once takes one rupee', async () => {
    const member = await world.member(10)
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => world.join(member, i % 2 === 0 ? { ticketKey: keyOf('5') } : undefined)),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(49)
    expect(await world.balance(member)).toBe(900n)
  })

  test('of two members at once with one key admits one', async () => {
    const members = [await world.member(10), await world.member(10)]
    const answers = await Promise.all(members.map((member) => world.join(member, { ticketKey: keyOf('6') })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  })
})

describe('the current round', () => {
  test('is the same for a visitor, without participation', async () => {
    const current = await world.current()
    expect(current).toMatchObject({
      id: DAY,
      status: 'open',
      endTime: '2026-11-22T00:00:00.000+05:30',
      split: { need: 60, reward: 30, platform: 10, winners: 1 },
      hasParticipated: false,
      lastImpactStory: null,
      lastWinner: null,
      drawAt: null,
    })
    expect(String(current['serverTime'])).toMatch(/^2026-11-21T10:0\d:\d\d\.\d{3}\+05:30$/)
  })

  test('includes the reader’s own entry in 1 in N, before and after joining', async () => {
    const member = await world.member(10)
    await new Promise((resolve) => setTimeout(resolve, 1100))
    const before = await world.current(member)
    expect(before['winChance']).toBe(Number(before['totalParticipants']) + 1)
    await world.join(member)
    const after = await world.current(member)
    expect(after).toMatchObject({
      hasParticipated: true,
      totalParticipants: Number(before['totalParticipants']) + 1,
      totalAmount: Number(before['totalAmount']) + 1,
      winChance: before['winChance'],
    })
  })

  test('names no helped person to a visitor, whose answer caches show for a while; members read the story’s title', async () => {
    await world.db.query(sql`
      with b as (insert into beneficiary (id, public_name, is_child, created_by) values (gen_random_uuid(), 'Meera', false, ${world.admin}::bigint) returning id),
        s as (insert into story (id, day, title, description, charity_name, charity_description, video_url, is_active, published_at)
              values (gen_random_uuid(), '2026-11-20', 'Shoes for Meera', 'For school.', 'Meera', 'Shoes', 'https://youtu.be/dQw4w9WgXcQ', true, roz_now()) returning id)
      insert into story_subject (story_id, beneficiary_id) select s.id, b.id from s, b`)
    const seenBy = async (as?: bigint) => (await world.current(as))['lastImpactStory']
    const visitor = { date: '2026-11-20', title: 'Daily impact of 20 November 2026', language: 'en', videoUrl: null }
    expect(await seenBy()).toEqual(visitor)
    expect((await world.ask('GET /rounds/current', { headers: { 'accept-language': 'hi' } })).text).not.toContain('Meera')
    const told = { ...visitor, title: 'Shoes for Meera', videoUrl: 'https://youtu.be/dQw4w9WgXcQ' }
    expect(await seenBy(await world.member(0))).toEqual(told)
  })

  test('is refused with an unknown token, and shown to an administrator as to a visitor', async () => {
    expect((await world.ask('GET /rounds/current', { headers: { authorization: 'Bearer nobody' } })).status).toBe(401)
    expect(await world.current(world.admin)).toMatchObject({ hasParticipated: false })
  })
})

describe('a ticket key', () => {
  test('is replaced at once before the first join, and from the next day after it', async () => {
    const member = await world.member(10)
    const put = (key: string) => world.ask('PUT /user/ticket-key', { as: member, body: { ticketKey: key } })
    const get = async () => (await world.ask('GET /user/ticket-key', { as: member })).body
    expect(await get()).toEqual({ key: null, custodial: false })
    await put(keyOf('7'))
    expect((await put(keyOf('8'))).body).toEqual({ key: keyOf('8'), custodial: false })
    expect(await get()).toEqual({ key: keyOf('8'), custodial: false })
    // A key that comes with a later join is ignored.
    expect((await world.join(member)).body).toMatchObject({ ticket: { ticket: ticketOf(keyOf('8'), DAY) } })
    expect((await put(keyOf('9'))).status).toBe(200)
    expect(await get()).toEqual({ key: keyOf('8'), custodial: false })
    expect((await world.ticketKeys.find(world.db, member, '2026-11-22' as never))?.key).toBe(keyOf('9'))
  })

  test('of another member, even a past one, is refused', async () => {
    const [first, second] = [await world.member(1), await world.member(1)]
    await world.ask('PUT /user/ticket-key', { as: first, body: { ticketKey: keyOf('a') } })
    await world.ask('PUT /user/ticket-key', { as: first, body: { ticketKey: keyOf('b') } })
    const { status, body } = await world.ask('PUT /user/ticket-key', { as: second, body: { ticketKey: keyOf('a') } })
    expect({ status, code: body['code'] }).toEqual({ status: 409, code: 'ticket_key_taken' })
    expect((await world.ask('PUT /user/ticket-key', { as: first, body: { ticketKey: keyOf('a') } })).status).toBe(200)
  })

  test('is stored encrypted', async () => {
    const member = await world.member(1)
    await world.ask('PUT /user/ticket-key', { as: member, body: { ticketKey: keyOf('c') } })
    const rows = await world.db.query<{ bytes: string }>(sql`
      select encode(sealed_key, 'hex') as bytes from ticket_key union all select encode(fingerprint, 'hex') from ticket_key_claim`)
    expect(rows.some(({ bytes }) => bytes.includes(keyOf('c')))).toBe(false)
  })
})
