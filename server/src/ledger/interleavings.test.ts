/**
 * Every two operations of money on two connections: the first stops after each of its statements in
 * turn, with its locks held, until the second waits for it or is done; then it goes on to its commit or
 * to a rollback. The answers and the whole state must be those of one of the two orders, one after the
 * other, and of the second alone after a rollback. No deadlock is needed to get there.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect, type Db, one, sql } from '../db/sql.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { createJoinBatcher } from './join-batcher.ts'
import { answerIn, clearStage, linesOf, type Need, OPERATIONS, type Operation, play, setStage, type Stage } from './testing/stage.ts'
import { RolledBackError, type Stop, stepped } from './testing/stepped-db.ts'

const ALL = process.env.ROZ_TEST_ALL === '1'
const SECOND = 'second of two'

let database: TestDatabase
let secondDb: Db
let watcher: Db
let stages = 0
beforeAll(openStageHouse)
afterAll(closeStageHouse)

async function openStageHouse(): Promise<void> {
  database = await createTestDatabase()
  secondDb = connect({ url: database.appUrl, applicationName: SECOND, max: 4 })
  watcher = connect({ url: database.superUrl, max: 1 })
  stages = 0
}
/** The audit reads what all the stages came to. */
async function closeStageHouse(): Promise<void> {
  await secondDb.close()
  await watcher.close()
  await database.drop()
}

/** The answers of both, and everything that came of it. */
type Result = { readonly answers: readonly string[]; readonly lines: readonly string[] }

async function onStage(operations: readonly Operation[], work: (stage: Stage) => Promise<readonly string[]>): Promise<Result> {
  const { db, setClock } = database
  const needs = operations.flatMap((operation) => operation.needs)
  const stage = await setStage({ db, setClock, batcher: createJoinBatcher({ db }) }, ++stages, needs)
  const answers = await work(stage)
  const lines = await linesOf(db, stage)
  await clearStage(db, stage)
  return { answers, lines }
}

const ended = async (stage: Stage, running: Promise<unknown>): Promise<string> => {
  try {
    return answerIn(stage, await running)
  } catch (error) {
    if (error instanceof RolledBackError) return 'rolled back'
    return `threw ${stage.named(String(error))}`
  }
}

const orders = new Map<string, Promise<Result>>()
/** One after the other. `of`: on whose stage, when one of them alone is run. */
function oneByOne(operations: readonly Operation[], of: readonly Operation[] = operations): Promise<Result> {
  const key = `${operations.map(({ name }) => name).join(' then ')} of ${of
    .map(({ name }) => name)
    .sort()
    .join()}`
  const known = orders.get(key)
  if (known !== undefined) return known
  const result = onStage(of, async (stage) => {
    const answers: string[] = []
    for (const operation of operations) answers.push(await ended(stage, play(database, stage, operation)))
    return answers
  })
  orders.set(key, result)
  return result
}

const statementCounts = new Map<Operation, Promise<number>>()
/** How many places there are to stop at. */
function statementsOf(operation: Operation): Promise<number> {
  const known = statementCounts.get(operation)
  if (known !== undefined) return known
  const counting = (async () => {
    let count = 0
    await onStage([operation], async (stage) => {
      const { db, statements } = stepped(database.db, undefined)
      const answer = await ended(stage, play({ db, setClock: database.setClock }, stage, operation))
      count = statements()
      return [answer]
    })
    return count
  })()
  statementCounts.set(operation, counting)
  return counting
}

async function waitsForLock(): Promise<boolean> {
  const { waits } = await one<{ waits: boolean }>(
    watcher,
    sql`select exists (select from pg_stat_activity where datname = current_database() and application_name = ${SECOND}::text
          and wait_event_type = 'Lock') as waits`,
  )
  return waits
}

async function meet(first: Operation, second: Operation, stop: Stop): Promise<Result & { readonly deadlocks: number }> {
  let deadlocks = 0
  const result = await onStage([first, second], async (stage) => {
    const { setClock } = database
    const ahead = stepped(database.db, stop)
    const behind = stepped(secondDb, undefined)
    const firstEnds = ended(stage, play({ db: ahead.db, setClock }, stage, first))
    await Promise.race([ahead.stopped, firstEnds])
    let done = false
    const secondEnds = ended(stage, play({ db: behind.db, setClock }, stage, second)).finally(() => {
      done = true
    })
    while (!done && !(await waitsForLock()));
    ahead.letGo()
    const answers = await Promise.all([firstEnds, secondEnds])
    deadlocks = ahead.deadlocks() + behind.deadlocks()
    return answers
  })
  return { ...result, deadlocks }
}

async function judge(first: Operation, second: Operation, stop: Stop): Promise<void> {
  const { deadlocks, ...got } = await meet(first, second, stop)
  const where = `${first.name} (stops after ${stop.after}, ${stop.ends}) × ${second.name}`
  expect(deadlocks, `${where}: deadlocks`).toBe(0)
  if (stop.ends === 'rollback') {
    const { answers, lines } = await oneByOne([second], [first, second])
    return expect(got, where).toEqual({ answers: ['rolled back', answers[0]], lines })
  }
  const inOrder = await oneByOne([first, second])
  if (isSame(got, inOrder)) return
  const turned = await oneByOne([second, first])
  const inTurn = { ...turned, answers: turned.answers.toReversed() }
  if (!isSame(got, inTurn)) expect(got, `${where}: neither order`).toEqual(inOrder)
}
const isSame = (a: Result, b: Result): boolean => JSON.stringify(a) === JSON.stringify(b)

const ROUNDS: ReadonlySet<Need> = new Set(['open round', 'own day', 'closed round', 'drawn round'])

/**
 * Where the first stops: after each statement in turn. The short run takes the places most likely to
 * matter of pairs that decide about the same thing or the same rounds, and of the rest a sample.
 */
async function stopsOf(first: Operation, second: Operation, pair: number): Promise<readonly Stop[]> {
  const last = await statementsOf(first)
  const after = (statement: number): Stop => ({ after: Math.min(statement, last), ends: 'commit' })
  const rollback: Stop = { after: 'all', ends: 'rollback' }
  if (ALL) return [...Array.from({ length: last }, (_none, index) => after(index + 1)), rollback]
  const ofOneThing = first.needs.some((need) => !ROUNDS.has(need) && second.needs.includes(need))
  if (ofOneThing) return [after(2), pair % 3 === 0 ? rollback : after(last)]
  const ofRounds = [first, second].every(({ needs }) => needs.some((need) => ROUNDS.has(need)))
  if (ofRounds) return pair % 2 === 0 ? [after(last)] : []
  return pair % 29 === 0 ? [pair % 4 === 0 ? rollback : after(1 + (pair % last))] : []
}

describe.each(OPERATIONS.map((first, row) => ({ first, row })))('$first.name', ({ first, row }) => {
  test('meets every other: one order or the other, nothing between', async () => {
    // Many stages have many days, each a part of the joins' table.
    if (stages > 400) await closeStageHouse().then(openStageHouse)
    for (const [column, second] of OPERATIONS.entries()) {
      for (const stop of await stopsOf(first, second, row + 2 * column)) await judge(first, second, stop)
    }
  }, 600_000)
})
