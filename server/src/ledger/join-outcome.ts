/** What a join answers, and how a repeated Idempotency-Key is recognised. */
import type { IstDay } from '@roz/core/ist-day.ts'
import type { Paise } from '@roz/core/money.ts'
import type { Outcome } from '@roz/core/outcome.ts'
import type { JoinRefusal } from '@roz/core/round.ts'
import { hexOf } from '../tickets/sha256.ts'

export type Joined = {
  readonly balance: Paise
  readonly day: IstDay
  readonly batchId: bigint
  /** When its batch was entered. */
  readonly at: Date
  /** The same Idempotency-Key came again: this is the first answer. */
  readonly replayed: boolean
}
/** may_not_move: the mail is not confirmed, the member is on hold, or has no wallet (staff). */
export type JoinOutcome = Outcome<Joined, JoinRefusal | 'may_not_move' | 'overloaded'>

/** A join as its row tells it. */
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

/** The first 8 bytes of the key's SHA-256, as the signed number that the column holds. */
export const keyPrefix = (key: string): bigint => BigInt.asIntN(64, BigInt(`0x${hexOf(key).slice(0, 16)}`))
