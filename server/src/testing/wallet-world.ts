/**
 * Fixture of the wallet's tests: calls over real HTTP, a real database, the gateway sandbox in this process, the worker.
 * - Jobs of other features are only recorded.
 */
import { type Paise, paise, wholeRupees } from '@roz/core/money.ts'
import { expect } from 'vitest'
import { cashfreePayeeNames } from '../adapters/payee-names/cashfree-payee-names.ts'
import type { PayeeNames } from '../adapters/payee-names/port.ts'
import { cashfreeGateway } from '../adapters/payments/cashfree.ts'
import type { Order, PaymentGateway } from '../adapters/payments/port.ts'
import { type Db, sql } from '../db/sql.ts'
import { createDisputes } from '../features/disputes/disputes.ts'
import { createWallet } from '../features/wallet/wallet.ts'
import { createAttempt } from '../jobs/parking.ts'
import { createTicketKeys } from '../tickets/ticket-keys.ts'
import { type Answered, makeMember, type ServedCalls, serveCalls, testSecrets } from './calls.ts'
import { createTestDatabase, endRests } from './database.ts'
import { perFile } from './fixture.ts'
import { createTestWorker, type KeptJob, keepJobs } from './job-handlers.ts'
import { openSandbox } from './gateway-calls.ts'
import { addMoney } from '../ledger/testing/fixtures.ts'

export const KEYS = { clientId: 'test-client', clientSecret: 'test-secret-0123456789' }
export const BANK = {
  accountHolderName: 'Asha Verma',
  accountNumber: '123456789012',
  ifscCode: 'HDFC0ABC123',
  bankName: 'HDFC Bank',
  accountType: 'savings',
}
/** Settings of our bank account, which PAYMENTS=bank-transfer needs. */
export const TRANSFER_ACCOUNT = {
  TRANSFER_HOLDER: 'Roz Foundation',
  TRANSFER_ACCOUNT: '001234567890',
  TRANSFER_IFSC: 'HDFC0000123',
  TRANSFER_BANK: 'HDFC Bank',
  TRANSFER_UPI: 'roz@hdfcbank',
}
export const ADD = { amount: 10, phoneNumber: '9876543210' }

export type WalletWorld = Awaited<ReturnType<typeof openWalletWorld>>
/** One for all tests of a file. */
export const useWalletWorld = (): WalletWorld => perFile(openWalletWorld)
type Retell = (order: Order) => Order | undefined | Promise<Order | undefined>
type Transactions = {
  readonly transactions: { id: string; type: string; description: string; amount: number; status: string; createdAt: string }[]
  readonly nextCursor: string | null
}

async function openWalletWorld() {
  const database = await createTestDatabase()
  const { db } = database
  const sandbox = await openSandbox({ pg: KEYS, verification: KEYS })
  const state = {
    switches: { topupsOn: true, cashoutOn: true },
    /** Ids of the orders that were fetched from the gateway. */
    gatewayCalls: [] as string[],
    /** Replaces the gateway's answers about orders; undefined: it does not know the order. */
    retell: undefined as Retell | undefined,
    /** Holds back the gateway's answers about names. */
    holdNames: undefined as (() => Promise<void>) | undefined,
    alarms: [] as object[],
    jobs: [] as KeptJob[],
  }
  const shared = {
    db,
    attempt: createAttempt({ db, log: logOf(state.alarms) }),
    gateway: retold(sandbox.url, state),
    warn: () => undefined,
    alarm: (details: object, message: string) => void state.alarms.push({ ...details, message }),
  }
  const disputes = createDisputes(shared)
  const wallet = createWallet({
    ...shared,
    secrets: testSecrets,
    payeeNames: heldNames(sandbox.url, state),
    topupLimits: { min: paise(1000n), max: paise(3000n) },
    get topupsOn() {
      return state.switches.topupsOn
    },
    get cashoutOn() {
      return state.switches.cashoutOn
    },
    ticketKeys: createTicketKeys({ secrets: testSecrets }),
  })
  const calls = await serveCalls(db, wallet.handlers)
  const runDue = workerOf(db, { wallet, disputes }, state.jobs).runDue
  const asks = askers(calls)
  const pays = payer(sandbox, calls)
  const kept = rows(db)
  async function ordered(rupees?: number): Promise<{ readonly member: bigint; readonly orderId: string }> {
    const member = await makeMember(db)
    return { member, orderId: await asks.newOrder(member, rupees) }
  }
  return Object.assign(state, {
    database,
    db,
    sandbox,
    calls,
    wallet,
    disputes,
    runDue,
    ...asks,
    ...pays,
    ...kept,
    ordered,
    /** A member with an order that was paid; its webhook is lost. */
    async paid(rupees?: number) {
      const made = await ordered(rupees)
      await pays.pay(made.orderId, 'success', 0)
      return made
    },
    /** Asks the gateway about every open order. */
    sweep: async (): Promise<void> => {
      await kept.makeDue()
      await runDue()
    },
    reset: async (): Promise<void> => {
      state.retell = undefined
      state.holdNames = undefined
      state.gatewayCalls.length = 0
      state.jobs.length = 0
      state.alarms.length = 0
      state.switches = { topupsOn: true, cashoutOn: true }
      await sandbox.control('/faults')
    },
    close: async (): Promise<void> => {
      await calls.close()
      await sandbox.close()
      await database.drop()
    },
  })
}

/** Records the alarms of a log and ignores its warnings. */
export const logOf = (alarms: object[]) => ({
  warn: () => undefined,
  error: (details: object, message: string) => void alarms.push({ ...details, message }),
})

/** The adapter on the sandbox; `retell` can replace its answers about orders. */
function retold(sandboxUrl: string, state: { gatewayCalls: string[]; retell: Retell | undefined }): PaymentGateway {
  const real = cashfreeGateway({
    baseUrl: `${sandboxUrl}/pg`,
    ...KEYS,
    apiVersion: '2025-01-01',
    checkout: { mode: 'sandbox', scriptUrl: `${sandboxUrl}/js/v3/cashfree.js` },
    timeoutMs: 1500,
  })
  return {
    ...real,
    fetchOrder: async (orderId) => {
      state.gatewayCalls.push(orderId)
      const order = await real.fetchOrder(orderId)
      return order === undefined || state.retell === undefined ? order : state.retell(order)
    },
  }
}

function heldNames(sandboxUrl: string, state: { holdNames: (() => Promise<void>) | undefined }): PayeeNames {
  const config = { baseUrl: `${sandboxUrl}/verification`, ...KEYS, apiVersion: '2024-12-01', nowMs: Date.now, timeoutMs: 1500 }
  const real = cashfreePayeeNames(config)
  return {
    checkName: async (question) => {
      const answer = await real.checkName(question)
      await state.holdNames?.()
      return answer
    },
  }
}

type Features = { readonly wallet: ReturnType<typeof createWallet>; readonly disputes: ReturnType<typeof createDisputes> }

function workerOf(db: Db, { wallet, disputes }: Features, jobs: KeptJob[]) {
  const { settle_order, check_payee_name } = wallet.jobs
  const handlers = keepJobs(jobs, { settle_order, check_payee_name, ...disputes.jobs })
  return createTestWorker(db, { handlers, clockwork: [...wallet.sweeps, disputes.due] })
}

function askers(calls: ServedCalls) {
  const add = (as: bigint, body: unknown = ADD, headers: Record<string, string> = {}): Promise<Answered> =>
    calls.ask('POST /wallet/add', { as, body, headers })
  return {
    add,
    verify: (as: bigint, orderId: string) => calls.ask(`GET /wallet/verify/${orderId}`, { as }),
    confirm: (orderId: string) => calls.ask('POST /payments/confirm', { body: { order_id: orderId } }),
    withdraw: (as: bigint, amount: unknown, bank: unknown = BANK, headers: Record<string, string> = {}) =>
      calls.ask('POST /wallet/withdraw', { as, body: { amount, bankDetail: bank }, headers }),
    transactions: async (as: bigint, query = '', headers: Record<string, string> = {}): Promise<Transactions> =>
      (await calls.ask(`GET /wallet/transactions${query}`, { as, headers })).body,
    async newOrder(as: bigint, amount = 10): Promise<string> {
      const { status, body } = await add(as, { ...ADD, amount })
      expect(status, JSON.stringify(body)).toBe(200)
      return String(body['order_id'])
    },
  }
}

function payer({ url: sandboxUrl, control, look }: Awaited<ReturnType<typeof openSandbox>>, calls: ServedCalls) {
  return {
    control,
    look,
    pay: (orderId: string, outcome: string, webhooks = 1) => control(`/orders/${orderId}/pay`, { outcome, webhooks }),
    /** Status of our answer to the first try of an order's webhook; undefined before. */
    async answerToWebhook(orderId: string): Promise<number | undefined> {
      const { webhooks } = (await look(`/orders/${orderId}`)) as { webhooks: { attempts: { status: number }[] }[] }
      return webhooks[0]?.attempts[0]?.status
    },
    /** Makes an order at the gateway that we do not know, with webhooks to us. */
    async strangeOrder(amount: number): Promise<string> {
      const orderId = crypto.randomUUID().replaceAll('-', '')
      const headers = { 'x-client-id': KEYS.clientId, 'x-client-secret': KEYS.clientSecret, 'x-api-version': '2025-01-01' }
      await fetch(`${sandboxUrl}/pg/orders`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({
          order_id: orderId,
          order_amount: amount,
          order_currency: 'INR',
          customer_details: { customer_id: 'stranger', customer_phone: '9999999999' },
          order_meta: { notify_url: `${calls.url}/api/webhooks/cashfree` },
        }),
      })
      return orderId
    },
  }
}

function rows(db: Db) {
  /** Adds money to a wallet through the ledger. */
  const credit = (memberId: bigint, rupees: number): Promise<string> => addMoney(db, memberId, wholeRupees(rupees))
  return {
    credit,
    async funded(rupees: number): Promise<bigint> {
      const id = await makeMember(db)
      await credit(id, rupees)
      return id
    },
    async balanceOf(memberId: bigint): Promise<number> {
      const { balance } = await db.one<{ balance: Paise }>(sql`select balance from wallet where member_id = ${memberId}::bigint`)
      return Number(balance) / 100
    },
    suspended: (orderId: string) =>
      db.query<{ reason: string; amount: Paise }>(sql`select reason, amount from suspense_item where order_id = ${orderId}::text`),
    eventCount: async () => Number((await db.one<{ n: bigint }>(sql`select count(*) as n from gateway_event`)).n),
    /** Passes the minimum interval between two questions about an order. */
    passSpacing: () =>
      db.query(sql`update order_check set asked_at = asked_at - interval '10 seconds', ask_at = ask_at - interval '10 seconds'`),
    /** Makes the next question about every open order due now. */
    makeDue: async (): Promise<void> => {
      await db.query(sql`update order_check set asked_at = asked_at - interval '1 minute', ask_at = roz_now() where ask_at is not null`)
      await endRests(db)
    },
  }
}

export async function waitFor(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (await holds()) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`waited in vain: ${what}`)
}
