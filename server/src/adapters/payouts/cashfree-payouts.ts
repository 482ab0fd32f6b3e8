/**
 * The payout port over Cashfree's Payouts API (version 2024-01-01); how it is called stands in
 * `../cashfree/calls.ts`. Invariants: a transfer is asked for once per call, under our id; money goes
 * only to a beneficiary whose account is the one we were given.
 */
import { constants, createHash, publicEncrypt } from 'node:crypto'
import { CURRENCY, rupeesFromPaise } from '@roz/core/money.ts'
import { type Answer, type ApiConfig, askOnce, cashfreeApi, expectOk, isUnknown, parseJson, read, refusal } from '../cashfree/calls.ts'
import { verifySignature, WEBHOOK_LIFE_MS } from '../cashfree/webhook-signature.ts'
import type { Beneficiary, Instrument, KnownBeneficiary, NewTransfer, PayoutEvent, PayoutGateway, Transfer } from './port.ts'
import {
  beneficiaryStateOf,
  readTransfer,
  type WireBeneficiary,
  wireBeneficiary,
  wireEvent,
  wireTransfer,
  wireTransferEvent,
} from './wire.ts'

/** Its base address: `https://api.cashfree.com/payout`, `https://sandbox.cashfree.com/payout` or the local sandbox's. */
export type PayoutsConfig = ApiConfig & {
  /** PEM; with it each call is signed, which the gateway asks for where our address is not on its list. */
  readonly publicKey?: string | undefined
  readonly nowMs: () => number
}

const NAME_MAX = 100
const REMARKS_MAX = 70

export function cashfreePayouts(config: PayoutsConfig): PayoutGateway {
  const api = cashfreeApi(config, () => secondFactor(config))

  async function findBeneficiary(query: Readonly<Record<string, string>>, signal: AbortSignal | undefined) {
    const answer = await api.twice({ method: 'GET', path: `/beneficiary?${new URLSearchParams(query).toString()}`, signal })
    return isUnknown(answer) ? undefined : read(wireBeneficiary, expectOk(answer), answer)
  }

  async function ensureBeneficiary(beneficiary: Beneficiary, signal?: AbortSignal): Promise<KnownBeneficiary> {
    const { beneficiaryId, instrument } = beneficiary
    const answer = await api.twice({ method: 'POST', path: '/beneficiary', body: beneficiaryRequest(beneficiary), signal })
    if (answer.status !== 409) return known(read(wireBeneficiary, expectOk(answer), answer))
    // Made before: under our id, or the account under another one. Whichever it is, it has to be this account.
    const byId = await findBeneficiary({ beneficiary_id: beneficiaryId }, signal)
    const found =
      byId ??
      (instrument.kind === 'bank'
        ? await findBeneficiary({ bank_account_number: instrument.accountNumber, bank_ifsc: instrument.ifsc }, signal)
        : undefined)
    if (found === undefined || !isSameAccount(found, instrument)) throw refusal(answer)
    return known(found)
  }

  const transferOf = (answer: Answer): Transfer => readTransfer(read(wireTransfer, expectOk(answer), answer))

  async function fetchTransfer(transferId: string, signal?: AbortSignal): Promise<Transfer | undefined> {
    const answer = await api.twice({ method: 'GET', path: `/transfers?transfer_id=${encodeURIComponent(transferId)}`, signal })
    return isUnknown(answer) ? undefined : transferOf(answer)
  }

  const send = (transfer: NewTransfer): Promise<Transfer> =>
    askOnce(api, {
      request: { method: 'POST', path: '/transfers', body: transferRequest(transfer), signal: transfer.signal },
      amount: transfer.amount,
      currency: CURRENCY,
      read: transferOf,
      find: () => fetchTransfer(transfer.transferId, transfer.signal),
    })

  return {
    ensureBeneficiary,
    send,
    fetchTransfer,
    verifyWebhook: (headers, rawBody) => verifySignature(config.clientSecret, headers, rawBody),
    webhookLifeMs: WEBHOOK_LIFE_MS,
    parseWebhook,
  }
}

/** `x-cf-signature`: who we are and the second, readable by the gateway alone; it holds for ten minutes. */
function secondFactor({ publicKey, clientId, nowMs }: PayoutsConfig): Readonly<Record<string, string>> {
  if (publicKey === undefined) return {}
  const text = Buffer.from(`${clientId}.${Math.floor(nowMs() / 1000)}`)
  const sealed = publicEncrypt({ key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' }, text)
  return { 'x-cf-signature': sealed.toString('base64') }
}

const known = (wire: WireBeneficiary): KnownBeneficiary => ({
  beneficiaryId: wire.beneficiary_id,
  state: beneficiaryStateOf(wire.beneficiary_status),
})

/** Its documents call the code `bank_ifsc`, the types of its own package `ifsc`. */
function isSameAccount({ beneficiary_instrument_details: details }: WireBeneficiary, instrument: Instrument): boolean {
  if (instrument.kind === 'upi') return details?.vpa === instrument.vpa
  return details?.bank_account_number === instrument.accountNumber && (details.bank_ifsc ?? details.ifsc) === instrument.ifsc
}

/** Only what the gateway takes, one space for each run of anything else. */
const only = (text: string, others: RegExp, max: number): string => text.replace(others, ' ').trim().slice(0, max).trimEnd()

/** Accents go; a name in another script leaves nothing, and the account's number alone says who is meant. */
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

export function parseWebhook(rawBody: Buffer): PayoutEvent | undefined {
  const event = wireEvent.safeParse(parseJson(rawBody.toString('utf8')))
  if (!event.success) return undefined
  const { type, data } = event.data
  const eventKey = createHash('sha256').update(rawBody).digest('hex')
  const transfer = type.startsWith('TRANSFER_') ? wireTransferEvent.safeParse(data) : undefined
  return transfer?.success === true
    ? { kind: 'transfer', eventKey, type, transferId: transfer.data.transfer_id }
    : { kind: 'other', eventKey, type }
}
