import { describe, expect, test } from 'vitest'
import { createSecrets } from './secrets.ts'

const plain = Buffer.from('a ticket key or an account number')

describe('an encrypted value', () => {
  const secrets = createSecrets({ secretKey: 'the present key' })

  test('is decrypted with its own context and with no other', () => {
    const encrypted = secrets.encrypt(plain, 'ticket_key:1001')
    expect(secrets.decrypt(encrypted, 'ticket_key:1001').equals(plain)).toBe(true)
    expect(() => secrets.decrypt(encrypted, 'ticket_key:1002')).toThrow()
    expect(encrypted.includes(plain)).toBe(false)
  })

  test('differs from a second encryption of the same plain text', () => {
    expect(secrets.encrypt(plain, 'x').equals(secrets.encrypt(plain, 'x'))).toBe(false)
  })

  test('is not decrypted after any byte was changed or cut off', () => {
    const encrypted = secrets.encrypt(plain, 'x')
    for (let at = 0; at < encrypted.length; at++) {
      const altered = Buffer.from(encrypted)
      altered[at] = (altered[at] as number) ^ 1
      expect(() => secrets.decrypt(altered, 'x')).toThrow()
      expect(() => secrets.decrypt(encrypted.subarray(0, at), 'x')).toThrow()
    }
  })

  test('is decrypted after a rotation of SECRET_KEY while SECRET_KEY_OLD is set', () => {
    const encrypted = secrets.encrypt(plain, 'x')
    const rotated = createSecrets({ secretKey: 'the next key', secretKeyOld: 'the present key' })
    expect(rotated.decrypt(encrypted, 'x').equals(plain)).toBe(true)
    expect(() => secrets.decrypt(rotated.encrypt(plain, 'x'), 'x')).toThrow('neither SECRET_KEY nor SECRET_KEY_OLD')
    expect(rotated.fingerprints(plain, 'p')[1]?.equals(secrets.fingerprints(plain, 'p')[0])).toBe(true)
  })

  test('is decrypted on every server at each step of a rotation in two rounds, and in one round it would not', () => {
    const [present, next] = ['the present key', 'the next key']
    const before = createSecrets({ secretKey: present })
    const first = createSecrets({ secretKey: present, secretKeyOld: next })
    const second = createSecrets({ secretKey: next, secretKeyOld: present })
    for (const [one, other] of [
      [before, first],
      [first, second],
    ] as const) {
      expect(one.decrypt(other.encrypt(plain, 'x'), 'x').equals(plain)).toBe(true)
      expect(other.decrypt(one.encrypt(plain, 'x'), 'x').equals(plain)).toBe(true)
    }
    expect(() => before.decrypt(second.encrypt(plain, 'x'), 'x')).toThrow('neither SECRET_KEY nor SECRET_KEY_OLD')
  })

  test('is decrypted by decryptMany exactly when it is by decrypt, under either of two keys', () => {
    const rotated = createSecrets({ secretKey: 'the next key', secretKeyOld: 'the present key' })
    const contextOf = (index: number): string => `ticket_key:${index}`
    const plains = Array.from({ length: 600 }, (_, index) => Buffer.alloc(32, index))
    // Runs of values under each key, then a run under a single key.
    const values = plains.map((each, index) => (index % 7 < 3 || index > 550 ? secrets : rotated).encrypt(each, contextOf(index)))
    const [bytes, each] = [Buffer.concat(values), (values[0] as Buffer).length]
    const into = Buffer.alloc(600 * 32)
    rotated.decryptMany({ bytes, each, contextOf }, into)
    expect(into.equals(Buffer.concat(plains))).toBe(true)
    expect(() => secrets.decryptMany({ bytes, each, contextOf }, into)).toThrow('neither SECRET_KEY nor SECRET_KEY_OLD')
    for (const moved of [1, 4, 599])
      expect(() => rotated.decryptMany({ bytes, each, contextOf: (index) => contextOf(index === moved ? 0 : index) }, into)).toThrow()
    expect(() => rotated.decryptMany({ bytes: bytes.subarray(1), each, contextOf }, into)).toThrow('of one length')
    for (let at = 0; at < each; at++) {
      const altered = Buffer.from(bytes)
      altered.writeUInt8(altered.readUInt8(599 * each + at) ^ 1, 599 * each + at)
      expect(() =>
        secrets.decryptMany({ bytes: altered.subarray(551 * each), each, contextOf: (index) => contextOf(551 + index) }, into),
      ).toThrow()
    }
  })

  test('has a fingerprint that is stable and differs by purpose and key', () => {
    const [own] = secrets.fingerprints(plain, 'p')
    expect(own.equals(secrets.fingerprints(plain, 'p')[0])).toBe(true)
    expect(own.equals(secrets.fingerprints(plain, 'q')[0])).toBe(false)
    expect(own.equals(createSecrets({ secretKey: 'another' }).fingerprints(plain, 'p')[0])).toBe(false)
  })
})
