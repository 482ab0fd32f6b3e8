/** The head of a list of the portal: its title, and the button that downloads it as a table for a spreadsheet, with the list's filters. */
import { useLingui } from '@lingui/react/macro'
import type { Api } from '@roz/contract/api.ts'
import { BYTE_ORDER_MARK } from '@roz/core/csv.ts'
import { type ReactNode, useState } from 'react'
import { call, messageOf } from '../../app/api.ts'
import { saveFile } from '../../app/save-file.ts'
import { Button } from '../../ui/Button.tsx'
import { Slow } from '../../ui/Slow.tsx'
import { toast } from '../../ui/Toast.tsx'
import { steppedUp } from './step-up.ts'

type CsvCall = { [N in keyof Api]: Api[N] extends { readonly output: 'csv' } ? N : never }[keyof Api]

type CsvButtonProps = {
  readonly of: CsvCall
  /** The file's name, without its ending. */
  readonly name: string
  readonly filters?: Readonly<Record<string, string>>
}

function CsvButton({ of, name, filters = {} }: CsvButtonProps) {
  const { t } = useLingui()
  const [isBusy, setIsBusy] = useState(false)
  const download = async () => {
    setIsBusy(true)
    try {
      // A table arrives as text.
      const text = (await steppedUp(() => call(of, { query: filters, isPatient: true } as never))) as unknown as string
      // Reading the answer as text removed the mark.
      saveFile(`${name}.csv`, BYTE_ORDER_MARK + text, 'text/csv')
    } catch (error) {
      toast.error(messageOf(error, t`The list could not be downloaded.`))
    }
    setIsBusy(false)
  }
  return (
    <>
      <Button kind="secondary" busy={isBusy} onClick={() => void download()}>{t`Download CSV`}</Button>
      {isBusy ? <Slow /> : null}
    </>
  )
}

type ListHeadProps = {
  readonly title: string
  /** The table of the list, for those who may download it. */
  readonly csv?: CsvButtonProps | undefined
  /** Further buttons, before the download. */
  readonly children?: ReactNode
}

export function ListHead({ title, csv, children }: ListHeadProps) {
  return (
    <div className="head-row spaced">
      <h2>{title}</h2>
      <div className="buttons">
        {children}
        {csv === undefined ? null : <CsvButton {...csv} />}
      </div>
    </div>
  )
}
