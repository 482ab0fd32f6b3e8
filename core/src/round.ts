/** Constants and types of rounds: states, refusals of a join, yearly maximum, odds. */
/** Joins in one calendar year; in a leap year the 366th is refused. */
export const JOINS_PER_YEAR_MAX = 365
export type RoundStatus = 'open' | 'closed' | 'drawn' | 'settled' | 'void'
export type JoinRefusal = 'round_closed' | 'already_joined' | 'yearly_maximum' | 'insufficient_balance'

/** The N of "1 in N": the odds of one more entry among k winners. Rounded up, never below 1. */
export const winChance = (entriesIncludingOwn: number, winners: number): number =>
  Math.max(1, Math.ceil(entriesIncludingOwn / Math.max(1, winners)))
