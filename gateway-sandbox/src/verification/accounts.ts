/** Checks of bank accounts, each by a rupee that is sent to the account, and of IFSCs. */
import { isFields, optional, required } from '../fields.ts'
import { badBody } from '../refusals.ts'
import type { Store } from '../store.ts'
import { isTestFailure } from '../test-data.ts'
import { accountKey, type BankAccount, type Ifsc } from './model.ts'
import { keepCheck, nameFields, readName, readVerificationId } from './names.ts'

const readIfsc = (value: unknown): string => required(value, 'ifsc', 11, 11, /^[A-Z]{4}0[A-Z0-9]{6}$/, 'should be a valid IFSC')

type AskedAccount = { readonly account: string; readonly ifsc: string; readonly name: string | null }

export function readAccountCheck(body: unknown): AskedAccount {
  if (!isFields(body)) throw badBody()
  const asked = {
    account: required(body.bank_account, 'bank_account', 9, 18, /^[A-Za-z0-9]+$/, 'should be alphanumeric'),
    ifsc: readIfsc(body.ifsc),
    name: readName(body),
  }
  optional(body.phone, 'phone', 8, 13, /^\+?\d+$/)
  return asked
}

export function findBankAccount(store: Store, account: string, ifsc: string): BankAccount {
  const status = isTestFailure({ accountNumber: account, ifsc }) ? 'INVALID' : 'VALID'
  return store.bankAccounts.get(accountKey({ account, ifsc })) ?? { account, ifsc, name: null, status, code: null, result: null }
}

export function checkAccount(store: Store, { account, ifsc, name }: AskedAccount, nowMs: number): Record<string, unknown> {
  const { referenceId, utr } = keepCheck(
    store,
    { verificationId: undefined, subject: accountKey({ account, ifsc }), paysRupee: true },
    nowMs,
  )
  const said = findBankAccount(store, account, ifsc)
  const isValid = said.status === 'VALID'
  return {
    reference_id: Number(referenceId),
    ...nameFields(said, name),
    account_status: said.status,
    account_status_code: said.code ?? (isValid ? 'ACCOUNT_IS_VALID' : 'INVALID_ACCOUNT_FAIL'),
    utr: isValid ? utr : null,
    ifsc_details: { ...branchOf(ifsc), ifsc },
  }
}

export function readIfscCheck(body: unknown): { readonly verificationId: string; readonly ifsc: string } {
  if (!isFields(body)) throw badBody()
  return { verificationId: readVerificationId(body), ifsc: readIfsc(body.ifsc) }
}

export const findIfsc = (store: Store, ifsc: string): Ifsc => store.ifscs.get(ifsc) ?? { ifsc, status: 'VALID' }

export function checkIfsc(store: Store, asked: ReturnType<typeof readIfscCheck>, nowMs: number): Record<string, unknown> {
  const { verificationId, ifsc } = asked
  const { referenceId } = keepCheck(store, { verificationId, subject: ifsc, paysRupee: false }, nowMs)
  const { status } = findIfsc(store, ifsc)
  const about = { verification_id: verificationId, reference_id: Number(referenceId), status, ifsc }
  const word = status === 'VALID' ? 'Live' : null
  const branch = status === 'VALID' ? branchOf(ifsc) : { bank: null, branch: null }
  return { ...about, ...branch, imps: word, neft: word, rtgs: word, upi: word }
}

const branchOf = (ifsc: string): { readonly bank: string; readonly branch: string } => ({
  bank: `${ifsc.slice(0, 4)} Bank`,
  branch: `Branch ${ifsc.slice(5)}`,
})
