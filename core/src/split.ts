/**
 * The split of a round's pool.
 * - Policy A: 60 % need, 30 % for one winner, 10 % platform.
 * - Policy B: 70 % need, 30 % shared equally by k winners.
 * - The policy is stored on the round when the round is made.
 * - The need share takes every remainder.
 */
import { apportion, type Paise, paise } from './money.ts'

export type SplitPolicy = {
  readonly name: 'A' | 'B'
  /** Percent of the pool. */
  readonly need: number
  readonly reward: number
  readonly platform: number
  /** The number of winners who share the reward; with fewer entries everyone wins. */
  readonly winners: number
}

export const POLICY_A: SplitPolicy = { name: 'A', need: 60, reward: 30, platform: 10, winners: 1 }
export const policyB = (winners: number): SplitPolicy => ({ name: 'B', need: 70, reward: 30, platform: 0, winners })

export type Shares = {
  readonly need: Paise
  readonly platform: Paise
  /** The prize of each winner; all prizes are equal. */
  readonly prize: Paise
  /** The whole reward share: prize × winners. */
  readonly reward: Paise
  readonly winners: number
}

/** Exact shares of a pool: need + reward + platform = pool. A pool without entries has no winner. */
export function shares(pool: Paise, entries: number, policy: SplitPolicy): Shares {
  const winners = Math.min(policy.winners, entries)
  const [need, reward, platform] = apportion(pool, [BigInt(policy.need), BigInt(policy.reward), BigInt(policy.platform)]) as [
    Paise,
    Paise,
    Paise,
  ]
  const prize = winners === 0 ? paise(0n) : paise(reward / BigInt(winners))
  const paid = paise(prize * BigInt(winners))
  return { need: paise(need + reward - paid), platform, prize, reward: paid, winners }
}

/** Tax withheld from a prize: if the prize is above the limit, `percent` of the whole prize, rounded down to the paisa. */
export type TaxPolicy = { readonly percent: number; readonly above: Paise }
export const taxOn = (prize: Paise, tax: TaxPolicy): Paise => paise(prize > tax.above ? (prize * BigInt(tax.percent)) / 100n : 0n)
