/** A running sandbox whose webhooks of subscriptions go to the shop, with the calls that tests of subscriptions repeat. */
import { beforeEach, expect } from 'vitest'
import { type Answer, call, freshId, HEADERS, useSandbox, waitUntil, whole } from './world.ts'

export type Json = Readonly<Record<string, unknown>>
export type Told = { readonly type: string; readonly data: Json; readonly headers: Readonly<Record<string, string>>; readonly text: string }

export const subscriptionBody = (more: Json = {}): Json => ({
  subscription_id: freshId(),
  customer_details: { customer_email: 'asha@example.com', customer_phone: '9999999999', customer_name: 'Asha' },
  plan_details: { plan_name: 'Top-up', plan_type: 'ON_DEMAND', plan_max_amount: 30 },
  authorization_details: { authorization_amount: 30, payment_methods: ['upi'] },
  subscription_meta: { return_url: 'http://127.0.0.1:9/autopay/return' },
  ...more,
})

/** 2026-03-04T12:00:00+05:30, a Wednesday. */
export const NOON = Date.parse('2026-03-04T12:00:00+05:30')
/** An instant that was NOON at the start of the test; its clock runs. */
export const JUST_AFTER_NOON = expect.stringMatching(/^2026-03-04T12:00:\d\d\+05:30$/)
export const at = (time: string): number => Date.parse(`${time}+05:30`)

export function useSubscriptions() {
  const world = useSandbox({ shopPerTest: true })
  const pg = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    call(method, `${world.url}/pg${path}`, body, { ...HEADERS, ...headers })
  const { control } = world

  beforeEach(async () => {
    world.clock.set(NOON)
    await control('/webhooks', { subscriptions: { url: `${world.shop.url}/subscriptions` } })
  })

  async function made(more: Json = {}): Promise<string> {
    const answer = await pg('POST', '/subscriptions', subscriptionBody(more))
    if (answer.status !== 200) throw new Error(answer.text)
    return String(whole(answer).subscription_id)
  }
  async function approved(more: Json = {}): Promise<string> {
    const id = await made(more)
    await control(`/subscriptions/${id}`, { step: 'approve', webhooks: 0 })
    return id
  }
  const pay = (id: string, more: Json = {}): Promise<Answer> =>
    pg('POST', '/subscriptions/pay', {
      subscription_id: id,
      payment_id: freshId(),
      payment_type: 'CHARGE',
      payment_amount: 30,
      payment_schedule_date: '2026-03-06',
      ...more,
    })

  return {
    world,
    control,
    pg,
    made,
    approved,
    pay,
    /** A charge for the day after tomorrow; answers its payment id. */
    charged: async (id: string, more: Json = {}): Promise<string> => {
      const answer = await pay(id, more)
      if (answer.status !== 200) throw new Error(answer.text)
      return String(whole(answer).payment_id)
    },
    read: async (path: string, headers: Record<string, string> = {}): Promise<Json> => whole(await pg('GET', path, undefined, headers)),
    payments: async (id: string): Promise<readonly Json[]> => (await pg('GET', `/subscriptions/${id}/payments`)).list,
    /** Webhooks in the order of their arrival, once there are `count` that name `about`: charges of earlier tests may send some too. */
    told: async (count: number, about = ''): Promise<readonly Told[]> => {
      const named = () => world.shop.webhooks.filter(({ bytes }) => bytes.includes(about))
      await waitUntil(`${count} webhooks`, () => named().length >= count)
      return named().map(({ event, headers, bytes }) => {
        const { type, data } = event as unknown as { type: string; data: Json }
        return { type, data, headers, text: bytes.toString() }
      })
    },
  }
}
