/**
 * The life of beneficiaries and transfers.
 *
 * - A transfer id is used once, so a repeated call never pays twice.
 * - One bank account or UPI address has one beneficiary.
 * - A transfer stays PENDING until a control call or a press moves it.
 * - Only a successful transfer can be reversed.
 */
import type { Beneficiary, Transfer, TransferStatus } from './model.ts'
import type { NewBeneficiary, NewTransfer } from './payout-fields.ts'
import {
  duplicateBeneficiary,
  duplicateBeneficiaryId,
  duplicateTransfer,
  invalid,
  noBeneficiary,
  noSuchStep,
  noTransfer,
} from './refusals.ts'
import type { Store } from './store.ts'

const alive = (beneficiary: Beneficiary | undefined): Beneficiary | undefined =>
  beneficiary?.status === 'DELETED' ? undefined : beneficiary

const isSameAccount = (one: NewBeneficiary, other: NewBeneficiary): boolean =>
  one.vpa === null ? one.accountNumber === other.accountNumber && one.ifsc === other.ifsc : one.vpa === other.vpa

export function createBeneficiary(store: Store, input: NewBeneficiary, nowMs: number): Beneficiary {
  if (alive(store.beneficiaries.get(input.beneficiaryId)) !== undefined) throw duplicateBeneficiaryId()
  const twin = [...store.beneficiaries.values()].find((other) => other.status !== 'DELETED' && isSameAccount(input, other))
  if (twin !== undefined) throw duplicateBeneficiary()
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

export const deleteBeneficiary = (store: Store, beneficiaryId: string): Beneficiary =>
  keepBeneficiary(store, { ...readBeneficiary(store, beneficiaryId), status: 'DELETED' })

function keepBeneficiary(store: Store, value: Beneficiary): Beneficiary {
  store.put({ kind: 'beneficiary', value })
  return value
}

export function createTransfer(store: Store, input: NewTransfer, nowMs: number): Transfer {
  if (store.transfers.has(input.transferId)) throw duplicateTransfer()
  const beneficiary = readBeneficiary(store, input.beneficiaryId)
  if ((input.mode === 'upi') !== (beneficiary.vpa !== null)) {
    throw invalid('transfer_mode', 'is not possible for this beneficiary', input.mode)
  }
  const transfer: Transfer = {
    ...input,
    cfTransferId: store.nextCfId(),
    status: 'PENDING',
    statusCode: STATUS_CODES.PENDING,
    utr: null,
    addedAtMs: nowMs,
    updatedAtMs: nowMs,
  }
  store.put({ kind: 'transfer', value: transfer })
  return transfer
}

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
  const moved: Transfer = { ...transfer, status, statusCode, utr, updatedAtMs: nowMs }
  store.put({ kind: 'transfer', value: moved })
  return moved
}
