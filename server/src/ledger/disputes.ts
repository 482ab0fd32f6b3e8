/**
 * Books disputes as the gateway reports them, and the money that follows.
 * - The newest status is booked, whatever came before it: the payer's bank has the money, or we have it.
 * - A dispute keeps the payment that its first report named, once we know that payment. A report that names another payment is then only
 *   recorded as a problem.
 * - A report that cannot be booked is kept with its reason, for an administrator.
 */
import { CURRENCY, type Paise } from '@roz/core/money.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { bookChargeback, type ChargebackRefusal, type Parts, returnChargeback } from './chargebacks.ts'

type DisputeTold = {
  readonly disputeId: string
  readonly orderId: string
  readonly paymentId: string
  readonly amount: Paise
  /** Set if the gateway names another currency than INR. */
  readonly currency?: string
  /** As the gateway writes them. */
  readonly type: string
  readonly status: string
  readonly state: 'open' | 'won' | 'lost'
  /** Whether the payer's bank has the money now; undefined: no change. */
  readonly isTaken: boolean | undefined
  readonly respondBy: Date | undefined
  /** When the status began at the gateway. */
  readonly toldAt?: Date | undefined
}
/**
 * A dispute `d` that waits for our answer: open, in the step CREATED. The gateway's status ends with the step, with or without a stage
 * before it; in every other open step the bank decides.
 */
export const NEEDS_ANSWER: Sql = sql`(d.state = 'open' and d.status ~ '(^|_)CREATED$')`

/** The credits `t` from SUSPENSE of the payment of the dispute `d`. */
const CREDITS = sql`suspense_item root
  join suspense_item s on s.order_id = root.order_id and (s.id = root.id or starts_with(s.payment_id, root.payment_id || '#'))
  join transfer t on t.kind = 'suspense_credit' and t.ref = s.id::text where root.payment_id = d.payment_id`
/** Whom a payment was credited to that was in SUSPENSE: the member who gives it (chargebacks.ts). */
export const CREDITED_MEMBER: Sql = sql`(select t.credit from ${CREDITS} order by t.transfer_id limit 1)`
/** The members whom the dispute `d` is about: of its order, and whom its payment was credited to. */
export const DISPUTED_MEMBERS: Sql = sql`(select o.member_id from topup o where o.order_id = d.order_id union select t.credit from ${CREDITS})`

const PROBLEMS = {
  order_not_found: 'unknown_payment',
  chargeback_exceeds_payment: 'more_than_paid',
} as const satisfies Record<ChargebackRefusal, string>
type DisputeProblem = (typeof PROBLEMS)[ChargebackRefusal] | 'other_currency'

export type DisputeBooked = {
  readonly moved: ({ readonly what: 'taken' | 'returned' } & Parts) | undefined
  /** Set only if the problem is new. The same problem reported again is undefined. */
  readonly problem: DisputeProblem | undefined
  /** This is the first report of the dispute. */
  readonly isNew: boolean
}

export async function bookDispute(tx: Tx, told: DisputeTold): Promise<DisputeBooked> {
  const { disputeId, orderId, paymentId, amount, type, status, state } = told
  const known = await tx.maybeOne<{ isNew: boolean; amount: Paise; problem: DisputeProblem | null }>(sql`
    insert into dispute as d (id, order_id, payment_id, amount, type, status, state, respond_by, told_at)
    values (${disputeId}::text, ${orderId}::text, ${paymentId}::text, ${amount}::bigint, ${type}::text, ${status}::text, ${state}::text,
      ${told.respondBy ?? null}::timestamptz, ${told.toldAt ?? null}::timestamptz)
    on conflict (id) do update set order_id = excluded.order_id, payment_id = excluded.payment_id, type = excluded.type,
      status = excluded.status, state = excluded.state, respond_by = excluded.respond_by, told_at = coalesce(excluded.told_at, d.told_at),
      -- The amount taken is the amount returned: a changed amount counts from the next taking on.
      amount = case when d.is_taken then d.amount else excluded.amount end, updated_at = roz_now()
      where d.order_id = excluded.order_id and d.payment_id = excluded.payment_id
        -- A payment of a mandate has the gateway's ids until its debit is known here.
        or not exists (select from topup o where o.order_id = d.order_id and o.payment_id = d.payment_id)
           and not exists (select from suspense_item s where s.payment_id = d.payment_id)
    returning d.xmax = 0 as "isNew", d.amount, d.problem`)
  if (known === undefined) return ofAnotherPayment(tx, disputeId)
  if (told.isTaken === undefined) return { moved: undefined, problem: undefined, isNew: known.isNew }
  const done = told.isTaken ? await take(tx, { ...told, amount: known.amount }) : await giveBack(tx, told)
  const problem = 'problem' in done ? done.problem : undefined
  await tx.query(sql`
    update dispute set is_taken = ${told.isTaken && problem === undefined}::boolean, problem = ${problem ?? null}::text
    where id = ${disputeId}::text`)
  return {
    moved: 'moved' in done ? done.moved : undefined,
    problem: problem === (known.problem ?? undefined) ? undefined : problem,
    isNew: known.isNew,
  }
}

/** Records that a report named another payment. Bookings of the dispute's own payment do not change. */
async function ofAnotherPayment(tx: Tx, disputeId: string): Promise<DisputeBooked> {
  const { before } = await tx.one<{ before: DisputeProblem | null }>(sql`
    with held as (select id, problem from dispute where id = ${disputeId}::text for update)
    update dispute d set problem = 'unknown_payment' from held where d.id = held.id returning held.problem as before`)
  return { moved: undefined, problem: before === 'unknown_payment' ? undefined : 'unknown_payment', isNew: false }
}

type Done = { readonly moved: DisputeBooked['moved'] } | { readonly problem: DisputeProblem }

async function take(tx: Tx, told: DisputeTold): Promise<Done> {
  if ((told.currency ?? CURRENCY) !== CURRENCY) return { problem: 'other_currency' }
  const taken = await bookChargeback(tx, told)
  if (!taken.ok) return { problem: PROBLEMS[taken.code] }
  return { moved: taken.value.result === 'duplicate' ? undefined : { what: 'taken', ...partsOf(taken.value) } }
}

async function giveBack(tx: Tx, told: DisputeTold): Promise<Done> {
  const returned = await returnChargeback(tx, told)
  return { moved: returned.result === 'duplicate' ? undefined : { what: 'returned', ...partsOf(returned) } }
}

const partsOf = ({ memberId, fromMember, suspended, lost, debtPaid }: Parts): Parts => ({ memberId, fromMember, suspended, lost, debtPaid })
