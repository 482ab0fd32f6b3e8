/** The administrator's draw. A repeated call without a day closes no second round. */
import { expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { inClockwork } from '../../ledger/round-lock.ts'
import { closeRound } from '../../ledger/rounds.ts'
import { openRoundsWorld } from '../../testing/rounds-world.ts'
import { perTest } from '../../testing/fixture.ts'

const world = perTest(openRoundsWorld)

const DAY = '2026-11-21'
const joined = async (): Promise<bigint> => {
  const member = await world.member(10, { name: 'Ravi Kumar' })
  expect((await world.join(member)).status).toBe(200)
  return member
}
const moved = () => world.db.query(sql`select kind from transfer where kind in ('prize', 'need', 'platform') order by kind`)

test('closes, draws and settles today’s round: Draw triggered successfully!', async () => {
  const member = await joined()
  const { status, body } = await world.trigger({ day: DAY })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    message: 'Draw triggered successfully!',
    round: { id: DAY, status: 'settled', totalParticipants: 1, totalAmount: 1 },
  })
  expect(await world.balance(member)).toBe(930n)
  const audit = await world.db.query(sql`select actor_id as actor, action, subject, before, after from audit_log`)
  expect(audit).toEqual([
    {
      actor: world.admin,
      action: 'round.trigger_draw',
      subject: `round:${DAY}`,
      before: { status: 'open' },
      after: { status: 'closed', entries: 1 },
    },
  ])
})

test('without entries is refused: No members have joined yet.', async () => {
  const { status, body } = await world.trigger()
  expect({ status, ...body }).toEqual({ status: 409, code: 'no_participants', message: 'No members have joined yet.' })
  expect((await world.current())['status']).toBe('open')
})

test('a second time on the same day is refused: Today’s round is already closed.', async () => {
  await joined()
  await world.trigger()
  for (const body of [undefined, {}, { day: DAY }]) {
    const again = await world.trigger(body)
    expect({ status: again.status, ...again.body }).toEqual({
      status: 409,
      code: 'round_already_closed',
      message: "Today's round is already closed.",
    })
  }
})

test('leaves today’s round closed: a join answers that the next one opens at midnight', async () => {
  await joined()
  await world.trigger()
  const late = await world.member(10)
  const { status, body } = await world.join(late)
  expect({ status, ...body }).toEqual({
    status: 409,
    code: 'round_closed',
    message: "Today's round is closed. The next one opens at midnight.",
  })
  expect(await world.current(late)).toMatchObject({
    status: 'settled',
    hasParticipated: false,
    endTime: '2026-11-22T00:00:00.000+05:30',
    winChance: 1,
  })
  await world.goTo('2026-11-22T00:00:01+05:30')
  expect((await world.join(late)).status).toBe(200)
})

test('takes the oldest closed and unsettled round first', async () => {
  await joined()
  // As after a crash behind the close: its list is not even written.
  await world.database.setClock(new Date('2026-11-22T00:00:01+05:30'))
  await inClockwork(world.db, (tx) => closeRound(tx, DAY as never))
  expect((await world.trigger()).body).toMatchObject({ round: { id: DAY, status: 'settled' } })
  // A repeat does not close today's round, which is another one.
  expect((await world.join(await world.member(10))).status).toBe(200)
  await expectRepeat()
  expect((await world.statuses())[NEXT]).toBe('open')
  expect((await world.trigger({ day: NEXT })).body).toMatchObject({ round: { id: NEXT, status: 'settled' } })
})

const NEXT = '2026-11-22'
async function expectRepeat(): Promise<void> {
  for (const body of [undefined, {}]) {
    const { status, body: answer } = await world.trigger(body)
    expect({ status, code: answer['code'] }).toEqual({ status: 409, code: 'round_already_closed' })
  }
}

test('repeated without a day after midnight closes no other round; after twelve hours it takes the round of its day', async () => {
  await joined()
  await world.goTo(`${DAY}T23:59:50+05:30`)
  expect((await world.trigger()).body).toMatchObject({ round: { id: DAY, status: 'settled' } })
  await world.goTo(`${NEXT}T00:00:10+05:30`)
  expect((await world.join(await world.member(10))).status).toBe(200)
  await expectRepeat()
  await world.goTo(`${NEXT}T11:59:00+05:30`)
  await expectRepeat()
  expect((await world.statuses())[NEXT]).toBe('open')
  // Twelve hours after the last repeat.
  await world.goTo(`${NEXT}T23:59:10+05:30`)
  expect((await world.trigger()).body).toMatchObject({ round: { id: NEXT, status: 'settled' } })
})

test('repeated without a day after a refusal and midnight closes no other round', async () => {
  await world.goTo(`${DAY}T23:59:50+05:30`)
  expect((await world.trigger()).body['code']).toBe('no_participants')
  await world.goTo(`${NEXT}T00:00:10+05:30`)
  expect((await world.join(await world.member(10))).status).toBe(200)
  expect((await world.trigger()).body['code']).toBe('no_participants')
  expect((await world.statuses())[NEXT]).toBe('open')
  expect((await world.trigger({ day: NEXT })).body).toMatchObject({ round: { id: NEXT, status: 'settled' } })
})

test('a refused call without a day begins twelve hours of its own: its repeat closes no other round', async () => {
  await joined()
  await world.goTo(`${DAY}T20:00:00+05:30`)
  expect((await world.trigger()).body).toMatchObject({ round: { id: DAY, status: 'settled' } })
  await world.goTo(`${NEXT}T07:30:00+05:30`)
  expect((await world.join(await world.member(10))).status).toBe(200)
  await expectRepeat()
  // The first call was more than twelve hours ago, the refused ones were not.
  await world.goTo(`${NEXT}T08:05:00+05:30`)
  await expectRepeat()
  expect((await world.statuses())[NEXT]).toBe('open')
  const subjects = await world.db.query<{ subject: string }>(sql`select subject from audit_log order by id`)
  expect(subjects.map(({ subject }) => subject)).toEqual(Array.from({ length: 5 }, () => `round:${DAY}`))
  expect((await world.trigger({ day: NEXT })).body).toMatchObject({ round: { id: NEXT, status: 'settled' } })
})

test('without a day, received before midnight and executed after it, takes the round of the day it was received', async () => {
  await joined()
  await world.database.setClock(new Date(`${DAY}T23:59:59.900+05:30`))
  // Holds the clockwork's lock until the day has ended and a member has joined the next round.
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
  const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>()
  const holder = inClockwork(world.db, async () => {
    hold()
    await isOver
  })
  await isHeld
  const pressed = world.trigger()
  await expect
    .poll(async () => (await world.db.query(sql`select 1 from pg_locks where locktype = 'advisory' and not granted`)).length)
    .toBe(1)
  await world.database.setClock(new Date(`${NEXT}T00:00:02+05:30`))
  expect((await world.join(await world.member(10))).status).toBe(200)
  end()
  await holder
  const { status, body } = await pressed
  expect(status === 200 ? body['round'] : body).toMatchObject(status === 200 ? { id: DAY } : { code: 'round_already_closed' })
  await world.runDue()
  await expectRepeat()
  expect((await world.statuses())[NEXT]).toBe('open')
})

test('at midnight takes the day that its confirmation showed', async () => {
  const member = await joined()
  await world.database.setClock(new Date('2026-11-22T00:00:00+05:30'))
  const [answer] = await Promise.all([world.trigger({ day: DAY }), world.runDue()])
  expect([200, 409]).toContain(answer.status)
  expect(await world.balance(member)).toBe(930n)
  expect(await moved()).toHaveLength(3)
  expect((await world.statuses())['2026-11-22']).toBe('open')
})

test('several times at once moves the money once', async () => {
  const member = await joined()
  const answers = await Promise.all(Array.from({ length: 6 }, () => world.trigger({ day: DAY })))
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
  expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true)
  expect(await world.balance(member)).toBe(930n)
  expect(await moved()).toHaveLength(3)
})

test('with the same Idempotency-Key gets the first answer, a refusal too; another body answers 409', async () => {
  const key = { 'idempotency-key': 'draw-1' }
  const refused = await world.trigger({ day: DAY }, key)
  expect(refused.body['code']).toBe('no_participants')
  const member = await joined()
  expect((await world.trigger({ day: DAY }, key)).body).toEqual(refused.body)
  const again = { 'idempotency-key': 'draw-2' }
  const answers = await Promise.all([1, 2, 3].map(() => world.trigger({ day: DAY }, again)))
  answers.push(await world.trigger({ day: DAY }, again))
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect(answers[0]?.status).toBe(200)
  expect((await world.trigger({}, again)).body['code']).toBe('idempotency_mismatch')
  expect(await world.balance(member)).toBe(930n)
})

test('races with joins: an accepted join is in the list, and every other one is refused', async () => {
  await joined()
  const members = await Promise.all(Array.from({ length: 30 }, () => world.member(10)))
  const joins = members.map((member) => world.join(member))
  const trigger = world.trigger({ day: DAY })
  const answers = await Promise.all(joins)
  expect((await trigger).status).toBe(200)
  const listed = await world.db.query<{ ticket: Buffer }>(sql`select ticket from ticket where day = ${DAY}::date`)
  const inList = new Set(listed.map(({ ticket }) => ticket.toString('hex')))
  answers.forEach(({ status, body }) => {
    if (status === 200) expect(inList.has(body['ticket'].ticket)).toBe(true)
    if (status !== 200) expect(body['code']).toBe('round_closed')
  })
  // One entry was there before them.
  expect(inList.size).toBe(1 + answers.filter(({ status }) => status === 200).length)
})

test('refuses other days, malformed days and everybody but an administrator', async () => {
  const member = await joined()
  for (const day of ['2026-11-22', '2026-11-20', '1999-01-01', '2030-01-01']) {
    const { status, body } = await world.trigger({ day })
    expect({ status, code: body['code'] }).toEqual({ status: 404, code: 'round_not_found' })
  }
  for (const body of [{ day: '2026-02-30' }, { day: 'today' }, { day: 20261121 }, { date: DAY }])
    expect((await world.trigger(body)).status).toBe(400)
  expect((await world.ask('POST /admin/trigger-draw', { as: member })).status).toBe(403)
  expect((await world.ask('POST /admin/trigger-draw')).status).toBe(401)
  const stale = await world.ask('POST /admin/trigger-draw', { as: world.admin, isStale: true, body: { day: DAY } })
  expect([stale.status, stale.body.code]).toEqual([403, 'step_up_required'])
  expect((await world.current())['status']).toBe('open')
})
