import { createCipheriv, createSecretKey, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createManyOpener } from './gcm.ts'

const key = createSecretKey(randomBytes(32))
const open = createManyOpener(key, { nonceAt: 0, tagAt: 12, bodyAt: 28 })

/** As the platform's own seals it. */
function seal(plain: Buffer, context: string): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
  const body = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body])
}

test('what the platform has sealed opens, whatever its length and its context', () => {
  for (let length = 0; length <= 66; length++) {
    const contexts = ['', 'a', 'sixteen bytes ok', 'सोलह से अधिक', 'x'.repeat(length * 3), `ticket_key:${length}`]
    const plains = contexts.map(() => randomBytes(length))
    const bytes = Buffer.concat(plains.map((plain, index) => seal(plain, contexts[index] as string)))
    const into = Buffer.alloc(length * plains.length)
    expect(open({ bytes, each: 28 + length, contextOf: (index) => contexts[index] as string }, into)).toBeUndefined()
    expect(into.equals(Buffer.concat(plains))).toBe(true)
  }
})

test('more than one portion of them opens, and the first that does not is named', () => {
  const plains = Array.from({ length: 1_300 }, () => randomBytes(32))
  const contextOf = (index: number): string => `ticket_key:${index + 1001}`
  const bytes = Buffer.concat(plains.map((plain, index) => seal(plain, contextOf(index))))
  const into = Buffer.alloc(32 * plains.length)
  expect(open({ bytes, each: 60, contextOf }, into)).toBeUndefined()
  expect(into.equals(Buffer.concat(plains))).toBe(true)
  expect(open({ bytes, each: 60, contextOf: (index) => contextOf(index === 700 || index === 900 ? index + 1 : index) }, into)).toBe(700)
})

test('nothing opens, nor is given out, after any bit of it was changed, or in another place', () => {
  const sealed = seal(randomBytes(32), 'here')
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const altered = Buffer.from(sealed)
    altered.writeUInt8(altered.readUInt8(bit >> 3) ^ (1 << (bit % 8)), bit >> 3)
    const into = Buffer.alloc(32)
    expect(open({ bytes: altered, each: sealed.length, contextOf: () => 'here' }, into)).toBe(0)
    expect(into.equals(Buffer.alloc(32))).toBe(true)
  }
  for (const context of ['', 'there', 'here\0', 'her'])
    expect(open({ bytes: sealed, each: sealed.length, contextOf: () => context }, Buffer.alloc(32))).toBe(0)
})
