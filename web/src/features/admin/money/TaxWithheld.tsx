/** Tax withheld from rewards, by quarter: the accountant's list, the PAN's last four characters, and the certificates' numbers. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import { TREASURY } from '@roz/contract/roles.ts'
import { certificateNumber } from '@roz/core/tax-fields.ts'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../app/api.ts'
import { queryClient } from '../../../app/query.ts'
import { withDraws } from '../../../app/settings.ts'
import { Button } from '../../../ui/Button.tsx'
import { SelectField, TextField } from '../../../ui/Field.tsx'
import { formatMoney } from '../../../ui/Money.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { RowList } from '../RowList.tsx'
import { ListHead } from '../CsvButton.tsx'
import { Decision } from '../Decision.tsx'
import { typed } from '../portal-form-errors.ts'
import { personsOf } from '../queries.ts'
import { useMay } from '../use-may.ts'
import { Options } from '../Options.tsx'

type Taxed = Output<Api['taxWithheld']>['members'][number]

const KEY = ['admin', 'tax'] as const
const taxQuery = (quarter: string) =>
  personsOf([...KEY, quarter], (page, signal) =>
    call('taxWithheld', { query: { ...page, ...(quarter === '' ? {} : { quarter }) }, signal }),
  )

export function TaxWithheld() {
  const { t } = useLingui()
  const [quarter, setQuarter] = useState('')
  // With its quarter: while another one loads, the rows are still those of the former.
  const [writing, setWriting] = useState<{ readonly member: Taxed; readonly quarter: string }>()
  const mayWrite = useMay(TREASURY)
  const list = useInfiniteQuery({ ...taxQuery(quarter), placeholderData: keepPreviousData })
  const first = list.data?.pages[0]
  return (
    <>
      <ListHead
        title={t`Tax withheld`}
        csv={mayWrite ? { of: 'taxWithheldCsv', name: 'tax', filters: quarter === '' ? {} : { quarter } } : undefined}
      />
      {first === undefined ? null : (
        <>
          <div className="narrowing">
            <SelectField label={t`Quarter`} value={first.quarter} onChange={(event) => setQuarter(event.target.value)}>
              <Options values={first.quarters} nameOf={(name) => name} />
            </SelectField>
          </div>
          {first.sum.tax === 0 ? null : (
            <p className="muted spaced">
              <Trans>
                {formatMoney(first.sum.tax)} was withheld from {formatMoney(first.sum.prize)} of rewards paid in this quarter.
              </Trans>
            </p>
          )}
        </>
      )}
      <RowList
        list={list}
        itemsOf={(page) => page.members}
        failed={t`The list could not be loaded.`}
        empty={t`No tax was withheld in this quarter`}
        hint={withDraws() ? t`Members appear here when tax is withheld from a reward that is paid to them.` : undefined}
      >
        {(member) => (
          <TaxRow
            key={member.id}
            member={member}
            onWrite={mayWrite && first !== undefined ? () => setWriting({ member, quarter: first.quarter }) : undefined}
          />
        )}
      </RowList>
      {writing === undefined ? null : <CertificateDialog {...writing} onClose={() => setWriting(undefined)} />}
    </>
  )
}

function TaxRow({ member, onWrite }: { readonly member: Taxed; readonly onWrite: (() => void) | undefined }) {
  const { t } = useLingui()
  const { name, rewards, prize, tax, pan, certificate } = member
  return (
    <li>
      <div>
        <h3>{name}</h3>
        <p className="small">
          <Trans>
            {formatMoney(tax)} of {formatMoney(prize)}, from <Plural value={rewards} one="# reward" other="# rewards" />
          </Trans>
        </p>
        <p className="small muted">
          {pan === null ? t`PAN not given yet: the member is asked for it on “Your year”.` : t`PAN ends in ${pan}`}
        </p>
        <p className="small muted">{certificate === null ? t`No certificate yet` : t`Certificate ${certificate}`}</p>
      </div>
      {onWrite === undefined ? null : (
        <Button kind="secondary" onClick={onWrite}>
          {certificate === null ? t`Enter the certificate` : t`Change the certificate`}
        </Button>
      )}
    </li>
  )
}

type CertificateProps = { readonly member: Taxed; readonly quarter: string; readonly onClose: () => void }

function CertificateDialog({ member, quarter, onClose }: CertificateProps) {
  const { t } = useLingui()
  const [number, setNumber] = useState(member.certificate ?? '')
  const [problem, setProblem] = useState<string>()
  const check = (): boolean => {
    const found = certificateNumber.safeParse(number).error?.issues[0]?.message
    setProblem(found)
    return found === undefined
  }
  return (
    <Decision
      title={
        <Trans>
          Certificate of {member.name} for {quarter}
        </Trans>
      }
      confirm={t`Save the number`}
      check={check}
      send={() => call('setCertificate', { params: { quarter, id: member.id }, body: { number } })}
      onDone={() => {
        void queryClient.invalidateQueries({ queryKey: KEY })
        toast.success(t`Saved. The member sees it on “Your year”.`)
      }}
      onClose={onClose}
    >
      <TextField
        label={t`Number of the certificate`}
        hint={t`As printed on the certificate of withheld tax.`}
        autoComplete="off"
        maxLength={40}
        {...typed(number, problem, setNumber)}
      />
    </Decision>
  )
}
