/** Values of settings that are refused in words: too large, too small, of another kind, or easy to guess. */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { complaintsOf, PRODUCTION_BY_TLS as production } from '../testing/production.ts'
import { readConfig } from './config.ts'

test('production refuses a long secret that can be guessed: one letter, a sample, a common password with digits', () => {
  const key = 'SECRET_KEY: production needs random bytes, such as those of “openssl rand -hex 32”'
  for (const SECRET_KEY of [
    'a'.repeat(32),
    'ab'.repeat(40),
    'please-change-me-0123456789abcdefghij',
    'your-secret-key-of-at-least-32-bytes',
  ])
    expect([SECRET_KEY, complaintsOf({ ...production, SECRET_KEY })]).toEqual([SECRET_KEY, [key]])
  expect(complaintsOf({ ...production, SECRET_KEY: randomBytes(32).toString('hex') })).toEqual([])
  expect(complaintsOf({ ...production, SECRET_KEY: randomBytes(24).toString('base64') })).toEqual([])
  const token = 'METRICS_TOKEN: production needs random characters, such as those of “openssl rand -hex 16”'
  for (const METRICS_TOKEN of ['m'.repeat(32), 'xxxxxxxxxxxxxxxxxxxx'])
    expect([METRICS_TOKEN, complaintsOf({ ...production, METRICS_TOKEN })]).toEqual([METRICS_TOKEN, [token]])
  const password = 'ADMIN_PASSWORD: this password is one of the most common ones; production needs another'
  for (const ADMIN_PASSWORD of ['password1234', 'Password2026!', 'qwertyuiop123', 'ChangeMe12345'])
    expect([ADMIN_PASSWORD, complaintsOf({ ...production, ADMIN_PASSWORD })]).toEqual([ADMIN_PASSWORD, [password]])
})

test.each([
  [
    'TRUST_PROXY',
    ['99', '6', '0', 'true', 'yes', '0.0.0.0/0', '10.0.0.0/4', 'proxy.example', '10.0.0.7,', '1.5'],
    'none, the number of proxies',
  ],
  // Taken for a laptop, a server would show its mails and its clock to everybody.
  ['NODE_ENV', ['prod', 'Production', 'staging'], 'one of production, development, test'],
  ['MIN_AGE', ['0', '12', '100', '1e1', '0x10', '13.5'], 'a whole number from 13 to 99'],
  ['APPROVAL_ABOVE', ['1e9', '1000000000', '100000.01', '-1', '0x10', '10.005', 'Infinity'], 'an amount in rupees from 0 to 100000'],
  ['TDS_ABOVE_RUPEES', ['1e9', '-1'], 'an amount in rupees from 0 to 100000'],
  ['PORT', ['0', '65536', '8080.5', '1e3'], 'a whole number from 1 to 65535'],
  ['PUBLIC_URL', ['https://roz.example/app', 'https://a:b@roz.example', 'https://roz.example?x=1'], 'scheme and host alone'],
  ['ADMIN_EMAIL', ['owner', 'owner@', 'Owner <owner@roz.example>', 'owner@10.0.0.5'], 'a mail address such as'],
  ['SUPPORT_EMAIL', ['help@localhost', 'a b@roz.example'], 'a mail address such as'],
  ['MAIL_FROM', ['no-reply'], 'a mail address such as'],
  [
    'MAIL_URL',
    ['smtp://u:pa#ss@host:587', 'smtp://u:pa/ss@host', 'smtp://host:99999', 'smtp://', 'host:25', 'http://host'],
    'an address such as smtp://',
  ],
  ['PAYMENT_METHODS', ['card', 'upi;cc', 'upi,,cc', 'upi,'], 'any of upi, cc, dc, nb,'],
])('%s: a value that is too large, too small or of another kind is refused in words', (name, values, words) => {
  for (const value of values)
    expect([value, complaintsOf({ [name]: value })]).toEqual([value, [expect.stringContaining(`${name}: ${words}`)]])
})

test('production is production also with a space or a carriage return behind it', () => {
  for (const NODE_ENV of ['production ', 'production\r']) expect(readConfig({ ...production, NODE_ENV }).production).toBe(true)
})

test('the proxies in front are a small number, addresses, networks or named groups', () => {
  expect(readConfig({ TRUST_PROXY: '2' }).trustProxy).toBe(2)
  for (const list of ['10.0.0.7', '10.0.0.0/24, 10.1.0.9', 'loopback, fd00::/8', '::1'])
    expect([list, readConfig({ TRUST_PROXY: list }).trustProxy]).toEqual([list, list])
  expect(readConfig({ TRUST_PROXY: 'none' }).trustProxy).toBe(false)
})
