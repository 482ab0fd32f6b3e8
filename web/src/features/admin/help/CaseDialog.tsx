/**
 * One request for help: its words and contact, what was done, and the next step.
 * - The server names each reader in the staff log, and refuses a step that the stage does not allow.
 */
import { Trans, useLingui } from '@lingui/react/macro'
import { HELPERS } from '@roz/contract/roles.ts'
import {
  CASE_ENDS,
  CASE_REASON_CODES,
  CASE_REASONS,
  CASE_URGENCIES,
  CASE_WAYS,
  caseNote,
  type CaseReason,
  type CaseStep,
  type CaseUrgency,
  stepsFrom,
} from '@roz/core/case-fields.ts'
import { stateName } from '@roz/core/states-of-india.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../app/api.ts'
import { currentLanguage } from '../../../app/language.ts'
import { Button } from '../../../ui/Button.tsx'
import { NotLoaded } from '../../../ui/Feedback.tsx'
import { AmountField, SelectField, TextAreaField } from '../../../ui/Field.tsx'
import { formatDay, formatInstant } from '../../../ui/format.ts'
import { formatMoney } from '../../../ui/Money.tsx'
import { Modal } from '../../../ui/Modal.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { typedPaise } from '../../wallet/amounts.ts'
import { rupeesFromPaise } from '@roz/core/money.ts'
import { Decision } from '../Decision.tsx'
import { portalError, typed } from '../portal-form-errors.ts'
import { problemOf, useProblems } from '../problems.ts'
import { useMay } from '../use-may.ts'
import { BeneficiaryFields, useBeneficiaryValues } from './BeneficiaryDialog.tsx'
import {
  CASE_STATES,
  caseQuery,
  type FullCase,
  CASE_KIND_NAMES,
  FOR_NAMES,
  STEP_NAMES,
  type CaseTeam,
  URGENCY_NAMES,
  WAY_NAMES,
} from './case-queries.ts'
import { CaseArrival, CaseFollowUp, OutcomeButtons } from './CaseOutcome.tsx'
import { CasePayment } from './CasePayment.tsx'
import { Options } from '../Options.tsx'

type Open = 'step' | 'agree' | 'assign' | 'pay' | 'arrival' | 'followUp'
type DialogProps = { readonly number: string; readonly team: CaseTeam; readonly onClose: () => void }

export function CaseDialog({ number, team, onClose }: DialogProps) {
  const { t } = useLingui()
  const found = useQuery(caseQuery(number))
  const client = useQueryClient()
  const [open, setOpen] = useState<Open>()
  const mayAgree = useMay(HELPERS)
  const one = found.data
  const steps = useSteps(one)
  const back = (): void => setOpen(undefined)
  const changed = (answer: { readonly case: FullCase }): void => {
    client.setQueryData(caseQuery(number).queryKey, answer.case)
    toast.success(t`Recorded.`)
  }
  if (one !== undefined && open === 'step') return <StepDialog one={one} onDone={changed} onClose={back} />
  if (one !== undefined && open === 'agree') return <AgreeDialog one={one} onDone={changed} onClose={back} />
  if (one !== undefined && open === 'assign') return <AssignDialog one={one} team={team} onDone={changed} onClose={back} />
  if (one !== undefined && open === 'arrival') return <CaseArrival one={one} onDone={changed} onClose={back} />
  if (one !== undefined && open === 'followUp') return <CaseFollowUp one={one} onDone={changed} onClose={back} />
  if (one !== undefined && open === 'pay') return <CasePayment one={one} onClose={onClose} />
  return (
    <Modal
      open
      size="lg"
      onClose={onClose}
      title={<Trans>Request #{number}</Trans>}
      footer={
        one === undefined ? undefined : (
          <>
            {mayAgree ? <Button kind="secondary" onClick={() => setOpen('assign')}>{t`Who takes care`}</Button> : null}
            {steps.length === 0 ? null : <Button kind="secondary" onClick={() => setOpen('step')}>{t`Record a step`}</Button>}
            <OutcomeButtons one={one} onChoose={setOpen} />
            {mayAgree && one.stage === 'checked' ? <Button onClick={() => setOpen('agree')}>{t`Agree to help`}</Button> : null}
            {mayAgree && (one.stage === 'agreed' || one.stage === 'waiting') && one.isPayable ? (
              <Button onClick={() => setOpen('pay')}>{t`Start the payment`}</Button>
            ) : null}
          </>
        )
      }
    >
      {one === undefined ? <NotLoaded query={found} failed={t`The request could not be loaded.`} lines={5} /> : <InFull one={one} />}
    </Modal>
  )
}

/** The steps that this person may record now. Support and volunteers end no request. */
function useSteps(one: FullCase | undefined): readonly CaseStep[] {
  const mayEnd = useMay(HELPERS)
  if (one === undefined || isBeingPaid(one)) return []
  return stepsFrom(one.stage).filter((step) => mayEnd || !(CASE_ENDS as readonly CaseStep[]).includes(step))
}
/** Its payment waits for a second person: until then nothing else happens. */
const isBeingPaid = ({ stage, isPayable }: FullCase): boolean => stage === 'waiting' && !isPayable

function InFull({ one }: { readonly one: FullCase }) {
  const { t, i18n } = useLingui()
  const { contact, steps, samePhone, stage, kind, district, state, asked, agreed, until } = one
  const sum = asked === null ? '' : formatMoney(asked)
  const granted = agreed === null ? '' : formatMoney(agreed)
  const paid = one.help?.paid ?? null
  const given = paid === null ? '' : formatMoney(paid)
  const last = until === null ? '' : formatDay(until, currentLanguage())
  const others = samePhone.map((other) => `#${other}`).join(', ')
  return (
    <>
      <p>
        {i18n._(CASE_KIND_NAMES[kind])} · {i18n._(CASE_STATES[stage].label)}
      </p>
      <p className="small muted spaced">
        {district}, {stateName(state, currentLanguage())} · {i18n._(FOR_NAMES[one.for])}
        {asked === null ? null : <> · {t`Asked for: ${sum}`}</>}
        {agreed === null ? null : <> · {t`Agreed: ${granted}`}</>}
        {paid === null ? null : <> · {t`Paid: ${given}`}</>}
        {until === null ? null : <> · {t`Needed by ${last}`}</>}
      </p>
      {isBeingPaid(one) ? (
        <p className="muted spaced">{t`Its payment was requested. Another person must approve it under “Help given”.`}</p>
      ) : null}
      {samePhone.length === 0 ? null : <p className="warning-line spaced">{t`Other requests from this phone number: ${others}`}</p>}
      {contact === null ? (
        <p className="muted spaced">{t`Words and contact were deleted after the time that the Privacy Policy names.`}</p>
      ) : (
        <>
          <p className="pre-line spaced">{contact.words}</p>
          <p className="spaced">
            {contact.name} · <a href={`tel:+91${contact.phone}`}>{contact.phone}</a>
            {contact.email === '' ? null : <> · {contact.email}</>}
          </p>
          {contact.knows ? null : (
            <p className="warning-line spaced">{t`The person in need does not know of this request. Talk to the one who asks first.`}</p>
          )}
        </>
      )}
      <h3 className="spaced">{t`What was done`}</h3>
      {steps.length === 0 ? (
        <p className="muted">{t`Nothing yet.`}</p>
      ) : (
        <ul className="ledger">
          {steps.map((step) => (
            <li key={step.at + step.step}>
              <span>
                <StepName step={step.step} />
                {step.how === null ? null : <> · {i18n._(WAY_NAMES[step.how])}</>}
                {step.note === null ? null : <span className="pre-line block">{step.note}</span>}
                <span className="small muted block">
                  {step.by ?? <Trans>the person who asked</Trans>}, {formatInstant(step.at, currentLanguage())}
                </span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function StepName({ step }: { readonly step: FullCase['steps'][number]['step'] }) {
  const { i18n } = useLingui()
  if (step === 'received') return <Trans>The help arrived</Trans>
  if (step === 'not_received') return <Trans>Nothing arrived</Trans>
  return step === 'tried' ? <Trans>Nobody was reached</Trans> : i18n._(CASE_STATES[step].label)
}

type ChangeProps = {
  readonly one: FullCase
  readonly onDone: (answer: { readonly case: FullCase }) => void
  readonly onClose: () => void
}
const noteProblem = (note: string): string | undefined => problemOf(caseNote, note)

function StepDialog({ one, onDone, onClose }: ChangeProps) {
  const { t, i18n } = useLingui()
  const steps = useSteps(one)
  const [step, setStep] = useState<CaseStep>(steps[0] ?? 'tried')
  const [how, setHow] = useState<(typeof CASE_WAYS)[number] | ''>('call')
  const [urgency, setUrgency] = useState<CaseUrgency | ''>(one.urgency ?? '')
  const [note, setNote] = useState('')
  const [reason, setReason] = useState<CaseReason>('not_our_help')
  const [answer, setAnswer] = useState('')
  const { problems, judge, refused } = useProblems()
  const check = (): boolean => judge({ note: noteProblem(note) })
  const send = () => {
    const refusal = step === 'refused' ? { reason, ...(answer.trim() === '' ? {} : { answer: answer.trim() }) } : {}
    const body = { step, how: how === '' ? null : how, note, urgency: urgency === '' ? null : urgency, ...refusal, version: one.version }
    return call('stepHelpCase', { params: { number: one.number }, body }).catch(refused)
  }
  return (
    <Decision
      title={<Trans>Record a step</Trans>}
      confirm={t`Save`}
      danger={step === 'refused'}
      check={check}
      send={send}
      onDone={onDone}
      onClose={onClose}
    >
      <SelectField label={t`What happened`} value={step} onChange={(event) => setStep(event.target.value as CaseStep)}>
        <Options values={steps} nameOf={(each) => i18n._(STEP_NAMES[each])} />
      </SelectField>
      <SelectField label={t`How`} value={how} onChange={(event) => setHow(event.target.value as typeof how)}>
        <option value="">{t`Another way`}</option>
        <Options values={CASE_WAYS} nameOf={(way) => i18n._(WAY_NAMES[way])} />
      </SelectField>
      <UrgencyField value={urgency} onChange={setUrgency} />
      <TextAreaField
        label={t`Note for the team`}
        hint={t`Stored encrypted, and deleted with the request.`}
        {...typed(note, problems.note, setNote)}
      />
      {step === 'refused' ? (
        <>
          <SelectField
            label={t`What the person reads`}
            hint={CASE_REASONS[reason][currentLanguage()]}
            value={reason}
            error={portalError(problems.reason)}
            onChange={(event) => setReason(event.target.value as CaseReason)}
          >
            <Options values={CASE_REASON_CODES} nameOf={(each) => CASE_REASONS[each][currentLanguage()]} />
          </SelectField>
          <TextAreaField
            label={t`Further words for the person`}
            hint={t`In the person's language. Leave empty if there is nothing to add.`}
            {...typed(answer, problems.answer, setAnswer)}
          />
        </>
      ) : null}
    </Decision>
  )
}

type UrgencyProps = { readonly value: CaseUrgency | ''; readonly onChange: (value: CaseUrgency | '') => void }

function UrgencyField({ value, onChange }: UrgencyProps) {
  const { t, i18n } = useLingui()
  return (
    <SelectField label={t`How urgent`} value={value} onChange={(event) => onChange(event.target.value as CaseUrgency | '')}>
      <option value="">{t`Not judged yet`}</option>
      <Options values={CASE_URGENCIES} nameOf={(each) => i18n._(URGENCY_NAMES[each])} />
    </SelectField>
  )
}

function AssignDialog({ one, team, onDone, onClose }: ChangeProps & { readonly team: CaseTeam }) {
  const { t } = useLingui()
  const [assigned, setAssigned] = useState(one.assignedTo?.id ?? '')
  const [urgency, setUrgency] = useState<CaseUrgency | ''>(one.urgency ?? '')
  const body = { assignedTo: assigned === '' ? null : assigned, urgency: urgency === '' ? null : urgency, version: one.version }
  return (
    <Decision
      title={<Trans>Who takes care</Trans>}
      confirm={t`Save`}
      send={() => call('assignHelpCase', { params: { number: one.number }, body })}
      onDone={onDone}
      onClose={onClose}
    >
      <SelectField label={t`Taken care of by`} value={assigned} onChange={(event) => setAssigned(event.target.value)}>
        <option value="">{t`Nobody`}</option>
        {team.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <UrgencyField value={urgency} onChange={setUrgency} />
    </Decision>
  )
}

function AgreeDialog({ one, onDone, onClose }: ChangeProps) {
  const { t } = useLingui()
  const form = useBeneficiaryValues(undefined)
  const [amount, setAmount] = useState(one.asked === null ? '' : String(one.asked))
  const [note, setNote] = useState('')
  const { problems, judge, refused } = useProblems()
  const paise = typedPaise(amount)
  const check = (): boolean => {
    const isRight = judge({ amount: paise === undefined ? 'case_agreed_amount' : undefined, note: noteProblem(note) })
    return form.check() && isRight
  }
  const send = () => {
    const body = { amount: paise === undefined ? 0 : rupeesFromPaise(paise), note, beneficiary: form.body, version: one.version }
    return call('agreeHelpCase', { params: { number: one.number }, body })
      .catch(form.refused)
      .catch(refused)
  }
  return (
    <Decision title={<Trans>Agree to help</Trans>} confirm={t`Agree`} check={check} send={send} onDone={onDone} onClose={onClose}>
      <p className="muted spaced">{t`This records the person as a beneficiary. Somebody else sends the money.`}</p>
      <AmountField label={t`Amount in rupees`} {...typed(amount, problems.amount, setAmount)} />
      <BeneficiaryFields form={form} />
      <TextAreaField
        label={t`Why we agree, for the team`}
        hint={t`Stored encrypted, and deleted with the request.`}
        {...typed(note, problems.note, setNote)}
      />
    </Decision>
  )
}
