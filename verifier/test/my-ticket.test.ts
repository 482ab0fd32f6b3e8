/** The check of a member's own entry on the member's device: few hashes, and an alarm if the entry is missing. */
import { expect, test } from 'vitest'
import { toHex } from '../src/bytes.ts'
import { type Json, canonicalBytes } from '../src/canonical.ts'
import { shiftDay, startOfDayMs } from '../src/day.ts'
import { ticketOf } from '../src/draw.ts'
import { consistencyProof, inclusionPath, leafHash, rootOf } from '../src/merkle.ts'
import { checkMyTicket, type MyTicketInput } from '../src/my-ticket.ts'
import { verifierKeyOf } from '../src/note.ts'
import { memorySource } from '../src/sources.ts'
import { checkpointOf, closeRecord, DAY, LOG, memberKey, openRecord, receiptFor, ticketsOf, utf } from './site-maker.ts'

const plan = { day: DAY, tickets: ticketsOf(500, DAY) }
const open = openRecord(plan)
const close = closeRecord(plan, open)
const entries = [open, close, openRecord({ day: '2026-08-03' })].map((record) => canonicalBytes(record as Json))
const leaves = entries.map(leafHash)
const ticket = ticketOf(memberKey(7), DAY)
const position = plan.tickets.findIndex((one) => toHex(one) === toHex(ticket))
const ticketLeaves = plan.tickets.map(leafHash)

const proof = {
  checkpoint: checkpointOf(entries, LOG, () => []),
  close: { index: 1, path: inclusionPath(leaves, 1).map(toHex), record: close },
  path: inclusionPath(ticketLeaves, position).map(toHex),
  position,
}
const answer = {
  day: DAY,
  proof,
  receipt: receiptFor(ticket, plan.tickets.slice(0, 40).concat(ticket), DAY).receipt,
  ticket: toHex(ticket),
}
const kept = { origin: LOG.name, size: 2, root: rootOf(leaves.slice(0, 2)) }
const growth = canonicalBytes({ from: 2, path: consistencyProof(leaves, 2).map(toHex), to: 3 })
const source = memorySource(new Map([['log/consistency?from=2&to=3', growth]]))
const input: MyTicketInput = { day: DAY, ticketKey: memberKey(7), answer, logKey: verifierKeyOf(LOG), kept, source }
const check = async (change: Partial<MyTicketInput> = {}) => checkMyTicket({ ...input, ...change })

test('the entry is found with little data', async () => {
  expect(await check()).toMatchObject({ state: 'included', position, count: 500, hasReceipt: true, keep: { size: 3 } })
  expect(JSON.stringify(answer).length + growth.length).toBeLessThan(5000)
})

test('an unsealed list is waiting; a sealed list without the ticket is missing', async () => {
  expect(await check({ answer: { ...answer, proof: null } })).toMatchObject({ state: 'waiting', hasReceipt: true })
  const moved = { ...answer, proof: { ...proof, position: (position + 1) % 500 } }
  expect(await check({ answer: moved })).toMatchObject({ state: 'missing', hasReceipt: true })
  const shorter = { ...answer, proof: { ...proof, path: proof.path.slice(1) } }
  expect(await check({ answer: shorter })).toMatchObject({ state: 'missing' })
  for (const odd of [
    undefined,
    null,
    {},
    { ...answer, more: 1 },
    { ...answer, proof: { ...proof, path: 'x' } },
    { ...answer, receipt: 7 },
  ]) {
    expect(await check({ answer: odd })).toMatchObject({ state: 'missing', hasReceipt: false })
  }
})

test('a missing proof is waiting until the public log has the sealed list, then missing with evidence', async () => {
  const checkpoint = (size: number) => utf(checkpointOf(entries.slice(0, size), LOG, () => []))
  const draws = (...records: readonly { readonly index: number; readonly record: object }[]) =>
    canonicalBytes({ v: 1, day: DAY, assurance: 'weak', records } as Json)
  const opened = { index: 0, record: open }
  const look = (nowMs: number, size: number, shown?: Uint8Array) => {
    const files = new Map([['log/checkpoint', checkpoint(size)], ...(shown === undefined ? [] : [[`draws/${DAY}`, shown] as const])])
    return check({ answer: { ...answer, proof: null }, source: memorySource(files), nowMs })
  }
  const tomorrowMs = startOfDayMs(shiftDay(DAY, 1))
  const closed = draws(opened, { index: 1, record: close })
  expect(await look(tomorrowMs, 2)).toMatchObject({ state: 'waiting' })
  expect(await look(tomorrowMs, 2, draws(opened))).toMatchObject({ state: 'waiting' })
  expect(await look(tomorrowMs, 1, closed)).toMatchObject({ state: 'waiting' })
  expect(await look(tomorrowMs - 1, 2, closed)).toMatchObject({ state: 'waiting' })
  const evidence = [new TextDecoder().decode(closed), new TextDecoder().decode(checkpoint(2))]
  expect(await look(tomorrowMs, 2, closed)).toMatchObject({ state: 'missing', hasReceipt: true, evidence })
  const empty = draws(opened, { index: 1, record: { v: 1, kind: 'void', day: DAY, reason: 'empty', returned: 0 } })
  expect(await look(tomorrowMs, 2, empty)).toMatchObject({ state: 'missing', words: expect.stringContaining('empty') })
})

test('a ticket of another member or another day is not mine', async () => {
  expect(await check({ ticketKey: memberKey(8) })).toMatchObject({ state: 'not-mine', hasReceipt: false })
  expect(await check({ day: '2026-08-03' })).toMatchObject({ state: 'not-mine' })
})

test('a close record outside the log, a foreign key and a rewritten log are reported', async () => {
  const another = { ...close, sealedAt: close.sealedAt + 1000 }
  const unseen = { ...answer, proof: { ...proof, close: { ...proof.close, record: another } } }
  expect(await check({ answer: unseen })).toMatchObject({ state: 'unknown-log' })
  expect(await check({ logKey: verifierKeyOf({ ...LOG, secret: memberKey(1) }) })).toMatchObject({
    state: 'unknown-log',
    hasReceipt: false,
  })
  expect(await check({ kept: { ...kept, root: leaves[0] as Uint8Array } })).toMatchObject({ state: 'unknown-log' })
  expect(await check({ kept: { ...kept, size: 4 } })).toMatchObject({ state: 'unknown-log' })
  await expect(check({ source: memorySource(new Map()) })).rejects.toThrow('computes no consistency proofs')
})
