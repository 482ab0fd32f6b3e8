import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sandboxClock } from './clock.ts'
import { startSandbox } from './sandbox.ts'
import { openStore } from './store.ts'
import {
  call,
  HEADERS,
  KEYS,
  openClock,
  openSandbox,
  openShop,
  orderBody,
  PAYOUT_HEADERS,
  PAYOUT_KEYS,
  removeFolder,
  type Shop,
  temporaryFolder,
  waitUntil,
} from './testing/world.ts'

let dataDir: string
let shop: Shop
const running = new Set<ChildProcess>()

beforeEach(async () => {
  dataDir = temporaryFolder()
  shop = await openShop()
})
afterEach(async () => {
  for (const child of running) child.kill('SIGKILL')
  running.clear()
  await shop.close()
  removeFolder(dataDir)
})

async function startProcess(
  stdio: 'plain' | 'ipc' = 'plain',
  more: Record<string, string> = {},
): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    env: {
      SANDBOX_PORT: '0',
      DATA_DIR: dataDir,
      CASHFREE_PG_CLIENT_ID: KEYS.clientId,
      CASHFREE_PG_CLIENT_SECRET: KEYS.clientSecret,
      ...more,
    },
    stdio: ['ignore', 'pipe', 'inherit', ...(stdio === 'ipc' ? (['ipc'] as const) : [])],
  })
  running.add(child)
  let printed = ''
  child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  await waitUntil('the line that says it is ready', () => printed.includes('ready at'), 60_000)
  return { child, url: /http:\S+/.exec(printed)?.[0] ?? '' }
}

const control = (url: string, path: string, body?: unknown) => call(body === undefined ? 'GET' : 'POST', `${url}/__sandbox${path}`, body)
const create = (url: string) => call('POST', `${url}/pg/orders`, orderBody({ order_meta: { notify_url: `${shop.url}/hook` } }), HEADERS)

async function killed(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

describe('the sandbox killed with -9', () => {
  test('keeps every answered change: a paid order stays paid, its session opens, new ids are higher', async () => {
    const first = await startProcess()
    const order = (await create(first.url)).body
    const paid = await control(first.url, `/orders/${order.order_id}/pay`, { outcome: 'success', webhooks: 0 })
    await control(first.url, '/faults', { delayMs: 5 })
    await killed(first.child)
    const second = await startProcess()
    const again = await control(second.url, `/orders/${order.order_id}`)
    expect(again.text).toBe(paid.text)
    expect((await control(second.url, '/faults')).body).toMatchObject({ delayMs: 5 })
    expect((await control(second.url, `/orders/${order.order_id}/pay`, { outcome: 'success' })).status).toBe(409)
    const page = await call('POST', `${second.url}/pg/view/sessions/checkout`, `payment_session_id=${order.payment_session_id}`, {
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(page.text).toContain('Payment complete')
    const next = (await create(second.url)).body
    const nextPaid = (await control(second.url, `/orders/${next.order_id}/pay`, { outcome: 'success' })).body
    expect(Number(nextPaid.payments[0]?.cf_payment_id)).toBeGreaterThan(Number(paid.body.payments[0]?.cf_payment_id))
  })

  test('sends a pending webhook after the next start', async () => {
    const first = await startProcess()
    const order = (await create(first.url)).body
    await control(first.url, '/faults', { delayMs: 60_000 })
    await control(first.url, `/orders/${order.order_id}/pay`, { outcome: 'success' })
    await control(first.url, '/faults', {})
    await killed(first.child)
    expect(shop.webhooks.length).toBe(0)
    await startProcess()
    await waitUntil('the webhook', () => shop.webhooks.length === 1, 10_000)
    expect(shop.webhooks[0]?.headers['x-webhook-attempt']).toBe('1')
  })
})

describe('refunds and transfers', () => {
  const payouts = () => ({ ...PAYOUT_KEYS, notifyUrl: `${shop.url}/payouts` })

  test('survive a restart with their state, webhooks and beneficiary', async () => {
    const first = await openSandbox(dataDir, undefined, payouts())
    const order = (await create(first.url)).body
    await control(first.url, `/orders/${order.order_id}/pay`, { outcome: 'success', webhooks: 0 })
    await call('POST', `${first.url}/pg/orders/${order.order_id}/refunds`, { refund_amount: 4, refund_id: 'refund1' }, HEADERS)
    const beneficiary = {
      beneficiary_id: 'asha',
      beneficiary_name: 'Asha',
      beneficiary_instrument_details: { bank_account_number: '123456789', bank_ifsc: 'HDFC0ABC123' },
    }
    await call('POST', `${first.url}/payout/beneficiary`, beneficiary, PAYOUT_HEADERS)
    const transfer = { transfer_id: 'wd_1', transfer_amount: 10, beneficiary_details: { beneficiary_id: 'asha' } }
    await call('POST', `${first.url}/payout/transfers`, transfer, PAYOUT_HEADERS)
    await control(first.url, '/faults', { delayMs: 60_000 })
    const moved = await control(first.url, '/transfers/wd_1', { status: 'SUCCESS' })
    const refunded = await control(first.url, '/refunds/refund1', { status: 'FAILED', webhooks: 0 })
    await first.close()
    const second = await openSandbox(dataDir, undefined, payouts())
    expect((await control(second.url, '/transfers/wd_1')).text).toBe(moved.text)
    expect((await control(second.url, '/refunds/refund1')).text).toBe(refunded.text)
    expect((await call('POST', `${second.url}/payout/transfers`, transfer, PAYOUT_HEADERS)).status).toBe(409)
    expect((await call('GET', `${second.url}/payout/beneficiary?beneficiary_id=asha`, undefined, PAYOUT_HEADERS)).status).toBe(200)
    await control(second.url, '/faults', {})
    await second.close()
    const third = await openSandbox(dataDir, undefined, payouts())
    await waitUntil('the webhook that was held back', () => shop.webhooks.length === 1, 10_000)
    expect(shop.webhooks[0]?.event.type).toBe('TRANSFER_SUCCESS')
    await third.close()
  })
})

describe('the process', () => {
  test('exits with 0 on SIGTERM', async () => {
    const { child } = await startProcess()
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  test('exits when its parent process is gone', async () => {
    const { child } = await startProcess('ipc')
    child.disconnect()
    expect(await once(child, 'exit')).toEqual([0, null])
  })
})

describe('the journal', () => {
  test('is not touched by a second start on the same port', async () => {
    const first = await openSandbox(dataDir)
    const second = startSandbox({ port: Number(new URL(first.url).port), host: '127.0.0.1', dataDir, pg: KEYS })
    await expect(second).rejects.toMatchObject({ code: 'EADDRINUSE' })
    const order = (await create(first.url)).body
    await first.close()
    const again = await openSandbox(dataDir)
    expect((await control(again.url, `/orders/${order.order_id}`)).body.order_status).toBe('ACTIVE')
    await again.close()
  })

  test('loses only a torn last line, and is complete after the next start', async () => {
    const sandbox = await openSandbox(dataDir)
    const order = (await create(sandbox.url)).body
    await sandbox.close()
    appendFileSync(join(dataDir, 'gateway.jsonl'), '[{"kind":"attempt","value":{"cfPay')
    const again = await openSandbox(dataDir)
    expect((await control(again.url, `/orders/${order.order_id}`)).body.order_status).toBe('ACTIVE')
    await create(again.url)
    await again.close()
    for (const line of readFileSync(join(dataDir, 'gateway.jsonl'), 'utf8').trimEnd().split('\n')) JSON.parse(line)
    const store = openStore(dataDir)
    store.close()
    expect(store.orders.size).toBe(2)
  })

  test('from before payouts existed is read, and its pending webhook is sent', async () => {
    const sandbox = await openSandbox(dataDir)
    const order = (await create(sandbox.url)).body
    await control(sandbox.url, '/faults', { delayMs: 60_000 })
    await control(sandbox.url, `/orders/${order.order_id}/pay`, { outcome: 'success' })
    await control(sandbox.url, '/faults', {})
    await sandbox.close()
    const path = join(dataDir, 'gateway.jsonl')
    const old = readFileSync(path, 'utf8').replaceAll('"channel":"pg","subject":"order:', '"orderId":"')
    expect(old).toContain(`"orderId":"${order.order_id}","type":"PAYMENT_SUCCESS_WEBHOOK"`)
    writeFileSync(path, old)
    const again = await openSandbox(dataDir)
    await waitUntil('the webhook', () => shop.webhooks.length === 1, 10_000)
    expect((await control(again.url, `/orders/${order.order_id}`)).body.webhooks).toHaveLength(1)
    await again.close()
  })

  test('with damage before its last line stops the start', async () => {
    const sandbox = await openSandbox(dataDir)
    await create(sandbox.url)
    await sandbox.close()
    const path = join(dataDir, 'gateway.jsonl')
    writeFileSync(path, `broken\n${readFileSync(path, 'utf8')}`)
    expect(() => openStore(dataDir)).toThrow(/line 1 cannot be read/)
  })
})

describe('the clock', () => {
  test('is read by each request, and keeps its offset while the product is down', async () => {
    const product = await openClock()
    const clock = sandboxClock(product.url)
    product.set(Date.parse('2027-01-01T00:00:00Z'))
    expect(new Date(await clock.now()).toISOString()).toMatch(/^2027-01-01T00:00:0/)
    product.set(Date.parse('2028-01-01T00:00:00Z'))
    expect(new Date(await clock.now()).toISOString()).toMatch(/^2028-01-01T00:00:0/)
    await product.close()
    expect(new Date(await clock.now()).toISOString()).toMatch(/^2028-01-01T00:00:0/)
    expect(new Date(await clock.recent()).toISOString()).toMatch(/^2028-01-01T00:00:0/)
  })

  test('is the machine’s own when no address is given, or when the address answers nonsense', async () => {
    const sandbox = await openSandbox(dataDir)
    for (const url of [undefined, `${sandbox.url}/healthz`, `${sandbox.url}/js/v3/cashfree.js`, 'http://127.0.0.1:9/']) {
      expect(Math.abs((await sandboxClock(url).now()) - Date.now())).toBeLessThan(10_000)
    }
    await sandbox.close()
  })
})

test('the tabs for webhooks are set by the environment', async () => {
  const { url } = await startProcess('plain', {
    PG_NOTIFY_URL: `${shop.url}/payments`,
    SUBSCRIPTION_NOTIFY_URL: `${shop.url}/subscriptions`,
    SUBSCRIPTION_WEBHOOK_VERSION: '2026-01-01',
  })
  expect(JSON.parse((await control(url, '/webhooks')).text)).toEqual({
    payments: `${shop.url}/payments`,
    subscriptions: { url: `${shop.url}/subscriptions`, version: '2026-01-01' },
  })
})
