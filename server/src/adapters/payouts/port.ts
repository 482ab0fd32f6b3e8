/**
 * Payouts to a bank account or UPI address, as withdrawals use them.
 * - Without payout keys there is no `PayoutGateway`, and payouts are manual.
 * - Amounts are paise. Our transfer id is the idempotency key, so a transfer sent again is never paid twice.
 * - A webhook only says "ask again"; nothing here books anything.
 * - `GatewayUnavailableError`: the outcome is unknown. Never return the money and never take another id. Ask with
 *   `fetchTransfer`, and send the same id again only after it returned undefined more than once, with a delay.
 * - `GatewayRefusedError` from `send`: the gateway refused this transfer and, asked again, has none under this id.
 * - `GatewayMismatchError`: the gateway has another amount or currency under this id; the money may have left.
 */
import type { Paise } from '@roz/core/money.ts'
import type { Signed, StrangeWords, WebhookHeaders } from '../payments/port.ts'

export type Instrument =
  | { readonly kind: 'bank'; readonly accountNumber: string; readonly ifsc: string }
  | { readonly kind: 'upi'; readonly vpa: string }

export type Beneficiary = {
  /** Our id: 1 to 50 characters of `A-Za-z0-9_|.`; one id belongs to one bank account for ever. */
  readonly beneficiaryId: string
  /** The name as the member wrote it; all but letters and spaces is left out. */
  readonly name: string
  readonly instrument: Instrument
  readonly email?: string
  /** Ten digits. */
  readonly phone?: string
}

/** `ready` can be paid; `checking` may become ready; `unusable` never will: the bank refused it, or it was deleted. */
export type BeneficiaryState = 'ready' | 'checking' | 'unusable'

export type KnownBeneficiary = {
  /** The id to send to. It may differ from ours: an account that the gateway knows already keeps its first id. */
  readonly beneficiaryId: string
  readonly state: BeneficiaryState
}

export type NewTransfer = {
  /** The withdrawal's id without dashes: 1 to 40 characters of `A-Za-z0-9_`. */
  readonly transferId: string
  readonly amount: Paise
  /** From `ensureBeneficiary`. */
  readonly beneficiaryId: string
  readonly method: Instrument['kind']
  /** At most 70 letters, digits and spaces; everything else is left out. */
  readonly remarks: string
  readonly signal?: AbortSignal
}

/**
 * State of a transfer. `paid` is not final: it can become `reversed`. A rejection by the gateway or in its dashboard is
 * `failed`. A word that the gateway's documents do not list is `pending`.
 */
export type TransferState = 'pending' | 'paid' | 'failed' | 'reversed'

export type Transfer = StrangeWords & {
  readonly transferId: string
  /** The gateway's own id, if it has one. */
  readonly gatewayId: string | undefined
  readonly state: TransferState
  /** The gateway's own status (SUCCESS), status code (SENT_TO_BENEFICIARY, then COMPLETED) and description. */
  readonly status: string
  readonly statusCode: string | undefined
  readonly description: string | undefined
  readonly amount: Paise
  readonly currency: string
  /** The bank's reference (UTR). */
  readonly bankReference: string | undefined
  /** When this status began at the gateway, if it says so: an older status is no news. */
  readonly toldAtMs: number | undefined
}

/** Content of a webhook. `eventKey` is a digest of the signed bytes, so a repeated event has the same key. */
export type PayoutEvent =
  | { readonly kind: 'transfer'; readonly eventKey: string; readonly type: string; readonly transferId: string }
  | { readonly kind: 'other'; readonly eventKey: string; readonly type: string }

export type PayoutGateway = {
  /** Creates the beneficiary or finds it. Throws GatewayRefusedError if its id belongs to another account. */
  ensureBeneficiary(beneficiary: Beneficiary, signal?: AbortSignal): Promise<KnownBeneficiary>
  /** Sends the transfer or finds it. */
  send(transfer: NewTransfer): Promise<Transfer>
  /** Reads a transfer; undefined if the gateway does not know it. */
  fetchTransfer(transferId: string, signal?: AbortSignal): Promise<Transfer | undefined>
  /** Undefined if exactly these bytes were not signed with the payouts' secret. */
  verifyWebhook(headers: WebhookHeaders, rawBody: Buffer): Signed | undefined
  /** The gateway's last retry is sent within this time of the signature; a later or future webhook is no retry of the gateway. */
  readonly webhookLifeMs: number
  /** Parses a verified body; undefined if it is no event. */
  parseWebhook(rawBody: Buffer): PayoutEvent | undefined
}
