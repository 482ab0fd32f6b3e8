/**
 * The part of the load that returns money: refunds, payments for orders that are not ours, and disputes.
 * - Administrators decide them, or the banks move them on.
 * - A call that could move money is in the journal before it leaves.
 */
import { randomUUID } from 'node:crypto'
import type { Operations } from './operations.ts'
import type { Journal } from './journal.ts'
import type { Member } from './members.ts'
import type { Calls, Reply } from './patient-calls.ts'
import type { Dice } from './random.ts'

/** A decision for an administrator. */
export type Decision = {
  readonly of: 'withdrawals' | 'refunds' | 'suspense'
  readonly id: string
  readonly memberId: string
  readonly verb: 'approve' | 'reject' | 'credit' | 'refund'
  readonly key: string
  readonly body?: object
  /** The administrator who decides; the first one by default. */
  readonly by?: 0 | 1
}
/** The effect of a voice that needs another person's before anything moves. */
const VOICE = 'the first voice about '
export const firstVoiceOf = (item: string): string => `${VOICE}${item}`
export const isFirstVoice = (effect: string): boolean => effect.startsWith(VOICE)

type ReturnsDeps = {
  readonly operations: Operations
  readonly gateway: Calls
  readonly journal: Journal
  readonly dice: Dice
  readonly decide: (decision: Decision) => void
  readonly complain: (complaint: string) => void
  /** Read as an administrator; undefined while none is logged in. */
  readonly openItems: () => Promise<readonly { readonly id: string }[]>
  readonly noticeUrl: () => string
}

const KEPT_MAX = 60
const KEYS = { 'x-api-version': '2025-01-01', 'x-client-id': 'sandbox-client', 'x-client-secret': 'sandbox-secret' }
const STEPS = ['DOCS_RECEIVED', 'UNDER_REVIEW', 'MERCHANT_WON', 'MERCHANT_LOST', 'MERCHANT_ACCEPTED'] as const
const STAGES = ['RETRIEVAL', 'DISPUTE', 'CHARGEBACK', 'PRE_ARBITRATION', 'ARBITRATION'] as const

export function createReturns({ operations, gateway, journal, dice, decide, complain, openItems, noticeUrl }: ReturnsDeps) {
  const { operation, ok, field } = operations
  /** Paid orders that can be disputed, disputes under way, and refunds that were sent to the gateway. */
  const paid: { readonly orderId: string; readonly memberId: string }[] = []
  const disputes: string[] = []
  const sent: string[] = []
  const copies = (): number => 1 + dice.below(2)

  async function ask(member: Member): Promise<void> {
    const listed = await operations.calls.patiently({ method: 'GET', path: '/api/wallet/refunds', token: member.token })
    const refundable = (listed.body.refundable ?? []) as readonly { readonly order_id: string; readonly unused: number }[]
    const whole = refundable.filter(({ unused }) => unused >= 1)
    if (whole.length === 0) return
    const { order_id, unused } = dice.pick(whole)
    const amount = 1 + dice.below(Math.floor(unused))
    const { effect: id } = await operation(
      { kind: 'refund', memberId: member.id, paise: amount * 100, subject: order_id },
      { path: '/api/wallet/refunds', token: member.token, key: randomUUID(), body: { order_id, amount, reason: 'It was too much.' } },
      (answer) => (ok(answer) ? field(answer.body.refund, 'id') : undefined),
    )
    if (id === undefined) return
    const verb = dice.chance(0.8) ? 'approve' : 'reject'
    decide({
      of: 'refunds',
      id,
      memberId: member.id,
      verb,
      key: randomUUID(),
      ...(verb === 'reject' ? { body: { reason: 'Spent.' } } : {}),
    })
  }

  /** Plays the bank: most refunds succeed, some fail, a few fail after they had succeeded. */
  async function endRefund(): Promise<void> {
    const id = sent.shift()
    if (id === undefined) return
    const play = (of: 'refunds' | 'charge-refunds', body: object) =>
      gateway.patiently({ path: `/__sandbox/${of}/${id.replaceAll('-', '')}`, body: { ...body, webhooks: copies() } })
    const status = dice.chance(0.75) ? 'SUCCESS' : 'FAILED'
    const first = await play('refunds', { status })
    // A payment of AutoPay has refunds of its own.
    const of = first.status === 404 ? 'charge-refunds' : 'refunds'
    const reply = first.status === 404 ? await play(of, { status }) : first
    if (reply.status === 404) sent.push(id)
    else if (reply.status === 200 && status === 'SUCCESS' && dice.chance(0.15)) await play(of, { status: 'FAILED', force: true })
  }

  /** Pays an order at the gateway that we never made: only its webhook tells us of it. */
  async function payStrange(): Promise<void> {
    const orderId = `strange_${randomUUID()}`
    const order = {
      order_id: orderId,
      order_amount: dice.pick([10, 15, 25]),
      order_currency: 'INR',
      customer_details: { customer_id: 'stranger', customer_phone: '9876543210' },
      order_meta: { notify_url: `${noticeUrl()}/api/webhooks/cashfree` },
    }
    const made = await gateway.patiently({ path: '/pg/orders', headers: KEYS, body: order })
    // 409: it exists, and the answer was lost.
    if (!ok(made) && made.status !== 409) return complain(`the gateway answered ${made.status} to a strange order`)
    const id = journal.tried({ kind: 'strange', memberId: '0', paise: order.order_amount * 100, subject: orderId })
    await gateway.patiently({ path: `/__sandbox/orders/${orderId}/pay`, body: { outcome: 'success', webhooks: copies() } })
    const { body } = await gateway.patiently({ method: 'GET', path: `/__sandbox/orders/${orderId}` })
    if (body.order_status !== 'PAID') return journal.refused(id, String(body.order_status), false)
    journal.told(id, orderId)
    remember(orderId, '0')
  }

  async function chooseItem(member: Member): Promise<void> {
    const items = await openItems()
    if (items.length === 0) return
    const { id } = dice.pick(items)
    const verb = dice.chance(0.6) ? 'credit' : 'refund'
    const body = verb === 'credit' ? { body: { memberId: member.publicId } } : {}
    decide({ of: 'suspense', id, memberId: member.id, verb, key: randomUUID(), ...body })
  }

  function remember(orderId: string, memberId: string): void {
    paid.push({ orderId, memberId })
    if (paid.length > KEPT_MAX) paid.shift()
  }

  async function raise(): Promise<void> {
    if (paid.length === 0) return
    const { orderId, memberId } = paid.splice(dice.below(paid.length), 1)[0] as (typeof paid)[number]
    const id = journal.tried({ kind: 'dispute', memberId, subject: orderId })
    const body = { stage: dice.pick(STAGES.slice(0, 3)), webhooks: copies(), ...(dice.chance(0.3) ? { amount: 5 } : {}) }
    const reply: Reply = await gateway.patiently({ path: `/__sandbox/orders/${orderId}/dispute`, body })
    if (!ok(reply)) return journal.refused(id, String(reply.status), reply.first)
    const disputeId = field(reply.body, 'dispute_id')
    journal.told(id, disputeId)
    disputes.push(disputeId)
    if (disputes.length > KEPT_MAX) disputes.shift()
  }

  /** Plays the banks: a dispute's next step or stage; an impossible one is refused there. */
  async function move(): Promise<void> {
    if (disputes.length === 0) return
    const path = `/__sandbox/disputes/${dice.pick(disputes)}`
    const body = dice.chance(0.25) ? { stage: dice.pick(STAGES), step: 'CREATED' } : { step: dice.pick(STEPS) }
    await gateway.patiently({ path, body: { ...body, webhooks: copies() } })
  }

  return {
    ask,
    payStrange,
    chooseItem,
    /** Notes a paid order of this member. */
    remember,
    sent: (refundId: string): void => void sent.push(refundId),
    /** One event that sends a webhook. */
    bring: (): Promise<void> => dice.pick([endRefund, raise, move, payStrange])(),
    async endRefunds(): Promise<void> {
      for (let left = sent.length; left > 0; left--) await endRefund()
    },
  }
}
