/** Sealed in time: a beacon's day that two witnesses cosigned, and each case that makes it weak. */
import { beforeEach, expect, test } from 'vitest'
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import { connect, sql } from '../../db/sql.ts'
import { createCheckpoints } from '../../transparency-log/checkpoints.ts'
import { cosign, parseNote, privateKeyObject, publicKeyOf, witnessKeyText } from '../../transparency-log/note.ts'
import { makeChain, startRelay, type TestRelay } from '../../testing/beacon-relay.ts'
import { serveCalls } from '../../testing/calls.ts'
import { openRoundsWorld } from '../../testing/rounds-world.ts'
import { verifyDay, verifyDayByTwin, VERDICT } from '../../testing/verifier.ts'
import { createOpenLog } from './open-log.ts'
import { perFile } from '../../testing/fixture.ts'

const made = makeChain()
const witness = (name: string) => {
  const privateKey = privateKeyObject(Buffer.alloc(32, name))
  return { name, privateKey, text: witnessKeyText(name, publicKeyOf(privateKey)) }
}
const [alfa, beta, stranger] = [witness('alfa.example'), witness('beta.example'), witness('stranger.example')]
const chainHash = made.chain.chainHash
const quorum = { keys: [alfa.text, beta.text].toSorted(), quorum: 2 }
const relay: TestRelay = perFile(() => startRelay(made, async () => (await world.clock.read()).getTime()))
const world = perFile(() => openRoundsWorld({ beacon: { chain: made.chain, relays: [relay.url] }, witnesses: quorum }))
let today = '2026-11-20' as IstDay

beforeEach(async () => {
  today = addDays(today, 1)
  await world.goTo(`${today}T10:00:00+05:30`)
  const member = await world.member(5, { name: 'Ravi Kumar' })
  expect((await world.join(member)).status).toBe(200)
  await world.goTo(tomorrow('00:00:02'))
})
const tomorrow = (time: string): string => `${addDays(today, 1)}T${time}+05:30`
const seconds = (at: string): number => Math.floor(Date.parse(at) / 1000)
const newest = async (): Promise<string> => parseNote((await world.ask('GET /public/log/checkpoint')).text)?.text ?? ''
const hand = async (body: string) => {
  const answer = await world.ask('POST /public/log/cosignatures', { body, headers: { 'content-type': 'text/plain' } })
  return answer.status === 204 ? 204 : `${answer.status} ${answer.body['code']}`
}
const say = async (who: typeof alfa, at: string, text?: string) => {
  const note = text ?? (await newest())
  return hand(`${note}\n${cosign(note, who, seconds(at))}`)
}
const assurance = async () => (await world.ask(`GET /public/draws/${today}`)).body['assurance']
const verified = async (...more: string[]) => (await verifyDay({ url: world.url, day: today, chainHash }, ...more)).code

test('a day that the quorum cosigned before its draw passes both verifiers, and every page says sealed', async () => {
  expect(await say(alfa, tomorrow('00:01:00'))).toBe(204)
  expect(await assurance()).toBe('weak')
  expect(await say(beta, tomorrow('00:13:59'))).toBe(204)
  expect(await assurance()).toBe('sealed')
  await world.goTo(tomorrow('00:16:00'))
  // Once the result is in the log, later cosignatures change nothing.
  const file = await world.ask(`GET /public/log/sealed/${today}`)
  expect(file.headers.get('cache-control')).toContain('immutable')
  const day = await verifyDay({ url: world.url, day: today, chainHash })
  expect(day.code, day.text).toBe(VERDICT.pass)
  const { body } = await world.ask(`GET /public/draws/${today}`)
  const signature = (body['records'] as { record: { signature?: string } }[]).at(-1)?.record.signature as string
  const twin = await verifyDayByTwin({ url: world.url, day: today, chainHash }, '--drand', signature)
  expect(twin.code, twin.text).toBe(VERDICT.pass)
  expect((await world.current())['lastWinner']).toMatchObject({ name: 'Ravi K.', assurance: 'sealed' })
})

test('one witness of two, the same witness twice, or a late one is no quorum: the day is weak', async () => {
  expect(await say(alfa, tomorrow('00:01:00'))).toBe(204)
  expect(await say(alfa, tomorrow('00:02:00'))).toBe(204)
  // The draw is 15 minutes after the seal; a cosignature counts until a minute before the draw.
  const close = (await world.log()).find(({ kind, day }) => kind === 'close' && day === today)
  const lastMs = Number(close?.['sealedAt']) + 14 * 60_000
  expect(await say(beta, new Date(lastMs + 1000).toISOString())).toBe(204)
  await world.goTo(tomorrow('00:16:00'))
  expect(await assurance()).toBe('weak')
  expect(await verified()).toBe(VERDICT.weak)
  expect((await world.current())['lastWinner']).toMatchObject({ assurance: 'weak' })
})

test('a cosignature dated before the seal is refused, counts nowhere, and alarms the operator once', async () => {
  const close = (await world.log()).find(({ kind, day }) => kind === 'close' && day === today)
  const sealedAt = Number(close?.['sealedAt'])
  const at = (ms: number): string => new Date(ms).toISOString()
  expect(await say(alfa, '1970-01-01T00:00:01Z')).toBe('422 cosignature_invalid')
  expect(await say(alfa, at(sealedAt - 86_400_000))).toBe('422 cosignature_invalid')
  // A clock may be a minute slow, and no second more.
  const slow = 1000 * Math.ceil((sealedAt - 60_000) / 1000)
  expect(await say(alfa, at(slow - 1000))).toBe('422 cosignature_invalid')
  expect(world.faults.splice(0)).toEqual([{ witness: alfa.name, dated: 1, sealedAt: Math.floor(sealedAt / 1000) }])
  expect(await say(beta, tomorrow('00:01:00'))).toBe(204)
  expect(await assurance()).toBe('weak')
  expect(await say(alfa, at(slow))).toBe(204)
  expect(await assurance()).toBe('sealed')
  await world.goTo(tomorrow('00:16:00'))
  expect(await verified()).toBe(VERDICT.pass)
})

test('an impossibly early cosignature that an earlier release had kept is left out of the proof', async () => {
  const text = await newest()
  const size = Number(text.split('\n')[1])
  const line = cosign(text, alfa, 1)
  await world.db.query(sql`
    insert into cosignature (size, key, name, time_seconds, line)
    values (${BigInt(size)}::bigint, ${alfa.text}::text, ${alfa.name}::text, 1, ${line}::text)`)
  expect(await say(beta, tomorrow('00:01:00'))).toBe(204)
  await world.goTo(tomorrow('00:16:00'))
  expect(await assurance()).toBe('weak')
  expect((await world.ask(`GET /public/log/sealed/${today}`)).text).not.toContain(line)
  expect(await verified()).toBe(VERDICT.weak)
})

test('a checkpoint from before the seal proves nothing about the seal', async () => {
  const [before] = await world.db.query<{ body: string }>(sql`
    select body from checkpoint where size <= (select index from log_entry where day = ${today}::date and kind = 'close') order by size desc limit 1`)
  const text = parseNote(before?.body ?? '')?.text ?? ''
  expect(await say(alfa, tomorrow('00:01:00'), text)).toBe(204)
  expect(await say(beta, tomorrow('00:01:00'), text)).toBe(204)
  await world.goTo(tomorrow('00:16:00'))
  expect(await verified()).toBe(VERDICT.weak)
})

test('an invalid cosignature is refused with its reason', async () => {
  const text = await newest()
  expect(await hand('nothing')).toBe('400 not_a_note')
  expect(await hand(`${text}\n${cosign(text, alfa, 1)}${cosign(text, beta, 1)}`)).toBe('400 not_a_note')
  expect(await say(stranger, tomorrow('00:01:00'))).toBe('403 witness_unknown')
  const other = text.replace(/\n\d+\n/, '\n999\n')
  expect(await say(alfa, tomorrow('00:01:00'), other)).toBe('409 checkpoint_unknown')
  const line = cosign(other, alfa, seconds(tomorrow('00:01:00')))
  expect(await hand(`${text}\n${line}`)).toBe('422 cosignature_invalid')
  await world.goTo(tomorrow('00:16:00'))
  expect(await verified()).toBe(VERDICT.weak)
})

test('a witness is served while every other database connection is busy', async () => {
  const crowded = connect({ url: world.database.appUrl, max: 1 })
  let letGo: () => void = () => undefined
  const held = crowded.withConnection(() => new Promise<void>((resolve) => (letGo = resolve)))
  const witnessDb = connect({ url: world.database.appUrl, max: 1 })
  const checkpoints = createCheckpoints({ db: witnessDb, keys: world.logKeys, alarm: () => undefined })
  const { handlers, due } = createOpenLog({
    db: crowded,
    witnessDb,
    keys: world.logKeys,
    checkpoints,
    proofs: world.proofs,
    receipts: world.receipts,
  })
  const calls = await serveCalls(crowded, handlers)
  const ask = (call: string, body?: unknown) =>
    calls.ask(call, body === undefined ? {} : { body, headers: { 'content-type': 'text/plain' } })
  while (await due(new Date()));
  const note = parseNote((await ask('GET /public/log/checkpoint')).text)?.text ?? ''
  expect((await ask('GET /public/log/key')).text).toContain('test.example/log')
  expect((await ask('GET /public/log/entries/0')).status).toBe(200)
  expect((await ask('POST /public/log/cosignatures', `${note}\n${cosign(note, beta, seconds(tomorrow('00:02:00')))}`)).status).toBe(204)
  letGo()
  await held
  await calls.close()
  await Promise.all([crowded.close(), witnessDb.close()])
})
