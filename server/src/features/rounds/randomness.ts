/**
 * The randomness of a sealed round (spec/protocol.md, chapter 4).
 *
 * - It comes only from the source that the open record named before the first entry.
 * - A secret that is not the committed one throws.
 * - Without the beacon's signature there is no randomness yet.
 */
import { hex, localRandomness, type Randomness, type Sealed } from '@roz/core/draw.ts'
import type { CloseRecord, OpenRecord } from '@roz/core/draw-records.ts'
import { sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import type { Round } from '../../ledger/rounds.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import { sha256 } from '../../tickets/sha256.ts'

/** The randomness, and the proof that the result record publishes. */
type Revealed = Randomness & { readonly proof: { readonly secret: string } | { readonly signature: string } }
type Records = { readonly round: Round; readonly open: OpenRecord; readonly close: CloseRecord; readonly sealed: Sealed }

export const secretContextOf = (day: string): string => `day_secret:${day}`

/** Undefined until the beacon's signature is stored. */
export async function findRandomness(tx: Tx, secrets: Secrets, { round, open, close, sealed }: Records): Promise<Revealed | undefined> {
  const chainHash = Buffer.from(open.draw.chainHash, 'hex')
  if (open.draw.mode === 'local') {
    const secret = revealed(secrets, round, open)
    const randomness = localRandomness(sha256, secret, sealed)
    return { chainHash, round: close.round, randomness, proof: { secret: hex(secret) } }
  }
  const spoken = await tx.maybeOne<{ signature: Buffer }>(
    sql`select signature from beacon_signature where chain_hash = ${chainHash}::bytea and round = ${close.round}::bigint`,
  )
  if (spoken === undefined) return undefined
  const { signature } = spoken
  return { chainHash, round: close.round, randomness: sha256(signature), proof: { signature: hex(signature) } }
}

/** Decrypts the secret S; throws if S is not the committed one. */
function revealed(secrets: Secrets, round: Round, open: OpenRecord): Buffer {
  if (round.encryptedSecret === null) throw new Error(`round ${round.day} has no secret`)
  const secret = secrets.decrypt(round.encryptedSecret, secretContextOf(round.day))
  if (hex(sha256(secret)) !== open.draw.chainHash) throw new Error(`the secret of ${round.day} is not the committed one`)
  return secret
}
