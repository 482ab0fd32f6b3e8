/** Parts that the portal's lists of outgoing money share: the search and filter above the list, and the row. */
import type { MessageDescriptor } from '@lingui/core'
import { useLingui } from '@lingui/react/macro'
import { type ReactNode, useState } from 'react'
import { currentLanguage } from '../../app/language.ts'
import { Badge } from '../../ui/Feedback.tsx'
import { SelectField } from '../../ui/Field.tsx'
import { formatInstant } from '../../ui/format.ts'
import { formatForeign } from '../../ui/Money.tsx'
import type { Narrowing } from './queries.ts'
import type { Shown } from './states.ts'
import { SearchField } from './SearchField.tsx'
import { usePaused } from './use-paused.ts'

/** The current search and filter, and the fields that set them. */
export function useNarrowing<S extends string>(states: Readonly<Record<S, Shown>>, searchLabel: string, placeholder: string) {
  const { t, i18n } = useLingui()
  const [typed, setTyped] = useState('')
  const [status, setStatus] = useState<S | ''>('')
  const narrowing: Narrowing<S> = { status, q: usePaused(typed.trim()) }
  const fields = (
    <div className="narrowing">
      <SearchField label={searchLabel} placeholder={placeholder} value={typed} onType={setTyped} />
      <SelectField label={t`State`} value={status} onChange={(event) => setStatus(event.target.value as S | '')}>
        <option value="">{t`All`}</option>
        {Object.entries<Shown>(states).map(([state, { label }]) => (
          <option key={state} value={state}>
            {i18n._(label)}
          </option>
        ))}
      </SelectField>
    </div>
  )
  return { narrowing, fields }
}

type MoneyRowProps = {
  readonly amount: number
  /** Set where the amount is not in rupees. */
  readonly currency?: string
  readonly who: string
  readonly at: string
  readonly state: Shown
  /** The lines below: account, order, reason. */
  readonly facts: readonly (string | null)[]
  /** Warnings for the administrator. */
  readonly warnings?: readonly (MessageDescriptor | string)[]
  readonly children?: ReactNode
}

export function MoneyRow({ amount, currency = 'INR', who, at, state, facts, warnings = [], children }: MoneyRowProps) {
  const { i18n } = useLingui()
  return (
    <li>
      <div>
        <h3>
          {formatForeign(amount, currency)}, {who}
        </h3>
        <p className="small muted">
          <time dateTime={at}>{formatInstant(at, currentLanguage())}</time>
        </p>
        {facts.map((fact) =>
          fact === null ? null : (
            <p key={fact} className="small muted">
              {fact}
            </p>
          ),
        )}
        {warnings.map((warning) => {
          const text = typeof warning === 'string' ? warning : i18n._(warning)
          return (
            <p key={text} className="small warning-line">
              {text}
            </p>
          )
        })}
      </div>
      <Badge tone={state.tone}>{i18n._(state.label)}</Badge>
      <div className="buttons">{children}</div>
    </li>
  )
}
