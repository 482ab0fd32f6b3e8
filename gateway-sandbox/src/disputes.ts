/**
 * The life of a dispute: a payer contests a payment at their bank.
 *
 * - Only a successful payment can be disputed. A subscription's payment has an order of the gateway's own.
 * - A decision is final within its stage. Only a later stage, or `force`, reopens the dispute.
 * - No dispute changes by itself: each step is a control call.
 */
import type { Parts } from './calls.ts'
import { indianTime } from './clock.ts'
import { decimals, rupees } from './entities.ts'
import type { Dispute, DisputeStage, DisputeStep, Event } from './model.ts'
import { noDispute, noOrder, noPayment, noSuchStep, orderNotPaid } from './refusals.ts'
import type { Store } from './store.ts'
import type { Charge, Subscription } from './subscriptions/model.ts'

const RESPOND_WITHIN_MS = 7 * 86_400_000
export const STAGES = ['RETRIEVAL', 'DISPUTE', 'CHARGEBACK', 'PRE_ARBITRATION', 'ARBITRATION'] as const satisfies readonly DisputeStage[]
const DECIDED = ['MERCHANT_WON', 'MERCHANT_LOST', 'MERCHANT_ACCEPTED', 'INSUFFICIENT_EVIDENCE'] as const satisfies readonly DisputeStep[]
export const STEPS = ['CREATED', 'DOCS_RECEIVED', 'UNDER_REVIEW', ...DECIDED] as const satisfies readonly DisputeStep[]

const isDecided = (step: DisputeStep): boolean => DECIDED.some((decided) => decided === step)

/** The payment that a dispute is about. Webhooks of an order's payment go to the order's address, others to the payments tab. */
export type Disputed = {
  readonly orderId: string
  readonly cfPaymentId: string
  readonly amountPaise: number
  readonly customer: { readonly name: string | null; readonly phone: string; readonly email: string | null }
  readonly notifyUrl: string | null
}

export function orderDisputed(store: Store, orderId: string): Disputed {
  const order = store.orders.get(orderId)
  if (order === undefined) throw noOrder()
  const paid = store.attemptsOf(orderId).findLast((attempt) => attempt.status === 'SUCCESS')
  if (paid === undefined) throw orderNotPaid()
  return { ...order, cfPaymentId: paid.cfPaymentId }
}

export function chargeDisputed({ store, tabs }: Parts, charge: Charge): Disputed {
  if (charge.status !== 'SUCCESS') throw orderNotPaid()
  const { customer } = store.subscriptions.get(charge.subscriptionId) as Subscription
  const { cfOrderId: orderId, cfPaymentId, amountPaise } = charge
  return { orderId, cfPaymentId, amountPaise, customer, notifyUrl: tabs.payments ?? null }
}

/** The payment of a dispute, whatever became of it since. */
function disputedOf(parts: Parts, { orderId, cfPaymentId }: Dispute): Disputed {
  const order = parts.store.orders.get(orderId)
  if (order !== undefined) return { ...order, cfPaymentId }
  return chargeDisputed(parts, { ...(parts.store.charges.get(cfPaymentId) as Charge), status: 'SUCCESS' })
}

export function raiseDispute(
  store: Store,
  disputed: Disputed,
  { stage, amountPaise }: { readonly stage: DisputeStage; readonly amountPaise: number | undefined },
  nowMs: number,
): Dispute {
  const dispute: Dispute = {
    disputeId: store.nextCfId(),
    orderId: disputed.orderId,
    cfPaymentId: disputed.cfPaymentId,
    amountPaise: amountPaise ?? disputed.amountPaise,
    stage,
    step: 'CREATED',
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    respondByMs: nowMs + RESPOND_WITHIN_MS,
  }
  store.put({ kind: 'dispute', value: dispute })
  return dispute
}

export function readDispute(store: Store, disputeId: string): Dispute {
  const dispute = store.disputes.get(disputeId)
  if (dispute === undefined) throw noDispute()
  return dispute
}

export function disputesOfPayment(store: Store, cfPaymentId: string): Dispute[] {
  if (!store.attempts.has(cfPaymentId) && !store.charges.has(cfPaymentId)) throw noPayment()
  return [...store.disputes.values()].filter((dispute) => dispute.cfPaymentId === cfPaymentId)
}

/** Plays the banks: takes a step within the stage, or opens a later stage. `force` allows any step. */
export function moveDispute(
  store: Store,
  disputeId: string,
  move: { readonly stage: DisputeStage | undefined; readonly step: DisputeStep; readonly force: boolean },
  nowMs: number,
): Dispute {
  const dispute = readDispute(store, disputeId)
  const { stage = dispute.stage, step } = move
  const isLater = STAGES.indexOf(stage) > STAGES.indexOf(dispute.stage)
  const isStep = stage === dispute.stage && !isDecided(dispute.step) && step !== 'CREATED'
  if (!move.force && !isLater && !isStep) throw noSuchStep(statusOf(dispute), `${stage}_${step}`)
  // As a transfer's: a restart may set the clock back, and the product takes an older state for no news.
  const moved: Dispute = { ...dispute, stage, step, updatedAtMs: Math.max(nowMs, dispute.updatedAtMs) }
  store.put({ kind: 'dispute', value: moved })
  return moved
}

const statusOf = ({ stage, step }: Dispute): string => `${stage}_${step}`

const shape = (dispute: Dispute, shownId: unknown, amount: unknown): Record<string, unknown> => ({
  dispute_id: shownId,
  dispute_type: dispute.stage,
  reason_code: '4855',
  reason_description: 'Goods or services not provided',
  dispute_amount: amount,
  dispute_amount_currency: 'INR',
  created_at: indianTime(dispute.createdAtMs),
  updated_at: indianTime(dispute.updatedAtMs),
  respond_by: indianTime(dispute.respondByMs),
  dispute_status: statusOf(dispute),
  cf_dispute_remarks: null,
})

const about = ({ orderId }: Disputed, dispute: Dispute, amount: unknown): Record<string, unknown> => ({
  order_id: orderId,
  order_amount: amount,
  order_currency: 'INR',
  cf_payment_id: Number(dispute.cfPaymentId),
  payment_amount: amount,
  payment_currency: 'INR',
})

const customer = ({ customer: { name, phone, email } }: Disputed): Record<string, unknown> => ({
  customer_name: name,
  customer_phone: phone,
  customer_email: email,
})

/** The API writes a dispute's id as a number; webhooks write it as text. */
export function disputeEntity(parts: Parts, dispute: Dispute): Record<string, unknown> {
  const disputed = disputedOf(parts, dispute)
  return {
    ...shape(dispute, Number(dispute.disputeId), rupees(dispute.amountPaise)),
    resolved_at: isDecided(dispute.step) ? indianTime(dispute.updatedAtMs) : null,
    preferred_evidence: [],
    dispute_evidence: [],
    order_details: about(disputed, dispute, rupees(disputed.amountPaise)),
    customer_details: customer(disputed),
  }
}

export function disputeEvent(parts: Parts, dispute: Dispute, isNew: boolean, nowMs: number): Event | undefined {
  const disputed = disputedOf(parts, dispute)
  if (disputed.notifyUrl === null) return undefined
  const type = isNew ? 'DISPUTE_CREATED' : isDecided(dispute.step) ? 'DISPUTE_CLOSED' : 'DISPUTE_UPDATED'
  const told = { ...shape(dispute, dispute.disputeId, decimals(dispute.amountPaise)), dispute_action_on: 'MERCHANT' }
  const order_details = about(disputed, dispute, decimals(disputed.amountPaise))
  const body = JSON.stringify({
    data: { dispute: told, order_details, customer_details: customer(disputed) },
    event_time: indianTime(nowMs),
    type,
  })
  return { channel: 'pg', subject: `dispute:${dispute.disputeId}`, type, url: disputed.notifyUrl, body }
}
