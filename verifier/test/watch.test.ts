/** The monitor and witness, on a site that grows, lies, forks, loses records or draws late. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DRAW_DELAY_MS } from '../src/beacon.ts'
import { shiftDay, startOfDayMs } from '../src/day.ts'
import { picks, seedOf } from '../src/draw.ts'
import { fromHex, toHex } from '../src/bytes.ts'
import { cosign, readCheckpoint, readSignerKey, type Signer, verifierKeyOf, writeNote, writeSignerKey } from '../src/note.ts'
import { sha256 } from '../src/sha256.ts'
import { UnavailableError, urlSource } from '../src/sources.ts'
import { readState, type State, writeState } from '../src/state.ts'
import { verifyDay } from '../src/verify.ts'
import { type Alarm, createWatch, type Follower } from '../src/watch.ts'
import { makeBooks } from './books-maker.ts'
import { LiveSite } from './live-site.ts'
import { BEACON, closeRecord, DAY, type DayPlan, LOG, MEMBERS, openRecord, resultRecord, ticketsOf, utf, WITNESSES } from './site-maker.ts'

const logKey = verifierKeyOf(LOG)
const chainHash = BEACON.draw.chainHash
const plan: DayPlan = { day: DAY, tickets: ticketsOf(7, DAY) }
const open = openRecord(plan)
const close = closeRecord(plan, open)
const result = resultRecord(plan, open, close)
const books = makeBooks({ day: DAY, entries: 7, members: MEMBERS, before: undefined, settled: undefined })
const inTimeMs = close.sealedAt + 30_000

let site: LiveSite
let base: string
beforeEach(async () => {
  site = new LiveSite()
  base = await site.listen()
})
afterEach(async () => {
  await site.close()
})

const settle = async (): Promise<void> => undefined

type Watcher = Follower & { readonly alarms: Alarm[]; readonly saved: State[]; readonly said: string[]; nowMs: number }

function watcher(witness: Signer | undefined, before?: State, post: boolean | number = true, source = urlSource(base)): Watcher {
  const own = { alarms: [] as Alarm[], saved: [] as State[], said: [] as string[], nowMs: inTimeMs }
  const ports = {
    source,
    post: async (path: string, body: Uint8Array) =>
      post === true ? (await fetch(new URL(path, base), { method: 'POST', body: body.slice() })).status : post || 503,
    nowMs: () => own.nowMs,
    save: async (state: State) => void own.saved.push(readState(utf(writeState(state)))),
    say: (line: string) => void own.said.push(line),
    alarm: async (alarm: Alarm) => void own.alarms.push(alarm),
    settle,
  }
  return Object.assign(own, createWatch(ports, { logKey, witness, chainHash }, before))
}

function finish(assurance: 'sealed' | 'weak'): void {
  site.append(result)
  site.publishDraw(DAY, assurance, plan.tickets)
  site.publishBooks(books, MEMBERS)
}
const verify = () => verifyDay(urlSource(base), DAY, { logKey, chainHash, settle })

test('a day with the cosignatures of a quorum of two is sealed in time', async () => {
  const [a, b] = WITNESSES.map((witness) => watcher(witness)) as [Watcher, Watcher]
  site.append(open)
  await a.look()
  site.append(close)
  await a.look()
  await b.look()
  expect(site.taken).toEqual(['witness-a.example', 'witness-a.example', 'witness-b.example'])
  finish('sealed')
  expect(await verify()).toMatchObject({ verdict: 'PASS', exitCode: 0 })
  await a.look()
  await b.look()
  expect([a.alarms, b.alarms]).toEqual([[], []])
  expect(a.said).toContain(`${DAY} PASS`)
  expect(a.saved.at(-1)).toMatchObject({ seenTo: DAY, waiting: [], checkpoint: { size: 4 } })
})

test('a day with one cosignature of three witnesses is weak', async () => {
  site.append(open, close)
  const alone = watcher(WITNESSES[0])
  await alone.look()
  finish('weak')
  expect(await verify()).toMatchObject({ verdict: 'WEAK', exitCode: 3 })
  await alone.look()
  expect(alone.alarms).toEqual([])
  expect(alone.said.join()).toContain(`${DAY} WEAK`)
})

test('a rewritten or forked log raises an alarm with both signed checkpoints, and is not cosigned again', async () => {
  site.append(open, close)
  const witness = watcher(WITNESSES[0])
  await witness.look()
  const before = site.taken.length
  // Another close of the same day, signed in place of the first.
  site.records[1] = { ...close, sealedAt: close.sealedAt + 3000, round: close.round + 1 } as never
  for (const grow of [() => site.publish(), () => site.append(result)]) {
    grow()
    expect(await witness.look()).toMatchObject({ isForked: true })
  }
  expect(site.taken).toHaveLength(before)
  expect(witness.alarms.map(({ kind }) => kind)).toEqual(['fork'])
  const [alarm] = witness.alarms
  const notes = (alarm?.evidence ?? []).map((note) => readCheckpoint(utf(note)))
  expect(notes.map(({ size }) => size)).toEqual([2, 2])
  expect(new Set(notes.map(({ root }) => toHex(root))).size).toBe(2)
  const fresh = await watcher(WITNESSES[0], witness.saved.at(-1)).look()
  expect(fresh.isForked).toBe(true)
})

test('a rewritten log is detected by a kept checkpoint, and without one by the cosignatures', async () => {
  site.append(open, close)
  await watcher(WITNESSES[0]).look()
  await watcher(WITNESSES[1]).look()
  finish('sealed')
  const { keep } = await verify()
  if (keep === undefined) throw new Error('nothing to keep')
  site.records[0] = { ...open, tax: { above: 0, percent: 0 } } as never
  site.publish()
  const kept = await verifyDay(urlSource(base), DAY, { logKey, chainHash, settle, kept: keep.checkpoint })
  const trusting = await verify()
  for (const { steps } of [kept, trusting]) expect(steps.find(({ step }) => step === 'log-consistency')?.state).toBe('fail')
})

test('an unaccepted cosignature is submitted again unchanged, also after a restart', async () => {
  site.append(open, close)
  const cut = watcher(WITNESSES[0], undefined, false)
  await cut.look()
  const [saved] = cut.saved
  expect(saved?.pending).toBeDefined()
  const back = watcher(WITNESSES[0], saved)
  back.nowMs = inTimeMs + 3_600_000
  await back.look()
  expect(site.taken).toEqual(['witness-a.example'])
  expect(back.saved.at(-1)?.pending).toBeUndefined()
  const [, line] = readCheckpoint(site.files.get('log/checkpoint') as Uint8Array).note.signatures
  const [, kept] = [undefined, readCheckpoint(saved?.pending as Uint8Array).note.signatures[0]]
  expect(line).toEqual(kept)
  await back.look()
  expect(site.taken).toHaveLength(1)
})

test('missing records raise an alarm once no cache can explain them', async () => {
  site.append(open)
  site.append(close)
  const monitor = watcher(undefined)
  await monitor.look()
  site.records.pop()
  site.publish()
  await monitor.look()
  expect(monitor.alarms).toEqual([])
  monitor.nowMs += 301_000
  await monitor.look()
  expect(monitor.alarms.map(({ kind }) => kind)).toEqual(['shrunk'])
  // The smaller size shown now, and the larger size signed before.
  const sizes = monitor.alarms[0]?.evidence.map((note) => readCheckpoint(utf(note)).size)
  expect(sizes).toEqual([1, 2])
})

test('a smaller tree that is not a prefix of the known one is a fork at once, not a stale cache', async () => {
  site.append(open)
  site.append(close)
  const monitor = watcher(undefined)
  await monitor.look()
  site.records = [{ ...open, tax: { above: 0, percent: 0 } }]
  site.publish()
  expect(await monitor.look()).toMatchObject({ isForked: true })
  expect(monitor.alarms.map(({ kind }) => kind)).toEqual(['fork'])
  expect(monitor.alarms[0]?.evidence.map((note) => readCheckpoint(utf(note)).size)).toEqual([1, 2])
})

test('a stalled day delays no cosignature, and an incomplete day is retried with exponential back-off', async () => {
  const asked: string[] = []
  let release = (): void => undefined
  const stalled = new Promise<void>((resolve) => (release = resolve))
  const plain = urlSource(base)
  const source = {
    isLive: true,
    open: async (name: string) => {
      asked.push(name)
      if (name === `draws/${DAY}/tickets`) await stalled
      return plain.open(name)
    },
  }
  site.append(open, close)
  finish('weak')
  site.files.delete(`draws/${DAY}/tickets`)
  const witness = watcher(WITNESSES[0], undefined, true, source)
  await witness.follow()
  site.append(openRecord({ day: shiftDay(DAY, 1) }))
  await witness.follow()
  expect(site.taken).toHaveLength(2)
  release()
  await witness.settled()
  expect(witness.saved.at(-1)).toMatchObject({ waiting: [DAY], seenTo: DAY, checkpoint: { size: 5 } })
  const times = async (laterMs: number): Promise<number> => {
    asked.length = 0
    witness.nowMs += laterMs
    await witness.look()
    return asked.filter((name) => name === `draws/${DAY}`).length
  }
  expect([await times(59_000), await times(1000), await times(119_000), await times(1000)]).toEqual([0, 2, 0, 2])
  expect(witness.alarms).toEqual([])
})

test('a cosignature answered with 429 is submitted again', async () => {
  site.append(open, close)
  const busy = watcher(WITNESSES[0], undefined, 429)
  await busy.look()
  expect(busy.saved.at(-1)?.pending).toBeDefined()
  const refused = watcher(WITNESSES[0], undefined, 422)
  await refused.look()
  expect(refused.saved.at(-1)?.pending).toBeUndefined()
})

test('an invalid log raises an alarm with its last signed checkpoint, and so does a given key of another chain', async () => {
  site.append(open, close)
  const monitor = watcher(undefined)
  await monitor.look()
  site.append({ ...result, winners: 'none' } as never)
  site.files.set('log/checkpoint', utf('nonsense'))
  await monitor.look()
  expect(monitor.alarms).toMatchObject([{ kind: 'log' }])
  expect(monitor.alarms[0]?.evidence.map((note) => readCheckpoint(utf(note)).size)).toEqual([2])
  const alarms: Alarm[] = []
  const ports = {
    source: urlSource(base),
    post: async () => 204,
    nowMs: () => inTimeMs,
    save: async () => undefined,
    say: () => undefined,
    alarm: async (alarm: Alarm) => void alarms.push(alarm),
  }
  site.publish()
  const givenKey = verifierKeyOf({ ...LOG, secret: sha256(utf('another')) })
  await createWatch(ports, { logKey, givenKey, witness: undefined, chainHash }, monitor.saved.at(-1)).look()
  expect(alarms.map(({ words }) => words)).toEqual(['the key you gave does not lead to the keys of this log'])
})

test('a failed day raises one alarm; an unreachable site raises none', async () => {
  site.append(open, close)
  const monitor = watcher(undefined)
  const [cheat] = result.winners
  site.append({ ...result, winners: [{ ...cheat, amount: 1000 } as never, ...result.winners.slice(1)] })
  site.publishDraw(DAY, 'weak', plan.tickets)
  site.publishBooks(books, MEMBERS)
  await monitor.look()
  await monitor.look()
  expect(monitor.alarms.map(({ kind, words }) => [kind, words.includes('split')])).toEqual([['day', true]])
  await site.close()
  await monitor.look()
  expect(monitor.alarms).toHaveLength(1)
  expect(monitor.said.at(-1)).toContain('cannot be reached')
})

test('an address without a log is reported, and the look counts as unread', async () => {
  const monitor = watcher(undefined)
  expect(await monitor.look()).toMatchObject({ isRead: false, isForked: false })
  expect(monitor.said).toEqual(['there is no log/checkpoint at this address'])
  site.append(open)
  expect(await monitor.look()).toMatchObject({ isRead: true })
})

test('a witness whose clock goes back does not cosign', async () => {
  site.append(open)
  const witness = watcher(WITNESSES[0])
  await witness.look()
  site.append(close)
  witness.nowMs -= 3_600_000
  await witness.look()
  expect([site.taken.length, witness.said.at(-1)]).toEqual([1, expect.stringContaining('the clock went back')])
  witness.nowMs += 3_570_000
  await witness.look()
  expect(site.taken).toHaveLength(2)
})

test('when the state cannot be saved nothing is cosigned, and days are still checked', async () => {
  site.append(open)
  const before = watcher(WITNESSES[0])
  await before.look()
  site.append(close)
  const [cheat] = result.winners
  site.append({ ...result, winners: [{ ...cheat, amount: 1000 } as never, ...result.winners.slice(1)] })
  site.publishDraw(DAY, 'weak', plan.tickets)
  site.publishBooks(books, MEMBERS)
  const said: string[] = []
  const alarms: Alarm[] = []
  const posted: string[] = []
  const full = createWatch(
    {
      source: urlSource(base),
      post: async (path) => (posted.push(path), 204),
      nowMs: () => inTimeMs,
      save: () => Promise.reject(new UnavailableError('no space left')),
      say: (line) => void said.push(line),
      alarm: async (alarm) => void alarms.push(alarm),
      settle,
    },
    { logKey, witness: WITNESSES[0], chainHash },
    before.saved.at(-1),
  )
  expect(await full.look()).toMatchObject({ isForked: false, state: { checkpoint: { size: 1 } } })
  expect([posted, said.includes('no space left'), alarms.map(({ kind }) => kind)]).toEqual([[], true, ['day']])
})

test('a log signed by another key raises an alarm', async () => {
  site.append(open)
  const monitor = watcher(undefined)
  const stranger = createWatch(
    {
      source: urlSource(base),
      post: async () => 204,
      nowMs: () => 0,
      save: async () => undefined,
      say: () => undefined,
      alarm: async (alarm) => void monitor.alarms.push(alarm),
    },
    { logKey: verifierKeyOf({ ...LOG, secret: sha256(utf('another')) }), witness: WITNESSES[0], chainHash: undefined },
    undefined,
  )
  await stranger.look()
  expect(monitor.alarms.map(({ kind }) => kind)).toEqual(['log'])
  expect(site.taken).toEqual([])
})

/** Plays a cheat who waits for the beacon, then searches for a closing second that makes a chosen ticket win. */
function groundClose(wanted: number): { readonly close: typeof close; readonly result: typeof result } {
  for (let second = 0; second < 400; second += 1) {
    const sealedAt = startOfDayMs(DAY) + 72_000_000 + 1000 * second
    const tried = closeRecord({ ...plan, sealedAt }, open)
    const randomness = toHex(sha256(fromHex(BEACON.sign(tried.round))))
    const [winner] = picks(seedOf(tried, open.draw.chainHash, tried.round, randomness), 7, open.split.winners)
    if (winner === wanted) return { close: tried, result: resultRecord({ ...plan, sealedAt }, open, tried) }
  }
  throw new Error('no second made it win')
}

test('a close record ground after the beacon is weak without witnesses, and fails if they are forged', async () => {
  const ground = groundClose(3)
  expect(ground.result.winners[0]?.position).toBe(3)
  const afterBeaconMs = ground.close.sealedAt + DRAW_DELAY_MS + 400_000
  site.append(open, ground.close)
  const watchers = WITNESSES.map((witness) => Object.assign(watcher(witness), { nowMs: afterBeaconMs }))
  for (const one of watchers) await one.look()
  expect(site.taken).toHaveLength(3)
  site.append(ground.result)
  site.publishDraw(DAY, 'weak', plan.tickets)
  site.publishBooks(books, MEMBERS)
  // All other steps pass: the numbers alone cannot reveal the cheat.
  const states = (await verify()).steps.map(({ step, state }) => [step, state])
  expect(Object.fromEntries(states.filter(([, state]) => state !== 'pass'))).toEqual({ 'sealed-in-time': 'weak', receipt: 'none' })
  // Calling the list sealed, or backdating cosignatures without the witnesses' keys, fails.
  site.publishDraw(DAY, 'sealed', plan.tickets)
  expect(await verify()).toMatchObject({ verdict: 'FAIL' })
  const sealed = readCheckpoint(site.files.get(`log/sealed/${DAY}`) as Uint8Array)
  const forged = WITNESSES.map((witness) =>
    cosign(sealed.note.text, { ...witness, secret: sha256(utf(witness.name)) }, ground.close.sealedAt / 1000 + 60),
  )
  const [own] = sealed.note.signatures
  const backdated = sealed.note.signatures.slice(1).map((line, index) => ({
    ...line,
    signature: Uint8Array.from([...(forged[index]?.signature.subarray(0, 8) ?? []), ...line.signature.subarray(8)]),
  }))
  for (const lines of [forged, backdated]) {
    site.files.set(`log/sealed/${DAY}`, utf(writeNote({ text: sealed.note.text, signatures: [own as never, ...lines] })))
    const report = await verify()
    expect(report.steps.filter(({ state }) => state === 'fail').map(({ step }) => step)).toEqual(
      expect.arrayContaining(['log-signature', 'sealed-in-time']),
    )
  }
})

test('a second close after the witnesses saw the first is a fork that each witness reports', async () => {
  site.append(open, close)
  const watchers = WITNESSES.map((witness) => watcher(witness))
  for (const one of watchers) await one.look()
  site.records[1] = groundClose(2).close as never
  site.publish()
  for (const one of watchers) expect(await one.look()).toMatchObject({ isForked: true })
  expect(watchers.map(({ alarms }) => alarms.map(({ kind }) => kind))).toEqual([['fork'], ['fork'], ['fork']])
  expect(site.taken).toHaveLength(3)
})

test('witness keys are written and read in C2SP form; waiting days are checked again', async () => {
  for (const signer of [...WITNESSES, LOG]) expect(readSignerKey(writeSignerKey(signer))).toEqual(signer)
  site.append(open, openRecord({ day: shiftDay(DAY, 1) }))
  const monitor = watcher(undefined)
  await monitor.look()
  expect(monitor.saved.at(-1)?.waiting).toEqual([DAY, shiftDay(DAY, 1)])
})
