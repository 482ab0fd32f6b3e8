/**
 * Sends approved refunds, and asks the gateway about them.
 *
 * - The gateway is asked outside transactions, and a refund keeps one id for ever.
 * - A missing answer ends nothing; only the answer to the newest question counts.
 * - A final state that contradicts ours is booked as well, and raises an alarm.
 */
import { formatPaise, type Paise } from '@roz/core/money.ts'
import { debtData } from '@roz/core/notices.ts'
import {
  GatewayMismatchError,
  GatewayRefusedError,
  GatewayUnavailableError,
  type MandatePayment,
  type Refund,
} from '../../adapters/payments/port.ts'
import { type Db, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { pose } from '../../jobs/questions.ts'
import { readDebtPaid } from '../../ledger/debts.ts'
import { gatewayIdOf } from '@roz/core/gateway-id.ts'
import { bookRefund, currencyOfRefund, findRefundSource, lockRefund, startRefund, stopRefund } from '../../ledger/refunds.ts'
import { mailMember } from '../../mail/mails.ts'
import { tellMember } from '../../members/notices.ts'
import type { PayoutAlarm } from './book-transfer.ts'
import {
  claimSendingCheck,
  endChecks,
  endQuestions,
  isNewest,
  noteSendingKnown,
  noteSendingMissing,
  noteSending,
  type Sending,
} from './checks.ts'
import type { PayoutsDeps } from './deps.ts'

export async function sendRefund(deps: PayoutsDeps, id: string, { again }: { readonly again: boolean }): Promise<void> {
  const { db } = deps
  const started = await inTransaction(db, async (tx) => {
    if (!(await startRefund(tx, id, { again }))) return undefined
    const refund = await lockRefund(tx, id)
    if (refund === undefined) return undefined
    return {
      ...refund,
      currency: await currencyOfRefund(tx, id),
      from: await findRefundSource(tx, id),
      sending: await noteSending(tx, { id, kind: 'refund' }),
    }
  })
  if (started === undefined) return
  const sent = await trySend(deps, id, started)
  if (sent === 'unknown') return
  const alarm = await inTransaction(db, async (tx) => {
    await lockRefund(tx, id)
    if (!(await isNewest(tx, id, started.sending.ask))) return undefined
    if (sent === 'other_amount') return otherAmount(tx, id)
    return 'refused' in sent ? refuse(tx, id, started.sending, sent.refused) : book(tx, id, sent)
  })
  if (alarm !== undefined) deps.alarm(alarm.details, alarm.message)
}

type Sent = Refund | { readonly refused: string } | 'unknown' | 'other_amount'

async function trySend(
  { gateway, warn }: PayoutsDeps,
  id: string,
  {
    orderId,
    amount,
    currency,
    from,
  }: { readonly orderId: string; readonly amount: Paise; readonly currency: string; readonly from: MandatePayment | undefined },
): Promise<Sent> {
  try {
    return await gateway.createRefund({ orderId, refundId: gatewayIdOf(id), amount, currency, from, note: 'Refund' })
  } catch (error) {
    if (error instanceof GatewayRefusedError) return { refused: error.code }
    if (error instanceof GatewayMismatchError) return 'other_amount'
    if (!(error instanceof GatewayUnavailableError)) throw error
    warn({ err: error, refundId: id }, 'the gateway did not answer a refund; the sweep asks again')
    return 'unknown'
  }
}

/** A refusal proves nothing while an earlier sending is in doubt. */
async function refuse(tx: Tx, id: string, sending: Sending, problem: string): Promise<undefined> {
  if (sending.isDoubtful) {
    await tx.query(sql`update refund set problem = ${problem}::text where id = ${id}::uuid and status = 'sending'`)
    return
  }
  await stopRefund(tx, id, problem)
  await endChecks(tx, id)
}

/** The alarm is raised once, although the gateway is asked again and again. */
async function otherAmount(tx: Tx, id: string): Promise<PayoutAlarm | undefined> {
  if (!(await noteProblem(tx, id, 'other_amount'))) return undefined
  return { details: { refundId: id }, message: 'the gateway holds another amount or currency under the id of a refund; nothing was booked' }
}

/** Whether the problem is new. */
async function noteProblem(tx: Tx, id: string, problem: string): Promise<boolean> {
  const news = await tx.query(
    sql`update refund set problem = ${problem}::text where id = ${id}::uuid and problem is distinct from ${problem}::text returning id`,
  )
  return news.length === 1
}

/** Asks and books a refund's state; webhook and sweep both use it. Returns whether a row holds the question (jobs/questions.ts). */
export function settleRefund(deps: PayoutsDeps, id: string): Promise<boolean> {
  const { db, attempt } = deps
  return pose(attempt, { work: 'refund', item: id, claim: () => claimRefund(db, id), ask: (question) => askAndBook(deps, question) })
}

async function claimRefund(db: Db, id: string): Promise<Question | undefined> {
  const known = await db.maybeOne<{ orderId: string }>(sql`select order_id as "orderId" from refund where id = ${id}::uuid`)
  const ask = known === undefined ? undefined : await claimSendingCheck(db, { id, kind: 'refund' })
  return known === undefined || ask === undefined ? undefined : { id, ask, ...known, from: await findRefundSource(db, id) }
}

type Question = { readonly id: string; readonly ask: number; readonly orderId: string; readonly from: MandatePayment | undefined }

async function askAndBook(deps: PayoutsDeps, { id, ask, orderId, from }: Question): Promise<void> {
  const { db, gateway, warn } = deps
  let refund: Refund | undefined
  try {
    refund = await gateway.fetchRefund(orderId, gatewayIdOf(id), from)
  } catch (error) {
    if (!(error instanceof GatewayUnavailableError) && !(error instanceof GatewayRefusedError)) throw error
    warn({ err: error, refundId: id }, 'the gateway could not be asked about a refund; the sweep asks again')
    return
  }
  const after = await inTransaction(db, async (tx) => {
    const row = await lockRefund(tx, id)
    if (!(await isNewest(tx, id, ask))) return undefined
    if (refund !== undefined) return book(tx, id, refund)
    if (row?.status === 'sending') return (await noteSendingMissing(tx, id)) ? 'send_again' : undefined
    await endQuestions(tx, id, await readEnd(tx, id))
    return undefined
  })
  if (after === 'send_again') await sendRefund(deps, id, { again: true })
  else if (after !== undefined) deps.alarm(after.details, after.message)
}

const readEnd = async (tx: Tx, id: string): Promise<Date | null> =>
  (await tx.maybeOne<{ endedAt: Date | null }>(sql`select ended_at as "endedAt" from refund where id = ${id}::uuid`))?.endedAt ?? null

async function book(tx: Tx, id: string, refund: Refund): Promise<PayoutAlarm | undefined> {
  const row = await lockRefund(tx, id)
  if (row === undefined) throw new Error(`refund ${id} vanished while it was booked`)
  const currency = await currencyOfRefund(tx, id)
  if (refund.amount !== row.amount || (refund.currency ?? currency) !== currency) return otherAmount(tx, id)
  await tx.query(sql`update refund set problem = null where id = ${id}::uuid and problem = 'other_amount'`)
  if (refund.state === 'pending') {
    await noteSendingKnown(tx, id, null)
    return undefined
  }
  const told = { id, word: refund.state, reference: refund.bankReference, decision: refund.description ?? refund.status }
  const booked = await bookRefund(tx, told)
  await noteSendingKnown(tx, id, await readEnd(tx, id))
  if (booked === undefined || booked.result === 'unchanged') return undefined
  // A conflict concerns only the gateway and us: the member is not told.
  if (booked.result !== 'conflict' && booked.result !== 'conflict_back')
    await tellRefund(tx, id, { memberId: booked.memberId, amount: booked.amount, end: booked.result === 'paid' ? 'paid' : 'returned' })
  if (!booked.contradicts) return undefined
  if (booked.memberId !== null) {
    await tx.query(sql`
      insert into member_flag (member_id, kind, subject) values (${booked.memberId}::bigint, 'gateway_conflict', ${`refund:${id}`}::text)
      on conflict do nothing`)
  }
  // What it paid once too often came back.
  if (booked.result === 'conflict_back') await tx.query(sql`update refund set problem = null where id = ${id}::uuid`)
  else await noteProblem(tx, id, 'gateway_conflict')
  const details = { refundId: id, ours: booked.status, gateway: refund.status, booked: booked.result }
  return { details, message: 'the gateway contradicts us about a refund; its status was booked' }
}

/** Sends the member's notice and mail of an end; a rejection carries its reason. A suspense item may have no member to tell. */
export async function tellRefund(
  tx: Tx,
  id: string,
  { memberId, amount, end }: { readonly memberId: bigint | null; readonly amount: Paise; readonly end: 'paid' | 'returned' | 'rejected' },
): Promise<void> {
  if (memberId === null) return
  const what = `refund_${end}` as const
  const key = `${what}:${id}`
  const { reason } = await tx.one<{ reason: string | null }>(sql`select decision as reason from refund where id = ${id}::uuid`)
  const paid = await readDebtPaid(tx, ['refund_failed', 'refund_reversed'], id)
  const data = { amount: formatPaise(amount), reason: reason ?? '', ...debtData(paid) }
  await mailMember(tx, { memberId, template: what, key, data })
  await tellMember(tx, { memberId, kind: what, key, data })
}
