/** Tests drand with honest, lying and silent relays, and checks signatures of recorded rounds of quicknet. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { infoOf, makeChain, type RelayMode, startRelay, type TestRelay } from '../../testing/beacon-relay.ts'
import { chainHashOf, isRoundSignature, parseChain, QUICKNET } from './chain.ts'
import { createDrand } from './drand.ts'
import { roundTimeMs } from './port.ts'

describe('recorded rounds of quicknet', () => {
  type Recorded = { readonly chain: object; readonly rounds: { round: number; randomness: string; signature: string }[] }
  const text = readFileSync(new URL('../../../../spec/vectors/drand-quicknet.json', import.meta.url), 'utf8')
  const { chain, rounds } = JSON.parse(text) as Recorded

  test('belong to the chain that production uses', () => {
    expect(parseChain(JSON.stringify(chain))).toEqual(QUICKNET)
    expect(chainHashOf(QUICKNET)).toBe(QUICKNET.chainHash)
  })

  test('are valid, and invalid for another round, cut, or with one bit changed', () => {
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

test('a chain is refused if its hash or scheme does not match or its text is not a chain', () => {
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
      one.mode = 'good'
      one.asked.length = 0
    }
  })

  test('give a round’s signature, and the second relay is not asked if the first has it', async () => {
    expect(await drand().getSignature(chain, newest)).toEqual(made.sign(newest))
    expect(relay(A).asked).toEqual([`/${chain.chainHash}/public/${newest}`])
    expect(relay(B).asked).toEqual([])
  })

  test.each(['wrong signature', 'wrong round', 'wrong chain', 'no json', 'too much', 'silent', 'down'] satisfies RelayMode[])(
    'if the first relay has mode %s the second is used, and if both have it there is no signature',
    async (mode) => {
      relay(A).mode = mode
      expect(await drand().getSignature(chain, newest)).toEqual(made.sign(newest))
      expect(warnings).toHaveLength(1)
      relay(B).mode = mode
      expect(await drand().getSignature(chain, newest)).toBeUndefined()
      // With "wrong round" a relay sends an older round with its own signature: a valid answer to "latest".
      if (mode !== 'wrong round') expect(await drand().getNewestRound(chain)).toBeUndefined()
    },
  )

  test('do not have a future round, which causes no warning', async () => {
    expect(await drand().getSignature(chain, newest + 1)).toBeUndefined()
    expect(warnings).toEqual([])
  })

  test('distinguish a round that nobody has, a round that is withheld, and silence', async () => {
    const behind = newest + 1
    expect(await drand().askForLater(chain, newest)).toBe('later')
    expect(await drand().askForLater(chain, behind)).toBe('missing')
    for (const [mode, word] of [
      ['none', 'missing'],
      ['withholds', 'later'],
      ['down', 'silent'],
      ['wrong signature', 'silent'],
    ] as const) {
      for (const one of relays) one.mode = mode
      expect(await drand().askForLater(chain, newest), mode).toBe(word)
    }
    // One relay that answers is enough.
    relay(A).mode = 'none'
    expect(await drand().askForLater(chain, newest)).toBe('missing')
  })

  test('are all asked for the newest round, so a relay that is behind does not decide', async () => {
    const behind = await startRelay(made, () => NOW_MS - 3_600_000)
    const both = createDrand({ relays: [behind.url, relay(A).url] })
    expect(await both.getNewestRound(chain)).toBe(newest)
    expect(roundTimeMs(chain, newest)).toBeLessThanOrEqual(NOW_MS)
    expect(roundTimeMs(chain, newest + 1)).toBeGreaterThan(NOW_MS)
    await behind.close()
  })
})
