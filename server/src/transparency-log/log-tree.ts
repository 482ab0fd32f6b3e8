/**
 * The Merkle tree of the log, in memory, for inclusion and consistency proofs.
 * - The log only grows: the root of a full subtree never changes and is cached.
 * - A proof reads only the records since the last proof, and hashes O(log n) nodes.
 */
import { hex } from '@roz/core/draw.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Db, sql } from '../db/sql.ts'
import { sha256 } from '../tickets/sha256.ts'
import type { Checkpoints } from './checkpoints.ts'
import { consistencyIn, cutOf, inclusionIn } from './merkle-tree.ts'

const NODE = Uint8Array.of(1)
/** Index and leaf hash of a record. */
type Leaf = { readonly index: number; readonly leaf: Buffer }

export type LogProofs = ReturnType<typeof createLogProofs>

export function createLogProofs({ db, checkpoints }: { readonly db: Db; readonly checkpoints: Pick<Checkpoints, 'latest'> }) {
  /** Roots of all full subtrees: `levels[height][place]`. */
  const levels: Uint8Array[][] = [[]]
  let reading: Promise<unknown> = Promise.resolve()

  function append(leaf: Uint8Array): void {
    let node = leaf
    for (let height = 0; ; height++) {
      const level = (levels[height] ??= [])
      level.push(node)
      if (level.length % 2 === 1) return
      node = sha256(NODE, level[level.length - 2] as Uint8Array, node)
    }
  }

  async function readNew(): Promise<void> {
    const known = levels[0]?.length ?? 0
    const rows = await db.query<Leaf>(
      sql`select index::float8 as index, leaf from log_entry where index >= ${known}::bigint order by index`,
    )
    for (const [at, { index, leaf }] of rows.entries()) {
      if (index !== known + at) throw new Error(`the log has no record ${known + at}`)
      append(leaf)
    }
  }

  /** True where the log has at least `size` records, and `size` is at least 1. Reads new records if it must. */
  async function reaches(size: number): Promise<boolean> {
    const isKnown = (): boolean => (levels[0]?.length ?? 0) >= size
    if (size < 1 || isKnown()) return size >= 1
    // Reads run one after the other: each starts where the one before it ended.
    reading = reading.catch(() => undefined).then(() => (isKnown() ? undefined : readNew()))
    await reading
    return isKnown()
  }

  const root = (from: number, to: number): Uint8Array => {
    const width = to - from
    const height = Math.log2(width)
    if (Number.isInteger(height)) return levels[height]?.[from / width] as Uint8Array
    const middle = from + cutOf(width)
    return sha256(NODE, root(from, middle), root(middle, to))
  }

  const inclusion = async (index: number, size: number): Promise<string[] | undefined> =>
    index < size && (await reaches(size)) ? inclusionIn(root, index, [0, size]).map(hex) : undefined

  return {
    /** Inclusion proof of a record in the log's first `size` records; undefined where the log is shorter or `index` is outside. */
    inclusion,

    /** Consistency proof between the logs of two sizes; undefined where `from` is 0 or above `to`, or the log is shorter than `to`. */
    consistency: async (from: number, to: number): Promise<string[] | undefined> =>
      from >= 1 && from <= to && (await reaches(to)) ? consistencyIn(root, from, to).map(hex) : undefined,

    /** A day's record of a kind with its inclusion proof under the newest checkpoint; undefined until a checkpoint contains the record. */
    async ofRecord<R>(day: IstDay, kind: 'close' | 'books') {
      const found = await db.maybeOne<{ index: number; bytes: Buffer }>(
        sql`select index::float8 as index, bytes from log_entry where day = ${day}::date and kind = ${kind}::text`,
      )
      const latest = found === undefined ? undefined : await checkpoints.latest(db)
      const path = found === undefined || latest === undefined ? undefined : await inclusion(found.index, latest.size)
      if (found === undefined || latest === undefined || path === undefined) return undefined
      return { checkpoint: latest.note, proven: { index: found.index, path, record: JSON.parse(found.bytes.toString()) as R } }
    },
  }
}
