/**
 * Runs SQL: tagged templates, a connection pool with time limits, and errors by kind.
 * - Values are sent as parameters, never inside the text.
 * - Paise and ids come back as bigint, days as text, instants as Date.
 * - A lost connection throws DatabaseUnavailableError, a write on a read-only host too; a wrong statement throws PostgreSQL's own error.
 * - With several hosts, connections go to the host that accepts writes (hosts.ts).
 */
import { createHash } from 'node:crypto'
import pg from 'pg'
import template, { type RawValue, Sql } from 'sql-template-tag'
import { inStatement } from '../tracing/statements.ts'
import { createHosts, IS_READ_ONLY, ReadOnlyHostError } from './hosts.ts'

export { empty, join as joinSql } from 'sql-template-tag'
export type { Sql } from 'sql-template-tag'

/** A statement with its parameters. Cast every parameter whose type PostgreSQL would have to infer: `${id}::bigint`. */
export const sql = (strings: TemplateStringsArray, ...values: readonly RawValue[]): Sql => template(strings, ...values)

export type Queryable = {
  readonly query: <Row extends object>(statement: Sql) => Promise<Row[]>
  /** The only row. Throws where there is none or more than one. */
  readonly one: <Row extends object>(statement: Sql) => Promise<Row>
  /** The row, or undefined where there is none. Throws where there is more than one. */
  readonly maybeOne: <Row extends object>(statement: Sql) => Promise<Row | undefined>
}
/** One connection, reserved for the duration of a transaction. */
export type Connection = Queryable & {
  /** Runs statements without parameters in one round trip: BEGIN with its settings, COMMIT. Returns the last one's command tag. */
  readonly command: (text: string) => Promise<string>
}
export type Db = Queryable & {
  /** `queryTimeoutMs`: client-side timeout of each of its statements; by default the pool's. */
  readonly withConnection: <T>(work: (connection: Connection) => Promise<T>, options?: { readonly queryTimeoutMs?: number }) => Promise<T>
  readonly close: () => Promise<void>
}

/**
 * The database is unavailable or the connection broke. It is unknown whether the last statement
 * took effect: only a statement with an idempotency key may be retried.
 */
export class DatabaseUnavailableError extends Error {
  override readonly name: string = 'DatabaseUnavailableError'
}

/** The queue for a connection is full. Nothing was sent. */
export class OverloadedError extends DatabaseUnavailableError {
  override readonly name = 'OverloadedError'
}

/** The host accepts no writes for now: it has become a standby, or was set read-only. The connection itself still works. */
export class ReadOnlyError extends DatabaseUnavailableError {
  override readonly name = 'ReadOnlyError'
}

/** A transaction took longer than its own limit. The database is not away: the same work may take as long again. */
export class TransactionTimeoutError extends DatabaseUnavailableError {
  override readonly name = 'TransactionTimeoutError'
}

export type ConnectOptions = {
  /** The address, with one host or several. */
  readonly url: string
  /** Maximum number of connections of this process. */
  readonly max?: number
  /** Client-side timeout: after it the statement counts as lost and its connection is closed. */
  readonly queryTimeoutMs?: number
  /** Maximum queue length for a connection. Beyond it `OverloadedError` is thrown at once. */
  readonly waitingMax?: number
  /** Named prepared statements; off behind a PgBouncer older than 1.21 (PG_NAMED=0). */
  readonly named?: boolean
  readonly applicationName?: string
}

/**
 * Timeouts of statements outside a transaction; transaction.ts sets those inside one.
 * They are shorter than the client-side timeout, so that PostgreSQL's own error arrives first.
 * Behind a PgBouncer in transaction mode set them on the role: there this statement reaches only one server connection.
 */
const sessionBounds = (queryTimeoutMs: number): string => {
  const statementMs = Math.max(1000, queryTimeoutMs - 5000)
  return `set statement_timeout = ${statementMs}; set lock_timeout = ${Math.min(20_000, statementMs)}; set idle_in_transaction_session_timeout = 10000`
}
/** While the only host is read-only, for example with a full disk, each connection is renewed at most once in this time. */
const READ_ONLY_MS = 5000
const QUERY_TIMEOUT_MS = 30_000
const WAITING_MAX = 10_000

export function connect(options: ConnectOptions): Db {
  const queryTimeoutMs = options.queryTimeoutMs ?? QUERY_TIMEOUT_MS
  const { pool, acquire, since, areSeveral } = openPool(options, queryTimeoutMs)
  const named = options.named ?? true
  const waitingMax = options.waitingMax ?? WAITING_MAX
  const expectRoom = (): void => {
    if (pool.waitingCount >= waitingMax) throw new OverloadedError('too many statements wait for a database connection')
  }
  const withConnection: Db['withConnection'] = async (work, { queryTimeoutMs } = {}) => {
    expectRoom()
    const client = await acquire().catch(rethrow)
    let broken = false
    const mayStay = (error: DatabaseUnavailableError): boolean =>
      !areSeveral && error instanceof ReadOnlyError && performance.now() - (since.get(client) ?? 0) < READ_ONLY_MS
    const noticing = async <Row extends object>(run: () => Promise<{ rows: unknown[] }>): Promise<Row[]> => {
      try {
        return await rows<Row>(run)
      } catch (error) {
        broken ||= error instanceof DatabaseUnavailableError && !mayStay(error)
        throw error
      }
    }
    try {
      return await work({
        ...queryableBy((statement) =>
          inStatement(statement.text, () => noticing(() => client.query(config(statement, named, queryTimeoutMs)))),
        ),
        command: (text) =>
          inStatement(text, async () => {
            let tag = ''
            await noticing(async () => {
              const answers = [await client.query(text)].flat()
              tag = answers.at(-1)?.command ?? ''
              return { rows: [] }
            })
            return tag
          }),
      })
    } finally {
      client.release(broken)
    }
  }
  return {
    ...queryableBy((statement) => withConnection((connection) => connection.query(statement))),
    withConnection,
    close: () => pool.end(),
  }
}

/** A pool whose new connections go to the current host. */
function openPool(options: ConnectOptions, queryTimeoutMs: number) {
  const hosts = createHosts(options.url)
  const areSeveral = hosts.count > 1
  class HostClient extends pg.Client {
    constructor(given?: pg.ClientConfig) {
      super({ ...given, connectionString: hosts.current() })
    }
  }
  const pool = new pg.Pool({
    Client: HostClient,
    max: options.max ?? 10,
    query_timeout: queryTimeoutMs,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: options.applicationName ?? 'roz',
    types: TYPES,
    // Runs before the new connection's first statement.
    // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it, which its types do not say
    onConnect: async (client) => {
      await client.query(sessionBounds(queryTimeoutMs))
      if (!areSeveral) return
      const { rows } = await client.query<{ isReadOnly: boolean }>(IS_READ_ONLY)
      if (rows[0]?.isReadOnly === true) throw new ReadOnlyHostError()
    },
  })
  // A connection that breaks while idle or between two statements fails at its next use.
  pool.on('error', () => undefined)
  const since = new WeakMap<pg.PoolClient, number>()
  pool.on('connect', (client) => {
    since.set(client, performance.now())
    client.on('error', () => undefined)
  })
  /** Tries each of several hosts once. This is safe, because nothing was sent yet. */
  const acquire = async (): Promise<pg.PoolClient> => {
    for (let left = hosts.count; ; left--) {
      const address = hosts.current()
      try {
        return await pool.connect()
      } catch (error) {
        if (left <= 1 || !isConnectionLoss(error) || isQueueTimeout(error)) throw error
        hosts.passOver(address)
      }
    }
  }
  return { pool, acquire, since, areSeveral }
}

/** Everything that a `Queryable` asks by its `query`. */
export const queryableBy = (query: Queryable['query']): Queryable => ({
  query,
  one: async <Row extends object>(statement: Sql) => {
    const found = await query<Row>(statement)
    if (found.length !== 1) throw new Error(`expected one row, found ${found.length}`)
    return found[0] as Row
  },
  maybeOne: async <Row extends object>(statement: Sql) => {
    const found = await query<Row>(statement)
    if (found.length > 1) throw new Error(`expected at most one row, found ${found.length}`)
    return found[0]
  },
})

/** The five-character SQLSTATE of a PostgreSQL error. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}
/** The unique key or CHECK constraint that refused a row. */
export function violatedConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.constraint : undefined
}

const TYPE = { int8: 20, date: 1082, timestamptz: 1184, int8Array: 1016, dateArray: 1182 } as const
const arrayOf =
  <T>(parse: (text: string) => T) =>
  (text: string): (T | null)[] =>
    text === '{}'
      ? []
      : text
          .slice(1, -1)
          .split(',')
          .map((item) => (item === 'NULL' ? null : parse(item)))
/** Caches the last parsed instant: rows of one statement often share one. */
let newest: { readonly text: string; readonly at: unknown } = { text: '', at: undefined }
const parseInstant = pg.types.getTypeParser(TYPE.timestamptz)
function instantOf(text: string): unknown {
  if (newest.text !== text) newest = { text, at: parseInstant(text) }
  return newest.at instanceof Date ? new Date(newest.at) : newest.at
}
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  [TYPE.int8]: BigInt,
  [TYPE.date]: String,
  [TYPE.timestamptz]: instantOf,
  [TYPE.int8Array]: arrayOf(BigInt),
  [TYPE.dateArray]: arrayOf(String),
}
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (id, format) => PARSERS[id] ?? pg.types.getTypeParser(id, format),
}

const names = new Map<string, string>()
/** One name per statement text: each connection prepares a text once. */
function nameOf(text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  const name = `s${createHash('sha256').update(text).digest('base64url').slice(0, 16)}`
  names.set(text, name)
  return name
}

/** Formats an array of numbers itself: the driver would search each of a thousand items for quotes. */
function parameterOf(value: unknown): unknown {
  const areNumbers = Array.isArray(value) && value.every((item) => typeof item === 'bigint' || typeof item === 'number' || item === null)
  return areNumbers ? `{${value.map((item: bigint | number | null) => item ?? 'NULL').join(',')}}` : value
}

function config(statement: Sql, named: boolean, queryTimeoutMs?: number): pg.QueryConfig & { readonly query_timeout?: number } {
  const { text } = statement
  const values = statement.values.map(parameterOf)
  const bound = queryTimeoutMs === undefined ? {} : { query_timeout: queryTimeoutMs }
  return named ? { name: nameOf(text), text, values, ...bound } : { text, values, ...bound }
}

async function rows<Row extends object>(run: () => Promise<{ rows: unknown[] }>): Promise<Row[]> {
  try {
    return (await run()).rows as Row[]
  } catch (error) {
    return rethrow(error)
  }
}

function rethrow(error: unknown): never {
  if (sqlState(error) === READ_ONLY) throw new ReadOnlyError('the database accepts no writes', { cause: error })
  if (isConnectionLoss(error)) throw new DatabaseUnavailableError('the database is unreachable or the connection broke', { cause: error })
  throw error
}

// Classes 08 and 57Pxx, and 53300: the server closes or refuses the connection. 25P03 and 25P04 end the session. Class 28: it refuses
// new ones, as while the role's password is replaced (docs/runbooks/keys.md).
const LOSS_STATES = /^(08...|28...|57P01|57P02|57P03|57P05|53300|25P03|25P04)$/
// A host that accepts no writes, such as a primary that has become a standby.
const READ_ONLY = '25006'
const LOSS_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN'])
const LOSS_WORDS = /connection terminated|not queryable|timeout exceeded when trying to connect|query read timeout|client was closed/i

/** True if all connections are in use: another host would not help. */
const isQueueTimeout = (error: unknown): boolean => error instanceof Error && error.message === 'timeout exceeded when trying to connect'

function isConnectionLoss(error: unknown): boolean {
  if (error instanceof ReadOnlyHostError) return true
  if (error instanceof pg.DatabaseError) return LOSS_STATES.test(error.code ?? '')
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return LOSS_CODES.has(code) || LOSS_WORDS.test(error.message) || (error instanceof AggregateError && error.errors.some(isConnectionLoss))
}
