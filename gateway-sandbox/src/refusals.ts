/** The gateway's refusals: HTTP status and `{message, code, type}`, worded as in its public documents where they exist. */
type RefusalType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'idempotency_error'
  | 'rate_limit_error'
  | 'validation_error'
  | 'api_error'

export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly code: string
  readonly type: RefusalType
  constructor(status: number, message: string, code: string, type: RefusalType = 'invalid_request_error') {
    super(message)
    this.status = status
    this.code = code
    this.type = type
  }
}

const shown = (value: unknown): string =>
  (value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 100)

export const missing = (field: string): Refusal =>
  new Refusal(400, `${field} : is missing in the request. Value received: `, `${field}_missing`)
export const invalid = (field: string, rule: string, value: unknown, code = `${field}_invalid`): Refusal =>
  new Refusal(400, `${field} : ${rule}. Value received: ${shown(value)}`, code)

export const badExpiry = (): Refusal =>
  new Refusal(400, 'order_expiry_time : Expiry time should be more than 15 min and less than 30 days', 'order_expiry_time_invalid')
export const badBody = (message = 'invalid request body, please check API documentation', status = 400): Refusal =>
  new Refusal(status, message, 'request_failed')
export const badUrl = (): Refusal => new Refusal(404, 'bad URL, please check API documentation', 'request_failed')
export const badHost = (): Refusal => new Refusal(421, 'this sandbox does not answer under this name, use 127.0.0.1', 'request_failed')
export const wrongKeys = (): Refusal => new Refusal(401, 'authentication Failed', 'request_failed', 'authentication_error')
export const duplicateOrder = (): Refusal => new Refusal(409, 'order with same id is already present', 'order_already_exists')
export const noOrder = (): Refusal => new Refusal(404, 'Order Reference Id does not exist', 'order_not_found')
export const noPayment = (): Refusal => new Refusal(404, 'payment not found', 'payment_not_found')
export const orderInactive = (): Refusal => new Refusal(400, 'order is no longer active', 'order_inactive')
/** The gateway's documents contradict each other. */
export function keyReused(is400: boolean): Refusal {
  const message = 'x-idempotency-key was already used with another request body'
  return is400 ? new Refusal(400, message, 'idempotency_key_mismatch') : new Refusal(422, message, 'request_invalid', 'idempotency_error')
}
export const tooMany = (): Refusal => new Refusal(429, 'Too many requests from IP. Check headers', 'request_failed', 'rate_limit_error')
export const bankFailure = (): Refusal =>
  new Refusal(502, 'bank processing failure, please try again', 'bank_processing_failure', 'api_error')
export const internal = (): Refusal => new Refusal(500, 'internal Server Error', 'internal_error', 'api_error')

export const duplicateRefund = (): Refusal => new Refusal(409, 'refund with same id is already present', 'refund_already_exists')
export const noRefund = (): Refusal => new Refusal(404, 'refund not found', 'refund_not_found')
export const noDispute = (): Refusal => new Refusal(404, 'dispute not found', 'dispute_not_found')
export const orderNotPaid = (): Refusal => new Refusal(400, 'order is not paid, nothing to refund', 'order_not_paid')
export const refundTooLate = (): Refusal =>
  new Refusal(400, 'refunds can be initiated only within six months of the payment', 'refund_not_allowed')

export const noPlan = (): Refusal => new Refusal(404, 'plan does not exist', 'plan_does_not_exist')
export const duplicatePlan = (): Refusal => new Refusal(409, 'plan with same id is already present', 'plan_already_exists')
export const noSubscription = (): Refusal => new Refusal(404, 'subscription does not exist', 'subscription_does_not_exist')
export const duplicateSubscription = (): Refusal =>
  new Refusal(409, 'subscription with same id is already present', 'subscription_already_exists')
export const noCharge = (): Refusal => new Refusal(404, 'payment does not exist', 'payment_does_not_exist')
export const duplicateCharge = (): Refusal => new Refusal(409, 'payment with same id is already present', 'payment_already_exists')
export const wrongMethod = (): Refusal =>
  new Refusal(400, 'payment method is not the one that the subscription authorizes', 'authorization_payment_info_mismatch')
export const wrongMode = (): Refusal => new Refusal(400, 'payment mode is invalid for this action', 'payment_mode_invalid_for_action')
/** The state of a subscription, a charge or a settlement does not allow the call. */
export const notNow = (what: string, status: string, action: string): Refusal =>
  new Refusal(400, `${what} is ${status}: ${action} is not allowed`, `${what}_status_invalid`)
/** A rule of the controlled flow. */
export const restricted = (kind: 'notification' | 'execution', rule: string): Refusal =>
  new Refusal(400, rule, kind === 'notification' ? 'payment_notification_restriction_error' : 'payment_execution_restriction_error')
export const noSettlement = (): Refusal => new Refusal(404, 'settlement does not exist', 'settlement_not_found')
export const noSimulation = (): Refusal => new Refusal(404, 'simulation does not exist', 'simulation_not_found')

/** Payouts, and checks of bank details, have accounts of their own. */
export const notEnabled = (): Refusal =>
  new Refusal(403, 'APIs not enabled. Please fill out the Support Form', 'apis_not_enabled', 'authentication_error')
export const badSignature = (rule: string): Refusal =>
  new Refusal(403, `x-cf-signature : ${rule}`, 'signature_invalid', 'authentication_error')
export const duplicateBeneficiaryId = (): Refusal =>
  new Refusal(409, 'Beneficiary already exists with the given beneficiary_id', 'beneficiary_id_already_exists')
export const duplicateBeneficiary = (): Refusal =>
  new Refusal(409, 'Beneficiary already exists with the given account details', 'beneficiary_already_exists')
export const noBeneficiary = (): Refusal => new Refusal(404, 'Beneficiary does not exist', 'beneficiary_not_found')
export const duplicateTransfer = (): Refusal => new Refusal(409, 'Transfer with the given id already exists', 'transfer_id_already_exists')
export const noTransfer = (): Refusal => new Refusal(404, 'transfer_id is invalid or does not exist', 'transfer_id_not_found')

export const duplicateVerification = (): Refusal =>
  new Refusal(409, 'verification ID already exists', 'verification_id_already_exists', 'validation_error')

/** A control call asked for a step that the state does not allow. */
export const noSuchStep = (from: string, to: string): Refusal => new Refusal(409, `from ${from} to ${to} is no way to go`, 'no_such_step')
