/** Measures joins without HTTP: in batches, one transaction each, and one request at a time. */
import { randomUUID } from 'node:crypto'
import { sql } from '@roz/server/db/sql.ts'
import { createJoinBatcher } from '@roz/server/ledger/join-batcher.ts'
import { joinMembers, passingHeld } from '@roz/server/ledger/join-statement.ts'
import { memberAt, type SetUp } from './set-up.ts'

type Range = { readonly from: number; readonly to: number }
const sizeOf = ({ from, to }: Range): number => to - from

/** Runs `work` over the range with `width` workers. Returns the seconds taken. */
async function inFlight(range: Range, width: number, work: (index: number) => Promise<void>): Promise<number> {
  let next = range.from
  const began = performance.now()
  const lane = async (): Promise<void> => {
    while (next < range.to) await work(next++)
  }
  await Promise.all(Array.from({ length: width }, lane))
  return (performance.now() - began) / 1000
}

/** Scatters the members of a range by a prime stride, so consecutive joins touch distant rows. */
function scattered({ from, to }: Range): (index: number) => bigint {
  const size = to - from
  const stride = [7919, 104_729, 15_485_863].find((prime) => size % prime !== 0) ?? 1
  return (index) => memberAt(from + (((index - from) * stride) % size))
}

export const IN_FLIGHT = 512

/** `inOrder` joins members in id order, as Auto Participate does; otherwise the order is scattered. */
export async function batchedJoins(
  { db }: SetUp,
  range: Range,
  options: { readonly width?: number; readonly inOrder?: boolean } = {},
): Promise<number> {
  const batcher = createJoinBatcher({ db })
  const at = options.inOrder === true ? memberAt : scattered(range)
  const seconds = await inFlight(range, options.width ?? IN_FLIGHT, async (index) =>
    expectJoined((await batcher.join({ memberId: at(index) })).ok),
  )
  return sizeOf(range) / seconds
}

const CONNECTIONS = 32

/** The same statement for one member per transaction, on many connections. */
export async function singleJoins(setUp: SetUp, range: Range, width = CONNECTIONS): Promise<number> {
  const at = scattered(range)
  const seconds = await inFlight(range, width, (index) => joinAlone(setUp, at(index)))
  return sizeOf(range) / seconds
}

async function joinAlone({ db }: SetUp, memberId: bigint): Promise<void> {
  const [row] = await passingHeld((held) =>
    joinMembers(db, { uuid: randomUUID(), via: 'member', memberIds: [memberId], keyPrefixes: [null], held }),
  )
  expectJoined(row?.verdict === 'joined')
}

function expectJoined(joined: boolean): void {
  if (!joined) throw new Error('a member of the bench was refused')
}

const ROUNDS = 10

/** One request at a time, with and without the batcher. The two alternate, so both see the same noise. */
export async function oneAtATime(setUp: SetUp, range: Range): Promise<{ readonly on: number; readonly off: number }> {
  const step = Math.floor(sizeOf(range) / (2 * ROUNDS))
  const seconds = { on: 0, off: 0 }
  for (let round = 0; round < ROUNDS; round++) {
    const from = range.from + round * 2 * step
    const [first, second] = [
      { from, to: from + step },
      { from: from + step, to: from + 2 * step },
    ]
    const [on, off] = round % 2 === 0 ? [first, second] : [second, first]
    const measureOn = async (): Promise<void> => void (seconds.on += step / (await batchedJoins(setUp, on, { width: 1 })))
    const measureOff = async (): Promise<void> => void (seconds.off += step / (await singleJoins(setUp, off, 1)))
    for (const measure of round % 2 === 0 ? [measureOn, measureOff] : [measureOff, measureOn]) await measure()
  }
  return { on: (ROUNDS * step) / seconds.on, off: (ROUNDS * step) / seconds.off }
}

export type Weight = { readonly bytes: number; readonly walBytes: number; readonly walBytesInOrder: number; readonly perBatch: number }

/**
 * Measures the bytes of tables, indexes and WAL per join.
 *
 * - Full-page images are off: after each checkpoint they would add one image per changed page.
 * - Nearly every scattered join prunes a page of wallets, which adds WAL.
 */
export async function weighJoins(setUp: SetUp, first: Range, second: Range): Promise<Weight> {
  await setBackground(setUp, false)
  const apart = await weigh(setUp, first, false)
  const inOrder = await weigh(setUp, second, true)
  await setBackground(setUp, true)
  return { bytes: apart.bytes, walBytes: apart.walBytes, walBytesInOrder: inOrder.walBytes, perBatch: apart.perBatch }
}

type Look = { readonly wal: number; readonly bytes: number; readonly batches: number }
const look = ({ root }: SetUp): Promise<Look> =>
  root.one<Look>(sql`
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as wal, (select count(*)::int from join_batch) as batches,
               (pg_total_relation_size('join_batch') + (select sum(pg_total_relation_size(inhrelid)) from pg_inherits
                                                         where inhparent = 'round_join'::regclass))::float8 as bytes`)

async function weigh(setUp: SetUp, range: Range, inOrder: boolean) {
  const before = await look(setUp)
  await batchedJoins(setUp, range, { inOrder })
  const after = await look(setUp)
  const joins = sizeOf(range)
  return {
    bytes: (after.bytes - before.bytes) / joins,
    walBytes: (after.wal - before.wal) / joins,
    perBatch: joins / (after.batches - before.batches),
  }
}

/** Turns full-page images and autovacuum on or off: both write WAL that is not the joins' own. */
async function setBackground({ root }: SetUp, on: boolean): Promise<void> {
  await root.query(on ? sql`alter system reset full_page_writes` : sql`alter system set full_page_writes = off`)
  await root.query(on ? sql`alter system reset autovacuum` : sql`alter system set autovacuum = off`)
  await root.query(sql`select pg_reload_conf()`)
  await new Promise((resolve) => setTimeout(resolve, 300))
}
