import { expect, test } from 'vitest'
import { verifySignature } from './webhook-signature.ts'

// printf '%s%s' 1617695238078 '{"amount":170.00}' | openssl dgst -sha256 -hmac whsec_7 -binary | base64
const GENUINE = 'zA8WeylVPOK5JrwdrMgHNoDqRuUvZOtJz/No19ExDMA='
const headers = { 'x-webhook-timestamp': '1617695238078', 'x-webhook-signature': GENUINE }

test('a signature made by openssl over time and bytes is accepted', () => {
  expect(verifySignature('whsec_7', headers, Buffer.from('{"amount":170.00}'))).toBe(true)
})

test('one byte less, a dot between time and body, or another secret is not', () => {
  expect(verifySignature('whsec_7', headers, Buffer.from('{"amount":170.0}'))).toBe(false)
  expect(verifySignature('whsec_7', headers, Buffer.from('.{"amount":170.00}'))).toBe(false)
  expect(verifySignature('whsec_8', headers, Buffer.from('{"amount":170.00}'))).toBe(false)
})
