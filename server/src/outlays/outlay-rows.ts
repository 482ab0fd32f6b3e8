/** The portal's columns of every outlay, and the pages of its lists. Each feature adds the columns of its own kinds. */
import type { outlayState } from '@roz/contract/outlays.ts'
import type { Language, StoredTexts } from '@roz/core/language.ts'
import { type Paise, rupeesFromPaise } from '@roz/core/money.ts'
import type { z } from 'zod'
import { contains } from '../members/member-search.ts'
import { type Queryable, type Sql, sql } from '../db/sql.ts'
import { fingerprintOf } from '../staff/decision.ts'
import { nameAt } from '../staff/staff-log.ts'
import type { Cursor } from '../lists/cursor.ts'
import { instantOf, instantOrNull, type Search } from '../lists/listing.ts'
import { microsOf, olderThan } from '../lists/newest-first.ts'
import type { OutlayKind } from '../ledger/evidence.ts'

type OutlayState = z.infer<typeof outlayState>

export type OutlayRow = {
  readonly id: string
  readonly kind: OutlayKind
  readonly amount: Paise
  readonly purpose: string
  readonly writtenIn: Language
  readonly translations: StoredTexts
  readonly status: OutlayState
  readonly needsSecond: boolean
  readonly askedById: string
  readonly askedByName: string
  readonly askedAt: Date
  readonly decidedById: string | null
  readonly decidedByName: string | null
  readonly decidedAt: Date | null
  readonly reason: string | null
  readonly receipts: { hash: string; width: number; height: number; withheld: { reason: string; by: string; at: string } | null }[]
  readonly sortedAt: string
}

/** The columns of `OutlayRow`, of the outlay `o` with the joins of `outlayPeople`. */
export const outlayColumns = sql`
    o.id, o.kind, o.amount_paise as amount, o.purpose, o.written_in as "writtenIn", o.translations, o.status, o.needs_second as "needsSecond", o.asked_at as "askedAt",
    a.public_id as "askedById", ${nameAt(sql`a`, sql`o.asked_at`)} as "askedByName", d.public_id as "decidedById",
    ${nameAt(sql`d`, sql`o.decided_at`)} as "decidedByName",
    o.decided_at as "decidedAt", o.decision as reason,
    (select coalesce(json_agg(json_build_object('hash', encode(r.hash, 'hex'), 'width', r.width, 'height', r.height,
              'withheld', case when w.hash is not null then json_build_object('reason', w.reason, 'by', ${nameAt(sql`wm`, sql`w.withheld_at`)}, 'at', w.withheld_at) end)
              order by l.position), '[]')
       from outlay_receipt l join receipt r on r.hash = l.hash left join receipt_withheld w on w.hash = l.hash
       left join member wm on wm.id = w.withheld_by where l.outlay_id = o.id) as receipts,
    ${microsOf(sql`o.asked_at`)} as "sortedAt"`
export const outlayPeople = sql`join member a on a.id = o.asked_by left join member d on d.id = o.decided_by`

export const OUTLAY_STATES = {
  requested: sql`o.status = 'requested'`,
  booked: sql`o.status = 'booked'`,
  rejected: sql`o.status = 'rejected'`,
} as const satisfies Record<OutlayState, Sql>

/** `facts`: what the kinds of a feature show beside the common columns. A decision names the fingerprint of all (staff/decision.ts). */
export const shownOutlay = (row: OutlayRow, facts: readonly unknown[]) => ({
  id: row.id,
  amount: rupeesFromPaise(row.amount),
  purpose: row.purpose,
  language: row.writtenIn,
  translations: row.translations,
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
  seen: fingerprintOf([
    row.kind,
    rupeesFromPaise(row.amount),
    row.purpose,
    row.askedById,
    row.receipts.map(({ hash, withheld }) => [hash, withheld !== null]),
    ...wordsSeen(row),
    ...facts,
  ]),
})

/** Words in English alone add nothing, so the fingerprint stays the one of the release before other languages. */
const wordsSeen = ({ writtenIn, translations }: OutlayRow): readonly unknown[] =>
  writtenIn === 'en' && Object.keys(translations).length === 0 ? [] : [[writtenIn, translations]]

export type OutlayList = {
  /** `select … from outlay o …`, without a condition. */
  readonly rows: Sql
  readonly kinds: readonly OutlayKind[]
  readonly states: Readonly<Record<string, Sql>>
  /** The columns that `q` searches. */
  readonly words: readonly Sql[]
}

/** Newest first; one row more than `limit` when there is a next page. */
export const searchOutlays = <R extends OutlayRow>(
  from: Queryable,
  { rows, kinds, states, words }: OutlayList,
  { status, work, q, after, limit }: Search,
): Promise<R[]> =>
  from.query<R>(sql`
    ${rows} where o.kind = any(${kinds}::text[]) and ${olderThan({ at: sql`o.asked_at`, id: sql`o.id` }, after)}
      and ${work ?? (status === undefined ? undefined : states[status]) ?? sql`true`}
      and (${contains(q, ...words)})
    order by o.asked_at desc, o.id desc limit ${limit + 1}::int`)

export const keyOfOutlay = (row: OutlayRow): Cursor => [row.sortedAt, row.id]

/** The columns that every outlay has in a downloaded table. */
export const OUTLAY_TABLE = {
  id: (row: ShownOutlay) => row.id,
  asked: (row: ShownOutlay) => row.askedAt,
  kind: (row: ShownOutlay) => row.kind,
  amount: (row: ShownOutlay) => row.amount,
  status: (row: ShownOutlay) => row.status,
  purpose: (row: ShownOutlay) => row.purpose,
  asked_by: (row: ShownOutlay) => row.askedBy.name,
  decided_by: (row: ShownOutlay) => row.decidedBy?.name,
  decided: (row: ShownOutlay) => row.decidedAt,
  reason: (row: ShownOutlay) => row.reason,
  receipts: (row: ShownOutlay) => row.receipts.map(({ hash }) => hash).join(' '),
}
type ShownOutlay = ReturnType<typeof shownOutlay> & { readonly kind: OutlayKind }
