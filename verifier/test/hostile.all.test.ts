/**
 * Hostile and broken files.
 * - A false file fails its step; a file that breaks off makes the day incomplete.
 * - Endless, huge or deeply nested files end in bounded time and memory.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isBeaconSignature } from '../src/beacon.ts'
import { type Books, checkBalance } from '../src/books.ts'
import { ascii, concat, fromHex, toHex, u64 } from '../src/bytes.ts'
import { parseCanonical } from '../src/canonical.ts'
import { shiftDay } from '../src/day.ts'
import { linesOf } from '../src/log.ts'
import { leafHash, rootOf, rootsAt } from '../src/merkle.ts'
import { readCheckpoints, verifierKeyOf } from '../src/note.ts'
import { memorySource, readFile, type Source, type Stream, UnavailableError, urlSource } from '../src/sources.ts'
import type { StepName } from '../src/steps.ts'
import { type Report, verifyDay } from '../src/verify.ts'
import { makeBooks } from './books-maker.ts'
import { siteFiles } from './kit.ts'
import { BEACON, checkpointOf, DAY, DAY_BEFORE, LOG, makeSite, NEXT_LOG, receiptFor, ticketsOf, utf } from './site-maker.ts'

const options = { logKey: verifierKeyOf(LOG), chainHash: BEACON.draw.chainHash }
const stateOf = ({ steps }: Report, name: StepName): string | undefined => steps.find(({ step }) => step === name)?.state

async function* repeated(piece: Uint8Array, times = Number.POSITIVE_INFINITY): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < times; i += 1) yield piece
}
/** The files, with one of them replaced by a stream. */
const withStream = (files: ReadonlyMap<string, Uint8Array>, path: string, stream: () => Stream): Source => {
  const plain = memorySource(files)
  return { isLive: false, open: async (name) => (name === path ? stream() : plain.open(name)) }
}

test('a file in 300,000 pieces is read completely', async () => {
  const source = withStream(new Map(), 'log/key', () => ({ bytes: undefined, pieces: repeated(Uint8Array.of(7), 300_000) }))
  expect((await readFile(source, 'log/key'))?.length).toBe(300_000)
})

test('an endless list is abandoned when it exceeds the sealed or counted size', async () => {
  const files = makeSite()
  for (const [path, step] of [
    [`draws/${DAY}/tickets`, 'entries-root'],
    [`liabilities/${DAY}`, 'liabilities-total'],
  ] as const) {
    let last = 0n
    async function* ascending(): AsyncGenerator<Uint8Array> {
      for (;;) yield path.startsWith('draws') ? concat(u64(++last), new Uint8Array(24)) : concat(u64(++last), new Uint8Array(24), u64(5))
    }
    const report = await verifyDay(
      withStream(files, path, () => ({ bytes: undefined, pieces: ascending() })),
      DAY,
      options,
    )
    expect([path, stateOf(report, step)]).toEqual([path, 'fail'])
  }
})

test('a receipt is not reported missing from a list that was not read to its end', async () => {
  const tickets = ticketsOf(7, DAY)
  const receipt = receiptFor(tickets[6] as Uint8Array, tickets, DAY)
  const made = (): AsyncGenerator<Uint8Array> => repeated(new Uint8Array(32), 9)
  const source = withStream(makeSite(), `draws/${DAY}/tickets`, () => ({ bytes: undefined, pieces: made() }))
  const report = await verifyDay(source, DAY, { ...options, receipt })
  expect([stateOf(report, 'entries-root'), stateOf(report, 'receipt')]).toEqual(['fail', 'incomplete'])
})

test('a receipt of another day is incomplete, not a failure', async () => {
  const tickets = ticketsOf(5, DAY_BEFORE)
  const receipt = receiptFor(tickets[0] as Uint8Array, tickets, DAY_BEFORE)
  const report = await verifyDay(memorySource(makeSite()), DAY, { ...options, receipt })
  expect([report.verdict, stateOf(report, 'receipt')]).toEqual(['INCOMPLETE', 'incomplete'])
})

test('a list that breaks off on a day without entries makes the day incomplete', async () => {
  const [path] = [...siteFiles].find(([name, bytes]) => name.startsWith('draws/') && toText(bytes).includes('"reason":"empty"')) ?? []
  const day = path?.slice(-10) ?? ''
  const broken: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new UnavailableError('it broke off')) }),
  }
  const source = withStream(siteFiles, `draws/${day}/tickets`, () => ({ bytes: undefined, pieces: broken }))
  const report = await verifyDay(source, day)
  expect([report.verdict, stateOf(report, 'files')]).toEqual(['INCOMPLETE', 'incomplete'])
})
const toText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

test('a local draw is weak even with cosignatures', async () => {
  const files = makeSite({ open: (record) => void (record.draw = { mode: 'local', chainHash: '00'.repeat(32) }) })
  const path = `draws/${DAY}`
  files.set(path, ascii(toText(files.get(path) as Uint8Array).replace('"assurance":"sealed"', '"assurance":"weak"')))
  expect(stateOf(await verifyDay(memorySource(files), DAY, options), 'sealed-in-time')).toBe('weak')
})

test('a round that was closed without entries fails', async () => {
  const report = await verifyDay(memorySource(makeSite({}, BEACON, () => [])), DAY, options)
  expect([report.verdict, stateOf(report, 'log-order')]).toEqual(['FAIL', 'fail'])
})

test('a running day whose file and checkpoint differ in age is incomplete, not a failure', async () => {
  const files = makeSite()
  const lines = toText(files.get('log/entries/0') as Uint8Array)
    .trimEnd()
    .split('\n')
    .map(ascii)
  files.set('log/checkpoint', utf(checkpointOf(lines.slice(0, 8), NEXT_LOG, () => [])))
  const ahead = await verifyDay(memorySource(files), DAY, options)
  expect([ahead.verdict, stateOf(ahead, 'log-inclusion')]).toEqual(['INCOMPLETE', 'pass'])
  files.set('log/checkpoint', utf(checkpointOf(lines.slice(0, 7), NEXT_LOG, () => [])))
  const behind = await verifyDay(memorySource(files), DAY, options)
  expect([behind.verdict, stateOf(behind, 'log-signature'), stateOf(behind, 'log-consistency')]).toEqual([
    'INCOMPLETE',
    'incomplete',
    'incomplete',
  ])
})

test('books of 120,000 pools are checked without comparing each account with each flow', () => {
  const plain = makeBooks({ day: DAY, entries: 0, members: 1, before: undefined, settled: undefined })
  const pools = Array.from({ length: 120_000 }, (_, i) => `POOL:${shiftDay('2030-01-01', i)}`)
  const books: Books = {
    ...plain,
    flows: [...plain.flows, ...pools.map((from) => ({ kind: 'need', from, to: 'HELP_FUND', paise: 1 }))],
    accounts: [
      ...plain.accounts.map((one) =>
        one.account === 'HELP_FUND' ? { ...one, in: one.in + 120_000, closing: one.closing + 120_000 } : one,
      ),
      ...pools.map((account) => ({ account, closing: 0, in: 0, opening: 1, out: 1 })),
    ],
  }
  expect(() =>
    checkBalance(books, () => ({ open: undefined, close: undefined, result: undefined, void: undefined, books: undefined })),
  ).toThrow('the closings add up to 120000 paise')
})

test('a file with too many records is refused, and a file of notes is read line by line', () => {
  expect(linesOf(new Uint8Array(256).fill(10), 'it')).toHaveLength(256)
  expect(() => linesOf(new Uint8Array(257).fill(10), 'it')).toThrow('more than 256')
  const [note] = readCheckpoints(utf(checkpointOf([ascii('x')], LOG, () => [])))
  const lines = utf(`${note?.note.text}\n${'\u2014 a AAAAAAA=\n'.repeat(250_000)}`)
  expect(readCheckpoints(lines)[0]?.note.signatures).toHaveLength(250_000)
})

test('JSON nested deeper than any form is refused, so later recursion cannot overflow the stack', () => {
  const nested = (depth: number): Uint8Array => ascii('['.repeat(depth) + ']'.repeat(depth))
  expect(() => parseCanonical(nested(30), 'it')).not.toThrow()
  for (const depth of [40, 400, 1500, 4000]) expect(() => parseCanonical(nested(depth), 'it')).toThrow('it is ')
})

test('a file of empty lists is refused before it exhausts memory', () => {
  const lists = new Uint8Array(64 * 2 ** 20).fill(0x2c)
  expect(() => parseCanonical(lists, 'it')).toThrow('more values than any such file')
})

test('terms that differ from those of the day before are reported', async () => {
  const changed = await verifyDay(memorySource(makeSite({ open: ({ split }) => Object.assign(split, { winners: 1 }) })), DAY, options)
  expect([changed.verdict, changed.remarks]).toEqual(['PASS', ['split changed since the day before: compare the two open records']])
  expect((await verifyDay(memorySource(makeSite()), DAY, options)).remarks).toEqual([])
})

test('roots of many sizes in one pass equal the root of each size', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 70 })), fc.integer({ min: 0, max: 70 }), (sizes, count) => {
      const leaves = Array.from({ length: count }, (_, i) => leafHash(u64(i)))
      const roots = rootsAt(leaves, new Set(sizes))
      for (const size of sizes) {
        const expected = size <= count ? toHex(rootOf(leaves.slice(0, size))) : undefined
        expect(roots.get(size) === undefined ? undefined : toHex(roots.get(size) as Uint8Array)).toBe(expected)
      }
    }),
  )
})

test('a beacon’s signature with a second encoding is refused, because its hash would differ', () => {
  const order = 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn
  const others = Array.from({ length: 24 }, (_, round) => {
    const signature = BEACON.sign(round + 1)
    const [flags, x] = [Number.parseInt(signature.slice(0, 1), 16) & 0xe, BigInt(`0x${signature}`) % (1n << 381n)]
    expect(isBeaconSignature(signature, round + 1, BEACON.draw.publicKey)).toBe(true)
    if (x + order >= 1n << 381n) return undefined
    const other = toHex(fromHex((x + order).toString(16).padStart(96, '0')))
    const marked = (Number.parseInt(other.slice(0, 1), 16) | flags).toString(16) + other.slice(1)
    expect(isBeaconSignature(marked, round + 1, BEACON.draw.publicKey)).toBe(false)
    return marked
  })
  expect(others.some((one) => one !== undefined)).toBe(true)
})

test('a site that drips its bytes times out', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200)
    const dripping = setInterval(() => response.write('x'), 20)
    response.on('close', () => clearInterval(dripping))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const source = urlSource(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 500)
  await expect(readFile(source, 'log/checkpoint')).rejects.toThrow(/only \d+ bytes came|nothing came/)
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})
