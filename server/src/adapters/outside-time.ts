/**
 * The time that machines outside of ours give: the beacon's newest round, and the Date header of the gateway.
 * - Asked only when the database's clock has to be judged without a clock of this process (clock.ts), never in a request.
 * - A source that does not answer gives no time.
 */
import { type Beacon, type BeaconChain, roundTimeMs } from './beacon/port.ts'

type OutsideTimeOptions = {
  readonly beacon: Pick<Beacon, 'getNewestRound'>
  /** The chain that rounds are drawn with; undefined: the beacon is not asked. */
  readonly chain: BeaconChain | undefined
  /** Addresses that answer with a Date header, whatever their status. */
  readonly urls: readonly string[]
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 3_000

export function createOutsideTime({ beacon, chain, urls, timeoutMs = TIMEOUT_MS }: OutsideTimeOptions): () => Promise<readonly number[]> {
  const ofBeacon = async (): Promise<number | undefined> => {
    if (chain === undefined) return undefined
    const round = await beacon.getNewestRound(chain)
    return round === undefined ? undefined : roundTimeMs(chain, round)
  }
  const ofHost = async (url: string): Promise<number | undefined> => {
    const answer = await fetch(url, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) })
    await answer.body?.cancel()
    const ms = Date.parse(answer.headers.get('date') ?? '')
    return Number.isNaN(ms) ? undefined : ms
  }
  return async () => {
    const asked = [ofBeacon(), ...urls.map(ofHost)].map((one) => one.catch(() => undefined))
    return (await Promise.all(asked)).filter((ms) => ms !== undefined)
  }
}
