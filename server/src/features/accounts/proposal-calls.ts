/**
 * The calls of settlements that the gateway reported: their list, their report, and the press that records one.
 * - A press records the amounts that the person saw; if the proposal is another one by now, it is refused.
 * - It is an outlay like a typed settlement (settlements.ts). The report is its evidence, and no picture is needed.
 */
import type { findingCalls, gatewaySettlement } from '@roz/contract/findings.ts'
import type { Output } from '@roz/contract/api.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Paise, paiseFromRupees, rupeesFromPaise } from '@roz/core/money.ts'
import type { z } from 'zod'
import { type Db, type Queryable, type Sql, sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import type { Handlers } from '../../http/route.ts'
import { IS_PROPOSED, IS_RECORDED, SETTLEMENT_DAY } from '../../ledger/gateway-settlements.ts'
import { CURSOR_PARTS, type Cursor } from '../../lists/cursor.ts'
import { pageOf } from '../../lists/listing.ts'
import { microsOf, olderThan } from '../../lists/newest-first.ts'
import { askOutlay } from '../../outlays/outlays.ts'
import { IS_OPEN_FINDING } from '../../staff/open-work.ts'
import type { AccountsDeps } from './deps.ts'
import { type HouseEntry, viewHouseEntry } from './entry-view.ts'
import { findProposal, isCorrected, type Proposal } from './proposals.ts'
import { bookAsked, refuseTwice, type SettlementRefused } from './settlements.ts'

type Shown = z.infer<typeof gatewaySettlement>
type Row = Pick<Shown, 'id' | 'utr' | 'state' | 'status' | 'events' | 'findings'> & {
  readonly day: IstDay
  readonly paid: Paise
  readonly kept: Paise
  readonly sortedAt: string
}
type Recording = SettlementRefused | 'settlement_not_found' | 'changed_since_seen'

const ROWS: Sql = sql`
  select s.settlement_id as id, s.utr, s.status, ${SETTLEMENT_DAY}::text as day, s.amount as paid, s.fee + s.own_fee as kept,
    case when s.state = 'failed' and exists (select from outlay o where ${IS_RECORDED} and o.status = 'booked') then 'came_back'
         when s.state <> 'paid' then s.state
         when s.covers is not null then 'covered'
         else coalesce((select case o.status when 'booked' then 'recorded' else 'requested' end from outlay o where ${IS_RECORDED} order by o.status limit 1),
           case when s.events_read_at is null then 'reading' else 'to_record' end) end as state,
    (select count(*)::int from gateway_settlement_event e where e.settlement_id = s.settlement_id) as events,
    (select count(*)::int from money_finding f where f.settlement_id = s.settlement_id and ${IS_OPEN_FINDING}) as findings,
    ${microsOf(sql`s.seen_at`)} as "sortedAt"
    from gateway_settlement_seen s`

const isId = (part: string): boolean => part.length <= 100 && !part.includes('\0')

async function viewOf(from: Queryable, row: Row): Promise<Shown> {
  const proposal = row.state === 'to_record' ? await findProposal(from, row.id) : undefined
  const { amount, fee } = proposal ?? { amount: row.paid, fee: row.kept }
  const { id, utr, state, status, day, paid, kept, events, findings } = row
  const sums = { paid: rupeesFromPaise(paid), kept: rupeesFromPaise(kept), amount: rupeesFromPaise(amount), fee: rupeesFromPaise(fee) }
  return { id, utr, state, status, day, ...sums, events, findings }
}

async function listSettlements(
  db: Db,
  status: 'to_record' | undefined,
  { after, limit }: { readonly after: Cursor | undefined; readonly limit: number },
): Promise<{ readonly shown: Shown; readonly key: Cursor }[]> {
  const rows = await db.query<Row>(sql`
    ${ROWS} where ${olderThan({ at: sql`s.seen_at`, id: sql`s.settlement_id` }, after, 'text')} and ${status === undefined ? sql`true` : IS_PROPOSED}
     order by s.seen_at desc, s.settlement_id desc limit ${limit + 1}::int`)
  return Promise.all(rows.map(async (row) => ({ shown: await viewOf(db, row), key: [row.sortedAt, row.id] })))
}

export const proposalHandlers = (
  deps: AccountsDeps,
  idempotency: Idempotency,
): Handlers<'gatewaySettlements' | 'gatewaySettlement' | 'recordSettlement'> => ({
  gatewaySettlements: async ({ query }) => {
    const page = await pageOf(query, (part) => listSettlements(deps.db, query.status, part), [CURSOR_PARTS.micros, isId])
    return page.ok ? { ok: true, value: { settlements: [...page.rows], nextCursor: page.nextCursor } } : page
  },
  gatewaySettlement: async ({ params: { id } }) => {
    const found = isId(id)
      ? await deps.db.maybeOne<Row & { report: string | null }>(sql`
        select found.*, (select convert_from(report, 'UTF8') from gateway_settlement_seen where settlement_id = found.id) as report
                from (${ROWS} where s.settlement_id = ${id}::text) found`)
      : undefined
    if (found === undefined) return { ok: false, code: 'settlement_not_found' }
    const { report, ...row } = found
    return {
      ok: true,
      value: { settlement: await viewOf(deps.db, row), report } satisfies Output<(typeof findingCalls)['gatewaySettlement']>,
    }
  },
  recordSettlement: (call) => record(deps, idempotency, call),
})

type Recorded = Parameters<Handlers<'recordSettlement'>['recordSettlement']>[0]

function record(deps: AccountsDeps, idempotency: Idempotency, call: Recorded) {
  const { id } = call.params
  let proposal: Proposal | undefined
  return askOutlay<{ entry: HouseEntry }, Recording>(
    deps,
    idempotency,
    { ...call, body: { ...call.body, purpose: id.toUpperCase(), receipts: [] } },
    {
      kind: 'gateway_settled',
      about: id,
      book: bookAsked,
      subjectOf: async (tx, amount) => {
        proposal = isId(id) ? await findProposal(tx, id) : undefined
        if (proposal === undefined) return { ok: false, code: (await isSeen(tx, id)) ? 'changed_since_seen' : 'settlement_not_found' }
        const { fee, day: settledOn, report } = proposal
        if (amount !== proposal.amount || paiseFromRupees(call.body.fee) !== fee) return { ok: false, code: 'changed_since_seen' }
        return { ok: true, value: { beneficiaryId: null, corrects: null, fee, settledOn, report } }
      },
      refusalOf: (tx, amount) => refuseTwice(tx, { reference: id.toUpperCase(), amount, fee: proposal?.fee as Paise }),
      show: async (tx, outlay) => {
        await markCorrected(tx, id, proposal?.corrects ?? [])
        return { entry: await viewHouseEntry(tx, outlay) }
      },
    },
  )
}

const isSeen = async (tx: Tx, id: string): Promise<boolean> =>
  isId(id) && (await tx.maybeOne(sql`select from gateway_settlement_seen where settlement_id = ${id}::text`)) !== undefined

/** Writes down what was taken off this settlement; an entry for it that was rejected may have had other amounts. */
async function markCorrected(tx: Tx, id: string, returned: Proposal['corrects']): Promise<void> {
  await tx.query(sql`delete from gateway_settlement_correction where by_id = ${id}::text`)
  for (const { settlementId, amount, fee } of returned) {
    await tx.query(sql`
      insert into gateway_settlement_correction (returned_id, by_id, amount, fee)
      values (${settlementId}::text, ${id}::text, ${amount}::bigint, ${fee}::bigint)`)
    await tx.query(sql`
      update money_finding f set ended_at = roz_now(), first_by = null, first_at = null, reason = null
        from gateway_settlement_seen s
       where f.kind = 'came_back' and f.settlement_id = ${settlementId}::text and f.ended_at is null and f.closed_at is null
         and s.settlement_id = f.settlement_id and ${isCorrected(sql`s`)}`)
  }
}
