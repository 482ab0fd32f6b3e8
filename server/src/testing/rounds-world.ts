/**
 * Fixture of the tests of rounds and draws: calls over real HTTP, a real database, due work behind /dev/clock.
 * - The clock is set by hand.
 * - Jobs of other features are only recorded.
 */
import type { Paise } from '@roz/core/money.ts'
import { paise } from '@roz/core/money.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { POLICY_A, type SplitPolicy, type TaxPolicy } from '@roz/core/split.ts'
import type { OpenRecord } from '@roz/core/draw-records.ts'
import Fastify from 'fastify'
import { expect } from 'vitest'
import { createDrand } from '../adapters/beacon/drand.ts'
import type { BeaconChain } from '../adapters/beacon/port.ts'
import { createClock } from '../adapters/clock.ts'
import { type Db, sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { registerDevClock } from '../dev/clock.ts'
import { createBooks } from '../features/books/books.ts'
import type { RunOptions } from '../features/books/liabilities.ts'
import { createDraws } from '../features/rounds/draw.ts'
import { createOpenLog } from '../features/open-log/open-log.ts'
import { createRounds } from '../features/rounds/rounds.ts'
import { registerFaults } from '../http/faults.ts'
import { createAttempt } from '../jobs/parking.ts'
import { createWorker } from '../jobs/worker.ts'
import { setAutoJoin } from '../ledger/wallets.ts'
import { createCheckpoints } from '../transparency-log/checkpoints.ts'
import { createLogKeys } from '../transparency-log/log-key.ts'
import { createLogProofs } from '../transparency-log/log-tree.ts'
import { createReceipts } from '../transparency-log/receipts.ts'
import { createTicketKeys } from '../tickets/ticket-keys.ts'
import { ticketOf } from '../tickets/ticket.ts'
import { makeMember, makeStaff, serveCalls, testSecrets } from './calls.ts'
import { createTestDatabase } from './database.ts'
import { perFile } from './fixture.ts'
import { expectDaysHold } from './verifier.ts'
import { type KeptJob, keepJobs } from './job-handlers.ts'
import { addMoney } from '../ledger/testing/fixtures.ts'

export type RoundsWorld = Awaited<ReturnType<typeof openRoundsWorld>>
/** One for all tests of a file. */
export const useRoundsWorld = (options: RoundsOptions = {}): RoundsWorld => perFile(() => openRoundsWorld(options))
export type RoundsOptions = {
  readonly startsAt?: string
  readonly policy?: SplitPolicy
  readonly tax?: TaxPolicy
  /** The test's own beacon; without it rounds are drawn in local mode. */
  readonly beacon?: { readonly chain: BeaconChain; readonly relays: readonly string[] }
  readonly witnesses?: OpenRecord['witnesses']
  /** Sizes of the batches in which liabilities are written. */
  readonly bookPages?: RunOptions
}

export async function openRoundsWorld(options: RoundsOptions = {}) {
  const { startsAt = '2026-11-21T10:00:00+05:30', policy = POLICY_A, tax } = options
  const database = await createTestDatabase({ connectionsMax: 20 })
  const { db } = database
  await database.setClock(new Date(startsAt))
  const faults: unknown[] = []
  const jobs: KeptJob[] = []
  const ticketKeys = createTicketKeys({ secrets: testSecrets })
  const keep = (fault: unknown): void => void faults.push(fault)
  const log = { warn: keep, error: keep }
  const drawing = {
    db,
    attempt: createAttempt({ db, log }),
    secrets: testSecrets,
    ticketKeys,
    tax: tax ?? { percent: 0, above: paise(0n) },
    beacon: createDrand({ relays: options.beacon?.relays ?? [], timeoutMs: 60_000 }),
    chain: options.beacon?.chain,
    witnesses: options.witnesses ?? { keys: [], quorum: 2 },
    log,
  }
  // The tests of the seal call what `rounds` uses itself.
  const draws = createDraws(drawing)
  const logKeys = createLogKeys({ secrets: testSecrets, origin: 'test.example/log' })
  const receipts = createReceipts({ db, keys: logKeys, ticketKeys })
  const makeRounds = (split: SplitPolicy) => createRounds({ ...drawing, receipts, policy: split })
  const rounds = makeRounds(policy)
  const makeCheckpoints = () => createCheckpoints({ db, keys: logKeys, alarm: keep })
  const checkpoints = makeCheckpoints()
  const proofs = createLogProofs({ db, checkpoints })
  const books = createBooks({ db, ticketKeys, proofs, alarm: keep, pages: options.bookPages ?? {} })
  const openLog = createOpenLog({ db, witnessDb: db, keys: logKeys, checkpoints, proofs, receipts })
  const clock = createClock(db)
  const worker = createWorker({
    db,
    handlers: keepJobs(jobs, rounds.jobs),
    clockwork: [rounds.due, rounds.askBeacon, openLog.due, async () => (await books.due()) !== undefined],
    now: clock.read,
    log: { warn: keep, error: keep } as never,
    // A test expects that all due work is done, also on a busy machine.
    patienceMs: 60_000,
  })
  await worker.runDue()
  const calls = await serveCalls(db, { ...rounds.handlers, ...openLog.handlers, ...books.handlers })
  const dev = Fastify({ logger: false, forceCloseConnections: true })
  registerFaults(dev)
  registerDevClock(dev, { db, clock, runDue: worker.runDue })
  const devUrl = await dev.listen({ port: 0, host: '127.0.0.1' })
  const admin = await makeStaff(db)
  return {
    database,
    db,
    rounds,
    draws,
    ticketKeys,
    logKeys,
    makeCheckpoints,
    proofs,
    receipts,
    books,
    openLog,
    clock,
    jobs,
    /** Warnings and errors of due work and jobs. */
    faults,
    runDue: worker.runDue,
    admin,
    makeRounds,
    ...calls,
    ...devClock(devUrl),
    ...membersOf(db),
    ...readersOf(db),
    /** The members' tickets of a day, computed with their own keys. */
    ticketsOf: async (memberIds: readonly bigint[], day: IstDay): Promise<ReadonlyMap<bigint, Buffer>> =>
      new Map((await ticketKeys.listFor(db, memberIds, day)).map(({ memberId, key }) => [memberId, ticketOf(key, day)])),
    join: (as: bigint, body?: unknown, headers: Record<string, string> = {}) => calls.ask('POST /rounds/join', { as, body, headers }),
    current: async (as?: bigint) =>
      (await calls.ask('GET /rounds/current', as === undefined ? {} : { as })).body as Record<string, unknown>,
    trigger: (body?: unknown, headers: Record<string, string> = {}) => calls.ask('POST /admin/trigger-draw', { as: admin, body, headers }),
    close: async (): Promise<void> => {
      try {
        expect(faults).toEqual([])
        await expectDaysHold(db, { url: calls.url, ...(options.beacon === undefined ? {} : { chainHash: options.beacon.chain.chainHash }) })
      } finally {
        await calls.close()
        await dev.close()
        await database.drop()
      }
    },
  }
}

function devClock(devUrl: string) {
  const set = async (body: unknown): Promise<{ status: number; body: Record<string, unknown> }> => {
    const response = await fetch(`${devUrl}/dev/clock`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  return {
    setClock: set,
    /** Sets the clock and runs all due work. */
    goTo: async (now: string): Promise<void> => {
      const { status, body } = await set({ now })
      expect(status, JSON.stringify(body)).toBe(200)
    },
    readClock: async () => (await fetch(`${devUrl}/dev/clock`)).json() as Promise<{ now: string }>,
  }
}

function membersOf(db: Db) {
  const fund = (memberId: bigint, amountPaise: bigint): Promise<string> => addMoney(db, memberId, paise(amountPaise))
  return {
    fund,
    async member(rupees: number, options: { readonly name?: string; readonly auto?: boolean } = {}): Promise<bigint> {
      const id = await makeMember(db, options.name === undefined ? {} : { name: options.name })
      if (rupees > 0) await fund(id, BigInt(Math.round(rupees * 100)))
      if (options.auto === true) await inTransaction(db, (tx) => setAutoJoin(tx, id, true))
      return id
    },
    async balance(memberId: bigint): Promise<bigint> {
      return (await db.one<{ balance: Paise }>(sql`select balance from wallet where member_id = ${memberId}::bigint`)).balance
    },
  }
}

function readersOf(db: Db) {
  return {
    statuses: async (): Promise<Record<string, string>> =>
      Object.fromEntries(
        (await db.query<{ day: string; status: string }>(sql`select day, status from round order by day`)).map((row) => [
          row.day,
          row.status,
        ]),
      ),
    entrants: async (day: string): Promise<bigint[]> =>
      (await db.query<{ id: bigint }>(sql`select member_id as id from round_join where day = ${day}::date order by member_id`)).map(
        ({ id }) => id,
      ),
    /** All records of the log. */
    log: async () =>
      (await db.query<{ bytes: Buffer }>(sql`select bytes from log_entry order by index`)).map(
        ({ bytes }) => JSON.parse(bytes.toString()) as { kind: string; day: string } & Record<string, unknown>,
      ),
  }
}
