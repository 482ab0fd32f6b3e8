/** What a movement of the wallet is called, ready to print; total over kinds and languages. */
import type { Language, Texts } from '@roz/core/language.ts'
import type { Movement } from '../../ledger/movements.ts'

const SYSTEM: Texts = { en: 'Booking', hi: 'बुकिंग' }

/** `{day}` is the round's day, `{bank}` the bank's name with the last four digits. */
const DESCRIPTIONS = {
  join: { en: 'Joined the round of {day}', hi: '{day} के राउंड में शामिल हुए' },
  order: { en: 'Adding money', hi: 'पैसे जोड़ना' },
  topup: { en: 'Money added', hi: 'पैसे जोड़े गए' },
  suspense_credit: { en: 'Payment credited after a check', hi: 'जाँच के बाद भुगतान जमा हुआ' },
  prize: { en: 'Reward from the round of {day}', hi: '{day} के राउंड का इनाम' },
  round_refund: { en: 'Returned from the round of {day}', hi: '{day} के राउंड से लौटा' },
  gift: { en: 'Gift to the help fund', hi: 'सहायता कोष को भेंट' },
  wd_hold: { en: 'Withdrawal to {bank}', hi: '{bank} में निकासी' },
  wd_back: { en: 'Withdrawal to {bank} returned', hi: '{bank} की निकासी वापस आई' },
  wd_reversed: { en: 'Withdrawal to {bank} returned by the bank', hi: '{bank} की निकासी बैंक ने लौटाई' },
  refund_hold: { en: 'Refund to the payment source', hi: 'जहाँ से भुगतान हुआ, वहीं रिफ़ंड' },
  refund_failed: { en: 'Refund returned', hi: 'रिफ़ंड वापस आया' },
  refund_reversed: { en: 'Refund returned by the bank', hi: 'रिफ़ंड बैंक ने लौटाया' },
  chargeback: { en: 'Payment taken back by the bank', hi: 'बैंक ने भुगतान वापस लिया' },
  chargeback_back: { en: 'Payment given back by the bank', hi: 'बैंक ने भुगतान लौटाया' },
  // Between accounts of no member: never in a wallet's list.
  topup_suspense: SYSTEM,
  suspense_refund: SYSTEM,
  suspense_paid: SYSTEM,
  need: SYSTEM,
  platform: SYSTEM,
  tax: SYSTEM,
  disbursement: SYSTEM,
  wd_paid: SYSTEM,
  wd_conflict: SYSTEM,
  wd_conflict_back: SYSTEM,
  refund_paid: SYSTEM,
  refund_conflict: SYSTEM,
  refund_conflict_back: SYSTEM,
  gateway_settled: SYSTEM,
} as const satisfies Record<Movement['kind'], Texts>

const printed = {
  en: new Intl.DateTimeFormat('en-IN', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }),
  hi: new Intl.DateTimeFormat('hi-IN', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC', numberingSystem: 'latn' }),
} as const satisfies Record<Language, Intl.DateTimeFormat>

/** `5 Mar 2026`. */
export const printDay = (day: string, language: Language): string => printed[language].format(new Date(`${day}T00:00:00Z`))

export function describe(
  movement: { readonly kind: Movement['kind']; readonly day: string | undefined; readonly bank: string | undefined },
  language: Language,
): string {
  const day = movement.day === undefined ? '' : printDay(movement.day, language)
  return DESCRIPTIONS[movement.kind][language].replace('{day}', day).replace('{bank}', movement.bank ?? '')
}
