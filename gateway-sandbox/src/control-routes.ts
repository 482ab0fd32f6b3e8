/**
 * The control API under /__sandbox: people and tests play the payer, the bank and a bad network.
 *
 * - 200 carries the record that moved. 400: unknown body. 404: unknown id. 409: the state does not allow the step.
 * - A call needs a JSON content type, so no web page of another origin can make one.
 */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Parts } from './calls.ts'
import { controlsOf, force, webhookCopies, webhooksOf } from './control-views.ts'
import { chargeDisputed, type Disputed, disputeEntity, orderDisputed, readDispute, STAGES, STEPS } from './disputes.ts'
import { orderEntity, paymentEntity, refundEntity } from './entities.ts'
import { faultSwitches } from './faults.ts'
import type { AttemptStatus, Dispute, Refund, Transfer } from './model.ts'
import { advanceTransfers, playDispute, playNewDispute, playOrder, playRefund, playTransfer } from './moves.ts'
import { noticeControl } from './notices.ts'
import { readOrder } from './orders.ts'
import { beneficiaryEntity, transferEntity } from './payout-entities.ts'
import { readTransfer, setBeneficiary } from './payouts.ts'
import { badUrl, noRefund, Refusal } from './refusals.ts'
import type { Store } from './store.ts'
import { settlementControl } from './settlements/control-routes.ts'
import { readCharge } from './subscriptions/charges.ts'
import { subscriptionControl } from './subscriptions/control-routes.ts'
import { verificationControl } from './verification/control-routes.ts'

/** Outcomes that the payer can choose: the hosted page has one button for each. */
export const OUTCOMES = { success: 'SUCCESS', failed: 'FAILED', pending: 'PENDING', dropped: 'USER_DROPPED' } as const satisfies Record<
  string,
  AttemptStatus
>

/** Outcomes that only a bank or a risk check can cause: the hosted page has no button for them. */
const RARE = { not_attempted: 'NOT_ATTEMPTED', flagged: 'FLAGGED', void: 'VOID', cancelled: 'CANCELLED' } as const satisfies Record<
  string,
  AttemptStatus
>
const ALL = { ...OUTCOMES, ...RARE }

const webhooks = webhookCopies

/** `again`: makes a second payment for an order that is already paid. */
const payment = z.strictObject({ outcome: z.enum(Object.keys(ALL) as (keyof typeof ALL)[]), webhooks, again: z.boolean().default(false) })

const refundMove = z.strictObject({ status: z.enum(['PENDING', 'ONHOLD', 'SUCCESS', 'CANCELLED', 'FAILED']), webhooks, force })

/** Without an amount the whole payment is disputed. */
const newDispute = z.strictObject({ stage: z.enum(STAGES).default('CHARGEBACK'), amount: z.number().positive().optional(), webhooks })
const disputeMove = z.strictObject({ stage: z.enum(STAGES).optional(), step: z.enum(STEPS), webhooks, force })

const transferMove = z.strictObject({
  status: z.enum(['RECEIVED', 'APPROVAL_PENDING', 'QUEUED', 'PENDING', 'SUCCESS', 'FAILED', 'REJECTED', 'MANUALLY_REJECTED', 'REVERSED']),
  status_code: z
    .string()
    .regex(/^[A-Z_]{1,60}$/)
    .optional(),
  webhooks,
  force,
})

const beneficiaryMove = z.strictObject({ status: z.enum(['VERIFIED', 'INVALID', 'INITIATED', 'CANCELLED', 'FAILED', 'DELETED']) })

export function controlRoutes(app: FastifyInstance, parts: Parts): void {
  const { store } = parts
  const { press, show } = controlsOf(app, parts)
  app.setNotFoundHandler(() => {
    throw badUrl()
  })
  press('/orders/:orderId/pay', payment, ({ outcome, webhooks: copies, again }, { params, nowMs }) => {
    step(() => playOrder(parts, params.orderId, { outcome: ALL[outcome], again }, copies, nowMs))
    return orderView(store, params.orderId, nowMs)
  })
  show('/orders/:orderId', ({ params, nowMs }) => orderView(store, params.orderId, nowMs))
  press('/refunds/:refundId', refundMove, (move, { params, nowMs }) =>
    refundView(store, playRefund(parts, params.refundId, move, move.webhooks, nowMs)),
  )
  show('/refunds/:refundId', ({ params }) => {
    const refund = store.refunds.get(params.refundId)
    if (refund === undefined) throw noRefund()
    return refundView(store, refund)
  })
  const dispute = ({ stage, amount, webhooks: copies }: z.infer<typeof newDispute>, disputed: () => Disputed, nowMs: number) => {
    const raised = { stage, amountPaise: amount === undefined ? undefined : Math.round(amount * 100) }
    return disputeView(
      parts,
      step(() => playNewDispute(parts, disputed(), raised, copies, nowMs)),
    )
  }
  press('/orders/:orderId/dispute', newDispute, (asked, { params, nowMs }) =>
    dispute(asked, () => orderDisputed(store, params.orderId), nowMs),
  )
  press('/charges/:paymentId/dispute', newDispute, (asked, { params, nowMs }) =>
    dispute(asked, () => chargeDisputed(parts, readCharge(store, params.paymentId)), nowMs),
  )
  press('/disputes/:disputeId', disputeMove, ({ webhooks: copies, stage, ...move }, { params, nowMs }) =>
    disputeView(parts, playDispute(parts, params.disputeId, { ...move, stage }, copies, nowMs)),
  )
  show('/disputes/:disputeId', ({ params }) => disputeView(parts, readDispute(store, params.disputeId)))
  press('/transfers/:transferId', transferMove, ({ status_code: statusCode, ...move }, { params, nowMs }) => {
    advanceTransfers(parts, nowMs)
    return transferView(store, playTransfer(parts, params.transferId, { ...move, statusCode }, move.webhooks, nowMs))
  })
  show('/transfers/:transferId', ({ params, nowMs }) => {
    advanceTransfers(parts, nowMs)
    return transferView(store, readTransfer(store, params.transferId))
  })
  press('/beneficiaries/:beneficiaryId', beneficiaryMove, ({ status }, { params }) =>
    beneficiaryEntity(setBeneficiary(store, params.beneficiaryId, status)),
  )
  noticeControl(app, parts)
  subscriptionControl(app, parts)
  settlementControl(app, parts)
  verificationControl(app, parts)
  show('/faults', () => store.faults())
  press('/faults', faultSwitches, (value) => {
    store.put({ kind: 'faults', value })
    return store.faults()
  })
}

/** Answers 409 where the API would answer 400: the requested step is impossible. */
function step<T>(move: () => T): T {
  try {
    return move()
  } catch (cause) {
    if (cause instanceof Refusal && (cause.code === 'order_inactive' || cause.code === 'order_not_paid'))
      throw new Refusal(409, cause.message, cause.code)
    throw cause
  }
}

/** The order entity, its payment attempts and every webhook sent for it. */
function orderView(store: Store, orderId: string, nowMs: number): Record<string, unknown> {
  const order = readOrder(store, orderId, nowMs)
  return {
    ...orderEntity(order),
    payments: store.attemptsOf(orderId).map((attempt) => paymentEntity(order, attempt)),
    refunds: store.refundsOf(orderId).map(refundEntity),
    webhooks: webhooksOf(store, `order:${orderId}`),
  }
}

const refundView = (store: Store, refund: Refund): Record<string, unknown> => ({
  ...refundEntity(refund),
  webhooks: webhooksOf(store, `refund:${refund.refundId}`),
})

const disputeView = (parts: Parts, dispute: Dispute): Record<string, unknown> => ({
  ...disputeEntity(parts, dispute),
  webhooks: webhooksOf(parts.store, `dispute:${dispute.disputeId}`),
})

const transferView = (store: Store, transfer: Transfer): Record<string, unknown> => ({
  ...transferEntity(transfer),
  webhooks: webhooksOf(store, `transfer:${transfer.transferId}`),
})
