/** The devices on which a member is signed in, and ending all others. */
import { expect, test } from 'vitest'
import { PASSWORD, usePeople } from '../../testing/people.ts'

const PHONE = 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Mobile Safari/537.36'
const DESK = 'Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0'

const roz = usePeople()

const statusOf = async (token: string): Promise<number> => (await roz.ask('GET /auth/me', { token })).status
const devicesOf = async (token: string): Promise<unknown> => (await roz.ask('GET /user/sessions', { token })).body.sessions

test('each device is listed by browser and system, last used first, with the asking one marked', async () => {
  const { token } = await roz.register('listed@x.test', { userAgent: PHONE })
  await roz.pass(3600)
  const desk = (await roz.login('listed@x.test', PASSWORD, { userAgent: DESK })).body.token
  await roz.pass(3600)
  const tool = (await roz.login('listed@x.test', PASSWORD, { userAgent: 'curl/8.5.0' })).body.token
  const time = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T.*\+05:30$/)
  const device = (browser: string | null, system: string | null, isThis: boolean) => ({
    browser,
    system,
    signedInAt: time,
    lastUsedAt: time,
    isThis,
  })
  expect(await devicesOf(tool)).toEqual([device(null, null, true), device('Firefox', 'Linux', false), device('Chrome', 'Android', false)])
  await roz.pass(61)
  expect(await devicesOf(token)).toEqual([device('Chrome', 'Android', true), device(null, null, false), device('Firefox', 'Linux', false)])
  expect(await statusOf(desk)).toBe(200)
})

test('an ended session is not listed', async () => {
  const { token } = await roz.register('ended@x.test', { userAgent: PHONE })
  await roz.login('ended@x.test', PASSWORD, { userAgent: DESK })
  for (const days of [29, 29]) {
    await roz.pass(days * 86_400)
    await statusOf(token)
  }
  expect(await devicesOf(token)).toEqual([expect.objectContaining({ browser: 'Chrome', isThis: true })])
})

test('signing out the others ends every other session of the member at once, and no other member’s', async () => {
  const { token } = await roz.register('others@x.test')
  const neighbour = await roz.register('neighbour@x.test')
  const others = await Promise.all([1, 2].map(async () => (await roz.login('others@x.test', PASSWORD)).body.token as string))
  const answer = await roz.ask('POST /user/sessions/end-others', { token })
  expect([answer.status, answer.body]).toEqual([200, { ended: 2 }])
  expect(await Promise.all([token, neighbour.token, ...others].map(statusOf))).toEqual([200, 200, 401, 401])
  expect((await roz.ask('POST /user/sessions/end-others', { token })).body).toEqual({ ended: 0 })
})
