/** Checks keys, checkpoints, receipts, books, liabilities and a whole site against spec/vectors. */
import { expect, test } from 'vitest'
import { ascii, concat, fromBase64, fromHex, toHex } from '../src/bytes.ts'
import { partId, partNode, sumParts } from '../src/liabilities.ts'
import { rootOfShown } from '../src/own-parts.ts'
import { consistencyProof, inclusionPath, isConsistent, isIncluded, leafHash, rootOf } from '../src/merkle.ts'
import {
  cosignedAt,
  isLogSignature,
  isSignature,
  keyId,
  readCheckpoint,
  readVerifierKey,
  type Signer,
  verifierKeyOf,
  writeNote,
  writeVerifierKey,
} from '../src/note.ts'
import { readReceipt, type ReceiptFile, receiptProblem } from '../src/receipt.ts'
import { canonicalBytes, readCanonical } from '../src/canonical.ts'
import { booksShape } from '../src/books.ts'
import { shiftDay } from '../src/day.ts'
import { sha256 } from '../src/sha256.ts'
import { memorySource } from '../src/sources.ts'
import { verifyDay } from '../src/verify.ts'
import { site, siteFiles, vectors } from './kit.ts'
import { DAY, LOG, receiptFor, ticketsOf } from './site-maker.ts'

const entry = (i: number): Uint8Array => leafHash(ascii(`entry ${i}`))
async function* pieces(...all: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* all
}

test('Ed25519 signatures are judged as in the vectors', () => {
  type Signed = { public: string; message: string; signature: string; why?: string }
  const { valid, invalid } = vectors<{ valid: Signed[]; invalid: Signed[] }>('ed25519')
  const holds = (one: Signed): boolean => isSignature(fromHex(one.signature), fromHex(one.message), fromHex(one.public))
  expect(valid.map(holds)).toEqual(valid.map(() => true))
  expect(invalid.filter(holds).map(({ why }) => why)).toEqual([])
})

test('proofs of inclusion and consistency are judged as in the vectors', () => {
  type Inclusion = { index: number; size: number; leaf: string; root: string; path: string[] }
  type Consistency = { from: number; to: number; fromRoot: string; toRoot: string; path: string[] }
  const { inclusion, consistency } = vectors<{ inclusion: Inclusion[]; consistency: Consistency[] }>('proofs')
  const leaves = (size: number): Uint8Array[] => Array.from({ length: size }, (_, i) => entry(i))
  for (const { index, size, leaf, root, path } of inclusion) {
    expect([toHex(entry(index)), inclusionPath(leaves(size), index).map(toHex)]).toEqual([leaf, path])
    expect(
      isIncluded(
        fromHex(leaf),
        index,
        size,
        path.map((hash) => fromHex(hash)),
        fromHex(root),
      ),
    ).toBe(true)
  }
  for (const { from, to, fromRoot, toRoot, path } of consistency) {
    expect([toHex(rootOf(leaves(from))), consistencyProof(leaves(to), from).map(toHex)]).toEqual([fromRoot, path])
    const trees = [
      { size: from, root: fromHex(fromRoot) },
      { size: to, root: fromHex(toRoot) },
    ] as const
    expect(
      isConsistent(
        ...trees,
        path.map((hash) => fromHex(hash)),
      ),
    ).toBe(true)
  }
})

test('keys, checkpoints and cosignatures are read as in the vectors', () => {
  type Key = { name: string; type: number; public: string; id: string; verifierKey: string }
  type Signed = { size: number; root: string; text: string; note: string }
  const { keys, checkpoints, refused } = vectors<{ keys: Key[]; checkpoints: Signed[]; refused: string[] }>('checkpoint')
  const isTaken = (note: string): boolean => {
    try {
      return readCheckpoint(new TextEncoder().encode(note)).size > 0
    } catch {
      return false
    }
  }
  expect(refused.filter(isTaken)).toEqual([])
  for (const { name, type, public: publicKey, id, verifierKey } of keys) {
    expect(toHex(keyId(name, type, fromHex(publicKey)))).toBe(id)
    expect(writeVerifierKey(name, type, fromHex(publicKey))).toBe(verifierKey)
    expect(readVerifierKey(verifierKey)).toMatchObject({ name, algorithm: type })
  }
  const known = keys.map(({ verifierKey }) => readVerifierKey(verifierKey))
  for (const { size, root, text, note } of checkpoints) {
    const checkpoint = readCheckpoint(new TextEncoder().encode(note))
    expect([checkpoint.size, toHex(checkpoint.root), checkpoint.note.text, writeNote(checkpoint.note)]).toEqual([size, root, text, note])
    const [own, ...others] = checkpoint.note.signatures
    expect(known.some((key) => own !== undefined && isLogSignature(own, text, key))).toBe(true)
    for (const line of others) expect(known.some((key) => cosignedAt(line, text, key) !== undefined)).toBe(true)
  }
})

test('valid receipts are accepted and invalid ones refused', () => {
  const { key, valid, invalid } = vectors<{
    key: string
    valid: { receipt: ReceiptFile; canonical: string }[]
    invalid: { receipt: ReceiptFile; why: string }[]
  }>('receipt')
  const chain = { keys: [{ key: readVerifierKey(key), fromSize: 0 }], isSound: true }
  for (const { receipt, canonical } of valid) {
    expect(readReceipt(ascii(canonical))).toEqual(receipt)
    expect(receiptProblem(receipt, chain)).toBeUndefined()
  }
  expect(invalid.filter(({ receipt }) => receiptProblem(receipt, chain) === undefined).map(({ why }) => why)).toEqual([])
})

test('a key signs receipts from the day of its record to the day of the next record only', () => {
  const of = (secret: string): Signer => ({ ...LOG, secret: sha256(ascii(secret)) })
  const signers = [of('first'), of('second'), of('third')] as const
  const since = ['', shiftDay(DAY, 2), shiftDay(DAY, 4)] as const
  const keys = signers.map((signer, at) => ({
    key: readVerifierKey(verifierKeyOf(signer)),
    fromSize: at,
    ...(at > 0 && { fromDay: since[at] }),
  }))
  const holds = (signer: Signer, days: number): boolean => {
    const day = shiftDay(DAY, days)
    const [ticket] = ticketsOf(1, day) as [Uint8Array]
    return receiptProblem(receiptFor(ticket, [ticket], day, signer), { keys, isSound: true }) === undefined
  }
  const served = signers.map((signer) => [0, 1, 2, 3, 4, 5].filter((days) => holds(signer, days)))
  expect(served).toEqual([
    [0, 1, 2],
    [2, 3, 4],
    [4, 5],
  ])
})

test('books have the canonical form and hash of the vectors', () => {
  for (const [day, { canonical, hash }] of Object.entries(vectors<Record<string, { canonical: string; hash: string }>>('books'))) {
    expect(readCanonical(ascii(canonical), booksShape, 'books').day).toBe(day)
    expect(toHex(sha256(ascii(canonical)))).toBe(hash)
  }
})

type Together = { positions: number[]; nodes: string }
type PartsTree = { count: number; file: string; root: string; total: number; together: Together[] }

test('liabilities have the ids, roots, totals and paths of the vectors', async () => {
  const { ids, trees } = vectors<{ ids: { key: string; day: string; j: number; id: string }[]; trees: PartsTree[] }>('liabilities')
  for (const { key, day, j, id } of ids) expect(toHex(partId(fromHex(key), day, j))).toBe(id)
  for (const { file, count, root, total } of trees) {
    expect(await sumParts(pieces(fromHex(file)), count, () => undefined)).toEqual({ count, root, total })
    expect(await sumParts(pieces(fromHex(file)), 1_000_000, () => undefined)).toEqual({ count, root, total })
  }
})

test('a proof of several parts gives the root, and another result after any change', () => {
  for (const { file, count, root, total, together } of vectors<{ trees: PartsTree[] }>('liabilities').trees) {
    const top = `${root}${total.toString(16).padStart(16, '0')}`
    for (const { positions, nodes } of together) {
      const shown = positions
        .map((position) => ({ position, row: file.slice(80 * position, 80 * position + 80) }))
        .map(({ position, row }) => ({ position, node: partNode(fromHex(row.slice(0, 64)), Number(`0x${row.slice(64)}`)) }))
        .toSorted((a, b) => a.position - b.position)
      const proof = fromBase64(nodes)
      const reached = (given = shown, by: Uint8Array = proof): string => {
        const node = rootOfShown(given, by, count)
        return node === undefined ? '' : toHex(node)
      }
      expect(reached()).toBe(top)
      expect(reached(shown, concat(proof, new Uint8Array(40)))).not.toBe(top)
      if (proof.length > 0) expect(reached(shown, proof.slice(40))).not.toBe(top)
      if (proof.length > 0) expect(reached(shown, proof.slice(0, -40))).not.toBe(top)
      const [first, ...others] = shown
      if (first !== undefined && proof.length > 0) expect(reached(others)).not.toBe(top)
    }
  }
})

test('each day of the example site has the step results of the vectors', async () => {
  for (const { day, exit, steps } of site.days) {
    for (const logKey of [site.keys.first, site.keys.inForce, undefined]) {
      const report = await verifyDay(memorySource(siteFiles), day, logKey === undefined ? {} : { logKey })
      const said = report.steps.map(({ step, state }) => [step, state === 'none' ? '-' : state.toUpperCase()])
      expect(Object.fromEntries(said)).toEqual({ ...Object.fromEntries(report.steps.map(({ step }) => [step, 'PASS'])), ...steps })
      expect(report.exitCode).toBe(exit)
    }
  }
})

test('receipts are judged against the site as in the vectors', async () => {
  for (const { receipt, verdict } of site.receipts) {
    const read = readReceipt(canonicalBytes(receipt))
    const report = await verifyDay(memorySource(siteFiles), receipt.day, { logKey: site.keys.first, receipt: read })
    expect(report.steps.find(({ step }) => step === 'receipt')?.state.toUpperCase()).toBe(verdict)
  }
})

test('a key of another log, a log that shrank and a rewritten log are refused', async () => {
  const source = memorySource(siteFiles)
  const [day] = ['2026-07-23']
  const states = async (options: Parameters<typeof verifyDay>[2]): Promise<Record<string, string>> =>
    Object.fromEntries((await verifyDay(source, day, options)).steps.map(({ step, state }) => [step, state]))
  const stranger = writeVerifierKey('roz.example/log', 1, sha256(ascii('a stranger')))
  expect(await states({ logKey: stranger })).toMatchObject({ 'log-signature': 'fail' })
  const { keep } = await verifyDay(source, day, { logKey: site.keys.first })
  if (keep === undefined) throw new Error('nothing to keep')
  expect(keep.logKey).toBe(site.keys.inForce)
  expect(await states({ kept: keep.checkpoint })).toMatchObject({ 'log-consistency': 'pass' })
  const others = [
    { ...keep.checkpoint, size: keep.checkpoint.size + 1 },
    { ...keep.checkpoint, root: concat(keep.checkpoint.root.slice(1), Uint8Array.of(0)) },
    { ...keep.checkpoint, origin: 'another.example/log' },
  ]
  for (const kept of others) expect(await states({ kept })).toMatchObject({ 'log-consistency': 'fail', 'log-signature': 'pass' })
})
