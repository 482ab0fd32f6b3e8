/**
 * Compares a database with a checkpoint of its log that others have seen: the public site's, a witness's or a monitor's.
 * - A checkpoint counts only with the signature of a key of this log.
 * - If others have seen more records than this log has, its next record would fork the log. The checkpoint is stored, and from then
 *   on no server starts on this database, and nothing is signed.
 */
import { readFile } from 'node:fs/promises'
import { leafHash } from '@roz/core/draw.ts'
import { type Db, sql } from '../db/sql.ts'
import { sha256 } from '../tickets/sha256.ts'
import { isStrictSignature } from '../transparency-log/ed25519.ts'
import { rootOf } from '../transparency-log/merkle-tree.ts'
import { logKeyId, logKeyText, parseNote } from '../transparency-log/note.ts'

const FETCH_MS = 10_000
type Verdict = { readonly isSafe: boolean; readonly line: string }
const unsafe = (line: string): Verdict => ({ isSafe: false, line })

/** `place`: a file or an address, such as https://…/api/public/log/checkpoint. */
async function readPlace(place: string): Promise<string> {
  if (!/^https?:\/\//.test(place)) return readFile(place, 'utf8')
  const answer = await fetch(place, { signal: AbortSignal.timeout(FETCH_MS) })
  if (!answer.ok) throw new Error(`${place} answered ${answer.status}`)
  return answer.text()
}

export async function compareCheckpoint(db: Db, place: string): Promise<Verdict> {
  const given = await readPlace(place)
  const note = parseNote(given)
  const [, origin = '', size = '', root = ''] = /^([^\n]+)\n([1-9]\d{0,15})\n([A-Za-z0-9+/=]{44})\n$/.exec(note?.text ?? '') ?? []
  if (note === undefined || origin === '') return unsafe(`${place} is no checkpoint of a log.`)
  const keys = await db.query<{ origin: string; publicKey: Buffer }>(sql`select origin, public_key as "publicKey" from log_key`)
  const signer = keys.find((key) =>
    note.signatures.some(
      ({ name, id, signature }) =>
        name === key.origin &&
        id.equals(logKeyId(key.origin, key.publicKey)) &&
        isStrictSignature(signature, Buffer.from(note.text), key.publicKey),
    ),
  )
  if (signer === undefined || signer.origin !== origin)
    return unsafe(
      `${place}: no key of this database's log signed it. It is of another log, or the key was rotated after the restored second.`,
    )
  const rows = await db.query<{ bytes: Buffer }>(sql`select bytes from log_entry order by index`)
  const leaves = rows.map(({ bytes }) => leafHash(sha256, bytes))
  const [seen, seenRoot] = [Number(size), Buffer.from(root, 'base64')]
  if (seen <= leaves.length)
    return seenRoot.equals(rootOf(leaves.slice(0, seen)))
      ? { isSafe: true, line: `The log of ${leaves.length} records contains the ${seen} that others have seen.` }
      : unsafe(`The log contradicts the checkpoint of ${seen} records that others have seen: start no server on this database.`)
  const text = logKeyText(origin, signer.publicKey)
  const end = given.indexOf('\n', given.indexOf('\n\n') + 2) + 1
  await db.query(sql`
    insert into checkpoint (size, root, body, signed_by)
    values (${seen}::bigint, ${seenRoot}::bytea, ${given.slice(0, end)}::text, ${text}::text) on conflict (size) do nothing`)
  return unsafe(
    `Others have seen ${seen} records of the log, and this database has ${leaves.length}: its next record would contradict them. ` +
      'Restore a later second. The checkpoint is stored here, and no server starts on it.',
  )
}
