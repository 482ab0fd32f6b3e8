/**
 * External programs against this server: two `roz-verify watch` that form the quorum of witnesses, and a member's own device.
 * The device finds its ticket and its parts of the liabilities with the verifier's code.
 */
import { checkMyTicket } from '@roz/verifier/my-ticket.ts'
import { checkOwed } from '@roz/verifier/own-parts.ts'
import { type Signer, verifierKeyOf } from '@roz/verifier/note.ts'
import { urlSource } from '@roz/verifier/sources.ts'
import { type Alarm, createWatch, type Watch } from '@roz/verifier/watch.ts'
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import { beforeAll, expect, test } from 'vitest'
import { makeChain, startRelay, type TestRelay } from '../../testing/beacon-relay.ts'
import { openRoundsWorld } from '../../testing/rounds-world.ts'
import { verifyDay, VERDICT } from '../../testing/verifier.ts'
import { perFile } from '../../testing/fixture.ts'

const made = makeChain()
const { chainHash } = made.chain
const DAY = '2026-11-21' as IstDay
const KEY = '5'.repeat(64)
const witnesses = ['one.example', 'two.example'].map(
  (name): Signer => ({ name, algorithm: 4, secret: new Uint8Array(32).fill(name.length + name.charCodeAt(0)) }),
)
const relay: TestRelay = perFile(() => startRelay(made, async () => (await world.clock.read()).getTime()))
const world = perFile(() =>
  openRoundsWorld({
    beacon: { chain: made.chain, relays: [relay.url] },
    witnesses: { keys: witnesses.map(verifierKeyOf).toSorted(), quorum: 2 },
  }),
)
let member: bigint
let watches: readonly Watch[]
const alarms: Alarm[] = []
const said: string[] = []

beforeAll(async () => {
  member = await world.member(7)
  expect((await world.join(member, { ticketKey: KEY })).status).toBe(200)
  for (let n = 0; n < 4; n += 1) expect((await world.join(await world.member(3))).status).toBe(200)
  const logKey = (await logKeyText()).trim()
  watches = await Promise.all(witnesses.map((witness) => watching(witness, logKey)))
})

const base = (): string => `${world.url}/api/public/`
const logKeyText = async (): Promise<string> => (await world.ask('GET /public/log/key')).text
type OwnPage = { readonly next: number | null; readonly balance: number }
const source = () => urlSource(base())

async function watching(witness: Signer, logKey: string): Promise<Watch> {
  const clock = { ms: 0 }
  const post = async (path: string, body: Uint8Array): Promise<number> => {
    const request = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: new TextDecoder().decode(body) }
    return (await fetch(new URL(path, base()), request)).status
  }
  const ports = {
    source: source(),
    post,
    nowMs: () => clock.ms,
    save: async () => undefined,
    say: (line: string) => void said.push(line),
    alarm: async (alarm: Alarm) => void alarms.push(alarm),
  }
  const { look } = createWatch(ports, { logKey, witness, chainHash }, undefined)
  return {
    look: async () => {
      clock.ms = (await world.clock.read()).getTime()
      return look()
    },
  }
}
const lookAll = async (): Promise<void> => {
  for (const { look } of watches) await look()
}

test('two `roz-verify watch` programs make the day sealed, check it, and raise no alarm', async () => {
  await lookAll()
  await world.goTo(`${addDays(DAY, 1)}T00:00:05+05:30`)
  await lookAll()
  await world.goTo(`${addDays(DAY, 1)}T00:16:00+05:30`)
  await lookAll()
  const day = await verifyDay(
    { url: world.url, day: DAY, chainHash },
    '--key',
    (await logKeyText()).trim(),
    ...witnesses.flatMap((one) => ['--witness', verifierKeyOf(one)]),
  )
  expect(day.code, day.text).toBe(VERDICT.pass)
  expect(day.text).toContain('seen by one.example, two.example')
  await lookAll()
  expect(said.filter((line) => line === `${DAY} PASS`)).toHaveLength(2)
  expect(alarms).toEqual([])
})

test('a member’s device finds its own ticket in the list, from one small answer', async () => {
  const answer = await world.ask(`GET /user/tickets/${DAY}`, { as: member })
  expect(answer.status).toBe(200)
  expect(answer.text.length).toBeLessThan(5000)
  const asked = { day: DAY, ticketKey: Buffer.from(KEY, 'hex'), answer: answer.body, logKey: (await logKeyText()).trim(), source: source() }
  const found = await checkMyTicket(asked)
  expect(found).toMatchObject({ state: 'included', count: 5, hasReceipt: true })
  expect(await checkMyTicket({ ...asked, ticketKey: Buffer.from('6'.repeat(64), 'hex') })).toMatchObject({ state: 'not-mine' })
  // A day later the log extends the kept checkpoint.
  await world.goTo(`${addDays(DAY, 2)}T10:00:00+05:30`)
  if (found.keep === undefined) throw new Error('nothing to keep')
  const later = { ...asked, answer: (await world.ask(`GET /user/tickets/${DAY}`, { as: member })).body }
  expect(await checkMyTicket({ ...later, kept: found.keep })).toMatchObject({ state: 'included' })
  expect(await checkMyTicket({ ...later, kept: { ...found.keep, root: new Uint8Array(32) } })).toMatchObject({ state: 'unknown-log' })
})

test('a member’s device finds its own parts of the liabilities, page by page up to the signed log', async () => {
  const pages: OwnPage[] = []
  for (let next: number | null = 0; next !== null; next = pages.at(-1)?.next ?? null)
    pages.push((await world.ask(`GET /user/liabilities/${DAY}?from=${next}&limit=1`, { as: member })).body as OwnPage)
  const { balance = 0 } = pages[0] ?? {}
  const asked = { day: DAY, ticketKey: Buffer.from(KEY, 'hex'), pages, logKey: (await logKeyText()).trim(), source: source() }
  expect(await checkOwed({ ...asked, seen: { balance } })).toMatchObject({ state: 'owed', parts: pages.length, balance })
  expect(await checkOwed({ ...asked, seen: { balance: balance + 1 } })).toMatchObject({ state: 'wrong', step: 'view' })
  expect(await checkOwed({ ...asked, ticketKey: Buffer.from('6'.repeat(64), 'hex') })).toMatchObject({ state: 'wrong', step: 'parts' })
  expect([balance > 0, pages.length > 1]).toEqual([true, true])
})
