/** Validates pagination and filters of the settlement calls, and cuts a list into pages. */
import { createHash } from 'node:crypto'
import { absent, type Fields, isFields, oneOf, parseTime } from '../fields.ts'
import { badBody, invalid, missing } from '../refusals.ts'
import type { Settlement } from './model.ts'

const LIMIT_MAX = 1000
const DAY_MS = 86_400_000
const ISO = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2}))?$/
const STATES = ['SUCCESS', 'PENDING', 'PENDING_WITH_CASHFREE', 'PENDING_WITH_BANK', 'FAILED'] as const

type Page = { readonly limit: number; readonly offset: number; readonly digest: string }

/** The cursor belongs to its filters: with others it is refused. */
export function readPage(body: unknown): { page: Page; filters: Fields } {
  if (!isFields(body)) throw badBody()
  const { pagination, filters } = body
  if (absent(pagination)) throw missing('pagination')
  if (!isFields(pagination)) throw invalid('pagination', 'should be an object', pagination)
  const { limit, cursor } = pagination
  if (absent(limit)) throw missing('pagination.limit')
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX)
    throw invalid('pagination.limit', `should be from 1 to ${LIMIT_MAX}`, limit)
  if (absent(filters)) throw missing('filters')
  if (!isFields(filters)) throw invalid('filters', 'should be an object', filters)
  const digest = createHash('sha256').update(JSON.stringify(filters)).digest('hex').slice(0, 16)
  return { page: { limit, digest, offset: absent(cursor) ? 0 : readCursor(cursor, digest) }, filters }
}

function readCursor(cursor: unknown, digest: string): number {
  const text = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString() : ''
  const match = /^(\d{1,9})\.([0-9a-f]{16})$/.exec(text)
  if (match === null || match[2] !== digest) throw invalid('pagination.cursor', 'is not of these filters', cursor)
  return Number(match[1])
}

/** `limit` of the answer is the number of its rows; without further rows the cursor is null. */
export function pageOf<T>(rows: readonly T[], { limit, offset, digest }: Page, entity: (row: T) => unknown): Fields {
  const data = rows.slice(offset, offset + limit)
  const next = offset + data.length
  const cursor = next < rows.length ? Buffer.from(`${next}.${digest}`).toString('base64url') : null
  return { cursor, limit: data.length, data: data.map(entity) }
}

type Span = readonly [fromMs: number, toMs: number]
const within = (atMs: number | null, span: Span): boolean => atMs !== null && atMs >= span[0] && atMs <= span[1]

/** Both ends or none. A day alone means the whole day in India. */
export function readSpan(filters: Fields, from: string, to: string): Span | undefined {
  if (absent(filters[from]) && absent(filters[to])) return undefined
  const span = [readEnd(filters[from], `filters.${from}`, 0), readEnd(filters[to], `filters.${to}`, DAY_MS - 1)] as const
  if (span[0] > span[1]) throw invalid(`filters.${to}`, `should not be before ${from}`, filters[to])
  return span
}

function readEnd(value: unknown, field: string, restOfDayMs: number): number {
  if (absent(value)) throw missing(field)
  const isIso = typeof value === 'string' && ISO.test(value)
  const isDay = isIso && value.length === 10
  const atMs = isIso ? parseTime(isDay ? `${value}T00:00:00+05:30` : value) : Number.NaN
  if (Number.isNaN(atMs)) throw invalid(field, 'should be an ISO8601 date', value)
  return isDay ? atMs + restOfDayMs : atMs
}

function readList(value: unknown, field: string): ReadonlySet<string> | undefined {
  if (absent(value)) return undefined
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string' || typeof one === 'number')
  if (!isList || value.length === 0) throw invalid(field, 'should be a list', value)
  return new Set(value.map(String))
}

type Test = (settlement: Settlement) => boolean

/** Each filter that is given must hold. `spans`: the pairs of dates that the call knows, and what they are compared with. */
function readTests(
  filters: Fields,
  spans: readonly (readonly [from: string, to: string, at: (one: Settlement) => number | null])[],
): Test[] {
  const ids = readList(filters.cf_settlement_ids, 'filters.cf_settlement_ids')
  const utrs = readList(filters.settlement_utrs, 'filters.settlement_utrs')
  const tests: Test[] = []
  if (ids !== undefined) tests.push(({ settlementId }) => ids.has(settlementId))
  if (utrs !== undefined) tests.push(({ utr }) => utr !== null && utrs.has(utr))
  for (const [from, to, at] of spans) {
    const span = readSpan(filters, from, to)
    if (span !== undefined) tests.push((settlement) => within(at(settlement), span))
  }
  if (tests.length === 0) throw missing('filters.start_date')
  return tests
}

const initiated = (one: Settlement): number => one.initiatedAtMs
const processed = (one: Settlement): number | null => one.processedAtMs

export function readSettlementFilters(filters: Fields): Test {
  const tests = readTests(filters, [['start_date', 'end_date', initiated]])
  const { settlement_status: states } = filters
  if (!absent(states)) {
    if (!Array.isArray(states)) throw invalid('filters.settlement_status', 'should be a list', states)
    const asked: ReadonlySet<string> = new Set(states.map((one: unknown) => oneOf(one, 'filters.settlement_status', STATES)))
    tests.push(({ status }) => asked.has(status === 'REVERSED' ? 'FAILED' : status))
  }
  return (settlement) => tests.every((test) => test(settlement))
}

export function readReconFilters(filters: Fields): Test {
  const tests = readTests(filters, [
    ['start_date_initiated_on', 'end_date_initiated_on', initiated],
    ['start_date_processed_on', 'end_date_processed_on', processed],
    ['start_date', 'end_date', initiated],
  ])
  return (settlement) => tests.every((test) => test(settlement))
}
