/**
 * The load that this process takes on at once. Invariants:
 * - Above a bound a request is answered 503 with Retry-After at once, before a session is looked up or a byte of its body
 *   is read.
 * - Calls that move money have a bound of their own, far higher, so they are refused last; files have one too, so that
 *   slow downloads take no call's place; the operator's endpoints are never refused.
 * - One address (a /64 of IPv6) holds a part of the places only.
 * - A request holds a place from when its body is here until its answer is written: neither slow senders nor slow readers
 *   hold one. Unread answers are bounded for themselves (slow-readers.ts).
 * - A witness of the log has a few places more where all others are taken, and no address block has all of them: a day
 *   whose cosignatures come too late is weak for ever.
 */
import { api, type CallName } from '@roz/contract/api.ts'
import type { EndpointSpec } from '@roz/contract/endpoint.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendProblem } from './faults.ts'
import { type Goal, goalOf } from './goal.ts'
import { addressBlock, networkOf } from './limits.ts'
import { createSlowReaders, type ReadLimits, type SlowReaders } from './slow-readers.ts'

export type LoadLimits = ReadLimits & {
  readonly ordinaryMax: number
  readonly moneyMax: number
  readonly fileMax: number
  /** Beyond the ordinary ones, and how many of them for one address block. */
  readonly witnessMax: number
  readonly witnessMaxEach: number
  /** One address holds at most one of so many of the other places, and of the unread answers. */
  readonly shares: number
}
/** Of one process. A join waits in a queue of twenty thousand, everything else for one of the database's connections. */
export const LOAD_LIMITS: LoadLimits = {
  ordinaryMax: 500,
  moneyMax: 20_000,
  fileMax: 200,
  witnessMax: 16,
  witnessMaxEach: 2,
  shares: 4,
  unreadMax: 2000,
  // A phone on EDGE reads some 20 KB a second.
  graceMs: 10_000,
  bytesPerSecondMin: 8192,
}

/** No Idempotency-Key, yet money follows from them. */
const ALSO_MONEY: ReadonlySet<CallName> = new Set(['verifyOrder', 'confirmPayment', 'triggerDraw', 'stepUp'])
const isMoneyCall = (name: CallName, { access, refusals }: EndpointSpec): boolean =>
  access === 'signed' || refusals.includes('idempotency_mismatch') || ALSO_MONEY.has(name)

const NAMES = Object.keys(api) as CallName[]
const addressesOf = (names: readonly CallName[]): ReadonlySet<string> =>
  new Set(names.map((name) => `${api[name].method} ${api[name].path.replace(/\{(\w+)\}/g, ':$1')}`))

/** `POST /wallet/withdraw`, below /api. */
export const MONEY_CALLS = addressesOf(NAMES.filter((name) => isMoneyCall(name, api[name])))
/** By which a witness follows the log and hands in what it signed (spec/protocol.md, chapter 10). */
const WITNESS_CALLS = addressesOf(['logKey', 'logCheckpoint', 'logEntries', 'logConsistency', 'cosign'])
const FILE_CALLS = addressesOf(NAMES.filter((name) => api[name].output === 'file'))
const FILE_PLACES = /^\/(assets|uploads|share|icons)\/|^\/verify\/roz-/

const NEVER = new Set(['/healthz', '/readyz', '/metrics'])
type Kind = 'ordinary' | 'money' | 'file' | 'witness'
type Pool = Kind | 'unread'

export type SheddingOptions = { readonly limits?: LoadLimits; readonly production: boolean }

export function registerShedding(app: FastifyInstance, { limits = LOAD_LIMITS, production }: SheddingOptions): void {
  const slow = createSlowReaders(app, limits)
  const places = createPlaces(limits, production)
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
    hold(places, slow, pool, request, reply)
    done()
  })
}

/** Takes a place until the answer is written, and counts the answer as unread until it is read. */
function hold(places: Places, slow: SlowReaders, pool: Kind, request: FastifyRequest, { raw }: FastifyReply): void {
  const bytesBefore = raw.socket?.bytesWritten ?? 0
  let giveBack = places.take(pool, request)
  if (pool === 'file' || pool === 'witness') slow.watch(raw, bytesBefore)
  // Comes when the last byte is handed to the socket, which may keep it.
  raw.once('prefinish', () => {
    giveBack()
    giveBack = nothing
    // Most answers are with the system by now.
    if ((raw.socket?.writableLength ?? 0) === 0) return
    giveBack = places.take('unread', request)
    slow.wait(raw, bytesBefore)
  })
  // Comes for every answer, also to somebody who is gone.
  raw.once('close', () => {
    giveBack()
    slow.forget(raw)
  })
}
const nothing = (): void => undefined

const refuse = (request: FastifyRequest, reply: FastifyReply): void =>
  void sendProblem(request, reply, { code: 'overloaded', retryAfterSeconds: 1 })

type Places = ReturnType<typeof createPlaces>

function createPlaces({ ordinaryMax, moneyMax, fileMax, witnessMax, witnessMaxEach, unreadMax, shares }: LoadLimits, production: boolean) {
  const places = (max: number, maxEach = Math.ceil(max / shares)) => ({ taken: 0, max, maxEach, each: new Map<string, number>() })
  const pools = {
    ordinary: places(ordinaryMax),
    money: places(moneyMax),
    file: places(fileMax),
    witness: places(witnessMax, witnessMaxEach),
    unread: places(unreadMax),
  } satisfies Record<Pool, unknown>

  /** Whose places they count as; undefined for this machine outside production. */
  const holderOf = (pool: Pool, { ip }: FastifyRequest): string | undefined =>
    pool === 'witness' ? addressBlock(ip) : networkOf(ip, production)
  const isWithinShare = (pool: Pool, request: FastifyRequest): boolean => {
    const { each, maxEach } = pools[pool]
    if (each.size === 0) return true
    const holder = holderOf(pool, request)
    return holder === undefined || (each.get(holder) ?? 0) < maxEach
  }
  const isFree = (pool: Pool, request: FastifyRequest): boolean => pools[pool].taken < pools[pool].max && isWithinShare(pool, request)

  return {
    /** Which places a request takes one of; undefined where all that it may take are taken. */
    poolFor(kind: Kind, request: FastifyRequest): Kind | undefined {
      if (kind !== 'witness') return isFree(kind, request) && isWithinShare('unread', request) ? kind : undefined
      if (isFree('ordinary', request) && isWithinShare('unread', request)) return 'ordinary'
      return isFree('witness', request) ? 'witness' : undefined
    },

    /** Takes a place, and answers how it is given back. */
    take(pool: Pool, request: FastifyRequest): () => void {
      const own = pools[pool]
      const holder = holderOf(pool, request)
      own.taken++
      if (holder !== undefined) own.each.set(holder, (own.each.get(holder) ?? 0) + 1)
      return () => {
        own.taken--
        if (holder === undefined) return
        const left = (own.each.get(holder) ?? 1) - 1
        if (left > 0) own.each.set(holder, left)
        else own.each.delete(holder)
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
  if (WITNESS_CALLS.has(call)) return 'witness'
  return FILE_CALLS.has(call) || FILE_PLACES.test(pattern) ? 'file' : 'ordinary'
}
