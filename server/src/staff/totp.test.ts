/** One-time codes against the vectors of RFC 4226 and RFC 6238. */
import { expect, test } from 'vitest'
import { base32, codeAt, matchingStep, otpauthUri, stepAt } from './totp.ts'

const SECRET = Buffer.from('12345678901234567890')

test.each([
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
])('the code at %d s equals RFC 6238’s', (seconds, code) => {
  expect(codeAt(SECRET, stepAt(seconds * 1000), 8)).toBe(code)
})

test('the first ten codes of six digits are those of RFC 4226', () => {
  const codes = Array.from({ length: 10 }, (_, step) => codeAt(SECRET, step))
  expect(codes).toEqual(['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489'])
})

test('a code is accepted from one step early to one step late', () => {
  const atMs = 1_000_000_000_000
  const accepted = [-3, -2, -1, 0, 1, 2, 3].filter(
    (away) => matchingStep(SECRET, codeAt(SECRET, stepAt(atMs) + away), { atMs, lastStep: 0 }) === stepAt(atMs) + away,
  )
  expect(accepted).toEqual([-1, 0, 1])
})

test('a used code and every earlier one are refused', () => {
  const atMs = 1_000_000_000_000
  const lastStep = stepAt(atMs)
  const judged = [-1, 0, 1].map((away) => matchingStep(SECRET, codeAt(SECRET, lastStep + away), { atMs, lastStep }))
  expect(judged).toEqual([undefined, undefined, lastStep + 1])
})

test('a code of other length or with letters matches nothing', () => {
  const now = { atMs: 59_000, lastStep: 0 }
  expect(['', '28708', '2870820', '28708x'].map((code) => matchingStep(SECRET, code, now))).toEqual(Array(4).fill(undefined))
})

test('the secret is written in base32 (RFC 4648), and the address names issuer and account', () => {
  expect(['f', 'fo', 'foo', 'foob', 'fooba', 'foobar'].map((text) => base32(Buffer.from(text)))).toEqual([
    'MY',
    'MZXQ',
    'MZXW6',
    'MZXW6YQ',
    'MZXW6YTB',
    'MZXW6YTBOI',
  ])
  expect(otpauthUri(SECRET, { issuer: 'Roz', account: 'a b@x.test' })).toBe(
    'otpauth://totp/Roz:a%20b%40x.test?issuer=Roz&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&algorithm=SHA1&digits=6&period=30',
  )
})
