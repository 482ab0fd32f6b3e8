/**
 * What this process takes on at once. Invariants: above a bound a request hears 503 with Retry-After at
 * once, before a session is looked up or a byte of its body is read; calls that move money have a
 * bound of their own, far higher, so they are refused last; what a witness of the log needs has a few
 * places more where all others are taken, and no address has all of them, for a day whose cosignatures
 * come too late is weak for ever; the operator's endpoints never are refused. A request counts once its
 * body is here: whoever sends slowly holds no place.
 */
import { api, type CallName } from '@roz/contract/api.ts'
import type { EndpointSpec } from '@roz/contract/endpoint.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendProblem } from './faults.ts'
import { type Goal, goalOf } from './goal.ts'
import { addressBlock } from './limits.ts'

export type LoadLimits = {
  readonly ordinaryMax: number
  readonly moneyMax: number
  /** Beyond the ordinary ones, and how many of them for one address block. */
  readonly witnessMax: number
  readonly witnessMaxEach: number
}
/** Of one process. A join waits in a queue of twenty thousand, everything else for one of the database's connections. */
export const LOAD_LIMITS: LoadLimits = { ordinaryMax: 500, moneyMax: 20_000, witnessMax: 16, witnessMaxEach: 2 }

/** No Idempotency-Key, yet money follows from them. */
const ALSO_MONEY: ReadonlySet<CallName> = new Set(['verifyOrder', 'confirmPayment', 'triggerDraw', 'stepUp'])
const isMoneyCall = (name: CallName, { access, refusals }: EndpointSpec): boolean =>
  access === 'signed' || refusals.includes('idempotency_mismatch') || ALSO_MONEY.has(name)

const addressesOf = (names: readonly CallName[]): ReadonlySet<string> =>
  new Set(names.map((name) => `${api[name].method} ${api[name].path.replace(/\{(\w+)\}/g, ':$1')}`))

/** `POST /wallet/withdraw`, below /api. */
export const MONEY_CALLS = addressesOf((Object.keys(api) as CallName[]).filter((name) => isMoneyCall(name, api[name])))
/** By which a witness follows the log and hands in what it signed (spec/protocol.md, chapter 10). */
const WITNESS_CALLS = addressesOf(['logKey', 'logCheckpoint', 'logEntries', 'logConsistency', 'cosign'])

const NEVER = new Set(['/healthz', '/readyz', '/metrics'])
type Kind = 'ordinary' | 'money' | 'witness'

export function registerShedding(app: FastifyInstance, limits: LoadLimits = LOAD_LIMITS): void {
  const places = createPlaces(limits)
  // What is answered here goes no further: `done` is not called.
  app.addHook('onRequest', (request, reply, done) => {
    const kind = kindOf(request)
    if (kind !== undefined && places.poolFor(kind, request) === undefined) refuse(request, reply)
    else done()
  })
  app.addHook('preHandler', (request, reply, done) => {
    const kind = kindOf(request)
    if (kind === undefined) return done()
    // Whoever left while the session was looked up has had the one `close` there is: a place would be kept for ever.
    if (reply.raw.destroyed) return void reply.hijack()
    // Many bodies can arrive in one moment.
    const pool = places.poolFor(kind, request)
    if (pool === undefined) return refuse(request, reply)
    // Comes for every answer, also to somebody who is gone.
    reply.raw.once('close', places.take(pool, request))
    done()
  })
}

const refuse = (request: FastifyRequest, reply: FastifyReply): void =>
  void sendProblem(request, reply, { code: 'overloaded', retryAfterSeconds: 1 })

function createPlaces({ ordinaryMax, moneyMax, witnessMax, witnessMaxEach }: LoadLimits) {
  const inFlight: Record<Kind, number> = { ordinary: 0, money: 0, witness: 0 }
  /** Of the places for witnesses, by address block. */
  const each = new Map<string, number>()
  const taken = (source: string): number => each.get(source) ?? 0
  const takeEach = (source: string): (() => void) => {
    each.set(source, taken(source) + 1)
    return () => {
      if (taken(source) > 1) each.set(source, taken(source) - 1)
      else each.delete(source)
    }
  }

  return {
    /** Which places a request takes one of; undefined where all that it may take are taken. */
    poolFor(kind: Kind, request: FastifyRequest): Kind | undefined {
      if (kind === 'money') return inFlight.money < moneyMax ? 'money' : undefined
      if (inFlight.ordinary < ordinaryMax) return 'ordinary'
      if (kind === 'ordinary') return undefined
      return inFlight.witness < witnessMax && taken(addressBlock(request.ip)) < witnessMaxEach ? 'witness' : undefined
    },

    /** Takes a place, and answers how it is given back. */
    take(pool: Kind, request: FastifyRequest): () => void {
      inFlight[pool]++
      const giveBackEach = pool === 'witness' ? takeEach(addressBlock(request.ip)) : undefined
      return () => {
        inFlight[pool]--
        giveBackEach?.()
      }
    },
  }
}

/** Asked for twice on every request's way. */
const kinds = new Map<Goal, Kind | undefined>()
function kindOf(request: FastifyRequest): Kind | undefined {
  const goal = goalOf(request)
  if (!kinds.has(goal)) kinds.set(goal, findKind(goal))
  return kinds.get(goal)
}

function findKind({ method, pattern }: Goal): Kind | undefined {
  if (pattern === undefined) return 'ordinary'
  if (NEVER.has(pattern)) return undefined
  const call = `${method} ${pattern.replace(/^\/api/, '')}`
  if (MONEY_CALLS.has(call)) return 'money'
  return WITNESS_CALLS.has(call) ? 'witness' : 'ordinary'
}
