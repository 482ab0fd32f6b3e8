/**
 * The tickets of a day as flat bytes: a million of them are 48 MB in five pieces of memory, shared by
 * all threads, where objects would be half a gigabyte. Pure but for the hashes. Invariants: positions
 * ascend by ticket, and no ticket stands twice; a page is a whole subtree of the day's tree, so that
 * the roots of the pages give the root of the day.
 */
import { merkleRoot } from '@roz/core/draw.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import type { Secrets } from '../secrets.ts'
import { sha256 } from './sha256.ts'
import { keyContextOf, ticketOf } from './ticket.ts'

/** Entries of a page: a power of two (protocol, chapter 3: the tree splits at powers of two). */
export const LIST_PAGE = 16_384
const ID_BYTES = 8
export const TICKET_BYTES = 32
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
}

/** Some entrants in the order of their ids: id by id, and sealed key by sealed key. */
export type SealedKeys = { readonly members: Uint8Array; readonly sealed: Uint8Array }
/** Members and tickets of a page by position, and the root of its subtree. */
export type ListPage = { readonly members: Uint8Array; readonly tickets: Uint8Array; readonly root: Uint8Array }

export const newList = (day: IstDay, count: number): FlatList => ({
  day,
  count,
  members: new Uint8Array(new SharedArrayBuffer(count * ID_BYTES)),
  tickets: new Uint8Array(new SharedArrayBuffer(count * TICKET_BYTES)),
  order: new BigUint64Array(new SharedArrayBuffer(count * BigUint64Array.BYTES_PER_ELEMENT)),
})

/** Makes the tickets of some entrants, from the `from`-th of the list on. */
export function fillList(list: FlatList, secrets: Pick<Secrets, 'open'>, from: number, keys: SealedKeys): void {
  const ids = Buffer.from(keys.members.buffer, keys.members.byteOffset, keys.members.length)
  const count = ids.length / ID_BYTES
  if (keys.sealed.length !== count * SEALED_KEY_BYTES || from + count > list.count) throw new Error('these keys are not those of the list')
  list.members.set(ids, from * ID_BYTES)
  for (let index = 0; index < count; index++) {
    const sealed = keys.sealed.subarray(index * SEALED_KEY_BYTES, (index + 1) * SEALED_KEY_BYTES)
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

/** A page of the sorted list. */
export function pageOf({ count, members, tickets, order }: FlatList, page: number): ListPage {
  const from = page * LIST_PAGE
  const length = Math.min(count - from, LIST_PAGE)
  const shown = { members: new Uint8Array(length * ID_BYTES), tickets: new Uint8Array(length * TICKET_BYTES) }
  const entries: Uint8Array[] = []
  for (let index = 0; index < length; index++) {
    const place = placeOf(order, from + index)
    shown.members.set(members.subarray(place * ID_BYTES, (place + 1) * ID_BYTES), index * ID_BYTES)
    shown.tickets.set(tickets.subarray(place * TICKET_BYTES, (place + 1) * TICKET_BYTES), index * TICKET_BYTES)
    entries.push(shown.tickets.subarray(index * TICKET_BYTES, (index + 1) * TICKET_BYTES))
  }
  return { ...shown, root: Uint8Array.from(merkleRoot(sha256, entries)) }
}
