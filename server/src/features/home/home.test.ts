import { nextDay, type IstDay } from '@roz/core/ist-day.ts'
import { POLICY_A } from '@roz/core/split.ts'
import type { Story } from '@roz/contract/impact.ts'
import { expect, test, vi } from 'vitest'
import { type Db, queryableBy, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { makeRound } from '../../ledger/rounds.ts'
import { makeMember, serveCalls, useCalls } from '../../testing/calls.ts'
import { useTestDatabase } from '../../testing/database.ts'
import { insertSettledRound } from '../../testing/settled-round.ts'
import { createHome, createPeopleCount } from './home.ts'

// This file writes rounds without their money, which the audit would report.
const database = useTestDatabase({ isAudited: false })
const calls = useCalls(database, (db) => createHome({ db, recentStories: async () => [] }).handlers)

const stats = async () => (await calls.ask('GET /public/home')).body.data.stats

test('before the first round every figure is zero', async () => {
  const { body } = await calls.ask('GET /public/home')
  expect(body).toEqual({
    data: {
      stats: { totalCharity: 0, totalPeople: 0, rounds: 0, today: { pool: 0, charity: 0, giveaway: 0, platform: 0 } },
      help: { medianDays: null, oldest: null },
      helped: { people: 0, stories: { due: 0, inTime: 0 }, payments: { count: 0, withVideo: 0 }, arrivals: { due: 0, inTime: 0 } },
      desk: { asked: 0, open: 0, refused: 0, helped: 0, medianDays: null },
      recentImpacts: [],
    },
  })
})

test('concurrent requests share one count of people; a slow count is reused for a second', async () => {
  let counts = 0
  const counting: Db = { ...database.db, ...queryableBy((statement) => (counts++, database.db.query(statement))) }
  const quick = createPeopleCount(counting, Number.POSITIVE_INFINITY)
  await Promise.all([quick(), quick(), quick()])
  await quick()
  expect(counts).toBe(2)
  const slow = createPeopleCount(counting, 0)
  await slow()
  await slow()
  expect(counts).toBe(3)
})

test('a public answer without a token has an ETag by language, and a matching If-None-Match gets 304', async () => {
  const { headers } = await calls.ask('GET /public/home')
  const etag = headers.get('etag') ?? ''
  const vary = 'Authorization, Accept-Language, Accept-Encoding'
  expect([etag, headers.get('vary')]).toEqual([expect.stringMatching(/^W\/"[\w-]{27}"$/), vary])
  expect(headers.get('cache-control')).toBe('public, no-cache')
  const again = await calls.ask('GET /public/home', { headers: { 'if-none-match': etag } })
  expect([again.status, again.text, again.headers.get('etag'), again.headers.get('vary')]).toEqual([304, '', etag, vary])
  expect((await calls.ask('GET /public/home', { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
})

test('a long public answer has one weak ETag and one Vary, compressed, plain or as a 304', async () => {
  const story: Story = {
    id: '1',
    _id: '1',
    title: 'Schoolbooks',
    description: 'For twelve children. '.repeat(100),
    date: '2026-01-01',
    amount: 12,
    sent: false,
    views: 0,
    isActive: true,
    videoUrl: null,
    imageUrl: null,
    charity: { name: 'Asha', description: '' },
    languages: {},
    followUps: [],
    winnerInfo: null,
  }
  const served = await serveCalls(database.db, createHome({ db: database.db, recentStories: async () => [story] }).handlers)
  try {
    const asked = (headers: Record<string, string>) => served.ask('GET /public/home', { headers })
    const [plain, small] = [await asked({}), await asked({ 'accept-encoding': 'br' })]
    expect([plain, small].map(({ headers }) => headers.get('content-encoding'))).toEqual([null, 'br'])
    expect(small.body).toEqual(plain.body)
    const [etag = '', vary = ''] = ['etag', 'vary'].map((name) => plain.headers.get(name) ?? '')
    expect([etag, vary]).toEqual([expect.stringMatching(/^W\/"[\w-]{27}"$/), expect.stringMatching(/, Accept-Encoding$/)])
    // RFC 9110, 15.4.5: a 304 has the ETag and the Vary of the 200.
    const known = await asked({ 'accept-encoding': 'br', 'if-none-match': etag.slice(2) })
    for (const { headers } of [small, known]) expect([headers.get('etag'), headers.get('vary')]).toEqual([etag, vary])
    expect([known.status, known.text, known.headers.get('content-encoding')]).toEqual([304, '', null])
  } finally {
    await served.close()
  }
})

test('the home page counts need shares, settled rounds and people who joined, and splits today’s pool by its own policy', async () => {
  const winner = await makeMember(database.db)
  await makeMember(database.db)
  await insertSettledRound(database, { day: '2026-01-01', entries: 10n, winner, joins: [winner] })
  await insertSettledRound(database, { day: '2026-01-02', entries: 20n, winner })
  const { today } = await database.db.one<{ today: IstDay }>(sql`select ist_day(roz_now()) as today`)
  const secret = { mode: 'local', secretHash: Buffer.alloc(32), encryptedSecret: Buffer.alloc(32) } as const
  await inTransaction(database.db, async (tx) => {
    await makeRound(tx, { day: today, policy: POLICY_A, ...secret })
    await makeRound(tx, { day: nextDay(today), policy: POLICY_A, ...secret })
  })
  await database.db.query(
    sql`insert into join_batch (uuid, day, via, n, amount) values (gen_random_uuid(), ${today}::date, 'member', 7, 700)`,
  )
  const today7 = { pool: 7, charity: 4.2, giveaway: 2.1, platform: 0.7 }
  // After a slow count its result is reused for a second.
  await vi.waitFor(async () => expect(await stats()).toEqual({ totalCharity: 18, totalPeople: 1, rounds: 2, today: today7 }), 10_000)
})
