/**
 * Access log: one line per answer.
 * - The line carries the route's pattern, never the address: addresses contain tokens and order ids.
 * - A refusal carries its code and, if the call carried a session, the member's number.
 * - A refused login carries a keyed hash of the mail address: attempts on one account are seen, and the address is not.
 * - The line of an accepted call carries no member's number: with the line's time it would tell whose ticket is whose.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Secrets } from '../secrets/secrets.ts'
import { routeKeyOf } from '../http/route-key.ts'
import { addressKey } from '../protection/limits.ts'
import type { Session } from '../http/session.ts'

type Hashing = Pick<Secrets, 'fingerprints'>

export function registerAccessLog(app: FastifyInstance, secrets: Hashing): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, pattern } = routeKeyOf(request)
    const { statusCode: status, refusal: code } = reply
    const line = { reqId: request.id, method, route: pattern, status, ms: Math.round(reply.elapsedTime) }
    request.log.info(code === undefined ? line : { ...line, code, ...whoIs(request.session), ...accountOf(request, secrets) }, 'answered')
    done()
  })
}

const whoIs = (session: Session | undefined) => (session === undefined ? {} : { member: String(session.memberId), session: session.kind })

const LOGINS: ReadonlySet<string | undefined> = new Set(['/api/auth/login', '/api/admin/login', '/api/admin/login/passkey'])

/** 64 bits of the hash: enough to compare two lines. */
function accountOf(request: FastifyRequest, secrets: Hashing): { account?: string } {
  const { body } = request
  if (!LOGINS.has(routeKeyOf(request).pattern) || typeof body !== 'object' || body === null || !('email' in body)) return {}
  if (typeof body.email !== 'string') return {}
  const [hash] = secrets.fingerprints(Buffer.from(addressKey(body.email)), 'account of a refused login')
  return { account: hash.subarray(0, 8).toString('hex') }
}
