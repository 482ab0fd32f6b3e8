/**
 * Access log: one line per answer.
 * - The line carries the route's pattern, never the address: addresses contain tokens and order ids.
 * - A refusal carries its code and, if the call carried a session, the member's number.
 * - The line of an accepted call carries no member's number: with the line's time it would tell whose ticket is whose.
 */
import type { FastifyInstance } from 'fastify'
import { goalOf } from './goal.ts'
import type { Session } from './session.ts'

export function registerAccessLog(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, pattern } = goalOf(request)
    const { statusCode: status, refusal: code } = reply
    const line = { reqId: request.id, method, route: pattern, status, ms: Math.round(reply.elapsedTime) }
    request.log.info(code === undefined ? line : { ...line, code, ...whoIs(request.session) }, 'answered')
    done()
  })
}

const whoIs = (session: Session | undefined) => (session === undefined ? {} : { member: String(session.memberId), session: session.kind })
