/**
 * Paying out to a bank account or UPI address, as withdrawals see it. Without payout keys there is no
 * `PayoutGateway` at all: payouts are then manual.
 * Invariants: amounts are paise; our transfer id is the key of a transfer, so sending it again never
 * pays twice; a webhook only says "ask again"; nothing here books anything.
 *
 * What is thrown, and what it allows: `GatewayUnavailableError` means that nobody knows: never give
 * the money back, never take another id; ask by `fetchTransfer`, and send the same id again only
 * after it answered undefined more than once, with a delay. `GatewayRefusedError` from `send` is the
 * gateway's definite no to this transfer: it was asked afterwards and has none under this id.
 * `GatewayMismatchError`: it holds another amount or currency under this id; the money may have left.
 */
import type { Paise } from '@roz/core/money.ts'
import type { Signed, WebhookHeaders } from '../payments/port.ts'

export type Instrument =
  | { readonly kind: 'bank'; readonly accountNumber: string; readonly ifsc: string }
  | { readonly kind: 'upi'; readonly vpa: string }

export type Beneficiary = {
  /** Ours: 1 to 50 of `A-Za-z0-9_|.`; one id for one bank account for ever. */
  readonly beneficiaryId: string
  /** As the member wrote it: what the gateway does not take (all but letters and spaces) is left out. */
  readonly name: string
  readonly instrument: Instrument
  readonly email?: string
  /** Ten digits. */
  readonly phone?: string
}

/** `ready` may be sent to, `checking` soon may be, `unusable` never: the gateway's bank said no, or it was deleted. */
export type BeneficiaryState = 'ready' | 'checking' | 'unusable'

export type KnownBeneficiary = {
  /** What to send to. Not always ours: an account that the gateway knows already keeps its first id. */
  readonly beneficiaryId: string
  readonly state: BeneficiaryState
}

export type NewTransfer = {
  /** The withdrawal's id without dashes: 1 to 40 of `A-Za-z0-9_`. */
  readonly transferId: string
  readonly amount: Paise
  /** From `ensureBeneficiary`. */
  readonly beneficiaryId: string
  readonly method: Instrument['kind']
  /** At most 70 letters, digits and spaces; all else is left out. */
  readonly remarks: string
  readonly signal?: AbortSignal
}

/**
 * Where a transfer stands. `paid` is not for ever: it may still become `reversed`. Rejected by the
 * gateway or by hand in its dashboard is `failed`. A word that its documents do not list is `pending`.
 */
export type TransferState = 'pending' | 'paid' | 'failed' | 'reversed'

export type Transfer = {
  readonly transferId: string
  /** The gateway's own id, where it has one. */
  readonly gatewayId: string | undefined
  readonly state: TransferState
  /** The gateway's words: SUCCESS, …; SENT_TO_BENEFICIARY, then COMPLETED, …; and a sentence. */
  readonly status: string
  readonly statusCode: string | undefined
  readonly description: string | undefined
  readonly amount: Paise
  readonly currency: string
  /** The bank's reference (UTR). */
  readonly bankReference: string | undefined
}

/** A webhook's content. `eventKey` is a digest of the signed bytes: the same event again has the same key. */
export type PayoutEvent =
  | { readonly kind: 'transfer'; readonly eventKey: string; readonly type: string; readonly transferId: string }
  | { readonly kind: 'other'; readonly eventKey: string; readonly type: string }

export type PayoutGateway = {
  /** Makes the beneficiary, or finds it made. Refused when its id stands for another account. */
  ensureBeneficiary(beneficiary: Beneficiary, signal?: AbortSignal): Promise<KnownBeneficiary>
  /** Asks for the transfer, or finds it asked for. */
  send(transfer: NewTransfer): Promise<Transfer>
  /** The gateway's word on a transfer; undefined when it knows none. */
  fetchTransfer(transferId: string, signal?: AbortSignal): Promise<Transfer | undefined>
  /** Undefined where these exact bytes were not signed with the payouts' secret. */
  verifyWebhook(headers: WebhookHeaders, rawBody: Buffer): Signed | undefined
  /** As for payments: what comes later, or from the future, came another way than the gateway's own retries. */
  readonly webhookLifeMs: number
  /** Reads a verified body; undefined when it is no event at all. */
  parseWebhook(rawBody: Buffer): PayoutEvent | undefined
}
