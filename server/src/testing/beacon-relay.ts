/** A test relay of drand over a chain with its own key. Its mode decides whether it tells the truth or how it fails. */
import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { u64 } from '@roz/core/draw.ts'
import { chainHashOf, QUICKNET } from '../adapters/beacon/chain.ts'
import { type BeaconChain, roundTimeMs } from '../adapters/beacon/port.ts'
import { closeServer, listen } from './listening.ts'

const DOMAIN = 'BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_'
const bls = bls12_381.shortSignatures

type TestChain = { readonly chain: BeaconChain; readonly sign: (round: number) => Buffer }

/** A chain with one round every three seconds, like quicknet. */
export function makeChain(): TestChain {
  const { secretKey, publicKey } = bls.keygen()
  const parameters = {
    beaconId: 'test',
    genesis: QUICKNET.genesis,
    groupHash: randomBytes(32).toString('hex'),
    period: 3,
    publicKey: Buffer.from(publicKey.toBytes()).toString('hex'),
  }
  const digest = (round: number): Buffer => createHash('sha256').update(u64(round)).digest()
  return {
    chain: { ...parameters, chainHash: chainHashOf(parameters), scheme: QUICKNET.scheme },
    sign: (round) => Buffer.from(bls.Signature.toBytes(bls.sign(bls.hash(digest(round), DOMAIN), secretKey))),
  }
}

/** The chain as the JSON of drand's /info, which BEACON_CHAIN accepts. */
export const infoOf = (chain: BeaconChain): string =>
  JSON.stringify({
    public_key: chain.publicKey,
    period: chain.period,
    genesis_time: chain.genesis,
    hash: chain.chainHash,
    groupHash: chain.groupHash,
    schemeID: chain.scheme,
    metadata: { beaconID: chain.beaconId },
  })

/** `none`: the relay has no round. `withholds`: it names the newest round and gives no other. */
export type RelayMode =
  | 'good'
  | 'none'
  | 'withholds'
  | 'wrong signature'
  | 'wrong round'
  | 'wrong chain'
  | 'no json'
  | 'too much'
  | 'silent'
  | 'down'
export type TestRelay = {
  readonly url: string
  mode: RelayMode
  /** Paths of all requests. */
  readonly asked: string[]
  readonly close: () => Promise<void>
}

/** `nowMs` decides which rounds exist. */
export async function startRelay({ chain, sign }: TestChain, nowMs: () => number | Promise<number>): Promise<TestRelay> {
  const stranger = makeChain()
  const asked: string[] = []
  const newest = async (): Promise<number> => Math.floor(((await nowMs()) / 1000 - chain.genesis) / chain.period) + 1
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = request.url ?? ''
    asked.push(url)
    const [, hash, , which] = url.split('/')
    const json = (status: number, body: string): void => void response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    if (relay.mode === 'silent') return
    if (relay.mode === 'down') return void request.socket.destroy()
    if (relay.mode === 'no json') return json(200, '<html>')
    if (relay.mode === 'too much') return json(200, JSON.stringify({ padding: 'x'.repeat(100_000) }))
    if (hash !== chain.chainHash) return json(404, '{}')
    if (relay.mode === 'none' || (relay.mode === 'withholds' && which !== 'latest')) return json(404, '{}')
    const round = which === 'latest' ? await newest() : Number(which)
    if (roundTimeMs(chain, round) > (await nowMs())) return json(425, '{}')
    const told = relay.mode === 'wrong round' ? round - 1 : round
    const signature = relay.mode === 'wrong chain' ? stranger.sign(told) : sign(told)
    if (relay.mode === 'wrong signature') signature.set(sign(told + 1))
    json(200, JSON.stringify({ round: told, randomness: '00', signature: signature.toString('hex') }))
  }
  const server = createServer((request, response) => void answer(request, response))
  const relay: TestRelay = {
    url: await listen(server),
    mode: 'good',
    asked,
    close: () => closeServer(server),
  }
  return relay
}
