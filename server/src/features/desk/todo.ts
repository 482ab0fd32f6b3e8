/**
 * The team's to-do list: each line with its count, the age of its oldest item, a bank's deadline, and whether it is late.
 * - One statement reads everything from indexes of what is open; its cost does not grow with members or movements.
 * - A role sees only what it may read.
 * - The list that a line opens has the same condition (staff/open-work.ts), so it has as many rows as the line counts.
 * - Each item is in one line; a line of the statement that may be a transfer is a finding too, until it is confirmed. A kind without open
 *   items has no line.
 */
import type { Output } from '@roz/contract/api.ts'
import type { deskCalls } from '@roz/contract/desk.ts'
import { READERS, type Roles, STAFF, TREASURY } from '@roz/contract/roles.ts'
import { type Db, type Sql, sql } from '../../db/sql.ts'
import { lateAfter } from '../../operation/limits-of-figures.ts'
import { instantOrNull } from '../../lists/listing.ts'
import { NOT_RECEIVED, RECORDED_AT, UNCONFIRMED, UNCONFIRMED_SINCE } from '../../ledger/arrivals.ts'
import { IS_LATE_CHARGE, IS_UNCANCELLED, LATE_FROM } from '../../ledger/autopay.ts'
import { FINDINGS } from '../../ledger/audit-findings.ts'
import { IS_PROPOSED } from '../../ledger/gateway-settlements.ts'
import { FOLLOW_UP_DUE_SINCE, HAS_DUE_FOLLOW_UP } from '../../ledger/follow-ups.ts'
import { LATE_HELP } from '../../ledger/help-waits.ts'
import { isLateStory, lacksLanguage, storyDue } from '../../members/late-stories.ts'
import { UNTOLD } from '../../members/own-stories.ts'
import {
  IS_LINE_TO_CONFIRM,
  IS_OPEN_FINDING,
  openWork,
  PURPOSE_LACKS_LANGUAGE,
  UNTOUCHED_CASE,
  type Viewer,
  type WorkView,
} from '../../staff/open-work.ts'

type Item = Output<(typeof deskCalls)['adminTodo']>['todo'][number]
type Code = Item['code']
type Row = {
  readonly code: Code
  readonly count: number
  readonly oldest: Date | null
  readonly answerBy: Date | null
  readonly isLate: boolean
}
type Kind = {
  readonly roles: Roles
  /** Rows with `at`, the instant since which each waits, and `answer_by` where a bank waits too. */
  readonly waiting: Sql
  /** The instant from which a row is late. */
  readonly lateFrom: Sql
  readonly hasDeadline?: boolean
}

const AT_ONCE = sql`at`
const WITHIN_TWO_DAYS = sql`at + interval '48 hours'`

type TodoView = WorkView & { readonly viewer: Viewer }
type Work = ReturnType<typeof openWork>

const withdrawalsThat = (wait: Sql): Sql => sql`select coalesce(w.return_first_at, w.created_at) as at from withdrawal w where ${wait}`
const refundsThat = (wait: Sql): Sql => sql`select r.created_at as at from refund r where ${wait}`
const outlaysThat = (wait: Sql): Sql => sql`select o.asked_at as at from outlay o where ${wait}`

/** Money of members on its way out, or without an owner. */
const moneyKinds = ({ withdrawals, refunds, suspense, disputes }: Work) => ({
  withdrawals: { roles: READERS, waiting: withdrawalsThat(withdrawals.to_decide), lateFrom: WITHIN_TWO_DAYS },
  withdrawals_second: { roles: READERS, waiting: withdrawalsThat(withdrawals.to_second), lateFrom: WITHIN_TWO_DAYS },
  payouts_by_hand: { roles: READERS, waiting: withdrawalsThat(withdrawals.by_hand), lateFrom: WITHIN_TWO_DAYS },
  refunds: { roles: READERS, waiting: refundsThat(refunds.to_decide), lateFrom: WITHIN_TWO_DAYS },
  refunds_second: { roles: READERS, waiting: refundsThat(refunds.to_second), lateFrom: WITHIN_TWO_DAYS },
  /** Approved or being sent, and stopped by the gateway or by a debt, or of a former gateway. */
  failed_payouts: { roles: READERS, waiting: withdrawalsThat(withdrawals.not_sent), lateFrom: AT_ONCE },
  failed_refunds: { roles: READERS, waiting: refundsThat(refunds.not_sent), lateFrom: AT_ONCE },
  suspense: {
    roles: READERS,
    waiting: sql`select s.created_at as at from suspense_item s where ${suspense.to_decide}`,
    lateFrom: WITHIN_TWO_DAYS,
  },
  /** Without an answer by its date the bank decides against us: the last two days are late. */
  disputes: {
    roles: READERS,
    waiting: sql`select d.created_at as at, d.respond_by as answer_by from dispute d where ${disputes.to_answer}`,
    lateFrom: sql`coalesce(answer_by - interval '48 hours', ${WITHIN_TWO_DAYS})`,
    hasDeadline: true,
  },
  settlements: {
    roles: READERS,
    waiting: sql`select s.events_read_at as at from gateway_settlement_seen s where ${IS_PROPOSED}`,
    lateFrom: WITHIN_TWO_DAYS,
  },
  findings: {
    roles: READERS,
    waiting: sql`select f.found_at as at from money_finding f where ${IS_OPEN_FINDING}`,
    lateFrom: WITHIN_TWO_DAYS,
  },
})

/** Money of members that came to our bank account. They are told that it takes two bank days. */
const transferKinds = ({ transfers }: Work, byTransfer: boolean) => ({
  transfers: {
    roles: READERS,
    waiting: sql`select l.stored_at as at from bank_line l where ${byTransfer}::boolean and ${IS_LINE_TO_CONFIRM}`,
    lateFrom: WITHIN_TWO_DAYS,
  },
  transfers_second: {
    roles: READERS,
    waiting: sql`select b.asked_at as at from bank_transfer b where ${transfers.to_second}`,
    lateFrom: WITHIN_TWO_DAYS,
  },
})

/** AutoPay: the gateway's own dashboard says more, and its support ends what hangs. */
const AUTOPAY_KINDS = {
  autopay_late: {
    roles: READERS,
    waiting: sql`select ${LATE_FROM} as at from autopay_charge c where ${IS_LATE_CHARGE}`,
    lateFrom: AT_ONCE,
  },
  autopay_unknown: {
    roles: READERS,
    waiting: sql`select a.unknown_since as at from autopay_mandate a where a.unknown_since is not null`,
    lateFrom: AT_ONCE,
  },
  autopay_uncancelled: {
    roles: READERS,
    waiting: sql`select a.stopping_at + interval '24 hours' as at from autopay_mandate a where ${IS_UNCANCELLED}`,
    lateFrom: AT_ONCE,
  },
}

/** Help, its stories, and our own payments. */
const helpKinds = ({ outlays }: Work) => ({
  stories: {
    roles: STAFF,
    waiting: sql`select ${storyDue(sql`story`)} as at from story where ${isLateStory(sql`story`)}`,
    lateFrom: AT_ONCE,
  },
  stories_language: {
    roles: STAFF,
    waiting: sql`select coalesce(published_at, created_at) as at from story where ${lacksLanguage(sql`story`)}`,
    lateFrom: WITHIN_TWO_DAYS,
  },
  help_cases: {
    roles: STAFF,
    waiting: sql`select c.touched_at as at from help_case c where ${UNTOUCHED_CASE}`,
    lateFrom: AT_ONCE,
  },
  help_language: {
    roles: STAFF,
    waiting: sql`select o.decided_at as at from outlay o where ${PURPOSE_LACKS_LANGUAGE}`,
    lateFrom: WITHIN_TWO_DAYS,
  },
  /** Its givers are told once a story of it is published. */
  untold_help: {
    roles: STAFF,
    waiting: sql`select o.decided_at as at from outlay o where ${UNTOLD}`,
    lateFrom: WITHIN_TWO_DAYS,
  },
  unconfirmed_help: {
    roles: STAFF,
    waiting: sql`select ${UNCONFIRMED_SINCE} as at from outlay o where ${UNCONFIRMED}`,
    lateFrom: AT_ONCE,
  },
  not_received_help: {
    roles: STAFF,
    waiting: sql`select ${RECORDED_AT} as at from outlay o where ${NOT_RECEIVED}`,
    lateFrom: AT_ONCE,
  },
  follow_ups: {
    roles: STAFF,
    waiting: sql`select ${FOLLOW_UP_DUE_SINCE} as at from outlay o where ${HAS_DUE_FOLLOW_UP}`,
    lateFrom: sql`at + interval '7 days'`,
  },
  help_waiting: {
    roles: STAFF,
    waiting: sql`select start_of_ist_day(day) as at from help_day where ${LATE_HELP}`,
    lateFrom: AT_ONCE,
  },
  outlays: {
    roles: TREASURY,
    waiting: outlaysThat(sql`${outlays.to_approve} and o.kind in ('disbursement', 'disbursement_back')`),
    lateFrom: WITHIN_TWO_DAYS,
  },
  house_entries: {
    roles: TREASURY,
    waiting: outlaysThat(sql`${outlays.to_approve} and o.kind not in ('disbursement', 'disbursement_back')`),
    lateFrom: WITHIN_TWO_DAYS,
  },
})

const OTHER_KINDS = {
  messages: {
    roles: READERS,
    waiting: sql`select created_at as at from contact_message where status in ('new', 'open')`,
    // The help center promises an answer within 24 hours.
    lateFrom: sql`at + interval '24 hours'`,
  },
  audit: {
    roles: STAFF,
    waiting: sql`select at from ${FINDINGS} standing`,
    lateFrom: AT_ONCE,
  },
  jobs: {
    roles: STAFF,
    waiting: sql`
    (select due_at as at from job where done_at is null and kind = 'mail' and due_at < roz_now() - ${lateAfter('roz_mail_queue_age_seconds')} order by due_at limit 1000)
    union all
    (select due_at from job where done_at is null and kind = 'mass_mail' and due_at < roz_now() - ${lateAfter('roz_mass_mail_queue_age_seconds')} order by due_at limit 1000)
    union all
    (select due_at from job where done_at is null and kind not in ('mail', 'mass_mail') and due_at < roz_now() - ${lateAfter('roz_job_queue_age_seconds')} order by due_at limit 1000)
    union all select since from parked_work`,
    lateFrom: AT_ONCE,
  },
}

const kindsOf = (work: Work, byTransfer: boolean): Readonly<Record<Code, Kind>> => ({
  ...moneyKinds(work),
  ...transferKinds(work, byTransfer),
  ...AUTOPAY_KINDS,
  ...helpKinds(work),
  ...OTHER_KINDS,
})

export async function readTodo(db: Db, view: TodoView): Promise<Item[]> {
  const kinds = Object.entries(kindsOf(openWork(view), view.byTransfer === true)) as [Code, Kind][]
  const read = kinds.filter(([, { roles }]) => roles.includes(view.viewer.staffRole))
  const parts = read.map(
    ([code, { waiting, lateFrom, hasDeadline }], index) => sql`
      select ${index}::int as place, ${code}::text as code, count(*)::int as count, min(at) as oldest,
             ${hasDeadline ? sql`min(answer_by)` : sql`null::timestamptz`} as "answerBy",
             coalesce(min(${lateFrom}) <= roz_now(), false) as "isLate" from (${waiting}) waiting`,
  )
  const all = parts.reduce((whole, part) => sql`${whole} union all ${part}`)
  const rows = await db.query<Row>(
    sql`select code, count, oldest, "answerBy", "isLate" from (${all}) todo where count > 0 order by "isLate" desc, place`,
  )
  return rows.map(({ oldest, answerBy, ...row }) => ({ ...row, oldest: instantOrNull(oldest), answerBy: instantOrNull(answerBy) }))
}
