/**
 * A member's own parts, checked as the protocol says, only from the answer and the published files.
 */
import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import { inTransaction } from '../../db/transaction.ts'
import { listMemberStates } from '../../ledger/day-books.ts'
import { findMemberState } from '../../ledger/member-state.ts'
import { leafNode, leavesOf, nodeBytes, sumProof, sumRoot } from '../../transparency-log/sum-tree.ts'
import { useRoundsWorld } from '../../testing/rounds-world.ts'
import { hashOf, walkParts } from '../../testing/walk-parts.ts'

const DAY = '2026-11-21' as IstDay
const PAGE = 512
const world = useRoundsWorld({ bookPages: { leavesPage: PAGE } })
let rich: bigint
const members: bigint[] = []
type Part = { readonly amount: number; readonly position: number }
type Log = { readonly books: { index: number; path: string[]; record: { books: string } }; readonly checkpoint: string }
type Own = {
  readonly balance: number
  readonly held: number
  readonly count: number
  readonly next: number | null
  readonly nodes: string
  readonly parts: readonly Part[]
  readonly proof: Log | null
  readonly root: string
  readonly total: number
}

beforeAll(async () => {
  for (let n = 0; n < 25; n++) members.push(await world.member(10 + n))
  for (const member of members) await world.join(member)
  rich = await world.member(12_000)
  await inTransaction(world.db, (tx) => world.ticketKeys.ensure(tx, rich))
  await world.goTo('2026-11-22T00:00:05+05:30')
})

// An independent implementation of chapters 9 and 13 of spec/protocol.md.
const H = hashOf
const reach = (own: Own, key: Buffer, first: number) => walkParts(own, DAY, key, first)

async function expectProven(own: Own): Promise<void> {
  const { books, checkpoint } = own.proof as Log
  const file = Buffer.from(await (await fetch(`${world.url}/api/public/books/${DAY}`)).arrayBuffer())
  expect(H(file).toString('hex')).toBe(books.record.books)
  expect(JSON.parse(file.toString())).toMatchObject({ day: DAY, liabilities: { count: own.count, root: own.root, total: own.total } })
  const [, size = '', root = ''] = checkpoint.split('\n')
  let hash = H(Buffer.of(0), Buffer.from(JSON.stringify(Object.fromEntries(Object.entries(books.record).sort()))))
  // RFC 9162, 2.1.3.2.
  let [fn, sn] = [books.index, Number(size) - 1]
  for (const other of books.path.map((text) => Buffer.from(text, 'hex'))) {
    if (fn % 2 === 1 || fn === sn) {
      hash = H(Buffer.of(1), other, hash)
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)]
    } else hash = H(Buffer.of(1), hash, other)
    ;[fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)]
  }
  expect(sn).toBe(0)
  expect(hash.toString('base64')).toBe(root)
  expect(checkpoint).toBe(await (await fetch(`${world.url}/api/public/log/checkpoint`)).text())
}

const ask = async (member: bigint, query = ''): Promise<Own> => {
  const { status, body, text } = await world.ask(`GET /user/liabilities/${DAY}${query}`, { as: member })
  expect(status, text).toBe(200)
  return body as Own
}
const keyOf = async (member: bigint): Promise<Buffer> => (await world.ticketKeys.listFor(world.db, [member], DAY))[0]?.key ?? Buffer.of()
const sumOf = (parts: readonly Part[]): number => parts.reduce((sum, { amount }) => sum + amount, 0)

test('each member’s parts lead together to the published total, and the books record to the signed checkpoint', async () => {
  for (const member of members) {
    const own = await ask(member, '?limit=128')
    const root = reach(own, await keyOf(member), 0)
    expect({ root: root.hash.toString('hex'), total: root.sum }).toEqual({ root: own.root, total: own.total })
    expect([sumOf(own.parts), own.next]).toEqual([own.balance + own.held, null])
    await expectProven(own)
  }
  // Another member's key leads to another root.
  const own = await ask(members[0] as bigint)
  expect(reach(own, await keyOf(members[1] as bigint), 0).hash.toString('hex')).not.toBe(own.root)
})

test('a large balance is shown in several answers, each one proven, and all parts add up', async () => {
  const key = await keyOf(rich)
  const parts: Part[] = []
  for (let next: number | null = 0; next !== null; ) {
    const own: Own = await ask(rich, `?from=${next}&limit=${next === 0 ? 1 : 128}`)
    expect(own.count).toBeGreaterThan(4 * PAGE)
    expect(reach(own, key, next).hash.toString('hex')).toBe(own.root)
    parts.push(...own.parts)
    expect(own.next ?? parts.length).toBe(parts.length)
    next = own.next
    expect(parts.length).toBeLessThan(5_000)
  }
  expect(sumOf(parts)).toBe(1_200_000)
  expect(await ask(rich, `?from=${parts.length}`)).toMatchObject({ parts: [], nodes: '', next: null })
  for (const query of ['?limit=0', '?limit=129', '?from=-1', '?from=x'])
    expect((await world.ask(`GET /user/liabilities/${DAY}${query}`, { as: rich })).status, query).toBe(400)
})

test('a proof of several parts equals the one in the protocol’s vectors', () => {
  const { trees } = JSON.parse(readFileSync(new URL('../../../../spec/vectors/liabilities.json', import.meta.url), 'utf8')) as {
    trees: { file: string; count: number; together: { positions: number[]; nodes: string }[] }[]
  }
  const proofs = trees.flatMap(({ file, count, together }) => {
    const leaves = leavesOf(Buffer.from(file, 'hex')).map(leafNode)
    return together.map(({ positions, nodes }) => {
      const made = sumProof((from, to) => sumRoot(leaves.slice(from, to)), positions, count)
      expect(Buffer.concat(made.map(nodeBytes)).toString('base64')).toBe(nodes)
      return made
    })
  })
  expect(proofs.length).toBeGreaterThan(10)
})

test('two parts are shown unless the query asks for more', async () => {
  const own = await ask(rich)
  expect([own.parts.length, own.next]).toEqual([2, 2])
})

test('the state of one member at a day’s end equals the state in the list of all members', async () => {
  for (const member of members.slice(0, 9)) await world.join(member)
  await world.fund(members[3] as bigint, 700n)
  await world.goTo('2026-11-24T00:00:05+05:30')
  for (const day of [addDays(DAY, -1), DAY, addDays(DAY, 1), addDays(DAY, 2)]) {
    const all = await listMemberStates(world.db, day, 0n, 1_000_000n)
    for (const state of all) expect(await findMemberState(world.db, day, state.memberId)).toEqual(state)
  }
  expect(await findMemberState(world.db, DAY, 999_999n)).toBeUndefined()
})
