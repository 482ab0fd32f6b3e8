/**
 * The operator's switches: the one object from which every page, screen, mail and picture takes its words.
 * - `split` applies to rounds made from now on. A round keeps, and shows, the split that it was made with.
 * - Without winners a round has no draw, and the reward share is for people in need.
 */
import type { SplitPolicy } from './split.ts'

/** Percent of the pool, and how many winners share the reward. */
export type SplitShown = { readonly need: number; readonly reward: number; readonly platform: number; readonly winners: number }

export type Modes = {
  readonly split: SplitShown
  /** The switches PAYMENTS_LIVE and CASHOUT. */
  readonly topupsOn: boolean
  /** Present where money is added by a bank transfer that a person confirms, and not by a gateway. */
  readonly byTransfer?: true
  readonly withdrawalsOn: boolean
  /** Present where the bank of a withdrawal's UPI ID is asked for its name. */
  readonly checksNames?: true
  /** The tax withheld from a reward above an amount; null if none is. */
  readonly tax: { readonly percent: number; readonly aboveRupees: number } | null
}

export const hasDraw = ({ split }: Pick<Modes, 'split'>): boolean => split.winners > 0

export function splitShown({ need, reward, platform, winners }: SplitPolicy): SplitShown {
  return winners === 0 ? { need: need + reward, reward: 0, platform, winners } : { need, reward, platform, winners }
}

/** The split of an answer. One without the number of winners is from an older server. */
export function splitOf({ winners, ...percent }: Omit<SplitShown, 'winners'> & { readonly winners?: number | undefined }): SplitShown {
  return { ...percent, winners: winners ?? (percent.reward === 0 ? 0 : 1) }
}

/** The chance of one of these entries: `wins` in `of`. With fewer entries than winners everyone wins. */
export function chanceOf(entries: number, winners: number): { readonly wins: number; readonly of: number } {
  const of = Math.max(1, entries)
  return { wins: Math.min(winners, of), of }
}
