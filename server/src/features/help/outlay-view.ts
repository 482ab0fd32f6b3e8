/** Payments by decision as the portal shows them, and the pages of their lists. */
import type { Output } from '@roz/contract/api.ts'
import type { helpState, outlayCalls } from '@roz/contract/outlays.ts'
import type { ConsentWay, Guardian } from '@roz/core/help-fields.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Paise, paise, rupeesFromPaise } from '@roz/core/money.ts'
import type { z } from 'zod'
import { contains } from '../../members/member-search.ts'
import { one, type Queryable, type Sql, sql } from '../../db/sql.ts'
import { nameAt } from '../../staff/audit-log.ts'
import type { Cursor } from '../../lists/cursor.ts'
import { instantOf, instantOrNull, type Search } from '../../lists/listing.ts'
import { microsOf, olderThan } from '../../lists/newest-first.ts'
import type { OutlayKind } from '../../ledger/evidence.ts'
import { HOUSE_KINDS } from '../../ledger/house-entries.ts'
import { UNTOLD } from '../../members/own-stories.ts'
import { consentOf, HELPED } from './beneficiaries.ts'

export type Disbursement = Output<(typeof outlayCalls)['disbursements']>['disbursements'][number]
type HelpState = z.infer<typeof helpState>
export type HouseEntry = Output<(typeof outlayCalls)['houseEntries']>['entries'][number]
/** The kinds of the screen "Help given", and of "House entries". */
export const HELP_KINDS = ['disbursement', 'disbursement_back'] as const satisfies readonly OutlayKind[]
export const ENTRY_KINDS = [...HOUSE_KINDS, 'gateway_settled'] as const satisfies readonly OutlayKind[]

type Row = {
  readonly id: string
  readonly kind: OutlayKind
  readonly amount: Paise
  readonly purpose: string
  readonly status: Disbursement['status']
  readonly needsSecond: boolean
  readonly askedById: string
  readonly askedByName: string
  readonly askedAt: Date
  readonly decidedById: string | null
  readonly decidedByName: string | null
  readonly decidedAt: Date | null
  readonly reason: string | null
  readonly corrects: string | null
  readonly fee: Paise | null
  readonly settledOn: IstDay | null
  readonly beneficiaryId: string | null
  readonly publicName: string | null
  readonly how: ConsentWay | null
  readonly consentedOn: IstDay | null
  readonly guardian: Guardian | null
  readonly helped: Paise
  readonly isRevoked: boolean
  readonly receipts: { hash: string; width: number; height: number; withheld: { reason: string; by: string; at: string } | null }[]
  readonly days: { day: IstDay; paise: string }[]
  readonly returned: Paise
  readonly story: Disbursement['story']
  readonly sortedAt: string
}

const rows = sql`
  select o.id, o.kind, o.amount_paise as amount, o.purpose, o.status, o.needs_second as "needsSecond", o.asked_at as "askedAt",
    a.public_id as "askedById", ${nameAt(sql`a`, sql`o.asked_at`)} as "askedByName", d.public_id as "decidedById",
    ${nameAt(sql`d`, sql`o.decided_at`)} as "decidedByName",
    o.decided_at as "decidedAt", o.decision as reason, o.corrects, o.fee_paise as fee, o.settled_on as "settledOn",
    b.id as "beneficiaryId", b.public_name as "publicName",
    b.consent_how as how, b.consented_on as "consentedOn", b.guardian_relation as guardian, ${HELPED} as helped,
    b.revoked_at is not null as "isRevoked",
    (select coalesce(json_agg(json_build_object('hash', encode(r.hash, 'hex'), 'width', r.width, 'height', r.height,
              'withheld', case when w.hash is not null then json_build_object('reason', w.reason, 'by', ${nameAt(sql`wm`, sql`w.withheld_at`)}, 'at', w.withheld_at) end)
              order by l.position), '[]')
       from outlay_receipt l join receipt r on r.hash = l.hash left join receipt_withheld w on w.hash = l.hash
       left join member wm on wm.id = w.withheld_by where l.outlay_id = o.id) as receipts,
    (select coalesce(json_agg(json_build_object('day', h.day, 'paise', abs(h.paise)::text) order by h.day), '[]')
       from help_allotment h where h.entry_id = o.id::text) as days,
    (select coalesce(sum(c.amount_paise), 0)::bigint from outlay c where c.corrects = o.id and c.status = 'booked') as returned,
    (select json_build_object('id', s.id, 'title', s.title,
              'state', case when s.is_active then 'published' when s.publish_at is not null then 'scheduled' else 'draft' end)
       from story s where s.outlay_id = o.id) as story,
    ${microsOf(sql`o.asked_at`)} as "sortedAt"
  from outlay o join member a on a.id = o.asked_by left join member d on d.id = o.decided_by
    left join beneficiary b on b.id = o.beneficiary_id`

const STATES = {
  requested: sql`o.status = 'requested'`,
  booked: sql`o.status = 'booked'`,
  rejected: sql`o.status = 'rejected'`,
  untold: UNTOLD,
  storyless: sql`(${UNTOLD} and not exists (select from story s where s.outlay_id = o.id))`,
} as const satisfies Record<Exclude<HelpState, 'to_approve'>, Sql>

const sharedOf = (row: Row) => ({
  id: row.id,
  amount: rupeesFromPaise(row.amount),
  purpose: row.purpose,
  status: row.status,
  needsSecond: row.needsSecond,
  askedBy: { id: row.askedById, name: row.askedByName },
  askedAt: instantOf(row.askedAt),
  decidedBy: row.decidedById === null ? null : { id: row.decidedById, name: row.decidedByName ?? '' },
  decidedAt: instantOrNull(row.decidedAt),
  reason: row.reason,
  receipts: row.receipts.map(({ withheld, ...receipt }) => ({
    ...receipt,
    withheld: withheld && { ...withheld, at: instantOf(new Date(withheld.at)) },
  })),
})

const disbursementOf = (row: Row): Disbursement => ({
  ...sharedOf(row),
  kind: row.kind as Disbursement['kind'],
  corrects: row.corrects,
  beneficiary: {
    id: row.beneficiaryId ?? '',
    publicName: row.publicName ?? '',
    guardian: row.guardian,
    consent: consentOf(row),
    helped: rupeesFromPaise(row.helped),
    isRevoked: row.isRevoked,
  },
  days: row.days.map((part) => ({ day: part.day, amount: rupeesFromPaise(paise(BigInt(part.paise))) })),
  returned: rupeesFromPaise(row.returned),
  story: row.story,
})
const entryOf = (row: Row): HouseEntry => ({
  ...sharedOf(row),
  kind: row.kind as HouseEntry['kind'],
  settlement: row.settledOn === null || row.fee === null ? null : { day: row.settledOn, fee: rupeesFromPaise(row.fee) },
})

const getRow = (from: Queryable, id: string): Promise<Row> => one<Row>(from, sql`${rows} where o.id = ${id}::uuid`)
export const viewDisbursement = async (from: Queryable, id: string): Promise<Disbursement> => disbursementOf(await getRow(from, id))
export const viewHouseEntry = async (from: Queryable, id: string): Promise<HouseEntry> => entryOf(await getRow(from, id))

/** Newest first; one row more than `limit` when there is a next page. */
const search = (from: Queryable, kinds: readonly OutlayKind[], { status, work, q, after, limit }: Search): Promise<Row[]> =>
  from.query<Row>(sql`
    ${rows} where o.kind = any(${kinds}::text[]) and ${olderThan({ at: sql`o.asked_at`, id: sql`o.id` }, after)}
      and ${work ?? (status === undefined ? sql`true` : STATES[status as keyof typeof STATES])}
      and (${contains(q, sql`o.purpose`, sql`b.public_name`)})
    order by o.asked_at desc, o.id desc limit ${limit + 1}::int`)

const keyOf = (row: Row): Cursor => [row.sortedAt, row.id]
export const searchDisbursements = async (from: Queryable, page: Search) =>
  (await search(from, HELP_KINDS, page)).map((row) => ({ shown: disbursementOf(row), key: keyOf(row) }))
export const searchHouseEntries = async (from: Queryable, page: Search) =>
  (await search(from, ENTRY_KINDS, page)).map((row) => ({ shown: entryOf(row), key: keyOf(row) }))
