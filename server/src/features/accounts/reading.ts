/**
 * Reads the gateway's settlements of the last 14 days each morning from 06:00 IST on, and the events of each that paid.
 * - After an outage: those since 14 days before the last reading.
 * - A step is one call and one transaction: a page and the cursor behind it are stored together, so a reading that was cut off goes on.
 *   After a day it begins anew: the days since must be in it.
 * - At most 20 calls a minute, over all processes.
 * - A settlement whose amounts the gateway changes is read again. Nothing here books anything.
 * - A failure is counted and tried again later (jobs/parking.ts); another settlement is read meanwhile.
 */
import { dayAt, type IstDay } from '@roz/core/ist-day.ts'
import { GatewayUnavailableError } from '../../adapters/payments/port.ts'
import type { ToldPage, ToldSettlement, SettlementEvent, SettlementGateway } from '../../adapters/settlements/port.ts'
import { type Db, type Queryable, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { type Pace, restPace, takePlaceOf } from '../../jobs/gateway-pace.ts'
import { type Attempt, isResting } from '../../jobs/parking.ts'
import { compareSettlement } from './judge.ts'
import { lookForMissing } from './missing.ts'

export type ReadingDeps = {
  readonly db: Db
  /** Undefined: payments come by no gateway that settles. */
  readonly settlements: SettlementGateway | undefined
  /** The gateway's charge in hundredths of a percent, before tax; 0: not compared. */
  readonly gatewayFee: number
  readonly attempt: Attempt
  readonly alarm: (details: object, message: string) => void
}
type Deps = ReadingDeps & { readonly settlements: SettlementGateway }

/** Three calls at once, and 17 more in the minute. */
export const SETTLEMENTS_PACE: Pace = { call: 'settlements', everySeconds: 3.4, early: 2 }
const DAYS = 14
/** A step that was cut off is tried again after this. */
const LEASE = sql`interval '5 minutes'`
/** A new database reads first on the morning after its first day, at most 30 hours ahead: a later time is of a clock that was set back. */
const IS_DUE = sql`(due_at <= roz_now() or due_at > roz_now() + interval '30 hours')`
const NEXT_MORNING = sql`(start_of_ist_day(ist_day(roz_now() - interval '6 hours')) + interval '30 hours')`

/** Takes one step, if one is due and the gateway takes a call now. */
export async function readDue(deps: ReadingDeps): Promise<boolean> {
  const { db, settlements } = deps
  if (settlements === undefined) return false
  const due = await findDue(db)
  if (due === undefined) return false
  if (due === 'look') return (await deps.attempt('settlements', 'look', () => lookForMissing(db, deps))).ok
  if (!(await takePlaceOf(db, SETTLEMENTS_PACE))) return false
  const step = (): Promise<void> => (due === 'list' ? readList({ ...deps, settlements }) : readEvents({ ...deps, settlements }, due))
  const tried = await deps.attempt('settlements', due, () => pausing(db, step))
  return tried.ok
}

/** The first due step: `list`, a settlement's id, or `look` (for entries that no settlement has). */
async function findDue(db: Db): Promise<string | undefined> {
  const found = await db.maybeOne<{ due: string }>(sql`
    with reading as (select due_at, read_at, looked_at, cursor from gateway_reading),
    open as (select settlement_id, ask_at from gateway_settlement_seen s where ask_at is not null)
    select 'list' as due, 1 as place, due_at as at from reading where ${IS_DUE} and not ${isResting('settlements', sql`'list'`)}
    union all
    select settlement_id, 2, ask_at from open where ask_at <= roz_now() and not ${isResting('settlements', sql`settlement_id`)}
    union all
    select 'look', 3, read_at from reading
     where read_at is not null and (looked_at is null or looked_at < read_at) and not exists (select from open)
       and not ${isResting('settlements', sql`'look'`)}
    order by place, at limit 1`)
  return found?.due
}

/** To be told to slow down is no failure: the step is taken again after the rest, when its lease has ended. */
async function pausing(db: Db, step: () => Promise<void>): Promise<void> {
  try {
    await step()
  } catch (error) {
    if (!(error instanceof GatewayUnavailableError) || error.retryAfterMs === undefined) throw error
    await restPace(db, SETTLEMENTS_PACE, error.retryAfterMs)
  }
}

/** `began` is text: PostgreSQL has microseconds. */
type Claim = { readonly cursor: string | null; readonly began: string; readonly from: IstDay; readonly until: IstDay }
const IS_FRESH = sql`began_at > roz_now() - interval '1 day'`

async function readList(deps: Deps): Promise<void> {
  const { db, settlements } = deps
  const claim = await db.maybeOne<Claim>(sql`
    update gateway_reading set due_at = roz_now() + ${LEASE}, cursor = case when ${IS_FRESH} then cursor end,
               began_at = case when ${IS_FRESH} then began_at else roz_now() end
         where ${IS_DUE}
         returning cursor, began_at::text as began, (least(ist_day(began_at), ist_day(read_at)) - ${DAYS}::int)::text as from, ist_day(began_at)::text as until`)
  if (claim === undefined) return
  const { from, until, cursor } = claim
  const page = await settlements.listSettlements({ from, until, cursor: cursor ?? undefined })
  await inTransaction(db, async (tx) => {
    if (!(await passPage(tx, claim, page.cursor))) return
    for (const settlement of page.rows) await keepSettlement(tx, deps, settlement)
  })
}

/** Stores the cursor. False: another process has stored this page. */
async function passPage(tx: Tx, { cursor, began }: Claim, next: string | undefined): Promise<boolean> {
  const passed = await tx.query(sql`
    update gateway_reading
       set cursor = ${next ?? null}::text,
           due_at = case when ${next === undefined}::boolean is not true then roz_now()
                         when wanted_at >= began_at and wanted_at < roz_now() + interval '1 day' then roz_now() + interval '1 minute'
                         else ${NEXT_MORNING} end,
           wanted_at = case when ${next === undefined}::boolean then null else wanted_at end,
           began_at = case when ${next === undefined}::boolean then null else began_at end,
           read_at = case when ${next === undefined}::boolean then roz_now() else read_at end,
           since = case when ${next === undefined}::boolean then coalesce(since, began_at - make_interval(days => ${DAYS}::int)) else since end
     where cursor is not distinct from ${cursor}::text and began_at = ${began}::timestamptz returning 1`)
  return passed.length === 1
}

type Kept = { readonly isSame: boolean; readonly isRead: boolean }

async function keepSettlement(tx: Tx, deps: Deps, told: ToldSettlement): Promise<void> {
  const { settlementId, state, status, utr = null, amount, fee, ownFee } = told
  const paidOn = told.processedAtMs === undefined ? null : dayAt(told.processedAtMs)
  const known = await tx.maybeOne<Kept>(sql`
    select (state, status, utr, amount, fee, own_fee, paid_on) is not distinct from (${state}::text, ${status}::text, ${utr}::text, ${amount}::bigint,
              ${fee}::bigint, ${ownFee}::bigint, ${paidOn}::date) as "isSame", events_read_at is not null as "isRead"
          from gateway_settlement_seen where settlement_id = ${settlementId}::text for update`)
  if (known?.isSame === true) return
  if (known?.isRead === true) await forgetEvents(tx, told)
  await tx.query(sql`
    insert into gateway_settlement_seen (settlement_id, state, status, utr, amount, fee, own_fee, paid_on, ask_at)
    values (${settlementId}::text, ${state}::text, ${status}::text, ${utr}::text, ${amount}::bigint, ${fee}::bigint, ${ownFee}::bigint, ${paidOn}::date,
      case when ${state}::text = 'paid' then roz_now() end)
    on conflict (settlement_id) do update
      set state = excluded.state, status = excluded.status, utr = excluded.utr, amount = excluded.amount, fee = excluded.fee,
          own_fee = excluded.own_fee, paid_on = excluded.paid_on,
          ask_at = case when gateway_settlement_seen.events_read_at is null then excluded.ask_at end`)
  // The events of a paid settlement are read before it is compared.
  if (state !== 'paid' || known?.isRead === true) await compareSettlement(tx, deps, settlementId)
}

/** Other sums than before: its events are read again, unless it is in the books, whose report stays. */
async function forgetEvents(tx: Tx, { settlementId, amount, fee, ownFee }: ToldSettlement): Promise<void> {
  const changed = await tx.query(sql`
    update gateway_settlement_seen s set events_cursor = null, events_read_at = null, report = null, report_hash = null
     where settlement_id = ${settlementId}::text and (amount, fee, own_fee) is distinct from (${amount}::bigint, ${fee}::bigint, ${ownFee}::bigint)
       and not exists (select from evidence e where e.hash = s.report_hash)
       and not exists (select from outlay o where o.kind = 'gateway_settled' and o.status = 'requested' and o.purpose = upper(s.settlement_id))
    returning 1`)
  if (changed.length > 0) await tx.query(sql`delete from gateway_settlement_event where settlement_id = ${settlementId}::text`)
}

async function readEvents(deps: Deps, settlementId: string): Promise<void> {
  const { db, settlements } = deps
  const claim = await db.maybeOne<{ cursor: string | null }>(sql`update gateway_settlement_seen set ask_at = roz_now() + ${LEASE}
         where settlement_id = ${settlementId}::text and ask_at <= roz_now() returning events_cursor as cursor`)
  if (claim === undefined) return
  const page = await settlements.listSettlementEvents({ settlementId, cursor: claim.cursor ?? undefined })
  await inTransaction(db, (tx) => keepEvents(tx, deps, { settlementId, cursor: claim.cursor, page }))
}

type EventPage = { readonly settlementId: string; readonly cursor: string | null; readonly page: ToldPage<SettlementEvent> }

async function keepEvents(tx: Tx, deps: Deps, { settlementId, cursor, page }: EventPage): Promise<void> {
  const next = page.cursor ?? null
  const passed = await tx.query(sql`
    update gateway_settlement_seen set events_cursor = ${next}::text, ask_at = case when ${next}::text is not null then roz_now() end
     where settlement_id = ${settlementId}::text and ask_at is not null and events_read_at is null and events_cursor is not distinct from ${cursor}::text
    returning 1`)
  if (passed.length === 0) return
  await insertEvents(tx, settlementId, page.rows)
  if (next !== null) return
  await keepReport(tx, settlementId)
  await compareSettlement(tx, deps, settlementId)
}

const insertEvents = (tx: Tx, settlementId: string, rows: readonly SettlementEvent[]): Promise<unknown> =>
  tx.query(sql`
    insert into gateway_settlement_event (settlement_id, position, event_id, kind, word, is_credit, amount, settled, fee, order_id, payment_id, refund_id, remarks)
    select ${settlementId}::text,
           (select count(*) from gateway_settlement_event where settlement_id = ${settlementId}::text)::int + place::int, e.event_id, e.kind, e.word, e.is_credit, e.amount, e.settled, e.fee, e.order_id, e.payment_id, e.refund_id, e.remarks
      from unnest(${rows.map((row) => row.eventId)}::text[], ${rows.map((row) => row.kind)}::text[], ${rows.map((row) => row.word)}::text[],
             ${rows.map((row) => row.isCredit ?? null)}::boolean[], ${rows.map((row) => row.amount)}::bigint[], ${rows.map((row) => row.settled)}::bigint[],
             ${rows.map((row) => row.fee)}::bigint[], ${rows.map((row) => row.orderId ?? null)}::text[], ${rows.map((row) => row.paymentId ?? null)}::text[],
             ${rows.map((row) => row.refundId ?? null)}::text[], ${rows.map((row) => row.remarks ?? null)}::text[])
           with ordinality as e (event_id, kind, word, is_credit, amount, settled, fee, order_id, payment_id, refund_id, remarks, place)`)

/** The report: what the gateway said of the settlement and each event, as JSON, with its hash. */
async function keepReport(tx: Queryable, settlementId: string): Promise<void> {
  await tx.query(sql`
    with said as (
      select convert_to(json_build_object(
        'settlement', json_build_object('id', s.settlement_id, 'status', s.status, 'utr', s.utr, 'paid_on', s.paid_on, 'amount_paise', s.amount,
          'fee_paise', s.fee, 'own_fee_paise', s.own_fee),
        'events', coalesce((select json_agg(json_build_object('id', e.event_id, 'type', e.word, 'given', e.is_credit, 'amount_paise', e.amount,
            'settled_paise', e.settled, 'fee_paise', e.fee, 'order_id', e.order_id, 'payment_id', e.payment_id, 'refund_id', e.refund_id,
            'remarks', e.remarks) order by e.position) from gateway_settlement_event e where e.settlement_id = s.settlement_id), '[]'))::text, 'UTF8') as bytes
        from gateway_settlement_seen s where s.settlement_id = ${settlementId}::text)
    update gateway_settlement_seen set report = said.bytes, report_hash = sha256(said.bytes), events_read_at = roz_now() from said
     where settlement_id = ${settlementId}::text`)
}
