/** Parts that the portal's lists share: the search and filter above the list, and the row of money. */
import type { MessageDescriptor } from '@lingui/core'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { READERS } from '@roz/contract/roles.ts'
import { Link, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { currentLanguage } from '../../../app/language.ts'
import { paths } from '../../../paths.ts'
import { Button } from '../../../ui/Button.tsx'
import { Badge } from '../../../ui/Feedback.tsx'
import { SelectField } from '../../../ui/Field.tsx'
import { formatInstant } from '../../../ui/format.ts'
import { formatForeign } from '../../../ui/Money.tsx'
import { Unbroken } from '../../../ui/Unbroken.tsx'
import { Options } from '../Options.tsx'
import type { Narrowing, Payee, Withdrawal } from '../queries.ts'
import { SearchField } from '../SearchField.tsx'
import type { Shown } from '../states.ts'
import { useKept } from '../use-kept.ts'
import { useMay } from '../use-may.ts'
import { usePaused } from '../use-paused.ts'

type States<S extends string> = Readonly<Record<S, Shown>>

/** The status that a list is narrowed to, and its field. The address may name the first one; an unknown one is ignored. */
export function useStatus<S extends string>(states: States<S>) {
  const { t, i18n } = useLingui()
  const asked = useSearch({ strict: false }).status ?? ''
  const [status, setStatus] = useKept<S | ''>('status', Object.hasOwn(states, asked) ? (asked as S) : '')
  const field = (
    <SelectField label={t`Status`} value={status} onChange={(event) => setStatus(event.target.value as S | '')}>
      <option value="">{t`All`}</option>
      <Options values={Object.keys(states) as S[]} nameOf={(state) => i18n._(states[state].label)} />
    </SelectField>
  )
  return { status, field }
}

/**
 * The current search and filter, and the fields that set them. `isSorted`: the list can also be read oldest first. `more`: a field of this
 * list alone.
 */
export function useNarrowing<S extends string>(
  states: States<S>,
  searchLabel: string,
  placeholder: string,
  isSorted = false,
  more?: ReactNode,
) {
  const { t } = useLingui()
  const [typed, setTyped] = useKept<string>('typed', '')
  const { status, field } = useStatus(states)
  const isAskedOldest = useSearch({ strict: false }).order === 'oldest'
  const [order, setOrder] = useKept<'oldest' | ''>('order', isSorted && isAskedOldest ? 'oldest' : '')
  const narrowing: Narrowing<S> = { status, q: usePaused(typed.trim()), order }
  const fields = (
    <div className="narrowing">
      <SearchField label={searchLabel} placeholder={placeholder} value={typed} onType={setTyped} />
      {field}
      {more}
      {isSorted ? (
        <SelectField label={t`Sort order`} value={order} onChange={(event) => setOrder(event.target.value as 'oldest' | '')}>
          <option value="">{t`Newest first`}</option>
          <option value="oldest">{t`Oldest first`}</option>
        </SelectField>
      ) : null}
    </div>
  )
  return { narrowing, fields }
}

/** Money that waits longer is late: 24 to 48 hours are promised to members who asked for theirs. */
const LATE_HOURS = 48

/** How long money waits for its end, in words, with a mark once it is late. */
function Waiting({ hours, isPromised }: { readonly hours: number; readonly isPromised: boolean }) {
  if (hours > LATE_HOURS)
    return (
      <p className="small warning-line">
        {isPromised ? (
          <Trans>
            Late: waiting for <Plural value={Math.floor(hours / 24)} one="# day" other="# days" />. We promise 24 to 48 hours.
          </Trans>
        ) : (
          <Plural value={Math.floor(hours / 24)} one="Waiting for # day" other="Waiting for # days" />
        )}
      </p>
    )
  return (
    <p className="small muted">
      {hours === 0 ? (
        <Trans>Waiting for less than an hour</Trans>
      ) : (
        <Plural value={hours} one="Waiting for # hour" other="Waiting for # hours" />
      )}
    </p>
  )
}

type Approvals = Pick<Withdrawal, 'firstApproval' | 'approvedBy'>
/** The approvers, as text. */
export function useApprovals({ firstApproval, approvedBy }: Approvals): string | null {
  const { t } = useLingui()
  if (firstApproval === null) return approvedBy === null ? null : t`Approved by ${approvedBy.name}`
  const { name } = firstApproval
  const when = formatInstant(firstApproval.at, currentLanguage())
  return approvedBy === null ? t`First approval: ${name}, ${when}` : t`Approved by ${name} and ${approvedBy.name}`
}

export const FactLines = ({ facts }: { readonly facts: readonly (string | null)[] }) =>
  facts.map((fact) =>
    fact === null ? null : (
      <p key={fact} className="small muted">
        <Unbroken text={fact} />
      </p>
    ),
  )

export type MoneyRowProps = {
  readonly amount: number
  /** Set where the amount is not in rupees. */
  readonly currency?: string
  readonly who: ReactNode
  /** The member named by `who`. The name leads to their page; a closed account has none. */
  readonly member?: Payee | null
  readonly at: string
  readonly state: Shown
  /** The lines below: account, order, reason. */
  readonly facts: readonly (string | null)[]
  /** Warnings for the administrator. */
  readonly warnings?: readonly (MessageDescriptor | string)[]
  /** Whole hours since the request; nothing once it has ended. */
  readonly waitingHours?: number | null
  /** A member was promised an end within LATE_HOURS. */
  readonly isPromised?: boolean
  /** Shows a checkbox, so that several rows can be decided together. */
  readonly pick?: { readonly label: string; readonly isPicked: boolean; readonly onPick: () => void } | undefined
  readonly children?: ReactNode
}

export function MoneyRow({
  amount,
  currency = 'INR',
  who,
  member = null,
  at,
  state,
  facts,
  warnings = [],
  waitingHours = null,
  isPromised = true,
  pick,
  children,
}: MoneyRowProps) {
  const { i18n } = useLingui()
  const mayRead = useMay(READERS)
  return (
    <li>
      <div>
        {pick === undefined ? null : (
          <label className="pick">
            <input type="checkbox" aria-label={pick.label} checked={pick.isPicked} onChange={pick.onPick} />
            <Trans>Select</Trans>
          </label>
        )}
        <h3>
          {formatForeign(amount, currency)},{' '}
          {member === null || member.email === null || !mayRead ? (
            who
          ) : (
            <Link to={paths.adminDashboard} search={{ tab: 'users', member: member.id }}>
              {who}
            </Link>
          )}
        </h3>
        <p className="small muted">
          <time dateTime={at}>
            <Unbroken text={formatInstant(at, currentLanguage())} />
          </time>
        </p>
        {waitingHours === null ? null : <Waiting hours={waitingHours} isPromised={isPromised} />}
        <FactLines facts={facts} />
        {warnings.map((warning) => {
          const text = typeof warning === 'string' ? warning : i18n._(warning)
          return (
            <p key={text} className="small warning-line">
              <Unbroken text={text} />
            </p>
          )
        })}
      </div>
      <Badge tone={state.tone}>{i18n._(state.label)}</Badge>
      <div className="buttons">{children}</div>
    </li>
  )
}

type RowActionsProps<A extends string> = {
  readonly actions: readonly A[]
  readonly labels: Readonly<Record<A, string>>
  /** The actions that stand out. */
  readonly main: readonly A[]
  /** The words that a screen reader adds to the label. */
  readonly about: string
  readonly onChoose: (action: A) => void
}

/** The buttons of a row, one for each action. */
export const RowActions = <A extends string>({ actions, labels, main, about, onChoose }: RowActionsProps<A>) =>
  actions.map((action) => (
    <Button
      key={action}
      kind={main.includes(action) ? 'secondary' : 'quiet'}
      aria-label={`${labels[action]}: ${about}`}
      onClick={() => onChoose(action)}
    >
      {labels[action]}
    </Button>
  ))
