/**
 * A database seen step by step: what works on it stops after a given statement, or before its first
 * commit, until it is let go; its commit can be turned into a rollback. Nothing waits by time.
 */
import { type Connection, type Db, type Queryable, sqlState } from '../../db/sql.ts'

/** The commit was asked for, and the transaction rolled back instead. */
export class RolledBackError extends Error {}

export type Stop = { readonly after: number | 'all'; readonly ends: 'commit' | 'rollback' }
export type Stepped = {
  readonly db: Db
  /** It stands still now. */
  readonly stopped: Promise<void>
  readonly letGo: () => void
  /** Statements so far. */
  readonly statements: () => number
  /** Deadlocks that it was the victim of, also those that were then run again. */
  readonly deadlocks: () => number
}

export function stepped(db: Db, stop: Stop | undefined): Stepped {
  const [stopped, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let [statements, deadlocks, armed] = [0, 0, stop !== undefined]
  const stand = async (): Promise<void> => {
    if (!armed) return
    armed = false
    stopped.resolve()
    await go.promise
  }
  const stepping = (connection: Connection): Connection => ({
    query: async <Row extends object>(statement: Parameters<Queryable['query']>[0]) => {
      try {
        const rows = await connection.query<Row>(statement)
        statements++
        if (statements === stop?.after) await stand()
        return rows
      } catch (error) {
        if (sqlState(error) === '40P01') deadlocks++
        throw error
      }
    },
    command: async (text) => {
      if (text !== 'COMMIT') return connection.command(text)
      await stand()
      if (stop?.ends !== 'rollback') return connection.command(text)
      await connection.command('ROLLBACK')
      throw new RolledBackError('rolled back where the commit would have been')
    },
  })
  return {
    db: {
      query: (statement) => db.withConnection((connection) => alone(stepping(connection), statement)),
      withConnection: (work) => db.withConnection((connection) => work(stepping(connection))),
      close: () => db.close(),
    },
    stopped: stopped.promise,
    letGo: () => go.resolve(),
    statements: () => statements,
    deadlocks: () => deadlocks,
  }
}

/** One statement of its own, with a place to stop between it and its commit. */
async function alone<Row extends object>(connection: Connection, statement: Parameters<Queryable['query']>[0]): Promise<Row[]> {
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
