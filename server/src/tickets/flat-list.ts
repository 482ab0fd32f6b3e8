/**
 * The tickets of a day as flat bytes: a million of them are 48 MB in five pieces of memory, shared by
 * all threads, where objects would be half a gigabyte. Pure but for the hashes. Invariants: positions
 * ascend by ticket, and no ticket stands twice; a page is a whole subtree of the day's tree, and a
 * group one of the page's, so that the roots of the groups give the root of the page, and those of the
 * pages the root of the day.
 */
import { merkleRoot, subtreesRoot } from '@roz/core/draw.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import type { Secrets } from '../secrets.ts'
import { sha256 } from './sha256.ts'
import { keyContextOf, ticketOf } from './ticket.ts'

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

export type FlatList = {
  readonly day: IstDay
  readonly count: number
  /** In the order of member ids, 8 bytes each. */
  readonly members: Uint8Array
  /** In the same order, 32 bytes each. */
  readonly tickets: Uint8Array
  /** By position: the first bytes of its ticket above, its place in the two lists below. Ascending once it is sorted. */
  readonly order: BigUint64Array
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

export function newList(day: IstDay, count: number): FlatList {
  const length = Math.min(count, LIST_PAGE)
  const show = (): Shown => ({
    members: shared(length * ID_BYTES),
    tickets: shared(length * TICKET_BYTES),
    groups: shared(Math.ceil(length / LIST_GROUP) * GROUP_BYTES),
  })
  return {
    day,
    count,
    members: shared(count * ID_BYTES),
    tickets: shared(count * TICKET_BYTES),
    order: new BigUint64Array(new SharedArrayBuffer(count * BigUint64Array.BYTES_PER_ELEMENT)),
    shown: Array.from({ length: PAGES_AT_ONCE + 1 }, show),
  }
}

/** Makes the tickets of some entrants, from the `from`-th of the list on. */
export function fillList(list: FlatList, secrets: Pick<Secrets, 'open'>, from: number, keys: SealedKeys): void {
  const { count } = keys
  const ids = Buffer.from(keys.members, 'base64')
  const sealedKeys = Buffer.from(keys.sealed, 'base64')
  const isWhole = ids.length === count * ID_BYTES && sealedKeys.length === count * SEALED_KEY_BYTES
  if (!isWhole || from + count > list.count) throw new Error('these keys are not those of the list')
  list.members.set(ids, from * ID_BYTES)
  for (let index = 0; index < count; index++) {
    const sealed = sealedKeys.subarray(index * SEALED_KEY_BYTES, (index + 1) * SEALED_KEY_BYTES)
    const key = secrets.open(sealed, keyContextOf(ids.readBigInt64BE(index * ID_BYTES)))
    list.tickets.set(ticketOf(key, list.day), (from + index) * TICKET_BYTES)
  }
}

/** Sorts by the first four bytes of each ticket as one number, then the few that share them by all of it. */
export function sortList({ day, count, tickets, order }: FlatList): void {
  const view = new DataView(tickets.buffer, tickets.byteOffset, tickets.length)
  const words = new DataView(order.buffer, order.byteOffset, order.byteLength)
  for (let index = 0; index < count; index++) {
    words.setUint32(index * 8 + LOW_WORD, index, LITTLE_ENDIAN)
    words.setUint32(index * 8 + (4 - LOW_WORD), view.getUint32(index * TICKET_BYTES), LITTLE_ENDIAN)
  }
  order.sort()
  const at = (position: number): Buffer =>
    Buffer.from(tickets.buffer, tickets.byteOffset + placeOf(order, position) * TICKET_BYTES, TICKET_BYTES)
  for (let position = 1; position < count; position++) {
    for (let left = position; left > 0 && prefixOf(order, left - 1) === prefixOf(order, left); left--) {
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
const LOW_WORD = LITTLE_ENDIAN ? 0 : 4
const placeOf = (order: BigUint64Array, position: number): number => Number((order[position] as bigint) & 0xffff_ffffn)
const prefixOf = (order: BigUint64Array, position: number): bigint => (order[position] as bigint) >> 32n

/** Lays a page of the sorted list out, and answers the root of its subtree. */
export function makePage(list: FlatList, page: number): Uint8Array {
  const { members, tickets, order } = list
  const shown = shownOf(list, page)
  const places = Array.from({ length: shown.members.length / ID_BYTES }, (_, index) => placeOf(order, page * LIST_PAGE + index))
  places.forEach((place, index) => {
    shown.members.set(members.subarray(place * ID_BYTES, (place + 1) * ID_BYTES), index * ID_BYTES)
    shown.tickets.set(tickets.subarray(place * TICKET_BYTES, (place + 1) * TICKET_BYTES), index * TICKET_BYTES)
  })
  const entries = places.map((_, index) => shown.tickets.subarray(index * TICKET_BYTES, (index + 1) * TICKET_BYTES))
  const roots: Uint8Array[] = []
  for (let from = 0; from < entries.length; from += LIST_GROUP) {
    const root = Uint8Array.from(merkleRoot(sha256, entries.slice(from, from + LIST_GROUP)))
    const at = roots.push(root) - 1
    shown.groups.set(entries[from] as Uint8Array, at * GROUP_BYTES)
    shown.groups.set(root, at * GROUP_BYTES + TICKET_BYTES)
  }
  return Uint8Array.from(subtreesRoot(sha256, roots))
}

/** Where a page lies once it is made. */
export function shownOf({ count, shown }: FlatList, page: number): Shown {
  const { members, tickets, groups } = shown[page % shown.length] as Shown
  const length = Math.min(count - page * LIST_PAGE, LIST_PAGE)
  return {
    members: members.subarray(0, length * ID_BYTES),
    tickets: tickets.subarray(0, length * TICKET_BYTES),
    groups: groups.subarray(0, Math.ceil(length / LIST_GROUP) * GROUP_BYTES),
  }
}
