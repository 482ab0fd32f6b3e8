/** The beacon: public randomness that draws wait for (spec/protocol.md, chapter 4). */
import type { BeaconDraw } from '@roz/core/draw-records.ts'

/** A drand network, with the fields of its /info. */
export type BeaconChain = Omit<BeaconDraw, 'mode'>

/** Every signature that the beacon returns has been verified against the chain's key. */
export type Beacon = {
  /** The signature of a round; undefined while no relay has a valid one. */
  readonly getSignature: (chain: BeaconChain, round: number) => Promise<Buffer | undefined>
  /** The newest round that any relay can prove; undefined if none answers. */
  readonly getNewestRound: (chain: BeaconChain) => Promise<number | undefined>
  /**
   * Asks the relays about a round that none of them gave: `later` if at least one proves a later round, so the round exists
   * and is withheld; `missing` if at least one answers and none proves a later round; `silent` if none answers.
   */
  readonly askForLater: (chain: BeaconChain, round: number) => Promise<'later' | 'missing' | 'silent'>
}

/** The time at which a round of a chain appears, in ms since 1970 UTC. */
export const roundTimeMs = ({ genesis, period }: BeaconChain, round: number): number => (genesis + (round - 1) * period) * 1000
