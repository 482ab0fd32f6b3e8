/**
 * The gateway's API for checks of bank details (Secure ID), under /verification: UPI IDs, bank accounts and IFSCs.
 * - The account has keys and an API version of its own (account-calls.ts).
 */
import type { FastifyInstance } from 'fastify'
import { admitAccount } from '../account-calls.ts'
import { callsOf, type Parts } from '../calls.ts'
import { checkAccount, checkIfsc, readAccountCheck, readIfscCheck } from './accounts.ts'
import { checkUpi, dropPenny, readPennyDrop, readUpiCheck } from './names.ts'

const VERIFICATION_VERSION = '2024-12-01'

export function verificationRoutes(app: FastifyInstance, parts: Parts): void {
  const { store, verification } = parts
  admitAccount(app, parts, verification, VERIFICATION_VERSION)
  const { post } = callsOf(app, parts)
  post('/upi', ({ body, nowMs }) => checkUpi(store, readUpiCheck(body), nowMs))
  post('/upi/penny-drop', ({ body, nowMs }) => dropPenny(store, readPennyDrop(body), nowMs))
  post('/bank-account/sync', ({ body, nowMs }) => checkAccount(store, readAccountCheck(body), nowMs))
  post('/ifsc', ({ body, nowMs }) => checkIfsc(store, readIfscCheck(body), nowMs))
}
