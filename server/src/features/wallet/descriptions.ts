/** The description of each kind of transaction; complete over kinds and languages. */
import { isolated } from '@roz/core/isolated.ts'
import { inEach, type Language, SPEECH, type Texts } from '@roz/core/language.ts'
import { formatPaise, type Paise, ZERO } from '@roz/core/money.ts'
import { texts } from '@roz/core/texts.ts'
import type { Movement, WaitingStatus } from '../../ledger/movements.ts'

const SYSTEM = texts('Booking')

type Described = Exclude<Movement['kind'], 'waiting'> | `waiting_${WaitingStatus}`

/** `{day}` is the round's day, `{tax}` what was withheld, `{bank}` the bank's name with the last four digits. */
const DESCRIPTIONS = {
  join: texts('Joined the round of {day}'),
  order: texts('Adding money'),
  waiting_checking: texts('Payment received, being checked'),
  waiting_returning: texts('Payment being sent back to you'),
  waiting_returned: texts('Payment sent back to you'),
  waiting_elsewhere: texts('Payment added to another wallet after a check'),
  topup: texts('Money added'),
  suspense_credit: texts('Payment added after a check'),
  prize: texts('Reward from the round of {day}'),
  round_refund: texts('Returned from the round of {day}'),
  gift: texts('Donation to the help fund'),
  wd_hold: texts('Withdrawal to {bank}'),
  wd_back: texts('Withdrawal to {bank} returned'),
  wd_reversed: texts('Withdrawal to {bank} returned by the bank'),
  refund_hold: texts('Refund to your original payment method'),
  refund_failed: texts('Refund returned'),
  refund_reversed: texts('Refund returned by the bank'),
  chargeback: texts('Payment taken back by the bank'),
  chargeback_back: texts('Payment returned by the bank'),
  debt_paid: texts('Paid for a payment the bank took back'),
  debt_back: texts('Returned: what you had paid for a disputed payment'),
  // Between accounts of no member: these are never in a wallet's list.
  topup_suspense: SYSTEM,
  suspense_refund: SYSTEM,
  suspense_paid: SYSTEM,
  need: SYSTEM,
  platform: SYSTEM,
  tax: SYSTEM,
  disbursement: SYSTEM,
  disbursement_back: SYSTEM,
  platform_out: SYSTEM,
  tds_remitted: SYSTEM,
  losses_covered: SYSTEM,
  wd_paid: SYSTEM,
  wd_conflict: SYSTEM,
  wd_conflict_back: SYSTEM,
  refund_paid: SYSTEM,
  refund_conflict: SYSTEM,
  refund_conflict_back: SYSTEM,
  gateway_settled: SYSTEM,
} as const satisfies Record<Described, Texts>

const DAY = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const
const printed = inEach((language) => new Intl.DateTimeFormat(SPEECH[language].locale, DAY))

/** Such as `5 Mar 2026`. */
export const printDay = (day: string, language: Language): string => printed[language].format(new Date(`${day}T00:00:00Z`))

const TAXED_PRIZE = texts('Reward from the round of {day}, after {tax} tax')
const AUTOPAY: { readonly [K in Described]?: Texts } = { order: texts('AutoPay'), topup: texts('Added by AutoPay') }

export function describe(
  movement: {
    readonly kind: Described
    readonly day: string | undefined
    readonly bank: string | undefined
    readonly isAutopay?: boolean
    /** Withheld from a reward. */
    readonly tax?: Paise | undefined
  },
  language: Language,
): string {
  const day = movement.day === undefined ? '' : printDay(movement.day, language)
  const { kind, tax = ZERO } = movement
  const words =
    kind === 'prize' && tax > 0n ? TAXED_PRIZE : ((movement.isAutopay === true ? AUTOPAY[kind] : undefined) ?? DESCRIPTIONS[kind])
  return words[language]
    .replace('{day}', day)
    .replace('{tax}', formatPaise(tax))
    .replace('{bank}', () => isolated(movement.bank ?? ''))
}
