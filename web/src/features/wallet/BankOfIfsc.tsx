/** The bank of the IFSC that is being typed, below its field, and a note if the typed bank name does not fit it. */
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { currentLanguage } from '../../app/language.ts'
import { formatDay } from '../../ui/format.ts'

/** The list loads once, at the first four letters. Without it the form works on. */
function useList(code: string) {
  const { data } = useQuery({
    queryKey: ['code', 'bank-of-ifsc'],
    queryFn: () => import('./bank-of-ifsc.ts'),
    enabled: code.length >= 4,
    staleTime: Infinity,
    retry: false,
  })
  return code.length < 4 ? undefined : data
}

export function BankOfIfsc({ code }: { readonly code: string }) {
  const { t } = useLingui()
  const list = useList(code)
  const bank = list?.bankOfIfsc(code)
  const day = list === undefined ? '' : formatDay(list.listDay, currentLanguage())
  return (
    <span aria-live="polite">
      {list === undefined
        ? t`11 characters, for example SBIN0001234.`
        : bank === undefined
          ? t`No bank in the list of ${day} has this IFSC. Please check it.`
          : t`${bank} (list of ${day})`}
    </span>
  )
}

/** The note below the bank name; undefined while name and IFSC fit. */
export function useBankDoubt(code: string, typed: string) {
  const list = useList(code)
  const bank = list?.bankOfIfsc(code)
  if (list === undefined || bank === undefined || list.bankFits(code, bank, typed)) return undefined
  return (
    <span role="status">
      <Trans>The IFSC is of {bank}. Please check both; we pay by the IFSC.</Trans>
    </span>
  )
}
