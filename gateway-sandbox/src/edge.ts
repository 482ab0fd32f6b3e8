/**
 * A fake edge: something between the gateway and the shop answers in the gateway's place.
 *
 * - The work behind the call is done; only its answer is replaced. The shop's keys were checked before.
 * - `stale` and `yesterday` repeat the first answer to the same question: the cache of a proxy, with today's date or an old one.
 */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Edge } from './faults.ts'
import type { Store } from './store.ts'

const PAGE = '<!doctype html><title>Gateway</title><h1>Sign in to this network</h1>'
const DAY_MS = 86_400_000
/** More than any answer of the gateway. */
const PADDING = ' '.repeat(4_194_304)
const REMEMBERED_MAX = 1000

const IDS = /"((?:order|refund|transfer|beneficiary|dispute|subscription|payment|verification)_id)":"?(\w+?)(\w)"?([,}])/g
/** The answer with each id exchanged for another of the same form. */
const aboutAnother = (text: string): string =>
  text.replace(IDS, (_all, name: string, most: string, last: string, end: string) => {
    const other = `${most}${last === '7' ? '8' : '7'}`
    return name === 'dispute_id' ? `"${name}":${other}${end}` : `"${name}":"${other}"${end}`
  })

type First = ReadonlyMap<string, string>
type Fake = (text: string, reply: FastifyReply, request: FastifyRequest, first: First) => string | Readable

const page =
  (status: number): Fake =>
  (_text, reply) => {
    reply.code(status).type('text/html; charset=utf-8')
    return PAGE
  }
const json =
  (status: number, body: string): Fake =>
  (_text, reply) => {
    reply.code(status).type('application/json')
    return body
  }
const keyOf = ({ method, url }: FastifyRequest): string => `${method} ${url}`
const old: Fake = (text, _reply, request, first) => first.get(keyOf(request)) ?? text

const FAKES: Readonly<Record<Exclude<Edge, 'none'>, Fake>> = {
  page: page(200),
  page_404: page(404),
  page_403: page(403),
  proxy_404: json(404, '{"code":404,"message":"no Route matched with those values"}'),
  other_shape: json(200, '{"status":"OK","data":[]}'),
  null_body: json(200, 'null'),
  redirect: (_text, reply) => {
    reply.code(302).header('location', '/')
    return ''
  },
  wrong_type: (text, reply) => {
    reply.type('text/html; charset=utf-8')
    return text
  },
  cut: (text) =>
    Readable.from(
      (function* () {
        yield text.slice(0, text.length / 2)
        throw new Error('the edge closes the connection')
      })(),
    ),
  cut_whole: (text) => text.slice(0, text.length / 2),
  enormous: (text) => text + PADDING,
  other_id: (text) => aboutAnother(text),
  stale: old,
  yesterday: (text, reply, request, first) => {
    reply.headers({ date: new Date(Date.now() - DAY_MS).toUTCString(), age: '86400' })
    return old(text, reply, request, first)
  },
}

/** Replaces the answers of this scope while the switch is on. */
export function fakeEdge(app: FastifyInstance, store: Store): void {
  const first = new Map<string, string>()
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string') return payload
    const key = keyOf(request)
    if (reply.statusCode < 300 && request.method === 'GET' && !first.has(key) && first.size < REMEMBERED_MAX) first.set(key, payload)
    const { edge } = store.faults()
    if (edge === 'none') return payload
    reply.removeHeader('content-length')
    return FAKES[edge](payload, reply, request, first)
  })
}
