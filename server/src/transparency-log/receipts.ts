/**
 * Receipts of joins (spec/protocol.md, chapter 11). Invariants: signed only once the entry is durable;
 * by the key that serves on the entry's day, whichever process signs and however late; one signature
 * covers a batch, so that the rate of joins is not the rate of signatures; made beside
 * the batcher, which never waits for it. One that is asked for later, by an answer that came again, covers
 * those of its batch that are asked for in the same moment.
 */
import { sign } from 'node:crypto'
import { u64 } from '@roz/core/draw.ts'
import { endOfDayMs, type IstDay } from '@roz/core/ist-day.ts'
import type { Db } from '../db/sql.ts'
import type { TicketKeys } from '../tickets/ticket-keys.ts'
import { TICKET_KEY_BYTES, ticketHex } from '../tickets/ticket.ts'
import type { LogKey, LogKeys } from './log-key.ts'
import { leafHex, rootAndPaths } from './merkle-tree.ts'

export type Receipt = {
  readonly count: number
  readonly index: number
  readonly keyId: string
  readonly path: string[]
  readonly signature: string
  /** Milliseconds since 1970 UTC, within the day. */
  readonly time: number
}
type Made = Map<bigint, Receipted>
export type Receipted = { readonly ticket: string; readonly receipt: Receipt }
type Entered = { readonly batchId: bigint; readonly day: IstDay; readonly at: Date }
export type JoinedBatch = Entered & { readonly memberIds: readonly bigint[] }

/** Receipts of batches wait this long for their askers: a join's answer follows its batch at once. */
const KEPT_BATCHES = 16

export function createReceipts({ db, keys, ticketKeys }: { readonly db: Db; readonly keys: LogKeys; readonly ticketKeys: TicketKeys }) {
  const batches = new Map<bigint, Promise<Made | undefined>>()
  const again = new Map<bigint, { readonly memberIds: bigint[]; readonly made: Promise<Made> }>()

  async function make(batch: JoinedBatch): Promise<Made> {
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

  /** After an outage everybody asks again at once: it must not cost a signature for each. */
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

  /** Of an answer that came again, or whose batch has none for it. */
  async function ofItsOwn(entry: Entered & { readonly memberId: bigint }): Promise<Receipted> {
    const found = (await makeAgain(entry, entry.memberId)).get(entry.memberId)
    if (found !== undefined) return found
    // Every way in makes sure of a key; this is the net below.
    await ticketKeys.get(db, entry.memberId, entry.day)
    const alone = (await make({ ...entry, memberIds: [entry.memberId] })).get(entry.memberId)
    if (alone === undefined) throw new Error(`an entrant of ${entry.day} has no ticket key that serves`)
    return alone
  }

  return {
    /** To be called after the batch has committed; nobody waits for it. */
    begin(batch: JoinedBatch): void {
      // Who asks for one of a batch that failed gets one of their own.
      const made = make(batch).catch(() => undefined)
      batches.set(batch.batchId, made)
      for (const oldest of batches.keys()) {
        if (batches.size <= KEPT_BATCHES) break
        batches.delete(oldest)
      }
    },

    /** The receipt of an entry that is durable. */
    of(entry: Entered & { readonly memberId: bigint }): Promise<Receipted> {
      const batch = batches.get(entry.batchId)
      if (batch === undefined) return ofItsOwn(entry)
      return batch.then((made) => {
        const found = made?.get(entry.memberId)
        // Let go of at once: what waits with its batch for so long grows old, and what is old costs a look through all of the heap.
        made?.delete(entry.memberId)
        return found ?? ofItsOwn(entry)
      })
    },
  }
}
export type Receipts = ReturnType<typeof createReceipts>

/** `ticket` as hex: in that form it is hashed, ordered and told. */
type Entry = { readonly memberId: bigint; readonly ticket: string }

function signBatch(key: LogKey, { day, at }: JoinedBatch, entries: readonly Entry[]): Made {
  // A statement that began in the day's last moment is entered in that day.
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
