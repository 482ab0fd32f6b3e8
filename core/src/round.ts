/** Rules of joining a round (spec sections 5 and 9; product.md "The day"). */
import { ENTRY_FEE, type Paise } from './money.ts'
import { type Outcome, accepted, refused } from './outcome.ts'

/** Joins in one calendar year; in a leap year the 366th is refused. */
export const JOINS_PER_YEAR_MAX = 365
export type RoundStatus = 'open' | 'closed' | 'drawn' | 'settled' | 'void'
export type JoinRefusal = 'round_closed' | 'already_joined' | 'yearly_maximum' | 'insufficient_balance'

/**
 * What a join answers, as one pure rule: the model that the ledger's statement is tested against.
 * `joinsThisYear` counts the year of the round's day. Precedence as listed in JoinRefusal.
 */
export function enter(state: {
  readonly roundOpen: boolean
  readonly joinedToday: boolean
  readonly joinsThisYear: number
  readonly balance: Paise
}): Outcome<{ fee: Paise }, JoinRefusal> {
  if (!state.roundOpen) return refused('round_closed')
  if (state.joinedToday) return refused('already_joined')
  if (state.joinsThisYear >= JOINS_PER_YEAR_MAX) return refused('yearly_maximum')
  if (state.balance < ENTRY_FEE) return refused('insufficient_balance')
  return accepted({ fee: ENTRY_FEE })
}

/** The N of "1 in N": the odds of one more entry among k winners. Rounded up, never below 1. */
export const winChance = (entriesIncludingOwn: number, winners: number): number =>
  Math.max(1, Math.ceil(entriesIncludingOwn / Math.max(1, winners)))
