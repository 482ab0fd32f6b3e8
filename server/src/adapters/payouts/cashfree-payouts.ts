/**
 * The payout port over Cashfree's Payouts API, version 2024-01-01. `../cashfree/calls.ts` makes the calls.
 * - A transfer is sent once per call, under our id.
 * - Money goes only to a beneficiary whose account is the requested one.
 * - An answer about another transfer or beneficiary than the one asked for is refused.
 */
import { createHash } from 'node:crypto'
import { CURRENCY, rupeesFromPaise } from '@roz/core/money.ts'
import { type GatewayAnswer, askOnce, cashfreeApi, expectOk, expectSame, isUnknown, parseJson, read, refusal } from '../cashfree/calls.ts'
import { callSignature, type SignedConfig } from '../cashfree/call-signature.ts'
import { verifySignature, WEBHOOK_LIFE_MS } from '../cashfree/webhook-signature.ts'
import { GatewayForeignError } from '../payments/port.ts'
import type { Beneficiary, Instrument, KnownBeneficiary, NewTransfer, PayoutEvent, PayoutGateway, Transfer } from './port.ts'
import {
  beneficiaryStateOf,
  readTransfer,
  type WireBeneficiary,
  wireBeneficiary,
  wirePayoutEvent,
  wireTransfer,
  wireTransferEvent,
} from './wire.ts'

const NAME_MAX = 100
const REMARKS_MAX = 70

/** `baseUrl` is `https://api.cashfree.com/payout`, `https://sandbox.cashfree.com/payout` or the address of the local sandbox. */
export function cashfreePayouts(config: SignedConfig): PayoutGateway {
  const api = cashfreeApi(config, () => callSignature(config))

  async function findBeneficiary(query: Readonly<Record<string, string>>, signal: AbortSignal | undefined) {
    const answer = await api.twice({ method: 'GET', path: `/beneficiary?${new URLSearchParams(query).toString()}`, signal })
    if (isUnknown(answer)) return undefined
    const found = read(wireBeneficiary, expectOk(answer), answer)
    expectSame(answer, [[found.beneficiary_id, query['beneficiary_id'] ?? found.beneficiary_id]])
    return found
  }

  async function ensureBeneficiary(beneficiary: Beneficiary, signal?: AbortSignal): Promise<KnownBeneficiary> {
    const { beneficiaryId, instrument } = beneficiary
    const answer = await api.twice({ method: 'POST', path: '/beneficiary', body: beneficiaryRequest(beneficiary), signal })
    if (answer.status !== 409) {
      const made = read(wireBeneficiary, expectOk(answer), answer)
      expectSame(answer, [[made.beneficiary_id, beneficiaryId]])
      if (made.beneficiary_instrument_details && !isSameAccount(made, instrument))
        throw new GatewayForeignError(`Beneficiary ${beneficiaryId} was made with another account`)
      return known(made)
    }
    // Created before, under our id or for this account under another id. Either way it must have this account.
    const byId = await findBeneficiary({ beneficiary_id: beneficiaryId }, signal)
    const found =
      byId ??
      (instrument.kind === 'bank'
        ? await findBeneficiary({ bank_account_number: instrument.accountNumber, bank_ifsc: instrument.ifsc }, signal)
        : undefined)
    if (found === undefined || !isSameAccount(found, instrument)) throw refusal(answer)
    return known(found)
  }

  function transferOf(answer: GatewayAnswer, transferId: string): Transfer {
    const transfer = readTransfer(read(wireTransfer, expectOk(answer), answer))
    expectSame(answer, [[transfer.transferId, transferId]])
    return transfer
  }

  async function fetchTransfer(transferId: string, signal?: AbortSignal): Promise<Transfer | undefined> {
    const answer = await api.twice({ method: 'GET', path: `/transfers?transfer_id=${encodeURIComponent(transferId)}`, signal })
    return isUnknown(answer) ? undefined : transferOf(answer, transferId)
  }

  const send = (transfer: NewTransfer): Promise<Transfer> =>
    askOnce(api, {
      request: { method: 'POST', path: '/transfers', body: transferRequest(transfer), signal: transfer.signal },
      amount: transfer.amount,
      currency: CURRENCY,
      read: (answer) => transferOf(answer, transfer.transferId),
      find: () => fetchTransfer(transfer.transferId, transfer.signal),
    })

  return {
    ensureBeneficiary,
    send,
    fetchTransfer,
    verifyWebhook: (headers, rawBody) => verifySignature(config, headers, rawBody),
    webhookLifeMs: WEBHOOK_LIFE_MS,
    parseWebhook: parsePayoutWebhook,
  }
}

const known = (wire: WireBeneficiary): KnownBeneficiary => ({
  beneficiaryId: wire.beneficiary_id,
  state: beneficiaryStateOf(wire.beneficiary_status),
})

/** Cashfree's documents call the code `bank_ifsc`, the types of its own package call it `ifsc`. */
function isSameAccount({ beneficiary_instrument_details: details }: WireBeneficiary, instrument: Instrument): boolean {
  if (instrument.kind === 'upi') return details?.vpa === instrument.vpa
  return details?.bank_account_number === instrument.accountNumber && (details.bank_ifsc ?? details.ifsc) === instrument.ifsc
}

/** Replaces each run of characters that the gateway refuses by one space. */
const only = (text: string, others: RegExp, max: number): string => text.replace(others, ' ').trim().slice(0, max).trimEnd()

/** Removes accents. A name in another script becomes `Account Holder`; the account number identifies the payee. */
const latinName = (name: string): string => only(name.normalize('NFKD').replace(/\p{M}/gu, ''), /[^A-Za-z]+/g, NAME_MAX) || 'Account Holder'

const beneficiaryRequest = ({ beneficiaryId, name, instrument, email, phone }: Beneficiary): unknown => ({
  beneficiary_id: beneficiaryId,
  beneficiary_name: latinName(name),
  beneficiary_instrument_details:
    instrument.kind === 'bank' ? { bank_account_number: instrument.accountNumber, bank_ifsc: instrument.ifsc } : { vpa: instrument.vpa },
  ...(email === undefined && phone === undefined
    ? {}
    : {
        beneficiary_contact_details: {
          ...(email === undefined ? {} : { beneficiary_email: email }),
          ...(phone === undefined ? {} : { beneficiary_phone: phone, beneficiary_country_code: '+91' }),
        },
      }),
})

const transferRequest = ({ transferId, amount, beneficiaryId, method, remarks }: NewTransfer): unknown => ({
  transfer_id: transferId,
  transfer_amount: rupeesFromPaise(amount),
  transfer_currency: CURRENCY,
  transfer_mode: method === 'upi' ? 'upi' : 'banktransfer',
  beneficiary_details: { beneficiary_id: beneficiaryId },
  transfer_remarks: only(remarks, /[^A-Za-z0-9]+/g, REMARKS_MAX),
})

export function parsePayoutWebhook(rawBody: Buffer): PayoutEvent | undefined {
  const event = wirePayoutEvent.safeParse(parseJson(rawBody.toString('utf8')))
  if (!event.success) return undefined
  const { type, data } = event.data
  const eventKey = createHash('sha256').update(rawBody).digest('hex')
  const transfer = type.startsWith('TRANSFER_') ? wireTransferEvent.safeParse(data) : undefined
  return transfer?.success === true
    ? { kind: 'transfer', eventKey, type, transferId: transfer.data.transfer_id }
    : { kind: 'other', eventKey, type }
}
