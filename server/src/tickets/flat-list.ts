/**
 * The tickets of a day as flat bytes: a million of them are 48 MB in three pieces of memory, where
 * objects would be half a gigabyte; what is made of them goes into memory that is there. Pure but for the hashes. Invariants: positions
 * ascend by ticket, and no ticket stands twice; a page is a whole subtree of the day's tree, and a
 * group one of the page's, so that the roots of the groups give the root of the page, and those of the
 * pages the root of the day.
 */
import { subtreesRoot } from '@roz/core/draw.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { HASH_BYTES, hashInto, sha256 } from './sha256.ts'
import { keyContextOf, writeTicket } from './ticket.ts'

/** Entries of a page: a power of two (protocol, chapter 3: the tree splits at powers of two). */
export const LIST_PAGE = 16_384
/** Entries of a group, a power of two too: what is read and hashed to prove one of them. */
export const LIST_GROUP = 128
/** Pages that may be in the making beside each other. */
export const PAGES_AT_ONCE = 2
const ID_BYTES = 8
export const TICKET_BYTES = 32
/** A group's first ticket, and its root. */
export const GROUP_BYTES = 64
/** A 32-byte key as Secrets.seal writes it. */
export const SEALED_KEY_BYTES = 65

export type FlatList = Pages & {
  readonly day: IstDay
  /** In the order of member ids, 8 bytes each. */
  readonly members: Buffer
  /** In the same order, 32 bytes each. */
  readonly tickets: Buffer
  /** By position: the first bytes of its ticket above, its place in the two lists below. Ascending once it is sorted. */
  readonly order: BigUint64Array
}
/** What the thread that makes a list shares with the one that writes it. */
export type Pages = {
  readonly count: number
  /** Where pages are laid out, in turn: PAGES_AT_ONCE are made while another is written. */
  readonly shown: readonly Shown[]
}
/** Members and tickets by position, and the groups of the tickets. */
type Shown = { readonly members: Uint8Array; readonly tickets: Uint8Array; readonly groups: Uint8Array }

/**
 * Some entrants in the order of their ids: the ids, 8 bytes each, and the sealed keys, one after the
 * other. In base64, so that the thread which wants the bytes decodes them, and not the server's.
 */
export type SealedKeys = { readonly count: number; readonly members: string; readonly sealed: string }
/** A page and the root of its subtree. It stands until so many after it are made. */
export type ListPage = Shown & { readonly root: Uint8Array }

const shared = (bytes: number): Uint8Array => new Uint8Array(new SharedArrayBuffer(bytes))

export function newPages(count: number): Pages {
  const length = Math.min(count, LIST_PAGE)
  const show = (): Shown => ({
    members: shared(length * ID_BYTES),
    tickets: shared(length * TICKET_BYTES),
    groups: shared(Math.ceil(length / LIST_GROUP) * GROUP_BYTES),
  })
  return { count, shown: Array.from({ length: PAGES_AT_ONCE + 1 }, show) }
}

export function newList(day: IstDay, pages: Pages): FlatList {
  const { count } = pages
  return {
    ...pages,
    day,
    members: Buffer.alloc(count * ID_BYTES),
    tickets: Buffer.alloc(count * TICKET_BYTES),
    order: new BigUint64Array(count),
  }
}

/** Makes the tickets of some entrants, from the `from`-th of the list on. */
export function fillList({ day, members, tickets }: FlatList, secrets: Pick<Secrets, 'openMany'>, from: number, keys: SealedKeys): void {
  const bytes = Buffer.from(keys.sealed, 'base64')
  const isWhole = members.write(keys.members, from * ID_BYTES, 'base64') === keys.count * ID_BYTES
  if (!isWhole || bytes.length !== keys.count * SEALED_KEY_BYTES) throw new Error('these keys are not those of the list')
  const contextOf = (index: number): string => keyContextOf(members.readBigInt64BE((from + index) * ID_BYTES))
  // Each ticket takes the place of its key.
  const own = tickets.subarray(from * TICKET_BYTES, (from + keys.count) * TICKET_BYTES)
  secrets.openMany({ bytes, each: SEALED_KEY_BYTES, contextOf }, own)
  for (let at = 0; at < own.length; at += TICKET_BYTES) writeTicket(own, at, day, own, at)
}

/** Sorts by the first four bytes of each ticket as one number, then the few that share them by all of it. */
export function sortList({ day, count, tickets, order }: FlatList): void {
  const words = wordsOf(order)
  for (let index = 0; index < count; index++) {
    words.setUint32(index * 8 + LOW_WORD, index, LITTLE_ENDIAN)
    words.setUint32(index * 8 + HIGH_WORD, tickets.readUInt32BE(index * TICKET_BYTES), LITTLE_ENDIAN)
  }
  order.sort()
  const prefixOf = (position: number): number => words.getUint32(position * 8 + HIGH_WORD, LITTLE_ENDIAN)
  const at = (position: number): Buffer => ticketAt(tickets, placeOf(words, position))
  for (let position = 1; position < count; position++) {
    for (let left = position; left > 0 && prefixOf(left - 1) === prefixOf(left); left--) {
      const ascending = at(left - 1).compare(at(left))
      if (ascending === 0) throw new Error(`the list of ${day} holds a ticket twice`)
      if (ascending < 0) break
      const lower = order[left] as bigint
      order[left] = order[left - 1] as bigint
      order[left - 1] = lower
    }
  }
}

/** Numbers of 64 bits lie in memory as this machine writes them. */
const LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1
const [LOW_WORD, HIGH_WORD] = LITTLE_ENDIAN ? [0, 4] : [4, 0]
const wordsOf = (order: BigUint64Array): DataView => new DataView(order.buffer, order.byteOffset, order.byteLength)
const placeOf = (words: DataView, position: number): number => words.getUint32(position * 8 + LOW_WORD, LITTLE_ENDIAN)
const ticketAt = (tickets: Buffer, place: number): Buffer => tickets.subarray(place * TICKET_BYTES, (place + 1) * TICKET_BYTES)

/** Lays a page of the sorted list out, and answers the root of its subtree. */
export function makePage(list: FlatList, page: number): Uint8Array {
  const words = wordsOf(list.order)
  const { members, tickets, groups } = shownOf(list, page)
  const entries = tickets.length / TICKET_BYTES
  for (let index = 0; index < entries; index++) {
    const place = placeOf(words, page * LIST_PAGE + index)
    members.set(list.members.subarray(place * ID_BYTES, (place + 1) * ID_BYTES), index * ID_BYTES)
    tickets.set(ticketAt(list.tickets, place), index * TICKET_BYTES)
  }
  const roots: Uint8Array[] = []
  for (let from = 0; from < entries; from += LIST_GROUP) {
    const group = asBuffer(tickets.subarray(from * TICKET_BYTES, (from + LIST_GROUP) * TICKET_BYTES))
    const shown = asBuffer(groups.subarray(roots.length * GROUP_BYTES, (roots.length + 1) * GROUP_BYTES))
    group.copy(shown, 0, 0, TICKET_BYTES)
    writeGroupRoot(group, shown, TICKET_BYTES)
    roots.push(shown.subarray(TICKET_BYTES))
  }
  return Uint8Array.from(subtreesRoot(sha256, roots))
}

/** The marks of leaves and nodes (protocol, chapter 3), and what each is over. */
const leaf = Buffer.alloc(1 + TICKET_BYTES, 0)
const node = Buffer.alloc(1 + 2 * HASH_BYTES, 1)
const level = Buffer.alloc(LIST_GROUP * HASH_BYTES)

/** merkleRoot of the core, level by level in the same bytes: who is alone at the end of a level stands in the next one as it is. */
function writeGroupRoot(group: Buffer, into: Buffer, at: number): void {
  let left = group.length / TICKET_BYTES
  for (let index = 0; index < left; index++) {
    group.copy(leaf, 1, index * TICKET_BYTES, (index + 1) * TICKET_BYTES)
    hashInto(leaf, level, index * HASH_BYTES)
  }
  while (left > 1) {
    const pairs = left >> 1
    for (let pair = 0; pair < pairs; pair++) {
      level.copy(node, 1, 2 * pair * HASH_BYTES, 2 * (pair + 1) * HASH_BYTES)
      hashInto(node, level, pair * HASH_BYTES)
    }
    if (left % 2 === 1) level.copyWithin(pairs * HASH_BYTES, (left - 1) * HASH_BYTES, left * HASH_BYTES)
    left -= pairs
  }
  level.copy(into, at, 0, HASH_BYTES)
}

export const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)

/** Where a page lies once it is made. */
export function shownOf({ count, shown }: Pages, page: number): Shown {
  const { members, tickets, groups } = shown[page % shown.length] as Shown
  const length = Math.min(count - page * LIST_PAGE, LIST_PAGE)
  return {
    members: members.subarray(0, length * ID_BYTES),
    tickets: tickets.subarray(0, length * TICKET_BYTES),
    groups: groups.subarray(0, Math.ceil(length / LIST_GROUP) * GROUP_BYTES),
  }
}
