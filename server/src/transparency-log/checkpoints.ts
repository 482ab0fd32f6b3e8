/**
 * Signs checkpoints of the log and collects the cosignatures of witnesses (spec/protocol.md, chapters 9 and 10).
 * - A size has one checkpoint. It is signed under the log's lock, over the root recomputed from the records.
 * - A checkpoint that would contradict an earlier one is never signed: signing fails.
 * - A cosignature is accepted only if it is valid and the open record of a running day names its witness.
 * - A cosignature dated before the list under it was sealed is impossible: it is refused, counts nowhere, and alarms the operator.
 * - The first checkpoint that contains the end of a day's round freezes that day's proof and assurance.
 */
import { leafHash } from '@roz/core/draw.ts'
import type { CloseRecord, OpenRecord } from '@roz/core/draw-records.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Outcome, accepted, refused } from '@roz/core/outcome.ts'
import { type Db, type Queryable, type Sql, sql } from '../db/sql.ts'
import { afterCommit, inTransaction, type Tx } from '../db/transaction.ts'
import { sha256 } from '../tickets/sha256.ts'
import type { LogKeys } from './log-key.ts'
import { checkCosignature, parseNote, parseWitnessKey, signNote } from './note.ts'
import { rootOf } from './merkle-tree.ts'

export type Assurance = 'weak' | 'sealed'
type CosignRefusal = 'not_a_note' | 'witness_unknown' | 'checkpoint_unknown' | 'cosignature_invalid'
type Signed = { readonly size: number; readonly root: Buffer }

const DRAW_DELAY_MS = 900_000
/** Minimum time between the last cosignature that counts and the draw. */
const MARGIN_MS = 60_000
/** How slow a witness's clock may be. */
const SLOW_CLOCK_MS = 60_000

export type Checkpoints = ReturnType<typeof createCheckpoints>

type CheckpointDeps = {
  readonly db: Db
  readonly keys: LogKeys
  readonly alarm: (details: object, message: string) => void
}

export function createCheckpoints({ db, keys, alarm }: CheckpointDeps) {
  /** The witnesses that the operator was told of, each once for a list. */
  const told = new Set<string>()
  // Leaf hashes of committed records. They stay valid between calls, because the log only grows.
  const leaves: Uint8Array[] = []
  let checked: Signed | undefined
  let hasEnded = false

  /** Reads the records that `leaves` lacks. True: the end of a round is among them. */
  async function readLeaves(tx: Tx): Promise<boolean> {
    const rows = await tx.query<{ kind: string; bytes: Buffer }>(
      sql`select kind, bytes from log_entry where index >= ${leaves.length}::bigint order by index`,
    )
    for (const { bytes } of rows) leaves.push(leafHash(sha256, bytes))
    return rows.some(({ kind }) => kind === 'result' || kind === 'void')
  }

  /** Throws where the records do not lead to the root that was signed last. */
  function expectConsistent(last: Signed | undefined): void {
    if (last === undefined || (checked?.size === last.size && checked.root.equals(last.root))) return
    if (last.size > leaves.length || !last.root.equals(rootOf(leaves.slice(0, last.size))))
      throw new Error(`the log contradicts its checkpoint of ${last.size} records: nothing is signed`)
  }

  /** Signs a checkpoint of all records. False: there is none since the last checkpoint. */
  async function signNext(): Promise<boolean> {
    const behind = await db.one<{ isBehind: boolean }>(
      sql`select coalesce((select max(index) + 1 from log_entry) > coalesce((select max(size) from checkpoint), 0), false) as "isBehind"`,
    )
    if (!behind.isBehind) return false
    return inTransaction(db, async (tx) => {
      const key = await keys.inForce(tx)
      const last = await tx.maybeOne<Signed>(sql`select size::float8 as size, root from checkpoint order by size desc limit 1`)
      hasEnded = (await readLeaves(tx)) || hasEnded
      expectConsistent(last)
      if (leaves.length === (last?.size ?? 0)) return false
      const root = Buffer.from(rootOf(leaves))
      const body = signNote(`${key.origin}\n${leaves.length}\n${root.toString('base64')}\n`, {
        name: key.origin,
        privateKey: key.privateKey,
      })
      await tx.query(sql`
        insert into checkpoint (size, root, body, signed_by) values (${leaves.length}::bigint, ${root}::bytea, ${body}::text, ${key.text}::text)`)
      checked = { size: leaves.length, root }
      if (hasEnded) await freezeEnded(tx)
      afterCommit(tx, () => {
        hasEnded = false
      })
      return true
    })
  }

  return {
    signNext,

    /** The newest checkpoint with its cosignatures so far; undefined before the first checkpoint. */
    async latest(from: Queryable = db): Promise<{ readonly size: number; readonly note: string } | undefined> {
      return from.maybeOne(sql`
        select c.size::float8 as size, c.body || coalesce((select string_agg(line, '' order by name collate "C") from cosignature s where s.size = c.size), '') as note
              from checkpoint c order by c.size desc limit 1`)
    },

    /** Stores a witness's cosignature of a checkpoint that we signed. A repeat is accepted and changes nothing. */
    async cosign(given: string): Promise<Outcome<undefined, CosignRefusal>> {
      const note = parseNote(given)
      const [line] = note?.signatures ?? []
      const [, origin, size = '', root = ''] = /^([^\n]+)\n([1-9]\d{0,15})\n([A-Za-z0-9+/=]{44})\n$/.exec(note?.text ?? '') ?? []
      if (note === undefined || line === undefined || note.signatures.length !== 1 || origin === undefined) return refused('not_a_note')
      const witness = (await listRunningWitnesses(db)).find(({ key }) => key.name === line.name && key.id.equals(line.id))
      if (witness === undefined) return refused('witness_unknown')
      const known = await db.maybeOne<{ body: string }>(
        sql`select body from checkpoint where size = ${BigInt(size)}::bigint and root = ${Buffer.from(root, 'base64')}::bytea`,
      )
      if (known === undefined || !known.body.startsWith(`${note.text}\n`)) return refused('checkpoint_unknown')
      const cosigned = checkCosignature(note.text, line, witness.key)
      if (cosigned === undefined) return refused('cosignature_invalid')
      const sealedAt = await findNewestSeal(db, BigInt(size))
      if (1000 * cosigned.timeSeconds < sealedAt - SLOW_CLOCK_MS) {
        const occasion = `${line.name} ${sealedAt}`
        const details = { witness: line.name, dated: cosigned.timeSeconds, sealedAt: Math.floor(sealedAt / 1000) }
        if (!told.has(occasion)) alarm(details, 'a witness dates its cosignature before the list was sealed: its clock or its key is wrong')
        told.add(occasion)
        return refused('cosignature_invalid')
      }
      await db.query(sql`
        insert into cosignature (size, key, name, time_seconds, line)
        values (${BigInt(size)}::bigint, ${witness.text}::text, ${line.name}::text, ${cosigned.timeSeconds}::bigint, ${cosigned.line}::text)
        on conflict (size, key) do nothing`)
      return accepted(undefined)
    },
  }
}

/** When the newest list among the first `size` records was sealed, in ms; 0 without a list. No such state of the log existed before. */
async function findNewestSeal(db: Db, size: bigint): Promise<number> {
  const close = await db.maybeOne<{ bytes: Buffer }>(
    sql`select bytes from log_entry where kind = 'close' and index < ${size}::bigint order by index desc limit 1`,
  )
  return close === undefined ? 0 : (JSON.parse(close.bytes.toString()) as CloseRecord).sealedAt
}

/** The witnesses named by the open records of rounds that have not ended. */
async function listRunningWitnesses(db: Db) {
  const opens = await db.query<{ bytes: Buffer }>(sql`
    select bytes from log_entry o where kind = 'open' and not exists (select from log_entry e where e.day = o.day and e.kind in ('result', 'void'))`)
  const texts = new Set(opens.flatMap(({ bytes }) => (JSON.parse(bytes.toString()) as OpenRecord).witnesses.keys))
  return [...texts].flatMap((text) => {
    const key = parseWitnessKey(text)
    return key === undefined ? [] : [{ text, key }]
  })
}

type SealedProof = { readonly body: string; readonly assurance: Assurance; readonly isFinal: boolean }

/** A day's proof (its file log/sealed) and its assurance. Undefined until a checkpoint contains the day's close record. */
export async function findSealedProof(from: Queryable, day: IstDay): Promise<SealedProof | undefined> {
  const frozen = await from.maybeOne<{ body: string; assurance: Assurance }>(
    sql`select body, assurance from sealed_proof where day = ${day}::date`,
  )
  return frozen === undefined ? findRunningProof(from, day) : { ...frozen, isFinal: true }
}

async function findRunningProof(from: Queryable, day: IstDay): Promise<SealedProof | undefined> {
  const records = await from.query<{ index: number; bytes: Buffer }>(
    sql`select index::float8 as index, bytes from log_entry where day = ${day}::date and kind in ('open', 'close') order by index`,
  )
  const [openRow, closeRow] = records
  if (openRow === undefined || closeRow === undefined) return undefined
  const open = JSON.parse(openRow.bytes.toString()) as OpenRecord
  const close = JSON.parse(closeRow.bytes.toString()) as CloseRecord
  const firstSecond = Math.ceil((close.sealedAt - SLOW_CLOCK_MS) / 1000)
  const lastSecond = Math.floor((close.sealedAt + DRAW_DELAY_MS - MARGIN_MS) / 1000)
  const rows = await from.query<{ size: number; body: string; keys: string[]; lines: string }>(sql`
    select c.size::float8 as size, c.body, coalesce(s.keys, '{}') as keys, coalesce(s.lines, '') as lines
      from checkpoint c left join lateral (
        select array_agg(key) as keys, string_agg(line, '' order by name collate "C") as lines from cosignature
         where size = c.size and time_seconds between ${firstSecond}::bigint and ${lastSecond}::bigint and key = any(${open.witnesses.keys}::text[])) s on true
     where c.size > ${closeRow.index}::bigint
       and (s.keys is not null or c.size = (select min(size) from checkpoint where size > ${closeRow.index}::bigint))
     order by c.size`)
  if (rows.length === 0) return undefined
  const witnesses = new Set(rows.flatMap(({ keys }) => keys))
  const isSealed = open.draw.mode === 'beacon' && witnesses.size >= open.witnesses.quorum
  return { body: rows.map(({ body, lines }) => body + lines).join(''), assurance: isSealed ? 'sealed' : 'weak', isFinal: false }
}

/** Freezes the proof of each day that has ended. Call it once a checkpoint contains the end. */
async function freezeEnded(tx: Tx): Promise<void> {
  const ended = await tx.query<{ day: IstDay }>(sql`
    select c.day from log_entry c where c.kind = 'close' and not exists (select from sealed_proof p where p.day = c.day)
       and exists (select from log_entry e where e.day = c.day and e.kind in ('result', 'void'))`)
  for (const { day } of ended) {
    const proof = await findRunningProof(tx, day)
    if (proof === undefined) throw new Error(`no checkpoint contains the close record of ${day}`)
    await tx.query(
      sql`insert into sealed_proof (day, body, assurance) values (${day}::date, ${proof.body}::text, ${proof.assurance}::text)`,
    )
  }
}

/** The assurance shown beside a day's winner: `weak` until the proof is frozen. `day` is a column. */
export const assuranceSql = (day: Sql): Sql => sql`coalesce((select p.assurance from sealed_proof p where p.day = ${day}), 'weak')`
