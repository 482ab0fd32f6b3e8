/**
 * The life of a dispute: a payer contests a payment at their bank.
 *
 * - Only a paid order can be disputed.
 * - A decision is final within its stage. Only a later stage, or `force`, reopens the dispute.
 * - No dispute changes by itself: each step is a control call.
 */
import { indianTime } from './clock.ts'
import { decimals, rupees } from './entities.ts'
import type { Dispute, DisputeStage, DisputeStep, Event, Order } from './model.ts'
import { noDispute, noOrder, noSuchStep, orderNotPaid } from './refusals.ts'
import type { Store } from './store.ts'

const RESPOND_WITHIN_MS = 7 * 86_400_000
export const STAGES = ['RETRIEVAL', 'DISPUTE', 'CHARGEBACK', 'PRE_ARBITRATION', 'ARBITRATION'] as const satisfies readonly DisputeStage[]
const DECIDED = ['MERCHANT_WON', 'MERCHANT_LOST', 'MERCHANT_ACCEPTED', 'INSUFFICIENT_EVIDENCE'] as const satisfies readonly DisputeStep[]
export const STEPS = ['CREATED', 'DOCS_RECEIVED', 'UNDER_REVIEW', ...DECIDED] as const satisfies readonly DisputeStep[]

const isDecided = (step: DisputeStep): boolean => DECIDED.some((decided) => decided === step)

export function raiseDispute(
  store: Store,
  orderId: string,
  { stage, amountPaise }: { readonly stage: DisputeStage; readonly amountPaise: number | undefined },
  nowMs: number,
): Dispute {
  const order = store.orders.get(orderId)
  if (order === undefined) throw noOrder()
  const paid = store.attemptsOf(orderId).findLast((attempt) => attempt.status === 'SUCCESS')
  if (paid === undefined) throw orderNotPaid()
  const dispute: Dispute = {
    disputeId: store.nextCfId(),
    orderId,
    cfPaymentId: paid.cfPaymentId,
    amountPaise: amountPaise ?? order.amountPaise,
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
  const moved: Dispute = { ...dispute, stage, step, updatedAtMs: nowMs }
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

const about = (order: Order, dispute: Dispute, amount: unknown): Record<string, unknown> => ({
  order_id: order.orderId,
  order_amount: amount,
  order_currency: 'INR',
  cf_payment_id: Number(dispute.cfPaymentId),
  payment_amount: amount,
  payment_currency: 'INR',
})

const customer = ({ customer: { name, phone, email } }: Order): Record<string, unknown> => ({
  customer_name: name,
  customer_phone: phone,
  customer_email: email,
})

const orderOf = (store: Store, dispute: Dispute): Order => store.orders.get(dispute.orderId) as Order

/** The API writes a dispute's id as a number; webhooks write it as text. */
export function disputeEntity(store: Store, dispute: Dispute): Record<string, unknown> {
  const order = orderOf(store, dispute)
  return {
    ...shape(dispute, Number(dispute.disputeId), rupees(dispute.amountPaise)),
    resolved_at: isDecided(dispute.step) ? indianTime(dispute.updatedAtMs) : null,
    preferred_evidence: [],
    dispute_evidence: [],
    order_details: about(order, dispute, rupees(order.amountPaise)),
    customer_details: customer(order),
  }
}

export function disputeEvent(store: Store, dispute: Dispute, isNew: boolean, nowMs: number): Event | undefined {
  const order = orderOf(store, dispute)
  if (order.notifyUrl === null) return undefined
  const type = isNew ? 'DISPUTE_CREATED' : isDecided(dispute.step) ? 'DISPUTE_CLOSED' : 'DISPUTE_UPDATED'
  const told = { ...shape(dispute, dispute.disputeId, decimals(dispute.amountPaise)), dispute_action_on: 'MERCHANT' }
  const data = { dispute: told, order_details: about(order, dispute, decimals(order.amountPaise)), customer_details: customer(order) }
  const body = JSON.stringify({ data, event_time: indianTime(nowMs), type })
  return { channel: 'pg', subject: `dispute:${dispute.disputeId}`, type, url: order.notifyUrl, body }
}
