/** Payouts and wallet on the real adapters and the gateway sandbox, over HTTP, with its webhooks. */
import { createServer } from 'node:http'
import { paise } from '@roz/core/money.ts'
import { expect } from 'vitest'
import { noting } from '../adapters/gateway-silence.ts'
import { cashfreeGateway } from '../adapters/payments/cashfree.ts'
import { cashfreePayouts } from '../adapters/payouts/cashfree-payouts.ts'
import { sql } from '../db/sql.ts'
import { createDisputes } from '../features/disputes/disputes.ts'
import { createPayouts } from '../features/payouts/payouts.ts'
import { createWallet } from '../features/wallet/wallet.ts'
import { createAttempt } from '../jobs/parking.ts'
import { createTicketKeys } from '../tickets/ticket-keys.ts'
import { makeStaff, serveCalls, testSecrets } from './calls.ts'
import { createTestDatabase } from './database.ts'
import { openSandbox, readWebhook, type Webhook } from './gateway-calls.ts'
import { closeServer, listen } from './listening.ts'
import { createTestWorker, keepJobs } from './job-handlers.ts'
import { KEYS, logOf } from './wallet-world.ts'

const PAYOUT_KEYS = { clientId: 'payout-client', clientSecret: 'payout-secret-0123456789' }
/** The sandbox needs the webhook's address before the calls have one: this server forwards to them. */
async function openRelay() {
  let target = ''
  const server = createServer((request, response) => {
    const passOn = ({ headers, bytes }: Webhook) =>
      fetch(`${target}/api/webhooks/cashfree-payouts`, { method: 'POST', headers, body: new Uint8Array(bytes) })
    readWebhook(request)
      .then(passOn)
      .then(
        (answer) => response.writeHead(answer.status).end(),
        () => response.writeHead(502).end(),
      )
  })
  return {
    url: `${await listen(server)}/payouts`,
    sendTo: (url: string): void => {
      target = url
    },
    close: () => closeServer(server),
  }
}

export async function openGatewayWorld() {
  const database = await createTestDatabase()
  const { db } = database
  const relay = await openRelay()
  const sandbox = await openSandbox({ pg: KEYS, payouts: { ...PAYOUT_KEYS, notifyUrl: relay.url } })
  const alarms: object[] = []
  const noted = { db, warn: () => undefined, alarm: () => undefined }
  const payments = cashfreeGateway({
    baseUrl: `${sandbox.url}/pg`,
    ...KEYS,
    apiVersion: '2025-01-01',
    checkout: { mode: 'sandbox', scriptUrl: `${sandbox.url}/js/v3/cashfree.js` },
  })
  const transfers = cashfreePayouts({
    baseUrl: `${sandbox.url}/payout`,
    ...PAYOUT_KEYS,
    apiVersion: '2024-01-01',
    nowMs: () => Date.now(),
  })
  const gateway = noting(noted, 'payments', payments, [
    'createOrder',
    'fetchOrder',
    'createRefund',
    'fetchRefund',
    'fetchDispute',
    'listDisputes',
  ])
  const attempt = createAttempt({ db, log: logOf(alarms) })
  const shared = { db, gateway, attempt, secrets: testSecrets, approvalAbove: paise(100_000n), warn: () => undefined }
  const payouts = createPayouts({
    ...shared,
    payouts: noting(noted, 'payouts', transfers, ['ensureBeneficiary', 'send', 'fetchTransfer']),
    alarm: (details) => void alarms.push(details),
  })
  const wallet = createWallet({
    ...shared,
    topupLimits: { min: paise(1000n), max: paise(3000n) },
    topupsOn: true,
    cashoutOn: true,
    ticketKeys: createTicketKeys({ secrets: testSecrets }),
    alarm: (details) => void alarms.push(details),
  })
  const disputes = createDisputes({ ...shared, alarm: (details) => void alarms.push(details) })
  const calls = await serveCalls(db, { ...wallet.handlers, ...payouts.handlers, ...disputes.handlers })
  relay.sendTo(calls.url)
  const worker = createTestWorker(db, {
    handlers: keepJobs([], { ...wallet.jobs, ...payouts.jobs, ...disputes.jobs }),
    clockwork: [...wallet.sweeps, ...payouts.sweeps, disputes.due],
  })
  const admin = await makeStaff(db)
  return {
    db,
    calls,
    sandboxUrl: sandbox.url,
    alarms,
    runDue: worker.runDue,
    /** Makes the sandbox's bank act; its webhook follows. */
    play: sandbox.control,
    decide: async (call: string): Promise<void> => {
      const answer = await calls.ask(`POST /admin/${call}/approve`, { as: admin, body: { status: 'requested' } })
      expect(answer.status).toBe(200)
      await worker.runDue()
    },
    /** Lets the spacing between two questions pass, and runs due work. */
    goOn: async (seconds = 6): Promise<void> => {
      await db.query(sql`select set_clock_offset((select offset_ms from clock_offset) + ${seconds * 1000}::bigint)`)
      await worker.runDue()
    },
    close: async (): Promise<void> => {
      await worker.stop()
      await calls.close()
      await sandbox.close()
      await relay.close()
      await database.drop()
    },
  }
}
