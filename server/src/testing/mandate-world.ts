/**
 * AutoPay on the real adapter and the gateway sandbox, over HTTP, in two processes on one database.
 * - The sandbox follows the product's clock. Its webhooks are kept, and a test delivers them: late, twice, out of order or never.
 * - A process can be killed between two statements: from there on none of its statements reaches the database, and open
 *   transactions roll back.
 */
import { createServer } from 'node:http'
import { dayAt } from '@roz/core/ist-day.ts'
import { paise } from '@roz/core/money.ts'
import { cashfreeMandates } from '../adapters/mandates/cashfree-mandates.ts'
import { type Connection, type Db, queryableBy, sql } from '../db/sql.ts'
import { createAutopay } from '../features/autopay/autopay.ts'
import { createAttempt } from '../jobs/parking.ts'
import { createTicketKeys } from '../tickets/ticket-keys.ts'
import { serveCalls, testSecrets } from './calls.ts'
import { createTestDatabase, endRests } from './database.ts'
import { KEYS } from './wallet-world.ts'
import { openSandbox, startShop, type Webhook } from './gateway-calls.ts'
import { closeServer, listen } from './listening.ts'

const AMOUNT = paise(3000n)
export const BELOW = paise(500n)

type Answered = { readonly status: number; readonly body: Readonly<Record<string, unknown>> }

class KilledError extends Error {}

/** A database that serves so many more statements. */
function mortal(db: Db) {
  let left = Number.POSITIVE_INFINITY
  const spend = (): void => {
    if (left-- <= 0) throw new KilledError('this process was killed')
  }
  const dying = (connection: Connection): Connection => ({
    ...queryableBy(async (statement) => {
      spend()
      return connection.query(statement)
    }),
    command: async (text) => {
      // A killed process leaves an open transaction, which PostgreSQL rolls back.
      if (text !== 'ROLLBACK') spend()
      return connection.command(text)
    },
  })
  const mortalDb: Db = {
    ...queryableBy(async (statement) => {
      spend()
      return db.query(statement)
    }),
    withConnection: (work, options) => db.withConnection((connection) => work(dying(connection)), options),
    close: () => db.close(),
  }
  return { db: mortalDb, dieAfter: (statements: number): void => void (left = statements) }
}

export type MandateWorld = Awaited<ReturnType<typeof openMandateWorld>>

export async function openMandateWorld() {
  const database = await createTestDatabase({ connectionsMax: 20 })
  const { db } = database
  let nowMs = Date.now()
  const clock = createServer((_request, response) => void response.end(JSON.stringify({ now: new Date(nowMs).toISOString() })))
  const shop = await startShop()
  const sandbox = await openSandbox({
    pg: KEYS,
    clockUrl: await listen(clock),
    tabs: { subscriptions: { url: shop.url, version: '2025-01-01' } },
  })
  const mandates = cashfreeMandates({ baseUrl: `${sandbox.url}/pg`, ...KEYS, apiVersion: '2025-01-01', timeoutMs: 3000 })
  const log = { warn: () => undefined, error: () => undefined }
  const startProcess = () => {
    const { db: own, dieAfter } = mortal(db)
    const autopay = createAutopay({
      db: own,
      mandates,
      checkout: { mode: 'sandbox', scriptUrl: '' },
      attempt: createAttempt({ db: own, log }),
      secrets: testSecrets,
      ticketKeys: createTicketKeys({ secrets: testSecrets }),
      topupLimits: { min: paise(1000n), max: AMOUNT },
      termsVersion: 'test',
      autopayOn: true,
      topupsOn: true,
      below: BELOW,
      warn: log.warn,
      alarm: log.error,
    })
    /** Runs what is due, like the worker's lanes: beside each other, until nothing more is. A killed process does no more. */
    const runDue = async (statements = Number.POSITIVE_INFINITY): Promise<void> => {
      dieAfter(statements)
      try {
        await Promise.allSettled(
          autopay.sweeps.map(async (sweep) => {
            for (let n = 0; n < 6 && (await sweep()); n++);
          }),
        )
      } finally {
        dieAfter(Number.POSITIVE_INFINITY)
      }
    }
    return { handlers: autopay.handlers, runDue }
  }
  const processes = [startProcess(), startProcess()] as const
  const calls = await serveCalls(db, processes[0].handlers)

  const control = async (address: string, body?: unknown): Promise<Answered> => {
    const answer = await fetch(`${sandbox.url}/__sandbox${address}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: (await answer.json()) as Readonly<Record<string, unknown>> }
  }
  const moveTo = async (ms: number): Promise<void> => {
    nowMs = ms
    await database.setClock(new Date(ms))
    await endRests(db)
    // Today's Auto Participate has run.
    await db.query(sql`insert into auto_join_told (day) values (${dayAt(ms)}::date) on conflict do nothing`)
  }
  await moveTo(nowMs)

  return {
    db,
    calls,
    control,
    processes,
    kept: shop.webhooks,
    moveTo,
    nowMs: () => nowMs,
    deliver: async ({ headers, bytes }: Webhook): Promise<number> =>
      (await fetch(`${calls.url}/api/webhooks/cashfree-autopay`, { method: 'POST', headers, body: new Uint8Array(bytes) })).status,
    close: async (): Promise<void> => {
      await calls.close()
      await sandbox.close()
      await Promise.all([closeServer(clock), shop.close()])
      await database.drop()
    },
  }
}
