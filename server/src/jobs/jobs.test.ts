import { afterEach, expect, test } from 'vitest'
import { queryableBy, sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { useTestDatabase } from '../testing/database.ts'
import { listParked, runAgain } from './parking.ts'
import { enqueue, GiveUpError, LaterError } from './queue.ts'
import { forgetDoneJobs, type JobHandlers, type WorkerDeps } from './worker.ts'
import { createTestWorker, keepJobs } from '../testing/job-handlers.ts'

const database = useTestDatabase()
const workers: { stop: () => Promise<void> }[] = []

afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.stop()
  await database.db.query(sql`delete from job`)
})

type Ran = { readonly day: string }

/** A worker whose handlers do nothing, except the draft of a day and those that a test sets. */
type Change = Partial<WorkerDeps> & { readonly [kind in 'mail' | 'massMail']?: JobHandlers['mail'] } & {
  readonly ask?: () => Promise<void>
}
function workerOf(draft: (payload: Ran) => Promise<void>, change: Change = {}) {
  const nothing = async (): Promise<void> => undefined
  const { mail = nothing, massMail = nothing, ask = nothing, ...deps } = change
  const handlers = keepJobs([], { mail, mass_mail: massMail, settle_order: ask, draft_story: draft })
  const worker = createTestWorker(database.db, { handlers, clockwork: [], ...deps })
  workers.push(worker)
  return worker
}

const write = (key: string, dueAt?: Date): Promise<void> =>
  inTransaction(database.db, (tx) =>
    enqueue(tx, { kind: 'draft_story', key, payload: { day: key }, ...(dueAt === undefined ? {} : { dueAt }) }),
  )

const isClaimed = async (key: string): Promise<boolean> =>
  (await database.db.one<{ is: boolean }>(sql`select locked_until is not null as is from job where key = ${key}::text`)).is

test('a job that can never succeed is given up at once, with its reason and without its payload', async () => {
  const worker = workerOf(async () => {
    throw new GiveUpError('no such mailbox')
  })
  await write('2026-11-21')
  await worker.runDue()
  const job = await database.db.one(
    sql`select done_at is not null as "isDone", attempts, payload, last_error as "lastError" from job where key = '2026-11-21'`,
  )
  expect(job).toEqual({ isDone: true, attempts: 1, payload: {}, lastError: 'GiveUpError: no such mailbox' })
})

test('a job that is written twice under one key runs once, after its transaction', async () => {
  const ran: string[] = []
  const worker = workerOf(async ({ day }) => void ran.push(day))
  await write('2026-11-21')
  await write('2026-11-21')
  await worker.runDue()
  await worker.runDue()
  expect(ran).toEqual(['2026-11-21'])
})

test('a transaction that rolls back leaves no job', async () => {
  const ran: string[] = []
  const worker = workerOf(async ({ day }) => void ran.push(day))
  const failing = inTransaction(database.db, async (tx) => {
    await enqueue(tx, { kind: 'draft_story', key: 'never', payload: { day: 'never' } })
    throw new Error('rolled back')
  })
  await expect(failing).rejects.toThrow('rolled back')
  await worker.runDue()
  expect(ran).toEqual([])
})

test('a commit that wrote a job wakes a started worker', async () => {
  const ran = Promise.withResolvers<string>()
  workerOf(async ({ day }) => ran.resolve(day)).start()
  await write('2026-11-22')
  expect(await ran.promise).toBe('2026-11-22')
})

test('while jobs keep arriving, runDue ends once the jobs due at its call have run', async () => {
  let count = 0
  const worker = workerOf(async () => write(`next ${++count}`), { patienceMs: 50 })
  for (let n = 0; n < 100; n++) await write(`first ${n}`)
  await worker.runDue()
  // Jobs that were still running end in the background.
  const open = async (): Promise<number> =>
    (await database.db.one<{ open: number }>(sql`select count(*)::int as open from job where key like 'first %' and done_at is null`)).open
  await expect.poll(open, { timeout: 20_000 }).toBe(0)
  expect(count).toBeGreaterThanOrEqual(100)
})

test('a job that is not due waits for the product’s clock', async () => {
  const ran: string[] = []
  const worker = workerOf(async ({ day }) => void ran.push(day))
  const { now } = await database.db.one<{ now: Date }>(sql`select roz_now() as now`)
  await write('later', new Date(now.getTime() + 3_600_000))
  await worker.runDue()
  expect(ran).toEqual([])
  await database.setClock(new Date(now.getTime() + 3_601_000))
  await worker.runDue()
  expect(ran).toEqual(['later'])
})

test('a job that fails is retried later, and its error is recorded', async () => {
  let tries = 0
  const worker = workerOf(async () => {
    tries++
    if (tries === 1) throw new Error('the gateway slept')
  })
  await write('again')
  await worker.runDue()
  const row = await database.db.one<{ last_error: string; attempts: number; waits: boolean }>(
    sql`select last_error, attempts, due_at > roz_now() as waits from job where key = 'again'`,
  )
  expect(row).toEqual({ last_error: 'Error: the gateway slept', attempts: 1, waits: true })
  const { now } = await database.db.one<{ now: Date }>(sql`select roz_now() as now`)
  await database.setClock(new Date(now.getTime() + 10_000))
  await worker.runDue()
  expect(tries).toBe(2)
})

test('a job that throws LaterError is retried after that time and not before', async () => {
  let tries = 0
  const worker = workerOf(async () => {
    if (++tries === 1) throw new LaterError('too much to do', 600)
  })
  await write('patient')
  await worker.runDue()
  const { now } = await database.db.one<{ now: Date }>(sql`select roz_now() as now`)
  await database.setClock(new Date(now.getTime() + 590_000))
  await worker.runDue()
  expect(tries).toBe(1)
  await database.setClock(new Date(now.getTime() + 601_000))
  await worker.runDue()
  expect(tries).toBe(2)
})

test('two concurrent workers run each job once', async () => {
  const ran: string[] = []
  const slow = async ({ day }: Ran): Promise<void> => {
    ran.push(day)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const both = [workerOf(slow), workerOf(slow)]
  for (let index = 0; index < 40; index++) await write(`job ${index}`)
  await Promise.all(both.map((worker) => worker.runDue()))
  expect(new Set(ran).size).toBe(40)
  expect(ran).toHaveLength(40)
})

test('a job whose worker was killed runs again after its lease has ended', async () => {
  await write('orphan')
  await database.db.query(sql`update job set attempts = 1, locked_until = roz_now() + interval '60 seconds' where key = 'orphan'`)
  const ran: string[] = []
  const worker = workerOf(async ({ day }) => void ran.push(day))
  await worker.runDue()
  expect(ran).toEqual([])
  const { now } = await database.db.one<{ now: Date }>(sql`select roz_now() as now`)
  await database.setClock(new Date(now.getTime() + 61_000))
  await worker.runDue()
  expect(ran).toEqual(['orphan'])
})

test('a mail server that hangs blocks neither the clockwork nor other jobs', async () => {
  const hung = Promise.withResolvers<void>()
  const seen = { clockwork: 0, drafts: 0 }
  const worker = workerOf(async () => void seen.drafts++, {
    mail: () => hung.promise,
    clockwork: [
      async () => {
        seen.clockwork++
        return false
      },
    ],
  })
  await inTransaction(database.db, (tx) => enqueue(tx, { kind: 'mail', key: 'slow', payload: { to: 'a@x.test' } as never }))
  worker.start()
  await expect.poll(() => seen.clockwork).toBeGreaterThan(0)
  const before = seen.clockwork
  await write('2026-11-23')
  await expect.poll(() => [seen.drafts, seen.clockwork > before], { timeout: 3000 }).toEqual([1, true])
  hung.resolve()
})

test('a mail to a million members delays no mail to a single one', async () => {
  const hung = Promise.withResolvers<void>()
  let mails = 0
  const worker = workerOf(async () => undefined, { massMail: () => hung.promise, mail: async () => void mails++ })
  const order = (kind: 'mail' | 'mass_mail', key: string) =>
    inTransaction(database.db, (tx) => enqueue(tx, { kind, key, payload: { to: 'a@x.test' } as never }))
  for (let n = 0; n < 20; n++) await order('mass_mail', `weekly ${n}`)
  worker.start()
  await expect.poll(() => isClaimed('weekly 0'), { timeout: 20_000 }).toBe(true)
  await order('mail', 'password link')
  await expect.poll(() => mails, { timeout: 20_000 }).toBe(1)
  hung.resolve()
})

test('while every job of a lane fails, the lane claims one handful and rests until the next tick', async () => {
  let tries = 0
  let isDown = true
  const worker = workerOf(async () => {
    tries++
    if (isDown) throw new Error('connection refused')
  })
  for (let day = 0; day < 60; day++) await write(`rest ${day}`)
  await worker.runDue()
  expect(tries).toBe(16)
  isDown = false
  await worker.runDue()
  expect(await database.db.query(sql`select 1 from job where done_at is not null`)).toHaveLength(44)
})

test('a gateway that hangs does not block the lane of joins after a top-up and drafts', async () => {
  const hung = Promise.withResolvers<void>()
  let drafts = 0
  const worker = workerOf(async () => void drafts++, { ask: () => hung.promise })
  await inTransaction(database.db, (tx) => enqueue(tx, { kind: 'settle_order', key: 'slow', payload: { orderId: 'slow' } }))
  worker.start()
  await expect.poll(() => isClaimed('slow'), { timeout: 20_000 }).toBe(true)
  await write('2026-11-26')
  await expect.poll(() => drafts, { timeout: 20_000 }).toBe(1)
  hung.resolve()
})

test('a lane that fails after runDue stopped waiting for it is logged', async () => {
  const hung = Promise.withResolvers<void>()
  const told: string[] = []
  const log = { error: (_: object, message: string) => void told.push(message), warn: () => undefined } as never
  let isAway = false
  // The database fails while the job runs, so the job's end cannot be written.
  const db: WorkerDeps['db'] = {
    ...database.db,
    ...queryableBy((statement) => (isAway ? Promise.reject(new Error('away')) : database.db.query(statement))),
  }
  const worker = workerOf(async () => undefined, { ask: () => hung.promise, db, log, patienceMs: 20 })
  await inTransaction(database.db, (tx) => enqueue(tx, { kind: 'settle_order', key: 'late', payload: { orderId: 'late' } }))
  await worker.runDue()
  expect(told).toEqual([])
  isAway = true
  hung.resolve()
  await expect.poll(() => told, { timeout: 20_000 }).toEqual(['a lane of due work failed; the next tick retries it'])
  isAway = false
})

test('clockwork that fails blocks neither other clockwork nor jobs, and runDue rejects with its error', async () => {
  const ran: string[] = []
  const failing = async (): Promise<boolean> => {
    throw new Error('an event that cannot be cleaned')
  }
  const other = async (): Promise<boolean> => {
    if (ran.includes('other')) return false
    ran.push('other')
    return true
  }
  const worker = workerOf(async ({ day }) => void ran.push(day), { clockwork: [failing, other] })
  await write('2026-11-24')
  await expect(worker.runDue()).rejects.toThrow('cannot be cleaned')
  expect(ran.sort()).toEqual(['2026-11-24', 'other'])
})

test('a job that runs longer than its lease is not run by another worker', async () => {
  const ran: string[] = []
  const slow = async ({ day }: Ran): Promise<void> => {
    ran.push(day)
    await new Promise((resolve) => setTimeout(resolve, 2500))
  }
  const [first, second] = [workerOf(slow, { leaseSeconds: 1 }), workerOf(slow, { leaseSeconds: 1 })]
  await write('slow')
  // The next try is already due: only the lease stops the second worker.
  await database.db.query(sql`update job set due_at = roz_now() - interval '1 hour'`)
  const running = first.runDue()
  await expect.poll(() => ran.length).toBe(1)
  for (let look = 0; look < 4; look++) {
    await database.db.query(sql`update job set due_at = roz_now() - interval '1 hour'`)
    await second.runDue()
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  await running
  expect(ran).toEqual(['slow'])
})

test('a job that has failed twenty times is retried the next day, and given up after 30 days', async () => {
  let isMended = false
  const tries: string[] = []
  const worker = workerOf(async ({ day }) => {
    tries.push(day)
    if (!isMended) throw new Error('still away')
  })
  const row = () =>
    database.db.one<{ attempts: number; isDone: boolean; payload: object; last_error: string | null }>(
      sql`select attempts, done_at is not null as "isDone", payload, last_error from job`,
    )
  const aDayOn = () => database.db.query(sql`update job set due_at = due_at - interval '1 day', created_at = created_at - interval '1 day'`)
  await write('stubborn')
  await database.db.query(sql`update job set attempts = 20`)
  await worker.runDue()
  await worker.runDue()
  expect(tries).toHaveLength(1)
  await aDayOn()
  await worker.runDue()
  expect([tries.length, (await row()).attempts]).toEqual([2, 22])
  for (let day = 0; day < 31; day++) await aDayOn()
  await worker.runDue()
  expect(await row()).toEqual({ attempts: 23, isDone: true, payload: {}, last_error: 'Error: still away' })
  isMended = true
  await write('mended')
  await database.db.query(sql`update job set attempts = 20 where key = 'mended'`)
  await worker.runDue()
  expect(await database.db.query(sql`select key from job where done_at is not null and last_error is null`)).toEqual([{ key: 'mended' }])
})

test('a job that fails eight times is parked with one alarm, listed, and run again by its name', async () => {
  const told: string[] = []
  const log = { error: (_: object, message: string) => void told.push(message), warn: () => undefined } as never
  const worker = workerOf(() => Promise.reject(new Error('no\0good')), { log })
  await write('parked')
  await database.db.query(sql`update job set attempts = 6`)
  const tryNow = async (): Promise<void> => {
    await database.db.query(sql`update job set due_at = roz_now()`)
    await worker.runDue()
  }
  await tryNow()
  expect([told, await listParked(database.db)]).toEqual([[], []])
  await tryNow()
  const [parked] = await listParked(database.db)
  expect(parked).toMatchObject({ work: 'job draft_story', tries: 8, error: 'Error: nogood' })
  expect(told).toEqual(['job is parked: “roz work list” lists it, “roz work retry” runs it again'])
  expect(await runAgain(database.db, 'job draft_story', parked?.item ?? '')).toBe(true)
  await worker.runDue()
  expect((await listParked(database.db))[0]?.tries).toBe(9)
  expect(told).toHaveLength(1)
})

test('a done job loses its payload at once, and is deleted after 30 days', async () => {
  const worker = workerOf(async () => undefined)
  await write('private')
  await worker.runDue()
  expect(await database.db.one(sql`select payload from job where key = 'private'`)).toEqual({ payload: {} })
  expect(await forgetDoneJobs(database.db)).toBe(false)
  await database.db.query(sql`update job set done_at = roz_now() - interval '31 days' where key = 'private'`)
  expect(await forgetDoneJobs(database.db)).toBe(true)
  expect(await database.db.query(sql`select from job`)).toEqual([])
})
