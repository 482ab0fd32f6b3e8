/** Fixture: all features on the gateway sandbox, which keeps the product's time, with members who pay and a bank that settles. */
import { createServer } from 'node:http'
import { createHmac } from 'node:crypto'
import { addDays, dayAt, type IstDay, startOfDayMs } from '@roz/core/ist-day.ts'
import { pino } from 'pino'
import { expect } from 'vitest'
import { cashfreeMandates } from '../adapters/mandates/cashfree-mandates.ts'
import { cashfreeGateway } from '../adapters/payments/cashfree.ts'
import { cashfreeSettlements } from '../adapters/settlements/cashfree-settlements.ts'
import { sql } from '../db/sql.ts'
import { DAY } from '../ledger/testing/fixtures.ts'
import { makeMember, makeStaff } from './calls.ts'
import { endRests } from './database.ts'
import { perFile } from './fixture.ts'
import { openSandbox } from './gateway-calls.ts'
import { listen } from './listening.ts'
import { openServicesWorld } from './services-world.ts'

const KEYS = { clientId: 'settle-client', clientSecret: 'settle-secret-0123456789' }
const HOUR_MS = 3_600_000
export type SettlementWorld = Awaited<ReturnType<typeof openSettlementWorld>>
/** One for all tests of a file. */
export const useSettlementWorld = (...given: Parameters<typeof openSettlementWorld>): SettlementWorld =>
  perFile(() => openSettlementWorld(...given))

/** Answers the sandbox's question for the time. */
async function serveTime(nowMs: () => number) {
  const server = createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ now: new Date(nowMs()).toISOString() })),
  )
  return { url: `${await listen(server)}/now`, close: () => server.close() }
}

/** `settings`: of the environment. `log` gets each line of the server's log from the level `info` on. A call to the gateway waits `timeoutMs`. */
export async function openSettlementWorld(
  settings: Readonly<Record<string, string>> = {},
  log: (line: string) => void = () => undefined,
  timeoutMs = 10_000,
  rowsOfPage = 50,
) {
  let nowMs = startOfDayMs(DAY) + 12 * HOUR_MS
  const time = await serveTime(() => nowMs)
  const sandbox = await openSandbox({ pg: KEYS, clockUrl: time.url })
  const api = { baseUrl: `${sandbox.url}/pg`, ...KEYS, apiVersion: '2025-01-01', timeoutMs }
  const alarms: Record<string, unknown>[] = []
  const write = (line: string): void => {
    log(line)
    const said = JSON.parse(line) as Record<string, unknown>
    if (said['level'] === 50) alarms.push(said)
  }
  const world = await openServicesWorld({
    gateway: cashfreeGateway({ ...api, checkout: { mode: 'sandbox', scriptUrl: `${sandbox.url}/js/v3/cashfree.js` } }),
    mandates: cashfreeMandates(api),
    settlements: cashfreeSettlements(api, rowsOfPage),
    log: pino({ level: 'info' }, { write }),
    settings: { DRAW: 'off', PAYMENTS_LIVE: 'on', TOPUP_MAX: '1000', ...settings },
  })
  const { db } = world.database
  // The row was made at the machine's time.
  await db.query(sql`update gateway_reading set due_at = start_of_ist_day(ist_day(roz_now())) + interval '30 hours'`)
  const finance = await makeStaff(db, 'finance')
  const owner = await makeStaff(db, 'owner')

  /** Moves the clock and runs what is due; the gateway's pace waits for nobody meanwhile. */
  async function moveTo(ms: number): Promise<void> {
    nowMs = ms
    await world.database.setClock(new Date(ms))
    await world.clock.read()
    await endRests(db)
    await db.query(sql`update gateway_pace set due_at = '-infinity'`)
    await world.services.worker.runDue()
  }
  const today = (): IstDay => dayAt(nowMs)
  /** Runs until everything of the gateway is read, with a minute between two rounds. */
  async function readAll(): Promise<void> {
    for (let round = 0; round < 60; round++) {
      await moveTo(nowMs + 60_000)
      const { left } = await db.one<{ left: boolean }>(sql`select exists (select from gateway_settlement_seen where ask_at is not null)
              or (select due_at <= roz_now() or read_at is not null and (looked_at is null or looked_at < read_at) from gateway_reading) as left`)
      if (!left) return
    }
    throw new Error('the settlements were never read to the end')
  }
  const ask = (what: string, as: bigint = finance, body?: object) => world.calls.ask(what, { as, ...(body === undefined ? {} : { body }) })
  return {
    ...world,
    db,
    alarms,
    control: sandbox.control,
    finance,
    owner,
    ask,
    moveTo,
    today,
    now: () => nowMs,
    readAll,
    /** The next morning at 06:00, and all that is read then. */
    async nextMorning(days = 1): Promise<void> {
      await moveTo(startOfDayMs(addDays(today(), days)) + 6 * HOUR_MS)
      await readAll()
    },
    /** A member's payment; answers its order. */
    async paid(rupees: number, memberId?: bigint): Promise<string> {
      const as = memberId ?? (await makeMember(db))
      const { status, body } = await ask('POST /wallet/add', as, { amount: rupees, phoneNumber: '9876543210' })
      expect([status, body]).toMatchObject([200, {}])
      const orderId = String(body['order_id'])
      await sandbox.control(`/orders/${orderId}/pay`, { outcome: 'success', webhooks: 0 })
      await ask(`GET /wallet/verify/${orderId}`, as)
      return orderId
    },
    /** Settles what is open at the gateway; answers the settlement's number. */
    settle: async (body: object = {}): Promise<string> =>
      String((await sandbox.control('/settle', { webhooks: 0, ...body }))['cf_settlement_id']),
    settlements: async (query = '') => (await ask(`GET /admin/gateway-settlements${query}`)).body.settlements as Record<string, unknown>[],
    findings: async (query = '') => (await ask(`GET /admin/findings${query}`)).body.findings as Record<string, unknown>[],
    /** A refund of ₹10 that somebody makes in the gateway's dashboard. */
    async refundByHand(orderId: string, refundId: string): Promise<void> {
      const headers = { 'x-client-id': KEYS.clientId, 'x-client-secret': KEYS.clientSecret, 'x-api-version': '2025-01-01' }
      const response = await fetch(`${sandbox.url}/pg/orders/${orderId}/refunds`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ refund_id: refundId, refund_amount: 10, refund_note: 'By hand' }),
      })
      expect(response.status).toBe(200)
      await sandbox.control(`/refunds/${refundId}`, { status: 'SUCCESS', webhooks: 0 })
    },
    /** A webhook of the gateway, signed; by default about a settlement. */
    async webhook(type: string, data: object = { settlement: { settlement_id: 1 } }): Promise<number> {
      const body = JSON.stringify({
        type,
        data,
        event_time: new Date(nowMs).toISOString(),
        nonce: crypto.randomUUID(),
      })
      const timestamp = String(nowMs)
      const signature = createHmac('sha256', KEYS.clientSecret).update(timestamp).update(body).digest('base64')
      const response = await fetch(`${world.calls.url}/api/webhooks/cashfree`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-webhook-timestamp': timestamp, 'x-webhook-signature': signature },
        body,
      })
      return response.status
    },
    close: async (): Promise<void> => {
      try {
        await world.close()
      } finally {
        await sandbox.close()
        time.close()
      }
    },
  }
}
