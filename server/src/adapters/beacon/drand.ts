/**
 * drand over its HTTP relays.
 * - Each call to a relay has a timeout and a limit of bytes, so a slow, silent or lying relay costs seconds.
 * - Every signature is verified against the chain's key here, so a relay can never give a wrong number.
 */
import { inSpan } from '../../tracing/spans.ts'
import { isRoundSignature } from './chain.ts'
import type { Beacon, BeaconChain } from './port.ts'

type DrandOptions = {
  /** Addresses without a trailing slash, in the order in which they are asked. */
  readonly relays: readonly string[]
  readonly timeoutMs?: number
  /** Called when a relay gives a wrong answer or none. */
  readonly warn?: (details: object, message: string) => void
}

type Answer = { readonly round: number; readonly signature: Buffer }

const TIMEOUT_MS = 4_000
const BYTES_MAX = 4_096

export function createDrand({ relays, timeoutMs = TIMEOUT_MS, warn = () => undefined }: DrandOptions): Beacon {
  /** Asks one relay for a round: `none` if the relay does not have it, undefined if it answers nothing or something invalid. */
  async function ask(relay: string, chain: BeaconChain, round: number | 'latest'): Promise<Answer | 'none' | undefined> {
    try {
      const answer = parseAnswer(await readJson(`${relay}/${chain.chainHash}/public/${round}`, timeoutMs))
      if (answer === undefined) return 'none'
      if (round !== 'latest' && answer.round !== round) throw new Error(`asked for round ${round}, answered ${answer.round}`)
      if (!isRoundSignature(chain, answer.round, answer.signature)) throw new Error(`the signature of round ${answer.round} is not valid`)
      return answer
    } catch (error) {
      warn({ err: error, relay }, 'a beacon relay failed or answered wrongly')
      return undefined
    }
  }

  return {
    async getSignature(chain, round) {
      for (const relay of relays) {
        const answer = await ask(relay, chain, round)
        if (typeof answer === 'object') return answer.signature
      }
      return undefined
    },

    // Asks all relays, because one may be behind.
    async getNewestRound(chain) {
      const answers = await Promise.all(relays.map((relay) => ask(relay, chain, 'latest')))
      return answers.reduce<number | undefined>(
        (newest, answer) => (typeof answer === 'object' && answer.round > (newest ?? 0) ? answer.round : newest),
        undefined,
      )
    },

    async askForLater(chain, round) {
      const answers = await Promise.all(relays.map((relay) => ask(relay, chain, 'latest')))
      if (answers.some((answer) => typeof answer === 'object' && answer.round >= round)) return 'later'
      return answers.some((answer) => answer !== undefined) ? 'missing' : 'silent'
    },
  }
}

/** Undefined if the relay does not have the round yet. */
async function readJson(url: string, timeoutMs: number): Promise<unknown> {
  const response = await inSpan({ name: 'ask relay', kind: 'client' }, () =>
    fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs), headers: { accept: 'application/json' } }),
  )
  // drand answers 425 for a future round; older relays answer 404.
  if (response.status === 404 || response.status === 425) {
    await response.body?.cancel()
    return undefined
  }
  if (!response.ok || response.body === null) throw new Error(`answered ${response.status}`)
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body) {
    length += chunk.length
    if (length > BYTES_MAX) throw new Error('answered more than a round takes')
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

function parseAnswer(answer: unknown): Answer | undefined {
  if (answer === undefined) return undefined
  const { round, signature } = answer as { readonly round?: unknown; readonly signature?: unknown }
  if (typeof round !== 'number' || !Number.isSafeInteger(round) || round < 1) throw new Error('answered no round')
  if (typeof signature !== 'string' || !/^[0-9a-f]{96}$/.test(signature)) throw new Error('answered no signature')
  return { round, signature: Buffer.from(signature, 'hex') }
}
