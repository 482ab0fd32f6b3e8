/** The search finds the same rows by looking through them and by its indexes. */
import { beforeAll, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import type { Search } from '../../lists/listing.ts'
import { gatewayIdOf } from '@roz/core/gateway-id.ts'
import { makeMember } from '../../testing/calls.ts'
import { usePayoutsWorld } from '../../testing/payouts-world.ts'
import { findIds, REFUNDS, WITHDRAWALS } from './money-search.ts'

const world = usePayoutsWorld()
/** The withdrawals of Asha and of रवि, oldest first. */
let ashas: string[]
let ravis: string[]
let refund: string
let order: string
beforeAll(async () => {
  const asha = await makeMember(world.db, { name: 'Asha Verma' })
  const ravi = await makeMember(world.db, { name: 'रवि कुमार' })
  for (const member of [asha, ravi]) for (let n = 0; n < 3; n++) await world.pay(member, 30)
  await world.db.query(sql`
    update member m set email = k.email, phone = k.phone
      from (values (${asha}::bigint, 'asha@example.org', '9876543210'), (${ravi}::bigint, 'ravi@example.org', '9123456780')) k (id, email, phone)
     where m.id = k.id`)
  const three = async (member: bigint): Promise<string[]> => {
    const ids: string[] = []
    for (let n = 0; n < 3; n++) {
      ids.push(await world.withdraw(member, 10))
      await world.pass(60)
    }
    return ids
  }
  ashas = await three(asha)
  ravis = await three(ravi)
  await world.db.query(sql`update withdrawal set reference = 'UTR-Of-One' where id = ${ashas[1]}::uuid`)
  await world.db.query(sql`update withdrawal set reference = '1234-5678-90' where id = ${ravis[1]}::uuid`)
  order = await world.pay(ravi, 20)
  refund = (await world.calls.ask('POST /wallet/refunds', { as: ravi, body: { order_id: order, amount: 5, reason: 'Too much' } })).body
    .refund.id
})

const search = (q: string, change: Partial<Search> = {}): Search => ({ q, status: undefined, after: undefined, limit: 25, ...change })
/** Both ways of the search: only by the rows next in order, and only by the indexes. */
const both = async (table: typeof WITHDRAWALS, asked: Search) => [
  await findIds(world.db, table, asked, 100),
  await findIds(world.db, table, asked, 0),
]
const newestFirst = (ids: readonly string[]): string[] => [...ids].reverse()

test.each([
  ['a part of a name', 'sha ver', () => newestFirst(ashas)],
  ['a name in Devanagari', 'कुमार', () => newestFirst(ravis)],
  ['two letters at the start of a word', 'ra', () => newestFirst(ravis)],
  ['a mail', 'ASHA@', () => newestFirst(ashas)],
  ['a phone number with its country code', '+91 98765 43210', () => newestFirst(ashas)],
  ['an id', () => ashas[0], () => [ashas[0]]],
  ['the id at the gateway', () => gatewayIdOf(ravis[2] ?? ''), () => [ravis[2]]],
  ['a bank reference', 'utr-of-one', () => [ashas[1]]],
  ['a bank reference of digits with hyphens', '5678-90', () => [ravis[1]]],
  ['what nobody has', 'nobody at all', () => []],
])('withdrawals are found by %s', async (_what, q, due) => {
  const asked = search(typeof q === 'string' ? q : (q() ?? ''))
  expect(await both(WITHDRAWALS, asked)).toEqual([due(), due()])
})

test('a refund is found by its order', async () => {
  expect(await both(REFUNDS, search(order))).toEqual([[refund], [refund]])
  expect(await both(REFUNDS, search('no such order'))).toEqual([[], []])
})

test('both ways page alike, newest and oldest first, within a state', async () => {
  const micros = async (id: string | undefined): Promise<string> =>
    (
      await world.db.maybeOne<{ at: string }>(
        sql`select (extract(epoch from created_at) * 1000000)::bigint::text as at from withdrawal where id = ${id}::uuid`,
      )
    )?.at ?? ''
  const after = [await micros(ashas[1]), ashas[1] ?? '']
  expect(await both(WITHDRAWALS, search('asha', { after }))).toEqual([[ashas[0]], [ashas[0]]])
  expect(await both(WITHDRAWALS, search('asha', { after, order: 'oldest' }))).toEqual([[ashas[2]], [ashas[2]]])
  expect(await both(WITHDRAWALS, search('asha', { limit: 1 }))).toEqual([
    [ashas[2], ashas[1]],
    [ashas[2], ashas[1]],
  ])
  expect(await both(WITHDRAWALS, search('asha', { status: 'requested' }))).toEqual([newestFirst(ashas), newestFirst(ashas)])
  expect(await both(WITHDRAWALS, search('asha', { status: 'paid' }))).toEqual([[], []])
})
