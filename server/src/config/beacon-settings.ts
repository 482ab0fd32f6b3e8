/**
 * Reads the settings of the randomness beacon and of the log's witnesses.
 * - Production draws only with drand's quicknet.
 * - A chain whose hash does not match its parameters stops the start, and so does an invalid witness key.
 * - The quorum is more than half of the witnesses, so that two quorums share a witness.
 */
import { parseChain, QUICKNET, QUICKNET_RELAYS } from '../adapters/beacon/chain.ts'
import type { BeaconChain } from '../adapters/beacon/port.ts'
import { parseWitnessKey } from '../transparency-log/note.ts'
import type { Settings } from './settings.ts'

type BeaconSettings = {
  readonly relays: readonly string[]
  /** The beacon chain of rounds made from now on; undefined: those rounds are drawn in local mode. */
  readonly chain: BeaconChain | undefined
}

export function beaconSettings(settings: Settings, production: boolean): BeaconSettings {
  const relays = settings.text('BEACON_RELAYS')?.split(/[\s,]+/) ?? QUICKNET_RELAYS
  for (const relay of relays) {
    const isSafe = URL.canParse(relay) && (production ? ['https:'] : ['https:', 'http:']).includes(new URL(relay).protocol)
    if (!isSafe) settings.complain(`BEACON_RELAYS: ${production ? 'https' : 'http or https'} addresses, not “${relay}”`)
  }
  const isDrand = settings.choice('BEACON') === 'drand'
  const chain = chainOf(settings, production)
  return { relays: relays.map((relay) => relay.replace(/\/+$/, '')), chain: isDrand ? chain : undefined }
}

function chainOf(settings: Settings, production: boolean): BeaconChain {
  const text = settings.text('BEACON_CHAIN')
  if (text === undefined) return QUICKNET
  const chain = parseChain(text)
  if (chain === undefined) settings.complain("BEACON_CHAIN: the JSON of a drand network's /info, with a hash that belongs to it")
  else if (production && chain.chainHash !== QUICKNET.chainHash) settings.complain('BEACON_CHAIN: production draws by quicknet alone')
  return chain ?? QUICKNET
}

type WitnessSettings = { readonly keys: readonly string[]; readonly quorum: number }

/** C2SP verifier keys in ascending order, as the open record publishes them. */
export function witnessSettings(settings: Settings): WitnessSettings {
  const keys = [...new Set(settings.text('WITNESS_KEYS')?.split(/[\s,]+/) ?? [])].sort()
  const parsed = keys.map((key) => parseWitnessKey(key))
  for (const [index, key] of parsed.entries()) {
    if (key === undefined)
      settings.complain(`WITNESS_KEYS: verifier keys such as name+0a1b2c3d+BA…, the name in printable ASCII, not “${keys[index]}”`)
  }
  const differ = (what: (key: NonNullable<(typeof parsed)[number]>) => string): boolean =>
    new Set(parsed.map((key) => key && what(key))).size === keys.length
  if (!differ(({ name }) => name) || !differ(({ publicKey }) => publicKey.toString('hex')))
    settings.complain('WITNESS_KEYS: a name or a key appears twice')
  const quorum = settings.integer('WITNESS_QUORUM')
  if (keys.length > 0 && quorum > keys.length) settings.complain('WITNESS_QUORUM: at most the number of WITNESS_KEYS')
  // Two quorums must share a witness. Otherwise two readers could be shown two different logs.
  if (quorum * 2 <= keys.length) settings.complain('WITNESS_QUORUM: it must be more than half of the number of WITNESS_KEYS')
  return { keys, quorum }
}
