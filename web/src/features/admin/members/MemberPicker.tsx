/** Selects one member by name, email or phone. */
import { useLingui } from '@lingui/react/macro'
import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { EmptyState, NotLoaded } from '../../../ui/Feedback.tsx'
import { type Payee, payeesQuery } from '../queries.ts'
import { SearchField } from '../SearchField.tsx'
import { usePaused } from '../use-paused.ts'

export function MemberPicker({ chosen, onChoose }: { readonly chosen: Payee | undefined; readonly onChoose: (payee: Payee) => void }) {
  const { t } = useLingui()
  const group = useId()
  const [typed, setTyped] = useState('')
  const q = usePaused(typed.trim())
  const found = useQuery({ ...payeesQuery(q), placeholderData: keepPreviousData, enabled: q !== '' })
  return (
    <>
      <SearchField label={t`Search members`} placeholder={t`Name, email or phone`} value={typed} onType={setTyped} />
      {q === '' ? (
        chosen === undefined ? null : (
          <Choice payee={chosen} group={group} isChosen onChoose={onChoose} />
        )
      ) : (
        <Found found={found} group={group} chosen={chosen} onChoose={onChoose} />
      )}
    </>
  )
}

type FoundProps = {
  readonly found: UseQueryResult<readonly Payee[]>
  readonly group: string
  readonly chosen: Payee | undefined
  readonly onChoose: (payee: Payee) => void
}

function Found({ found, group, chosen, onChoose }: FoundProps) {
  const { t } = useLingui()
  if (found.data === undefined) return <NotLoaded query={found} failed={t`The members could not be loaded.`} lines={3} />
  if (found.data.length === 0) return <EmptyState art="slip" title={t`No members found`} />
  return (
    <fieldset className="choices">
      <legend className="hidden">{t`Members found`}</legend>
      {found.data.map((user) => (
        <Choice key={user.id} payee={user} group={group} isChosen={user.id === chosen?.id} onChoose={onChoose} />
      ))}
    </fieldset>
  )
}

type ChoiceProps = {
  readonly payee: Payee
  readonly group: string
  readonly isChosen: boolean
  readonly onChoose: (payee: Payee) => void
}

function Choice({ payee, group, isChosen, onChoose }: ChoiceProps) {
  const id = useId()
  return (
    <div className="choice">
      <input type="radio" id={id} name={group} checked={isChosen} onChange={() => onChoose(payee)} />
      <label htmlFor={id}>
        <b>{payee.name}</b>
        <span className="small muted block user-mail">{payee.email}</span>
      </label>
    </div>
  )
}
