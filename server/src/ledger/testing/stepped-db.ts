/**
 * A database that stops its work at a given step.
 * - The work stops after a given statement, or before its first commit, until it is released.
 * - Its commit can be turned into a rollback.
 * - No wait depends on time.
 */
import { type Connection, type Db, queryableBy, type Sql, sqlState } from '../../db/sql.ts'

/** The commit was requested, and the transaction was rolled back instead. */
export class RolledBackError extends Error {}

export type Stop = { readonly after: number | 'all'; readonly ends: 'commit' | 'rollback' }
type Stepped = {
  readonly db: Db
  /** Resolves when the work has stopped. */
  readonly stopped: Promise<void>
  readonly letGo: () => void
  /** Statements so far. */
  readonly statements: () => number
  /** Deadlocks that ended one of its statements, retried ones included. */
  readonly deadlocks: () => number
}

export function stepped(db: Db, stop: Stop | undefined): Stepped {
  const [stopped, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let [statements, deadlocks, armed] = [0, 0, stop !== undefined]
  const halt = async (): Promise<void> => {
    if (!armed) return
    armed = false
    stopped.resolve()
    await go.promise
  }
  const stepping = (connection: Connection): Connection => ({
    ...queryableBy(async <Row extends object>(statement: Sql) => {
      try {
        const rows = await connection.query<Row>(statement)
        statements++
        if (statements === stop?.after) await halt()
        return rows
      } catch (error) {
        if (sqlState(error) === '40P01') deadlocks++
        throw error
      }
    }),
    command: async (text) => {
      if (text !== 'COMMIT') return connection.command(text)
      await halt()
      if (stop?.ends !== 'rollback') return connection.command(text)
      await connection.command('ROLLBACK')
      throw new RolledBackError('rolled back where the commit would have been')
    },
  })
  return {
    db: {
      ...queryableBy((statement) => db.withConnection((connection) => alone(stepping(connection), statement))),
      withConnection: (work) => db.withConnection((connection) => work(stepping(connection))),
      close: () => db.close(),
    },
    stopped: stopped.promise,
    letGo: () => go.resolve(),
    statements: () => statements,
    deadlocks: () => deadlocks,
  }
}

/** Runs one statement in a transaction, so that it can stop before its commit. */
async function alone<Row extends object>(connection: Connection, statement: Sql): Promise<Row[]> {
  await connection.command('BEGIN')
  try {
    const rows = await connection.query<Row>(statement)
    await connection.command('COMMIT')
    return rows
  } catch (error) {
    await connection.command('ROLLBACK').catch(() => undefined)
    throw error
  }
}
