/**
 * Checks that published files do not let anybody follow past winners more often than by guessing.
 *
 * - The followers attack simulated communities over many days, and the files of a real server.
 * - The same followers find each leak that is built into the same community: the test can fail.
 */
import type { OpenRecord, ResultRecord } from '@roz/core/draw-records.ts'
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import { expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { idOf, leafNode, leavesOf } from '../../transparency-log/sum-tree.ts'
import { type Community, type Leak, LEAKS, makeCommunity, type PublishedDay } from '../../testing/following/community.ts'
import { followEveryone, type Score } from '../../testing/following/followers.ts'
import { openRoundsWorld, type RoundsWorld } from '../../testing/rounds-world.ts'
import { ticketOf } from '../../tickets/ticket.ts'
import { partId } from './cutting.ts'

const PLAN = { members: 160, days: 45 } as const
/** Limits: the deviation that chance allows in this many attacks and communities, and a follower's largest gain over guessing. */
const SIGMAS_MOST = 5
const GAIN_MOST = 2.5

const gain = ({ hits, byChance }: Score): number => hits / Math.max(byChance, 4)

function expectNobodyFollowed(community: Community, { sigmasMost = SIGMAS_MOST, gainMost = GAIN_MOST } = {}): void {
  const scores = followEveryone(community)
  for (const [name, score] of Object.entries(scores)) {
    expect(score.sigmas, `${name} ${JSON.stringify(score)}`).toBeLessThan(sigmasMost)
    expect(gain(score), `${name} ${JSON.stringify(score)}`).toBeLessThan(gainMost)
  }
  expect(Object.values(scores).every(({ tries }) => tries > 0)).toBe(true)
}

test.each([1, 2, 3])('nobody can be followed by ticket, line, order, balance or the size of parts (%i)', (seed) => {
  expectNobodyFollowed(makeCommunity({ ...PLAN, seed }))
})

const FOUND_BY = {
  'one ticket for all days': 'ticket by its look',
  'each ticket a hash of the one before': 'ticket by what it was made of',
  'lists in the order of members': 'ticket by its place from top to bottom',
  'whole balances': 'parts: with the odd paise of the prize',
  'cut into the fewest parts': 'parts: with the odd paise of the prize',
  'parts larger than most balances': 'parts: the largest',
  'cut the same way each day': 'parts: of the same size next day',
  'parts of one member side by side': 'parts: neighbours in the file',
  'ids of parts made of the ticket': 'parts: ids made of a ticket',
} as const satisfies Readonly<Record<Leak, string>>

test.each(LEAKS)('the same followers find a leak: %s', (leak) => {
  const { [FOUND_BY[leak]]: score } = followEveryone(makeCommunity({ ...PLAN, seed: 1, leak }))
  expect(score?.sigmas, JSON.stringify(score)).toBeGreaterThan(2 * SIGMAS_MOST)
  expect(score && gain(score)).toBeGreaterThan(GAIN_MOST)
})

/** Auto Participate joins from the next round on. */
const EVE = '2026-11-21' as IstDay
const FIRST = addDays(EVE, 1)
const DAYS = 10

/** The files that the server published, and the owners of tickets and parts by the keys that the server keeps. */
async function published(world: RoundsWorld, members: readonly bigint[]): Promise<Community> {
  const file = async (path: string): Promise<Buffer> => Buffer.from(await (await fetch(`${world.url}/api/public/${path}`)).arrayBuffer())
  const all = Array.from({ length: DAYS }, (_, n) => addDays(FIRST, n))
  const days: PublishedDay[] = []
  for (const day of all) {
    const list = await file(`draws/${day}/tickets`)
    const { records } = JSON.parse((await file(`draws/${day}`)).toString()) as { records: { record: OpenRecord | ResultRecord }[] }
    const result = records.map(({ record }) => record).find((record) => record.kind === 'result')
    const [winner] = result?.winners ?? []
    if (winner === undefined) throw new Error(`no winner of ${day}`)
    const tickets = Array.from({ length: list.length / 32 }, (_, n) => list.subarray(32 * n, 32 * n + 32).toString('hex'))
    const leaves = leavesOf(await file(`liabilities/${day}`))
    const parts = leaves.map((leaf) => ({ id: Buffer.from(idOf(leaf)).toString('hex'), amount: leafNode(leaf).sum }))
    days.push({ day, tickets, parts, winner })
  }
  const keys = await world.ticketKeys.listFor(world.db, members, FIRST)
  const tickets = all.map((day) => keys.map(({ key }) => ticketOf(key, day).toString('hex')))
  const owners = all.map(
    (day) =>
      new Map(keys.flatMap(({ key }, n) => Array.from({ length: 200 }, (_, j) => [partId(key, day, j).toString('hex'), n] as const))),
  )
  const won = await world.db.query<{ id: bigint }>(
    sql`select member_id as id from draw_winner where day between ${FIRST}::date and ${addDays(FIRST, DAYS - 1)}::date order by day`,
  )
  return {
    days,
    truth: {
      winners: won.map(({ id }) => keys.findIndex(({ memberId }) => memberId === id)),
      ticketOf: (day, member) => (member === undefined ? undefined : tickets[day]?.[member]),
      ownerOfPart: (day, id) => owners[day]?.get(id),
    },
  }
}

/** An entry's time would show who joins at nine: files contain no time but the seal's, and no Last-Modified header. */
async function expectNoTimeButTheSeal({ url }: RoundsWorld): Promise<void> {
  for (const path of ['log/entries/0', `draws/${FIRST}`, `books/${FIRST}`, `log/sealed/${FIRST}`, `liabilities/${FIRST}`]) {
    const answer = await fetch(`${url}/api/public/${path}`)
    expect(answer.headers.get('last-modified')).toBeNull()
    const text = (await answer.text()).replaceAll(/"sealedAt":\d+/g, '')
    expect(path.startsWith('liabilities') ? [] : (text.match(/(?<![\da-f])1[78]\d{8}(\d{3})?(?![\da-f])/g) ?? [])).toEqual([])
  }
}

test('nobody can be followed in the files that a server published over ten days', async () => {
  const world = await openRoundsWorld()
  try {
    const members: bigint[] = []
    for (let n = 0; n < 24; n++) members.push(await world.member(12 + (n % 19), { auto: n % 4 > 0, name: `Meera Nair${n}` }))
    // The first entry gives each member a ticket key, without which nobody can find the member's parts.
    for (const member of members) await world.join(member)
    await world.goTo(`${FIRST}T00:00:02+05:30`)
    for (let n = 0; n < DAYS; n++) {
      for (const member of members.filter((_, at) => at % 4 === 0 && (at + n) % 3 > 0)) await world.join(member)
      await world.goTo(`${addDays(FIRST, n + 1)}T00:00:02+05:30`)
    }
    const community = await published(world, members)
    // The truth must know every owner, or the test could miss a follower's find.
    for (const [at, { tickets, parts, winner }] of community.days.entries()) {
      expect(tickets.length).toBeGreaterThan(16)
      expect(parts.filter(({ id }) => community.truth.ownerOfPart(at, id) === undefined)).toEqual([])
      expect(community.truth.ticketOf(at, community.truth.winners[at])).toBe(winner.ticket)
    }
    const everything = community.days.flatMap(({ tickets, parts }) => [...tickets, ...parts.map(({ id }) => id)])
    expect(new Set(everything).size).toBe(everything.length)
    // The server's keys and cuts differ in each run, and the days are few: the limits are wider.
    expectNobodyFollowed(community, { sigmasMost: 8, gainMost: 8 })
    await expectNoTimeButTheSeal(world)
  } finally {
    await world.close()
  }
})
