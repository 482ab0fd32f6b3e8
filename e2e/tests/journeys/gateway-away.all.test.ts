/** An outage of the gateway as an operator sees it: the alert's figure and `roz status`, by the runbook docs/runbooks/gateway-away.md. */
import { expect, test } from 'vitest'
import { ask } from '../../harness/calls.ts'
import { runCommand } from '../../harness/command.ts'
import { creditOf, newMember, pay, PHONE, readClock, setClock } from '../../harness/people.ts'
import { postJson, type Program, startProgram } from '../../harness/program.ts'

const figure = async ({ url }: Program, name: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
}
const answering = ({ sandboxUrl }: Program, faults: object) => postJson(`${sandboxUrl}/__sandbox/faults`, faults)
const MINUTE_MS = 60_000
const passMinutes = async ({ url }: Program, minutes: number): Promise<void> =>
  setClock(url, new Date(Date.parse(await readClock(url)) + minutes * MINUTE_MS).toISOString())

test('the alert shows how long the gateway is silent although every query is postponed, and ends with the next answer', async () => {
  const roz = await startProgram()
  const asha = await newMember(roz)
  const orderId = (await ask(roz.url, 'addMoney', { token: asha.token, body: { amount: 10, phoneNumber: PHONE } })).output.order_id
  expect(await figure(roz, 'roz_gateway_silence_seconds')).toBe(0)
  await answering(roz, { api: 'bank_failure' })
  await pay(roz.sandboxUrl, orderId, 'success')
  for (let count = 0; count < 5; count++) await passMinutes(roz, 5)
  expect(await figure(roz, 'roz_gateway_silence_seconds')).toBeGreaterThan(900)
  expect(await figure(roz, 'roz_order_question_age_seconds')).toBeLessThan(900)
  expect(await runCommand(roz.dataDir, 'status')).toEqual({
    code: 1,
    text: expect.stringMatching(/✗ for \d\d minutes the gateway has answered nothing \(docs\/runbooks\/gateway-away\.md\)/),
  })
  await answering(roz, {})
  expect(await creditOf(roz.url, asha, orderId)).toBe(10)
  expect(await figure(roz, 'roz_gateway_silence_seconds')).toBe(0)
  expect((await runCommand(roz.dataDir, 'status')).text).not.toContain('gateway-away.md')
})
