/**
 * Findings as the portal shows and closes them, and the short check of the reconciliation.
 * - Closing moves no money. Above the limit of one person another one closes it too; the schema refuses two accounts of one person.
 */
import type { moneyCheck } from '@roz/contract/accounts.ts'
import type { finding } from '@roz/contract/findings.ts'
import { type Paise, paise, rupeesFromPaise } from '@roz/core/money.ts'
import type { ApprovalRefusal } from '@roz/core/two-persons.ts'
import type { z } from 'zod'
import { type Db, type Queryable, type Sql, sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import type { Handlers } from '../../http/route.ts'
import { judgeApprover, recordAlone } from '../../ledger/approvals.ts'
import { IS_PROPOSED, SETTLEMENT_DAY } from '../../ledger/gateway-settlements.ts'
import type { Cursor } from '../../lists/cursor.ts'
import { instantOf, instantOrNull, pageOf } from '../../lists/listing.ts'
import { microsOf, olderThan } from '../../lists/newest-first.ts'
import { decideAbout, type Effect, fingerprintOf } from '../../staff/decision.ts'
import { IS_OPEN_FINDING } from '../../staff/open-work.ts'
import { nameAt } from '../../staff/staff-log.ts'
import { IS_OF_BANK } from './bank/compare.ts'
import type { AccountsDeps } from './deps.ts'

type Finding = z.infer<typeof finding>
type Row = Pick<Finding, 'id' | 'kind' | 'subject' | 'settlement' | 'detail' | 'day' | 'status' | 'closedBy' | 'reason'> & {
  readonly difference: Paise
  readonly foundAt: Date
  readonly endedAt: Date | null
  readonly sortedAt: string
}

const STATUS: Sql = sql`case when f.closed_at is not null then 'closed' when f.ended_at is not null then 'ended'
  when f.first_at is not null then 'awaiting_second' else 'open' end`
const ROWS: Sql = sql`
  select f.id, f.kind, f.subject, f.settlement_id as settlement, f.difference, f.detail, ${STATUS} as status, ${SETTLEMENT_DAY}::text as day, f.found_at as "foundAt",
    coalesce(f.closed_at, f.ended_at) as "endedAt", ${nameAt(sql`m`, sql`coalesce(f.closed_at, f.first_at)`)} as "closedBy", f.reason,
    ${microsOf(sql`f.found_at`)} as "sortedAt"
    from money_finding f left join gateway_settlement_seen s on s.settlement_id = f.settlement_id left join member m on m.id = coalesce(f.closed_by, f.first_by)`

const viewOf = ({ difference, foundAt, endedAt, ...row }: Row): Finding => ({
  id: row.id,
  kind: row.kind,
  subject: row.subject,
  settlement: row.settlement,
  amount: rupeesFromPaise(difference),
  detail: row.detail,
  day: row.day,
  status: row.status,
  foundAt: instantOf(foundAt),
  endedAt: instantOrNull(endedAt),
  closedBy: row.closedBy,
  reason: row.reason,
  seen: fingerprintOf([rupeesFromPaise(difference), row.detail]),
})
const view = async (from: Queryable, id: string): Promise<Finding> => viewOf(await from.one<Row>(sql`${ROWS} where f.id = ${id}::uuid`))

async function listFindings(
  db: Db,
  status: 'open' | 'past',
  { after, limit }: { readonly after: Cursor | undefined; readonly limit: number },
): Promise<{ readonly shown: Finding; readonly key: Cursor }[]> {
  const rows = await db.query<Row>(sql`
    ${ROWS} where ${olderThan({ at: sql`f.found_at`, id: sql`f.id` }, after)} and ${status === 'open' ? IS_OPEN_FINDING : sql`not (${IS_OPEN_FINDING})`}
     order by f.found_at desc, f.id desc limit ${limit + 1}::int`)
  return rows.map((row) => ({ shown: viewOf(row), key: [row.sortedAt, row.id] }))
}

export const findingHandlers = (deps: AccountsDeps, idempotency: Idempotency): Handlers<'findings' | 'closeFinding'> => ({
  findings: async ({ query }) => {
    const page = await pageOf(query, (part) => listFindings(deps.db, query.status, part))
    return page.ok ? { ok: true, value: { findings: [...page.rows], nextCursor: page.nextCursor } } : page
  },
  closeFinding: (call) =>
    decideAbout(idempotency, {
      name: 'finding',
      notFound: 'finding_not_found',
      lock: (tx, id) =>
        tx.maybeOne<{ status: string }>(sql`select ${STATUS} as status from money_finding f where f.id = ${id}::uuid for no key update`),
      show: view,
    })('close', call, (tx, id, status) => close(tx, deps, { id, status, by: call.session.memberId, reason: call.body.reason })),
})

type Closing = { readonly id: string; readonly status: string; readonly by: bigint; readonly reason: string }

async function close(
  tx: Tx,
  { approvalAbove: limit }: AccountsDeps,
  { id, status, by, reason }: Closing,
): Promise<Effect<'finding_final' | ApprovalRefusal>> {
  if (status !== 'open' && status !== 'awaiting_second') return { ok: false, code: 'finding_final' }
  const { difference, firstApprovedBy } = await tx.one<{ difference: bigint; firstApprovedBy: bigint | null }>(
    sql`select difference, first_by as "firstApprovedBy" from money_finding where id = ${id}::uuid`,
  )
  const amount = paise(difference < 0n ? -difference : difference)
  const voice = await judgeApprover(tx, { by, limit }, { amount, owner: null, firstApprovedBy })
  if (!voice.ok) return voice
  if (voice.value === 'first') {
    await tx.query(
      sql`update money_finding set first_by = ${by}::bigint, first_at = roz_now(), reason = ${reason}::text where id = ${id}::uuid`,
    )
    return { ok: true, after: { reason } }
  }
  await tx.query(sql`
    update money_finding set closed_by = ${by}::bigint, closed_at = roz_now(), reason = ${reason}::text where id = ${id}::uuid`)
  if (voice.value === 'alone' && amount > 0n) await recordAlone(tx, { by, kind: 'finding', subject: id, amount })
  return { ok: true, after: { reason } }
}

/** After this, a morning passed without a reading. */
const LATE = sql`interval '26 hours'`

/** `reads`: payments come by a gateway whose settlements are read. */
export async function checkMoney(from: Queryable, reads: boolean): Promise<z.infer<typeof moneyCheck>> {
  const found = await from.one<{ readAt: Date | null; isLate: boolean; open: number; difference: Paise; toRecord: number }>(sql`
    select r.read_at as "readAt", ${reads}::boolean and coalesce(r.read_at, r.due_at) < roz_now() - ${LATE} as "isLate", f.open, f.difference,
          (select count(*)::int from gateway_settlement_seen s where ${IS_PROPOSED}) as "toRecord"
          from gateway_reading r, (select count(*)::int as open, coalesce(sum(difference), 0)::bigint as difference
                                     from money_finding f where ${IS_OPEN_FINDING} and not ${IS_OF_BANK}) f`)
  return { ...found, readAt: instantOrNull(found.readAt), difference: rupeesFromPaise(found.difference) }
}
