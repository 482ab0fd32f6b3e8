import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { verifySignature } from './webhook-signature.ts'

// printf '%s%s' 1617695238078 '{"amount":170.00}' | openssl dgst -sha256 -hmac whsec_7 -binary | base64
const GENUINE = 'zA8WeylVPOK5JrwdrMgHNoDqRuUvZOtJz/No19ExDMA='
const headers = { 'x-webhook-timestamp': '1617695238078', 'x-webhook-signature': GENUINE }

test('a signature by openssl over timestamp and bytes is accepted', () => {
  expect(verifySignature({ clientSecret: 'whsec_7' }, headers, Buffer.from('{"amount":170.00}'))).toEqual({ atMs: 1617695238078 })
})

test('a signature is refused for one byte less, a dot between timestamp and body, or another secret', () => {
  expect(verifySignature({ clientSecret: 'whsec_7' }, headers, Buffer.from('{"amount":170.0}'))).toBeUndefined()
  expect(verifySignature({ clientSecret: 'whsec_7' }, headers, Buffer.from('.{"amount":170.00}'))).toBeUndefined()
  expect(verifySignature({ clientSecret: 'whsec_8' }, headers, Buffer.from('{"amount":170.00}'))).toBeUndefined()
})

test('while the secret is replaced the former one counts beside the new one, and no other', () => {
  const body = Buffer.from('{"amount":170.00}')
  expect(verifySignature({ clientSecret: 'whsec_8', clientSecretOld: 'whsec_7' }, headers, body)).toEqual({ atMs: 1617695238078 })
  expect(verifySignature({ clientSecret: 'whsec_8', clientSecretOld: 'whsec_6' }, headers, body)).toBeUndefined()
})

test('a genuine webhook whose timestamp is not in milliseconds has no time', () => {
  const body = Buffer.from('{}')
  for (const timestamp of ['1617695238', 'yesterday', '']) {
    const signature = createHmac('sha256', 'whsec_7').update(timestamp).update(body).digest('base64')
    const given = { 'x-webhook-timestamp': timestamp, 'x-webhook-signature': signature }
    expect(verifySignature({ clientSecret: 'whsec_7' }, given, body)).toEqual({ atMs: undefined })
  }
})
