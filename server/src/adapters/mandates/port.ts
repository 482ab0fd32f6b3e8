/**
 * Mandates at the payment gateway: a member's consent that we debit an amount by AutoPay, and the debits ("charges") of it.
 * - The rules of the payment port hold here too (../payments/port.ts): its errors, and that only an answer about the id that was asked is believed.
 * - A word that the gateway's documents do not list is UNKNOWN, or pending: never a consent, and never the end of a charge.
 * - Ids of mandates and charges are ours. Only the charge that authorises a mandate has an id of the gateway's.
 */
import type { MandateStatus } from '@roz/core/autopay.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import type { Paise } from '@roz/core/money.ts'
import type { Signed, StrangeWords, WebhookHeaders } from '../payments/port.ts'

/** `initialized`: the payer's bank has not begun it, so it can be cancelled. The last three are final. */
export type ChargeState = 'initialized' | 'pending' | 'paid' | 'failed' | 'cancelled'

export type MandateCharge = {
  readonly chargeId: string
  /** `auth`: the debit with which the payer authorises the mandate. */
  readonly kind: 'auth' | 'charge'
  readonly state: ChargeState
  /** The gateway's own word of the state. */
  readonly word: string
  readonly amount: Paise
  readonly currency: string
  /** The gateway's ids of the payment; each is missing until it exists. */
  readonly cfPaymentId: string | undefined
  readonly cfTxnId: string | undefined
  readonly cfOrderId: string | undefined
  /** The day on which the bank is to pay; missing for the first debit. */
  readonly day: IstDay | undefined
  /** Free text of the bank: shown, never judged. */
  readonly failureReason: string | undefined
}

export type Mandate = StrangeWords & {
  readonly mandateId: string
  readonly status: MandateStatus
  /** The gateway's own word. */
  readonly word: string
  /** Opens the hosted page while the mandate is not authorised. */
  readonly sessionId: string | undefined
  /** The payer's UPI ID without its middle: `ra…@bank`. */
  readonly payerMasked: string | undefined
  /** Without those of a type that the gateway's documents do not list. */
  readonly charges: readonly MandateCharge[]
}

export type NewMandate = {
  /** 32 lower-case hex digits: the idempotency key of the call. */
  readonly mandateId: string
  /** The first debit, and the most that a later one may be. */
  readonly amount: Paise
  readonly email: string
  /** Ten digits. */
  readonly phone: string
  readonly returnUrl: string
  readonly expiresAtMs: number
}

export type NewCharge = {
  readonly mandateId: string
  /** 32 lower-case hex digits: the idempotency key of the call. */
  readonly chargeId: string
  readonly amount: Paise
  /** The day on which the bank is to pay. */
  readonly day: IstDay
  /** Shown to the payer. */
  readonly remarks: string
}

/** The subject of a webhook. A webhook only says "ask again". */
export type MandateEvent = { readonly eventKey: string; readonly type: string; readonly mandateId: string | undefined }

export type MandateGateway = {
  /** Creates the mandate or finds it. Throws GatewayRefusedError if the gateway has no mandate under this id, or its mandate cannot be authorised. */
  createMandate(mandate: NewMandate): Promise<{ readonly sessionId: string }>
  /** Reads a mandate with all its charges; undefined if the gateway does not know it. */
  fetchMandate(mandateId: string, signal?: AbortSignal): Promise<Mandate | undefined>
  /**
   * Raises the charge or finds it.
   * - GatewayRefusedError: the gateway refused, and, asked again, has no charge under this id.
   * - GatewayMismatchError: the gateway has another amount or currency under this id.
   */
  raiseCharge(charge: NewCharge): Promise<MandateCharge>
  /** Reads a charge that we raised; undefined if the gateway does not know it. */
  fetchCharge(mandateId: string, chargeId: string): Promise<MandateCharge | undefined>
  /** Asks for the end of a charge and returns what it is now: a charge that the bank has begun goes on. */
  cancelCharge(mandateId: string, chargeId: string): Promise<MandateCharge>
  /** Asks for the end of a mandate and returns its status now. */
  cancelMandate(mandateId: string): Promise<MandateStatus>
  /** Undefined if the gateway did not sign exactly these bytes. */
  verifyWebhook(headers: WebhookHeaders, rawBody: Buffer): Signed | undefined
  readonly webhookLifeMs: number
  /** Parses a verified body; undefined if it is no event. */
  parseMandateWebhook(rawBody: Buffer): MandateEvent | undefined
}
