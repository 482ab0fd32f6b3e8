/** The SDK's expectations of orders, payments, refunds and disputes. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import type { Json } from './sdk.ts'
import { type Expectation, freshId, order, refusal } from './world.ts'

export const ORDERS: readonly Expectation[] = [
  [
    'PGCreateOrder, PGFetchOrder: an order is ACTIVE with a session, and found again',
    async (world) => {
      const made = await order(world, null)
      equal(made.order_status, 'ACTIVE')
      match(String(made.payment_session_id), /^session_/)
      deepEqual((await world.sdk.call('PGFetchOrder', made.order_id)).data, made)
      deepEqual(refusal(await world.sdk.call('PGFetchOrder', 'nobody')), [404, 'order_not_found'])
    },
  ],
  [
    'PGTerminateOrder: an unpaid order is TERMINATED',
    async (world) => {
      const { order_id: id } = await order(world, null)
      equal((await world.sdk.call('PGTerminateOrder', id, { order_status: 'TERMINATED' })).data.order_status, 'TERMINATED')
    },
  ],
  [
    'PGOrderFetchPayments, PGOrderFetchPayment: the payment of a paid order',
    async (world) => {
      const { order_id: id } = await order(world)
      const [payment] = (await world.sdk.call('PGOrderFetchPayments', id)).data
      equal(payment?.payment_status, 'SUCCESS')
      deepEqual((await world.sdk.call('PGOrderFetchPayment', id, payment?.cf_payment_id)).data, payment)
    },
  ],
  [
    'PGPayOrder: link and qrcode are custom, with what the UPI app opens',
    async (world) => {
      for (const [channel, field] of [
        ['link', 'default'],
        ['qrcode', 'qrcode'],
      ] as const) {
        const { payment_session_id: session } = await order(world, null)
        const { status, data } = await world.sdk.call('PGPayOrder', { payment_session_id: session, payment_method: { upi: { channel } } })
        deepEqual([status, data.action, data.channel, data.payment_method], [200, 'custom', channel, 'upi'])
        match(String((data.data as { payload: Record<string, string> }).payload[field]), /^upi:\/\/pay\?/)
      }
    },
  ],
  [
    'PGSimulatePayment, PGFetchSimulation: PAYMENTS pays an attempt',
    async (world) => {
      const { order_id: id, payment_session_id: session } = await order(world, null)
      const { data: begun } = await world.sdk.call('PGPayOrder', {
        payment_session_id: session,
        payment_method: { upi: { channel: 'link' } },
      })
      const played = { entity: 'PAYMENTS', entity_id: begun.cf_payment_id, entity_simulation: { payment_status: 'SUCCESS' } }
      const { data } = await world.sdk.call('PGSimulatePayment', played)
      deepEqual((await world.sdk.call('PGFetchSimulation', data.simulation_id)).data, data)
      equal((await world.sdk.call('PGFetchOrder', id)).data.order_status, 'PAID')
    },
  ],
  [
    'PGOrderCreateRefund, PGOrderFetchRefund, PGOrderFetchRefunds: a refund is PENDING and listed',
    async (world) => {
      const { order_id: id } = await order(world)
      const refundId = freshId()
      const { data } = await world.sdk.call('PGOrderCreateRefund', id, { refund_id: refundId, refund_amount: 10 })
      equal(data.refund_status, 'PENDING')
      deepEqual((await world.sdk.call('PGOrderFetchRefund', id, refundId)).data, data)
      deepEqual((await world.sdk.call('PGOrderFetchRefunds', id)).data, [data])
      await world.control(`/refunds/${refundId}`, { status: 'SUCCESS' })
    },
  ],
  [
    'PGFetchOrderDisputes, PGFetchPaymentDisputes, PGFetchDisputeByID: a dispute is found by its order, its payment and its number',
    async (world) => {
      const { order_id: id } = await order(world)
      const { dispute_id: disputeId } = await world.control(`/orders/${String(id)}/dispute`, { stage: 'CHARGEBACK' })
      const [found] = (await world.sdk.call('PGFetchOrderDisputes', id)).data
      equal(found?.dispute_id, disputeId)
      deepEqual((await world.sdk.call('PGFetchPaymentDisputes', (found as { order_details: Json }).order_details.cf_payment_id)).data, [
        found,
      ])
      const { data } = await world.sdk.call('PGFetchDisputeByID', disputeId)
      ok(String(data.dispute_status).startsWith('CHARGEBACK'))
    },
  ],
]
