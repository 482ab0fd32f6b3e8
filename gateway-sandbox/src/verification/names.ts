/**
 * Checks of the name of a UPI ID, each by a rupee that is sent to it.
 *
 * - An id counts once: a second check under it is refused, and sends nothing.
 * - The bank says what a control call set for the UPI ID. Without one the name at the bank is the name that is asked for.
 */
import { type Fields, absent, instant, isFields, optional, required } from '../fields.ts'
import { badBody, duplicateVerification, invalid, missing } from '../refusals.ts'
import type { Store } from '../store.ts'
import type { NameCheck, UpiId } from './model.ts'

export type Asked = { readonly verificationId: string; readonly vpa: string; readonly name: string | null }

const VPA = /^[A-Za-z0-9._-]+@[A-Za-z0-9.]+$/

export function readAsked(body: unknown): Asked {
  if (!isFields(body)) throw badBody()
  const rule = 'can include only alphanum, dot, hyphen and underscores'
  const asked = {
    verificationId: required(body.verification_id, 'verification_id', 1, 50, /^[A-Za-z0-9._-]+$/, rule),
    vpa: required(body.vpa, 'vpa', 3, 50, VPA, 'should be a UPI address'),
    name: optional(body.name, 'name', 1, 100, /^[A-Za-z .'-]+$/),
  }
  judgeConsent(body.user_consent)
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

export const findUpiId = (store: Store, vpa: string): UpiId => store.upiIds.get(vpa) ?? { vpa, name: null, status: 'VALID', result: null }

export const checksOf = (store: Store, vpa: string): NameCheck[] => [...store.nameChecks.values()].filter((check) => check.vpa === vpa)

export function checkName(store: Store, { verificationId, vpa, name }: Asked, nowMs: number): Record<string, unknown> {
  if (store.nameChecks.has(verificationId)) throw duplicateVerification()
  const referenceId = store.nextCfId()
  const check = { verificationId, referenceId, vpa, utr: `SBX${referenceId}`, atMs: nowMs }
  store.put({ kind: 'nameCheck', value: check })
  return answerOf(check, findUpiId(store, vpa), name)
}

function answerOf(check: NameCheck, upiId: UpiId, name: string | null): Record<string, unknown> {
  const { verificationId, referenceId, vpa, utr } = check
  const about = { verification_id: verificationId, reference_id: Number(referenceId), status: upiId.status, vpa }
  if (upiId.status !== 'VALID')
    return { ...about, name_at_bank: null, ifsc: null, utr: null, name_match_score: null, name_match_result: null }
  const atBank = (upiId.name ?? name ?? 'JOHN DOE').toUpperCase()
  const [score, word] = name === null ? [null, null] : compared(name, atBank)
  return {
    ...about,
    ifsc: 'ICIC0006567',
    name_at_bank: atBank,
    utr,
    bank_account: '1234567890',
    name_match_score: score,
    name_match_result: upiId.result ?? word,
    ifsc_details: { bank: 'ICICI Bank', branch: 'BANGALORE', upi: 'Live' },
  }
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
