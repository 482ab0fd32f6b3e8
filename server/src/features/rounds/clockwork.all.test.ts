/** The day, driven by the clock. */
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import { POLICY_A, policyB } from '@roz/core/split.ts'
import { afterEach, describe, expect, test } from 'vitest'
import { connect, sql } from '../../db/sql.ts'
import { allNotices, noticesTo } from '../../testing/notices.ts'
import { openRoundsWorld, type RoundsOptions, type RoundsWorld } from '../../testing/rounds-world.ts'
import { tellLowBalance, tellSkipped } from './notices.ts'

const ALL = process.env.ROZ_TEST_ALL === '1'
/** The most rounds that a year allows; ledger/year.all.test.ts shows that each of them counts once. */
const YEAR = 365
/** How many of those rounds the clock runs through, and for how many days the service is down, past the turn of a year. */
const [WALKED, AWAY] = ALL ? [YEAR, 365] : [10, 60]

let world: RoundsWorld
const open = async (options: RoundsOptions = {}): Promise<RoundsWorld> => (world = await openRoundsWorld(options))
afterEach(() => world.close())

const midnight = (day: string): string => `${day}T00:00:01+05:30`
/** The data of the member's notices of a kind. */
const toldTo = async (member: bigint, kind: string) =>
  (await noticesTo(world.db, member)).filter((notice) => notice.kind === kind).map(({ data }) => data)

const mailsOf = (template: string) => world.jobs.filter((job) => job.payload['template'] === template)

describe('a day', () => {
  test('is closed, drawn and settled at midnight, while the next one is open', async () => {
    await open()
    const winner = await world.member(10, { name: 'Asha Verma' })
    expect((await world.join(winner)).status).toBe(200)
    expect(await world.statuses()).toEqual({ '2026-11-21': 'open', '2026-11-22': 'open' })
    await world.goTo(midnight('2026-11-22'))
    expect(await world.statuses()).toEqual({ '2026-11-21': 'settled', '2026-11-22': 'open', '2026-11-23': 'open' })
    expect(await world.balance(winner)).toBe(930n)
    expect(await world.current()).toMatchObject({
      id: '2026-11-22',
      status: 'open',
      totalParticipants: 0,
      lastWinner: { name: 'Asha V.', amount: 0.3, date: '2026-11-21', assurance: 'weak', isDemo: true, others: 0, tax: 0 },
    })
    expect(world.jobs.filter((job) => job.kind === 'draft_story')).toEqual([{ kind: 'draft_story', payload: { day: '2026-11-21' } }])
    expect(await toldTo(winner, 'won')).toHaveLength(1)
    expect(world.jobs.find((job) => job.kind === 'mail')?.payload).toMatchObject({ template: 'draw_won', data: { amount: '₹0.30' } })
    const sealed = await world.db.one<{ at: Date | null }>(sql`select sealed_at as at from ledger_day where day = '2026-11-21'`)
    expect(sealed.at).not.toBeNull()
  })

  test('without entries ends void; with an entry it is settled', async () => {
    await open({ startsAt: '2027-01-01T12:00:00+05:30' })
    for (let n = 1; n <= 10; n++) await world.goTo(midnight(addDays('2027-01-01' as IstDay, n)))
    const member = await world.member(30)
    for (let n = 1; n <= 5; n++) {
      await world.join(member)
      await world.goTo(midnight(addDays('2027-01-11' as IstDay, n)))
    }
    const ends = Object.values(await world.statuses())
    expect(ends.filter((status) => status === 'void')).toHaveLength(10)
    expect(ends.filter((status) => status === 'settled')).toHaveLength(5)
  })

  test(`is joined 365 times a year with Auto Participate, the last ${WALKED} of them by the clock, and no 366th time`, async () => {
    const first = addDays('2028-12-31' as IstDay, -WALKED)
    await open({ startsAt: `${addDays(first, -1)}T12:00:00+05:30` })
    const member = await world.member(400, { auto: true })
    await world.goTo(midnight(first))
    await world.db.query(sql`update wallet set year_joins = year_joins + ${YEAR - WALKED}::int where member_id = ${member}::bigint`)
    for (let day = addDays(first, 1); day <= '2028-12-30'; day = addDays(day, 1)) {
      await world.goTo(midnight(day))
      expect(await world.entrants(day)).toEqual([member])
    }
    expect((await world.ask('GET /rounds/stats', { as: member })).body).toMatchObject({ totalParticipated: WALKED })
    await world.goTo(midnight('2028-12-31'))
    expect(await world.entrants('2028-12-31')).toEqual([])
    expect(await toldTo(member, 'yearly_maximum')).toEqual([{ year: '2028' }])
    const { status, body } = await world.join(member)
    expect({ status, ...body }).toEqual({ status: 409, code: 'yearly_maximum', message: 'You have reached the yearly maximum of ₹365.' })
    // The only member in every round: 30 paise of each rupee come back.
    expect(await world.balance(member)).toBe(40_000n - BigInt(WALKED) * 70n)
    await world.goTo(midnight('2029-01-01'))
    expect(await world.entrants('2029-01-01')).toEqual([member])
  }, 600_000)
})

describe('after an outage', () => {
  test('the open round is drawn with its entries, missed days end void, and nobody is charged for them', async () => {
    await open()
    const [hand, auto] = [await world.member(10), await world.member(10, { auto: true })]
    await world.join(hand)
    await world.goTo('2026-11-24T09:00:00+05:30')
    expect(await world.statuses()).toEqual({
      '2026-11-21': 'settled',
      '2026-11-22': 'void',
      '2026-11-23': 'void',
      '2026-11-24': 'open',
      '2026-11-25': 'open',
    })
    expect(await world.balance(hand)).toBe(930n)
    expect(await world.balance(auto)).toBe(900n)
    expect(await world.entrants('2026-11-24')).toEqual([auto])
    const history = (await world.ask('GET /rounds/history', { as: hand })).body as unknown as { results: Record<string, unknown>[] }
    expect(history.results.map(({ date, status, participated, isWinner }) => ({ date, status, participated, isWinner }))).toEqual([
      { date: '2026-11-23', status: 'void', participated: false, isWinner: false },
      { date: '2026-11-22', status: 'void', participated: false, isWinner: false },
      { date: '2026-11-21', status: 'settled', participated: true, isWinner: true },
    ])
  })

  test(`of ${AWAY} days, every day has a round in order and is sealed`, async () => {
    await open()
    await world.goTo(`${addDays('2026-11-21' as IstDay, AWAY)}T09:00:00+05:30`)
    // One call of due work has a patience of seconds; the clockwork goes on with the next.
    for (let found = true; found; ) found = await world.rounds.due()
    const days = Object.keys(await world.statuses())
    expect(days).toHaveLength(AWAY + 2)
    const log = await world.log()
    expect(log.filter(({ kind }) => kind === 'open').map(({ day }) => day)).toEqual(days)
    expect(log.filter(({ kind }) => kind === 'void').map(({ day }) => day)).toEqual(days.slice(0, AWAY))
    const { open: unsealed } = await world.db.one<{ open: number }>(
      sql`select count(*)::int as open from ledger_day where sealed_at is null and day < ist_day(roz_now())`,
    )
    expect(unsealed).toBe(0)
  }, 300_000)

  test('of the database connection at any moment, the day continues where it stopped', async () => {
    await open()
    const members = await Promise.all(Array.from({ length: 8 }, () => world.member(12, { auto: true })))
    const killer = connect({ url: world.database.superUrl, max: 1 })
    let kills = 0
    for (let day = '2026-11-22' as IstDay; day <= '2026-11-30'; day = addDays(day, 1)) {
      await world.database.setClock(new Date(midnight(day)))
      for (let pause = 0; pause < 12; pause++) {
        const running = world.rounds.due().catch(() => undefined)
        await new Promise((resolve) => setTimeout(resolve, pause * 2))
        const killed = await killer.query(sql`
          select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = 'roz_app' and state <> 'idle'`)
        kills += killed.length
        await running
      }
      await world.runDue()
    }
    await killer.close()
    world.faults.length = 0
    expect(kills).toBeGreaterThan(10)
    const statuses = await world.statuses()
    expect(Object.values(statuses)).toEqual(['void', ...Array<string>(8).fill('settled'), 'open', 'open'])
    expect(await world.entrants('2026-11-30')).toEqual(members.toSorted((left, right) => Number(left - right)))
    const total = (await Promise.all(members.map((member) => world.balance(member)))).reduce((sum, balance) => sum + balance, 0n)
    expect(total).toBe(8n * 1200n - 9n * 800n + 8n * 240n)
    expect((await world.log()).filter(({ kind }) => kind === 'result')).toHaveLength(8)
    expect(world.jobs.filter((job) => job.kind === 'draft_story')).toHaveLength(8)
  })
})

describe('Auto Participate', () => {
  test('joins at midnight, tells at ₹3, and reports a balance below ₹1 once until the next join', async () => {
    await open()
    const member = await world.member(4, { auto: true })
    const poor = await world.member(0.5, { auto: true })
    const unwilling = await world.member(0.5, { auto: true })
    await world.db.query(sql`update member set wants_mail = false where id = ${unwilling}::bigint`)
    const other = await world.member(30)
    await world.goTo(midnight('2026-11-22'))
    expect(await world.entrants('2026-11-22')).toEqual([member])
    expect(await toldTo(member, 'low_balance')).toEqual([{ balance: '₹3.00' }])
    expect(await toldTo(poor, 'auto_join_skipped')).toEqual([{ day: '2026-11-22' }])
    await world.goTo(midnight('2026-11-23'))
    await world.goTo(midnight('2026-11-24'))
    expect([...(await toldTo(poor, 'auto_join_skipped')), ...(await toldTo(unwilling, 'auto_join_skipped'))]).toHaveLength(2)
    // By mail once as well, and only to the member who wants such mails.
    const { email } = await world.db.one<{ email: string }>(sql`select email from member where id = ${poor}::bigint`)
    expect(mailsOf('auto_join_skipped').map(({ payload }) => payload)).toMatchObject([{ to: email, data: { day: '2026-11-22' } }])
    expect(await toldTo(other, 'low_balance')).toHaveLength(0)
    const wallet = await world.db.one<{ auto: boolean }>(sql`select auto_join as auto from wallet where member_id = ${poor}::bigint`)
    expect(wallet.auto).toBe(true)
  })

  test('tells its members page by page, and each once', async () => {
    await open()
    for (let n = 0; n < 5; n++) await world.member(0.5, { auto: true })
    for (let n = 0; n < 3; n++) await world.member(4, { auto: true })
    await world.goTo(midnight('2026-11-22'))
    const day = '2026-11-22' as IstDay
    await world.db.query(sql`delete from notice`)
    const told = async (kind: string) => (await allNotices(world.db)).filter((notice) => notice.kind === kind)
    for (let run = 0; run < 2; run++) {
      await tellSkipped(world.db, day, 2)
      await tellLowBalance(world.db, day, 2)
      expect(await told('auto_join_skipped')).toHaveLength(5)
      expect(await told('low_balance')).toHaveLength(3)
    }
  })

  test('joins a skipped member after a top-up on the same day', async () => {
    await open()
    const poor = await world.member(0, { auto: true })
    await world.goTo(midnight('2026-11-22'))
    await world.fund(poor, 1000n)
    await world.rounds.jobs.join_after_topup({ memberId: String(poor) })
    await world.rounds.jobs.join_after_topup({ memberId: String(poor) })
    expect(await world.entrants('2026-11-22')).toEqual([poor])
    expect(await world.balance(poor)).toBe(900n)
  })

  test('skips a member who has it off, is suspended, or switched it off before the top-up', async () => {
    await open()
    const [off, held, poor] = [await world.member(10), await world.member(10, { auto: true }), await world.member(0, { auto: true })]
    await world.db.query(sql`update wallet set may_move = false where member_id = ${held}::bigint`)
    await world.goTo(midnight('2026-11-22'))
    await world.db.query(sql`update wallet set auto_join = false where member_id = ${poor}::bigint`)
    await world.fund(poor, 1000n)
    await world.rounds.jobs.join_after_topup({ memberId: String(poor) })
    expect(await world.entrants('2026-11-22')).toEqual([])
    expect(await world.balance(off)).toBe(1000n)
  })

  test('can use the prize of the day before', async () => {
    await open()
    const member = await world.member(1, { auto: true })
    const others = await Promise.all([1, 2, 3].map(() => world.member(1)))
    for (const one of [member, ...others]) await world.join(one)
    await world.goTo(midnight('2026-11-22'))
    const won = (await world.balance(member)) === 20n
    expect(await world.entrants('2026-11-22')).toEqual(won ? [member] : [])
    expect(await toldTo(member, 'auto_join_skipped')).toHaveLength(won ? 0 : 1)
  })
})

describe('the split', () => {
  test('B shares the reward equally; the indivisible paise go to need', async () => {
    await open({ policy: policyB(3) })
    const members = await Promise.all(Array.from({ length: 7 }, () => world.member(1)))
    for (const member of members) await world.join(member)
    await world.goTo(midnight('2026-11-22'))
    const balances = (await Promise.all(members.map((member) => world.balance(member)))).sort()
    expect(balances).toEqual([0n, 0n, 0n, 0n, 70n, 70n, 70n])
    const round = await world.db.one(
      sql`select need_paise as need, reward_paise as reward, platform_paise as platform from round where day = '2026-11-21'`,
    )
    expect(round).toEqual({ need: 490n, reward: 210n, platform: 0n })
    const history = (await world.ask('GET /rounds/history', { as: members[0] as bigint })).body as unknown as { results: unknown[] }
    expect(history.results[0]).toMatchObject({
      prizeAmount: 2.1,
      charityAmount: 4.9,
      totalAmount: 7,
      winner: { assurance: 'weak', others: 2 },
    })
  })

  test('B with fewer entries than winners makes everyone a winner', async () => {
    await open({ policy: policyB(3) })
    const members = [await world.member(1), await world.member(1)]
    for (const member of members) await world.join(member)
    await world.goTo(midnight('2026-11-22'))
    expect(await Promise.all(members.map((member) => world.balance(member)))).toEqual([30n, 30n])
  })

  test('with the draw switched off gives the reward to need, and names no winner', async () => {
    await open({ policy: { ...policyB(3), winners: 0 } })
    expect((await world.current())['split']).toEqual({ need: 100, reward: 0, platform: 0, winners: 0 })
    const member = await world.member(1)
    await world.join(member)
    await world.goTo(midnight('2026-11-22'))
    expect(await world.balance(member)).toBe(0n)
    expect((await world.current())['lastWinner']).toBeNull()
    expect((await world.log()).find(({ kind }) => kind === 'result')).toMatchObject({
      winners: [],
      shares: { need: 100, platform: 0, pool: 100 },
    })
  })

  test('changes with the first round not yet made', async () => {
    await open()
    const changed = world.makeRounds(policyB(3))
    await world.database.setClock(new Date(midnight('2026-11-22')))
    while (await changed.due());
    const rows = await world.db.query<{ day: string; policy: string }>(sql`select day, policy from round order by day`)
    expect(rows.map(({ policy }) => policy)).toEqual(['A', 'A', 'B'])
  })

  test('switches the draw off with that round too: an entry under a promised reward still has its draw', async () => {
    await open()
    const off = world.makeRounds({ ...POLICY_A, winners: 0 })
    await world.join(await world.member(5))
    await world.database.setClock(new Date(midnight('2026-11-22')))
    while (await off.due());
    const rows = await world.db.query<{ winners: number; status: string; drawn: number }>(sql`
      select winners, status, (select count(*)::int from draw_winner d where d.day = r.day) as drawn from round r order by day`)
    expect(rows.map(({ winners, drawn }) => [winners, drawn])).toEqual([
      [1, 1],
      [1, 0],
      [0, 0],
    ])
    expect(rows[0]?.status).toBe('settled')
  })
})
