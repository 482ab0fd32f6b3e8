/**
 * The journey under kill -9 of the server, 0–50 ms after a request has left the client.
 * - A plain client sends every request that changes something once during a kill.
 * - With a browser, two steps that the seed picks kill the server; with ROZ_TEST_ALL every step does.
 * - A separate process records each acknowledgement; after each kill every acknowledged effect exists, once.
 * - A control shows that the check can fail: with synchronous_commit=off and the database killed too, it finds a loss.
 */
import { randomUUID } from 'node:crypto'
import { dayAt, type IstDay } from '@roz/core/ist-day.ts'
import { signal } from '@roz/server/db/embedded/process.ts'
import { sql } from '@roz/server/db/sql.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { findContradictions, findLosses } from '../../harness/acknowledged.ts'
import { closeVisits, newVisit, openBrowser, WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expectCleanAudit, inDatabase } from '../../harness/database.ts'
import { FRAIL_STEPS, frailSteps } from '../../harness/crash-steps.ts'
import { drawnFrom, type Frail, random, startFrail } from '../../harness/crash-calls.ts'
import { BANK, mailedLink, newMember, PASSWORD, payUnlessPaid, type Person, PHONE, readClock } from '../../harness/people.ts'
import { ADMIN, databaseProcesses } from '../../harness/program.ts'

const ALL = process.env.ROZ_TEST_ALL === '1'
const JOURNEYS = ALL ? 8 : 1
const SEED = Number(process.env.ROZ_SEED ?? Date.now() % 1_000_000)
const CONTROL_TRIES_MAX = 8
const KEPT_TRIES = ALL ? 6 : 2
/** How many steps of the browser journey kill the server; the seed picks them. */
const BROWSER_KILLS = 2

let roz: Frail
beforeAll(async () => {
  console.log(`kills with ROZ_SEED=${SEED}`)
  roz = await startFrail(SEED)
})

async function expectAllKept(): Promise<void> {
  const records = roz.acknowledged()
  expect(await findLosses(roz.dataDir, records)).toEqual([])
  expect(findContradictions(records)).toEqual([])
  await expectCleanAudit(roz.dataDir)
}

/** All effects of a member's calls, by the ledger. */
async function countsOf(email: string) {
  const [row] = await inDatabase(roz.dataDir, (db) =>
    db.query<{ members: number; orders: number; credits: number; joins: number; won: number; withdrawals: number; balance: number }>(sql`
      with who as (select id from member where lower(email) = lower(${email}::text))
      select (select count(*) from who)::int as members,
        (select count(*) from topup where member_id in (table who))::int as orders,
        (select count(*) from transfer where kind = 'topup' and credit in (table who))::int as credits,
        (select count(*) from round_join where member_id in (table who))::int as joins,
        (select coalesce(sum(amount), 0) from draw_winner where member_id in (table who))::int as won,
        (select count(*) from withdrawal where member_id in (table who))::int as withdrawals,
        (select balance from wallet where member_id in (table who))::int as balance`),
  )
  return row
}

type Patient = { readonly email: string; readonly token: string }

/** Registration has no key: a client without an answer finds the address taken, and logs in. */
async function becomeMember(email: string): Promise<Patient> {
  await roz.killDuring('POST', '/api/auth/register', async () => {
    const answer = await roz.call('register', { body: { name: 'Asha Verma', email, phone: PHONE, password: PASSWORD } })
    if (answer.status !== 201) expect(answer.refusal.code).toBe('email_taken')
  })
  await expectAllKept()
  const link = new URL(await roz.persist(() => mailedLink(roz.url, email, '/verify-email')))
  await roz.killDuring('GET', '/api/auth/verify-email', async () => {
    const answer = await roz.call('verifyEmail', { query: { token: link.searchParams.get('token') ?? '' } })
    expect(answer.status).toBe(200)
  })
  await expectAllKept()
  let token = ''
  await roz.killDuring('POST', '/api/auth/login', async () => {
    token = (await roz.call('login', { body: { email, password: PASSWORD } })).output.token
  })
  expect((await roz.call('profile', { token })).output.user.emailVerified).toBe(true)
  return { email, token }
}

async function addTwenty({ token }: Patient): Promise<void> {
  let orderId = ''
  const key = randomUUID()
  await roz.killDuring('POST', '/api/wallet/add', async () => {
    orderId = (await roz.call('addMoney', { token, body: { amount: 20, phoneNumber: PHONE }, key })).output.order_id
  })
  await expectAllKept()
  await roz.killBeside(() => roz.persist(() => payUnlessPaid(roz.sandboxUrl, orderId)))
  await roz.killDuring('POST', '/api/payments/confirm', async () => {
    await roz.persist(async () => {
      const { success } = (await roz.call('confirmPayment', { body: { order_id: orderId } })).output.data
      return success ? true : undefined
    })
  })
  await expectAllKept()
  expect((await roz.call('profile', { token })).output.user.wallet.balance).toBe(20)
}

async function joinToday({ token }: Patient, today: IstDay): Promise<void> {
  const key = randomUUID()
  const join = () => roz.call('joinRound', { token, body: {}, key })
  await roz.killDuring('POST', '/api/rounds/join', async () => {
    expect((await join()).output).toMatchObject({ balance: 19, ticket: { day: today } })
  })
  await expectAllKept()
  expect((await join()).output.balance, 'the same key answers the same').toBe(19)
  expect((await roz.call('joinRound', { token, body: {} })).refusal.code).toBe('already_joined')
}

async function drawToday({ token }: Patient, today: IstDay): Promise<void> {
  let admin = ''
  await roz.killDuring('POST', '/api/admin/login', async () => {
    admin = (await roz.call('adminLogin', { body: ADMIN })).output.token
  })
  await roz.killDuring('POST', '/api/admin/trigger-draw', async () => {
    const answer = await roz.call('triggerDraw', { token: admin, body: { day: today } })
    if (answer.status !== 200) expect(answer.refusal.code).toBe('round_already_closed')
  })
  await expectAllKept()
  const [round] = (await roz.call('roundHistory', { token })).output.results
  expect(round).toMatchObject({ id: today, status: 'settled', participated: true, totalParticipants: 2, prizeAmount: 0.6 })
}

async function withdrawTen({ token }: Patient): Promise<void> {
  const key = randomUUID()
  const withdraw = () => roz.call('withdraw', { token, body: { amount: 10, bankDetail: BANK }, key })
  let id = ''
  await roz.killDuring('POST', '/api/wallet/withdraw', async () => {
    id = (await withdraw()).output.withdrawal.id
  })
  await expectAllKept()
  expect((await withdraw()).output.withdrawal.id, 'the same key answers the same').toBe(id)
}

describe('a client that retries, whose server dies at every step', () => {
  const journeys = Array.from({ length: JOURNEYS }, (_, index) => index + 1)
  test.each(journeys)('journey %i: no acknowledged effect is lost or doubled', { timeout: 400_000 }, async (journey) => {
    const other = await newMember({ url: roz.url, sandboxUrl: roz.sandboxUrl }, { rupees: 10 })
    await ask(roz.url, 'joinRound', { token: other.token, body: {}, key: randomUUID() })
    const today = dayAt(Date.parse(await readClock(roz.url)))
    const patient = await becomeMember(`patient${journey}@x.test`)
    await addTwenty(patient)
    await joinToday(patient, today)
    await drawToday(patient, today)
    await withdrawTen(patient)
    const counts = await countsOf(patient.email)
    const balance = 2000 - 100 - 1000 + (counts?.won ?? 0)
    expect(counts).toEqual({ members: 1, orders: 1, credits: 1, joins: 1, won: expect.any(Number), withdrawals: 1, balance })
    const { transactions } = (await roz.call('transactions', { token: patient.token })).output
    expect(transactions.filter((shown) => shown.status === 'pending').map(({ type, amount }) => [type, amount])).toEqual([['debit', 10]])
    // The next journey needs an open round.
    await roz.passNight()
  })
})

describe('a member at a browser, whose server dies', () => {
  const killedSteps = ALL ? FRAIL_STEPS : drawnFrom(FRAIL_STEPS, BROWSER_KILLS, random(SEED))

  test(`at ${killedSteps.join(', ')}: the member looks and continues; paid once, joined once, withdrawn once`, {
    timeout: 400_000,
  }, async () => {
    const other = await newMember({ url: roz.url, sandboxUrl: roz.sandboxUrl }, { rupees: 10 })
    await ask(roz.url, 'joinRound', { token: other.token, body: {}, key: randomUUID() })
    const biju = { name: 'Biju Nair', email: 'biju@x.test', password: PASSWORD }
    const steps = frailSteps(roz, new Set(killedSteps))
    const browser = await openBrowser({ whole: true })
    try {
      const { page } = await newVisit(browser, { hosts: [] })
      await steps.register(page, biju)
      await steps.verify(page, biju)
      await steps.logIn(page, biju)
      await steps.addTwenty(page)
      await steps.join(page)
      await steps.draw((await newVisit(browser, { hosts: [], size: WIDE })).page)
      await steps.withdrawTen(page)
    } finally {
      await closeVisits()
    }
    const counts = await countsOf(biju.email)
    const balance = 2000 - 100 - 1000 + (counts?.won ?? 0)
    expect(counts).toMatchObject({ members: 1, credits: 1, joins: 1, withdrawals: 1, balance })
    expect((await ask(roz.url, 'roundHistory', { token: other.token })).output.results[0]).toMatchObject({
      status: 'settled',
      totalParticipants: 2,
    })
    await expectAllKept()
    await roz.passNight()
  })
})

describe('the whole machine dies right after a join was acknowledged', () => {
  /** Kills the server and every database process at once, as a power cut does; returns the losses that the check finds. */
  async function lossesOfJoin(person: Person): Promise<string[]> {
    await inDatabase(roz.dataDir, (db) => db.query(sql`checkpoint`))
    const victims = [roz.program.pid, ...databaseProcesses(roz.dataDir)]
    const { output } = await ask(roz.url, 'joinRound', { token: person.token, body: {} })
    for (const pid of victims) signal(pid, 'SIGKILL')
    expect(output.ticket.ticket).toMatch(/^[0-9a-f]{64}$/)
    await roz.program.ended
    await roz.revive()
    return findLosses(roz.dataDir, roz.acknowledged())
  }
  const people = (count: number) =>
    Promise.all(Array.from({ length: count }, () => newMember({ url: roz.url, sandboxUrl: roz.sandboxUrl }, { rupees: 10 })))

  test('the shipped configuration keeps the join', { timeout: 240_000 }, async () => {
    for (const person of await people(KEPT_TRIES)) expect(await lossesOfJoin(person)).toEqual([])
    await expectCleanAudit(roz.dataDir)
  })

  test('with synchronous_commit=off the same check finds a lost join, so the check can fail', { timeout: 240_000 }, async () => {
    await inDatabase(roz.dataDir, async (db) => {
      await db.query(sql`alter role roz_app set synchronous_commit = off`)
      // Unflushed commits are written after wal_writer_delay: the longest one there is, for a busy machine kills late.
      await db.query(sql`alter system set wal_writer_delay = '10s'`)
      await db.query(sql`select pg_reload_conf()`)
    })
    // Only new connections use the setting.
    await roz.program.stop()
    await roz.revive()
    let losses: string[] = []
    for (const person of await people(CONTROL_TRIES_MAX)) {
      losses = await lossesOfJoin(person)
      if (losses.length > 0) break
    }
    expect(losses.join('\n')).toContain('POST /api/rounds/join was acknowledged')
  })
})
