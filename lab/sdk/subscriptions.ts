/** The SDK's expectations of plans, subscriptions, their payments and refunds. */
import { deepEqual, equal, match } from 'node:assert/strict'
import type { Answered, Json } from './sdk.ts'
import { charge, type Expectation, freshId, mandate, refusal, subscriptionBody, type World } from './world.ts'

const manage = ({ sdk }: World, id: string, action: string): Promise<Answered> =>
  sdk.call('SubsManageSubscription', id, { subscription_id: id, action })
const manageCharge = ({ sdk }: World, id: string, paymentId: unknown, action: string): Promise<Answered> =>
  sdk.call('SubsManageSubscriptionPayment', id, paymentId, { subscription_id: id, payment_id: paymentId, action })
const payments = async ({ sdk }: World, id: string): Promise<readonly Json[]> => (await sdk.call('SubsFetchSubscriptionPayments', id)).data

export const SUBSCRIPTIONS: readonly Expectation[] = [
  [
    'SubsCreatePlan, SubsFetchPlan: a plan is ACTIVE, and the same again',
    async ({ sdk }) => {
      const plan = { plan_id: freshId(), plan_name: 'Top-up', plan_type: 'ON_DEMAND', plan_max_amount: 30 }
      const { data } = await sdk.call('SubsCreatePlan', plan)
      equal(data.plan_status, 'ACTIVE')
      deepEqual((await sdk.call('SubsFetchPlan', plan.plan_id)).data, data)
    },
  ],
  [
    'SubsCreateSubscription: INITIALIZED with a session; without an email 400; the same id refused',
    async ({ sdk }) => {
      const body = subscriptionBody()
      const { data } = await sdk.call('SubsCreateSubscription', body)
      equal(data.subscription_status, 'INITIALIZED')
      match(String(data.subscription_session_id), /^sub_session_/)
      const nobody = subscriptionBody({ customer_details: { customer_phone: '9999999999' } })
      equal((await sdk.call('SubsCreateSubscription', nobody)).status, 400)
      equal((await sdk.call('SubsCreateSubscription', body)).status, 409)
    },
  ],
  [
    'SubsFetchSubscription: approved is ACTIVE with the UMN; unknown is 404',
    async (world) => {
      const { data } = await world.sdk.call('SubsFetchSubscription', await mandate(world))
      equal(data.subscription_status, 'ACTIVE')
      match(String((data.authorisation_details as Json).authorization_reference), /@/)
      deepEqual(refusal(await world.sdk.call('SubsFetchSubscription', 'nobody')), [404, 'subscription_does_not_exist'])
    },
  ],
  [
    'SubsCreatePayment: for the day after tomorrow INITIALIZED; today, the fifteenth day and too much 400',
    async (world) => {
      const id = await mandate(world)
      equal((await charge(world, id)).data.payment_status, 'INITIALIZED')
      for (const more of [{ payment_schedule_date: '2026-03-04' }, { payment_schedule_date: '2026-03-19' }, { payment_amount: 30.01 }]) {
        equal((await charge(world, id, more)).status, 400)
      }
    },
  ],
  [
    'SubsCreatePayment: for tomorrow before 21:00, and not after',
    async (world) => {
      const id = await mandate(world)
      for (const [time, status] of [
        ['2026-03-04T20:59:00', 200],
        ['2026-03-04T21:00:05', 400],
      ] as const) {
        world.setClock(time)
        equal((await charge(world, id, { payment_schedule_date: '2026-03-05' })).status, status)
      }
    },
  ],
  [
    'SubsCreatePayment: 400 if the subscription is not ACTIVE; a second AUTH is payment_mode_invalid_for_action',
    async (world) => {
      const { data } = await world.sdk.call('SubsCreateSubscription', subscriptionBody())
      equal((await charge(world, String(data.subscription_id))).status, 400)
      const auth = {
        subscription_id: data.subscription_id,
        subscription_session_id: data.subscription_session_id,
        payment_type: 'AUTH',
        payment_method: { upi: { channel: 'link' } },
      }
      equal((await world.sdk.call('SubsCreatePayment', { ...auth, payment_id: freshId() })).data.payment_status, 'INITIALIZED')
      await world.control(`/subscriptions/${String(data.subscription_id)}`, { step: 'approve' })
      deepEqual(refusal(await world.sdk.call('SubsCreatePayment', { ...auth, payment_id: freshId() })), [
        400,
        'payment_mode_invalid_for_action',
      ])
    },
  ],
  [
    'SubsFetchSubscriptionPayments, SubsFetchSubscriptionPayment: AUTH and CHARGE',
    async (world) => {
      const id = await mandate(world)
      const { payment_id: paymentId } = (await charge(world, id)).data
      const all = await payments(world, id)
      deepEqual(
        all.map((one) => one.payment_type),
        ['AUTH', 'CHARGE'],
      )
      deepEqual((await world.sdk.call('SubsFetchSubscriptionPayment', id, paymentId)).data, all[1])
    },
  ],
  [
    'SubsManageSubscriptionPayment: CANCEL is CANCELLED, and 400 after SUCCESS',
    async (world) => {
      const id = await mandate(world)
      const [open, done] = [(await charge(world, id)).data.payment_id, (await charge(world, id)).data.payment_id]
      equal((await manageCharge(world, id, open, 'CANCEL')).data.payment_status, 'CANCELLED')
      await world.control(`/charges/${String(done)}`, { status: 'SUCCESS' })
      equal((await manageCharge(world, id, done, 'CANCEL')).status, 400)
    },
  ],
  [
    'SubsManageSubscription: PAUSE is 400; CANCEL cancels the open charge too',
    async (world) => {
      const id = await mandate(world)
      await charge(world, id)
      equal((await manage(world, id, 'PAUSE')).status, 400)
      equal((await manage(world, id, 'CANCEL')).data.subscription_status, 'CANCELLED')
      deepEqual(
        (await payments(world, id)).map((one) => one.payment_status),
        ['SUCCESS', 'CANCELLED'],
      )
    },
  ],
  [
    'PGSimulatePayment: SUBS_PAYMENTS debits a charge',
    async (world) => {
      const id = await mandate(world)
      const { payment_id: paymentId } = (await charge(world, id)).data
      const simulation = { entity: 'SUBS_PAYMENTS', entity_id: paymentId, entity_simulation: { payment_status: 'SUCCESS' } }
      equal((await world.sdk.call('PGSimulatePayment', simulation)).status, 200)
      equal((await world.sdk.call('SubsFetchSubscriptionPayment', id, paymentId)).data.payment_status, 'SUCCESS')
    },
  ],
  [
    'SubsCreateRefund, SubsFetchSubscriptionRefund: a refund is found again; INSTANT is 400',
    async (world) => {
      const id = await mandate(world)
      const [auth] = await payments(world, id)
      const refund = { subscription_id: id, payment_id: auth?.payment_id, refund_id: freshId(), refund_amount: 10 }
      const { data } = await world.sdk.call('SubsCreateRefund', id, { ...refund, refund_note: 'SUCCESS' })
      equal(data.refund_status, 'SUCCESS')
      deepEqual((await world.sdk.call('SubsFetchSubscriptionRefund', id, refund.refund_id)).data, data)
      equal((await world.sdk.call('SubsCreateRefund', id, { ...refund, refund_id: freshId(), refund_speed: 'INSTANT' })).status, 400)
    },
  ],
]
