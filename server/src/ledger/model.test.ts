/**
 * Random histories of money against a model in plain memory.
 * - After every operation the answer and the whole state must equal the model's: wallets, holds, orders, rounds, withdrawals, refunds,
 *   items, disputes, and every transfer with its accounts, amount, day and position.
 * - Any operation may be repeated later.
 * - A failure prints its seed: ROZ_SEED=<seed> runs that history again; ROZ_SHRINK=0 keeps it at its full length.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { runAudit } from './audit.ts'
import { giveAccounts, makeApprover, newMember } from './testing/fixtures.ts'
import { createJoinBatcher } from './join-batcher.ts'
import { type Before, Books, modelLines, unusedOf } from './testing/model-books.ts'
import { type Ledger, ledgerLines, type Op, perform, plain, type Since } from './testing/model-ops.ts'
import { apply } from './testing/model-rounds.ts'
import { History } from './testing/model-history.ts'
import { opsOf, step } from './testing/model-steps.ts'
import { listUnusedTopups } from './unused-topups.ts'
import { setAutoJoin } from './wallets.ts'

const ALL = process.env.ROZ_TEST_ALL === '1'
const SEED = process.env.ROZ_SEED === undefined ? undefined : Number(process.env.ROZ_SEED)
/** Enough members that a reward for four winners is not always divisible. */
const MEMBERS = 5
/** A run with a given seed, or a short run, need not exercise every operation. */
const IS_WHOLE = ALL && SEED === undefined
/** As many histories as the time allows, and never fewer than `least`; a whole run goes on until each operation had an effect. */
const RUNS = ALL ? { most: 2000, least: 100, softMs: 300_000 } : { most: 60, least: 12, softMs: 12_000 }
const HARD_MS = 540_000
/** Histories add days, and so partitions of the join table: the database is replaced after this many. */
const HISTORIES_PER_DATABASE = 25

let database: TestDatabase | undefined
let histories = 0
let operations = 0
/** Histories completed. */
let done = 0
let failed = false
/** How often each operation changed something: an operation that is always refused tests nothing. */
const EFFECTS: Record<Op['do'], number> = {
  order: 0,
  capture: 0,
  mark: 0,
  join: 0,
  'join after top-up': 0,
  'auto-join page': 0,
  'auto-join all': 0,
  hold: 0,
  'approve withdrawal': 0,
  'reject withdrawal': 0,
  'send withdrawal': 0,
  'stop withdrawal': 0,
  'show withdrawal': 0,
  'complete withdrawal': 0,
  'payout word': 0,
  'ask refund': 0,
  'approve refund': 0,
  'reject refund': 0,
  'send refund': 0,
  'stop refund': 0,
  'refund word': 0,
  'credit item': 0,
  'refund item': 0,
  'pay item': 0,
  'give rest': 0,
  'pass on': 0,
  'switch pass on': 0,
  'close wallet': 0,
  dispute: 0,
  disburse: 0,
  correct: 0,
  house: 0,
  'gateway settlement': 0,
  'auto participate': 0,
  suspend: 0,
  reinstate: 0,
  close: 0,
  draw: 0,
  settle: 0,
  void: 0,
  seal: 0,
  'new day': 0,
}
/** Debts paid and given back: they follow from other operations. */
const DEBTS = { debt_paid: 0, debt_back: 0 }
const neverDone = () => Object.entries({ ...EFFECTS, ...DEBTS }).filter(([, times]) => times === 0)
/** The ledger being opened. A run that its time limit interrupts continues in the background until it has its ledger. */
let opening: Promise<Ledger> | undefined
afterAll(async () => {
  await opening?.catch(() => undefined)
  await database?.drop()
})

function freshLedger(): Promise<Ledger> {
  opening = openLedger()
  return opening
}

async function openLedger(): Promise<Ledger> {
  if (database === undefined || histories % HISTORIES_PER_DATABASE === 0) {
    const full = database
    database = undefined
    await full?.drop()
    database = await createTestDatabase()
    await makeApprover(database.db)
  }
  histories++
  const { db, setClock } = database
  return { db, setClock, batcher: createJoinBatcher({ db }) }
}

const sameShape = (answer: unknown): unknown => JSON.parse(JSON.stringify({ answer }, (_name, value: unknown) => plain(value)))

/** Runs each operation on the ledger and on the model, and compares. */
class World {
  readonly ledger: Ledger
  readonly books: Books
  readonly history: History
  readonly since: Since
  /** The sum of all accounts before this history. */
  readonly sum: bigint
  /** The model's state after the last operation. */
  #state = ''

  constructor(ledger: Ledger, members: readonly bigint[], since: Since, history: History, before: Before) {
    this.ledger = ledger
    this.books = new Books(members, since.day, before)
    this.sum = before.accounts.reduce((sum, { balance }) => sum + balance, 0n)
    this.since = since
    this.history = history
  }

  async run(op: Parameters<typeof perform>[1]): Promise<void> {
    const answer = sameShape(await perform(this.ledger, op))
    expect({ op, ...(answer as object) }).toEqual({ op, ...(sameShape(apply(this.books, op)) as object) })
    this.history.done.push(op)
    operations++
    const members = [...this.books.members.keys()]
    const { db } = this.ledger
    const [lines] = await Promise.all([
      ledgerLines(db, { members, since: this.since }),
      this.compareUnused(members[operations % members.length] as bigint),
    ])
    const expected = modelLines(this.books)
    expect(lines, `after ${JSON.stringify(op, (_name, value: unknown) => plain(value))}`).toEqual(expected)
    const state = expected.join('\n')
    if (state !== this.#state) EFFECTS[op.do]++
    this.#state = state
  }

  async compareUnused(memberId: bigint): Promise<void> {
    const rows = await listUnusedTopups(this.ledger.db, memberId)
    const unused = rows.map(({ orderId, unused: left, isRefundable }) => ({ orderId, unused: left, isRefundable }))
    const byOrder = (a: { orderId: string }, b: { orderId: string }): number => (a.orderId < b.orderId ? -1 : 1)
    expect(unused.sort(byOrder)).toEqual(unusedOf(this.books, memberId).sort(byOrder))
  }
}

async function newWorld(policy: number): Promise<World> {
  const ledger = await freshLedger()
  const { db } = ledger
  const members: bigint[] = []
  for (let n = 0; n < MEMBERS; n++) members.push(await newMember(db))
  await giveAccounts(db, members)
  const accounts = await db.query<{ account: bigint; balance: bigint }>(
    sql`select account, sum(amount)::bigint as balance from leg where account between 1 and 10 group by account`,
  )
  const open = await db.query<{ day: IstDay; paise: bigint }>(sql`select day, open as paise from help_day where open > 0`)
  const { transfer, item } = await db.one<{ transfer: bigint; item: bigint }>(
    sql`select coalesce((select max(transfer_id) from transfer), 0)::bigint as transfer, coalesce((select max(id) from suspense_item), 0)::bigint as item`,
  )
  const history = new History(histories)
  // Each history has two years of its own, and begins just before New Year.
  const day = `${2100 + 2 * ((histories - 1) % 1000)}-12-29` as IstDay
  const world = new World(ledger, members, { day, transfer, item, disputes: history.disputes }, history, { accounts, open })
  await world.run(history.newDay(day, policy))
  return world
}

test('every random history matches the model in answers and state, and the audit finds nothing', async () => {
  const until = performance.now() + RUNS.softMs
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 2 }), fc.array(step, { minLength: 20, maxLength: 60, size: 'max' }), async (policy, steps) => {
      // Shrinking a failed history has no time limit.
      if (!failed && done >= RUNS.least && performance.now() > until && (!IS_WHOLE || neverDone().length === 0)) return
      const world = await newWorld(policy)
      const { db } = world.ledger
      try {
        for (const each of steps) for (const op of opsOf(world.books, world.history, each)) await world.run(op)
        expect(await runAudit(db)).toEqual([])
        expect([...world.books.accounts.values()].reduce((sum, amount) => sum + amount, 0n)).toBe(world.sum)
        for (const kind of ['debt_paid', 'debt_back'] as const)
          DEBTS[kind] += world.books.transfers.filter((line) => line.startsWith(`transfer ${kind} `)).length
        done++
      } catch (error) {
        // Shrinking may end at another fault, and prints only that one.
        if (!failed) process.stderr.write(`the first fault, before shrinking: ${String(error)}\n`)
        failed = true
        throw error
      } finally {
        // The next history's auto-join must not find these members.
        for (const memberId of world.books.members.keys()) await inTransaction(db, (tx) => setAutoJoin(tx, memberId, false))
      }
    }),
    {
      numRuns: RUNS.most,
      interruptAfterTimeLimit: HARD_MS,
      endOnFailure: process.env.ROZ_SHRINK === '0',
      ...(SEED === undefined ? {} : { seed: SEED }),
    },
  )
  expect(done, 'completed histories').toBeGreaterThanOrEqual(RUNS.least)
  if (IS_WHOLE) expect(neverDone(), 'operations that never had an effect').toEqual([])
}, 600_000)
