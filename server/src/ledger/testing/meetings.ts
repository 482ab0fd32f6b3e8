/**
 * Runs two operations of money on two connections.
 * - The first stops after one of its statements, with its locks held, until the second waits for a lock or is done. Then it commits or
 *   rolls back.
 * - The answers and the whole state must match one of the two orders. After a rollback they must match the second operation
 *   alone.
 * - A deadlock is a finding.
 */
import { connect, type Db, sql } from '../../db/sql.ts'
import type { TestDatabase } from '../../testing/database.ts'
import { makeApprover } from './fixtures.ts'
import { createJoinBatcher } from '../join-batcher.ts'
import { answerIn, clearScenario, linesOf, type Operation, play, setScenario, type Scenario } from './scenario.ts'
import { RolledBackError, type Stop, stepped } from './stepped-db.ts'

const SECOND = 'second of two'
/** Scenarios add days, and so partitions of the join table: the database is replaced after this many. */
const SCENARIOS_PER_DATABASE = 400

/** The answers of both operations, and the resulting rows. */
type Result = { readonly answers: readonly string[]; readonly lines: readonly string[] }
export type Finding = { readonly where: string; readonly got: unknown; readonly due: unknown }
export type Meetings = ReturnType<typeof createMeetings>

export function createMeetings(openDatabase: () => Promise<TestDatabase>) {
  let connections: Connections | undefined
  let orders = new Map<string, Promise<Result>>()
  const statementCounts = new Map<Operation, Promise<number>>()
  let met = 0

  async function onScenario(
    operations: readonly Operation[],
    work: (scenario: Scenario, connections: Connections) => Promise<readonly string[]>,
  ): Promise<Result> {
    connections ??= await openConnections(await openDatabase())
    const { database } = connections
    const { db, setClock } = database
    const needs = operations.flatMap((operation) => operation.needs)
    const scenario = await setScenario({ db, setClock, batcher: createJoinBatcher({ db }) }, ++connections.scenarios, needs)
    const answers = await work(scenario, connections)
    const lines = await linesOf(db, scenario)
    await clearScenario(db, scenario)
    return { answers, lines }
  }

  /** Runs the operations one after the other. `of`: the operations whose scenario is used, if only one of them runs. */
  function oneByOne(operations: readonly Operation[], of: readonly Operation[] = operations): Promise<Result> {
    const names = (all: readonly Operation[]): string[] => all.map(({ name }) => name)
    const key = `${names(operations).join(' then ')} of ${names(of).sort().join()}`
    const known = orders.get(key)
    if (known !== undefined) return known
    const result = onScenario(of, async (scenario, { database }) => {
      const answers: string[] = []
      for (const operation of operations) answers.push(await ended(scenario, play(database, scenario, operation)))
      return answers
    })
    orders.set(key, result)
    return result
  }

  async function meet(first: Operation, second: Operation, stop: Stop): Promise<Result & { readonly deadlocks: number }> {
    let deadlocks = 0
    const result = await onScenario([first, second], async (scenario, { database, secondDb, secondWaits }) => {
      const { setClock } = database
      const ahead = stepped(database.db, stop)
      const behind = stepped(secondDb, undefined)
      const firstEnds = ended(scenario, play({ db: ahead.db, setClock }, scenario, first))
      await Promise.race([ahead.stopped, firstEnds])
      let done = false
      const secondEnds = ended(scenario, play({ db: behind.db, setClock }, scenario, second)).finally(() => {
        done = true
      })
      while (!done && !(await secondWaits()));
      ahead.letGo()
      const answers = await Promise.all([firstEnds, secondEnds])
      deadlocks = ahead.deadlocks() + behind.deadlocks()
      return answers
    })
    return { ...result, deadlocks }
  }

  return {
    /** The number of statements after which the operation can stop. */
    statementsOf(operation: Operation): Promise<number> {
      const known = statementCounts.get(operation)
      if (known !== undefined) return known
      const counting = (async () => {
        let count = 0
        await onScenario([operation], async (scenario, { database }) => {
          const { db, statements } = stepped(database.db, undefined)
          const answer = await ended(scenario, play({ db, setClock: database.setClock }, scenario, operation))
          count = statements()
          return [answer]
        })
        return count
      })()
      statementCounts.set(operation, counting)
      return counting
    },

    /** The finding of this meeting; undefined if it is correct. */
    async judge(first: Operation, second: Operation, stop: Stop): Promise<Finding | undefined> {
      met++
      const { deadlocks, ...got } = await meet(first, second, stop)
      const where = `${first.name} (stops after ${stop.after}, ${stop.ends}) × ${second.name}`
      if (deadlocks > 0) return { where: `${where}: a deadlock`, got: deadlocks, due: 0 }
      if (stop.ends === 'rollback') {
        const { answers, lines } = await oneByOne([second], [first, second])
        const alone: Result = { answers: ['rolled back', answers[0] as string], lines }
        return isSame(got, alone) ? undefined : { where, got, due: alone }
      }
      const inOrder = await oneByOne([first, second])
      if (isSame(got, inOrder)) return undefined
      const turned = await oneByOne([second, first])
      return isSame(got, { ...turned, answers: turned.answers.toReversed() })
        ? undefined
        : { where: `${where}: neither order`, got, due: inOrder }
    },
    met: (): number => met,
    /** Between two pairs: audits and drops a full database. */
    async rest(): Promise<void> {
      orders = new Map()
      if ((connections?.scenarios ?? 0) > SCENARIOS_PER_DATABASE) await this.close()
    },
    /** Drops the database, which runs the audit over all scenarios. */
    async close(): Promise<void> {
      const left = connections
      connections = undefined
      await left?.close()
    },
  }
}

type Connections = Awaited<ReturnType<typeof openConnections>>
async function openConnections(database: TestDatabase) {
  await makeApprover(database.db)
  const secondDb: Db = connect({ url: database.appUrl, applicationName: SECOND, max: 4 })
  const watcher = connect({ url: database.superUrl, max: 1 })
  return {
    database,
    secondDb,
    scenarios: 0,
    secondWaits: async (): Promise<boolean> => {
      const { waits } = await watcher.one<{ waits: boolean }>(sql`
        select exists (select from pg_stat_activity where datname = current_database() and application_name = ${SECOND}::text
              and wait_event_type = 'Lock') as waits`)
      return waits
    },
    async close(): Promise<void> {
      await secondDb.close()
      await watcher.close()
      await database.drop()
    },
  }
}

const isSame = (a: Result, b: Result): boolean => JSON.stringify(a) === JSON.stringify(b)

const ended = async (scenario: Scenario, running: Promise<unknown>): Promise<string> => {
  try {
    return answerIn(scenario, await running)
  } catch (error) {
    if (error instanceof RolledBackError) return 'rolled back'
    return `threw ${scenario.named(String(error))}`
  }
}
