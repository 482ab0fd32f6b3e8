/** Parsers of Cashfree's JSON of payouts. They read only the fields that we use. */
import { z } from 'zod'
import { amount, currency, unlisted, wireId, wireInstant, words } from '../cashfree/fields.ts'
import type { BeneficiaryState, Transfer, TransferState } from './port.ts'

export const wireTransfer = z.object({
  transfer_id: z.string().min(1),
  cf_transfer_id: wireId.nullish(),
  status: z.string(),
  status_code: words,
  status_description: words,
  transfer_amount: amount,
  transfer_currency: currency,
  transfer_utr: words,
  updated_on: wireInstant.nullish(),
})

export const wireBeneficiary = z.object({
  beneficiary_id: z.string().min(1),
  beneficiary_status: z.string(),
  beneficiary_instrument_details: z.object({ bank_account_number: words, bank_ifsc: words, ifsc: words, vpa: words }).nullish(),
})
export type WireBeneficiary = z.output<typeof wireBeneficiary>

export const wirePayoutEvent = z.object({ type: z.string(), data: z.unknown().optional() })
export const wireTransferEvent = z.object({ transfer_id: z.string().min(1) })

const TRANSFER_STATES: ReadonlyMap<string, TransferState> = new Map([
  ['SUCCESS', 'paid'],
  ['FAILED', 'failed'],
  ['REJECTED', 'failed'],
  ['MANUALLY_REJECTED', 'failed'],
  ['REVERSED', 'reversed'],
  ['RECEIVED', 'pending'],
  ['APPROVAL_PENDING', 'pending'],
  ['QUEUED', 'pending'],
  ['PENDING', 'pending'],
])

/** Any unlisted word can still change, so it is pending. */
export const transferStateOf = (word: string): TransferState => TRANSFER_STATES.get(word) ?? 'pending'

const BENEFICIARY_STATES: ReadonlyMap<string, BeneficiaryState> = new Map([
  ['VERIFIED', 'ready'],
  ['INVALID', 'unusable'],
  ['FAILED', 'unusable'],
  ['CANCELLED', 'unusable'],
  ['DELETED', 'unusable'],
])

/** INITIATED, and any unlisted word, is `checking`: the gateway has not decided. */
export const beneficiaryStateOf = (word: string): BeneficiaryState => BENEFICIARY_STATES.get(word) ?? 'checking'

export const readTransfer = (wire: z.output<typeof wireTransfer>): Transfer => ({
  transferId: wire.transfer_id,
  gatewayId: wire.cf_transfer_id ?? undefined,
  state: transferStateOf(wire.status),
  status: wire.status,
  strangeWords: unlisted([[wire.status], TRANSFER_STATES]),
  statusCode: wire.status_code,
  description: wire.status_description,
  amount: wire.transfer_amount,
  currency: wire.transfer_currency,
  bankReference: wire.transfer_utr,
  toldAtMs: wire.updated_on ?? undefined,
})
