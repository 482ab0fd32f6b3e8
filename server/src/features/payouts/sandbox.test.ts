/** Payouts and refunds without scripts: the real adapters against the gateway sandbox, over HTTP, with its webhooks. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { paise } from '@roz/core/money.ts'
import { startSandbox } from '@roz/gateway-sandbox/sandbox.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cashfreeGateway } from '../../adapters/payments/cashfree.ts'
import { cashfreePayouts } from '../../adapters/payouts/cashfree-payouts.ts'
import { one, sql } from '../../db/sql.ts'
import { createAttempt } from '../../jobs/parking.ts'
import { createWorker } from '../../jobs/worker.ts'
import { readWallet } from '../../ledger/wallets.ts'
import { makeMember, makeStaff, serveCalls, testSecrets } from '../../testing/calls.ts'
import { createTestDatabase } from '../../testing/database.ts'
import { BANK, KEYS, waitFor, logOf } from '../../testing/wallet-world.ts'
import { createTicketKeys } from '../../tickets/ticket-keys.ts'
import { createWallet } from '../wallet/wallet.ts'
import { createPayouts } from './payouts.ts'
import { keepJobs } from '../../testing/job-handlers.ts'

const PAYOUT_KEYS = { clientId: 'payout-client', clientSecret: 'payout-secret-0123456789' }
let world: Awaited<ReturnType<typeof open>>
beforeAll(async () => {
  world = await open()
})
afterAll(() => world.close())

/** The sandbox needs the webhook's address before the calls have one: this server forwards to them. */
async function openRelay() {
  let target = ''
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const headers = Object.fromEntries(
        Object.entries(request.headers).filter(([name]) => name.startsWith('x-') || name === 'content-type'),
      ) as Record<string, string>
      fetch(`${target}/api/webhooks/cashfree-payouts`, { method: 'POST', headers, body: Buffer.concat(chunks) }).then(
        (answer) => response.writeHead(answer.status).end(),
        () => response.writeHead(502).end(),
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/payouts`,
    sendTo: (url: string): void => {
      target = url
    },
    close: (): void => {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function open() {
  const database = await createTestDatabase()
  const { db } = database
  const folder = mkdtempSync(path.join(tmpdir(), 'roz-payouts-'))
  const relay = await openRelay()
  const sandbox = await startSandbox({
    port: 0,
    host: '127.0.0.1',
    dataDir: folder,
    pg: KEYS,
    payouts: { ...PAYOUT_KEYS, notifyUrl: relay.url },
  })
  const gateway = cashfreeGateway({
    baseUrl: `${sandbox.url}/pg`,
    ...KEYS,
    apiVersion: '2025-01-01',
    checkout: { mode: 'sandbox', scriptUrl: `${sandbox.url}/js/v3/cashfree.js` },
  })
  const alarms: object[] = []
  const attempt = createAttempt({ db, log: logOf(alarms) })
  const shared = { db, gateway, attempt, secrets: testSecrets, approvalAbove: paise(100_000n), warn: () => undefined }
  const payouts = createPayouts({
    ...shared,
    payouts: cashfreePayouts({ baseUrl: `${sandbox.url}/payout`, ...PAYOUT_KEYS, apiVersion: '2024-01-01', nowMs: () => Date.now() }),
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
  const calls = await serveCalls(db, { ...wallet.handlers, ...payouts.handlers })
  relay.sendTo(calls.url)
  const handlers = keepJobs([], { ...wallet.jobs, ...payouts.jobs })
  const worker = createWorker({
    db,
    handlers,
    clockwork: [...wallet.sweeps, ...payouts.sweeps],
    now: async () => (await one<{ now: Date }>(db, sql`select roz_now() as now`)).now,
    log: { warn: () => undefined, error: () => undefined } as never,
  })
  const admin = await makeStaff(db)
  return {
    db,
    calls,
    alarms,
    runDue: worker.runDue,
    /** Makes the sandbox's bank act; its webhook follows. */
    play: async (what: string, body: object): Promise<void> => {
      const answer = await fetch(`${sandbox.url}/__sandbox${what}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      expect([what, answer.status, answer.ok ? '' : await answer.text()]).toEqual([what, 200, ''])
    },
    decide: async (call: string): Promise<void> => {
      const answer = await calls.ask(`POST /admin/${call}/approve`, { as: admin, body: { status: 'requested' } })
      expect(answer.status).toBe(200)
      await worker.runDue()
    },
    /** Lets the spacing between two questions pass, and runs due work. */
    goOn: async (): Promise<void> => {
      await db.query(sql`select set_clock_offset((select offset_ms from clock_offset) + 6000)`)
      await worker.runDue()
    },
    close: async (): Promise<void> => {
      await worker.stop()
      await calls.close()
      await sandbox.close()
      relay.close()
      rmSync(folder, { recursive: true, force: true })
      await database.drop()
    },
  }
}

/** A member who paid ₹30 at the gateway, and the order of that payment. */
async function payer(): Promise<{ member: bigint; orderId: string }> {
  const member = await makeMember(world.db)
  const added = await world.calls.ask('POST /wallet/add', { as: member, body: { amount: 30, phoneNumber: '9876543210' } })
  const orderId = String(added.body.order_id)
  await world.play(`/orders/${orderId}/pay`, { outcome: 'success' })
  await untilBalance(member, 3000n)
  return { member, orderId }
}
const untilBalance = (member: bigint, balance: bigint) =>
  waitFor(`a balance of ${balance}`, async () => {
    await world.goOn()
    return (await readWallet(world.db, member))?.balance === balance
  })
const untilStatus = (table: 'withdrawal' | 'refund', id: string, status: string) =>
  waitFor(`${table} ${status}`, async () => {
    await world.goOn()
    const row =
      table === 'withdrawal'
        ? await one<{ status: string }>(world.db, sql`select status from withdrawal where id = ${id}::uuid`)
        : await one<{ status: string }>(world.db, sql`select status from refund where id = ${id}::uuid`)
    return row.status === status
  })

test('a withdrawal is paid by the gateway, and is reversed days later', async () => {
  const { member } = await payer()
  const asked = await world.calls.ask('POST /wallet/withdraw', { as: member, body: { amount: 10, bankDetail: BANK } })
  const { id } = asked.body.withdrawal
  await world.decide(`withdrawals/${id}`)
  await untilStatus('withdrawal', id, 'sending')
  const transfer = `/transfers/${id.replaceAll('-', '')}`
  await world.play(transfer, { status: 'SUCCESS' })
  await untilStatus('withdrawal', id, 'paid')
  expect(await readWallet(world.db, member)).toMatchObject({ balance: 2000n, held: 0n })
  const events = () => world.db.query(sql`select 1 from payout_event where transfer_id = ${id.replaceAll('-', '')}::text`)
  await waitFor('the webhook', async () => (await events()).length > 0)
  const shown = (await world.calls.ask('GET /wallet/withdrawals', { as: member })).body.withdrawals[0]
  expect(shown).toMatchObject({ status: 'completed', reference: expect.stringMatching(/\S/) })
  await world.play(transfer, { status: 'REVERSED' })
  await untilStatus('withdrawal', id, 'reversed')
  expect(await readWallet(world.db, member)).toMatchObject({ balance: 3000n, held: 0n })
  expect(world.alarms).toEqual([])
})

test('a gateway that revokes a failure is believed: a loss is booked, with an alarm', async () => {
  const { member } = await payer()
  const asked = await world.calls.ask('POST /wallet/withdraw', { as: member, body: { amount: 10, bankDetail: BANK } })
  const { id } = asked.body.withdrawal
  await world.decide(`withdrawals/${id}`)
  const transfer = `/transfers/${id.replaceAll('-', '')}`
  await world.play(transfer, { status: 'FAILED' })
  await untilStatus('withdrawal', id, 'failed')
  await world.play(transfer, { status: 'SUCCESS', force: true })
  await waitFor('the alarm', async () => {
    await world.goOn()
    return world.alarms.length > 0
  })
  expect(world.alarms).toMatchObject([{ withdrawalId: id, ours: 'failed', booked: 'conflict' }])
  expect(await readWallet(world.db, member)).toMatchObject({ balance: 3000n, held: 0n })
})

test('a refund is paid to its order, and a failed one returns to the wallet', async () => {
  const { member, orderId } = await payer()
  const refund = async (amount: number): Promise<string> => {
    const body = { order_id: orderId, amount, reason: 'Added too much' }
    const asked = await world.calls.ask('POST /wallet/refunds', { as: member, body })
    expect(asked.status).toBe(200)
    await world.decide(`refunds/${asked.body.refund.id}`)
    return asked.body.refund.id
  }
  const paid = await refund(12.5)
  await world.play(`/refunds/${paid.replaceAll('-', '')}`, { status: 'SUCCESS' })
  await untilStatus('refund', paid, 'paid')
  expect(await readWallet(world.db, member)).toMatchObject({ balance: 1750n, held: 0n })
  const failed = await refund(17.5)
  await world.play(`/refunds/${failed.replaceAll('-', '')}`, { status: 'CANCELLED' })
  await untilStatus('refund', failed, 'failed')
  expect(await readWallet(world.db, member)).toMatchObject({ balance: 1750n, held: 0n })
})
