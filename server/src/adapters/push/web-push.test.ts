/** Tests the Web Push sender against a listening push service. features/push tests the messages that devices get. */
import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PushService, startPushService, trustPushService } from '../../testing/push-service.ts'
import type { PushMessage } from './port.ts'
import { createWebPush } from './web-push.ts'

const SUBJECT = 'mailto:support@roz.example'
let service: PushService
beforeAll(async () => {
  trustPushService()
  service = await startPushService()
})
afterAll(() => service.close())

const key = (() => {
  const { x = '', y = '', d = '' } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
  const bytes = (text: string): Buffer => Buffer.from(text, 'base64url')
  return { publicKey: Buffer.concat([Buffer.of(4), bytes(x), bytes(y)]), privateKey: bytes(d) }
})()
const messageTo = ({ subscription }: ReturnType<PushService['newBrowser']>, text = '{"title":"नतीजा"}'): PushMessage => ({
  target: { endpoint: subscription.endpoint, ...subscription.keys },
  key,
  text,
  ttlSeconds: 60,
  topic: 'result-2026-11-21',
})

test('the browser can decrypt a message of any allowed length, and all messages have the same length', async () => {
  const push = createWebPush({ hosts: [service.host], subject: SUBJECT })
  const browser = service.newBrowser()
  for (const text of ['{}', '{"title":"नतीजा"}', JSON.stringify('x'.repeat(1022))]) {
    expect(await push.send(messageTo(browser, text))).toEqual({ is: 'taken' })
    expect(browser.arrived.at(-1)?.text.trimEnd()).toBe(text)
  }
  expect(new Set(browser.arrived.map(({ bytes }) => bytes)).size).toBe(1)
  expect(browser.arrived[0]?.bytes).toBeLessThan(3070)
  await expect(push.send(messageTo(browser, 'x'.repeat(1025)))).rejects.toThrow('at most 1024')
  expect(service.problems).toEqual([])
})

test('a push service that hangs does not delay a stop, and nothing is sent after the stop', async () => {
  const push = createWebPush({ hosts: [service.host], subject: SUBJECT, timeoutMs: 600_000 })
  const browser = service.newBrowser()
  browser.answers.push('hang')
  const sending = push.send(messageTo(browser))
  await expect.poll(() => browser.asked, { timeout: 20_000 }).toBe(1)
  push.close()
  expect(await sending).toMatchObject({ is: 'later' })
  expect(await push.send(messageTo(browser))).toMatchObject({ is: 'later' })
  expect(browser.asked).toBe(1)
})

test('failures are tracked for a bounded number of hosts, and the oldest entry is dropped', async () => {
  const elsewhere = ['127.0.0.2', '127.0.0.3'].map((address) => service.host.replace('localhost', address))
  const push = createWebPush({ hosts: [service.host, ...elsewhere], subject: SUBJECT, troublesMax: 2 })
  const browser = service.newBrowser()
  const message = messageTo(browser)
  const sendTo = (host: string) =>
    push.send({ ...message, target: { ...message.target, endpoint: message.target.endpoint.replace(service.host, host) } })
  for (let n = 0; n < 4; n++) browser.answers.push({ status: 503, headers: { 'retry-after': '600' } })
  for (let n = 0; n < 4; n++) expect(await sendTo(service.host)).toMatchObject({ is: 'later' })
  expect(browser.asked).toBe(3)
  expect(await sendTo(elsewhere[0] as string)).toMatchObject({ is: 'later' })
  await sendTo(service.host)
  expect(browser.asked).toBe(3)
  expect(await sendTo(elsewhere[1] as string)).toMatchObject({ is: 'later' })
  await sendTo(service.host)
  expect(browser.asked).toBe(4)
})

test('a host that is not allowed or whose certificate is not trusted gets no message', async () => {
  const browser = service.newBrowser()
  const closed = createWebPush({ hosts: [], subject: SUBJECT })
  expect(await closed.send(messageTo(browser))).toEqual({ is: 'refused', status: 0 })
  const other = service.host.replace('localhost', '127.0.0.2')
  const open = createWebPush({ hosts: [other], subject: SUBJECT })
  const message = messageTo(browser)
  const endpoint = message.target.endpoint.replace(service.host, other)
  expect(await open.send({ ...message, target: { ...message.target, endpoint } })).toMatchObject({ is: 'later' })
  expect(browser.asked).toBe(0)
})
