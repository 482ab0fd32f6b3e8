/**
 * The life of beneficiaries and transfers.
 *
 * - A transfer id is used once, so a repeated call never pays twice.
 * - One bank account or UPI address has one beneficiary.
 * - A transfer stays PENDING until a control call, a press or test data moves it.
 * - Only a successful transfer can be reversed.
 * - The token of a validated UPI ID is for one transfer id, for an hour. The newest one counts.
 */
import { randomUUID } from 'node:crypto'
import type { Beneficiary, BeneficiaryStatus, PayoutValidation, Transfer, TransferStatus } from './model.ts'
import type { NewBeneficiary, NewTransfer, PayoutQuestion } from './payout-fields.ts'
import {
  duplicateBeneficiary,
  duplicateBeneficiaryId,
  duplicateTransfer,
  invalid,
  noBeneficiary,
  noSuchStep,
  noTransfer,
  type Refusal,
} from './refusals.ts'
import type { Store } from './store.ts'
import { findUpiId, nameAtBank } from './verification/names.ts'

const TOKEN_MS = 3_600_000

const alive = (beneficiary: Beneficiary | undefined): Beneficiary | undefined =>
  beneficiary?.status === 'DELETED' ? undefined : beneficiary

const isSameAccount = (one: NewBeneficiary, other: NewBeneficiary): boolean =>
  one.vpa === null ? one.accountNumber === other.accountNumber && one.ifsc === other.ifsc : one.vpa === other.vpa

const twinOf = (store: Store, input: NewBeneficiary): Beneficiary | undefined =>
  [...store.beneficiaries.values()].find((other) => other.status !== 'DELETED' && isSameAccount(input, other))

export function createBeneficiary(store: Store, input: NewBeneficiary, nowMs: number): Beneficiary {
  if (alive(store.beneficiaries.get(input.beneficiaryId)) !== undefined) throw duplicateBeneficiaryId()
  if (twinOf(store, input) !== undefined) throw duplicateBeneficiary()
  return keepBeneficiary(store, { ...input, status: 'VERIFIED', addedAtMs: nowMs })
}

export function readBeneficiary(store: Store, beneficiaryId: string): Beneficiary {
  const found = alive(store.beneficiaries.get(beneficiaryId))
  if (found === undefined) throw noBeneficiary()
  return found
}

export function readBeneficiaryByAccount(store: Store, accountNumber: string, ifsc: string): Beneficiary {
  const found = [...store.beneficiaries.values()].find(
    (one) => one.status !== 'DELETED' && one.accountNumber === accountNumber && one.ifsc === ifsc,
  )
  if (found === undefined) throw noBeneficiary()
  return found
}

export const setBeneficiary = (store: Store, beneficiaryId: string, status: BeneficiaryStatus): Beneficiary =>
  keepBeneficiary(store, { ...readBeneficiary(store, beneficiaryId), status })

function keepBeneficiary(store: Store, value: Beneficiary): Beneficiary {
  store.put({ kind: 'beneficiary', value })
  return value
}

/** Asks the bank of a UPI ID for its name. Only a valid one gets a token. */
export function validatePayout(store: Store, { transferId, vpa }: PayoutQuestion, nowMs: number): PayoutValidation | undefined {
  if (store.transfers.has(transferId)) throw duplicateTransfer()
  const upiId = findUpiId(store, vpa)
  if (upiId.status !== 'VALID') return undefined
  const validation = { transferId, token: randomUUID(), vpa, name: nameAtBank(upiId, null), atMs: nowMs }
  store.put({ kind: 'payoutValidation', value: validation })
  return validation
}

export function createTransfer(store: Store, input: NewTransfer, nowMs: number): Transfer {
  if (store.transfers.has(input.transferId)) throw duplicateTransfer()
  const { payee, ...fields } = input
  const beneficiary = 'token' in payee ? validatedPayee(store, input, payee.token, nowMs) : readBeneficiary(store, payee.beneficiaryId)
  if ((input.mode === 'upi') !== (beneficiary.vpa !== null)) throw badMode(input)
  return keepTransfer(store, {
    ...fields,
    beneficiaryId: beneficiary.beneficiaryId,
    cfTransferId: store.nextCfId(),
    status: 'PENDING',
    statusCode: STATUS_CODES.PENDING,
    utr: null,
    addedAtMs: nowMs,
    updatedAtMs: nowMs,
  })
}

const badMode = ({ mode }: NewTransfer): Refusal => invalid('transfer_mode', 'is not possible for this beneficiary', mode)

/** The beneficiary of the UPI ID that was validated; made if there is none. */
function validatedPayee(store: Store, input: NewTransfer, token: string, nowMs: number): Beneficiary {
  const validation = store.payoutValidations.get(input.transferId)
  if (validation?.token !== token) throw invalid('transfer_token', 'is not of this transfer', '')
  if (nowMs - validation.atMs >= TOKEN_MS) throw invalid('transfer_token', 'has expired', '')
  if (input.mode !== 'upi') throw badMode(input)
  const { vpa, name } = validation
  const payee = { beneficiaryId: `B_${token}`, name, accountNumber: null, ifsc: null, vpa, contact: {} }
  return twinOf(store, payee) ?? keepBeneficiary(store, { ...payee, status: 'VERIFIED', addedAtMs: nowMs })
}

function keepTransfer(store: Store, value: Transfer): Transfer {
  store.put({ kind: 'transfer', value })
  return value
}

/** Test data: the transfer takes the state by itself, unless something else moves it before. */
export const scheduleTransfer = (store: Store, transfer: Transfer, status: TransferStatus, atMs: number): Transfer =>
  keepTransfer(store, { ...transfer, later: { status, atMs } })

export function readTransfer(store: Store, transferId: string): Transfer {
  const transfer = store.transfers.get(transferId)
  if (transfer === undefined) throw noTransfer()
  return transfer
}

export function readTransferByCfId(store: Store, cfTransferId: string): Transfer {
  const transfer = [...store.transfers.values()].find((one) => one.cfTransferId === cfTransferId)
  if (transfer === undefined) throw noTransfer()
  return transfer
}

/** Status code of each status, unless the control call names another. */
const STATUS_CODES = {
  RECEIVED: 'RECEIVED',
  APPROVAL_PENDING: 'APPROVAL_PENDING',
  QUEUED: 'QUEUED',
  PENDING: 'PENDING',
  SUCCESS: 'SENT_TO_BENEFICIARY',
  FAILED: 'INVALID_ACCOUNT_FAIL',
  REJECTED: 'INVALID_MODE_FOR_PYID',
  MANUALLY_REJECTED: 'MANUALLY_REJECTED',
  REVERSED: 'RETURNED_FROM_BENEFICIARY',
} as const satisfies Record<TransferStatus, string>

const OPEN = ['RECEIVED', 'APPROVAL_PENDING', 'QUEUED', 'PENDING'] as const satisfies readonly TransferStatus[]
const ENDS = ['SUCCESS', 'FAILED', 'REJECTED', 'MANUALLY_REJECTED'] as const satisfies readonly TransferStatus[]

/** The states that may follow the present one. */
export function transferSteps({ status }: Transfer): readonly TransferStatus[] {
  if (status === 'SUCCESS') return ['REVERSED']
  return OPEN.some((open) => open === status) ? [...ENDS, ...OPEN.filter((open) => open !== status)] : []
}

export type TransferMove = { readonly status: TransferStatus; readonly statusCode: string | undefined; readonly force: boolean }

/**
 * Plays the bank.
 *
 * - SUCCESS may follow SUCCESS under another code: the bank sends the money first and acknowledges it later.
 * - `force` allows any step, as by a gateway that reverses a final state.
 */
export function moveTransfer(store: Store, transferId: string, move: TransferMove, nowMs: number): Transfer {
  const transfer = readTransfer(store, transferId)
  const { status } = move
  const statusCode = move.statusCode ?? STATUS_CODES[status]
  const again = transfer.status === 'SUCCESS' && status === 'SUCCESS' && statusCode !== transfer.statusCode
  if (!move.force && !again && !transferSteps(transfer).includes(status)) throw noSuchStep(transfer.status, status)
  const utr = status === 'SUCCESS' ? (transfer.utr ?? `SBX${store.nextCfId()}`) : transfer.utr
  // A test may set the clock back, and a restart does; the times of one transfer never go back.
  const updatedAtMs = Math.max(nowMs, transfer.updatedAtMs)
  return keepTransfer(store, { ...transfer, status, statusCode, utr, updatedAtMs, later: undefined })
}
