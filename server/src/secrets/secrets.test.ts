import { describe, expect, test } from 'vitest'
import { createSecrets } from './secrets.ts'

const plain = Buffer.from('a ticket key or an account number')

describe('a sealed value', () => {
  const secrets = createSecrets({ secretKey: 'the present key' })

  test('opens with its own context and with no other', () => {
    const sealed = secrets.seal(plain, 'ticket_key:1001')
    expect(secrets.open(sealed, 'ticket_key:1001').equals(plain)).toBe(true)
    expect(() => secrets.open(sealed, 'ticket_key:1002')).toThrow()
    expect(sealed.includes(plain)).toBe(false)
  })

  test('differs from a second sealing of the same plain text', () => {
    expect(secrets.seal(plain, 'x').equals(secrets.seal(plain, 'x'))).toBe(false)
  })

  test('does not open after any byte was changed or cut off', () => {
    const sealed = secrets.seal(plain, 'x')
    for (let at = 0; at < sealed.length; at++) {
      const altered = Buffer.from(sealed)
      altered[at] = (altered[at] as number) ^ 1
      expect(() => secrets.open(altered, 'x')).toThrow()
      expect(() => secrets.open(sealed.subarray(0, at), 'x')).toThrow()
    }
  })

  test('opens after a rotation of SECRET_KEY while SECRET_KEY_OLD is set', () => {
    const sealed = secrets.seal(plain, 'x')
    const rotated = createSecrets({ secretKey: 'the next key', secretKeyOld: 'the present key' })
    expect(rotated.open(sealed, 'x').equals(plain)).toBe(true)
    expect(() => secrets.open(rotated.seal(plain, 'x'), 'x')).toThrow('neither SECRET_KEY nor SECRET_KEY_OLD')
    expect(rotated.fingerprints(plain, 'p')[1]?.equals(secrets.fingerprints(plain, 'p')[0])).toBe(true)
  })

  test('opens on every server at each step of a rotation in two rounds, and in one round it would not', () => {
    const [present, next] = ['the present key', 'the next key']
    const before = createSecrets({ secretKey: present })
    const first = createSecrets({ secretKey: present, secretKeyOld: next })
    const second = createSecrets({ secretKey: next, secretKeyOld: present })
    for (const [one, other] of [
      [before, first],
      [first, second],
    ] as const) {
      expect(one.open(other.seal(plain, 'x'), 'x').equals(plain)).toBe(true)
      expect(other.open(one.seal(plain, 'x'), 'x').equals(plain)).toBe(true)
    }
    expect(() => before.open(second.seal(plain, 'x'), 'x')).toThrow('neither SECRET_KEY nor SECRET_KEY_OLD')
  })

  test('opens with openMany exactly when it opens with open, under either of two keys', () => {
    const rotated = createSecrets({ secretKey: 'the next key', secretKeyOld: 'the present key' })
    const contextOf = (index: number): string => `ticket_key:${index}`
    const plains = Array.from({ length: 600 }, (_, index) => Buffer.alloc(32, index))
    // Runs of values under each key, and a run of one key at the end.
    const values = plains.map((each, index) => (index % 7 < 3 || index > 550 ? secrets : rotated).seal(each, contextOf(index)))
    const [bytes, each] = [Buffer.concat(values), (values[0] as Buffer).length]
    const into = Buffer.alloc(600 * 32)
    rotated.openMany({ bytes, each, contextOf }, into)
    expect(into.equals(Buffer.concat(plains))).toBe(true)
    expect(() => secrets.openMany({ bytes, each, contextOf }, into)).toThrow('neither SECRET_KEY nor SECRET_KEY_OLD')
    for (const moved of [1, 4, 599])
      expect(() => rotated.openMany({ bytes, each, contextOf: (index) => contextOf(index === moved ? 0 : index) }, into)).toThrow()
    expect(() => rotated.openMany({ bytes: bytes.subarray(1), each, contextOf }, into)).toThrow('of one length')
    for (let at = 0; at < each; at++) {
      const altered = Buffer.from(bytes)
      altered.writeUInt8(altered.readUInt8(599 * each + at) ^ 1, 599 * each + at)
      expect(() =>
        secrets.openMany({ bytes: altered.subarray(551 * each), each, contextOf: (index) => contextOf(551 + index) }, into),
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
