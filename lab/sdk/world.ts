/** The gateway sandbox with a clock that can be set and a shop that receives webhooks. */
import { createServer } from 'node:http'
import { openSandbox, startShop, type Webhook } from '../../server/src/testing/gateway-calls.ts'
import { closeServer, listen } from '../../server/src/testing/listening.ts'
import { type Answered, type Json, openSdk, type Sdk } from './sdk.ts'

const KEYS = { clientId: 'sdk_client', clientSecret: 'sdk_secret_0123456789' }

export type World = {
  /** The SDK with its own version, 2026-01-01. */
  readonly sdk: Sdk
  /** The same with 2025-01-01. */
  readonly older: Sdk
  readonly webhooks: readonly Webhook[]
  readonly shopUrl: string
  readonly setClock: (time: string) => void
  readonly control: (path: string, body: Json) => Promise<Json>
  readonly close: () => Promise<void>
}

export async function openWorld(): Promise<World> {
  const shop = await startShop()
  let offsetMs = 0
  const clock = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ now: new Date(Date.now() + offsetMs).toISOString() }))
  })
  const { url: shopUrl, webhooks } = shop
  const tabs = { payments: `${shopUrl}/settlements`, subscriptions: { url: `${shopUrl}/subscriptions`, version: '2026-01-01' } as const }
  const sandbox = await openSandbox({ pg: KEYS, clockUrl: await listen(clock), tabs })
  return {
    sdk: openSdk(`${sandbox.url}/pg`, KEYS),
    older: openSdk(`${sandbox.url}/pg`, KEYS, '2025-01-01'),
    webhooks,
    shopUrl,
    setClock(time) {
      offsetMs = Date.parse(`${time}+05:30`) - Date.now()
    },
    control: sandbox.control,
    async close() {
      await sandbox.close()
      await Promise.all([shop.close(), closeServer(clock)])
    },
  }
}

/** One expectation of the SDK's answers: it throws if it does not hold. */
export type Expectation = readonly [name: string, holds: (world: World) => Promise<void>]

let made = 0
export const freshId = (): string => `sdk${Date.now()}${made++}`

export const refusal = ({ status, data }: Answered): readonly [number, unknown] => [status, data.code]

/** An order of ₹30 that is paid, unless `outcome` says otherwise. */
export async function order({ sdk, control, shopUrl }: World, outcome: string | null = 'success'): Promise<Json> {
  const { data } = await sdk.call('PGCreateOrder', {
    order_id: freshId(),
    order_amount: 30,
    order_currency: 'INR',
    customer_details: { customer_id: 'u123', customer_phone: '9999999999' },
    order_meta: { notify_url: `${shopUrl}/orders` },
  })
  if (outcome !== null) await control(`/orders/${String(data.order_id)}/pay`, { outcome })
  return data
}

export const subscriptionBody = (more: Json = {}): Json => ({
  subscription_id: freshId(),
  customer_details: { customer_email: 'asha@example.com', customer_phone: '9999999999' },
  plan_details: { plan_name: 'Top-up', plan_type: 'ON_DEMAND', plan_max_amount: 30 },
  authorization_details: { authorization_amount: 30, payment_methods: ['upi'] },
  ...more,
})

/** A mandate that its payer approved; answers its id. */
export async function mandate({ sdk, control }: World): Promise<string> {
  const { data } = await sdk.call('SubsCreateSubscription', subscriptionBody())
  const id = String(data.subscription_id)
  await control(`/subscriptions/${id}`, { step: 'approve' })
  return id
}

export const charge = ({ sdk }: World, id: string, more: Json = {}): Promise<Answered> =>
  sdk.call('SubsCreatePayment', {
    subscription_id: id,
    payment_id: freshId(),
    payment_type: 'CHARGE',
    payment_amount: 30,
    payment_schedule_date: '2026-03-06',
    ...more,
  })
