/**
 * The tickets of a day in flat buffers: sorting, pages and their Merkle roots, without I/O.
 * - A million tickets take 48 MB in three buffers; as objects they would take 500 MB. Results are written into preallocated memory.
 * - Positions ascend by ticket, and no ticket is in the list twice.
 * - A page is a whole subtree of the day's tree, and a group is a whole subtree of its page.
 * - So the roots of the groups give the page's root, and the roots of the pages give the day's root.
 */
import { subtreesRoot } from '@roz/core/draw.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { HASH_BYTES, hashInto, sha256 } from './sha256.ts'
import { keyContextOf, writeTicket } from './ticket.ts'

/** Entries of a page. A power of two, because the tree splits at powers of two (spec/protocol.md, chapter 3). */
export const LIST_PAGE = 16_384
/** Entries of a group, also a power of two. A proof of one entry reads and hashes its group. */
export const LIST_GROUP = 128
/** Pages that may be in the making at once. */
export const PAGES_AT_ONCE = 2
const ID_BYTES = 8
export const TICKET_BYTES = 32
/** A group's first ticket and its root. */
export const TICKET_GROUP_BYTES = 64
/** A 32-byte key as Secrets.encrypt writes it. */
export const ENCRYPTED_KEY_BYTES = 65

export type FlatList = Pages & {
  readonly day: IstDay
  /** In the order of member ids, 8 bytes each. */
  readonly members: Buffer
  /** In the same order, 32 bytes each. */
  readonly tickets: Buffer
  /** By position: the ticket's first four bytes (high word) and its index in `members` and `tickets` (low word). */
  readonly order: BigUint64Array
}
/** Memory shared between the thread that makes a list and the thread that writes it. */
export type Pages = {
  readonly count: number
  /** A ring of page buffers: PAGES_AT_ONCE pages are made while another one is written. */
  readonly shown: readonly Shown[]
}
/** Members and tickets of a page by position, and its groups. */
type Shown = { readonly members: Uint8Array; readonly tickets: Uint8Array; readonly groups: Uint8Array }

/**
 * Some entrants in the order of their ids: concatenated ids (8 bytes each) and concatenated encrypted keys.
 * Both are base64, so that the list's thread decodes them and not the server's main thread.
 */
export type EncryptedKeys = { readonly count: number; readonly members: string; readonly encrypted: string }
/** A page and the root of its subtree. Its buffer is reused PAGES_AT_ONCE + 1 pages later. */
export type ListPage = Shown & { readonly root: Uint8Array }

const shared = (bytes: number): Uint8Array => new Uint8Array(new SharedArrayBuffer(bytes))

export function newPages(count: number): Pages {
  const length = Math.min(count, LIST_PAGE)
  const show = (): Shown => ({
    members: shared(length * ID_BYTES),
    tickets: shared(length * TICKET_BYTES),
    groups: shared(Math.ceil(length / LIST_GROUP) * TICKET_GROUP_BYTES),
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

/** Makes the tickets of some entrants and stores them from index `from` on. */
export function fillList(
  { day, members, tickets }: FlatList,
  secrets: Pick<Secrets, 'decryptMany'>,
  from: number,
  keys: EncryptedKeys,
): void {
  const bytes = Buffer.from(keys.encrypted, 'base64')
  const isWhole = members.write(keys.members, from * ID_BYTES, 'base64') === keys.count * ID_BYTES
  if (!isWhole || bytes.length !== keys.count * ENCRYPTED_KEY_BYTES) throw new Error('these keys do not fit the list')
  const contextOf = (index: number): string => keyContextOf(members.readBigInt64BE((from + index) * ID_BYTES))
  // Each ticket overwrites its key.
  const own = tickets.subarray(from * TICKET_BYTES, (from + keys.count) * TICKET_BYTES)
  secrets.decryptMany({ bytes, each: ENCRYPTED_KEY_BYTES, contextOf }, own)
  for (let at = 0; at < own.length; at += TICKET_BYTES) writeTicket(own, at, day, own, at)
}

/** Sorts by the first four bytes of each ticket as one number, then sorts the few that share a prefix by the whole ticket. */
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

/** A BigUint64Array stores its numbers in the byte order of the machine. */
const LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1
const [LOW_WORD, HIGH_WORD] = LITTLE_ENDIAN ? [0, 4] : [4, 0]
const wordsOf = (order: BigUint64Array): DataView => new DataView(order.buffer, order.byteOffset, order.byteLength)
const placeOf = (words: DataView, position: number): number => words.getUint32(position * 8 + LOW_WORD, LITTLE_ENDIAN)
const ticketAt = (tickets: Buffer, place: number): Buffer => tickets.subarray(place * TICKET_BYTES, (place + 1) * TICKET_BYTES)

/** Copies a page of the sorted list into its buffer and returns the root of its subtree. */
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
    const shown = asBuffer(groups.subarray(roots.length * TICKET_GROUP_BYTES, (roots.length + 1) * TICKET_GROUP_BYTES))
    group.copy(shown, 0, 0, TICKET_BYTES)
    writeGroupRoot(group, shown, TICKET_BYTES)
    roots.push(shown.subarray(TICKET_BYTES))
  }
  return Uint8Array.from(subtreesRoot(sha256, roots))
}

/** Hash inputs with the domain bytes of leaves (00) and nodes (01) from spec/protocol.md, chapter 3. */
const leaf = Buffer.alloc(1 + TICKET_BYTES, 0)
const node = Buffer.alloc(1 + 2 * HASH_BYTES, 1)
const level = Buffer.alloc(LIST_GROUP * HASH_BYTES)

/** The core's `merkleRoot`, level by level in one buffer. An odd node at the end of a level moves up unchanged. */
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

/** The buffers of a page, filled by `makePage`. */
export function shownOf({ count, shown }: Pages, page: number): Shown {
  const { members, tickets, groups } = shown[page % shown.length] as Shown
  const length = Math.min(count - page * LIST_PAGE, LIST_PAGE)
  return {
    members: members.subarray(0, length * ID_BYTES),
    tickets: tickets.subarray(0, length * TICKET_BYTES),
    groups: groups.subarray(0, Math.ceil(length / LIST_GROUP) * TICKET_GROUP_BYTES),
  }
}
