/**
 * Load shedding: bounds the requests that this process works on at once.
 * - Above a bound a request is answered 503 with Retry-After at once, before its session is looked up and its body read.
 * - Calls that move money have a far higher bound of their own, so they are refused last.
 * - Files have a bound of their own, so slow downloads take no call's place. Stored pictures have another: a file store that does
 *   not answer takes no place of the app's own files.
 * - Calls that accept a file hold their place while its bytes arrive, so they have small pools of their own: one for members, one
 *   for staff. One address gets two places of a pool, and so does one account. This bounds the memory of all uploads.
 * - The operator's endpoints are never refused.
 * - One address (a /64 of IPv6) gets only a share of the places.
 * - Any other request occupies a place from the arrival of its body until its answer is written. Slow senders, and slow readers of
 *   ordinary answers, occupy none. Arriving bodies and unread answers have their own bounds (slow-senders.ts, slow-readers.ts).
 * - Witnesses of the log have a few extra places, because a day with late cosignatures stays weak. One address block cannot
 *   take all of them.
 */
import { api, type CallName } from '@roz/contract/api.ts'
import type { EndpointSpec } from '@roz/contract/endpoint.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { UPLOADS_PATH } from '../adapters/storage/port.ts'
import { sendProblem } from '../http/faults.ts'
import { type RouteKey, routeKeyOf } from '../http/route-key.ts'
import { addressBlock, networkOf } from './limits.ts'
import { createSlowReaders, type ReadLimits, type SlowReaders } from './slow-readers.ts'
import { endSlowSenders, type SendLimits } from './slow-senders.ts'

export type LoadLimits = ReadLimits &
  SendLimits & {
    readonly ordinaryMax: number
    readonly moneyMax: number
    readonly fileMax: number
    readonly storedMax: number
    /** Uploads of members and of staff, and how many of them one address or one account gets. */
    readonly uploadMax: number
    readonly staffUploadMax: number
    readonly uploadMaxEach: number
    /** Extra places of witnesses, and how many of them one address block gets. */
    readonly witnessMax: number
    readonly witnessMaxEach: number
    /** One address gets one share of this many, of each kind of place, of the arriving bodies and of the unread answers. */
    readonly shares: number
  }
/** Bounds of one process. Joins wait in a queue of 20,000; all other calls wait for a database connection. */
export const LOAD_LIMITS: LoadLimits = {
  ordinaryMax: 500,
  moneyMax: 20_000,
  fileMax: 200,
  storedMax: 100,
  // 16 pictures of 5 MiB and 8 bills of 10 MiB: 160 MiB.
  uploadMax: 16,
  staffUploadMax: 8,
  uploadMaxEach: 2,
  witnessMax: 16,
  witnessMaxEach: 2,
  shares: 4,
  unreadMax: 2000,
  // Bodies of at most 64 KiB, but for uploads.
  arrivingMax: 1000,
  // A phone on EDGE reads and sends about 20 KB a second.
  graceMs: 10_000,
  bytesPerSecondMin: 8192,
}

/** Calls without an Idempotency-Key that lead to a movement of money. */
const ALSO_MONEY: ReadonlySet<CallName> = new Set(['verifyOrder', 'confirmPayment', 'triggerDraw', 'stepUp'])
const isMoneyCall = (name: CallName, { access, refusals }: EndpointSpec): boolean =>
  access === 'signed' || refusals.includes('idempotency_mismatch') || ALSO_MONEY.has(name)

const NAMES = Object.keys(api) as CallName[]
const addressesOf = (names: readonly CallName[]): ReadonlySet<string> =>
  new Set(names.map((name) => `${api[name].method} ${api[name].path.replace(/\{(\w+)\}/g, ':$1')}`))

/** Money calls as `POST /wallet/withdraw`, without /api. */
export const MONEY_CALLS = addressesOf(NAMES.filter((name) => isMoneyCall(name, api[name])))
/** Calls by which a witness follows the log and hands in its cosignature (spec/protocol.md, chapter 10). */
const WITNESS_CALLS = addressesOf(['logKey', 'logCheckpoint', 'logEntries', 'logConsistency', 'cosign'])
const isFile = ({ output }: EndpointSpec): boolean => output === 'file' || output === 'csv'
const FILE_CALLS = addressesOf(NAMES.filter((name) => isFile(api[name])))
const FILE_PLACES = /^\/(assets|share|icons)\/|^\/verify\/roz-/
const STORED_CALLS = addressesOf(['adminReceipt', 'publicReceipt'])
const takesFile = (name: CallName): boolean => (api[name] as EndpointSpec).upload !== undefined
const isForStaff = (name: CallName): boolean => api[name].access === 'admin'
const UPLOAD_CALLS = addressesOf(NAMES.filter((name) => takesFile(name) && !isForStaff(name)))
const STAFF_UPLOAD_CALLS = addressesOf(NAMES.filter((name) => takesFile(name) && isForStaff(name)))

const NEVER = new Set(['/healthz', '/readyz', '/metrics'])
type Kind = 'ordinary' | 'money' | 'file' | 'stored' | 'upload' | 'staffUpload' | 'witness'
type Pool = Kind | 'arriving' | 'unread'

const isUpload = (pool: Pool | undefined): boolean => pool === 'upload' || pool === 'staffUpload'

type SheddingOptions = { readonly limits?: LoadLimits; readonly production: boolean }

export function registerShedding(app: FastifyInstance, { limits = LOAD_LIMITS, production }: SheddingOptions): void {
  const slow = createSlowReaders(app, limits)
  const places = createPlaces(limits, production)
  endSlowSenders(app, limits, {
    arrive: (request) => places.take('arriving', request),
    senderOf: (request) => (isUpload(kindOf(request)) ? undefined : (networkOf(request.ip, production) ?? request.ip)),
  })
  // A refused request ends here: `done` is not called.
  app.addHook('onRequest', (request, reply, done) => {
    const kind = kindOf(request)
    if (kind !== undefined && places.poolFor(kind, request) === undefined) refuse(request, reply)
    else done()
  })
  app.addHook('preHandler', (request, reply, done) => {
    const kind = kindOf(request)
    if (kind === undefined) return done()
    // The client disconnected during the session's lookup and its `close` event has passed: nothing would free the place.
    if (reply.raw.destroyed) return void reply.hijack()
    // Checked again: many bodies can arrive at the same moment.
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
  if (pool === 'file' || pool === 'stored' || pool === 'witness') slow.watch(raw, bytesBefore)
  // `prefinish` fires when the last byte is handed to the socket, which may still buffer it.
  raw.once('prefinish', () => {
    giveBack()
    giveBack = nothing
    // Usually the system has taken all bytes by now.
    if ((raw.socket?.writableLength ?? 0) === 0) return
    giveBack = places.take('unread', request)
    slow.wait(raw, bytesBefore)
  })
  // `close` fires for every answer, also if the client has disconnected.
  raw.once('close', () => {
    giveBack()
    slow.forget(raw)
  })
}
const nothing = (): void => undefined

const refuse = (request: FastifyRequest, reply: FastifyReply): void =>
  void sendProblem(request, reply, { code: 'overloaded', retryAfterSeconds: 1 })

type Places = ReturnType<typeof createPlaces>

function createPlaces({ shares, ...limits }: LoadLimits, production: boolean) {
  const places = (max: number, maxEach = Math.ceil(max / shares)) => ({ taken: 0, max, maxEach, each: new Map<string, number>() })
  const pools = {
    ordinary: places(limits.ordinaryMax),
    money: places(limits.moneyMax),
    file: places(limits.fileMax),
    stored: places(limits.storedMax),
    upload: places(limits.uploadMax, limits.uploadMaxEach),
    staffUpload: places(limits.staffUploadMax, limits.uploadMaxEach),
    witness: places(limits.witnessMax, limits.witnessMaxEach),
    arriving: places(limits.arrivingMax),
    unread: places(limits.unreadMax),
  } satisfies Record<Pool, unknown>

  /** Keys under which a slot is counted: the address, but not this machine outside production; for an upload also the account. */
  const holdersOf = (pool: Pool, { ip, session }: FastifyRequest): string[] => {
    const address = pool === 'witness' ? addressBlock(ip) : networkOf(ip, production)
    // Before the session's lookup the account is not known: both hooks ask.
    const account = isUpload(pool) && session !== undefined ? `account ${session.memberId}` : undefined
    return [address, account].filter((holder) => holder !== undefined)
  }
  const isWithinShare = (pool: Pool, request: FastifyRequest): boolean => {
    const { each, maxEach } = pools[pool]
    return each.size === 0 || holdersOf(pool, request).every((holder) => (each.get(holder) ?? 0) < maxEach)
  }
  const isFree = (pool: Pool, request: FastifyRequest): boolean => pools[pool].taken < pools[pool].max && isWithinShare(pool, request)
  const isQuick = (request: FastifyRequest): boolean => isWithinShare('arriving', request) && isWithinShare('unread', request)

  return {
    /** The pool in which a request gets a place; undefined if every pool open to it is full. */
    poolFor(kind: Kind, request: FastifyRequest): Kind | undefined {
      if (kind !== 'witness') return isFree(kind, request) && isQuick(request) ? kind : undefined
      if (isFree('ordinary', request) && isQuick(request)) return 'ordinary'
      return isFree('witness', request) ? 'witness' : undefined
    },

    /** Takes a place and returns the function that frees it. */
    take(pool: Pool, request: FastifyRequest): () => void {
      const own = pools[pool]
      const holders = holdersOf(pool, request)
      own.taken++
      for (const holder of holders) own.each.set(holder, (own.each.get(holder) ?? 0) + 1)
      return () => {
        own.taken--
        for (const holder of holders) {
          const left = (own.each.get(holder) ?? 1) - 1
          if (left > 0) own.each.set(holder, left)
          else own.each.delete(holder)
        }
      }
    },
  }
}

/** A cache: each request asks for its kind twice. */
const kinds = new Map<RouteKey, Kind | undefined>()
function kindOf(request: FastifyRequest): Kind | undefined {
  const routeKey = routeKeyOf(request)
  if (!kinds.has(routeKey)) kinds.set(routeKey, findKind(routeKey))
  return kinds.get(routeKey)
}

function findKind({ method, pattern }: RouteKey): Kind | undefined {
  if (pattern === undefined) return 'ordinary'
  if (NEVER.has(pattern)) return undefined
  const call = `${method} ${pattern.replace(/^\/api/, '')}`
  if (MONEY_CALLS.has(call)) return 'money'
  if (WITNESS_CALLS.has(call)) return 'witness'
  if (UPLOAD_CALLS.has(call)) return 'upload'
  if (STAFF_UPLOAD_CALLS.has(call)) return 'staffUpload'
  if (STORED_CALLS.has(call) || pattern.startsWith(UPLOADS_PATH)) return 'stored'
  return FILE_CALLS.has(call) || FILE_PLACES.test(pattern) ? 'file' : 'ordinary'
}
