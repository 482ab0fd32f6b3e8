/** The outcome of a request, recorded at the request: the arrival of its help, and the person's words weeks later. */
import { useLingui } from '@lingui/react/macro'
import { CASE_WITNESSES } from '@roz/contract/roles.ts'
import { CASE_ARRIVAL_WAYS } from '@roz/core/arrival-fields.ts'
import { call } from '../../../app/api.ts'
import { Button } from '../../../ui/Button.tsx'
import { formatMoney } from '../../../ui/Money.tsx'
import { useMay } from '../use-may.ts'
import { ArrivalDialog } from './ArrivalDialog.tsx'
import { CASE_KIND_NAMES, type FullCase } from './case-queries.ts'
import { FollowUpDialog } from './FollowUpDialog.tsx'

type OutcomeProps = {
  readonly one: FullCase
  readonly onDone: (answer: { readonly case: FullCase }) => void
  readonly onClose: () => void
}

export function CaseArrival({ one, onDone, onClose }: OutcomeProps) {
  const { i18n } = useLingui()
  const { number, kind, agreed, help, version } = one
  return (
    <ArrivalDialog
      about={`#${number}, ${formatMoney(help?.paid ?? agreed ?? 0)}, ${i18n._(CASE_KIND_NAMES[kind])}`}
      wasReceived={help?.received === true}
      isPayer={help?.mayRecord === false}
      ways={CASE_ARRIVAL_WAYS}
      send={(said) => call('arriveHelpCase', { params: { number }, body: { ...said, version } })}
      onDone={onDone}
      onClose={onClose}
    />
  )
}

export const CaseFollowUp = ({ one: { number, version }, onDone, onClose }: OutcomeProps) => (
  <FollowUpDialog
    send={(said) => call('followUpHelpCase', { params: { number }, body: { ...said, version } })}
    upload={(upload) => call('uploadCaseFollowUpPicture', { params: { number }, upload })}
    onDone={onDone}
    onClose={onClose}
  />
)

type ButtonsProps = { readonly one: FullCase; readonly onChoose: (what: 'arrival' | 'followUp') => void }

/** Shown once the payment of the request is booked. */
export function OutcomeButtons({ one: { help }, onChoose }: ButtonsProps) {
  const { t } = useLingui()
  const mayRecord = useMay(CASE_WITNESSES)
  if (help === null || !mayRecord) return null
  return (
    <>
      <Button kind="secondary" onClick={() => onChoose('arrival')}>{t`Did it arrive?`}</Button>
      {help.followUpDue === null || !help.mayRecord ? null : <Button onClick={() => onChoose('followUp')}>{t`Ask how things are`}</Button>}
    </>
  )
}
