/** The check of a member's own share of the liabilities: the first failed step is named. */
import { describe, expect, test } from 'vitest'
import { compare, concat, toBase64, toHex, u64 } from '../src/bytes.ts'
import { canonicalBytes, type Json } from '../src/canonical.ts'
import { joinParts, partId, partNode } from '../src/liabilities.ts'
import { consistencyProof, inclusionPath, leafHash, rootOf, splitOf } from '../src/merkle.ts'
import { verifierKeyOf } from '../src/note.ts'
import { checkOwed, type OwedInput, type OwedStep } from '../src/own-parts.ts'
import { sha256 } from '../src/sha256.ts'
import { memorySource } from '../src/sources.ts'
import { makeBooks } from './books-maker.ts'
import { checkpointOf, closeRecord, DAY, LOG, memberKey, openRecord, ticketsOf, utf } from './site-maker.ts'

const MINE = [450, 1, 4999, 250, 300] as const
const HELD = 1300
const OWN = MINE.reduce((sum, amount) => sum + amount, 0)
const key = memberKey(7)
type Part = { readonly id: Uint8Array; readonly amount: number; readonly j?: number }
const others: Part[] = Array.from({ length: 29 }, (_, n) => ({ id: partId(memberKey(n % 5), DAY, n), amount: 100 + n }))
const parts: Part[] = [...others, ...MINE.map((amount, j) => ({ id: partId(key, DAY, j), amount, j }))].toSorted((a, b) =>
  compare(a.id, b.id),
)
const nodes = parts.map(({ id, amount }) => partNode(id, amount))
const positionOf = (j: number): number => parts.findIndex((part) => part.j === j)

function treeOf(from: number, to: number): Uint8Array {
  const middle = from + splitOf(to - from)
  return to - from === 1 ? (nodes[from] as Uint8Array) : joinParts(treeOf(from, middle), treeOf(middle, to))
}
function proofOf(positions: readonly number[], from = 0, to = parts.length): Uint8Array {
  if (!positions.some((one) => one >= from && one < to)) return treeOf(from, to)
  if (to - from === 1) return new Uint8Array()
  const middle = from + splitOf(to - from)
  return concat(proofOf(positions, from, middle), proofOf(positions, middle, to))
}

const top = treeOf(0, parts.length)
const total = parts.reduce((sum, { amount }) => sum + amount, 0)
const liabilities = { count: parts.length, root: toHex(top.slice(0, 32)), total }
const plan = { day: DAY, tickets: ticketsOf(12, DAY) }
const open = openRecord(plan)
const bytes = canonicalBytes({ ...makeBooks({ day: DAY, entries: 12, members: 9, before: undefined, settled: undefined }), liabilities })
const bookRecord = { books: toHex(sha256(bytes)), day: DAY, kind: 'books', v: 1 } as const
const lines = [open, closeRecord(plan, open), bookRecord, openRecord({ day: '2026-08-03' })].map((record) => canonicalBytes(record as Json))
const leaves = lines.map(leafHash)
const growth = canonicalBytes({ from: 2, path: consistencyProof(leaves, 2).map(toHex), to: 4 })
const checkpoint = checkpointOf(lines, LOG, () => [])
const files = new Map([
  [`books/${DAY}`, bytes],
  ['log/consistency?from=2&to=4', growth],
  ['log/checkpoint', utf(checkpoint)],
  ['log/entries/0', concat(...lines.flatMap((line) => [line, utf('\n')]))],
])
const figures = { balance: OWN - HELD, day: DAY, held: HELD, ...liabilities }
const proof = { books: { index: 2, path: inclusionPath(leaves, 2).map(toHex), record: bookRecord }, checkpoint }

type Answer = typeof figures & {
  next: number | null
  nodes: string
  parts: { amount: number; position: number }[]
  proof: typeof proof | null
}
const pageOf = (from: number, to: number): Answer => {
  const shown = MINE.slice(from, to).map((amount, n) => ({ amount, position: positionOf(from + n) }))
  const next = to < MINE.length ? to : null
  return { ...figures, next, nodes: toBase64(proofOf(shown.map(({ position }) => position))), parts: shown, proof }
}
const answer = pageOf(0, 5)
const input: OwedInput = {
  day: DAY,
  ticketKey: key,
  pages: [answer],
  logKey: verifierKeyOf(LOG),
  kept: { origin: LOG.name, size: 2, root: rootOf(leaves.slice(0, 2)) },
  source: memorySource(files),
  seen: { balance: OWN - HELD, heldAtLeast: 1000 },
}
const check = (change: Partial<OwedInput> = {}) => checkOwed({ ...input, ...change })
const without = (path: string, by?: Uint8Array) =>
  memorySource(new Map([...files].flatMap(([name, file]) => (name === path ? (by ? [[name, by] as const] : []) : [[name, file] as const]))))

test('a member’s money is traced from the parts to the signed log, in one answer or several', async () => {
  const owed = { state: 'owed', parts: 5, balance: OWN - HELD, held: HELD, keep: { size: 4 } }
  expect(await check()).toMatchObject(owed)
  expect(await check({ pages: [pageOf(0, 2), pageOf(2, 4), pageOf(4, 5)] })).toMatchObject(owed)
  expect(await check({ pages: [pageOf(0, 1), pageOf(1, 5)], kept: undefined as never, seen: {} })).toMatchObject(owed)
  expect(JSON.stringify(pageOf(0, 2)).length).toBeLessThan(5000)
})

test('a member with no money gets that result from books in the log', async () => {
  const nothing = { ...answer, balance: 0, held: 0, parts: [], nodes: '', next: null }
  expect(await check({ pages: [nothing], seen: { balance: 0 } })).toMatchObject({ state: 'owed', parts: 0, balance: 0 })
  expect(await check({ pages: [nothing], seen: { balance: 4700 } })).toMatchObject({ state: 'wrong', step: 'view' })
})

test('books without a proof are waiting, unless the public log has them', async () => {
  const unproven = { pages: [{ ...answer, proof: null }] }
  const early = utf(checkpointOf(lines.slice(0, 2), LOG, () => []))
  expect(await check({ ...unproven, source: without('log/checkpoint', early) })).toMatchObject({ state: 'waiting', parts: 5 })
  expect(await check({ ...unproven, source: without('log/checkpoint') })).toMatchObject({ state: 'waiting' })
  expect(await check(unproven)).toMatchObject({ state: 'wrong', step: 'log' })
})

test('the log is searched backwards until the books of the day are found or passed', async () => {
  const opened = lines[3] as Uint8Array
  const booksOf = (day: string): Uint8Array => canonicalBytes({ ...bookRecord, day })
  /** `at`: index of the books among 700 records, 256 per file. */
  const look = async (at: number, day: string) => {
    const log = Array.from({ length: 700 }, (_, n) => (n === at ? booksOf(day) : n > at && n % 100 === 0 ? booksOf('2026-08-09') : opened))
    const asked: string[] = []
    const cut = [0, 1, 2].map((n) => concat(...log.slice(n * 256, (n + 1) * 256).flatMap((line) => [line, utf('\n')])))
    const source = memorySource(
      new Map([['log/checkpoint', utf(checkpointOf(log, LOG, () => []))], ...cut.map((file, n) => [`log/entries/${n}`, file] as const)]),
    )
    const open = (path: string) => {
      if (path.startsWith('log/entries/')) asked.push(path.slice(-1))
      return source.open(path)
    }
    const { state } = await check({ pages: [{ ...answer, proof: null }], source: { ...source, open } })
    return { state, asked: asked.join('') }
  }
  expect(await look(3, DAY)).toEqual({ state: 'wrong', asked: '210' })
  expect(await look(300, DAY)).toEqual({ state: 'wrong', asked: '21' })
  expect(await look(300, '2026-08-01')).toEqual({ state: 'waiting', asked: '21' })
  expect(await look(3, '2026-08-03')).toEqual({ state: 'waiting', asked: '210' })
})

describe('the failed step is named', () => {
  const wrong = async (step: OwedStep, change: Partial<OwedInput>): Promise<void> =>
    expect(await check(change)).toMatchObject({ state: 'wrong', step })
  const page = (change: object): Partial<OwedInput> => ({ pages: [{ ...answer, ...change }] })
  const part = (at: number, change: object) => page({ parts: answer.parts.map((one, n) => (n === at ? { ...one, ...change } : one)) })

  test('answer: malformed, of another day, or with a gap between parts', async () => {
    for (const odd of [undefined, null, {}, { ...answer, more: 1 }, { ...answer, nodes: 7 }]) await wrong('answer', { pages: [odd] })
    await wrong('answer', { pages: [] })
    await wrong('answer', { day: '2026-08-03' })
    await wrong('answer', { pages: [pageOf(0, 2)] })
    await wrong('parts', { pages: [pageOf(0, 2), pageOf(4, 5)] })
    await wrong('answer', { pages: [pageOf(0, 2), { ...pageOf(2, 5), balance: 1 }] })
  })

  test('parts: another member’s, of another amount, repeated, or with a proof hash changed, lost or added', async () => {
    await wrong('parts', { ticketKey: memberKey(8) })
    await wrong('parts', part(0, { amount: 451 }))
    await wrong('parts', part(0, { amount: 5001 }))
    await wrong('parts', part(0, { position: answer.parts[1]?.position }))
    await wrong('parts', part(0, { position: parts.length }))
    const raw = proofOf(answer.parts.map(({ position }) => position))
    for (const at of [0, 35, raw.length - 1]) {
      const changed = raw.slice()
      changed[at] = (changed[at] ?? 0) ^ 1
      await wrong('parts', page({ nodes: toBase64(changed) }))
    }
    await wrong('parts', page({ nodes: toBase64(raw.slice(40)) }))
    await wrong('parts', page({ nodes: toBase64(concat(raw, raw.slice(0, 40))) }))
    await wrong('parts', page({ nodes: toBase64(concat(raw.slice(0, 32), u64(2n ** 60n), raw.slice(40))) }))
    await wrong('parts', page({ total: total + 1 }))
    await wrong('parts', page({ nodes: 'AA' }))
  })

  test('books: not published, not those of the record, with another total, or of another day', async () => {
    await wrong('books', { source: without(`books/${DAY}`) })
    await wrong('books', {
      source: without(`books/${DAY}`, canonicalBytes({ ...JSON.parse(new TextDecoder().decode(bytes)), v: 1, day: '2026-08-03' })),
    })
    const other = { ...proof, books: { ...proof.books, record: { ...bookRecord, day: '2026-08-03' } } }
    await wrong('books', page({ proof: other }))
    for (const odd of ['null', '7', '[]', '{}', '{"liabilities":1}', '{']) {
      const record = { ...bookRecord, books: toHex(sha256(utf(odd))) }
      await wrong('books', {
        ...page({ proof: { ...proof, books: { ...proof.books, record } } }),
        source: without(`books/${DAY}`, utf(odd)),
      })
    }
    // Parts of a tree whose root is not in the published books.
    const elsewhere = canonicalBytes({ ...JSON.parse(new TextDecoder().decode(bytes)), liabilities: { ...liabilities, total: total + 1 } })
    const logged = { ...bookRecord, books: toHex(sha256(elsewhere)) }
    await wrong('books', {
      ...page({ proof: { ...proof, books: { ...proof.books, record: logged } } }),
      source: without(`books/${DAY}`, elsewhere),
    })
  })

  test('log: record not included, or checkpoint by another key; growth: rewritten or shorter', async () => {
    await wrong('log', page({ proof: { ...proof, books: { ...proof.books, index: 1 } } }))
    await wrong('log', { logKey: verifierKeyOf({ ...LOG, secret: memberKey(1) }) })
    await wrong('log', page({ proof: { ...proof, checkpoint: 'nonsense' } }))
    await wrong('growth', { kept: { origin: LOG.name, size: 2, root: leaves[0] as Uint8Array } })
    await wrong('growth', { kept: { origin: LOG.name, size: 5, root: leaves[0] as Uint8Array } })
    const ofOthers = canonicalBytes({ from: 1, path: consistencyProof(leaves, 2).map(toHex), to: 4 })
    await wrong('log', { source: without('log/consistency?from=2&to=4', ofOthers) })
    await expect(check({ source: without('log/consistency?from=2&to=4') })).rejects.toThrow('computes no consistency proofs')
  })

  test('sum: parts below the balance; view: another balance than the transactions give, or too little on hold', async () => {
    await wrong('sum', page({ balance: OWN }))
    await wrong('sum', { pages: [{ ...pageOf(0, 4), next: null }] })
    await wrong('view', { seen: { balance: OWN } })
    await wrong('view', { seen: { heldAtLeast: HELD + 1 } })
  })
})
