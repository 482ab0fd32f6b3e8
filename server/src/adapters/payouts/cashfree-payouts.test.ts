import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { paise } from '@roz/core/money.ts'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startShop, openSandbox } from '../../testing/gateway-calls.ts'
import { closeServer, listen } from '../../testing/listening.ts'
import { cashfreePayouts } from './cashfree-payouts.ts'
import type { NewTransfer, PayoutGateway } from './port.ts'
import { perFile } from '../../testing/fixture.ts'

const KEYS = { clientId: 'fault_client', clientSecret: 'fault_secret_42' }
const servers: Server[] = []
let gateway: PayoutGateway

const gatewayAt = (baseUrl: string): PayoutGateway =>
  cashfreePayouts({ baseUrl, ...KEYS, apiVersion: '2024-01-01', nowMs: Date.now, timeoutMs: 400 })

const shop = perFile(startShop)
const sandbox = perFile(() => {
  const notifyUrl = `${shop.url}/api/webhooks/cashfree-payouts`
  return openSandbox({ pg: { clientId: 'pg', clientSecret: 'pg-secret' }, payouts: { ...KEYS, notifyUrl } })
})
beforeAll(() => {
  gateway = gatewayAt(`${sandbox.url}/payout`)
})
beforeEach(() => control('/faults', {}))
afterEach(() => Promise.all(servers.splice(0).map(closeServer)))

const control = (path: string, body: unknown) => sandbox.control(path, body)

const hexId = (): string => crypto.randomUUID().replaceAll('-', '')
let accounts = 200_000_000_000
async function newTransfer(): Promise<NewTransfer> {
  const instrument = { kind: 'bank', accountNumber: String(accounts++), ifsc: 'HDFC0ABC123' } as const
  const { beneficiaryId } = await gateway.ensureBeneficiary({ beneficiaryId: hexId(), name: 'Asha', instrument })
  return { transferId: hexId(), amount: paise(1000n), beneficiaryId, method: 'bank', remarks: '' }
}

/** A gateway that gives these answers one after the other and repeats the last one. */
async function answering(
  ...answers: readonly (readonly [status: number, body: string])[]
): Promise<{ gateway: PayoutGateway; asked: string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url?.split('?')[0]}`)
    const [status, body] = answers[Math.min(asked.length, answers.length) - 1] ?? [500, '']
    response.writeHead(status, { location: '/', 'content-type': 'application/json' }).end(body)
  })
  servers.push(server)
  return { gateway: gatewayAt(await listen(server)), asked }
}

const unavailable = { name: 'GatewayUnavailableError' }
const refused = (code: string): string => JSON.stringify({ type: 'invalid_request_error', code, message: 'no' })

describe('when the gateway fails', () => {
  test('after a lost answer the transfer is pending, and fetching or sending again finds the same one', async () => {
    const transfer = await newTransfer()
    await control('/faults', { api: 'error_after_commit' })
    await expect(gateway.send(transfer)).rejects.toMatchObject(unavailable)
    await control('/faults', {})
    const found = await gateway.fetchTransfer(transfer.transferId)
    expect(found?.state).toBe('pending')
    expect(await gateway.send(transfer)).toEqual(found)
  })

  test('silence ends at the timeout, and the transfer stays pending', async () => {
    const transfer = await newTransfer()
    await control('/faults', { api: 'no_answer' })
    await expect(gateway.send(transfer)).rejects.toMatchObject(unavailable)
    await expect(gateway.fetchTransfer(transfer.transferId)).rejects.toMatchObject(unavailable)
    await control('/faults', {})
    expect((await gateway.fetchTransfer(transfer.transferId))?.state).toBe('pending')
  })

  test('a 429 is a fault with the time to wait', async () => {
    const transfer = await newTransfer()
    await control('/faults', { api: 'rate_limit' })
    await expect(gateway.send(transfer)).rejects.toMatchObject({ ...unavailable, retryAfterMs: 1000 })
    await control('/faults', {})
    expect(await gateway.fetchTransfer(transfer.transferId)).toBe(undefined)
  })

  test('a transfer is sent once per call, without a retry', async () => {
    const transfer = await newTransfer()
    const broken = await answering([502, ''])
    await expect(broken.gateway.send(transfer)).rejects.toMatchObject(unavailable)
    expect(broken.asked).toEqual(['POST /transfers'])
  })

  test('a refusal counts only after the gateway answered that it has no such transfer', async () => {
    const transfer = await newTransfer()
    const no = await answering([400, refused('transfer_amount_invalid')], [404, refused('transfer_id_not_found')])
    await expect(no.gateway.send(transfer)).rejects.toMatchObject({ name: 'GatewayRefusedError', code: 'transfer_amount_invalid' })
    expect(no.asked).toEqual(['POST /transfers', 'GET /transfers'])
    for (const second of [
      [500, ''],
      [401, refused('request_failed')],
      [404, '<html>'],
      [404, refused('request_failed')],
      [200, '{}'],
    ] as const) {
      const open = await answering([400, refused('transfer_amount_invalid')], second)
      await expect(open.gateway.send(transfer), String(second)).rejects.toMatchObject(unavailable)
    }
    const contradiction = await answering([409, refused('transfer_id_already_exists')], [404, refused('transfer_id_not_found')])
    await expect(contradiction.gateway.send(transfer)).rejects.toMatchObject(unavailable)
  })

  test('a refusal of an existing transfer returns the state of that transfer', async () => {
    const transfer = await newTransfer()
    const body = JSON.stringify({ transfer_id: transfer.transferId, status: 'SUCCESS', transfer_amount: 10 })
    for (const [status, code] of [
      [400, 'transfer_already_processed'],
      [409, 'transfer_id_already_exists'],
      [422, 'request_invalid'],
    ] as const) {
      const before = await answering([status, refused(code)], [200, body])
      expect(await before.gateway.send(transfer)).toMatchObject({ state: 'paid', amount: 1000n })
    }
  })

  test('a 401 or 403 is never a refusal of the transfer', async () => {
    const transfer = await newTransfer()
    for (const status of [401, 403]) {
      const closed = await answering([status, refused('apis_not_enabled')])
      await expect(closed.gateway.send(transfer)).rejects.toMatchObject(unavailable)
      expect(closed.asked).toEqual(['POST /transfers'])
    }
  })

  test('HTML, a redirect, an unexpected body, or a 404 without the gateway’s own code is a fault, never an answer', async () => {
    const transfer = await newTransfer()
    for (const answer of [
      [200, '<html>'],
      [200, '{"transfer_id":"x"}'],
      [302, ''],
      [503, 'busy'],
      [408, ''],
    ] as const) {
      const odd = await answering(answer)
      await expect(odd.gateway.send(transfer)).rejects.toMatchObject(unavailable)
      await expect(odd.gateway.fetchTransfer('x')).rejects.toMatchObject(unavailable)
    }
    for (const body of ['<html>', '{}', refused('request_failed')]) {
      const nowhere = await answering([404, body])
      await expect(nowhere.gateway.fetchTransfer('x')).rejects.toMatchObject(unavailable)
    }
    await expect(gatewayAt('http://127.0.0.1:9/payout').send(transfer)).rejects.toMatchObject(unavailable)
  })
})

describe('a webhook of a transfer', () => {
  async function webhookOf(status: string): Promise<{ headers: IncomingHttpHeaders; bytes: Buffer; transfer: NewTransfer }> {
    const transfer = await newTransfer()
    await gateway.send(transfer)
    const before = shop.webhooks.length
    await control(`/transfers/${transfer.transferId}`, { status })
    await expect.poll(() => shop.webhooks.length, { timeout: 3_000 }).toBe(before + 1)
    const webhook = shop.webhooks[before]
    if (webhook === undefined) throw new Error('no webhook came')
    return { ...webhook, transfer }
  }

  test('from the gateway is genuine and names its transfer', async () => {
    for (const status of ['SUCCESS', 'FAILED', 'REJECTED']) {
      const { headers, bytes, transfer } = await webhookOf(status)
      expect(gateway.verifyWebhook(headers, bytes)).toEqual({ atMs: Number(headers['x-webhook-timestamp']) })
      expect(gateway.parseWebhook(bytes)).toMatchObject({ kind: 'transfer', type: `TRANSFER_${status}`, transferId: transfer.transferId })
    }
  })

  test('with a changed body or another secret is not genuine', async () => {
    const { headers, bytes } = await webhookOf('SUCCESS')
    const payments = cashfreePayouts({ baseUrl: 'x', clientId: 'pg', clientSecret: 'pg-secret', apiVersion: '', nowMs: Date.now })
    expect(payments.verifyWebhook(headers, bytes)).toBeUndefined()
    expect(gateway.verifyWebhook(headers, Buffer.from(JSON.stringify(JSON.parse(bytes.toString()))))).toBeUndefined()
    await control('/faults', { tamper: true })
    const changed = await webhookOf('SUCCESS')
    expect(gateway.verifyWebhook(changed.headers, changed.bytes)).toBeUndefined()
  })
})
