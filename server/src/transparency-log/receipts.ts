/**
 * Signed receipts of joins (spec/protocol.md, chapter 11).
 * - A receipt is signed only after its entry is durable.
 * - It is signed by the key that serves on the entry's day, in any process and however late.
 * - One signature covers a batch of joins. The batcher never waits for it.
 * - A member whose ticket key cannot be read gets none. The others of the batch get theirs.
 * - Simultaneous repeated requests for a batch share a signature.
 */
import { sign } from 'node:crypto'
import { u64 } from '@roz/core/draw.ts'
import { endOfDayMs, type IstDay } from '@roz/core/ist-day.ts'
import type { Db } from '../db/sql.ts'
import type { TicketKeys } from '../tickets/ticket-keys.ts'
import { TICKET_KEY_BYTES, ticketHex } from '../tickets/ticket.ts'
import { UnreadableKeyError } from '../tickets/unreadable-keys.ts'
import type { LogKey, LogKeys } from './log-key.ts'
import { leafHex, rootAndPaths } from './merkle-tree.ts'

type Receipt = {
  readonly count: number
  readonly index: number
  readonly keyId: string
  readonly path: string[]
  readonly signature: string
  /** Milliseconds since 1970 UTC, within the day. */
  readonly time: number
}
type Made = Map<bigint, Receipted>
type Receipted = { readonly ticket: string; readonly receipt: Receipt }
type Entered = { readonly batchId: bigint; readonly day: IstDay; readonly at: Date }
type JoinedBatch = Entered & { readonly memberIds: readonly bigint[] }

/** Batches whose receipts are cached. Few are enough: each join asks for its receipt right after its batch. */
const KEPT_BATCHES = 16

export function createReceipts({ db, keys, ticketKeys }: { readonly db: Db; readonly keys: LogKeys; readonly ticketKeys: TicketKeys }) {
  const batches = new Map<bigint, Promise<Made | undefined>>()
  const again = new Map<bigint, { readonly memberIds: bigint[]; readonly made: Promise<Made> }>()

  /** The receipts of the batch, except for members whose key cannot be read: `ofItsOwn` fails for these alone. */
  async function make(batch: JoinedBatch): Promise<Made> {
    try {
      return await makeAll(batch)
    } catch (error) {
      if (!(error instanceof UnreadableKeyError)) throw error
      await ticketKeys.keepUnreadable(db, error.memberIds)
      const lost = new Set(error.memberIds)
      return makeAll({ ...batch, memberIds: batch.memberIds.filter((memberId) => !lost.has(memberId)) })
    }
  }

  async function makeAll(batch: JoinedBatch): Promise<Made> {
    const [key, found] = await Promise.all([keys.servingOn(db, batch.day), ticketKeys.flatFor(db, batch.memberIds, batch.day)])
    const entries = found.members.map((memberId, index) => ({
      memberId,
      ticket: ticketHex(found.keys, index * TICKET_KEY_BYTES, batch.day),
    }))
    return signBatch(
      key,
      batch,
      entries.sort((left, right) => (left.ticket < right.ticket ? -1 : 1)),
    )
  }

  /** After an outage all members repeat their requests at once: that must not cost one signature each. */
  function makeAgain(entry: Entered, memberId: bigint): Promise<Made> {
    const begun = again.get(entry.batchId)
    if (begun !== undefined) {
      begun.memberIds.push(memberId)
      return begun.made
    }
    const memberIds = [memberId]
    const made = new Promise(setImmediate).then(() => {
      again.delete(entry.batchId)
      return make({ ...entry, memberIds })
    })
    again.set(entry.batchId, { memberIds, made })
    return made
  }

  /** The receipt for a repeated request, or for a member whose batch has no receipt for them. */
  async function ofItsOwn(entry: Entered & { readonly memberId: bigint }): Promise<Receipted> {
    const found = (await makeAgain(entry, entry.memberId)).get(entry.memberId)
    if (found !== undefined) return found
    // A fallback: every way to join ensures a ticket key first.
    await ticketKeys.get(db, entry.memberId, entry.day)
    const alone = (await make({ ...entry, memberIds: [entry.memberId] })).get(entry.memberId)
    if (alone === undefined) throw new Error(`an entrant of ${entry.day} has no ticket key that serves`)
    return alone
  }

  return {
    /** Starts signing. Call it after the batch has committed; nothing waits for it. */
    begin(batch: JoinedBatch): void {
      // If the batch fails, `of` signs a receipt for each member who asks.
      const made = make(batch).catch(() => undefined)
      batches.set(batch.batchId, made)
      for (const oldest of batches.keys()) {
        if (batches.size <= KEPT_BATCHES) break
        batches.delete(oldest)
      }
    },

    /** The receipt of a durable entry. */
    of(entry: Entered & { readonly memberId: bigint }): Promise<Receipted> {
      const batch = batches.get(entry.batchId)
      if (batch === undefined) return ofItsOwn(entry)
      return batch.then((made) => {
        const found = made?.get(entry.memberId)
        // Released at once: receipts kept with their batch are promoted to the old generation, which only a full garbage collection frees.
        made?.delete(entry.memberId)
        return found ?? ofItsOwn(entry)
      })
    },
  }
}
export type Receipts = ReturnType<typeof createReceipts>

/** `ticket` in hex: it is hashed, sorted and returned in that form. */
type Entry = { readonly memberId: bigint; readonly ticket: string }

function signBatch(key: LogKey, { day, at }: JoinedBatch, entries: readonly Entry[]): Made {
  // A statement that started before midnight enters that day, and the receipt's time must lie in the day.
  const timeMs = Math.min(at.getTime(), endOfDayMs(day) - 1)
  const made = new Map<bigint, Receipted>()
  if (entries.length === 0) return made
  const { root, paths } = rootAndPaths(entries.map(({ ticket }) => leafHex(ticket)))
  const signed = Buffer.concat([Buffer.from(`roz/v1/receipt\n${day}`), Buffer.from(root, 'hex'), u64(timeMs)])
  const signature = sign(null, signed, key.privateKey).toString('hex')
  for (const [index, { memberId, ticket }] of entries.entries()) {
    made.set(memberId, {
      ticket,
      receipt: { count: entries.length, index, keyId: key.keyId, path: paths[index] ?? [], signature, time: timeMs },
    })
  }
  return made
}
