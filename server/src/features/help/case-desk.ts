/**
 * The desk of requests for help: who takes care of one, what was done, and the agreement that makes a beneficiary.
 * - The list names nobody. Whoever opens a request is named in the staff log, which keeps no word of it.
 * - A change names the version that the person saw: of two at once the first takes effect, and the other is refused.
 * - A volunteer sees and changes only what is assigned to them; every other request answers as one that does not exist.
 * - Support and volunteers record calls and checks. They end none.
 * - Above APPROVAL_ABOVE two different people must have checked before anybody agrees.
 */
import type { Input, Output } from '@roz/contract/api.ts'
import type { caseCalls } from '@roz/contract/cases.ts'
import { CASE_WORKERS, HELPERS, type StaffRole } from '@roz/contract/roles.ts'
import {
  CASE_ENDS,
  CASE_OPEN,
  type CaseFor,
  type CaseKind,
  caseNumberOf,
  type CaseReason,
  type CaseStage,
  type CaseStep,
  type CaseUrgency,
  mayStep,
  TRIES_BEFORE_UNREACHABLE,
} from '@roz/core/case-fields.ts'
import { CASE_ORDER_MAX } from '@roz/core/case-order.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Paise, paiseFromRupees, rupeesFromPaise } from '@roz/core/money.ts'
import { type Db, type Queryable, type Sql, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { type Handlers, invalid } from '../../http/route.ts'
import { CURSOR_PARTS, type Cursor } from '../../lists/cursor.ts'
import { instantOf, pageOf } from '../../lists/listing.ts'
import { microsOf } from '../../lists/newest-first.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import { type Columns, exportList } from '../../staff/exported-list.ts'
import { UNTOUCHED_CASE } from '../../staff/open-work.ts'
import { fingerprintOf } from '../../staff/decision.ts'
import { logStaff } from '../../staff/staff-log.ts'
import { insertBeneficiary, openly } from './beneficiaries.ts'
import { recordStep, seal, type SealedCase, stepContext, unseal } from './cases.ts'
import { helpOf, isCheckedFor } from './case-help.ts'
import { findOpenList, freezeOrder, IS_LISTABLE, isUnpaid, ordersOf } from './case-order.ts'
import { searchCases } from './case-search.ts'
import type { CaseDeps } from './deps.ts'

type Calls = typeof caseCalls
type Listed = Output<Calls['helpCases']>['cases'][number]
type Full = Output<Calls['helpCase']>['case']
type Filters = Input<Calls['helpCasesCsv']>['query']
type Names =
  | 'helpCases'
  | 'helpCasesCsv'
  | 'helpOrder'
  | 'freezeHelpOrder'
  | 'helpCase'
  | 'assignHelpCase'
  | 'stepHelpCase'
  | 'agreeHelpCase'
export type DeskSession = { readonly memberId: bigint; readonly staffRole: StaffRole }
type Row = {
  readonly number: string
  readonly kind: CaseKind
  readonly forWhom: CaseFor
  readonly district: string
  readonly state: string
  readonly asked: Paise | null
  readonly agreed: Paise | null
  readonly until: IstDay | null
  readonly stage: CaseStage
  readonly urgency: CaseUrgency | null
  readonly reason: CaseReason | null
  readonly assignedTo: bigint | null
  readonly assignedName: string | null
  readonly beneficiaryId: string | null
  readonly outlayId: string | null
  readonly isUntouched: boolean
  readonly askedAt: Date
  readonly stageAt: Date
  readonly version: number
  readonly sealed: Buffer | null
}

const IS_OPEN = sql`c.stage = any (${[...CASE_OPEN]}::text[])`
/** The most urgent first; what nobody judged yet comes with what is for this week. */
const RANK = sql`(case c.urgency when 'today' then 1 when 'can_wait' then 3 else 2 end)`

const columns = sql`
  c.number, c.kind, c.for_whom as "forWhom", c.district, c.state, c.asked_paise as asked, c.agreed_paise as agreed,
  c.needed_by as until, c.stage, c.urgency, c.reason, c.assigned_to as "assignedTo", m.name as "assignedName",
  c.beneficiary_id as "beneficiaryId", c.outlay_id as "outlayId", ${UNTOUCHED_CASE} as "isUntouched", c.asked_at as "askedAt", c.stage_at as "stageAt", c.version, c.sealed`
const rows = sql`select ${columns} from help_case c left join member m on m.id = c.assigned_to`

const rupeesOrNull = (paise: Paise | null): number | null => (paise === null ? null : rupeesFromPaise(paise))
type Orders = Awaited<ReturnType<typeof ordersOf>>
const listedOf = (row: Row, orders: Orders): Listed => ({
  number: row.number,
  kind: row.kind,
  for: row.forWhom,
  district: row.district,
  state: row.state,
  asked: rupeesOrNull(row.asked),
  agreed: rupeesOrNull(row.agreed),
  until: row.until,
  stage: row.stage,
  urgency: row.urgency,
  assignedTo: row.assignedTo === null ? null : { id: String(row.assignedTo), name: row.assignedName ?? '' },
  beneficiaryId: row.beneficiaryId,
  isUntouched: row.isUntouched,
  askedAt: instantOf(row.askedAt),
  stageAt: instantOf(row.stageAt),
  version: row.version,
  order: orders.get(row.number) ?? null,
})

/** Nothing that a person wrote: a district is the only word of theirs. */
const CSV_COLUMNS: Columns<Listed> = {
  number: (row) => row.number,
  kind: (row) => row.kind,
  for: (row) => row.for,
  district: (row) => row.district,
  state: (row) => row.state,
  asked_rupees: (row) => row.asked,
  agreed_rupees: (row) => row.agreed,
  needed_by: (row) => row.until,
  stage: (row) => row.stage,
  urgency: (row) => row.urgency,
  taken_care_of_by: (row) => row.assignedTo?.name,
  order_of_day: (row) => row.order?.day,
  place: (row) => row.order?.place,
  asked_at: (row) => row.askedAt,
  stage_at: (row) => row.stageAt,
}

export const isVolunteer = ({ staffRole }: DeskSession): boolean => staffRole === 'volunteer'
const mayEnd = ({ staffRole }: DeskSession): boolean => HELPERS.some((helper) => helper === staffRole)
export const maySee = (session: DeskSession, row: Row): boolean => !isVolunteer(session) || row.assignedTo === session.memberId

type Changing = {
  readonly params: { readonly number: string }
  readonly body: { readonly version: number }
  readonly session: DeskSession
}
export const NOT_FOUND = { ok: false, code: 'case_not_found' } as const

export function caseDeskHandlers(deps: CaseDeps): Handlers<Names> {
  const { db, secrets, approvalAbove } = deps
  /** Changes a case under its lock, and answers as it is then. */
  const change = async <C extends string, R extends { readonly ok: false; readonly code: C }>(
    { params, body, session }: Changing,
    work: (tx: Tx, row: Row) => Promise<R | undefined>,
  ) =>
    inTransaction(db, async (tx) => {
      const row = await lockCase(tx, params.number)
      if (row === undefined || !maySee(session, row)) return NOT_FOUND
      if (row.version !== body.version) return { ok: false, code: 'changed_since_seen' } as const
      const refused = await work(tx, row)
      if (refused !== undefined) return refused
      await tx.query(sql`update help_case set version = version + 1, touched_at = roz_now() where number = ${row.number}::text`)
      return { ok: true, value: { case: await viewCase(tx, secrets, row.number, session) } } as const
    })

  return {
    helpCases: async ({ query, session }) => {
      const page = await pageOf(query, (part) => listCases(db, query, part, session), CURSOR)
      if (!page.ok) return page
      return {
        ok: true,
        value: { cases: [...page.rows], team: isVolunteer(session) ? [] : await listTeam(db), nextCursor: page.nextCursor },
      }
    },
    helpCasesCsv: (call) =>
      exportList(db, call, { name: 'help_cases', read: (page) => listCases(db, call.query, page, call.session), columns: CSV_COLUMNS }),
    helpOrder: async () => {
      const [open, agreed] = await Promise.all([findOpenList(db), listAgreed(db)])
      const numbers = open?.numbers ?? []
      return { ok: true, value: { day: open?.day ?? null, numbers, agreed, seen: fingerprintOf(numbers) } }
    },
    freezeHelpOrder: (call) => freezeOrder(db, call),
    helpCase: ({ params, session }) =>
      inTransaction(db, async (tx) => {
        const row = await findCase(tx, params.number)
        if (row === undefined || !maySee(session, row)) return NOT_FOUND
        await logStaff(tx, { actorId: session.memberId, action: 'help_case.read', subject: `help_case:${row.number}` })
        return { ok: true, value: { case: await viewCase(tx, secrets, row.number, session) } } as const
      }),
    assignHelpCase: (call) =>
      change(call, async (tx, row) => {
        const { body, session } = call
        const assigned = body.assignedTo === undefined ? row.assignedTo : await memberOf(tx, body.assignedTo)
        if (assigned === undefined) return { ok: false, code: 'staff_not_found' } as const
        const urgency = body.urgency === undefined ? row.urgency : body.urgency
        await tx.query(
          sql`update help_case set assigned_to = ${assigned}::bigint, urgency = ${urgency}::text where number = ${row.number}::text`,
        )
        await logStaff(tx, {
          actorId: session.memberId,
          action: 'help_case.assign',
          subject: `help_case:${row.number}`,
          before: { assignedTo: row.assignedTo, urgency: row.urgency },
          after: { assignedTo: assigned, urgency },
        })
        return undefined
      }),
    stepHelpCase: (call) => change(call, (tx, row) => takeStep(tx, deps, row, call)),
    agreeHelpCase: (call) =>
      change(call, async (tx, row) => {
        const { body, session } = call
        if (row.stage !== 'checked') return { ok: false, code: 'case_stage' } as const
        const amount = paiseFromRupees(body.amount)
        if (amount === undefined || amount <= 0n) return invalid({ amount: 'case_agreed_amount' })
        if (!(await isCheckedFor(tx, row.number, { amount, approvalAbove }))) return { ok: false, code: 'case_checks' } as const
        if (body.beneficiary.consent === null) return { ok: false, code: 'consent_missing' } as const
        const made = await insertBeneficiary(tx, deps, { by: session.memberId, fields: body.beneficiary })
        if (!made.ok) return made
        await tx.query(sql`
          update help_case set stage = 'agreed', stage_at = roz_now(), agreed_paise = ${amount}::bigint, beneficiary_id = ${made.id}::uuid
           where number = ${row.number}::text`)
        await recordStep(tx, secrets, { number: row.number, step: 'agreed', note: body.note, by: session.memberId })
        await logStaff(tx, {
          actorId: session.memberId,
          action: 'help_case.agree',
          subject: `help_case:${row.number}`,
          before: { stage: row.stage },
          after: { stage: 'agreed', amount: body.amount, beneficiary: made.id, ...openly(body.beneficiary) },
        })
        return undefined
      }),
  }
}

type Stepping = {
  readonly body: Input<Calls['stepHelpCase']>['body']
  readonly session: DeskSession
}

async function takeStep(tx: Tx, { secrets }: CaseDeps, row: Row, { body, session }: Stepping) {
  const { step, how, note, reason, answer } = body
  if (!mayEnd(session) && (CASE_ENDS as readonly CaseStep[]).includes(step)) return { ok: false, code: 'forbidden' } as const
  if (!mayStep(row.stage, step) || (row.stage === 'waiting' && !(await isUnpaid(tx, row.number))))
    return { ok: false, code: 'case_stage' } as const
  if (step === 'refused' && reason === undefined) return invalid({ reason: 'case_reason' })
  if (step === 'unreachable' && (await countTries(tx, row.number)) < TRIES_BEFORE_UNREACHABLE)
    return { ok: false, code: 'case_tries' } as const
  const stage = step === 'tried' ? row.stage : step
  const urgency = body.urgency === undefined ? row.urgency : body.urgency
  const refusal = step === 'refused' ? (reason ?? null) : null
  const sealed = refusal !== null && answer !== undefined && row.sealed !== null ? withAnswer(secrets, row, row.sealed, answer) : row.sealed
  await tx.query(sql`
    update help_case set stage = ${stage}::text, urgency = ${urgency}::text, reason = ${refusal}::text, sealed = ${sealed}::bytea,
      stage_at = case when ${step}::text = 'tried' then stage_at else roz_now() end where number = ${row.number}::text`)
  await recordStep(tx, secrets, { number: row.number, step, how, note, by: session.memberId })
  await logStaff(tx, {
    actorId: session.memberId,
    action: 'help_case.step',
    subject: `help_case:${row.number}`,
    before: { stage: row.stage, urgency: row.urgency },
    after: { step, how, urgency, ...(refusal === null ? {} : { reason: refusal }) },
  })
  return undefined
}

const withAnswer = (secrets: Secrets, { number }: Row, sealed: Buffer, answer: string): Buffer =>
  seal(secrets, number, { ...unseal(secrets, number, sealed), answer } satisfies SealedCase)

const countTries = async (tx: Tx, number: string): Promise<number> =>
  (
    await tx.one<{ tries: number }>(
      sql`select count(*)::int as tries from help_case_step where number = ${number}::text and step = 'tried'`,
    )
  ).tries

export const findCase = (from: Queryable, typed: string): Promise<Row | undefined> => {
  const number = caseNumberOf(typed)
  return number === undefined ? Promise.resolve(undefined) : from.maybeOne<Row>(sql`${rows} where c.number = ${number}::text`)
}
export async function lockCase(tx: Tx, typed: string): Promise<Row | undefined> {
  const number = caseNumberOf(typed)
  if (number === undefined) return undefined
  // A statement of its own: the row is read as it is after a change that the lock waited for.
  await tx.query(sql`select from help_case where number = ${number}::text for update`)
  return findCase(tx, number)
}

/** Null: nobody. Undefined: no such person in the team. */
async function memberOf(tx: Tx, id: string | null): Promise<bigint | null | undefined> {
  if (id === null) return null
  if (!CURSOR_PARTS.id(id)) return undefined
  const found = await tx.maybeOne<{ id: bigint }>(sql`select m.id from member m where m.id = ${id}::bigint and ${MAY_CARE}`)
  return found?.id
}
const MAY_CARE = sql`(m.role = 'admin' and m.staff_role = any (${[...CASE_WORKERS]}::text[]))`
const listTeam = async (db: Db) =>
  (await db.query<{ id: bigint; name: string }>(sql`select m.id, m.name from member m where ${MAY_CARE} order by m.name, m.id`)).map(
    ({ id, name }) => ({ id: String(id), name }),
  )

const CURSOR = [(part: string) => /^[1-3]$/.test(part), CURSOR_PARTS.micros, (part: string) => caseNumberOf(part) === part] as const

async function listCases(
  db: Queryable,
  { status, state, q }: Filters,
  { after, limit }: { readonly after: Cursor | undefined; readonly limit: number },
  session: DeskSession,
) {
  const [rank, micros, number] = after ?? []
  const later =
    after === undefined
      ? sql`true`
      : sql`(${RANK}, c.asked_at, c.number) > (${rank}::int, 'epoch'::timestamptz + ${micros}::bigint * interval '1 microsecond', ${number}::text)`
  const atStage =
    status === undefined
      ? sql`true`
      : status === 'open'
        ? IS_OPEN
        : status === 'untouched'
          ? UNTOUCHED_CASE
          : status === 'mine'
            ? sql`(${IS_OPEN} and c.assigned_to = ${session.memberId}::bigint)`
            : sql`c.stage = ${status}::text`
  const narrowed = sql`(${later} and ${atStage} and ${state === undefined ? sql`true` : sql`c.state = ${state}::text`}
    and ${isVolunteer(session) ? sql`c.assigned_to = ${session.memberId}::bigint` : sql`true`})`
  type Found = Row & { readonly rank: number; readonly micros: string }
  const listOf = (among: Sql, found: Sql) =>
    db.query<Found>(sql`
      select ${columns}, c.rank, ${microsOf(sql`c.asked_at`)} as micros
        from (select c.*, ${RANK} as rank from help_case c where ${narrowed} ${among}) c left join member m on m.id = c.assigned_to
       where ${found} order by c.rank, c.asked_at, c.number limit ${limit + 1}::int`)
  const listed = await searchCases(q, limit, listOf)
  const orders = await ordersIn(db, listed)
  return listed.map((row) => ({ shown: listedOf(row, orders), key: [String(row.rank), row.micros, row.number] satisfies Cursor }))
}

const ordersIn = (from: Queryable, cases: readonly Row[]): Promise<Orders> =>
  ordersOf(
    from,
    cases.map(({ number }) => number),
  )

async function listAgreed(db: Db): Promise<Listed[]> {
  const found = await db.query<Row>(sql`${rows} where ${IS_LISTABLE} order by ${RANK}, c.asked_at, c.number limit ${CASE_ORDER_MAX}::int`)
  const orders = await ordersIn(db, found)
  return found.map((row) => listedOf(row, orders))
}

type StepRow = {
  readonly id: string
  readonly step: Full['steps'][number]['step']
  readonly how: Full['steps'][number]['how']
  readonly note: Buffer | null
  readonly by: string | null
  readonly at: Date
}

export async function viewCase(from: Queryable, secrets: Secrets, number: string, session: DeskSession): Promise<Full> {
  const row = await from.one<Row>(sql`${rows} where c.number = ${number}::text`)
  const steps = await from.query<StepRow>(sql`
    select s.id, s.step, s.how, s.sealed_note as note, m.name as by, s.at from help_case_step s left join member m on m.id = s.done_by
     where s.number = ${number}::text order by s.at, s.id`)
  const same = await from.query<{ number: string }>(sql`
    select o.number from help_case c join help_case o on o.phone_mac = c.phone_mac and o.number <> c.number
     where c.number = ${number}::text order by o.asked_at desc, o.number limit 20`)
  return {
    ...listedOf(row, await ordersIn(from, [row])),
    contact: row.sealed === null ? null : contactOf(unseal(secrets, number, row.sealed)),
    steps: steps.map(({ id, note, at, ...step }) => ({
      ...step,
      note: note === null ? null : secrets.decrypt(note, stepContext(id)).toString('utf8'),
      at: instantOf(at),
    })),
    help: await helpOf(from, row, session),
    isPayable: await isUnpaid(from, number),
    // Other requests are not a volunteer's.
    samePhone: isVolunteer(session) ? [] : same.map((other) => other.number),
  }
}

const contactOf = ({ name, phone, email, words, knows }: SealedCase): NonNullable<Full['contact']> => ({ name, phone, email, words, knows })
