/** What the server takes of witnesses is what every verifier takes: each vector, and the calls that use them. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isSoundKey, isStrictSignature } from './ed25519.ts'
import { parseWitnessKey, witnessKeyText } from './note.ts'

type Signed = { readonly public: string; readonly message: string; readonly signature: string; readonly why?: string }
const { valid, invalid, smallOrder } = JSON.parse(readFileSync(new URL('../../../spec/vectors/ed25519.json', import.meta.url), 'utf8')) as {
  readonly valid: readonly Signed[]
  readonly invalid: readonly Signed[]
  readonly smallOrder: readonly string[]
}

const raw = (hex: string): Buffer => Buffer.from(hex, 'hex')
const holds = (one: Signed): boolean => isStrictSignature(raw(one.signature), raw(one.message), raw(one.public))

test('Ed25519 in the one form of the protocol', () => {
  expect(valid.map(holds)).toEqual(valid.map(() => true))
  expect(invalid.filter(holds).map(({ why }) => why)).toEqual([])
  expect(invalid.length).toBeGreaterThan(50)
})

test('a key that signs whatever is wanted is none, in any form of it', () => {
  expect(smallOrder).toHaveLength(8)
  for (const point of smallOrder) {
    expect(isSoundKey(raw(point))).toBe(false)
    expect(parseWitnessKey(witnessKeyText('w.example', raw(point)))).toBeUndefined()
  }
  const [one] = valid
  expect(parseWitnessKey(witnessKeyText('w.example', raw(one?.public ?? '')))).toMatchObject({ name: 'w.example' })
})
