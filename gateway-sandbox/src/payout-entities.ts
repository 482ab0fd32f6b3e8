/** Converts beneficiaries and transfers to the JSON of the payouts API (V2) and of its webhooks. */
import { indianTime } from './clock.ts'
import { decimals, rupees } from './entities.ts'
import type { Beneficiary, Event, PayoutValidation, Transfer, TransferStatus } from './model.ts'

/** `2021-11-24T13:39:25Z`: the payouts API writes UTC; the payments API writes IST. */
const utcTime = (instantMs: number): string => `${new Date(instantMs).toISOString().slice(0, 19)}Z`

export const beneficiaryEntity = (beneficiary: Beneficiary): Record<string, unknown> => ({
  beneficiary_id: beneficiary.beneficiaryId,
  beneficiary_name: beneficiary.name,
  beneficiary_instrument_details: {
    ...(beneficiary.accountNumber === null ? {} : { bank_account_number: beneficiary.accountNumber, bank_ifsc: beneficiary.ifsc }),
    ...(beneficiary.vpa === null ? {} : { vpa: beneficiary.vpa }),
  },
  beneficiary_contact_details: beneficiary.contact,
  beneficiary_status: beneficiary.status,
  added_on: utcTime(beneficiary.addedAtMs),
})

/** No token for a UPI ID that is not valid. */
export const validationEntity = (vpa: string, validation: PayoutValidation | undefined): Record<string, unknown> => ({
  transfer_token: validation?.token ?? '',
  vpa,
  account_status: validation === undefined ? 'INVALID' : 'VALID',
  name_at_bank: validation?.name ?? '',
})

const WORDS = {
  RECEIVED: 'The transfer has been received for further processing.',
  APPROVAL_PENDING: 'The transfer waits for an approval.',
  QUEUED: 'The transfer is queued.',
  PENDING: 'The transfer is being processed by the bank.',
  SUCCESS: 'The transfer was successful.',
  FAILED: 'The transfer failed: the account of the beneficiary is not valid.',
  REJECTED: 'The transfer was rejected before it was sent.',
  MANUALLY_REJECTED: 'The transfer was rejected by a person.',
  REVERSED: 'The transfer was returned by the bank of the beneficiary.',
} as const satisfies Record<TransferStatus, string>

const BANK_MODES: ReadonlySet<string> = new Set(['banktransfer', 'imps', 'neft', 'rtgs'])

const transferShape = (transfer: Transfer, amountShown: unknown): Record<string, unknown> => ({
  transfer_id: transfer.transferId,
  cf_transfer_id: transfer.cfTransferId,
  status: transfer.status,
  status_code: transfer.statusCode,
  status_description: WORDS[transfer.status],
  beneficiary_details: { beneficiary_id: transfer.beneficiaryId },
  transfer_amount: amountShown,
  transfer_service_charge: 0,
  transfer_service_tax: 0,
  transfer_mode: BANK_MODES.has(transfer.mode) ? 'BANK' : transfer.mode.toUpperCase(),
  transfer_utr: transfer.utr,
  fundsource_id: 'CASHFREE_1',
  added_on: utcTime(transfer.addedAtMs),
  updated_on: utcTime(transfer.updatedAtMs),
})

export const transferEntity = (transfer: Transfer): Record<string, unknown> => transferShape(transfer, rupees(transfer.amountPaise))

/** Webhooks announce final states and the end of APPROVAL_PENDING; other intermediate steps send none. */
function eventType(before: Transfer, { status, statusCode }: Transfer): string | undefined {
  switch (status) {
    case 'SUCCESS':
      return statusCode === 'COMPLETED' ? 'TRANSFER_ACKNOWLEDGED' : 'TRANSFER_SUCCESS'
    case 'FAILED':
      return 'TRANSFER_FAILED'
    case 'REVERSED':
      return 'TRANSFER_REVERSED'
    case 'REJECTED':
    case 'MANUALLY_REJECTED':
      return 'TRANSFER_REJECTED'
    default:
      return before.status === 'APPROVAL_PENDING' ? 'TRANSFER_APPROVED' : undefined
  }
}

/** The webhook for a step of a transfer. Its `event_time` is IST without an offset. */
export function transferEvent(before: Transfer, after: Transfer, url: string | undefined, nowMs: number): Event | undefined {
  const type = eventType(before, after)
  if (type === undefined || url === undefined) return undefined
  const event = { data: transferShape(after, decimals(after.amountPaise)), event_time: indianTime(nowMs).slice(0, 19), type }
  return { channel: 'payouts', subject: `transfer:${after.transferId}`, type, url, body: JSON.stringify(event) }
}
