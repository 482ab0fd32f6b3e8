/**
 * Checks one record of the log on a member's device, with a few hashes, one signature and no other record.
 *
 * - The checkpoint is signed by the known log key.
 * - The record is included in that checkpoint.
 * - The log only grew since the kept checkpoint.
 */
import { fromHex, MalformedError } from './bytes.ts'
import { canonicalBytes, hash, type Json, list, parseCanonical, record, whole } from './canonical.ts'
import { isConsistent, isIncluded, leafHash } from './merkle.ts'
import { isLogSignature, readCheckpoint, readVerifierKey } from './note.ts'
import { readFile, type Source, UnavailableError } from './sources.ts'
import type { Kept } from './steps-log.ts'

/** A record with its inclusion path, as in the server's answers to members. */
export const shownRecord = record({ index: whole, path: list(hash), record: (value) => value })
const consistencyShape = record({ from: whole, path: list(hash), to: whole })

export type Shown = {
  readonly checkpoint: string
  readonly record: ReturnType<typeof shownRecord>
  /** The verifier key that this device knows. */
  readonly logKey: string
  readonly kept: Kept | undefined
  /** Read for one consistency proof if the log has grown since the last check. */
  readonly source: Source
}
/** `signature`: another key signed. `inclusion`: the record is not in the log. `growth`: the log does not extend the kept one. */
export type LogDoubt = { readonly step: 'signature' | 'inclusion' | 'growth'; readonly words: string }

export const hashes = (path: readonly string[]): readonly Uint8Array[] => path.map((one) => fromHex(one))

/** Returns the checkpoint to keep for the next check, or the doubt. */
export async function judgeLog({ checkpoint: note, record: shown, logKey, kept, source }: Shown): Promise<Kept | LogDoubt> {
  const { note: signed, ...checkpoint } = readCheckpoint(new TextEncoder().encode(note))
  const [own] = signed.signatures
  const key = readVerifierKey(logKey)
  if (own === undefined || checkpoint.origin !== key.name || !isLogSignature(own, signed.text, key)) {
    const words = 'the log is not signed by the key that you know; check the whole day to see whether the key was replaced'
    return { step: 'signature', words }
  }
  const leaf = leafHash(canonicalBytes(shown.record as Json))
  if (!isIncluded(leaf, shown.index, checkpoint.size, hashes(shown.path), checkpoint.root))
    return { step: 'inclusion', words: 'the record shown is not in the log' }
  if (kept !== undefined) {
    if (kept.origin !== checkpoint.origin) return { step: 'growth', words: `this is not ${kept.origin}, the log that you last looked at` }
    if (kept.size > checkpoint.size) return { step: 'growth', words: 'the log has fewer records than when you last looked' }
    if (!isConsistent(kept, checkpoint, await growth(kept.size, checkpoint.size, source)))
      return { step: 'growth', words: 'the log was rewritten since you last looked' }
  }
  return checkpoint
}

async function growth(from: number, to: number, source: Source): Promise<readonly Uint8Array[]> {
  if (from === to) return []
  const bytes = await readFile(source, `log/consistency?from=${from}&to=${to}`)
  if (bytes === undefined) throw new UnavailableError('this copy of the log computes no consistency proofs')
  const answer = consistencyShape(parseCanonical(bytes, 'the consistency proof'), 'the consistency proof')
  if (answer.from !== from || answer.to !== to) throw new MalformedError('the consistency proof is of other sizes')
  return hashes(answer.path)
}
