import { createHmac, randomBytes } from 'node:crypto'
import { merkleRoot, subtreesRoot } from '@roz/core/draw.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { expect, test } from 'vitest'
import { createSecrets } from '../secrets.ts'
import { LIST_PAGE, makePage, newList, shownOf, sortList } from './flat-list.ts'
import { createListMaker } from './list-maker.ts'
import { sha256 } from './sha256.ts'
import { keyContextOf } from './ticket.ts'

const DAY = '2026-11-21' as IstDay
const secrets = createSecrets({ secretKey: 'a secret of the tests' })
const text = Buffer.from(`roz/v1/ticket\n${DAY}`)

type Member = { readonly id: bigint; readonly key: Buffer; readonly sealed: Buffer }
const makeMembers = (count: number): Member[] =>
  Array.from({ length: count }, (_, index) => {
    const [id, key] = [BigInt(index + 1001), randomBytes(32)]
    return { id, key, sealed: secrets.seal(key, keyContextOf(id)) }
  })
const idBytes = (id: bigint): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(id)
  return bytes
}
const keysOf = (members: readonly Member[]) => ({
  count: members.length,
  members: Buffer.concat(members.map(({ id }) => idBytes(id))).toString('base64'),
  sealed: Buffer.concat(members.map(({ sealed }) => sealed)).toString('base64'),
})

async function make(members: readonly Member[], options: { readonly threadsFrom: number; readonly portion: number }) {
  const maker = createListMaker(secrets, DAY, members.length, options)
  try {
    for (let from = 0; from < members.length; from += options.portion) await maker.fill(keysOf(members.slice(from, from + options.portion)))
    await maker.sort()
    const pages: { members: Buffer; tickets: Buffer; root: Uint8Array }[] = []
    for (let page = 0; page * LIST_PAGE < members.length; page++) {
      const made = await maker.page(page)
      pages.push({ members: Buffer.from(made.members), tickets: Buffer.from(made.tickets), root: made.root })
    }
    return pages
  } finally {
    await maker.close()
  }
}

const members = makeMembers(LIST_PAGE + 300)

test('threads make the list that one thread makes: every ticket once, ascending, under the root of all entries', async () => {
  const entries = members.map(({ id, key }) => ({ id, ticket: createHmac('sha256', key).update(text).digest() }))
  entries.sort((left, right) => left.ticket.compare(right.ticket))
  for (const threadsFrom of [0, Number.POSITIVE_INFINITY]) {
    const pages = await make(members, { threadsFrom, portion: 5_000 })
    expect(Buffer.concat(pages.map((page) => page.tickets)).equals(Buffer.concat(entries.map(({ ticket }) => ticket)))).toBe(true)
    expect(Buffer.concat(pages.map((page) => page.members)).equals(Buffer.concat(entries.map(({ id }) => idBytes(id))))).toBe(true)
    const root = subtreesRoot(
      sha256,
      pages.map((page) => page.root),
    )
    expect(root).toEqual(
      merkleRoot(
        sha256,
        entries.map(({ ticket }) => ticket),
      ),
    )
  }
})

test('a key that was moved to another member fails the list, in a thread as well', async () => {
  const [first, second, ...rest] = members.slice(0, 50) as [Member, Member, ...Member[]]
  const moved = [first, { ...second, sealed: first.sealed }, ...rest]
  for (const threadsFrom of [0, Number.POSITIVE_INFINITY]) await expect(make(moved, { threadsFrom, portion: 10 })).rejects.toThrow()
})

test('more or fewer keys than entries fail the list', async () => {
  for (const threadsFrom of [0, Number.POSITIVE_INFINITY]) {
    const maker = createListMaker(secrets, DAY, 3, { threadsFrom })
    const filled = maker.fill(keysOf(members.slice(0, 4))).then(() => maker.sort())
    await expect(filled).rejects.toThrow('not those of the list')
    await maker.close()
  }
})

test('tickets that begin alike are told apart by their last byte, and one that stands twice fails the list', () => {
  const tails = [7, 3, 255, 0, 9]
  const list = newList(DAY, tails.length)
  tails.forEach((tail, index) => {
    list.tickets[index * 32 + 31] = tail
    list.members[index * 8 + 7] = tail
  })
  sortList(list)
  makePage(list, 0)
  expect(Array.from(shownOf(list, 0).members).filter((_, index) => index % 8 === 7)).toEqual([0, 3, 7, 9, 255])
  list.tickets[31] = 3
  expect(() => sortList(list)).toThrow('twice')
})
