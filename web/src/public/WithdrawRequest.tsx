/** The withdrawal of a request for help by the person who asked: what is deleted, what stays, and the phone number that confirms it. */
import { Trans, useLingui } from '@lingui/react/macro'
import type { AskedHelp } from '@roz/contract/public-pages.ts'
import { Section } from '../ui/Section.tsx'
import { usePage } from './context.ts'

type WithdrawAsked = Extract<AskedHelp, { kind: 'withdraw' }>

/** The phone number of a request, from the person who asked. */
export function GivenPhone({ id, refusal }: { readonly id: string; readonly refusal?: string | undefined }) {
  return (
    <div className="field">
      <label htmlFor={id}>
        <Trans>The mobile number that you gave, 10 digits</Trans>
      </label>
      <input
        id={id}
        name="phone"
        type="tel"
        inputMode="tel"
        autoComplete="tel-national"
        required
        {...(refusal === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': `${id}-error` })}
      />
      {refusal === undefined ? null : (
        <p className="field-error" id={`${id}-error`} role="alert">
          {refusal}
        </p>
      )}
    </div>
  )
}

/** Ends a request. Whoever typed the phone number has confirmed it. */
export function Withdraw({ asked: { number, refusal } }: { readonly asked: WithdrawAsked }) {
  const { t } = useLingui()
  const { to } = usePage()
  return (
    <Section>
      <h2>
        <Trans>Withdraw request #{number}</Trans>
      </h2>
      <WhatGoes />
      <form method="post" action={`${to('askForHelp')}/${number}/withdraw`} className="narrow gap">
        <GivenPhone id="phone" refusal={refusal} />
        <div className="buttons">
          <button className="button danger" type="submit">{t`Withdraw the request`}</button>
          <a className="button quiet" href={`${to('askForHelp')}/${number}`}>{t`Keep it`}</a>
        </div>
      </form>
    </Section>
  )
}

function WhatGoes() {
  return (
    <>
      <p className="gap">
        <Trans>
          We stop working on it. We delete at once: your words, name, phone number and email, and our notes. This number then shows nothing.
        </Trans>
      </p>
      <p className="gap">
        <Trans>
          We keep, without your name: what the help was for, district and State, amounts and days. If we had agreed to help, the record of
          your consent stays until you take it back; write to us for that. You may ask again at any time.
        </Trans>
      </p>
    </>
  )
}

export function Withdrawn({ number }: { readonly number: string }) {
  const { t } = useLingui()
  const { to } = usePage()
  return (
    <Section>
      <div role="status">
        <h2>
          <Trans>Request #{number} is withdrawn.</Trans>
        </h2>
      </div>
      <p className="gap">{t`Your words, name, phone number and email, and our notes are deleted. You may ask again at any time.`}</p>
      <p className="gap">
        <a className="tap" href={to('askForHelp')}>{t`Ask for help`}</a>
      </p>
    </Section>
  )
}
