/** What a movement of the wallet is called, ready to print; total over kinds and languages. */
import type { Language, Texts } from '@roz/core/language.ts'
import type { TransferKind } from '../../ledger/accounts.ts'

/** A join, an order that has not been paid, or a kind of transfer with a member on one side. */
export type MovementKind =
  | 'join'
  | 'order'
  | Extract<
      TransferKind,
      | 'topup'
      | 'suspense_credit'
      | 'prize'
      | 'round_refund'
      | 'gift'
      | 'wd_hold'
      | 'wd_back'
      | 'wd_reversed'
      | 'refund_hold'
      | 'refund_failed'
      | 'chargeback'
    >

/** `{day}` is the round's day, `{bank}` the bank's name with the last four digits. */
const DESCRIPTIONS = {
  join: { en: 'Joined the round of {day}', hi: '{day} के राउंड में शामिल हुए' },
  order: { en: 'Adding money', hi: 'पैसे जोड़ना' },
  topup: { en: 'Money added', hi: 'पैसे जोड़े गए' },
  suspense_credit: { en: 'Payment credited after a check', hi: 'जाँच के बाद भुगतान जमा हुआ' },
  prize: { en: 'Reward from the round of {day}', hi: '{day} के राउंड का इनाम' },
  round_refund: { en: 'Returned from the round of {day}', hi: '{day} के राउंड से वापस' },
  gift: { en: 'Gift to the help fund', hi: 'सहायता कोष को भेंट' },
  wd_hold: { en: 'Withdrawal to {bank}', hi: '{bank} में निकासी' },
  wd_back: { en: 'Withdrawal to {bank} returned', hi: '{bank} की निकासी वापस आई' },
  wd_reversed: { en: 'Withdrawal to {bank} returned by the bank', hi: '{bank} की निकासी बैंक ने लौटाई' },
  refund_hold: { en: 'Refund to the payment source', hi: 'भुगतान स्रोत को रिफ़ंड' },
  refund_failed: { en: 'Refund returned', hi: 'रिफ़ंड वापस आया' },
  chargeback: { en: 'Payment taken back by the bank', hi: 'बैंक ने भुगतान वापस लिया' },
} as const satisfies Record<MovementKind, Texts>

const printed = {
  en: new Intl.DateTimeFormat('en-IN', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }),
  hi: new Intl.DateTimeFormat('hi-IN', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC', numberingSystem: 'latn' }),
} as const satisfies Record<Language, Intl.DateTimeFormat>

export function describe(
  movement: {
    readonly kind: MovementKind
    readonly day: string | null
    readonly bankName: string | null
    readonly lastFour: string | null
  },
  language: Language,
): string {
  const day = movement.day === null ? '' : printed[language].format(new Date(`${movement.day}T00:00:00Z`))
  const bank = movement.bankName === null ? '' : `${movement.bankName} ••${movement.lastFour ?? ''}`
  return DESCRIPTIONS[movement.kind][language].replace('{day}', day).replace('{bank}', bank)
}
