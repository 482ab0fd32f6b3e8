/**
 * The rule of two persons: who may approve money that leaves, and when one approval is enough.
 * - At or below the limit one person approves. Above it the first approval is recorded, and another person must approve too.
 * - A recorded first approval always needs the second one, even if the limit was raised since.
 * - Nobody approves their own money, and a person with two accounts is one person. `judgeApproval` cannot detect either: the caller passes
 *   both facts.
 */
import type { Paise } from './money.ts'
import { type Outcome, accepted, refused } from './outcome.ts'

/** The refusals of an approval; core/src/refusals.ts has their words. */
export type ApprovalRefusal = 'own_money' | 'second_person_needed'

export const needsSecondPerson = (amount: Paise, limit: Paise): boolean => amount > limit

export type Approval = {
  readonly amount: Paise
  /** The setting APPROVAL_ABOVE. */
  readonly limit: Paise
  /** The person of the recorded first approval, compared with the approver. */
  readonly first: 'nobody' | 'same' | 'another'
  /** True if the money is the approver's own. */
  readonly isOwn: boolean
}

/** `first`: record this approval and wait for another person. `final`: the money may leave. */
export function judgeApproval({ amount, limit, first, isOwn }: Approval): Outcome<'first' | 'final', ApprovalRefusal> {
  if (isOwn) return refused('own_money')
  if (first === 'nobody') return accepted(needsSecondPerson(amount, limit) ? 'first' : 'final')
  return first === 'same' ? refused('second_person_needed') : accepted('final')
}
