/**
 * AutoPay for the team: the list of mandates, its figures, and the stop by the team.
 * - Nobody of the team raises a debit, or resumes a mandate.
 * - The member is told of a stop; the reason is in the staff log alone.
 */
import type { adminMandate, autopayAdminCalls } from '@roz/contract/autopay-admin.ts'
import { AUTOPAY_ENDED, type AutopayState } from '@roz/core/autopay.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Paise, rupeesFromPaise } from '@roz/core/money.ts'
import type { z } from 'zod'
import { type Db, type Queryable, type Sql, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Handlers } from '../../http/route.ts'
import { IS_LATE_CHARGE, stopMandate } from '../../ledger/autopay.ts'
import { uuidOf } from '@roz/core/gateway-id.ts'
import { lockWallet } from '../../ledger/transfer.ts'
import type { Cursor } from '../../lists/cursor.ts'
import { instantOf, pageOf, type Search } from '../../lists/listing.ts'
import { beyond, microsOf, orderOf } from '../../lists/newest-first.ts'
import { contains } from '../../members/member-search.ts'
import { exportList } from '../../staff/exported-list.ts'
import { payeeColumns, payeeOf, type PayeeRow } from '../../staff/money-rows.ts'
import { AUTOPAY_WORK, filterBy } from '../../staff/open-work.ts'
import { logStaff } from '../../staff/staff-log.ts'
import { lockMandate, ownerOf } from './deps.ts'
import { tellState } from './tell.ts'

type AdminMandate = z.infer<typeof adminMandate>

type Row = PayeeRow &
  Pick<AdminMandate, 'payer' | 'gatewayStatus' | 'failures' | 'isLate' | 'isUnknown' | 'isUncancelled'> & {
    readonly id: string
    readonly state: AutopayState
    readonly amount: Paise
    readonly openDay: IstDay | null
    readonly openOrder: string | null
    readonly lastDay: IstDay | null
    readonly failedDay: IstDay | null
    readonly failedReason: string | null
    readonly createdAt: Date
    readonly expiresAt: Date
    readonly sortedAt: string
  }

const viewOf = (row: Row): AdminMandate => ({
  id: row.id.replaceAll('-', ''),
  status: row.state,
  amount: rupeesFromPaise(row.amount),
  payer: row.payer,
  gatewayStatus: row.gatewayStatus,
  failures: row.failures,
  open: row.openDay === null || row.openOrder === null ? null : { day: row.openDay, orderId: row.openOrder },
  last: row.lastDay === null ? null : { day: row.lastDay, amount: rupeesFromPaise(row.amount) },
  failed: row.failedDay === null ? null : { day: row.failedDay, reason: row.failedReason },
  isLate: row.isLate,
  isUnknown: row.isUnknown,
  isUncancelled: row.isUncancelled,
  createdAt: instantOf(row.createdAt),
  expiresAt: instantOf(row.expiresAt),
  member: payeeOf(row),
})

const KEY = { at: sql`a.created_at`, id: sql`a.id` }

const newestCharge = (columns: Sql, which: Sql): Sql => sql`
  left join lateral (select ${columns} from autopay_charge c where c.mandate_id = a.id and ${which} order by c.day desc, c.created_at desc limit 1)`

const selected = (which: Sql, rest: Sql): Sql => sql`
  select a.id, a.state, a.amount, a.payer, a.gateway_status as "gatewayStatus", a.failures, a.created_at as "createdAt", a.expires_at as "expiresAt",
    open.day::text as "openDay", open.order_id as "openOrder", last.day::text as "lastDay", failed.day::text as "failedDay",
    failed.failure_reason as "failedReason", ${AUTOPAY_WORK.late} as "isLate", ${AUTOPAY_WORK.unknown} as "isUnknown",
    ${AUTOPAY_WORK.uncancelled} as "isUncancelled", ${payeeColumns}, ${microsOf(sql`a.created_at`)} as "sortedAt"
    from autopay_mandate a
    left join member m on m.id = a.member_id
    ${newestCharge(sql`c.day, c.order_id`, sql`c.kind = 'charge' and c.status in ('raising', 'open')`)} open on true
    ${newestCharge(sql`c.day`, sql`c.status = 'paid'`)} last on true
    ${newestCharge(sql`c.day, c.failure_reason`, sql`c.kind = 'charge' and c.status = 'failed'`)} failed on true
   where ${which} ${rest}`

/** Newest or oldest first; one row more than `limit` when there is a next page. */
async function searchMandates(db: Db, search: Search): Promise<{ readonly shown: AdminMandate; readonly key: Cursor }[]> {
  const { status = null, work, q, limit } = search
  const found = await db.query<Row>(
    selected(
      sql`${beyond(KEY, search)} and ${work ?? sql`(${status}::text is null or a.state = ${status}::text)`}
        and (${contains(q, sql`m.name`, sql`m.email`, sql`replace(a.id::text, '-', '')`, sql`a.auth_order_id`, sql`open.order_id`)})`,
      sql`order by ${orderOf(KEY, search)} limit ${limit + 1}::int`,
    ),
  )
  return found.map((row) => ({ shown: viewOf(row), key: [row.sortedAt, row.id] }))
}

async function readFigures(db: Db) {
  const states = await db.query<{ status: AutopayState; count: number }>(
    sql`select state as status, count(*)::int as count from autopay_mandate group by state order by state`,
  )
  const waiting = await db.one<{ open: number; late: number }>(sql`
    select count(*)::int as open, count(*) filter (where ${IS_LATE_CHARGE})::int as late
          from autopay_charge c where c.kind = 'charge' and c.status in ('raising', 'open')`)
  const days = await db.query<{ day: IstDay; paid: number; failed: number; amount: Paise; fee: Paise }>(sql`
    select c.day::text as day, count(*) filter (where c.status = 'paid')::int as paid, count(*) filter (where c.status = 'failed')::int as failed,
           coalesce(sum(t.amount) filter (where c.status = 'paid'), 0)::bigint as amount, coalesce(sum(kept.fee), 0)::bigint as fee
      from autopay_charge c join topup t using (order_id)
      -- One that came back is settled again: only what paid counts.
      left join lateral (select sum(e.fee) as fee from gateway_settlement_event e join gateway_settlement_seen s using (settlement_id)
                          where e.subject = 'payment:' || t.payment_id and e.kind = 'payment' and s.state = 'paid') kept on true
     where c.kind = 'charge' and c.status in ('paid', 'failed') and c.day > ist_day(roz_now()) - 14 group by c.day order by c.day desc`)
  return {
    states,
    ...waiting,
    days: days.map(({ amount, fee, ...one }) => ({ ...one, amount: rupeesFromPaise(amount), fee: rupeesFromPaise(fee) })),
  }
}

async function getShown(from: Queryable, id: string): Promise<AdminMandate> {
  return viewOf(await from.one<Row>(selected(sql`a.id = ${id}::uuid`, sql``)))
}

export const deskHandlers = (db: Db): Handlers<keyof typeof autopayAdminCalls> => ({
  adminAutopay: async ({ query }) => {
    const page = await pageOf(query, (part) => searchMandates(db, { ...filterBy(AUTOPAY_WORK, query), ...part }))
    return page.ok ? { ok: true, value: { mandates: [...page.rows], nextCursor: page.nextCursor } } : page
  },
  adminAutopayCsv: (call) =>
    exportList(db, call, {
      name: 'autopay',
      read: (page) => searchMandates(db, { ...filterBy(AUTOPAY_WORK, call.query), ...page }),
      columns: {
        id: (row) => row.id,
        created: (row) => row.createdAt,
        state: (row) => row.status,
        gateway_status: (row) => row.gatewayStatus,
        amount: (row) => row.amount,
        member_id: (row) => row.member?.id,
        member: (row) => row.member?.name,
        email: (row) => row.member?.email,
        payer: (row) => row.payer,
        open_day: (row) => row.open?.day,
        last_day: (row) => row.last?.day,
        failures: (row) => row.failures,
        failed_day: (row) => row.failed?.day,
        failed_reason: (row) => row.failed?.reason,
        expires: (row) => row.expiresAt,
      },
    }),
  adminAutopayFigures: async () => ({ ok: true, value: await readFigures(db) }),
  adminStopAutopay: ({ session, params, body }) =>
    inTransaction(db, async (tx) => {
      const id = uuidOf(params.id)
      const memberId = id === undefined ? undefined : await ownerOf(tx, id)
      if (id === undefined || memberId === undefined) return { ok: false, code: 'not_found' }
      await lockWallet(tx, memberId)
      const mandate = await lockMandate(tx, id)
      if (mandate?.state !== body.status || mandate.state === 'stopping' || AUTOPAY_ENDED.has(mandate.state))
        return { ok: false, code: 'changed_since_seen' }
      await stopMandate(tx, memberId)
      await tx.query(sql`update autopay_mandate set stopped_by = ${session.memberId}::bigint where id = ${id}::uuid`)
      await tellState(tx, 'autopay_stopped_by_us', { memberId, key: id })
      await logStaff(tx, {
        actorId: session.memberId,
        action: 'autopay.stop',
        subject: `member:${memberId}`,
        before: { state: mandate.state },
        after: { reason: body.reason, mandate: params.id },
      })
      return { ok: true, value: { mandate: await getShown(tx, id) } }
    }),
})
