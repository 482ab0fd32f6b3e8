/** The facts that tell two beneficiaries of one public name apart. */
import { useLingui } from '@lingui/react/macro'
import { currentLanguage } from '../../../app/language.ts'
import { formatDay } from '../../../ui/format.ts'
import { formatMoney } from '../../../ui/Money.tsx'
import type { Disbursement } from '../queries.ts'
import { type Beneficiary, GUARDIAN_NAMES } from './queries.ts'

type Known = Pick<Beneficiary, 'id' | 'publicName' | 'consent' | 'guardian' | 'helped'> | Disbursement['beneficiary']

/** A number that is short enough to be said aloud. */
export const numberOf = ({ id }: { readonly id: string }): string => `#${id.slice(0, 4).toUpperCase()}`

/** Number, day of the consent, guardian, and the help so far, as one text. */
export function useBeneficiaryFacts(): (of: Known) => string {
  const { t, i18n } = useLingui()
  return (of) => {
    const { consent, guardian, helped } = of
    const day = consent === null ? '' : formatDay(consent.on, currentLanguage())
    const by = guardian === null ? '' : i18n._(GUARDIAN_NAMES[guardian])
    const sum = formatMoney(helped)
    const facts = [
      numberOf(of),
      consent === null ? t`no consent yet` : t`consent of ${day}`,
      guardian === null ? '' : t`given by: ${by}`,
      t`helped so far: ${sum}`,
    ]
    return facts.filter((fact) => fact !== '').join(' · ')
  }
}
