/** The beacon is away, by docs/runbooks/beacon-away.md: what the operator sees for hours, the draw when it is back, and a round that it never serves. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { addDays, dayAt, type IstDay } from '@roz/core/ist-day.ts'
import { infoOf, makeChain, startRelay, type TestRelay } from '@roz/server/testing/beacon-relay.ts'
import { VERDICT, verifyDay } from '@roz/server/testing/verifier.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask } from '../../harness/calls.ts'
import { runCommand } from '../../harness/command.ts'
import { adminToken, eventually, joinRound, mailsTo, newMember, PASSWORD, type Person, readClock, setClock } from '../../harness/people.ts'
import { type Program, ROOT, startProgram } from '../../harness/program.ts'

/** On a busy machine; half a minute otherwise. */
const WITHIN_MS = 300_000
const made = makeChain()
let roz: Program | undefined
let relay: TestRelay
/** The relay has the rounds of the product's clock. While the program starts, that is the real one. */
const relayNow = async (): Promise<number> => (roz === undefined ? Date.now() : Date.parse(await readClock(roz.url)))

beforeAll(async () => {
  relay = await startRelay(made, relayNow)
  roz = await startProgram({ env: { BEACON: 'drand', BEACON_CHAIN: infoOf(made.chain), BEACON_RELAYS: relay.url } })
})
afterAll(async () => {
  // Stopped here: the check after each file trusts the public beacon alone.
  await roz?.stop()
  await relay.close()
})

const program = (): Program => roz ?? expect.fail('the program does not run')
const readToday = async (): Promise<IstDay> => dayAt(Date.parse(await readClock(program().url)))
const goTo = (day: IstDay, time: string): Promise<void> => setClock(program().url, `${day}T${time}+05:30`)
const roundOf = async (day: IstDay) => {
  const token = await adminToken(program().url)
  const { rounds } = (await ask(program().url, 'adminRounds', { token, query: { limit: '100' } })).output
  return rounds.find((round) => round.day === day) ?? expect.fail(`the portal does not list ${day}`)
}
/** The alarms of draws in /readyz; the portal shows the same ones. */
const alarms = async (): Promise<readonly object[]> => {
  const [answer, token] = [await fetch(`${program().url}/readyz`), await adminToken(program().url)]
  const { alarms: shown } = (await ask(program().url, 'adminStats', { token })).output
  const { alarms: told } = (await answer.json()) as { readonly alarms: readonly { readonly code: string }[] }
  expect([answer.status, told]).toEqual([200, shown])
  return told.filter(({ code }) => code === 'draw_waiting')
}
const status = async (): Promise<string> => (await runCommand(program().dataDir, 'status')).text
/** Whether the condition of the alert is true. */
const isAlerting = async (): Promise<boolean> => {
  const [, above] =
    /max\(roz_beacon_wait_seconds\) > (\d+)/.exec(readFileSync(path.join(ROOT, 'ops/observability/alerts.yml'), 'utf8')) ?? []
  const [, seconds] = /^roz_beacon_wait_seconds (\S+)$/m.exec(await (await fetch(`${program().url}/metrics`)).text()) ?? []
  expect([above, seconds]).toEqual([expect.any(String), expect.any(String)])
  return Number(seconds) > Number(above)
}
const WAITS = /✗ for (\d+) hours a draw waits for the public beacon \(docs\/runbooks\/beacon-away\.md\)/
const expectQuiet = async (): Promise<void> => {
  expect([await isAlerting(), await alarms()]).toEqual([false, []])
  expect(await status()).not.toContain('beacon-away')
}
/** Members’ sessions end while a month passes. */
const loggedIn = async (person: Person): Promise<Person> => {
  const { output } = await ask(program().url, 'login', { body: { email: person.email, password: PASSWORD } })
  return { ...person, token: output.token }
}
const balanceOf = async ({ token }: Person): Promise<number> => (await ask(program().url, 'profile', { token })).output.user.wallet.balance

test('a draw that waits for hours is told everywhere, and is made from its own beacon round when a relay answers', {
  timeout: WITHIN_MS,
}, async () => {
  const today = await readToday()
  const asha = await newMember(program(), { rupees: 10 })
  await joinRound(program().url, asha)
  const tomorrow = addDays(today, 1)
  await goTo(tomorrow, '00:00:02')
  const sealed = await roundOf(today)
  expect(sealed).toMatchObject({ status: 'closed', waitsFor: ['number'], beacon: { mode: 'drand', round: expect.any(Number) } })
  relay.mode = 'down'
  await goTo(tomorrow, '00:30:00')
  expect([await isAlerting(), await alarms()]).toEqual([false, []])

  await goTo(tomorrow, '05:00:00')
  expect(await roundOf(today)).toMatchObject({ status: 'closed', waitsFor: ['number'], beacon: { hasNumber: false } })
  expect([await isAlerting(), await alarms()]).toEqual([true, []])
  expect(WAITS.exec(await status())?.[1]).toBe('5')
  // Everything else continues.
  await joinRound(program().url, asha)

  await goTo(tomorrow, '12:30:00')
  expect(await alarms()).toEqual([{ code: 'draw_waiting', day: today, waiting: 0 }])
  expect(await balanceOf(asha)).toBe(8)

  relay.mode = 'good'
  await goTo(tomorrow, '12:32:00')
  const settled = await roundOf(today)
  expect(settled).toMatchObject({ status: 'settled', waitsFor: [], beacon: { round: sealed.beacon.round, hasNumber: true }, winners: 1 })
  // From no later round, though hours of them exist.
  expect(relay.asked.at(-1)).toMatch(new RegExp(`/${sealed.beacon.round}$`))
  await expectQuiet()
  expect(await balanceOf(asha)).toBe(8.3)
  const asked = { url: program().url, day: today, chainHash: made.chain.chainHash }
  const { code, text } = await verifyDay(asked)
  expect([VERDICT.pass, VERDICT.weak], text).toContain(code)
})

test('a round whose number nobody has is void after thirty days: every rupee is back and nothing waits any more', {
  timeout: WITHIN_MS,
}, async () => {
  const today = await readToday()
  const [asha, ravi] = [await newMember(program(), { rupees: 10 }), await newMember(program(), { rupees: 20 })]
  for (const person of [asha, ravi]) await joinRound(program().url, person)
  await goTo(addDays(today, 1), '00:00:02')
  const { beacon } = await roundOf(today)
  relay.mode = 'none'
  await goTo(addDays(today, 2), '00:00:02')
  const last = addDays(today, 31)
  for (const time of ['00:05:00', '00:08:00', '00:11:00']) await goTo(last, time)
  expect(await roundOf(today)).toMatchObject({ status: 'closed', waitsFor: ['number'] })
  expect([await isAlerting(), await alarms()]).toEqual([true, [{ code: 'draw_waiting', day: today, waiting: 0 }]])
  expect([await balanceOf(await loggedIn(asha)), await balanceOf(await loggedIn(ravi))]).toEqual([9, 19])

  for (const time of ['00:16:00', '00:18:00', '00:20:00']) await goTo(last, time)
  expect(await roundOf(today)).toMatchObject({ status: 'void', winners: 0, beacon: { round: beacon.round, hasNumber: false } })
  const back = [await loggedIn(asha), await loggedIn(ravi)]
  expect(await Promise.all(back.map(balanceOf))).toEqual([10, 20])
  for (const { token } of back) {
    const { results } = (await ask(program().url, 'roundHistory', { token, query: { limit: '100' } })).output
    expect(results.find(({ date }) => date === today)).toMatchObject({ status: 'void', participated: true, isWinner: false, winner: null })
  }
  const told = (person: Person) => async (): Promise<true | undefined> =>
    (await mailsTo(program().url, person.email)).some(({ text }) => text.includes('public random number did not come for 30 days')) ||
    undefined
  for (const person of back) await eventually('the mail about the returned rupee', told(person))
  await expectQuiet()

  // The number appears after all: no money moves any more.
  relay.mode = 'good'
  await goTo(last, '00:30:00')
  expect((await roundOf(today)).status).toBe('void')
  expect(await Promise.all(back.map(balanceOf))).toEqual([10, 20])
  expect(await runCommand(program().dataDir, 'audit')).toEqual({ code: 0, text: expect.stringMatching(/All \d+ invariants hold\./) })
})
