/** The two dialogs that close an account. They load at the press: the profile needs no rules of bank accounts. */
import { Trans, useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { ApiError, call, messageOf } from '../../app/api.ts'
import { settings, withDraws } from '../../app/settings.ts'
import { paths } from '../../paths.ts'
import { session, useMember } from '../../app/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { Modal } from '../../ui/Modal.tsx'
import { formatMoney } from '../../ui/Money.tsx'
import { toast } from '../../ui/Toast.tsx'
import { showRefusedFields, useRules, whenValid } from '../forms.ts'
import { moneyKeys } from '../money-key.ts'
import { refreshMember, refreshMine } from '../queries.ts'
import { PlaceFields } from '../wallet/BankFields.tsx'
import { bankError } from '../wallet/bank-form-errors.ts'
import { closingRules, EMPTY_PLACE, type Place, placeOf, type WithdrawValues } from '../wallet/withdraw-rules.ts'

export type Step = 'empty' | 'delete'
type DialogsProps = { readonly step: Step; readonly onStep: (step: Step | undefined) => void }

export function CloseDialogs({ step, onStep }: DialogsProps) {
  const close = (): void => onStep(undefined)
  return step === 'empty' ? (
    <EmptyWallet onDone={() => onStep('delete')} onClose={close} />
  ) : (
    <DeleteAccount onMoney={() => onStep('empty')} onClose={close} />
  )
}

type StepProps = { readonly onClose: () => void }
const EMPTY: WithdrawValues = { amount: '', ...EMPTY_PLACE }

function EmptyWallet({ onDone, onClose }: StepProps & { readonly onDone: () => void }) {
  const { t } = useLingui()
  const { balance } = useMember().wallet
  const { withdrawalsOn } = settings.modes
  const [way, setWay] = useState<'bank' | 'gift'>(withdrawalsOn ? 'bank' : 'gift')
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const formId = useId()
  const [place, setPlace] = useState<Place>('bank')
  const form = useRules<WithdrawValues>(closingRules(place), EMPTY)

  const leave = async (body: { gift: true } | ReturnType<typeof placeOf>): Promise<void> => {
    setBusy(true)
    setProblem(undefined)
    try {
      const { answer } = await moneyKeys.closings(body, (idempotencyKey) => call('closeAccount', { body, idempotencyKey }))
      const { withdrawal, message } = answer
      session.setBalance(0)
      toast.success(message)
      await Promise.all([refreshMember(), refreshMine()])
      // A withdrawal must be paid before the account can be deleted.
      if (withdrawal === null) onDone()
      else onClose()
    } catch (error) {
      showRefusedFields(form, error)
      setProblem(messageOf(error, t`Network error. Please check your connection and try again.`))
    } finally {
      setBusy(false)
    }
  }
  const submit = whenValid(form, bankError, (values) => leave(placeOf(values, place, settings.modes.checksNames === true)))

  return (
    <Modal
      open
      closeOnOverlay={false}
      onClose={() => (busy ? undefined : onClose())}
      title={<Trans>First, your {formatMoney(balance)}</Trans>}
      footer={
        <>
          <Button kind="secondary" disabled={busy} onClick={onClose}>{t`Cancel`}</Button>
          {way === 'bank' ? (
            <Button type="submit" form={formId} busy={busy}>
              <Trans>Withdraw {formatMoney(balance)}</Trans>
            </Button>
          ) : (
            <Button busy={busy} onClick={() => void leave({ gift: true })}>
              <Trans>Donate {formatMoney(balance)}</Trans>
            </Button>
          )}
        </>
      }
    >
      <p className="spaced">{t`There is money left in your wallet. Where should it go? Auto Participate will be turned off.`}</p>
      {withdrawalsOn ? null : <p className="spaced" role="status">{t`Withdrawals are paused.`}</p>}
      <fieldset className="choices">
        <legend className="hidden">{t`Where the money goes`}</legend>
        {withdrawalsOn ? (
          <Way id={`${formId}-bank`} label={t`To my bank account or UPI ID`} checked={way === 'bank'} onChoose={() => setWay('bank')} />
        ) : null}
        <Way id={`${formId}-gift`} label={t`Donate to people in need`} checked={way === 'gift'} onChoose={() => setWay('gift')} />
      </fieldset>
      {way === 'bank' ? (
        <form className="card-actions" id={formId} noValidate onSubmit={(event) => void submit(event)}>
          <PlaceFields form={form} place={place} onPlace={setPlace} />
        </form>
      ) : (
        <p className="muted card-actions">{t`All of it goes to the help fund. A donation cannot be taken back.`}</p>
      )}
      <Problem words={problem} />
    </Modal>
  )
}

type WayProps = { readonly id: string; readonly label: string; readonly checked: boolean; readonly onChoose: () => void }

function Way({ id, label, checked, onChoose }: WayProps) {
  return (
    <div className="choice">
      <input type="radio" id={id} name="way-out" checked={checked} onChange={onChoose} />
      <label htmlFor={id}>{label}</label>
    </div>
  )
}

function Problem({ words }: { readonly words: string | undefined }) {
  return words === undefined ? null : (
    <p className="field-error card-actions" role="alert">
      {words}
    </p>
  )
}

function DeleteAccount({ onMoney, onClose }: StepProps & { readonly onMoney: () => void }) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)

  const remove = async (): Promise<void> => {
    setBusy(true)
    setProblem(undefined)
    try {
      await call('deleteAccount')
    } catch (error) {
      setBusy(false)
      if (error instanceof ApiError && error.code === 'money_left') {
        await refreshMember()
        return onMoney()
      }
      return setProblem(messageOf(error, t`Network error. Please check your connection and try again.`))
    }
    session.clear()
    await navigate({ to: paths.goodbye, replace: true })
  }

  return (
    <Modal
      open
      closeOnOverlay={false}
      onClose={() => (busy ? undefined : onClose())}
      title={<Trans>Delete your account for good?</Trans>}
      footer={
        <>
          <Button kind="secondary" disabled={busy} onClick={onClose}>{t`Keep my account`}</Button>
          <Button kind="danger" busy={busy} onClick={() => void remove()}>{t`Delete account`}</Button>
        </>
      }
    >
      <ul className="dots">
        <li>{t`Your name, email, phone number, picture and bank details are erased. This cannot be undone.`}</li>
        <li>{t`You are logged out everywhere.`}</li>
        {withDraws() ? <li>{t`Rounds you won show you as “A member”.`}</li> : null}
        <li>{t`Our accounts keep the amounts, without your name.`}</li>
      </ul>
      <Problem words={problem} />
    </Modal>
  )
}
