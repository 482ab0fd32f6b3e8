/** A day's draw, recomputed only from published data. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hex } from '@roz/core/draw.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { paise } from '@roz/core/money.ts'
import { policyB } from '@roz/core/split.ts'
import { findLastWinner, lastWinnerView } from './views.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { connect, sql } from '../../db/sql.ts'
import { openRoundsWorld, useRoundsWorld } from '../../testing/rounds-world.ts'

const world = useRoundsWorld({ policy: policyB(3), tax: { percent: 31, above: paise(200n) } })
const members: bigint[] = []
const DAY = '2026-11-21' as IstDay
const COUNT = 23

beforeAll(async () => {
  for (let n = 0; n < COUNT; n++) {
    const member = await world.member(2)
    members.push(member)
    expect((await world.join(member, n % 2 === 0 ? {} : { ticketKey: n.toString(16).padStart(64, '0') })).status).toBe(200)
  }
  await world.goTo('2026-11-22T00:00:01+05:30')
})

// An independent implementation of the protocol: recursive tree, full table, no code of core.
const H = (...parts: (Buffer | string)[]): Buffer => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()
const u64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}
const rootOf = (entries: readonly Buffer[]): Buffer => {
  if (entries.length < 2) return entries[0] === undefined ? H('') : H(Buffer.of(0), entries[0])
  const cut = 2 ** Math.ceil(Math.log2(entries.length) - 1)
  return H(Buffer.of(1), rootOf(entries.slice(0, cut)), rootOf(entries.slice(cut)))
}
type Published = Readonly<Record<string, unknown>> & { readonly kind: string; readonly day: string }
const recordOf = async (kind: string): Promise<Published> =>
  (await world.log()).find((record) => record.kind === kind && record.day === DAY) as Published
const list = () => world.db.query<{ ticket: Buffer }>(sql`select ticket from ticket where day = ${DAY}::date order by position`)

test('the sealed list has one ticket for each rupee, ascending, and its root is logged', async () => {
  const entries = await list()
  const close = await recordOf('close')
  expect(entries).toHaveLength(COUNT)
  const own = [...(await world.ticketsOf(members, DAY)).values()].map(hex)
  expect(entries.map(({ ticket }) => hex(ticket))).toEqual(own.toSorted())
  expect(close).toMatchObject({ v: 1, count: COUNT, round: 0, root: rootOf(entries.map(({ ticket }) => ticket)).toString('hex') })
  expect(close['sealedAt']).toBeGreaterThan(Date.parse('2026-11-22T00:00:00+05:30'))
})

test('seed, winners, shares and tax follow only from the records and the list', async () => {
  const [openRecord, close, result] = [await recordOf('open'), await recordOf('close'), await recordOf('result')]
  const tickets = (await list()).map(({ ticket }) => ticket)
  const secret = Buffer.from(String(result['secret']), 'hex')
  const chainHash = (openRecord['draw'] as { chainHash: string }).chainHash
  expect(H(secret).toString('hex')).toBe(chainHash)
  const root = Buffer.from(String(close['root']), 'hex')
  const randomness = H('roz/v1/local\n', secret, DAY, u64(COUNT), root)
  expect(result['randomness']).toBe(randomness.toString('hex'))
  const seed = H('roz/v1/draw\n', DAY, u64(COUNT), root, Buffer.from(chainHash, 'hex'), u64(0), randomness)
  expect(result['seed']).toBe(seed.toString('hex'))
  const table = tickets.map((_, index) => index)
  const winners = [0, 1, 2].map((j) => {
    const r = j + Number(BigInt(`0x${H('roz/v1/pick\n', seed, u64(j)).toString('hex')}`) % BigInt(COUNT - j))
    ;[table[j], table[r]] = [table[r] as number, table[j] as number]
    const position = table[j] ?? -1
    return { amount: 230, position, tax: 71, ticket: tickets[position]?.toString('hex') }
  })
  expect(result['winners']).toEqual(winners)
  expect(result['shares']).toEqual({ need: 1610, platform: 0, pool: 2300 })
  expect(openRecord['rules']).toBe(H(readFileSync(new URL('../../../../spec/protocol.md', import.meta.url))).toString('hex'))
})

test('the winners of the record are the members who were paid, in its order', async () => {
  const result = await recordOf('result')
  const paid = await world.db.query<{ memberId: bigint; amount: bigint; tax: bigint }>(
    sql`select member_id as "memberId", amount, tax from draw_winner where day = ${DAY}::date order by rank`,
  )
  const own = await world.ticketsOf(members, DAY)
  const published = (result['winners'] as { ticket: string }[]).map(({ ticket }) => ({ ticket, amount: 159n, tax: 71n }))
  expect(paid.map(({ memberId, ...given }) => ({ ticket: hex(own.get(memberId) ?? Buffer.of()), ...given }))).toEqual(published)
})

test('the latest winner’s answer names what was credited, the tax beside it, and the other winners', async () => {
  const winner = lastWinnerView(await findLastWinner(world.db), 'en')
  expect(winner).toMatchObject({ date: DAY, amount: 1.59, tax: 0.71, others: 2 })
})

test('ticket owners are stored until the draw and no longer, and nobody can change or delete them before it', async () => {
  const other = await openRoundsWorld()
  const member = await other.member(2)
  await other.join(member)
  const owners = () => other.db.query<{ members: Buffer }>(sql`select members from ticket_owner`)
  const isRefused = async (statement: ReturnType<typeof sql>): Promise<void> => {
    for (const url of [other.database.appUrl, other.database.ownerUrl]) {
      const db = connect({ url, max: 1 })
      await expect(db.query(statement)).rejects.toThrow(/permission denied|needed until its draw|rows of this table are never changed/)
      await db.close()
    }
  }
  await other.db.query(sql`update round set sealed_secret = '' where day = ${DAY}::date`)
  await other.goTo('2026-11-22T00:00:01+05:30')
  // Sealed, and not drawn: its stored secret is not the committed one.
  expect(await other.statuses()).toMatchObject({ [DAY]: 'closed' })
  expect((await owners()).map(({ members: ids }) => ids.readBigUInt64BE())).toEqual([member])
  for (const statement of [sql`delete from ticket_owner`, sql`update ticket_owner set page = page + 1`, sql`truncate ticket_owner`])
    await isRefused(statement)
  other.faults.length = 0
  await other.close()
  expect(await world.db.query(sql`select day from ticket_owner`)).toEqual([])
})

describe('the log', () => {
  test('numbers its records without a gap, and each leaf is the hash of the canonical bytes', async () => {
    const rows = await world.db.query<{ index: bigint; bytes: Buffer; leaf: Buffer }>(
      sql`select index, bytes, leaf from log_entry order by index`,
    )
    rows.forEach(({ index, bytes, leaf }, position) => {
      expect(index).toBe(BigInt(position))
      expect(leaf.equals(H(Buffer.of(0), bytes))).toBe(true)
      const sorted = (value: unknown): unknown =>
        Array.isArray(value)
          ? value.map(sorted)
          : typeof value === 'object' && value !== null
            ? Object.fromEntries(
                Object.entries(value)
                  .toSorted(([a], [b]) => (a < b ? -1 : 1))
                  .map(([key, item]) => [key, sorted(item)]),
              )
            : value
      expect(JSON.stringify(sorted(JSON.parse(bytes.toString())))).toBe(bytes.toString())
    })
  })

  test('commits to a day’s secret before its first entry and does not reveal it until the result', async () => {
    const record = (await world.log()).find(({ kind, day }) => kind === 'open' && day === '2026-11-22')
    expect(record).toMatchObject({ draw: { mode: 'local', chainHash: expect.stringMatching(/^[0-9a-f]{64}$/) }, stake: 100 })
    expect(record).not.toHaveProperty('secret')
    const round = await world.db.one<{ sealed: Buffer; hash: Buffer }>(
      sql`select sealed_secret as sealed, secret_hash as hash from round where day = '2026-11-22'`,
    )
    expect(record).toMatchObject({ draw: { chainHash: round.hash.toString('hex') } })
    expect(round.sealed.length).toBeGreaterThan(32)
  })

  test('and the list of a day are never changed, neither by the server’s role nor by the owner', async () => {
    for (const url of [world.database.appUrl, world.database.ownerUrl]) {
      const db = connect({ url, max: 1 })
      for (const statement of [
        sql`update log_entry set kind = 'void' where index = 0`,
        sql`delete from log_entry where index = 0`,
        sql`truncate log_entry`,
        sql`update ticket_page set page = page + 100`,
        sql`delete from ticket_page`,
        sql`truncate ticket_page`,
      ]) {
        await expect(db.query(statement)).rejects.toThrow(/permission denied|rows of this table are never changed/)
      }
      await db.close()
    }
  })
})

test('a ticket key changed after the join applies from the next day, in the sealed list too', async () => {
  const member = members[0] as bigint
  const today = (await world.join(member)).body as unknown as { ticket: { ticket: string } }
  await world.ask('PUT /user/ticket-key', { as: member, body: { ticketKey: 'f'.repeat(64) } })
  await world.goTo('2026-11-23T00:00:01+05:30')
  const sealed = await world.db.one<{ places: number }>(
    sql`select count(*)::int as places from ticket where day = '2026-11-22' and ticket = ${Buffer.from(today.ticket.ticket, 'hex')}::bytea`,
  )
  expect(sealed.places).toBe(1)
  expect((await world.ask('GET /user/ticket-key', { as: member })).body).toEqual({ key: 'f'.repeat(64), custodial: false })
})

test('a round whose secret is not the committed one is not drawn', async () => {
  const other = await openRoundsWorld()
  const member = await other.member(2)
  await other.join(member)
  await other.db.query(
    sql`update round set sealed_secret = (select sealed_secret from round where day = '2026-11-22') where day = '2026-11-21'`,
  )
  await other.goTo('2026-11-22T00:00:01+05:30')
  expect(await other.statuses()).toMatchObject({ '2026-11-21': 'closed', '2026-11-22': 'open', '2026-11-23': 'open' })
  expect(other.faults.length).toBeGreaterThan(0)
  // The stuck draw blocks nothing else: the next day takes joins.
  expect((await other.join(member)).status).toBe(200)
  other.faults.length = 0
  await other.close()
})
