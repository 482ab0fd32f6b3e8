/** Validates the bodies of a new beneficiary and a new transfer. Refusals carry the gateway's codes. */
import { absent, amount, type Fields, isFields, optional, required } from './fields.ts'
import type { Beneficiary, Transfer } from './model.ts'
import { badBody, invalid, missing } from './refusals.ts'

export type NewBeneficiary = Omit<Beneficiary, 'status' | 'addedAtMs'>
/** The payee: a beneficiary, or the UPI ID that was validated under a token. */
export type NewTransfer = Pick<Transfer, 'transferId' | 'amountPaise' | 'mode' | 'remarks'> & {
  readonly payee: { readonly beneficiaryId: string } | { readonly token: string }
}

const BENEFICIARY_ID = /^[A-Za-z0-9_|.]+$/
const VPA = /^[A-Za-z0-9._-]+@[A-Za-z0-9.]+$/

export function readNewBeneficiary(body: unknown): NewBeneficiary {
  if (!isFields(body)) throw badBody()
  return {
    beneficiaryId: required(
      body.beneficiary_id,
      'beneficiary_id',
      1,
      50,
      BENEFICIARY_ID,
      'should be alphanumeric and may contain underscore, pipe and dot',
    ),
    name: required(body.beneficiary_name, 'beneficiary_name', 1, 100, /^[A-Za-z ]+$/, 'should have letters and spaces only'),
    ...readInstrument(body.beneficiary_instrument_details ?? {}),
    contact: readContact(body.beneficiary_contact_details ?? {}),
  }
}

function readInstrument(details: unknown): Pick<Beneficiary, 'accountNumber' | 'ifsc' | 'vpa'> {
  if (!isFields(details)) throw invalid('beneficiary_instrument_details', 'should be an object', details)
  const { bank_account_number: account, bank_ifsc: ifsc, vpa } = details
  if (!absent(vpa) && absent(account) && absent(ifsc)) {
    return {
      accountNumber: null,
      ifsc: null,
      vpa: required(vpa, 'vpa', 3, 50, VPA, 'should be a UPI address'),
    }
  }
  return {
    accountNumber: required(account, 'bank_account_number', 9, 18, /^[A-Za-z0-9]+$/, 'should be alphanumeric'),
    ifsc: required(ifsc, 'bank_ifsc', 11, 11, /^[A-Z]{4}0[A-Z0-9]{6}$/, 'should be a valid IFSC'),
    vpa: optional(vpa, 'vpa', 3, 50, VPA),
  }
}

const CONTACT_FIELDS = {
  beneficiary_email: /^[^@\s]+@[^@\s]+$/,
  beneficiary_phone: /^\d{8,12}$/,
  beneficiary_country_code: /^\+\d{1,3}$/,
  beneficiary_address: /^/,
  beneficiary_city: /^/,
  beneficiary_state: /^/,
  beneficiary_postal_code: /^[0-9]{6}$/,
} as const

function readContact(contact: unknown): Readonly<Record<string, string>> {
  if (!isFields(contact)) throw invalid('beneficiary_contact_details', 'should be an object', contact)
  const given = Object.entries(CONTACT_FIELDS).flatMap(([field, pattern]) => {
    const value = optional(contact[field], field, 1, 200, pattern)
    return value === null ? [] : [[field, value] as const]
  })
  return Object.fromEntries(given)
}

const MIN_AMOUNT_PAISE = 100
/** Maximum per transfer mode, in paise: ₹1 lakh by UPI, ₹5 lakh by IMPS, else the gateway's own limit. */
const MAX_AMOUNTS_PAISE: Readonly<Record<string, number>> = {
  banktransfer: 1_000_000_000,
  imps: 50_000_000,
  neft: 1_000_000_000,
  rtgs: 1_000_000_000,
  upi: 10_000_000,
  paytm: 1_000_000,
  amazonpay: 1_000_000,
  card: 10_000_000,
  cardupi: 10_000_000,
}

const readTransferId = ({ transfer_id: id }: Fields): string =>
  required(id, 'transfer_id', 1, 40, /^[A-Za-z0-9_]+$/, 'should be alphanumeric and may contain underscore')
const readToken = ({ transfer_token: token }: Fields): string => required(token, 'transfer_token', 1, 100, /^/, '')

export type PayoutQuestion = { readonly transferId: string; readonly vpa: string }

/** A phone number stands for a UPI ID of the sandbox's own. */
export function readPayoutQuestion(body: unknown): PayoutQuestion {
  if (!isFields(body)) throw badBody()
  const transferId = readTransferId(body)
  if (absent(body.phone)) return { transferId, vpa: required(body.vpa, 'vpa', 3, 50, VPA, 'should be a UPI address') }
  if (!absent(body.vpa)) throw invalid('phone', 'should not be sent together with vpa', body.phone)
  return { transferId, vpa: `${required(body.phone, 'phone', 10, 10, /^\d{10}$/, 'should be a 10 digit phone number')}@upi` }
}

export function readNewTransfer(body: unknown): NewTransfer {
  if (!isFields(body)) throw badBody()
  const transferId = readTransferId(body)
  const mode = absent(body.transfer_mode) ? 'banktransfer' : body.transfer_mode
  const maxPaise = typeof mode === 'string' && Object.hasOwn(MAX_AMOUNTS_PAISE, mode) ? MAX_AMOUNTS_PAISE[mode] : undefined
  if (typeof mode !== 'string' || maxPaise === undefined) {
    throw invalid('transfer_mode', `should be one of ${Object.keys(MAX_AMOUNTS_PAISE).join(', ')}`, mode)
  }
  const amountPaise = amount(body.transfer_amount, 'transfer_amount', MIN_AMOUNT_PAISE, maxPaise)
  const currency = body.transfer_currency
  if (!absent(currency) && currency !== 'INR') throw invalid('transfer_currency', 'should be INR', currency)
  return {
    transferId,
    amountPaise,
    mode,
    payee: absent(body.transfer_token) ? { beneficiaryId: readBeneficiaryId(body) } : { token: readToken(body) },
    remarks: optional(body.transfer_remarks, 'transfer_remarks', 1, 70, /^[A-Za-z0-9 ]+$/),
  }
}

function readBeneficiaryId({ beneficiary_details: details }: Fields): string {
  if (absent(details)) throw missing('beneficiary_details')
  if (!isFields(details)) throw invalid('beneficiary_details', 'should be an object', details)
  return required(details.beneficiary_id, 'beneficiary_id', 1, 50, BENEFICIARY_ID, 'invalid value')
}
