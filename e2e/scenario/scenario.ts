/**
 * The base of the scenario of all calls: the program, a local issuer of Google credentials, a known gateway secret, and a checked step.
 * - Each step checks the headers that every answer must have.
 */
import { createHmac, createSign, generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { CallName } from '@roz/contract/api.ts'
import { expect } from 'vitest'
import { ask, codeOf, type Given, specOf } from '../harness/calls.ts'
import { readClock } from '../harness/people.ts'
import { startProgram } from '../harness/program.ts'
import { createAuditWatch } from './audit-watch.ts'

const CLIENT_ID = 'roz.apps.example.test'
const GATEWAY_SECRET = 'a secret for webhooks'
const SIGNED_AT = '1700000000000'
const CACHING = { public: /^public\b.*\bs-maxage=\d+.*\bstale-while-revalidate=\d+/, named: /^public, no-cache$/ } as const

export type Scenario = Awaited<ReturnType<typeof startScenario>>

export async function startScenario() {
  const issuer = await startIssuer()
  const roz = await startProgram({
    env: { GOOGLE_CLIENT_ID: CLIENT_ID, GOOGLE_JWKS_URL: issuer.keysUrl, CASHFREE_PG_CLIENT_SECRET: GATEWAY_SECRET },
  })
  /** The program's clock differs from ours by this. */
  const aheadMs = Date.parse(await readClock(roz.url)) - Date.now()
  const visited = new Set<CallName>()
  const auditWatch = createAuditWatch(roz.dataDir)
  return {
    roz,
    visited,
    auditWatch,
    idToken: (claims: object): string => issuer.idToken(claims, aheadMs),
    close: issuer.close,

    /** Makes one call; its answer is private unless the contract calls it public. */
    async step<N extends CallName>(name: N, given: Given) {
      visited.add(name)
      const answer = await auditWatch.around(name, given, () => ask(roz.url, name, given))
      const { cache, access, output } = specOf(name)
      if (output === 'file' && answer.status === 200) {
        // A bill: for staff until it is public, and asked again each time because it can be taken back.
        expect(answer.headers.get('cache-control'), name).toMatch(
          access === 'admin' ? /^private, no-store$/ : /^public, (?:no-cache|max-age=\d+)/,
        )
        return answer
      }
      const kept = answer.status === 200 && given.token === undefined && cache !== 'file' ? cache : undefined
      const caching = kept === undefined ? /\bno-store\b/ : CACHING[kept]
      expect(answer.headers.get('cache-control'), name).toMatch(caching)
      if (access === 'anyone') expect(answer.headers.get('vary'), name).toMatch(/\bAuthorization\b/i)
      const type =
        answer.status === 204
          ? null
          : output === 'text'
            ? 'text/plain; charset=utf-8'
            : output === 'csv'
              ? 'text/csv; charset=utf-8'
              : 'application/json; charset=utf-8'
      expect(answer.headers.get('content-type'), name).toBe(type)
      return answer
    },

    signatureOf: (body: string): string => createHmac('sha256', GATEWAY_SECRET).update(SIGNED_AT).update(body).digest('base64'),

    /** Sends a witness's signature. */
    async cosign(text: string): Promise<{ readonly status: number; readonly code: string }> {
      visited.add('cosign')
      const response = await fetch(`${roz.url}/api/public/log/cosignatures`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain' },
        body: text,
      })
      return { status: response.status, code: codeOf('cosign', response.status, await response.text()) }
    },

    sendWebhook(body: string, signature: string): Promise<Response> {
      visited.add('paymentWebhook')
      const headers = { 'content-type': 'application/json', 'x-webhook-timestamp': SIGNED_AT, 'x-webhook-signature': signature }
      return fetch(`${roz.url}/api/webhooks/cashfree`, { method: 'POST', headers, body })
    },
  }
}

/** Signs credentials as Google does, with its own key. */
async function startIssuer() {
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const server = createServer((_request, response) => {
    const jwk = { ...key.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [jwk] }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the issuer has no port')
  return {
    keysUrl: `http://127.0.0.1:${address.port}/certs`,
    close: (): void => void server.close(),
    idToken: (claims: object, aheadMs: number): string => {
      const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
      const nowSeconds = Math.floor((Date.now() + aheadMs) / 1000)
      const body = { iss: 'https://accounts.google.com', aud: CLIENT_ID, iat: nowSeconds, exp: nowSeconds + 600, ...claims }
      const text = `${part({ alg: 'RS256', kid: 'one', typ: 'JWT' })}.${part(body)}`
      return `${text}.${createSign('RSA-SHA256').update(text).sign(key.privateKey, 'base64url')}`
    },
  }
}
