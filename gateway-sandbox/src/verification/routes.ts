/**
 * The gateway's API for checks of bank details (Secure ID), under /verification: the name of a UPI ID.
 *
 * - The account has keys and an API version of its own. Without an account every call is refused as not enabled.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { admit, answer, type Parts } from '../calls.ts'
import { fakeEdge } from '../edge.ts'
import { badUrl, notEnabled } from '../refusals.ts'
import { checkSignature } from '../signature.ts'
import { checkName, readAsked } from './names.ts'

export const VERIFICATION_VERSION = '2024-12-01'
const VERSIONS: ReadonlySet<string> = new Set([VERIFICATION_VERSION])

export function verificationRoutes(app: FastifyInstance, parts: Parts): void {
  const { store, clock, verification } = parts
  app.setNotFoundHandler(() => {
    throw badUrl()
  })
  fakeEdge(app, store)
  app.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    if (verification === undefined) throw notEnabled()
    admit(request, reply, { store, keys: verification, versions: VERSIONS })
    checkSignature(request, verification, await clock.now())
  })
  app.post('/upi/penny-drop', (request, reply) => answer(parts, reply, (nowMs) => checkName(store, readAsked(request.body), nowMs)))
}
