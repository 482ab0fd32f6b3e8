/**
 * How a round's pool is cut. Policy A: 60 need / 30 one winner / 10 platform. Policy B: 70 need /
 * 30 shared equally by k members. Both readings stand in the spec (section 1); the policy is stored
 * on the round when it is made. The need share takes every remainder (product.md "Split policy").
 */
import { apportion, type Paise, paise } from './money.ts'

export type SplitPolicy = {
  readonly name: 'A' | 'B'
  /** Percent of the pool. */
  readonly need: number
  readonly reward: number
  readonly platform: number
  /** How many members the reward is shared by; fewer entries than that: everyone. */
  readonly winners: number
}

export const POLICY_A: SplitPolicy = { name: 'A', need: 60, reward: 30, platform: 10, winners: 1 }
export const policyB = (winners: number): SplitPolicy => ({ name: 'B', need: 70, reward: 30, platform: 0, winners })

export type Shares = {
  readonly need: Paise
  readonly platform: Paise
  /** What each winner gets; all the same. */
  readonly prize: Paise
  /** The whole reward share: prize × winners. */
  readonly reward: Paise
  readonly winners: number
}

/** Exact shares of a pool: need + reward + platform = pool, always. A pool without entries has no winner. */
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

/** Tax withheld from a prize: `percent` of the whole of it where it is above a limit, rounded down to the paisa. */
export type TaxPolicy = { readonly percent: number; readonly above: Paise }
export const taxOn = (prize: Paise, tax: TaxPolicy): Paise => paise(prize > tax.above ? (prize * BigInt(tax.percent)) / 100n : 0n)
