/** Disbursements and their corrections as the portal shows them, and the pages of their list. */
import type { Output } from '@roz/contract/api.ts'
import type { disbursementCalls, helpState } from '@roz/contract/disbursements.ts'
import type { ConsentWay, Guardian } from '@roz/core/help-fields.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Paise, paise, rupeesFromPaise } from '@roz/core/money.ts'
import type { z } from 'zod'
import { type Queryable, type Sql, sql } from '../../db/sql.ts'
import type { OutlayKind } from '../../ledger/evidence.ts'
import { NOT_RECEIVED, UNCONFIRMED } from '../../ledger/arrivals.ts'
import { DUE_FOLLOW_UP, HAS_DUE_FOLLOW_UP } from '../../ledger/follow-ups.ts'
import { instantOf, type Search } from '../../lists/listing.ts'
import { UNTOLD } from '../../members/own-stories.ts'
import { EVERY_PURPOSE } from '../../members/reader-purpose.ts'
import {
  keyOfOutlay,
  OUTLAY_STATES,
  outlayColumns,
  type OutlayList,
  outlayPeople,
  type OutlayRow,
  searchOutlays,
  shownOutlay,
} from '../../outlays/outlay-rows.ts'
import { PURPOSE_LACKS_LANGUAGE } from '../../staff/open-work.ts'
import { nameAt } from '../../staff/staff-log.ts'
import { consentOf, HELPED } from './beneficiaries.ts'

export type Disbursement = Output<(typeof disbursementCalls)['disbursements']>['disbursements'][number]
type HelpState = z.infer<typeof helpState>
/** The kinds of the screen "Help given". */
export const HELP_KINDS = ['disbursement', 'disbursement_back'] as const satisfies readonly OutlayKind[]

type Row = OutlayRow & {
  readonly kind: Disbursement['kind']
  readonly corrects: string | null
  readonly beneficiaryId: string
  readonly publicName: string
  readonly how: ConsentWay | null
  readonly consentedOn: IstDay | null
  readonly guardian: Guardian | null
  readonly helped: Paise
  readonly isRevoked: boolean
  readonly days: { day: IstDay; paise: string }[]
  readonly returned: Paise
  readonly story: Disbursement['story']
  readonly followUps: Disbursement['followUps']
  readonly followUpDue: number | null
  readonly arrival: (Omit<NonNullable<Disbursement['arrival']>, 'at'> & { readonly at: string }) | null
}

const rows = sql`
  select ${outlayColumns}, o.corrects,
    b.id as "beneficiaryId", b.public_name as "publicName",
    b.consent_how as how, b.consented_on as "consentedOn", b.guardian_relation as guardian, ${HELPED} as helped,
    b.revoked_at is not null as "isRevoked",
    (select coalesce(json_agg(json_build_object('day', h.day, 'paise', abs(h.paise)::text) order by h.day), '[]')
       from help_allotment h where h.entry_id = o.id::text) as days,
    (select coalesce(sum(c.amount_paise), 0)::bigint from outlay c where c.corrects = o.id and c.status = 'booked') as returned,
    (select json_build_object('id', s.id, 'title', s.title,
              'state', case when s.is_active then 'published' when s.publish_at is not null then 'scheduled' else 'draft' end)
       from story s where s.outlay_id = o.id) as story,
    (select coalesce(json_agg(json_build_object('id', f.id, 'weeks', f.weeks, 'language', f.written_in, 'words', f.words, 'retoldBy', f.retold_by,
              'withheld', f.withheld, 'hasPicture', exists (select from follow_up_picture p where p.follow_up_id = f.id)) order by f.weeks), '[]') from follow_up f where f.outlay_id = o.id) as "followUps",
    ${DUE_FOLLOW_UP} as "followUpDue",
    (select json_build_object('received', r.received, 'how', r.how, 'on', r.heard_on, 'reason', (select w.words from arrival_reason w where w.arrival_id = r.id), 'paper', case when b.revoked_at is null then encode(r.paper, 'hex') end,
              'by', ${nameAt(sql`rm`, sql`r.recorded_at`)}, 'at', r.recorded_at)
       from arrival r join member rm on rm.id = r.recorded_by where r.outlay_id = o.id order by r.id desc limit 1) as arrival
  from outlay o ${outlayPeople} join beneficiary b on b.id = o.beneficiary_id`

const STATES = {
  ...OUTLAY_STATES,
  untold: UNTOLD,
  unconfirmed: UNCONFIRMED,
  not_received: NOT_RECEIVED,
  follow_up_due: HAS_DUE_FOLLOW_UP,
  lacks_language: PURPOSE_LACKS_LANGUAGE,
  storyless: sql`(${UNTOLD} and not exists (select from story s where s.outlay_id = o.id))`,
} as const satisfies Record<Exclude<HelpState, 'to_approve'>, Sql>

const LIST: OutlayList = { rows, kinds: HELP_KINDS, states: STATES, words: [EVERY_PURPOSE, sql`b.public_name`] }

function viewOf(row: Row): Disbursement {
  const beneficiary = {
    id: row.beneficiaryId,
    publicName: row.publicName,
    guardian: row.guardian,
    consent: consentOf(row),
    helped: rupeesFromPaise(row.helped),
    isRevoked: row.isRevoked,
  }
  const arrival = row.arrival && { ...row.arrival, at: instantOf(new Date(row.arrival.at)) }
  return {
    ...shownOutlay(row, [row.corrects, beneficiary, ...(arrival === null ? [] : [arrival])]),
    kind: row.kind,
    corrects: row.corrects,
    beneficiary,
    days: row.days.map((part) => ({ day: part.day, amount: rupeesFromPaise(paise(BigInt(part.paise))) })),
    returned: rupeesFromPaise(row.returned),
    story: row.story,
    arrival,
    followUps: row.followUps,
    followUpDue: row.followUpDue,
  }
}

export const viewDisbursement = async (from: Queryable, id: string): Promise<Disbursement> =>
  viewOf(await from.one<Row>(sql`${rows} where o.id = ${id}::uuid`))

export const searchDisbursements = async (from: Queryable, page: Search) =>
  (await searchOutlays<Row>(from, LIST, page)).map((row) => ({ shown: viewOf(row), key: keyOfOutlay(row) }))
