/**
 * The suspense account: payments without a destination, listed and decided by administrators.
 *
 * - An item is decided once, under its lock, as the administrator saw it, with its line in the staff log.
 * - A refund is sent only after the commit.
 * - A payment by hand carries the bank's reference.
 */
import { nameAt } from '../../staff/staff-log.ts'
import { randomUUID } from 'node:crypto'
import type { suspenseItem } from '@roz/contract/suspense.ts'
import { formatPaise, type Paise, rupeesFromPaise, ZERO } from '@roz/core/money.ts'
import { debtData } from '@roz/core/notices.ts'
import type { RefusalCode } from '@roz/core/refusals.ts'
import type { ApprovalRefusal } from '@roz/core/two-persons.ts'
import type { z } from 'zod'
import { contains } from '../../members/member-search.ts'
import { type Db, type Queryable, sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import { CURSOR_PARTS, type Cursor } from '../../lists/cursor.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import type { Handlers } from '../../http/route.ts'
import { enqueue } from '../../jobs/queue.ts'
import { missedAutoJoin } from '../../ledger/auto-join.ts'
import { readDebtPaid } from '../../ledger/debts.ts'
import { IS_ON_HOLD, ITEM_OWNER } from '../../ledger/holds.ts'
import { creditSuspense, judgeCredit, judgePay, paySuspense, refundSuspense } from '../../ledger/suspense.ts'
import { IS_BANK_TRANSFER, REASON_NOW, ROOT } from '../../ledger/suspense-transfers.ts'
import { giveVoice, seenItemStatus } from '../../ledger/suspense-voices.ts'
import { nameMatchOf, type ShownAccount, shownAccount } from '../../members/bank-accounts.ts'
import { mailMember } from '../../mail/mails.ts'
import { tellMember } from '../../members/notices.ts'
import { changedSince, type Deciding, decideOnce, withSeen } from '../../staff/decision.ts'
import { filterBy } from '../../staff/open-work.ts'
import { allowanceOf, type PayoutsDeps, workFor } from './deps.ts'
import { instantOf, instantOrNull, pageOf, type Search } from '../../lists/listing.ts'
import { payeeColumns, payeeOf, type PayeeRow, suspectColumns, suspectOf, type SuspectRow, waitingHours } from '../../staff/money-rows.ts'

type Names = 'suspense' | 'creditSuspense' | 'refundSuspense' | 'paySuspense'
type Item = z.infer<typeof suspenseItem>

export function suspenseHandlers(deps: PayoutsDeps, idempotency: Idempotency): Handlers<Names> {
  const { db } = deps

  const decide = <C extends RefusalCode>(
    action: string,
    call: Deciding,
    effect: (
      tx: Tx,
      itemId: bigint,
    ) => Promise<{ readonly ok: true; readonly after: object } | { readonly ok: false; readonly code: C | 'suspense_not_found' }>,
  ) =>
    decideOnce<{ item: Item }, C | 'suspense_not_found' | 'changed_since_seen'>(idempotency, call, {
      action,
      subject: `suspense:${call.params.id}`,
      effect: async (tx) => {
        const { id } = call.params
        const before = CURSOR_PARTS.id(id) ? await lockStatus(tx, BigInt(id)) : undefined
        if (before === undefined) return { ok: false, code: 'suspense_not_found' }
        const changed = await changedSince(call, before.status, () => viewItem(tx, BigInt(id)))
        if (changed !== undefined) return changed
        const done = await effect(tx, BigInt(id))
        if (!done.ok) return done
        const item = await viewItem(tx, BigInt(id))
        return { ok: true, value: { item }, before, after: { status: item.status, amount: item.amount, ...done.after } }
      },
    })

  return {
    suspense: async ({ query, session }) => {
      const { suspense } = workFor(deps, session)
      const page = await pageOf(query, (part) => searchItems(db, { ...filterBy(suspense, query), ...part }), [CURSOR_PARTS.id])
      if (!page.ok) return page
      const approvalAbove = await allowanceOf(deps, session)
      return { ok: true, value: { suspense: [...page.rows], approvalAbove, nextCursor: page.nextCursor } }
    },
    creditSuspense: (call) =>
      decide<'suspense_decided' | 'payment_taken_back' | 'member_not_found' | 'suspense_other_currency' | ApprovalRefusal>(
        'suspense.credit',
        call,
        async (tx, itemId) => {
          const { memberId: publicId } = call.body
          const member = CURSOR_PARTS.uuid(publicId)
            ? await tx.maybeOne<{ id: bigint }>(sql`select id from member where public_id = ${publicId}::uuid and deleted_at is null`)
            : undefined
          if (member === undefined) return { ok: false, code: 'member_not_found' }
          const { memberId: by } = call.session
          const credit = { itemId, memberId: member.id, decidedBy: by }
          const possible = await judgeCredit(tx, credit)
          if (!possible.ok) return possible
          const voice = await giveVoice(tx, { itemId, act: 'credit', memberId: member.id, approver: { by, limit: deps.approvalAbove } })
          if (!voice.ok || voice.value === 'first') return voice.ok ? { ok: true, after: { memberId: publicId } } : voice
          const credited = await creditSuspense(tx, credit)
          if (!credited.ok) return credited
          await tellCredit(tx, itemId, member.id, credited.value.amount)
          return { ok: true, after: { memberId: publicId } }
        },
      ),
    refundSuspense: (call) =>
      decide<'suspense_decided' | 'payment_taken_back' | 'suspense_no_source' | 'member_on_hold' | ApprovalRefusal>(
        'suspense.refund',
        call,
        async (tx, itemId) => {
          const refundId = randomUUID()
          const reason = 'A payment without a place to go'
          const approver = { by: call.session.memberId, limit: deps.approvalAbove }
          const refunded = await refundSuspense(tx, { itemId, refundId, reason, approver })
          if (!refunded.ok) return refunded
          if (refunded.value.approval === 'final')
            await enqueue(tx, { kind: 'send_refund', key: `suspense:${refundId}`, payload: { refundId } })
          return { ok: true, after: { refundId } }
        },
      ),
    paySuspense: (call) =>
      decide<'suspense_decided' | 'payment_taken_back' | 'suspense_by_wallet' | ApprovalRefusal>(
        'suspense.pay',
        call,
        async (tx, itemId) => {
          const reference = call.body.bankReference
          const { memberId: by } = call.session
          const possible = await judgePay(tx, itemId)
          if (!possible.ok) return possible
          const voice = await giveVoice(tx, { itemId, act: 'pay', reference, approver: { by, limit: deps.approvalAbove } })
          if (!voice.ok || voice.value === 'first') return voice.ok ? { ok: true, after: { reference } } : voice
          const paid = await paySuspense(tx, { itemId, reference, decidedBy: by })
          return paid.ok ? { ok: true, after: { reference } } : paid
        },
      ),
  }
}

/** Locks the item, so that its state cannot change before the end of the transaction. */
const lockStatus = (tx: Tx, itemId: bigint): Promise<{ readonly status: string } | undefined> =>
  tx.maybeOne<{ status: string }>(
    sql`select ${seenItemStatus(sql`s`)} as status from suspense_item s where s.id = ${itemId}::bigint for update`,
  )

/** Tells the member of the credit by a notice and a mail, and joins the member if Auto Participate lacked the money today. */
async function tellCredit(tx: Tx, itemId: bigint, memberId: bigint, amount: Paise): Promise<void> {
  const key = `suspense:${itemId}`
  const paid = await readDebtPaid(tx, ['suspense_credit'], String(itemId))
  const data = { amount: formatPaise(amount), ...debtData(paid) }
  await tellMember(tx, { memberId, kind: 'payment_assigned', key, data })
  await mailMember(tx, { memberId, template: 'payment_assigned', key: `payment_assigned:${itemId}`, data })
  if (await missedAutoJoin(tx, memberId)) await enqueue(tx, { kind: 'join_after_topup', key, payload: { memberId: String(memberId) } })
}

type Row = PayeeRow &
  SuspectRow & {
    readonly id: bigint
    readonly orderId: string
    readonly paymentId: string
    readonly amount: Paise
    readonly currency: string
    readonly reason: Item['reason']
    readonly status: Item['status']
    readonly isOnHold: boolean
    readonly isTransfer: boolean
    readonly createdAt: Date
    readonly waitingHours: number | null
    readonly decidedAt: Date | null
    readonly bankName: string | null
    readonly lastFour: string | null
    readonly nameMatch: ShownAccount['nameMatch']
    readonly reference: string | null
    readonly firstById: string | null
    readonly firstByName: string | null
    readonly firstAt: Date | null
    readonly firstPayeeId: string | null
    readonly firstPayeeName: string | null
    readonly firstPayeeEmail: string | null
    readonly firstPayeeFlags: readonly string[] | null
    readonly firstPayeeOwed: Paise | null
    readonly firstReference: string | null
  }

const rows = sql`
  select s.id, s.order_id as "orderId", s.payment_id as "paymentId", s.amount, s.currency, ${REASON_NOW} as reason, ${seenItemStatus(sql`s`)} as status, s.created_at as "createdAt",
    ${waitingHours(sql`s.status = 'open'`, sql`s.created_at`)}, s.decided_at as "decidedAt", coalesce(${IS_ON_HOLD}, false) as "isOnHold", ${IS_BANK_TRANSFER} as "isTransfer", ${payeeColumns}, ${suspectColumns},
    b.bank_name as "bankName", b.last_four as "lastFour", ${nameMatchOf(sql`b`)} as "nameMatch", s.reference,
    f.public_id as "firstById", ${nameAt(sql`f`, sql`s.first_at`)} as "firstByName", s.first_at as "firstAt", fm."memberPublicId" as "firstPayeeId", fm."memberName" as "firstPayeeName",
    fm."memberEmail" as "firstPayeeEmail", fm."memberFlags" as "firstPayeeFlags", fm.owed as "firstPayeeOwed", s.first_reference as "firstReference"
  from suspense_item s
  left join transfer t on t.kind = 'suspense_credit' and t.ref = s.id::text
  left join withdrawal w on w.id = case when starts_with(s.payment_id, 'wd_reversed:') then split_part(${ROOT}, ':', 2)::uuid end
  left join bank_account b on b.id = w.bank_account_id
  left join member f on f.id = s.first_by and s.status = 'open'
  left join lateral (select ${payeeColumns}, ${suspectColumns} from member m where m.id = s.first_member and s.status = 'open') fm on true
  left join member m on m.id = coalesce(t.credit, ${ITEM_OWNER}, w.member_id)`

/** The source of returned money, by the kind of transfer that its payment id names. A payment has the gateway's own id. */
const RETURNS: Readonly<Record<string, Item['source']>> = {
  wd_reversed: 'payout',
  refund_reversed: 'refund',
  chargeback_back: 'dispute',
  debt_back: 'dispute',
}
const sourceOf = ({ reason, paymentId, isTransfer }: Row): Item['source'] =>
  (reason === 'closed_account' ? RETURNS[paymentId.split(':')[0] ?? ''] : undefined) ?? (isTransfer ? 'transfer' : 'payment')

const viewOf = (row: Row): Item =>
  withSeen({
    id: String(row.id),
    order_id: row.orderId,
    paymentId: row.paymentId,
    amount: rupeesFromPaise(row.amount),
    currency: row.currency,
    reason: row.reason,
    source: sourceOf(row),
    status: row.status,
    onHold: row.isOnHold,
    createdAt: instantOf(row.createdAt),
    waitingHours: row.waitingHours,
    decidedAt: instantOrNull(row.decidedAt),
    member: payeeOf(row),
    ...suspectOf(row),
    bank: row.bankName === null || row.lastFour === null ? null : shownAccount({ ...row, bankName: row.bankName, lastFour: row.lastFour }),
    reference: row.reference,
    first: firstOf(row),
  })

const firstOf = (row: Row): Item['first'] => {
  const { firstById: id, firstByName: name, firstAt: at, firstPayeeId: payeeId } = row
  if (id === null || name === null || at === null) return null
  const suspect = suspectOf({ memberFlags: row.firstPayeeFlags ?? [], owed: row.firstPayeeOwed ?? ZERO })
  const payee = payeeId === null ? null : { id: payeeId, name: row.firstPayeeName ?? '', email: row.firstPayeeEmail, ...suspect }
  return { by: { id, name }, at: instantOf(at), payee, reference: row.firstReference }
}

const viewItem = async (from: Queryable, id: bigint): Promise<Item> => viewOf(await from.one<Row>(sql`${rows} where s.id = ${id}::bigint`))

/** Newest or oldest first by id, which follows time; one row more than `limit` when there is a next page. */
export async function searchItems(db: Db, search: Search): Promise<{ readonly shown: Item; readonly key: Cursor }[]> {
  const isOldestFirst = search.order === 'oldest'
  const further =
    search.after === undefined ? sql`true` : isOldestFirst ? sql`s.id > ${search.after[0]}::bigint` : sql`s.id < ${search.after[0]}::bigint`
  const found = await db.query<Row>(sql`
    ${rows} where ${further} and ${search.work ?? sql`(${search.status ?? null}::text is null or ${seenItemStatus(sql`s`)} = ${search.status ?? null}::text)`}
      and (${contains(search.q, sql`s.order_id`, sql`s.payment_id`, sql`s.reference`)})
    order by ${isOldestFirst ? sql`s.id` : sql`s.id desc`} limit ${search.limit + 1}::int`)
  return found.map((row) => ({ shown: viewOf(row), key: [String(row.id)] }))
}
