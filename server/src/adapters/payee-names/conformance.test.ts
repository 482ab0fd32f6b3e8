/**
 * Conformance suite of the port, over real HTTP.
 * - The cases use only the port, plus a `Counterpart` that plays the bank.
 */
import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { GatewayForeignError, GatewayRefusedError, GatewayUnavailableError } from '../payments/port.ts'
import { cashfreePayeeNames } from './cashfree-payee-names.ts'
import type { NameAnswer, NameQuestion, PayeeNames } from './port.ts'
import { openSandbox } from '../../testing/gateway-calls.ts'
import { perFile } from '../../testing/fixture.ts'

/** The bank's answer about a UPI ID. */
type Bank = { readonly name?: string; readonly status?: string; readonly result?: string }
type Counterpart = {
  readonly names: PayeeNames
  /** The same gateway with a wrong secret. */
  readonly stranger: PayeeNames
  readonly bankSays: (upiId: string, bank: Bank) => Promise<void>
  readonly fault: (faults: object) => Promise<void>
  readonly rupeesSentTo: (upiId: string) => Promise<number>
  readonly close: () => Promise<void>
}

const KEYS = { clientId: 'names_client', clientSecret: 'names_secret_42' }
const STRANGE_SECRET = 'a_secret_that_is_not_ours'

async function openSandboxCounterpart(): Promise<Counterpart> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const sandbox = await openSandbox({
    pg: { clientId: 'pg', clientSecret: 'pg-secret' },
    verification: { ...KEYS, signatureKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() },
  })
  const config = {
    baseUrl: `${sandbox.url}/verification`,
    ...KEYS,
    apiVersion: '2024-12-01',
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    nowMs: Date.now,
    timeoutMs: 500,
  }
  const upiIdAt = async (upiId: string): Promise<{ readonly checks?: readonly unknown[] }> =>
    (await (await fetch(`${sandbox.url}/__sandbox/upi-ids/${upiId}`)).json()) as { checks?: unknown[] }
  return {
    names: cashfreePayeeNames(config),
    stranger: cashfreePayeeNames({ ...config, clientSecret: STRANGE_SECRET }),
    bankSays: async (upiId, bank) => void (await sandbox.control(`/upi-ids/${upiId}`, bank)),
    fault: async (faults) => void (await sandbox.control('/faults', faults)),
    rupeesSentTo: async (upiId) => (await upiIdAt(upiId)).checks?.length ?? 0,
    close: sandbox.close,
  }
}

let made = 0
const freshUpiId = (): string => `asha${made++}@okbank`
const question = (more: Partial<NameQuestion> = {}): NameQuestion => ({
  checkId: crypto.randomUUID().replaceAll('-', ''),
  upiId: freshUpiId(),
  name: 'Asha Verma',
  consentedAtMs: Date.now(),
  ...more,
})

const COUNTERPARTS: readonly (readonly [string, () => Promise<Counterpart>])[] = [['the gateway sandbox', openSandboxCounterpart]]

describe.each(COUNTERPARTS)('%s behind the port of names', (_name, open) => {
  const counterpart = perFile(open)

  async function asked(bank: Bank): Promise<NameAnswer> {
    const upiId = freshUpiId()
    await counterpart.bankSays(upiId, bank)
    return counterpart.names.checkName(question({ upiId }))
  }

  test.each([
    [{ name: 'ASHA VERMA' }, 'match'],
    [{ name: 'Verma Asha' }, 'match'],
    [{ name: 'ASHA K VERMA' }, 'match'],
    [{ name: 'ASHA RAO' }, 'no_match'],
    [{ name: 'RAVI KUMAR' }, 'no_match'],
    [{ result: 'MATCH' }, 'match'],
    [{ result: 'MODERATE_PARTIAL_MATCH' }, 'no_match'],
    [{ status: 'INVALID' }, 'no_such_id'],
  ])('a bank that says %j is %s, and nothing else is told', async (bank, result) => {
    expect(await asked(bank)).toEqual({ result })
  })

  test.each([
    [{ result: 'PERFECT_MATCH' }, 'status VALID, result PERFECT_MATCH'],
    [{ result: 'match' }, 'status VALID, result a text of 5 characters'],
    [{ result: 'ASHA VERMA' }, 'status VALID, result a text of 10 characters'],
    [{ status: 'NPCI_NAME_INCORRECT' }, 'status NPCI_NAME_INCORRECT, result none'],
    [{ status: 'EXPIRED' }, 'status EXPIRED, result none'],
  ])('%j is believed by nobody, and says what it was', async (bank, said) => {
    expect(await asked(bank)).toEqual({ result: 'unknown', said })
  })

  test.each(['other_shape', 'null_body', 'page', 'cut_whole', 'proxy_404', 'wrong_type'])(
    'an answer in another shape (%s) leaves the outcome unknown',
    async (edge) => {
      await counterpart.fault({ edge })
      await expect(counterpart.names.checkName(question())).rejects.toBeInstanceOf(GatewayUnavailableError)
      await counterpart.fault({})
    },
  )

  test('an answer about another check is refused', async () => {
    await counterpart.fault({ edge: 'other_id' })
    await expect(counterpart.names.checkName(question())).rejects.toBeInstanceOf(GatewayForeignError)
    await counterpart.fault({})
  })

  test('a lost answer leaves the outcome unknown, and no second rupee is sent', async () => {
    for (const [index, api] of (['error_after_commit', 'no_answer'] as const).entries()) {
      const upiId = freshUpiId()
      await counterpart.fault({ api })
      await expect(counterpart.names.checkName(question({ upiId }))).rejects.toBeInstanceOf(GatewayUnavailableError)
      await counterpart.fault({})
      expect([index, await counterpart.rupeesSentTo(upiId)]).toEqual([index, 1])
    }
  })

  test('one check id is asked once', async () => {
    const once = question()
    await counterpart.names.checkName(once)
    await expect(counterpart.names.checkName(once)).rejects.toMatchObject({
      name: 'GatewayRefusedError',
      code: 'verification_id_already_exists',
    })
    expect(await counterpart.rupeesSentTo(once.upiId)).toBe(1)
  })

  test('wrong keys are a refusal, and no error has a key, the name or the UPI ID', async () => {
    const wanted = question()
    const bad = question({ name: 'आशा' })
    const errors = await Promise.all(
      [counterpart.stranger.checkName(wanted), counterpart.names.checkName(bad)].map((call) => call.catch((thrown: unknown) => thrown)),
    )
    for (const error of errors) expect(error).toBeInstanceOf(GatewayRefusedError)
    expect(errors[0]).toMatchObject({ httpStatus: 401 })
    const first = JSON.stringify(errors[0], Object.getOwnPropertyNames(errors[0]))
    for (const secret of [STRANGE_SECRET, KEYS.clientId, wanted.upiId, wanted.name]) expect(first).not.toContain(secret)
  })
})
