/**
 * Searches the staff log of staff and system.
 *
 * - Newest first by (at, id); each filter has an index that ends with these two.
 * - A page of a million entries reads no more rows than it shows, unless two rare filters meet.
 */
import type { Input, Output } from '@roz/contract/api.ts'
import type { staffCalls } from '@roz/contract/staff.ts'
import { type IstDay, isoIst, parseDay } from '@roz/core/ist-day.ts'
import { type Db, type Queryable, type Sql, sql } from '../../db/sql.ts'
import { type Columns, exportList } from '../../staff/exported-list.ts'
import { CURSOR_PARTS, type Cursor, cutPage, readPage } from '../../lists/cursor.ts'
import { addressKey } from '../../protection/limits.ts'
import { microsOf, olderThan } from '../../lists/newest-first.ts'
import { type Handlers, invalid, type Refusal } from '../../http/route.ts'

type Listed = Output<(typeof staffCalls)['adminAudit']>['audit'][number]
type AuditFilter = Omit<Input<(typeof staffCalls)['adminAudit']>['query'], 'cursor' | 'limit'>
type Row = {
  id: bigint
  at: Date
  micros: string
  actorId: bigint | null
  actorPublicId: string | null
  actorName: string | null
  action: string
  subject: string
  subjectName: string | null
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  address: string | null
  browser: string | null
  system: string | null
}

const ORDER = { at: sql`a.at`, id: sql`a.id` }
const KEY_SHAPES = [CURSOR_PARTS.micros, CURSOR_PARTS.id] as const
const keyOf = ({ micros, id }: Pick<Row, 'micros' | 'id'>): Cursor => [micros, String(id)]

/** The condition of a filter; a refusal for a day that does not exist. */
async function conditionOf(db: Db, filter: AuditFilter): Promise<{ readonly ok: true; readonly where: Sql } | Refusal<'invalid_input'>> {
  const days: Partial<Record<'from' | 'to', IstDay>> = {}
  for (const name of ['from', 'to'] as const) {
    const given = filter[name]
    const day = given === undefined ? undefined : parseDay(given)
    if (given !== undefined && day === undefined) return invalid({ [name]: 'day_invalid' })
    if (day !== undefined) days[name] = day
  }
  const { from, to } = days
  const parts = [
    await byActor(db, filter.actor),
    filter.action === undefined ? sql`true` : sql`a.action = ${filter.action}::text`,
    await bySubject(db, filter.subject?.trim()),
    from === undefined ? sql`true` : sql`a.at >= start_of_ist_day(${from}::date)`,
    to === undefined ? sql`true` : sql`a.at < start_of_ist_day(${to}::date + 1)`,
  ] as const
  return { ok: true, where: sql`${parts[0]} and ${parts[1]} and ${parts[2]} and ${parts[3]} and ${parts[4]}` }
}

async function byActor(db: Db, actor: string | undefined): Promise<Sql> {
  if (actor === undefined) return sql`true`
  if (actor === 'system') return sql`a.actor_id is null`
  const found = CURSOR_PARTS.uuid(actor)
    ? await db.maybeOne<{ id: bigint }>(sql`select id from member where public_id = ${actor}::uuid`)
    : undefined
  return found === undefined ? sql`false` : sql`a.actor_id = ${found.id}::bigint`
}

/** A decision about a payment was logged as of an `entry` or a `disbursement`, while its request was of an `outlay`. */
const OUTLAY = /^(?:outlay|entry|disbursement):(.+)$/

async function bySubject(db: Db, subject: string | undefined): Promise<Sql> {
  if (subject === undefined || subject === '') return sql`true`
  const outlay = OUTLAY.exec(subject)?.[1]
  if (outlay !== undefined)
    return sql`a.subject in (${`outlay:${outlay}`}::text, ${`entry:${outlay}`}::text, ${`disbursement:${outlay}`}::text)`
  if (!subject.includes('@')) return sql`a.subject = ${subject}::text`
  const found = await db.maybeOne<{ id: bigint }>(sql`select id from member where lower(email) = ${addressKey(subject)}::text`)
  return found === undefined ? sql`false` : sql`a.subject = ${`member:${found.id}`}::text`
}

const listEntries = (
  db: Queryable,
  where: Sql,
  { after, limit }: { readonly after: Cursor | undefined; readonly limit: number },
): Promise<Row[]> =>
  db.query<Row>(sql`
    select a.id, a.at, ${microsOf(sql`a.at`)} as micros, a.actor_id as "actorId", m.public_id as "actorPublicId", coalesce(a.actor_name, m.name) as "actorName",
      a.action, a.subject, s.name as "subjectName", a.before, a.after, a.from_address as address, a.from_browser as browser,
      a.from_system as system
    from audit_log a left join member m on m.id = a.actor_id
      left join member s on s.id = substring(a.subject from '^member:([0-9]{1,18})$')::bigint
    where ${where} and ${olderThan(ORDER, after, 'bigint')}
    order by a.at desc, a.id desc limit ${limit + 1}::int`)

/** Every action in the log, each found by one index lookup. */
const listActions = async (db: Db): Promise<string[]> =>
  (
    await db.query<{ action: string }>(sql`
      with recursive found (action) as (
        (select action from audit_log order by action limit 1)
        union all select (select a.action from audit_log a where a.action > found.action order by a.action limit 1)
          from found where found.action is not null)
      select action from found where action is not null`)
  ).map(({ action }) => action)

const listedOf = (row: Row): Listed => ({
  id: String(row.id),
  at: isoIst(row.at.getTime()),
  actor: row.actorPublicId === null ? null : { id: row.actorPublicId, name: row.actorName ?? '' },
  action: row.action,
  subject: row.subject,
  subjectName: row.subjectName,
  before: row.before,
  after: row.after,
  from: row.address === null ? null : { address: row.address, browser: row.browser, system: row.system },
})

const json = (values: Row['before']): string | null => (values === null ? null : JSON.stringify(values))
const COLUMNS = {
  at: (row) => isoIst(row.at.getTime()),
  actor: (row) => row.actorName ?? 'system',
  action: (row) => row.action,
  subject: (row) => row.subject,
  subjectName: (row) => row.subjectName,
  before: (row) => json(row.before),
  after: (row) => json(row.after),
  address: (row) => row.address,
  browser: (row) => row.browser,
  system: (row) => row.system,
} satisfies Columns<Row>

export function createStaffLog({ db }: { readonly db: Db }) {
  const handlers: Handlers<'adminAudit' | 'adminAuditCsv'> = {
    adminAudit: async ({ query }) => {
      const page = readPage(query, KEY_SHAPES)
      if (!page.ok) return page
      const condition = await conditionOf(db, query)
      if (!condition.ok) return condition
      const [rows, actions] = await Promise.all([
        listEntries(db, condition.where, page),
        page.after === undefined ? listActions(db) : Promise.resolve([]),
      ])
      const { rows: shown, nextCursor } = cutPage(rows, page.limit, keyOf)
      return { ok: true, value: { audit: shown.map(listedOf), actions, nextCursor } }
    },
    adminAuditCsv: async (call) => {
      const condition = await conditionOf(db, call.query)
      if (!condition.ok) return condition
      return exportList(db, call, {
        name: 'audit',
        action: 'audit.export',
        read: async (page) => (await listEntries(db, condition.where, page)).map((row) => ({ shown: row, key: keyOf(row) })),
        columns: COLUMNS,
      })
    },
  }
  return { handlers }
}
