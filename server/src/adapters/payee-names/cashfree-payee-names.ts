/**
 * The port over Cashfree's Secure ID, version 2024-12-01: POST /upi/penny-drop. Its plain POST /upi says whether a UPI ID exists, but has no
 * documented comparison of names.
 * - The call is sent once: a second one would send another rupee.
 * - An answer about another check or another UPI ID is refused.
 */
import { cashfreeApi, expectOk, expectSame, read } from '../cashfree/calls.ts'
import { callSignature, type SignedConfig } from '../cashfree/call-signature.ts'
import type { NameQuestion, PayeeNames } from './port.ts'
import { readNameCheck, wireNameCheck } from './wire.ts'

const PURPOSE = 'The payee of a withdrawal asked for it to be sent to this UPI ID'

export function cashfreePayeeNames(config: SignedConfig): PayeeNames {
  const api = cashfreeApi(config, () => callSignature(config))
  return {
    async checkName({ checkId, upiId, name, consentedAtMs }: NameQuestion) {
      const consent = { obtained: true, type: 'EXPLICIT', timestamp: new Date(consentedAtMs).toISOString(), purpose: PURPOSE }
      const body = { verification_id: checkId, vpa: upiId, name, user_consent: consent }
      const answer = await api.once({ method: 'POST', path: '/upi/penny-drop', body })
      const told = read(wireNameCheck, expectOk(answer), answer)
      expectSame(answer, [
        [told.verification_id, checkId],
        [told.vpa.toLowerCase(), upiId.toLowerCase()],
      ])
      return readNameCheck(told)
    },
  }
}
