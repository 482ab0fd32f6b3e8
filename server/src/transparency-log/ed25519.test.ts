/** The server accepts exactly the keys and signatures of witnesses that every verifier accepts, by spec/vectors/ed25519.json. */
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

test('every valid Ed25519 vector is accepted and every invalid one is refused', () => {
  expect(valid.map(holds)).toEqual(valid.map(() => true))
  expect(invalid.filter(holds).map(({ why }) => why)).toEqual([])
  expect(invalid.length).toBeGreaterThan(50)
})

test('a key of small order is refused, also inside the verifier key of a witness', () => {
  expect(smallOrder).toHaveLength(8)
  for (const point of smallOrder) {
    expect(isSoundKey(raw(point))).toBe(false)
    expect(parseWitnessKey(witnessKeyText('w.example', raw(point)))).toBeUndefined()
  }
  const [one] = valid
  expect(parseWitnessKey(witnessKeyText('w.example', raw(one?.public ?? '')))).toMatchObject({ name: 'w.example' })
})
