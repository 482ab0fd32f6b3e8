/** Test fixtures over real HTTP: a running sandbox, a shop that receives webhooks and a clock that can be set. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { Account, PayoutAccount } from '../calls.ts'
import { type Sandbox, startSandbox } from '../sandbox.ts'

export const KEYS = { clientId: 'test_client', clientSecret: 'test_secret_0123456789' }
export const HEADERS = { 'x-client-id': KEYS.clientId, 'x-client-secret': KEYS.clientSecret, 'x-api-version': '2025-01-01' }
export const PAYOUT_KEYS = { clientId: 'test_payout_client', clientSecret: 'test_payout_secret_0123456789' }
export const PAYOUT_HEADERS = {
  'x-client-id': PAYOUT_KEYS.clientId,
  'x-client-secret': PAYOUT_KEYS.clientSecret,
  'x-api-version': '2024-01-01',
}

export const VERIFICATION_KEYS = { clientId: 'test_verification_client', clientSecret: 'test_verification_secret_0123456789' }
export const VERIFICATION_HEADERS = {
  'x-client-id': VERIFICATION_KEYS.clientId,
  'x-client-secret': VERIFICATION_KEYS.clientSecret,
  'x-api-version': '2024-12-01',
}

/** The fields that tests read from answers. Tests that compare a whole body use `whole`. */
type PaymentBody = {
  readonly cf_payment_id: string
  readonly payment_group: string
  readonly payment_status: string
  readonly error_details: unknown
  readonly payment_amount: number
}
type WebhookBody = {
  readonly type: string
  readonly state: string
  readonly next_attempt_at: string | null
  readonly attempts: readonly {
    readonly attempt: number
    readonly status: number | null
    readonly answer: string | null
    readonly error: string | null
  }[]
}
export type Body = {
  readonly order_id: string
  readonly order_amount: number
  readonly order_status: string
  readonly order_expiry_time: string
  readonly created_at: string
  readonly payment_session_id: string
  readonly payments: readonly PaymentBody[]
  readonly webhooks: readonly WebhookBody[]
  readonly code: string
  readonly message: string
  readonly type: string
}
export type Answer = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: Body
  /** The same body, typed as an array. */
  readonly list: readonly PaymentBody[]
}
type Event = {
  readonly type: string
  readonly event_time: string
  readonly data: {
    readonly order: { readonly order_id: string }
    readonly payment: { readonly cf_payment_id: string; readonly payment_status: string }
  }
}
export type ReceivedWebhook = { readonly headers: Readonly<Record<string, string>>; readonly bytes: Buffer; readonly event: Event }

export type Shop = { readonly url: string; readonly webhooks: ReceivedWebhook[]; answerWith(status: number): void; close(): Promise<void> }
type Clock = { readonly url: string; set(nowMs: number): void; close(): Promise<void> }

export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'gateway-sandbox-'))
export const removeFolder = (path: string): void => rmSync(path, { recursive: true, force: true })

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}

export async function openShop(): Promise<Shop> {
  const webhooks: ReceivedWebhook[] = []
  let status = 200
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const bytes = Buffer.concat(chunks)
      webhooks.push({ headers: request.headers as Record<string, string>, bytes, event: JSON.parse(bytes.toString()) as Event })
      response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end('noted')
    })
  })
  const url = await listen(server)
  return { url, webhooks, answerWith: (next) => (status = next), close: () => closeServer(server) }
}

export async function openClock(): Promise<Clock> {
  let offsetMs = 0
  const server = createServer((_request, response) => {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ now: new Date(Date.now() + offsetMs).toISOString() }))
  })
  const url = await listen(server)
  return { url, set: (nowMs) => (offsetMs = nowMs - Date.now()), close: () => closeServer(server) }
}

export const openSandbox = (dataDir: string, clockUrl?: string, payouts?: PayoutAccount, verification?: Account): Promise<Sandbox> =>
  startSandbox({ port: 0, host: '127.0.0.1', dataDir, pg: KEYS, payouts, verification, clockUrl })

type SandboxWith = {
  /** Opens a payouts account; its webhooks go to the shop too. */
  readonly payouts?: boolean
  /** Opens an account for checks of bank details. */
  readonly verification?: boolean
  /** Opens a new shop for each test, so late webhooks of one test do not reach the next. */
  readonly shopPerTest?: boolean
}

/** Call once per file, outside the tests. Starts a sandbox, a clock and a shop, and resets clock, shop and faults before each test. */
export function useSandbox({ payouts = false, verification = false, shopPerTest = false }: SandboxWith = {}) {
  let sandbox: Sandbox
  let clock: Clock
  let shop: Shop
  const dataDir = temporaryFolder()
  const control = (path: string, body?: unknown) => call(body === undefined ? 'GET' : 'POST', `${sandbox.url}/__sandbox${path}`, body)

  const open = () =>
    openSandbox(
      dataDir,
      clock.url,
      payouts ? { ...PAYOUT_KEYS, notifyUrl: `${shop.url}/payouts` } : undefined,
      verification ? VERIFICATION_KEYS : undefined,
    )

  beforeAll(async () => {
    clock = await openClock()
    shop = await openShop()
    sandbox = await open()
  })
  afterAll(async () => {
    await sandbox.close()
    await shop.close()
    await clock.close()
    removeFolder(dataDir)
  })
  beforeEach(async () => {
    clock.set(Date.now())
    if (shopPerTest) {
      await shop.close()
      shop = await openShop()
    }
    shop.webhooks.length = 0
    shop.answerWith(200)
    await control('/faults', {})
  })

  return {
    get url() {
      return sandbox.url
    },
    get clock() {
      return clock
    },
    get shop() {
      return shop
    },
    control,
    /** Stops the sandbox and starts it again on the same data folder. */
    async restart(): Promise<void> {
      await sandbox.close()
      sandbox = await open()
    },
    /** Makes an order whose webhooks go to the shop, then plays the payer's `outcome`. */
    ordered: async (outcome: string | undefined, amount = 30): Promise<string> => {
      const body = orderBody({ order_amount: amount, order_meta: { notify_url: `${shop.url}/hook` } })
      const order = await call('POST', `${sandbox.url}/pg/orders`, body, HEADERS)
      if (outcome !== undefined) await control(`/orders/${order.body.order_id}/pay`, { outcome, webhooks: 0 })
      return order.body.order_id
    },
  }
}

export async function call(method: string, url: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') === true
  const read: unknown = isJson ? JSON.parse(text) : {}
  return { status: response.status, headers: response.headers, text, body: read as Body, list: read as PaymentBody[] }
}

export async function waitUntil(what: string, holds: () => boolean | Promise<boolean>, withinMs = 5_000): Promise<void> {
  const until = Date.now() + withinMs
  while (!(await holds())) {
    if (Date.now() > until) throw new Error(`waited in vain: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** The body, for comparison as a whole. */
export const whole = (answer: Answer): Record<string, unknown> => answer.body
export const refusalOf = ({ status, body }: Answer): readonly [number, string] => [status, body.code]

/** Computes the signature by openssl: an independent implementation must agree over the bytes received. */
export function opensslSignature(webhook: ReceivedWebhook, secret: string): string {
  const message = Buffer.concat([Buffer.from(webhook.headers['x-webhook-timestamp'] as string), webhook.bytes])
  const run = spawnSync('openssl', ['dgst', '-sha256', '-hmac', secret, '-binary'], { input: message })
  return run.stdout.toString('base64')
}

let made = 0
export const freshId = (): string => `wt_${process.pid}_${Date.now()}_${made++}`

export const orderBody = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  order_id: freshId(),
  order_amount: 10.0,
  order_currency: 'INR',
  customer_details: { customer_id: 'u123', customer_phone: '9999999999' },
  ...more,
})
