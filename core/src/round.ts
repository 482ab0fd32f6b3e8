/** Constants and types of rounds: states, refusals of a join, yearly maximum, odds. */
/** Joins in one calendar year; in a leap year the 366th is refused. */
export const JOINS_PER_YEAR_MAX = 365
export type RoundStatus = 'open' | 'closed' | 'drawn' | 'settled' | 'void'
export type JoinRefusal = 'round_closed' | 'already_joined' | 'yearly_maximum' | 'insufficient_balance'

/** The N of "1 in N" for several winners too: rounded up, never below 1; null without a draw. Texts say `chanceOf` (modes.ts). */
export const winChance = (entriesIncludingOwn: number, winners: number): number | null =>
  winners === 0 ? null : Math.max(1, Math.ceil(entriesIncludingOwn / winners))
