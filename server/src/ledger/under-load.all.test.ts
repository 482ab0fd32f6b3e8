/**
 * Midnight under load: auto-join killed with a page in flight, and a round closed, drawn and settled during joins, top-ups and
 * withdrawals.
 * - Everything accepted is there; everything refused took nothing.
 * - The audit reads the ledger at the end of the file.
 */
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { IstDay } from '@roz/core/ist-day.ts'
import { wholeRupees } from '@roz/core/money.ts'
import { expect, test } from 'vitest'
import { connect, DatabaseUnavailableError, type Db, sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { useTestDatabase } from '../testing/database.ts'
import { runAutoJoin } from './auto-join.ts'
import { addMoney, DAY, drawWinners, endDay, newMembers, openDay } from './testing/fixtures.ts'
import { createJoinBatcher } from './join-batcher.ts'
import { closeRound } from './rounds.ts'
import { settleRound } from './settlement.ts'
import { holdWithdrawal, rejectWithdrawal } from './withdrawals.ts'

const database = useTestDatabase({ connectionsMax: 20 })

const joinsOn = async (day: IstDay): Promise<number> =>
  (await database.db.one<{ n: number }>(sql`select count(*)::int as n from round_join where day = ${day}::date`)).n
const isDone = async (day: IstDay): Promise<boolean> =>
  (await database.db.one<{ done: boolean }>(sql`select bool_and(done) as done from auto_cursor where day = ${day}::date`)).done

/** Runs auto-join in a child process, which kills itself with the nth page in flight. */
function joinAndDie(day: IstDay, pages: number): NodeJS.Signals | null {
  const module = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href)
  const program = `
    const { connect, queryableBy } = await import(${module('../db/sql.ts')})
    const { runAutoJoin } = await import(${module('./auto-join.ts')})
    const db = connect({ url: process.env.URL, max: 2 })
    let pages = 0
    const query = (statement) => {
      const answer = db.query(statement)
      // The statement is sent, and its answer will find no process.
      if (statement.text.includes('auto_cursor') && statement.text.includes('round_join') && ++pages === ${pages}) setImmediate(() => process.kill(process.pid, 'SIGKILL'))
      return answer
    }
    await runAutoJoin({ ...db, ...queryableBy(query) }, '${day}', { lanes: 2, pageSize: 10 })`
  return spawnSync(process.execPath, ['--input-type=module', '-e', program], { env: { ...process.env, URL: database.appUrl } }).signal
}

/** Retries like the clockwork: a run that loses its database starts again, until the day is done. */
async function joinUntilDone(db: Db, day: IstDay): Promise<void> {
  await runAutoJoin(db, day, { pageSize: 10 }).catch((error: unknown) => {
    if (!(error instanceof DatabaseUnavailableError)) throw error
    return joinUntilDone(db, day)
  })
}

test('auto-join killed with a page in flight resumes where it stopped, after every kill', async () => {
  const members = await newMembers(database.db, 150, { rupees: 10, autoJoin: true })
  await openDay(database, DAY)
  const seen: number[] = []
  for (const pages of [2, 3, 2]) {
    expect(joinAndDie(DAY, pages)).toBe('SIGKILL')
    seen.push(await joinsOn(DAY))
    expect(await isDone(DAY)).toBe(false)
  }
  expect(seen).toEqual([...seen].sort((a, b) => a - b))
  expect(seen.at(-1)).toBeGreaterThan(0)
  // The same from the other side: the backend is terminated during the run.
  const url = new URL(database.appUrl)
  url.searchParams.set('application_name', 'to be cut')
  const joining = connect({ url: url.href, max: 4 })
  const cut = connect({ url: database.superUrl, max: 1, named: false })
  const cutOnce = async (): Promise<void> => {
    const killed = await cut.query(sql`
      select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'to be cut'`)
    if (killed.length === 0) await cutOnce()
  }
  await Promise.all([cutOnce(), joinUntilDone(joining, DAY)])
  await Promise.all([cut.close(), joining.close()])
  expect([await joinsOn(DAY), await isDone(DAY)]).toEqual([members.length, true])
  const { balances } = await database.db.one<{ balances: bigint[] }>(sql`select array_agg(distinct balance) as balances from wallet`)
  expect(balances).toEqual([900n])
  await endDay(database, DAY)
})

const NEXT = '2026-11-22' as IstDay

test('a round closed, drawn and settled while members join, add money and withdraw still adds up', async () => {
  const { db } = database
  const members = await newMembers(db, 60, { rupees: 20 })
  await openDay(database, NEXT)
  const batcher = createJoinBatcher({ db })
  const first = members.slice(0, 20)
  for (const memberId of first) expect(await batcher.join({ memberId })).toMatchObject({ ok: true })
  let isOver = false
  const joined = new Set(first)
  const joining = Promise.all(
    members.slice(20).map(async (memberId) => {
      const outcome = await batcher.join({ memberId })
      if (outcome.ok) joined.add(memberId)
      else expect(outcome.code).toBe('round_closed')
    }),
  )
  const moving = members.map(async (memberId, n) => {
    do {
      if (n % 2 === 0) await addMoney(db, memberId, wholeRupees(10))
      else await withdrawAndGiveBack(db, memberId)
    } while (!isOver)
  })
  const closed = await inTransaction(db, (tx) => closeRound(tx, NEXT, { early: true }))
  if (!closed.ok) throw new Error(closed.code)
  await joining
  expect(closed.value.entries).toBe(joined.size)
  await drawWinners(db, NEXT, [first[3] as bigint])
  const settled = await Promise.all([1, 2, 3].map(() => inTransaction(db, (tx) => settleRound(tx, NEXT))))
  isOver = true
  await Promise.all(moving)
  expect(settled.map((one) => one.ok && one.value.already).sort()).toEqual([false, true, true])
  expect(await joinsOn(NEXT)).toBe(joined.size)
  for (const memberId of members.slice(20)) {
    if (!joined.has(memberId)) expect(await batcher.join({ memberId })).toMatchObject({ code: 'round_closed' })
  }
})

async function withdrawAndGiveBack(db: Db, memberId: bigint): Promise<void> {
  const id = randomUUID()
  const held = await inTransaction(db, (tx) => holdWithdrawal(tx, { id, memberId, amount: wholeRupees(10), bankAccountId: 1n }))
  if (held.ok) await inTransaction(db, (tx) => rejectWithdrawal(tx, { id, reason: 'no' }))
}
