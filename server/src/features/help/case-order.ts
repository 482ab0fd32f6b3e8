/**
 * “Let the day decide”: the draw of a day orders a list of agreed requests (core/src/case-order.ts).
 * - A list is written only while the round of its day takes joins; the schema refuses it later.
 * - A request is drawn once: a number with a place from an earlier day is refused, so that nobody asks again for a better place.
 * - Of two lists for a day at once, the second sees the first. It is refused if the person saw another list.
 * - The order is computed when it is read. A request that ends keeps its number in the list.
 */
import type { Input, Output } from '@roz/contract/api.ts'
import type { caseCalls } from '@roz/contract/cases.ts'
import { caseNumberOf } from '@roz/core/case-fields.ts'
import { CASE_ORDER_MIN, caseOrder } from '@roz/core/case-order.ts'
import { type IstDay, parseDay } from '@roz/core/ist-day.ts'
import { lockOneInTransaction } from '../../db/advisory-locks.ts'
import { type Db, type Queryable, type Sql, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { invalid } from '../../http/route.ts'
import { fingerprintOf } from '../../staff/decision.ts'
import { logStaff } from '../../staff/staff-log.ts'
import { sha256 } from '../../tickets/sha256.ts'

type Order = Output<(typeof caseCalls)['helpCases']>['cases'][number]['order']

/** The newest list of each request that has one, and its place there. */
export async function ordersOf(from: Queryable, numbers: readonly string[]): Promise<ReadonlyMap<string, Order>> {
  const lists = await from.query<{ day: IstDay; numbers: string[]; seed: Buffer | null }>(sql`
    select h.day, h.numbers, r.seed from help_order h join round r on r.day = h.day
     where h.numbers && ${[...numbers]}::text[] order by h.day`)
  const found = new Map<string, Order>()
  for (const { day, numbers: listed, seed } of lists) {
    const drawn = seed === null ? undefined : caseOrder(sha256, seed, listed)
    for (const number of listed)
      found.set(number, { day, of: listed.length, place: drawn === undefined ? null : drawn.indexOf(number) + 1 })
  }
  return found
}

/** Agreed, and no payment was asked for, or it was rejected, or came back whole. */
export const IS_UNPAID = sql`(c.stage = 'agreed' or c.stage = 'waiting' and exists (select from outlay o where o.id = c.outlay_id and o.status <> 'requested'))`

export const isUnpaid = async (from: Queryable, number: string): Promise<boolean> =>
  (await from.maybeOne(sql`select from help_case c where c.number = ${number}::text and ${IS_UNPAID}`)) !== undefined

/** An earlier day's draw gave the request of the column `number` a place. */
const isDrawn = (number: Sql, day: Sql): Sql => sql`
  exists (select from help_order h join round r on r.day = h.day where h.day < ${day} and r.seed is not null and h.numbers @> array[${number}])`

/** Nobody is paid after a revoked consent, so no list has such a request. */
const IS_PAYABLE = sql`(${IS_UNPAID} and not exists (select from beneficiary b where b.id = c.beneficiary_id and b.revoked_at is not null))`

/** Agreed, unpaid, and not in a list that a day has drawn. */
export const IS_LISTABLE = sql`${IS_PAYABLE} and not ${isDrawn(sql`c.number`, sql`ist_day(roz_now())`)}`

/** The day whose round takes joins now, and its list so far. */
export const findOpenList = (from: Queryable): Promise<{ day: IstDay; numbers: string[] } | undefined> =>
  from.maybeOne(sql`select r.day, coalesce(h.numbers, '{}') as numbers from round r left join help_order h on h.day = r.day
         where r.day = ist_day(roz_now()) and r.status = 'open' and r.opens_at <= roz_now() and r.closes_at > roz_now()`)

type Freezing = {
  readonly params: { readonly day: string }
  readonly body: Input<(typeof caseCalls)['freezeHelpOrder']>['body']
  readonly session: { readonly memberId: bigint }
}

export const freezeOrder = (db: Db, { params, body, session }: Freezing) =>
  inTransaction(db, async (tx) => {
    const numbers = [...new Set(body.numbers.map((typed) => caseNumberOf(typed)))].sort()
    if (numbers.includes(undefined)) return { ok: false, code: 'case_not_found' } as const
    if (numbers.length < CASE_ORDER_MIN) return invalid({ numbers: 'case_order' })
    const day = parseDay(params.day)
    if (day === undefined) return { ok: false, code: 'round_closed' } as const
    await lockOneInTransaction(tx, 'helpOrder', Number(day.replaceAll('-', '')))
    if (!(await lockOpenRound(tx, day))) return { ok: false, code: 'round_closed' } as const
    const before = await tx.maybeOne<{ numbers: string[] }>(sql`select numbers from help_order where day = ${day}::date for update`)
    const kept = before?.numbers ?? []
    if (body.seen !== undefined && body.seen !== fingerprintOf(kept)) return { ok: false, code: 'changed_since_seen' } as const
    const cases = await tx.query<{ number: string; isPayable: boolean; isDrawn: boolean }>(
      sql`select c.number, ${IS_PAYABLE} as "isPayable", ${isDrawn(sql`c.number`, sql`${day}::date`)} as "isDrawn" from help_case c where c.number = any (${numbers}::text[])`,
    )
    if (cases.length < numbers.length) return { ok: false, code: 'case_not_found' } as const
    if (cases.some(({ number, isPayable }) => !isPayable && !kept.includes(number))) return { ok: false, code: 'case_not_agreed' } as const
    if (cases.some(({ isDrawn: drawn }) => drawn)) return { ok: false, code: 'case_ordered' } as const
    const listed = numbers as string[]
    await tx.query(sql`
      insert into help_order (day, numbers, frozen_by) values (${day}::date, ${listed}::text[], ${session.memberId}::bigint)
      on conflict (day) do update set numbers = excluded.numbers, frozen_by = excluded.frozen_by, frozen_at = roz_now()`)
    await logStaff(tx, {
      actorId: session.memberId,
      action: 'help_order.freeze',
      subject: `round:${day}`,
      before: { numbers: kept },
      after: { numbers: listed },
    })
    return { ok: true, value: { day, numbers: listed } } as const
  })

/** The lock makes the close of the round wait until the list is written. */
const lockOpenRound = async (tx: Tx, day: IstDay): Promise<boolean> =>
  (await tx.maybeOne(
    sql`select from round where day = ${day}::date and status = 'open' and opens_at <= roz_now() and closes_at > roz_now() for share`,
  )) !== undefined
