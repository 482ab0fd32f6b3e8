/**
 * Decoders and sources.
 *
 * - Each value has exactly one accepted encoding.
 * - A failed read never counts as a missing or complete file.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ascii, concat, fromBase64, fromHex, toBase64, toHex } from '../src/bytes.ts'
import { canonicalBytes, day, type Json, parseCanonical, readCanonical, record, whole } from '../src/canonical.ts'
import { folderSource } from '../src/folder.ts'
import { memorySource, readFile, type Source, urlSource, wholeEntries } from '../src/sources.ts'
import { verifyDay } from '../src/verify.ts'
import { site, siteFiles } from './kit.ts'

const isRefused = (text: string): boolean => {
  try {
    parseCanonical(new TextEncoder().encode(text), 'it')
    return false
  } catch {
    return true
  }
}

test('JSON that is not canonical is refused', () => {
  expect(['{}', '[]', '{"a":1,"b":"x"}', '9007199254740991', '-1', '""'].filter(isRefused)).toEqual([])
  const layout = ['', ' {}', '{}\n', '\ufeff{}', '{"b":1,"a":2}', '{"a":1,"a":1}', '{"a": 1}', '{"a":1,}']
  const numbers = ['1.0', '1e3', '01', '-0', '1.5', '9007199254740992', 'true', 'null', '{"a":null}']
  const texts = ['"\\u0041"', '"é"', '"\\n"', '"\u007f"', "'a'"]
  const deep = ['['.repeat(200_000), '['.repeat(200_000) + ']'.repeat(200_000)]
  const odd = [layout, numbers, texts, deep].flat()
  expect(odd.filter((text) => !isRefused(text))).toEqual([])
})

test('a record with other keys, or a day that does not exist, is refused', () => {
  const shape = record({ a: whole, day })
  const read = (value: Json): unknown => readCanonical(canonicalBytes(value), shape, 'it')
  expect(read({ a: 1, day: '2028-02-29' })).toEqual({ a: 1, day: '2028-02-29' })
  const odd: Json[] = [
    { a: 1 },
    { a: 1, day: '2027-02-29' },
    { a: -1, day: '2028-02-29' },
    { a: 1, b: 1, day: '2028-02-29' },
    [],
    'x',
    { a: '1', day: '2028-02-29' },
  ]
  for (const value of odd) expect(() => read(value)).toThrow(/it/)
  expect(() => readCanonical(ascii('{"__proto__":1,"a":1,"day":"2028-02-29"}'), shape, 'it')).toThrow('unknown key')
})

test('hex and base64 accept one text for each value', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      expect([...fromHex(toHex(bytes))]).toEqual([...bytes])
      expect([...fromBase64(toBase64(bytes))]).toEqual([...bytes])
    }),
  )
  for (const text of ['A', 'AA', '0', 'AB', 'gg']) expect(() => fromHex(text)).toThrow('hex')
  for (const text of ['A', 'AA', 'AA=', 'AB==', 'A===', 'A-==', ' AAA', 'AAAA\n']) expect(() => fromBase64(text)).toThrow('base64')
})

test('pieces of any length are cut into whole entries, and an incomplete last entry is refused', async () => {
  const list = Uint8Array.from({ length: 40 * 9 }, (_, i) => i)
  async function* cut(sizes: readonly number[], bytes: Uint8Array): AsyncGenerator<Uint8Array> {
    let at = 0
    for (const size of sizes) {
      yield bytes.subarray(at, at + size)
      at += size
    }
    yield bytes.subarray(at)
  }
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 90 }), { maxLength: 12 }), async (sizes) => {
      const whole_: Uint8Array[] = []
      for await (const piece of wholeEntries({ bytes: undefined, pieces: cut(sizes, list) }, 40, 'it')) {
        expect(piece.length % 40).toBe(0)
        whole_.push(piece)
      }
      expect(toHex(concat(...whole_))).toBe(toHex(list))
    }),
    { numRuns: 50 },
  )
  const rest = async () => {
    for await (const piece of wholeEntries({ bytes: undefined, pieces: cut([50], list.subarray(0, 99)) }, 40, 'it'))
      expect(piece.length % 40).toBe(0)
  }
  await expect(rest()).rejects.toThrow('whole number of entries')
})

test('a site that answers errors or breaks off makes the day incomplete', async () => {
  let trouble: 'none' | 'error' | 'broken' = 'none'
  const server = createServer((request, response) => {
    const name = (request.url ?? '').slice(1)
    const bytes = siteFiles.get(name)
    if (bytes === undefined) return void response.writeHead(404).end('not here')
    if (trouble === 'none' || !name.endsWith('tickets')) return void response.writeHead(200).end(bytes)
    if (trouble === 'error') return void response.writeHead(500).end('sorry')
    response.writeHead(200, { 'content-length': bytes.length })
    response.write(bytes.subarray(0, 64), () => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const source = urlSource(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const verdicts: Record<string, unknown> = {}
  for (trouble of ['none', 'error', 'broken'] as const) {
    const { verdict, steps } = await verifyDay(source, '2026-07-23')
    verdicts[trouble] = [verdict, steps.filter(({ state }) => state === 'fail').map(({ step }) => step)]
  }
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  expect(verdicts).toEqual({ none: ['PASS', []], error: ['INCOMPLETE', []], broken: ['INCOMPLETE', []] })
  expect((await verifyDay(source, '2026-07-23')).verdict).toBe('INCOMPLETE')
})

test('a site that stalls during an answer times out', async () => {
  const server = createServer((_, response) => void response.writeHead(200, { 'content-length': 100 }).write('begun'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const source = urlSource(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 300)
  await expect(readFile(source, 'log/checkpoint')).rejects.toThrow('nothing came for 0.3 s')
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

test('a failure of a live site is checked again without caches after a wait', async () => {
  const day = '2026-07-23'
  const half = new Map(siteFiles).set('log/key', ascii(`${site.keys.first}\n`))
  const [between, after] = [memorySource(half), memorySource(siteFiles)]
  const happened: string[] = []
  const live = (later: Source): Source => ({ ...between, isLive: true, again: () => (happened.push('again'), later) })
  const options = { logKey: site.keys.first, settle: async () => void happened.push('settle') }
  expect((await verifyDay(between, day, options)).verdict).toBe('FAIL')
  expect((await verifyDay(live(after), day, options)).verdict).toBe('PASS')
  expect((await verifyDay(live(between), day, options)).verdict).toBe('FAIL')
  expect(happened).toEqual(['again', 'settle', 'again', 'settle'])
})

test('a JSON file on a static host is found by its ending when its path redirects to a folder; other files are not', async () => {
  const asked: string[] = []
  const host = createServer((request, response) => {
    asked.push(request.url ?? '')
    if (request.url === '/draws/2026-08-02') return void response.writeHead(301, { location: '/draws/2026-08-02/' }).end()
    if (request.url === '/') return void response.writeHead(200).end('<p>welcome</p>')
    if (request.url?.endsWith('/')) return void response.writeHead(403).end('no listing')
    // This host redirects a missing file to its home page.
    if (request.url?.startsWith('/books/2026-08-03')) return void response.writeHead(302, { location: '/' }).end()
    if (request.url?.endsWith('.json')) return void response.writeHead(200).end('{}')
    response.writeHead(404).end()
  })
  const source = urlSource(
    await new Promise<string>((resolve) =>
      host.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(host.address() as AddressInfo).port}/`)),
    ),
  )
  const had = async (name: string): Promise<boolean> => (await readFile(source, name)) !== undefined
  expect([await had('draws/2026-08-02'), await had('books/2026-08-02'), await had('books/2026-08-03')]).toEqual([true, true, false])
  asked.length = 0
  expect([await had('draws/2026-08-02/tickets'), await had('log/key'), asked.length]).toEqual([false, false, 2])
  host.close()
})

test('a web page in place of a file is no answer of the site: the day is incomplete, whatever the page says', async () => {
  let isPage = (_name: string): boolean => false
  const host = createServer((request, response) => {
    const name = (request.url ?? '').slice(1)
    if (isPage(name)) return void response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<h1>Free Wi-Fi</h1>')
    const bytes = siteFiles.get(name.replace(/\.json$/, ''))
    if (bytes === undefined) return void response.writeHead(404, { 'content-type': 'text/html' }).end('<p>not here</p>')
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(bytes)
  })
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
  const source = urlSource(`http://127.0.0.1:${(host.address() as AddressInfo).port}`)
  const look = async (of: typeof isPage) => {
    isPage = of
    const { verdict, steps } = await verifyDay(source, '2026-07-23', { settle: async () => undefined })
    const files = steps.find(({ step }) => step === 'files')?.words
    return [verdict, steps.filter(({ state }) => state === 'fail').map(({ step }) => step), files]
  }
  const whole = ['PASS', [], 'every file is there and readable']
  expect(await look(() => false)).toEqual(whole)
  for (const name of ['log/checkpoint', 'log/key', 'draws/2026-07-23', 'draws/2026-07-23/tickets', 'books/2026-07-23'])
    expect(await look((asked) => asked.replace(/\.json$/, '') === name), name).toEqual([
      'INCOMPLETE',
      [],
      `missing: ${name}: a web page came instead of the file; does this network ask for a login?`,
    ])
  // A host that has the file with its ending only, and answers every other path with its own page.
  expect(await look((asked) => /^(draws|books)\/[^/.]+$/.test(asked))).toEqual(whole)
  isPage = () => true
  await expect(readFile(source, 'log/checkpoint')).rejects.toThrow('log/checkpoint: a web page came instead of the file')
  host.closeAllConnections()
  await new Promise((resolve) => host.close(resolve))
})

test('a demo draw names one winner or several', async () => {
  const { steps } = await verifyDay(memorySource(siteFiles), '2026-07-22')
  const said = steps.filter(({ words }) => words.startsWith('Demo draw')).map(({ step, words }) => [step, words])
  const words = 'Demo draw — the operator could have chosen these winners'
  expect(said).toEqual([
    ['sealed-in-time', words],
    ['beacon-signature', words],
  ])
})

test('a folder serves its files, and a folder in place of a file counts as missing', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'roz-folder-'))
  mkdirSync(path.join(folder, 'draws/2026-07-23'), { recursive: true })
  writeFileSync(path.join(folder, 'draws/2026-07-23.json'), '{}')
  const source = folderSource(folder)
  expect(await readFile(source, 'draws/2026-07-23')).toEqual(ascii('{}'))
  expect(await readFile(source, 'draws')).toBeUndefined()
  expect(await readFile(source, 'log/key')).toBeUndefined()
  rmSync(folder, { recursive: true })
})

test('a file beyond the size limit is refused, so a site cannot exhaust memory', async () => {
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) yield new Uint8Array(1 << 22)
  }
  const source: Source = { isLive: false, open: async () => ({ bytes: undefined, pieces: endless() }) }
  await expect(readFile(source, 'log/key')).rejects.toThrow('longer than any such file')
})
