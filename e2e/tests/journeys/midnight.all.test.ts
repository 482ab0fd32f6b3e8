/**
 * A night of the real program, driven by its own tick.
 * - The test sets the clock once, to ten seconds before midnight in India, and never again.
 */
import { addDays, dayAt, type IstDay } from '@roz/core/ist-day.ts'
import { noticeText } from '@roz/core/notices.ts'
import { initialName } from '@roz/core/names.ts'
import { sql } from '@roz/server/db/sql.ts'
import { beforeAll, expect, test } from 'vitest'
import { ask } from '../../harness/calls.ts'
import { expectCleanAudit, inDatabase } from '../../harness/database.ts'
import { addMoney, adminToken, eventually, newMember, type Person, readClock, setClock } from '../../harness/people.ts'
import { type Program, startProgram } from '../../harness/program.ts'

const NIGHT_MS = 90_000

let roz: Program
let today: IstDay
let tomorrow: IstDay
let joined: readonly Person[]
let automatic: Person
let both: Person
let broke: Person

const autoParticipate = (person: Person) => ask(roz.url, 'updateProfile', { token: person.token, body: { autoParticipate: true } })
const join = (person: Person) => ask(roz.url, 'joinRound', { token: person.token, body: {} })
const statsOf = async (person: Person) => (await ask(roz.url, 'roundStats', { token: person.token })).output
const balanceOf = async (person: Person) => (await ask(roz.url, 'profile', { token: person.token })).output.user.wallet.balance
const noticesOf = async (person: Person) => (await ask(roz.url, 'notifications', { token: person.token })).output.notifications
const currentAs = async (person: Person) => (await ask(roz.url, 'currentRound', { token: person.token })).output
const historyOf = async (person: Person) => (await ask(roz.url, 'roundHistory', { token: person.token })).output.results

beforeAll(async () => {
  roz = await startProgram()
  const named = (name: string, rupees?: number): Promise<Person> => newMember(roz, { name, ...(rupees === undefined ? {} : { rupees }) })
  const [asha, biju, chitra] = await Promise.all([named('Asha Verma', 20), named('Biju Nair', 20), named('Chitra Rao', 20)])
  ;[automatic, both, broke] = await Promise.all([named('Divya Shah', 20), named('Esha Gill', 20), named('Farid Khan')])
  joined = [asha, biju, chitra, both]
  today = dayAt(Date.parse(await readClock(roz.url)))
  tomorrow = addDays(today, 1)
  for (const person of joined) expect((await join(person)).status).toBe(200)
  for (const person of [automatic, both, broke]) expect((await autoParticipate(person)).status).toBe(200)
  await setClock(roz.url, `${today}T23:59:50+05:30`)
  const before = await currentAs(automatic)
  expect([before.id, before.status, before.totalParticipants, before.hasParticipated]).toEqual([today, 'open', 4, false])
  await eventually(
    'the next round with its automatic entries',
    async () => {
      const round = await currentAs(automatic)
      const told = (await noticesOf(broke)).length > 0
      return round.id === tomorrow && round.hasParticipated && told ? round : undefined
    },
    NIGHT_MS,
  )
})

test('the clock was set only once: it is a few seconds past midnight', async () => {
  const passedMs = Date.parse(await readClock(roz.url)) - Date.parse(`${tomorrow}T00:00:00+05:30`)
  expect(passedMs).toBeGreaterThan(0)
  expect(passedMs).toBeLessThan(NIGHT_MS)
})

test("the day's round is closed, drawn and settled with one winner among its members", async () => {
  const rows = await inDatabase(roz.dataDir, (db) =>
    db.query<{ day: string; status: string }>(sql`select day, status from round order by day`),
  )
  expect(rows).toEqual([
    { day: today, status: 'settled' },
    { day: tomorrow, status: 'open' },
    { day: addDays(today, 2), status: 'open' },
  ])
  const wins = await Promise.all(joined.map(async (person) => (await historyOf(person))[0]))
  expect(wins.filter((item) => item?.isWinner)).toHaveLength(1)
  for (const item of wins) {
    expect(item).toMatchObject({
      id: today,
      status: 'settled',
      participated: true,
      totalParticipants: 4,
      totalAmount: 4,
      prizeAmount: 1.2,
      charityAmount: 2.4,
    })
  }
  expect((await historyOf(automatic))[0]).toMatchObject({ id: today, participated: false, isWinner: false })
})

test('the winner is paid, notified, and named by first name and initial; the others keep their balance', async () => {
  const { lastWinner } = await currentAs(automatic)
  const won = await Promise.all(joined.map(async (person) => ({ person, ...(await statsOf(person)) })))
  const winner = won.find((one) => one.totalWon > 0)?.person as Person
  expect(lastWinner).toEqual({
    name: initialName(winner.name),
    amount: 1.2,
    date: today,
    assurance: 'weak',
    isDemo: true,
    others: 0,
    tax: 0,
  })
  for (const { person, totalWon, winRate, totalParticipated } of won) {
    const rounds = person === both ? 2 : 1
    expect([person.name, totalParticipated, totalWon, winRate]).toEqual([
      person.name,
      rounds,
      person === winner ? 1.2 : 0,
      person === winner ? 100 / rounds : 0,
    ])
    expect(await balanceOf(person)).toBeCloseTo(20 - rounds + (person === winner ? 1.2 : 0), 10)
  }
  const told = await eventually('the notice of the win', async () => (await noticesOf(winner)).find((notice) => notice.kind === 'won'))
  expect(told.body).toBe(noticeText('won', { amount: '₹1.20', day: today }, 'en').body)
})

test('Auto Participate has joined every member who opted in and can pay, and notified each of the outcome', async () => {
  // Totals may be 1 s old.
  await eventually('both entries in the total', async () => ((await currentAs(broke)).totalParticipants === 2 ? true : undefined))
  const round = await currentAs(broke)
  expect([round.id, round.status, round.hasParticipated]).toEqual([tomorrow, 'open', false])
  expect(await balanceOf(automatic)).toBe(19)
  expect(await balanceOf(broke)).toBe(0)
  for (const person of [automatic, both]) {
    const notice = (await noticesOf(person)).find((found) => found.kind === 'auto_joined')
    expect(notice?.body).toBe(noticeText('auto_joined', { day: tomorrow }, 'en').body)
  }
  expect((await noticesOf(broke)).map((notice) => notice.kind)).toEqual(['auto_join_skipped'])
  expect((await ask(roz.url, 'profile', { token: broke.token })).output.user.autoParticipate).toBe(true)
})

test('a skipped member who adds money the same day is joined by it', async () => {
  await addMoney(roz, broke, 10)
  await eventually('the late entry', async () => ((await currentAs(broke)).hasParticipated ? true : undefined))
  expect(await balanceOf(broke)).toBe(9)
})

test("the story's draft waits for the administrator and is hidden from everybody else", async () => {
  const token = await adminToken(roz.url)
  const draft = await eventually('the draft', async () => (await ask(roz.url, 'storiesAdmin', { token })).output.stories[0])
  const { lastWinner } = await currentAs(automatic)
  expect(draft).toMatchObject({
    date: today,
    amount: 2.4,
    isActive: false,
    charity: { name: 'Pending Charity Selection' },
    winnerInfo: { name: lastWinner?.name, amount: 1.2, totalParticipants: 4, assurance: 'weak', isDemo: true, others: 0, tax: 0 },
  })
  expect((await ask(roz.url, 'stories')).output.stories).toEqual([])
})

test('the figures of the home page and of the portal count from the new day', async () => {
  const home = async () => (await ask(roz.url, 'home')).output.data.stats
  const stats = await eventually("today's three entries", async () => ((await home()).today.pool === 3 ? home() : undefined))
  expect(stats).toEqual({
    totalCharity: 2.4,
    totalPeople: 6,
    rounds: 1,
    today: { pool: 3, charity: 1.8, giveaway: 0.9, platform: 0.3 },
  })
  const portal = (await ask(roz.url, 'adminStats', { token: await adminToken(roz.url) })).output
  expect(portal).toMatchObject({
    totalUsers: 6,
    totalRevenue: 7,
    totalDonated: 2.4,
    todayParticipants: 3,
    todayRevenue: 3,
    activeRounds: 1,
  })
})

test('the audit finds nothing', () => expectCleanAudit(roz.dataDir))
