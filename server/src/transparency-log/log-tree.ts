/**
 * The tree of the log, for proofs. Invariants: the log only grows, so a node that is full never changes
 * and is kept; a proof reads what came since the last one, and hashes a handful of nodes however long
 * the log is.
 */
import { hex } from '@roz/core/draw.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Db, maybeOne, sql } from '../db/sql.ts'
import { sha256 } from '../tickets/sha256.ts'
import type { Checkpoints } from './checkpoints.ts'
import { consistencyIn, cutOf, inclusionIn } from './merkle-tree.ts'

const NODE = Uint8Array.of(1)
/** Of the log's records, in order. */
type Leaf = { readonly index: number; readonly leaf: Buffer }

export type LogProofs = ReturnType<typeof createLogProofs>

export function createLogProofs({ db, checkpoints }: { readonly db: Db; readonly checkpoints: Pick<Checkpoints, 'latest'> }) {
  /** By height, then by place: the roots of all full subtrees. */
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

  /** Says whether the log is so long. */
  async function reaches(size: number): Promise<boolean> {
    const isKnown = (): boolean => (levels[0]?.length ?? 0) >= size
    if (size < 1 || isKnown()) return size >= 1
    // One after the other: each begins where the one before it ended.
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
    /** That a record is in the log of a size; undefined where there is no such. */
    inclusion,

    /** That the log of one size begins with that of another. */
    consistency: async (from: number, to: number): Promise<string[] | undefined> =>
      from >= 1 && from <= to && (await reaches(to)) ? consistencyIn(root, from, to).map(hex) : undefined,

    /** A day's record of a kind with its path under the newest checkpoint; undefined until one holds it. */
    async ofRecord<R>(day: IstDay, kind: 'close' | 'books') {
      const found = await maybeOne<{ index: number; bytes: Buffer }>(
        db,
        sql`select index::float8 as index, bytes from log_entry where day = ${day}::date and kind = ${kind}::text`,
      )
      const latest = found === undefined ? undefined : await checkpoints.latest(db)
      const path = found === undefined || latest === undefined ? undefined : await inclusion(found.index, latest.size)
      if (found === undefined || latest === undefined || path === undefined) return undefined
      return { checkpoint: latest.note, proven: { index: found.index, path, record: JSON.parse(found.bytes.toString()) as R } }
    },
  }
}
