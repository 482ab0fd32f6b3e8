import { createHmac, randomBytes } from 'node:crypto'
import { merkleRoot, subtreesRoot } from '@roz/core/draw.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { expect, test } from 'vitest'
import { createSecrets } from '../secrets/secrets.ts'
import { LIST_GROUP, LIST_PAGE, makePage, newList, newPages, shownOf, sortList } from './flat-list.ts'
import { createListMaker } from './list-maker.ts'
import { sha256 } from './sha256.ts'
import { keyContextOf } from './ticket.ts'

const DAY = '2026-11-21' as IstDay
const secrets = createSecrets({ secretKey: 'a secret of the tests' })
const text = Buffer.from(`roz/v1/ticket\n${DAY}`)

type Member = { readonly id: bigint; readonly key: Buffer; readonly encrypted: Buffer }
const makeMembers = (count: number): Member[] =>
  Array.from({ length: count }, (_, index) => {
    const [id, key] = [BigInt(index + 1001), randomBytes(32)]
    return { id, key, encrypted: secrets.encrypt(key, keyContextOf(id)) }
  })
const idBytes = (id: bigint): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(id)
  return bytes
}
const keysOf = (members: readonly Member[]) => ({
  count: members.length,
  members: Buffer.concat(members.map(({ id }) => idBytes(id))).toString('base64'),
  encrypted: Buffer.concat(members.map(({ encrypted }) => encrypted)).toString('base64'),
})

async function make(members: readonly Member[], options: { readonly threadFrom: number; readonly portion: number }) {
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

test('a list made in a thread equals one made without: every ticket once, ascending, under the root of all entries', async () => {
  const entries = members.map(({ id, key }) => ({ id, ticket: createHmac('sha256', key).update(text).digest() }))
  entries.sort((left, right) => left.ticket.compare(right.ticket))
  for (const threadFrom of [0, Number.POSITIVE_INFINITY]) {
    const pages = await make(members, { threadFrom, portion: 5_000 })
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

test('a key that was moved to another member fails the list, with a thread and without', async () => {
  const [first, second, ...rest] = members.slice(0, 50) as [Member, Member, ...Member[]]
  const moved = [first, { ...second, encrypted: first.encrypted }, ...rest]
  for (const threadFrom of [0, Number.POSITIVE_INFINITY]) await expect(make(moved, { threadFrom, portion: 10 })).rejects.toThrow()
})

test('more or fewer keys than entries fail the list', async () => {
  for (const threadFrom of [0, Number.POSITIVE_INFINITY]) {
    const maker = createListMaker(secrets, DAY, 3, { threadFrom })
    const filled = maker.fill(keysOf(members.slice(0, 4))).then(() => maker.sort())
    await expect(filled).rejects.toThrow('do not fit the list')
    await maker.close()
  }
})

test('tickets with the same prefix are sorted by their last byte, and a duplicate ticket fails the list', () => {
  const tails = [7, 3, 255, 0, 9]
  const list = newList(DAY, newPages(tails.length))
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

test('a page and its groups have the roots of their entries, for every number of entries', () => {
  for (let count = 1; count <= 2 * LIST_GROUP + 3; count++) {
    const list = newList(DAY, newPages(count))
    const tickets = Array.from({ length: count }, () => randomBytes(32)).sort((left, right) => left.compare(right))
    tickets.forEach((ticket, index) => ticket.copy(list.tickets, index * 32))
    sortList(list)
    expect(Buffer.from(makePage(list, 0)).equals(merkleRoot(sha256, tickets))).toBe(true)
    for (let from = 0; from < count; from += LIST_GROUP) {
      const group = Buffer.concat([tickets[from] as Buffer, merkleRoot(sha256, tickets.slice(from, from + LIST_GROUP))])
      expect(group.equals(shownOf(list, 0).groups.subarray(from / 2, from / 2 + 64))).toBe(true)
    }
  }
})
