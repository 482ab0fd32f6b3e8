/** The form of a beneficiary: public name, consent, the guardian of a child, and a note for staff. */
import { Trans, useLingui } from '@lingui/react/macro'
import { CONSENT_WAYS, type ConsentWay, GUARDIANS, type Guardian, privateNote, publicName } from '@roz/core/help-fields.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../app/api.ts'
import { SelectField, TextAreaField, TextField } from '../../../ui/Field.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { Decision } from '../Decision.tsx'
import { portalError, typed } from '../portal-form-errors.ts'
import { problemOf, useProblems } from '../problems.ts'
import { changedFields } from '../changed-fields.ts'
import { usePaused } from '../use-paused.ts'
import { useBeneficiaryFacts } from './beneficiary-facts.ts'
import { type Beneficiary, CONSENTS, GUARDIAN_NAMES, namesakesQuery } from './queries.ts'
import { Options } from '../Options.tsx'

export function useBeneficiaryValues(beneficiary: Beneficiary | undefined) {
  const [values, setValues] = useState({
    name: beneficiary?.publicName ?? '',
    isChild: beneficiary?.isChild ?? false,
    guardian: beneficiary?.guardian ?? '',
    how: beneficiary?.consent?.how ?? '',
    on: beneficiary?.consent?.on ?? '',
    note: beneficiary?.note ?? '',
    isAskable: (beneficiary?.followUps ?? null) !== null,
    askOn: beneficiary?.followUps?.on ?? '',
  })
  const [first] = useState(values)
  const { problems, judge, refused } = useProblems()
  const { name, isChild, guardian, how, on, note, isAskable, askOn } = values
  const hasConsent = how !== ''
  const body = bodyOf(values)
  const check = (): boolean =>
    judge({
      publicName: problemOf(publicName, name),
      consent: hasConsent && on === '' ? 'consent_day' : undefined,
      guardian: isChild && hasConsent && guardian === '' ? 'guardian_needed' : undefined,
      followUps: hasConsent && isAskable && askOn === '' ? 'follow_up_day' : undefined,
      note: problemOf(privateNote, note),
    })
  const set = (changed: Partial<typeof values>): void => setValues({ ...values, ...changed })
  return { beneficiary, values, set, body, changes: changedFields(bodyOf(first), body), check, problems, refused }
}

type BeneficiaryValues = Record<'name' | 'guardian' | 'how' | 'on' | 'note' | 'askOn', string> & Record<'isChild' | 'isAskable', boolean>

const bodyOf = ({ name, isChild, guardian, how, on, note, isAskable, askOn }: BeneficiaryValues) => ({
  publicName: name.trim(),
  isChild,
  guardian: isChild && guardian !== '' ? (guardian as Guardian) : null,
  consent: how === '' ? null : { how: how as ConsentWay, on },
  followUps: how !== '' && isAskable ? { on: askOn } : null,
  note,
})

type BeneficiaryForm = ReturnType<typeof useBeneficiaryValues>

export function BeneficiaryDialog({ beneficiary, onClose }: { readonly beneficiary?: Beneficiary; readonly onClose: () => void }) {
  const { t } = useLingui()
  const form = useBeneficiaryValues(beneficiary)
  const { body, changes, check, refused } = form
  const save = () =>
    (beneficiary === undefined
      ? call('createBeneficiary', { body })
      : call('updateBeneficiary', { params: { id: beneficiary.id }, body: changes })
    ).catch(refused)
  return (
    <Decision
      title={beneficiary === undefined ? t`New beneficiary` : t`Edit beneficiary`}
      confirm={t`Save`}
      check={check}
      send={save}
      onDone={() => toast.success(t`The beneficiary is saved.`)}
      onClose={onClose}
    >
      <BeneficiaryFields form={form} />
    </Decision>
  )
}

export function BeneficiaryFields({ form }: { readonly form: BeneficiaryForm }) {
  const { t, i18n } = useLingui()
  const { beneficiary, values, set, body, problems } = form
  return (
    <>
      <TextField
        label={t`Public name`}
        hint={t`First name only, or words such as “A family in Surat”. Everybody can read it.`}
        autoComplete="off"
        maxLength={60}
        {...typed(values.name, problems.publicName, (name) => set({ name }))}
      />
      <Namesakes name={body.publicName} own={beneficiary?.id} />
      <SelectField
        label={t`How the consent was given`}
        hint={t`Without consent no help can be sent, and nothing is published.`}
        value={values.how}
        error={values.how === '' ? portalError(problems.consent) : undefined}
        onChange={(event) => set({ how: event.target.value })}
      >
        {/* A recorded consent ends only by a revocation. */}
        {(beneficiary?.consent ?? null) === null ? <option value="">{t`Not given yet`}</option> : null}
        <Options values={CONSENT_WAYS} nameOf={(way) => i18n._(CONSENTS[way])} />
      </SelectField>
      {values.how === '' ? null : (
        <TextField label={t`Day of the consent`} type="date" {...typed(values.on, problems.consent, (on) => set({ on }))} />
      )}
      {values.how === '' ? null : (
        <label className="pick">
          <input type="checkbox" checked={values.isAskable} onChange={(event) => set({ isAskable: event.target.checked })} />
          {t`May be asked again after 2, 4 and 12 weeks, and the answers are published`}
        </label>
      )}
      {values.how === '' || !values.isAskable ? null : (
        <TextField
          label={t`Day of the consent to be asked again`}
          type="date"
          {...typed(values.askOn, problems.followUps, (askOn) => set({ askOn }))}
        />
      )}
      {(beneficiary?.followUps ?? null) === null || values.isAskable ? null : (
        <p className="warning-line spaced">{t`This ends the consent to be asked again. What the person said is deleted.`}</p>
      )}
      <label className="pick">
        <input type="checkbox" checked={values.isChild} onChange={(event) => set({ isChild: event.target.checked })} />
        {t`This is a child, under 18`}
      </label>
      {values.isChild ? (
        <SelectField
          label={t`Who gave the consent for the child`}
          {...typed(values.guardian, problems.guardian, (guardian) => set({ guardian }))}
        >
          <option value="">{t`Please choose`}</option>
          <Options values={GUARDIANS} nameOf={(guardian) => i18n._(GUARDIAN_NAMES[guardian])} />
        </SelectField>
      ) : null}
      <TextAreaField
        label={t`Private note`}
        hint={t`Full name, address, where the paper is kept. Only owner, finance and editor read it; it is stored encrypted.`}
        {...typed(values.note, problems.note, (note) => set({ note }))}
      />
    </>
  )
}

type NamesakesProps = { readonly name: string; readonly own: string | undefined }

/** Names the others with the same public name: money must not go to the wrong one. */
function Namesakes({ name, own }: NamesakesProps) {
  const factsOf = useBeneficiaryFacts()
  const { data } = useQuery(namesakesQuery(usePaused(name)))
  const others = (data ?? []).filter(({ id }) => id !== own)
  if (others.length === 0) return null
  return (
    <div className="warning-line spaced" role="status">
      <Trans>
        This name exists already. Is it the same person? If not, add a place, such as “Meera from Surat”. When you send help, compare the
        number.
      </Trans>
      {others.map((other) => (
        <p key={other.id} className="small">
          {other.publicName} · {factsOf(other)}
        </p>
      ))}
    </div>
  )
}
