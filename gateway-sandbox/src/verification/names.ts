/**
 * Checks of UPI IDs. A penny drop sends a rupee and compares names; a plain check tells whether the UPI ID exists.
 *
 * - An id counts once: a second check under it is refused, and sends nothing.
 * - The bank says what a control call set for the UPI ID. Without one the name at the bank is the name that is asked for.
 */
import { type Fields, absent, instant, isFields, optional, required } from '../fields.ts'
import { badBody, duplicateVerification, invalid, missing } from '../refusals.ts'
import type { Store } from '../store.ts'
import { isTestFailure } from '../test-data.ts'
import type { BankCheck, BankWord, UpiId } from './model.ts'

type Asked = { readonly verificationId: string; readonly vpa: string; readonly name: string | null }

const VPA = /^[A-Za-z0-9._-]+@[A-Za-z0-9.]+$/
const NAME = /^[A-Za-z .'-]+$/

export const readVerificationId = ({ verification_id: id }: Fields): string =>
  required(id, 'verification_id', 1, 50, /^[A-Za-z0-9._-]+$/, 'can include only alphanum, dot, hyphen and underscores')
export const readName = ({ name }: Fields): string | null => optional(name, 'name', 1, 100, NAME)

export function readUpiCheck(body: unknown): Asked {
  if (!isFields(body)) throw badBody()
  return {
    verificationId: readVerificationId(body),
    vpa: required(body.vpa, 'vpa', 3, 50, VPA, 'should be a UPI address'),
    name: readName(body),
  }
}

export function readPennyDrop(body: unknown): Asked {
  const asked = readUpiCheck(body)
  judgeConsent((body as Fields).user_consent)
  return asked
}

function judgeConsent(consent: unknown): void {
  if (absent(consent)) throw missing('user_consent')
  if (!isFields(consent)) throw invalid('user_consent', 'should be an object', consent)
  const { obtained, type, timestamp, purpose }: Fields = consent
  if (obtained !== true) throw invalid('user_consent.obtained', 'should be true', obtained)
  if (type !== 'EXPLICIT') throw invalid('user_consent.type', 'should be EXPLICIT', type)
  instant(timestamp, 'user_consent.timestamp')
  required(purpose, 'user_consent.purpose', 1, 500, /^/, '')
}

export const findUpiId = (store: Store, vpa: string): UpiId =>
  store.upiIds.get(vpa) ?? { vpa, name: null, status: isTestFailure({ vpa }) ? 'INVALID' : 'VALID', result: null }

export const checksOf = (store: Store, subject: string): Record<string, unknown>[] =>
  [...store.bankChecks.values()]
    .filter((check) => check.subject === subject)
    .map(({ verificationId, utr }) => ({ verification_id: verificationId, utr }))

type NewCheck = { readonly verificationId: string | undefined; readonly subject: string; readonly paysRupee: boolean }

/** Keeps the check, under the gateway's own id if the call has none. */
export function keepCheck(store: Store, { verificationId, subject, paysRupee }: NewCheck, nowMs: number): BankCheck {
  if (verificationId !== undefined && store.bankChecks.has(verificationId)) throw duplicateVerification()
  const referenceId = store.nextCfId()
  const utr = paysRupee ? `SBX${referenceId}` : null
  const check = { verificationId: verificationId ?? referenceId, referenceId, subject, utr, atMs: nowMs }
  store.put({ kind: 'nameCheck', value: check })
  return check
}

export function checkUpi(store: Store, { verificationId, vpa, name }: Asked, nowMs: number): Record<string, unknown> {
  const { referenceId } = keepCheck(store, { verificationId, subject: vpa, paysRupee: false }, nowMs)
  const upiId = findUpiId(store, vpa)
  const about = { verification_id: verificationId, reference_id: Number(referenceId), status: upiId.status, vpa }
  return { ...about, name_at_bank: upiId.status === 'VALID' ? nameAtBank(upiId, name) : null }
}

export function dropPenny(store: Store, { verificationId, vpa, name }: Asked, nowMs: number): Record<string, unknown> {
  const { referenceId, utr } = keepCheck(store, { verificationId, subject: vpa, paysRupee: true }, nowMs)
  const upiId = findUpiId(store, vpa)
  const about = { verification_id: verificationId, reference_id: Number(referenceId), status: upiId.status, vpa }
  const names = nameFields(upiId, name)
  if (upiId.status !== 'VALID') return { ...about, ...names, ifsc: null, utr: null }
  return {
    ...about,
    ...names,
    ifsc: 'ICIC0006567',
    utr,
    bank_account: '1234567890',
    ifsc_details: { bank: 'ICICI Bank', branch: 'BANGALORE', upi: 'Live' },
  }
}

export const nameAtBank = (said: BankWord, asked: string | null): string => (said.name ?? asked ?? 'JOHN DOE').toUpperCase()

/** The name at the bank, and how the name that is asked for compares with it. */
export function nameFields(said: BankWord, asked: string | null): Record<string, unknown> {
  if (said.status !== 'VALID') return { name_at_bank: null, name_match_score: null, name_match_result: null }
  const atBank = nameAtBank(said, asked)
  const [score, word] = asked === null ? [null, null] : compared(asked, atBank)
  return { name_at_bank: atBank, name_match_score: score, name_match_result: said.result ?? word }
}

/** Compares by whole words, in any order. */
function compared(name: string, atBank: string): readonly [score: string, word: string] {
  const [asked, known] = [wordsOf(name), wordsOf(atBank)]
  const shared = [...asked].filter((word) => known.has(word)).length
  if (shared === asked.size && shared === known.size) return ['100', 'DIRECT_MATCH']
  if (shared > 0 && shared === Math.min(asked.size, known.size)) return ['85', 'GOOD_PARTIAL_MATCH']
  if (shared > 1) return ['60', 'MODERATE_PARTIAL_MATCH']
  return shared === 1 ? ['35', 'POOR_PARTIAL_MATCH'] : ['0', 'NO_MATCH']
}
const wordsOf = (name: string): ReadonlySet<string> =>
  new Set(
    name
      .toUpperCase()
      .split(/[^A-Z]+/)
      .filter((word) => word !== ''),
  )
