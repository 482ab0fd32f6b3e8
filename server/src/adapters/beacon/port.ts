/** The public random numbers that draws wait for (spec/protocol.md, chapter 4). */
import type { BeaconDraw } from '@roz/core/draw-records.ts'

/** A drand network, as its own /info names it. */
export type BeaconChain = Omit<BeaconDraw, 'mode'>

/** Nothing that it answers has to be believed: every signature has been checked against the chain's key. */
export type Beacon = {
  /** The signature of a round; undefined while no relay has a valid one. */
  readonly getSignature: (chain: BeaconChain, round: number) => Promise<Buffer | undefined>
  /** The newest round that any relay can prove; undefined while none answers. */
  readonly getNewestRound: (chain: BeaconChain) => Promise<number | undefined>
  /**
   * What relays say of a round that none of them has: `later` at least one proves a later round, so it is
   * there; `missing` at least one answers and knows none; `silent` nobody answers.
   */
  readonly askForLater: (chain: BeaconChain, round: number) => Promise<'later' | 'missing' | 'silent'>
}

/** When a round of a chain appears, in ms since 1970 UTC. */
export const roundTimeMs = ({ genesis, period }: BeaconChain, round: number): number => (genesis + (round - 1) * period) * 1000
