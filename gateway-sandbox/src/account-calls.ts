/**
 * Admits the calls of an account with keys and an API version of its own: payouts, and checks of bank details.
 * - Without the account every call is refused as not enabled.
 * - With a signature key each call needs `x-cf-signature`: `clientId.unixSeconds`, encrypted with the gateway's public key (RSA-OAEP), at
 *   most ten minutes old.
 */
import { constants, privateDecrypt } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Account, admit, header, type Parts } from './calls.ts'
import { fakeEdge } from './edge.ts'
import { badSignature, badUrl, notEnabled } from './refusals.ts'

const MAX_AGE_SECONDS = 600

export function admitAccount(app: FastifyInstance, { store, clock }: Parts, account: Account | undefined, version: string): void {
  const versions = new Set([version])
  app.setNotFoundHandler(() => {
    throw badUrl()
  })
  fakeEdge(app, store)
  app.addHook('onRequest', async (request, reply) => {
    if (account === undefined) throw notEnabled()
    admit(request, reply, { store, keys: account, versions })
    checkSignature(request, account, await clock.now())
  })
}

function checkSignature(request: FastifyRequest, { clientId, signatureKey }: Account, nowMs: number): void {
  if (signatureKey === undefined) return
  const sealed = header(request, 'x-cf-signature')
  if (sealed === undefined) throw badSignature('is missing in the request')
  const parts = /^(.*)\.(\d+)$/.exec(unsealed(sealed, signatureKey))
  if (parts?.[1] !== clientId) throw badSignature('is not valid')
  if (Math.abs(nowMs / 1000 - Number(parts[2])) > MAX_AGE_SECONDS) throw badSignature('has expired')
}

function unsealed(sealed: string, key: string): string {
  try {
    return privateDecrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' }, Buffer.from(sealed, 'base64')).toString()
  } catch {
    throw badSignature('is not valid')
  }
}
