/**
 * The gateway's API for checks of bank details (Secure ID), under /verification: the name of a UPI ID.
 * - The account has keys and an API version of its own (account-calls.ts).
 */
import type { FastifyInstance } from 'fastify'
import { admitAccount } from '../account-calls.ts'
import { answer, type Parts } from '../calls.ts'
import { checkName, readAsked } from './names.ts'

export const VERIFICATION_VERSION = '2024-12-01'

export function verificationRoutes(app: FastifyInstance, parts: Parts): void {
  const { store, verification } = parts
  admitAccount(app, parts, verification, VERIFICATION_VERSION)
  app.post('/upi/penny-drop', (request, reply) => answer(parts, reply, (nowMs) => checkName(store, readAsked(request.body), nowMs)))
}
