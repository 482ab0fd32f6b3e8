/** The outcome of a join, and how a repeated idempotency key is recognised. */
import type { IstDay } from '@roz/core/ist-day.ts'
import type { Paise } from '@roz/core/money.ts'
import type { Outcome } from '@roz/core/outcome.ts'
import type { JoinRefusal } from '@roz/core/round.ts'
import { hexOf } from '../tickets/sha256.ts'

type Joined = {
  readonly balance: Paise
  readonly day: IstDay
  readonly batchId: bigint
  /** When its batch was written. */
  readonly at: Date
  /** The idempotency key was repeated: this is the first answer. */
  readonly replayed: boolean
}
/** `may_not_move`: there is no wallet (staff), or the wallet may not move money: unconfirmed email, suspended, or closed. */
export type JoinOutcome = Outcome<Joined, JoinRefusal | 'may_not_move' | 'overloaded'>

/** A join read from its row. */
export type FoundJoin = {
  readonly memberId: bigint
  readonly balance: Paise
  readonly day: IstDay
  readonly batchId: bigint
  readonly at: Date
}

export const joinedOf = (join: FoundJoin, replayed: boolean): Joined => ({
  balance: join.balance,
  day: join.day,
  batchId: join.batchId,
  at: join.at,
  replayed,
})

/** The first 8 bytes of the key's SHA-256, as the signed number that the column stores. */
export const keyPrefix = (key: string): bigint => BigInt.asIntN(64, BigInt(`0x${hexOf(key).slice(0, 16)}`))
