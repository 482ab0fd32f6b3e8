/** The dialogs “New disbursement” and “Money came back”. */
import { Trans, useLingui } from '@lingui/react/macro'
import { purposeFor } from '@roz/core/purpose-words.ts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call, messageOf } from '../../../app/api.ts'
import { currentLanguage } from '../../../app/language.ts'
import { paths } from '../../../paths.ts'
import { formatDay } from '../../../ui/format.ts'
import { formatMoney } from '../../../ui/Money.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { Decision } from '../Decision.tsx'
import { PickField } from '../PickField.tsx'
import type { Disbursement } from '../queries.ts'
import { usePaused } from '../use-paused.ts'
import { portalError } from '../portal-form-errors.ts'
import { useBeneficiaryFacts } from './beneficiary-facts.ts'
import { OutlayConsequence, OutlayFields, useOutlayForm } from '../outlays/OutlayForm.tsx'
import { type Beneficiary, helpableQuery, quoteQuery } from './queries.ts'
import { CoverNext } from '../outlays/BillPages.tsx'

type DialogProps = {
  readonly approvalAbove: number
  readonly balance: number
  /** An agreed request: what it fills in. */
  readonly from?: { readonly helpCase: string; readonly helped: Beneficiary; readonly amount: number; readonly purpose: string }
  readonly onClose: () => void
}

export function DisbursementDialog({ approvalAbove, balance, from, onClose }: DialogProps) {
  const { t } = useLingui()
  const factsOf = useBeneficiaryFacts()
  const [helped, setHelped] = useState<Beneficiary | undefined>(from?.helped)
  const beneficiaryId = helped?.id ?? ''
  const [typed, setTyped] = useState('')
  const helpable = useQuery({ ...helpableQuery({ q: usePaused(typed.trim()) }), placeholderData: keepPreviousData })
  const form = useOutlayForm({
    approvalAbove,
    about: beneficiaryId,
    ...(from === undefined ? {} : { amount: String(from.amount), purpose: from.purpose }),
    more: () => (beneficiaryId === '' ? { beneficiaryId: 'beneficiary_needed' } : {}),
  })
  return (
    <>
      <Decision
        title={<Trans>New disbursement</Trans>}
        confirm={form.confirm}
        check={form.check}
        send={(_, idempotencyKey) =>
          call('askDisbursement', {
            body: { ...form.body, beneficiaryId, ...(from === undefined ? {} : { helpCase: from.helpCase }) },
            idempotencyKey,
          }).catch(form.refused)
        }
        onDone={({ disbursement }) =>
          toast.success(disbursement.status === 'booked' ? t`Recorded.` : t`Requested. Another person must approve it.`)
        }
        onClose={onClose}
      >
        {from === undefined ? null : (
          <p className="muted spaced">
            <Trans>This pays request #{from.helpCase}.</Trans>
          </p>
        )}
        <PickField
          search={{ label: t`Find the beneficiary`, placeholder: t`Public name`, typed, onType: setTyped }}
          found={helpable}
          chosen={helped}
          label={t`Who is helped`}
          hint={t`Only those whose consent is recorded.`}
          error={portalError(form.problems.beneficiaryId)}
          none={t`Please choose`}
          nameOf={(found) => `${found.publicName} · ${factsOf(found)}`}
          failed={t`The beneficiaries could not be loaded.`}
          empty={
            typed.trim() === ''
              ? t`No consent is recorded yet: add the person under Beneficiaries first.`
              : t`Nobody with this name has a recorded consent.`
          }
          onChoose={setHelped}
        />
        <OutlayFields
          form={form}
          purposeLabel={t`What it is for`}
          purposeHint={t`Everybody reads these words beside the name: “school shoes”. Leave the name out.`}
        />
        <Quote amount={form.body.amount} inFund={balance} />
        <OutlayConsequence form={form} />
      </Decision>
      <CoverNext pages={form.pages} />
    </>
  )
}

/** The days whose help the amount would take, before anything is sent. */
function Quote({ amount, inFund }: { readonly amount: number; readonly inFund: number }) {
  const { t } = useLingui()
  const typed = usePaused(String(amount))
  const quote = useQuery(quoteQuery(Number(typed)))
  const left = formatMoney(inFund)
  if (quote.isError)
    return (
      <p className="warning-line spaced" role="status">
        {amount > inFund ? t`The help fund has ${left}. That is not enough.` : messageOf(quote.error, t`The days could not be loaded.`)}
      </p>
    )
  if (quote.data === undefined || amount === 0) return null
  const { balance, days } = quote.data
  const count = days.length
  const from = formatDay(days[0]?.day ?? '', currentLanguage())
  const until = formatDay(days.at(-1)?.day ?? '', currentLanguage())
  const fund = formatMoney(balance)
  return (
    <p className="spaced" role="status">
      {count === 1
        ? t`In the help fund: ${fund}. This takes help of ${from}.`
        : t`In the help fund: ${fund}. This takes the help of ${count} days, the oldest first: ${from} to ${until}.`}
    </p>
  )
}

type CorrectionProps = { readonly entry: Disbursement; readonly approvalAbove: number; readonly onClose: () => void }

export function CorrectionDialog({ entry, approvalAbove, onClose }: CorrectionProps) {
  const { t } = useLingui()
  const form = useOutlayForm({ approvalAbove })
  const params = { id: entry.id }
  const left = formatMoney(entry.amount - entry.returned)
  const { purpose } = purposeFor(entry, currentLanguage())
  return (
    <>
      <Decision
        title={<Trans>Money came back</Trans>}
        confirm={form.confirm}
        check={form.check}
        send={(_, idempotencyKey) => call('correctDisbursement', { params, body: form.body, idempotencyKey }).catch(form.refused)}
        onDone={({ disbursement }) =>
          toast.success(disbursement.status === 'booked' ? t`Recorded.` : t`Requested. Another person must approve it.`)
        }
        onClose={onClose}
      >
        <p className="spaced">
          <Trans>
            {purpose}: at most {left} can come back. The returned money is a separate entry; the disbursement itself does not change.
          </Trans>
        </p>
        {entry.story?.state === 'published' ? (
          <p className="warning-line spaced">
            <Trans>
              A published story tells of this help, and this entry does not change it. Change it or take it back under{' '}
              <Link to={paths.adminDashboard} search={{ tab: 'stories' }}>
                Impact Stories
              </Link>
              .
            </Trans>
          </p>
        ) : null}
        <OutlayFields form={form} purposeLabel={t`Why it came back`} purposeHint={t`Everybody reads these words. Leave the name out.`} />
        <OutlayConsequence form={form} />
      </Decision>
      <CoverNext pages={form.pages} />
    </>
  )
}
