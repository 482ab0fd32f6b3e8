/**
 * Joins one member who may wait for the wallet: after a busy verdict, or after a top-up.
 * - An earlier attempt of the same request may have committed: its join is looked up before the fee is taken again.
 * - The wallet is locked before the round's row is shared, so that a close never waits for a wallet.
 */
import { randomUUID } from 'node:crypto'
import { accepted, refused } from '@roz/core/outcome.ts'
import { DatabaseUnavailableError, type Db, sqlState } from '../db/sql.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { type FoundJoin, type JoinOutcome, joinedOf } from './join-outcome.ts'
import { joinMembers, joinsOfBatches, type JoinVia, newestJoins } from './join-statement.ts'
import { lockWallet } from './transfer.ts'

export type AloneRequest = {
  readonly memberId: bigint
  readonly keyPrefix: bigint | null
  /** UUIDs of the batches that carried this request; each further sending adds its own. */
  sentIn: readonly string[]
}

const ATTEMPTS_MAX = 5
const WALLET_WAIT_MS = 4_000
const LOCK_NOT_AVAILABLE = '55P03'

export async function joinAlone(db: Db, request: AloneRequest, via: JoinVia): Promise<JoinOutcome> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTransaction(db, (tx) => attemptAlone(tx, request, via), { lockTimeoutMs: WALLET_WAIT_MS })
    } catch (error) {
      if (sqlState(error) === LOCK_NOT_AVAILABLE) return refused('overloaded')
      if (!(error instanceof DatabaseUnavailableError) || attempt >= ATTEMPTS_MAX) throw error
      await new Promise((resolve) => setTimeout(resolve, 50 * 2 ** attempt))
    }
  }
}

async function attemptAlone(tx: Tx, request: AloneRequest, via: JoinVia): Promise<JoinOutcome> {
  await lockWallet(tx, request.memberId)
  if (request.sentIn.length > 0) {
    const [earlier] = await tx.query<FoundJoin>(joinsOfBatches(request.sentIn, [request.memberId]))
    if (earlier !== undefined) return accepted(joinedOf(earlier, false))
  }
  const uuid = randomUUID()
  request.sentIn = [...request.sentIn, uuid]
  const [row] = await joinMembers(tx, { uuid, via, memberIds: [request.memberId], keyPrefixes: [request.keyPrefix], held: 'wait' })
  if (row === undefined || row.verdict === 'busy') throw new Error('a wallet that is locked by this transaction was busy')
  if (row.verdict === 'joined') return accepted(joinedOf(row as FoundJoin, false))
  if (row.verdict !== 'replayed') return refused(row.verdict)
  const [first] = await tx.query<FoundJoin>(newestJoins([request.memberId]))
  if (first === undefined) throw new Error('the first join of a repeated key was not found')
  return accepted(joinedOf(first, true))
}
