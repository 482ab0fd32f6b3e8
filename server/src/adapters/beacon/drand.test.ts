/** drand by relays that tell the truth, lie, or are away; and the check itself against recorded rounds of quicknet. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { infoOf, makeChain, type RelayMood, startRelay, type TestRelay } from '../../testing/beacon-relay.ts'
import { chainHashOf, isRoundSignature, parseChain, QUICKNET } from './chain.ts'
import { createDrand } from './drand.ts'
import { roundTimeMs } from './port.ts'

describe('recorded rounds of quicknet', () => {
  type Recorded = { readonly chain: object; readonly rounds: { round: number; randomness: string; signature: string }[] }
  const text = readFileSync(new URL('../../../../spec/vectors/drand-quicknet.json', import.meta.url), 'utf8')
  const { chain, rounds } = JSON.parse(text) as Recorded

  test('belong to the chain that production is pinned to', () => {
    expect(parseChain(JSON.stringify(chain))).toEqual(QUICKNET)
    expect(chainHashOf(QUICKNET)).toBe(QUICKNET.chainHash)
  })

  test('are valid; of another round, or with one bit changed, they are not', () => {
    expect(rounds.length).toBeGreaterThan(5)
    for (const { round, signature } of rounds) expect(isRoundSignature(QUICKNET, round, Buffer.from(signature, 'hex'))).toBe(true)
    const [first] = rounds as [Recorded['rounds'][number]]
    const signature = Buffer.from(first.signature, 'hex')
    expect(isRoundSignature(QUICKNET, first.round + 1, signature)).toBe(false)
    expect(isRoundSignature(QUICKNET, first.round, signature.subarray(1))).toBe(false)
    signature[40] = (signature[40] as number) ^ 1
    expect(isRoundSignature(QUICKNET, first.round, signature)).toBe(false)
  })
})

test('a chain whose hash is not that of its parameters is refused, and so is what is no chain', () => {
  const { chain } = makeChain()
  expect(parseChain(infoOf(chain))).toEqual(chain)
  expect(parseChain(infoOf({ ...chain, period: 30 }))).toBeUndefined()
  expect(parseChain(infoOf({ ...chain, scheme: 'pedersen-bls-chained' }))).toBeUndefined()
  for (const text of ['', 'null', '[]', '{}', '{"hash":1}']) expect(parseChain(text)).toBeUndefined()
})

describe('relays', () => {
  const NOW_MS = Date.parse('2026-11-21T12:00:00Z')
  const made = makeChain()
  const { chain } = made
  const newest = Math.floor((NOW_MS / 1000 - chain.genesis) / chain.period) + 1
  const relays: TestRelay[] = []
  const warnings: object[] = []
  const [A, B] = [0, 1] as const
  const relay = (index: 0 | 1): TestRelay => relays[index] as TestRelay
  const drand = () => createDrand({ relays: relays.map(({ url }) => url), timeoutMs: 500, warn: (details) => void warnings.push(details) })

  beforeAll(async () => {
    relays.push(await startRelay(made, () => NOW_MS), await startRelay(made, () => NOW_MS))
  })
  afterAll(() => Promise.all(relays.map((one) => one.close())))
  beforeEach(() => {
    warnings.length = 0
    for (const one of relays) {
      one.mood = 'good'
      one.asked.length = 0
    }
  })

  test('answer a round’s signature; the second is not asked where the first has it', async () => {
    expect(await drand().getSignature(chain, newest)).toEqual(made.sign(newest))
    expect(relay(A).asked).toEqual([`/${chain.chainHash}/public/${newest}`])
    expect(relay(B).asked).toEqual([])
  })

  test.each(['wrong signature', 'wrong round', 'wrong chain', 'no json', 'too much', 'silent', 'down'] satisfies RelayMood[])(
    'with the first one %s, the next one’s word is taken; with both there is none',
    async (mood) => {
      relay(A).mood = mood
      expect(await drand().getSignature(chain, newest)).toEqual(made.sign(newest))
      expect(warnings).toHaveLength(1)
      relay(B).mood = mood
      expect(await drand().getSignature(chain, newest)).toBeUndefined()
      // An older round with its own signature is a true answer to what is newest, only behind.
      if (mood !== 'wrong round') expect(await drand().getNewestRound(chain)).toBeUndefined()
    },
  )

  test('have no round before its time, which is no fault of theirs', async () => {
    expect(await drand().getSignature(chain, newest + 1)).toBeUndefined()
    expect(warnings).toEqual([])
  })

  test('tell a round that none has from one that is withheld, and both from silence', async () => {
    const behind = newest + 1
    expect(await drand().askForLater(chain, newest)).toBe('later')
    expect(await drand().askForLater(chain, behind)).toBe('missing')
    for (const [mood, word] of [
      ['none', 'missing'],
      ['withholds', 'later'],
      ['down', 'silent'],
      ['wrong signature', 'silent'],
    ] as const) {
      for (const one of relays) one.mood = mood
      expect(await drand().askForLater(chain, newest), mood).toBe(word)
    }
    // One that answers is enough.
    relay(A).mood = 'none'
    expect(await drand().askForLater(chain, newest)).toBe('missing')
  })

  test('are all asked for the newest round, so that one which is behind does not pass for the truth', async () => {
    const behind = await startRelay(made, () => NOW_MS - 3_600_000)
    const both = createDrand({ relays: [behind.url, relay(A).url] })
    expect(await both.getNewestRound(chain)).toBe(newest)
    expect(roundTimeMs(chain, newest)).toBeLessThanOrEqual(NOW_MS)
    expect(roundTimeMs(chain, newest + 1)).toBeGreaterThan(NOW_MS)
    await behind.close()
  })
})
