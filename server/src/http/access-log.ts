/**
 * One line for every answer. Invariants:
 * - The route's pattern, never the address: tokens and order ids travel in addresses.
 * - A refusal is logged with its code and, where a session was shown, with the member's number. An accepted call never
 *   is: with its time, the number would say whose a ticket is.
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
