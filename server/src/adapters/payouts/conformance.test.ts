/**
 * Conformance suite of the payout port, over real HTTP.
 * - The cases use only the port, plus a `Counterpart` that plays the bank.
 * - Another `Counterpart` can run the same suite against Cashfree's own sandbox.
 */
import { generateKeyPairSync } from 'node:crypto'
import { paise } from '@roz/core/money.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { GatewayMismatchError, GatewayRefusedError, GatewayUnavailableError } from '../payments/port.ts'
import { cashfreePayouts } from './cashfree-payouts.ts'
import type { Beneficiary, NewTransfer, PayoutGateway, Transfer } from './port.ts'
import { openSandbox } from '../../testing/gateway-calls.ts'
import { perFile } from '../../testing/fixture.ts'

type Counterpart = {
  readonly gateway: PayoutGateway
  /** The same gateway with a wrong secret. */
  readonly stranger: PayoutGateway
  readonly move: (transferId: string, status: string, statusCode?: string) => Promise<void>
  readonly close: () => Promise<void>
}

const KEYS = { clientId: 'conformance_client', clientSecret: 'conformance_secret_42' }
const STRANGE_SECRET = 'a_secret_that_is_not_ours'
const hexId = (): string => crypto.randomUUID().replaceAll('-', '')

async function openSandboxCounterpart(): Promise<Counterpart> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const sandbox = await openSandbox({
    pg: { clientId: 'pg', clientSecret: 'pg-secret' },
    payouts: { ...KEYS, signatureKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() },
  })
  const config = {
    baseUrl: `${sandbox.url}/payout`,
    ...KEYS,
    apiVersion: '2024-01-01',
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    nowMs: Date.now,
  }
  return {
    gateway: cashfreePayouts(config),
    stranger: cashfreePayouts({ ...config, clientSecret: STRANGE_SECRET }),
    move: async (transferId, status, statusCode) =>
      void (await sandbox.control(`/transfers/${transferId}`, { status, webhooks: 0, status_code: statusCode })),
    close: sandbox.close,
  }
}

let accounts = 100_000_000_000
const bank = () => ({ kind: 'bank', accountNumber: String(accounts++), ifsc: 'HDFC0ABC123' }) as const
const beneficiary = (more: Partial<Beneficiary> = {}): Beneficiary => ({
  beneficiaryId: hexId(),
  name: 'Asha Verma',
  instrument: bank(),
  ...more,
})

const COUNTERPARTS: readonly (readonly [string, () => Promise<Counterpart>])[] = [['the gateway sandbox', openSandboxCounterpart]]

describe.each(COUNTERPARTS)('%s behind the payout port', (_name, open) => {
  const counterpart = perFile(open)
  let gateway: PayoutGateway
  beforeAll(() => {
    gateway = counterpart.gateway
  })

  async function newTransfer(more: Partial<NewTransfer> = {}): Promise<NewTransfer> {
    const { beneficiaryId } = await gateway.ensureBeneficiary(beneficiary())
    return { transferId: hexId(), amount: paise(1999n), beneficiaryId, method: 'bank', remarks: 'Withdrawal', ...more }
  }
  async function fetched(transferId: string): Promise<Transfer> {
    const transfer = await gateway.fetchTransfer(transferId)
    if (transfer === undefined) throw new Error('the transfer is gone')
    return transfer
  }

  test('a beneficiary created several times, also concurrently, is one and is ready', async () => {
    const wanted = beneficiary({ email: 'asha@example.in', phone: '9876543210' })
    const made = await Promise.all([1, 2, 3].map(() => gateway.ensureBeneficiary(wanted)))
    for (const one of made) expect(one).toEqual({ beneficiaryId: wanted.beneficiaryId, state: 'ready' })
  })

  test('an account that the gateway knows under another id keeps that id', async () => {
    const instrument = bank()
    const first = await gateway.ensureBeneficiary(beneficiary({ instrument }))
    expect(await gateway.ensureBeneficiary(beneficiary({ instrument }))).toEqual(first)
  })

  test('a beneficiary id of another account is refused, so nobody else is paid', async () => {
    const known = beneficiary()
    await gateway.ensureBeneficiary(known)
    await expect(gateway.ensureBeneficiary({ ...known, instrument: bank() })).rejects.toMatchObject({
      name: 'GatewayRefusedError',
      code: 'beneficiary_id_already_exists',
    })
  })

  test('a name in any script is accepted, and an invalid account is refused', async () => {
    for (const name of ['आशा वर्मा', 'Æsá  Vérma', "Asha O'Neil 2"]) {
      expect((await gateway.ensureBeneficiary(beneficiary({ name }))).state).toBe('ready')
    }
    const instrument = { kind: 'bank', accountNumber: '1', ifsc: 'HDFC0ABC123' } as const
    await expect(gateway.ensureBeneficiary(beneficiary({ instrument }))).rejects.toBeInstanceOf(GatewayRefusedError)
  })

  test('a sent transfer is pending, with our amount', async () => {
    const transfer = await newTransfer({ remarks: 'Withdrawal no. 7 — देवी' })
    const sent = await gateway.send(transfer)
    expect(sent).toEqual({
      transferId: transfer.transferId,
      gatewayId: expect.any(String),
      state: 'pending',
      status: expect.any(String),
      statusCode: expect.any(String),
      description: expect.any(String),
      amount: paise(1999n),
      currency: 'INR',
      bankReference: undefined,
      toldAtMs: expect.any(Number),
    })
    expect(await gateway.fetchTransfer(transfer.transferId)).toEqual(sent)
  })

  test('a transfer to a UPI address is sent by UPI', async () => {
    const { beneficiaryId } = await gateway.ensureBeneficiary(beneficiary({ instrument: { kind: 'upi', vpa: `${hexId()}@okbank` } }))
    expect((await gateway.send(await newTransfer({ beneficiaryId, method: 'upi' }))).state).toBe('pending')
  })

  test('an unknown transfer is undefined, not an error', async () => {
    expect(await gateway.fetchTransfer(hexId())).toBe(undefined)
  })

  test('a transfer sent again, also concurrently and after its end, is the same one', async () => {
    const transfer = await newTransfer()
    const sent = await Promise.all([1, 2, 3].map(() => gateway.send(transfer)))
    expect(new Set(sent.map(({ gatewayId }) => gatewayId)).size).toBe(1)
    await counterpart.move(transfer.transferId, 'SUCCESS')
    expect((await gateway.send(transfer)).state).toBe('paid')
  })

  test('a transfer id with another amount throws GatewayMismatchError and sends nothing', async () => {
    const transfer = await newTransfer()
    await gateway.send(transfer)
    await expect(gateway.send({ ...transfer, amount: paise(2000n) })).rejects.toBeInstanceOf(GatewayMismatchError)
    expect((await fetched(transfer.transferId)).amount).toBe(1999n)
  })

  test.each([
    ['SUCCESS', undefined, 'paid'],
    ['SUCCESS', 'COMPLETED', 'paid'],
    ['FAILED', undefined, 'failed'],
    ['REJECTED', undefined, 'failed'],
    ['MANUALLY_REJECTED', undefined, 'failed'],
    ['RECEIVED', undefined, 'pending'],
    ['APPROVAL_PENDING', undefined, 'pending'],
    ['QUEUED', undefined, 'pending'],
  ] as const)('a transfer with status %s %s is %s', async (status, statusCode, state) => {
    const transfer = await newTransfer()
    await gateway.send(transfer)
    await counterpart.move(transfer.transferId, status, statusCode)
    const moved = await fetched(transfer.transferId)
    expect([moved.status, moved.state]).toEqual([status, state])
    expect(moved.bankReference !== undefined).toBe(state === 'paid')
    if (statusCode !== undefined) expect(moved.statusCode).toBe(statusCode)
  })

  test('a paid transfer can still be reversed', async () => {
    const transfer = await newTransfer()
    await gateway.send(transfer)
    await counterpart.move(transfer.transferId, 'SUCCESS')
    await counterpart.move(transfer.transferId, 'REVERSED')
    expect((await fetched(transfer.transferId)).state).toBe('reversed')
  })

  test('a refused transfer throws GatewayRefusedError, and the gateway does not have it', async () => {
    const transfer = await newTransfer({ beneficiaryId: hexId() })
    await expect(gateway.send(transfer)).rejects.toMatchObject({ name: 'GatewayRefusedError', code: 'beneficiary_not_found' })
    expect(await gateway.fetchTransfer(transfer.transferId)).toBe(undefined)
  })

  test('a transfer with wrong keys has an unknown outcome, and no error contains a key or an account', async () => {
    const wanted = beneficiary()
    const transfer = await newTransfer()
    const calls: readonly Promise<unknown>[] = [
      counterpart.stranger.send(transfer),
      counterpart.stranger.fetchTransfer(transfer.transferId),
      counterpart.stranger.ensureBeneficiary(wanted),
    ]
    const errors = await Promise.all(calls.map((call) => call.catch((thrown: unknown) => thrown)))
    expect(errors[0]).toBeInstanceOf(GatewayUnavailableError)
    for (const error of errors.slice(1)) expect(error).toMatchObject({ name: 'GatewayRefusedError', httpStatus: 401 })
    const everything = errors.map((error) => JSON.stringify(error, Object.getOwnPropertyNames(error as Error))).join()
    const { instrument } = wanted
    for (const secret of [STRANGE_SECRET, KEYS.clientId, instrument.kind === 'bank' ? instrument.accountNumber : instrument.vpa]) {
      expect(everything).not.toContain(secret)
    }
  })
})
