/**
 * The rule of two persons: who may approve money that leaves, and when one approval is enough.
 * - One person decides alone at most the limit in 24 hours. Above it the first approval is recorded, and another person
 *   must approve too: many small decisions are one large one.
 * - A recorded first approval always needs the second one, even if the limit was raised since.
 * - Above the limit a voice counts only 48 hours after its account got its role.
 * - Nobody approves their own money, and a person with two accounts is one person. `judgeApproval` cannot detect these: the caller passes
 *   the facts.
 */
import type { Paise } from './money.ts'
import { type Outcome, accepted, refused } from './outcome.ts'

/** The refusals of an approval; core/src/refusals.ts has their words. */
export type ApprovalRefusal = 'own_money' | 'second_person_needed' | 'role_too_new'

/** `alone`: what the person decided alone in the last 24 hours, without this amount. */
export const needsSecondPerson = (amount: Paise, { limit, alone }: { readonly limit: Paise; readonly alone: Paise }): boolean =>
  alone + amount > limit

type Approval = {
  readonly amount: Paise
  /** The setting APPROVAL_ABOVE. */
  readonly limit: Paise
  /** The sum that the approver decided alone in the last 24 hours. */
  readonly alone: Paise
  /** The person of the recorded first approval, compared with the approver. `unsettled`: another one, whose voice does not count now. */
  readonly first: 'nobody' | 'same' | 'another' | 'unsettled'
  /** True if the money is the approver's own. */
  readonly isOwn: boolean
  /** True if the approver's voice counts above the limit. */
  readonly isSettled: boolean
}

/** `first`: record this approval and wait for another person. `alone`, `second`: the money may leave, by one voice or by two. */
export function judgeApproval(approval: Approval): Outcome<'first' | 'alone' | 'second', ApprovalRefusal> {
  const { amount, first, isOwn, isSettled } = approval
  if (isOwn) return refused('own_money')
  if (first === 'same') return refused('second_person_needed')
  if (first === 'nobody' && !needsSecondPerson(amount, approval)) return accepted('alone')
  if (!isSettled || first === 'unsettled') return refused('role_too_new')
  return accepted(first === 'nobody' ? 'first' : 'second')
}
