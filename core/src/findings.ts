/**
 * The kinds of a finding: a difference between our books, the gateway and the bank.
 * - `FINDING_MEANING` explains each in the contract; the portal has its own words.
 */
export const FINDING_MEANING = {
  unknown_payment: 'a settlement has a payment that is not in our books',
  unknown_refund: 'a settlement has a refund that is not in our books: perhaps somebody made it at the gateway',
  unknown_dispute: 'a settlement has the money of a dispute that our books do not have: the gateway is asked about it each day',
  other_amount: 'a settlement has another amount of an entry than our books',
  other_rate: 'the gateway charged another rate for a payment than agreed',
  adjustment: 'the gateway added or took an amount for a reason of its own',
  sums: 'the events of a settlement do not add up to what it paid',
  twice: 'an entry is in settlements twice',
  missing: 'an entry is in no settlement, four bank days after its own',
  failed: 'a settlement failed at the bank',
  came_back: 'a recorded settlement went back to the gateway',
  unknown_word: 'the gateway used a word that its documents do not have',
  bank_line: 'a line of the bank statement has no entry in our books',
  bank_missing: 'an entry of our books has no line in the bank statement',
  bank_opening: 'the first balance of a bank account is another than our books had on that day',
} as const
export type FindingKind = keyof typeof FINDING_MEANING
export const FINDING_KINDS = Object.keys(FINDING_MEANING) as readonly FindingKind[]
