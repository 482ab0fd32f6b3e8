/**
 * The judge of returns: refunds, payments in suspense and disputes.
 * - An acknowledged return exists, and an existing one was tried.
 * - At rest, every event of a webhook that we answered with 200 is here, in the gateway's state.
 */
import { type Db, sql } from '@roz/server/db/sql.ts'
import type { Operation, OperationKind } from './journal.ts'
import { firstVoiceOf } from './returns.ts'

type RefundRow = {
  readonly id: string
  /** Undefined for the refund of a suspense item. */
  readonly member: string | null
  readonly item: string | null
  readonly amount: bigint
  readonly status: string
  readonly problem: string | null
  readonly holds: number
  readonly backs: number
}
type ItemRow = {
  readonly id: string
  readonly order: string
  /** A dispute took the money. If the payer loses it, the money comes back as an item of its own. */
  readonly isTaken: boolean
  readonly credits: number
  readonly creditedTo: string | null
  /** Voices for a credit in the staff log. */
  readonly voices: number
}
type DisputeRow = { readonly id: string; readonly order: string; readonly isTaken: boolean; readonly problem: string | null }
export type Returns = {
  readonly refunds: readonly RefundRow[]
  readonly items: readonly ItemRow[]
  readonly disputes: readonly DisputeRow[]
}

export const readReturns = async (db: Db): Promise<Returns> => ({
  refunds: await db.query<RefundRow>(sql`
    select r.id::text as id, r.member_id::text as member, r.suspense_id::text as item, r.amount, r.status, r.problem,
           (select count(*) from transfer t where t.kind = 'refund_hold' and t.ref = r.id::text and t.amount = r.amount and t.debit = r.member_id)::int as holds,
           (select count(*) from transfer t where t.kind = 'refund_failed' and t.ref = r.id::text and t.amount = r.amount and t.credit = r.member_id)::int as backs
      from refund r`),
  items: await db.query<ItemRow>(sql`
    select s.id::text as id, s.order_id as order, s.status = 'taken' as "isTaken",
           (select count(*) from transfer t where t.kind = 'suspense_credit' and t.ref = s.id::text)::int as credits,
           (select max(t.credit)::text from transfer t where t.kind = 'suspense_credit' and t.ref = s.id::text) as "creditedTo",
           (select count(*) from audit_log a where a.subject = 'suspense:' || s.id and a.action = 'suspense.credit')::int as voices
      from suspense_item s`),
  disputes: await db.query<DisputeRow>(sql`select id, order_id as order, is_taken as "isTaken", problem from dispute`),
})

type Told = { readonly operation: Operation; readonly effect: string }
type ReturnKind = Extract<
  OperationKind,
  'refund' | 'refund-approve' | 'refund-reject' | 'strange' | 'item-credit' | 'item-refund' | 'dispute'
>

/** Whether the acknowledged effect exists. Effects that only the gateway keeps are judged at rest. */
export function existsIn({ refunds, items }: Returns): Readonly<Record<ReturnKind, (told: Told) => boolean>> {
  const refundOf = (id: string) => refunds.find((each) => each.id === id)
  return {
    refund: ({ operation, effect }) => {
      const row = refundOf(effect)
      return row?.member === operation.memberId && row.holds === 1 && row.amount === BigInt(operation.paise ?? 0)
    },
    'refund-approve': ({ effect }) => !['requested', 'rejected', undefined].includes(refundOf(effect)?.status),
    'refund-reject': ({ effect }) => refundOf(effect)?.status === 'rejected' && refundOf(effect)?.backs === 1,
    'item-credit': ({ operation, effect }) =>
      items.some(
        ({ id, credits, creditedTo, voices }) =>
          (id === effect && credits === 1 && creditedTo === operation.memberId) || (firstVoiceOf(id) === effect && voices > 0),
      ),
    'item-refund': ({ effect }) => refunds.some(({ item }) => item === effect),
    strange: () => true,
    dispute: () => true,
  }
}

/** A payment is in suspense once and is given out once. */
export function findDoubled({ items, refunds }: Returns): string[] {
  const orders = items.filter(({ isTaken }) => !isTaken).map(({ order }) => order)
  const waiting = orders
    .filter((order, index) => orders.indexOf(order) !== index)
    .map((order) => `the payment of order ${order} waits twice`)
  const given = items.flatMap(({ id, credits }) => {
    const sent = refunds.filter(({ item, status }) => item === id && status !== 'rejected' && status !== 'failed').length
    return credits + sent > 1 ? [`item ${id} was given out ${credits + sent} times`] : []
  })
  return [...waiting, ...given]
}

/** Rows without a try: a payment that nobody made, a dispute that nobody raised. */
export function findNobodys(operations: readonly Operation[], { items, disputes }: Returns): string[] {
  const subjects = (kind: OperationKind) => new Set(operations.flatMap((operation) => (operation.kind === kind ? [operation.subject] : [])))
  const [paid, raised] = [subjects('strange'), subjects('dispute')]
  return [
    ...items.filter(({ order }) => !paid.has(order)).map(({ id, order }) => `item ${id} of order ${order}: nobody paid it`),
    ...disputes.filter(({ order }) => !raised.has(order)).map(({ id, order }) => `dispute ${id} of order ${order}: nobody raised it`),
  ]
}

/** The gateway's state of a thing, and whether we answered a webhook about it with 200. */
export type Gateways = (
  what: 'orders' | 'refunds' | 'disputes',
  id: string,
) => Promise<{ readonly status: string; readonly heard: boolean } | undefined>

const ENDED = new Set(['SUCCESS', 'FAILED', 'CANCELLED'])

export async function findLate(
  operations: readonly Operation[],
  { refunds, items, disputes }: Returns,
  gateways: Gateways,
): Promise<string[]> {
  const late: string[] = []
  for (const { id, status, problem } of refunds) {
    if (!['approved', 'sending', 'paid'].includes(status) || problem !== null) continue
    const there = (await gateways('refunds', id.replaceAll('-', '')))?.status
    if (there === undefined || (status === 'paid' ? there === 'FAILED' : ENDED.has(there)))
      late.push(`refund ${id} is still ${status}; at the gateway it is ${there ?? 'unknown'}`)
  }
  const told = (kind: OperationKind) => operations.flatMap((operation) => (operation.kind === kind ? operation.effects : []))
  for (const order of told('strange'))
    if (!items.some((item) => item.order === order) && (await gateways('orders', order))?.heard === true)
      late.push(`we were told of the payment of order ${order}, and it waits nowhere`)
  for (const id of told('dispute')) {
    const there = await gateways('disputes', id)
    const here = disputes.find((each) => each.id === id)
    if (here === undefined && there?.heard === true) late.push(`we were told of dispute ${id}, and it is not here`)
    if (here === undefined || here.problem !== null || there === undefined) continue
    if (here.isTaken !== isTakenThere(there.status))
      late.push(`dispute ${id} is ${here.isTaken ? '' : 'not '}taken; at the gateway it is ${there.status}`)
  }
  return late
}

/** docs/decisions/0007: a chargeback (and its later stages) takes the money when it opens, a dispute when it is lost, a retrieval never. */
function isTakenThere(status: string): boolean {
  if (status.startsWith('RETRIEVAL_')) return false
  if (status.startsWith('DISPUTE_')) return /_MERCHANT_(LOST|ACCEPTED)$/.test(status)
  return !status.endsWith('_MERCHANT_WON')
}
