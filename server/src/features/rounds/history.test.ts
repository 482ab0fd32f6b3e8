/** Past rounds: history, figures, and the names of winners. */
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { useRoundsWorld } from '../../testing/rounds-world.ts'

type Item = Readonly<Record<string, unknown>> & { readonly date: string }
type Page = { readonly results: Item[]; readonly nextCursor: string | null }

const world = useRoundsWorld()
let winner: bigint
let newcomer: bigint
const FIRST = '2026-11-21' as IstDay
const midnight = (day: string): string => `${day}T00:00:01+05:30`

/** Five days: joined by hand on the first, third and fifth, void on the others. Today is the sixth. */
beforeAll(async () => {
  winner = await world.member(10, { name: 'Asha Rani Verma' })
  for (let n = 0; n < 5; n++) {
    if (n % 2 === 0) expect((await world.join(winner)).status).toBe(200)
    await world.goTo(midnight(addDays(FIRST, n + 1)))
    if (n === 2) newcomer = await world.member(5)
  }
})

const history = async (as: bigint, query = '', headers: Record<string, string> = {}): Promise<Page> =>
  (await world.ask(`GET /rounds/history${query}`, { as, headers })).body

describe('history', () => {
  test('lists settled and void rounds, newest first, without today’s', async () => {
    const { results, nextCursor } = await history(winner)
    expect(results.map(({ date, status, participated }) => [date, status, participated])).toEqual([
      ['2026-11-25', 'settled', true],
      ['2026-11-24', 'void', false],
      ['2026-11-23', 'settled', true],
      ['2026-11-22', 'void', false],
      ['2026-11-21', 'settled', true],
    ])
    expect(results[0]).toEqual({
      id: '2026-11-25',
      date: '2026-11-25',
      status: 'settled',
      participated: true,
      isWinner: true,
      totalParticipants: 1,
      totalAmount: 1,
      prizeAmount: 0.3,
      charityAmount: 0.6,
      winner: { name: 'Asha V.', assurance: 'weak', isDemo: true, others: 0, tax: 0 },
      rupee: { paise: 60, others: 0, share: 0.6, waiting: 0.6, days: 1, help: [], back: [] },
    })
    expect(results[1]).toMatchObject({
      totalParticipants: 0,
      totalAmount: 0,
      prizeAmount: 0,
      charityAmount: 0,
      winner: null,
      isWinner: false,
    })
    expect(nextCursor).toBeNull()
  })

  test('begins with the day the member registered', async () => {
    expect((await history(newcomer)).results.map(({ date, participated }) => [date, participated])).toEqual([
      ['2026-11-25', false],
      ['2026-11-24', false],
    ])
  })

  test('pages by a cursor; a foreign cursor is refused', async () => {
    const first = await history(winner, '?limit=2')
    const second = await history(winner, `?limit=2&cursor=${first.nextCursor}`)
    const third = await history(winner, `?limit=2&cursor=${second.nextCursor}`)
    expect([...first.results, ...second.results, ...third.results].map(({ date }) => date)).toEqual(
      (await history(winner)).results.map(({ date }) => date),
    )
    expect(third.nextCursor).toBeNull()
    for (const query of ['?cursor=nonsense', '?cursor=WyIyMDI2LTAyLTMwIl0', '?limit=0', '?limit=101', '?limit=x']) {
      expect((await world.ask(`GET /rounds/history${query}`, { as: winner })).status).toBe(400)
    }
  })

  test('a long answer is compressed for a reader that accepts it; a short one, and a refusal, is not', async () => {
    const [plain, small] = await Promise.all(
      ['gzip, deflate, br;q=0', 'gzip, br'].map((accepted) =>
        world.ask('GET /rounds/history', { as: winner, headers: { 'accept-encoding': accepted } }),
      ),
    )
    expect([plain, small].map((answer) => [answer?.headers.get('content-encoding'), answer?.headers.get('vary')])).toEqual([
      [null, 'Authorization, Accept-Encoding'],
      ['br', 'Authorization, Accept-Encoding'],
    ])
    expect(small?.text).toBe(plain?.text)
    expect(Number(small?.headers.get('content-length'))).toBeLessThan(Number(plain?.headers.get('content-length')) / 2)
    for (const as of [winner, world.admin]) {
      const { headers } = await world.ask('GET /rounds/stats', { as, headers: { 'accept-encoding': 'br' } })
      expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([null, 'Authorization'])
    }
  })

  test('is for members only', async () => {
    expect((await world.ask('GET /rounds/history')).status).toBe(401)
    expect((await world.ask('GET /rounds/history', { as: world.admin })).status).toBe(403)
  })
})

test('figures count rounds joined, rupees won, and wins in percent', async () => {
  expect((await world.ask('GET /rounds/stats', { as: winner })).body).toEqual({ totalParticipated: 3, totalWon: 0.9, winRate: 100 })
  expect((await world.ask('GET /rounds/stats', { as: newcomer })).body).toEqual({ totalParticipated: 0, totalWon: 0, winRate: 0 })
  await world.join(winner)
  expect((await world.ask('GET /rounds/stats', { as: winner })).body).toEqual({ totalParticipated: 4, totalWon: 0.9, winRate: 75 })
})

test('a winner is named by the winner’s present choice, also for past rounds, in the reader’s language', async () => {
  const names = async (language: string) => {
    const headers = { 'accept-language': language }
    const { lastWinner } = (await world.ask('GET /rounds/current', { headers })).body as unknown as { lastWinner: { name: string } }
    const { results } = await history(winner, '', headers)
    const first = results.at(-1)?.['winner'] as { name: string } | undefined
    return [lastWinner.name, first?.name]
  }
  expect(await names('en')).toEqual(['Asha V.', 'Asha V.'])
  await world.db.query(sql`update member set public_name = 'anonymous' where id = ${winner}::bigint`)
  expect(await names('en-IN,en;q=0.9')).toEqual(['A member', 'A member'])
  expect(await names('hi')).toEqual(['एक सदस्य', 'एक सदस्य'])
  await world.db.query(sql`update member set public_name = 'initial', deleted_at = roz_now() where id = ${winner}::bigint`)
  expect(await names('en')).toEqual(['A member', 'A member'])
})
