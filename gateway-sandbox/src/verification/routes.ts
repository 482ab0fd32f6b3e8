/**
 * The gateway's API for checks of bank details (Secure ID), under /verification: UPI IDs, bank accounts and IFSCs.
 * - The account has keys and an API version of its own (account-calls.ts).
 */
import type { FastifyInstance } from 'fastify'
import { admitAccount } from '../account-calls.ts'
import { answer, type Parts } from '../calls.ts'
import { checkAccount, checkIfsc, readAccountCheck, readIfscCheck } from './accounts.ts'
import { checkUpi, dropPenny, readPennyDrop, readUpiCheck } from './names.ts'

const VERIFICATION_VERSION = '2024-12-01'

export function verificationRoutes(app: FastifyInstance, parts: Parts): void {
  const { store, verification } = parts
  admitAccount(app, parts, verification, VERIFICATION_VERSION)
  app.post('/upi', (request, reply) => answer(parts, reply, (nowMs) => checkUpi(store, readUpiCheck(request.body), nowMs)))
  app.post('/upi/penny-drop', (request, reply) => answer(parts, reply, (nowMs) => dropPenny(store, readPennyDrop(request.body), nowMs)))
  app.post('/bank-account/sync', (request, reply) =>
    answer(parts, reply, (nowMs) => checkAccount(store, readAccountCheck(request.body), nowMs)),
  )
  app.post('/ifsc', (request, reply) => answer(parts, reply, (nowMs) => checkIfsc(store, readIfscCheck(request.body), nowMs)))
}
