import { expect, test } from 'vitest'
import { type Answer, call, HEADERS, useSandbox } from './testing/world.ts'

const world = useSandbox()
const get = (path: string): Promise<Answer> => call('GET', `${world.url}/pg${path}`, undefined, HEADERS)
async function statusesOf(path: string, count: number): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: count }, () => get(path)))
  return answers.map(({ status }) => status).toSorted()
}

test('with `limits` each call has its published limit a minute', async () => {
  const start = Date.now()
  const orderId = await world.ordered('success')
  const payments = `/orders/${orderId}/payments`
  expect((await get(payments)).headers.get('x-ratelimit-limit')).toBe(null)
  await world.control('/faults', { limits: 'sandbox' })
  expect(await statusesOf(payments, 31)).toEqual([...Array<number>(30).fill(200), 429])
  const refused = await get(payments)
  expect([refused.body.type, Number(refused.headers.get('x-ratelimit-retry')) > 0]).toEqual(['rate_limit_error', true])
  for (const [name, value] of [['limit', '30'] as const, ['remaining', '0'] as const, ['type', 'app_id'] as const]) {
    expect(refused.headers.get(`x-ratelimit-${name}`)).toBe(value)
  }
  expect((await get(`/orders/${orderId}`)).headers.get('x-ratelimit-limit')).toBe('60')
  world.clock.set(start + 90_000)
  expect((await get(payments)).status).toBe(200)
  await world.control('/faults', { limits: 'production' })
  expect((await get(payments)).headers.get('x-ratelimit-limit')).toBe('100')
})
