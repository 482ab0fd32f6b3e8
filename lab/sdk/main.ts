/**
 * npm run lab -- sdk: the gateway's own SDK as a client of the gateway sandbox.
 *
 * - The exit code is the number of expectations that do not hold.
 * - At the end every webhook that was sent must pass the SDK's own check, and a changed one must not.
 */
import { throws } from 'node:assert/strict'
import { createRequire } from 'node:module'
import type { Webhook } from '../../server/src/testing/gateway-calls.ts'
import { ORDERS } from './orders.ts'
import { SDK } from './sdk.ts'
import { SETTLEMENTS } from './settlements.ts'
import { SUBSCRIPTIONS } from './subscriptions.ts'
import { charge, type Expectation, mandate, openWorld, order, type World } from './world.ts'

/** A Wednesday. */
const NOON = '2026-03-04T12:00:00'

/** Webhooks that the expectations before must have caused, each at least once. */
const TYPES = [
  'PAYMENT_SUCCESS_WEBHOOK',
  'REFUND_STATUS_WEBHOOK',
  'DISPUTE_CREATED',
  'SETTLEMENT_INITIATED',
  'SETTLEMENT_SUCCESS',
  'SUBSCRIPTION_STATUS_CHANGED',
  'SUBSCRIPTION_AUTH_STATUS',
  'SUBSCRIPTION_PAYMENT_SUCCESS',
  'SUBSCRIPTION_PAYMENT_CANCELLED',
  'SUBSCRIPTION_REFUND_STATUS',
] as const
const NOTICES = ['AUTO_REFUND_STATUS_WEBHOOK', 'PAYMENT_CHARGES_WEBHOOK'] as const
const OTHER_TYPES = [
  ...NOTICES,
  'PAYMENT_FAILED_WEBHOOK',
  'PAYMENT_USER_DROPPED_WEBHOOK',
  'DISPUTE_UPDATED',
  'DISPUTE_CLOSED',
  'SETTLEMENT_FAILED',
  'SETTLEMENT_REVERSED',
  'SUBSCRIPTION_PAYMENT_NOTIFICATION_INITIATED',
  'SUBSCRIPTION_PAYMENT_FAILED',
] as const

const verifiedAs = ({ sdk }: World, { headers, bytes }: Webhook, body = String(bytes)): string =>
  sdk.verify(headers['x-webhook-signature'] ?? '', body, headers['x-webhook-timestamp'] ?? '').type

/** The webhooks since `first`, once each of the types is among them. Each must pass the SDK's check. */
async function verified(world: World, first: number, types: readonly string[]): Promise<World['webhooks']> {
  const until = Date.now() + 20_000
  for (;;) {
    const webhooks = world.webhooks.slice(first)
    const seen = new Set(webhooks.map((webhook) => verifiedAs(world, webhook)))
    const missing = types.filter((type) => !seen.has(type))
    if (missing.length === 0) return webhooks
    if (Date.now() > until) throw new Error(`no webhook ${missing.join(', ')}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const WEBHOOKS: readonly Expectation[] = [
  [
    'PGVerifyWebhookSignature: every webhook passes, a changed one does not',
    async (world) => {
      for (const webhook of await verified(world, 0, TYPES)) throws(() => verifiedAs(world, webhook, `${String(webhook.bytes)} `))
    },
  ],
  [
    'PGVerifyWebhookSignature: those of failures, disputes and reversals pass too',
    async (world) => {
      const { control, sdk } = world
      const first = world.webhooks.length
      const { payment_id: paymentId } = (await charge(world, await mandate(world))).data
      for (const status of ['NOTIFIED', 'FAILED']) await control(`/charges/${String(paymentId)}`, { status })
      for (const outcome of ['failed', 'dropped']) await order(world, outcome)
      const { order_id: orderId } = await order(world)
      for (const type of NOTICES) await control(`/orders/${String(orderId)}/notices`, { type })
      const { dispute_id: disputeId } = await control(`/orders/${String(orderId)}/dispute`, { stage: 'DISPUTE' })
      for (const step of ['UNDER_REVIEW', 'MERCHANT_WON']) await control(`/disputes/${String(disputeId)}`, { step })
      const { cf_settlement_id: settlementId } = await control('/settle', { order_ids: [orderId] })
      await control(`/settlements/${String(settlementId)}`, { status: 'REVERSED' })
      await sdk.call('PGSimulateSettlement', { merchantOrderIds: [(await order(world)).order_id], status: 'FAILED' })
      await verified(world, first, OTHER_TYPES)
    },
  ],
]

const { version } = createRequire(import.meta.url)(`${SDK}/package.json`) as { readonly version: string }
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const world = await openWorld()
let failures = 0
const all = [...ORDERS, ...SETTLEMENTS, ...SUBSCRIPTIONS, ...WEBHOOKS]
for (const [name, holds] of all) {
  world.setClock(NOON)
  try {
    await holds(world)
    say(`✓ ${name}`)
  } catch (cause) {
    failures += 1
    say(`✗ ${name}\n  ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}
await world.close()
say(`\n${SDK} ${version}: ${all.length - failures} of ${all.length} expectations hold; ${world.webhooks.length} webhooks verified`)
process.exit(failures)
