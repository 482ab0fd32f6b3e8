/** Requests for help: the most urgent first, then the oldest. The list names nobody; whoever opens a request is in the staff log. */
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { CASE_WORKERS, HELPERS, STAFF } from '@roz/contract/roles.ts'
import type { StateCode } from '@roz/core/case-fields.ts'
import { stateName, statesIn } from '@roz/core/states-of-india.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { currentLanguage } from '../../../app/language.ts'
import { Button } from '../../../ui/Button.tsx'
import { Badge } from '../../../ui/Feedback.tsx'
import { SelectField } from '../../../ui/Field.tsx'
import { formatDay, formatInstant } from '../../../ui/format.ts'
import { formatMoney } from '../../../ui/Money.tsx'
import { Unbroken } from '../../../ui/Unbroken.tsx'
import { RowList } from '../RowList.tsx'
import { ListHead } from '../CsvButton.tsx'
import { useNarrowing } from '../money/MoneyRows.tsx'
import type { Shown } from '../states.ts'
import { useMay } from '../use-may.ts'
import { CaseDialog } from './CaseDialog.tsx'
import {
  CASE_STATES,
  caseFilters,
  type CaseFilter,
  casesQuery,
  FOR_NAMES,
  CASE_KIND_NAMES,
  type ListedCase,
  URGENCY_NAMES,
} from './case-queries.ts'
import { OrderDialog } from './OrderDialog.tsx'

const FILTERS = {
  open: { tone: 'waiting', label: msg`All open requests` },
  mine: { tone: 'waiting', label: msg`Mine, open` },
  untouched: { tone: 'bad', label: msg`Nobody did anything for three days` },
  ...CASE_STATES,
} as const satisfies Record<CaseFilter, Shown>

export function Cases() {
  const { t } = useLingui()
  const [state, setState] = useState<StateCode | ''>('')
  const stateField = (
    <SelectField label={t`State`} value={state} onChange={(event) => setState(event.target.value as StateCode | '')}>
      <option value="">{t`All of India`}</option>
      {statesIn(currentLanguage()).map(({ code, name }) => (
        <option key={code} value={code}>
          {name}
        </option>
      ))}
    </SelectField>
  )
  const { narrowing, fields } = useNarrowing(FILTERS, t`Search requests`, t`Number or district`, false, stateField)
  const filters = caseFilters(narrowing, state)
  const list = useInfiniteQuery(casesQuery(filters))
  // A volunteer sees what is assigned to them.
  const isTeam = useMay(STAFF)
  const [open, setOpen] = useState<ListedCase>()
  const [isOrdering, setIsOrdering] = useState(false)
  const mayOrder = useMay(HELPERS)
  return (
    <>
      <ListHead title={t`Requests for help`} csv={isTeam ? { of: 'helpCasesCsv', name: 'help-cases', filters } : undefined}>
        {mayOrder ? <Button kind="secondary" onClick={() => setIsOrdering(true)}>{t`Let the day decide`}</Button> : null}
      </ListHead>
      {fields}
      <RowList
        list={list}
        itemsOf={(page) => page.cases}
        failed={t`The requests could not be loaded.`}
        empty={t`No requests found`}
        hint={isTeam ? t`People ask on the page “Ask for help”.` : t`You see the requests that the team assigned to you.`}
      >
        {(one) => <Row key={one.number} one={one} onOpen={() => setOpen(one)} />}
      </RowList>
      {isOrdering ? <OrderDialog onClose={() => setIsOrdering(false)} /> : null}
      {open === undefined ? null : (
        <CaseDialog number={open.number} team={list.data?.pages[0]?.team ?? []} onClose={() => setOpen(undefined)} />
      )}
    </>
  )
}

function Row({ one, onOpen }: { readonly one: ListedCase; readonly onOpen: () => void }) {
  const { t, i18n } = useLingui()
  const mayOpen = useMay(CASE_WORKERS)
  const { number, kind, district, state, asked, agreed, until, stage, urgency, assignedTo, isUntouched, askedAt, order } = one
  const shown = CASE_STATES[stage]
  const sum = asked === null ? '' : formatMoney(asked)
  const granted = agreed === null ? '' : formatMoney(agreed)
  const at = formatInstant(askedAt, currentLanguage())
  const last = until === null ? '' : formatDay(until, currentLanguage())
  const who = assignedTo?.name ?? ''
  const howUrgent = urgency === null ? '' : i18n._(URGENCY_NAMES[urgency])
  const facts = [
    ...(asked === null ? [] : [t`Asked for: ${sum}`]),
    ...(agreed === null ? [] : [t`Agreed: ${granted}`]),
    ...(until === null ? [] : [t`Needed by ${last}`]),
    ...(urgency === null ? [] : [t`How urgent: ${howUrgent}`]),
  ]
  return (
    <li>
      <div>
        <h3>
          #{number} <span className="small muted">{i18n._(CASE_KIND_NAMES[kind])}</span>
        </h3>
        <p className="small muted">
          {district}, {stateName(state, currentLanguage())} · {i18n._(FOR_NAMES[one.for])}
        </p>
        <p className="small muted">
          <Unbroken text={t`Asked on ${at}`} />
        </p>
        {facts.length === 0 ? null : <p className="small muted">{facts.join(' · ')}</p>}
        {assignedTo === null ? null : <p className="small muted">{t`Taken care of by ${who}`}</p>}
        <OrderLine order={order} />
        {isUntouched ? <p className="small warning-line">{t`Nobody did anything for three days.`}</p> : null}
      </div>
      <Badge tone={shown.tone}>{i18n._(shown.label)}</Badge>
      <div className="buttons">
        {mayOpen ? (
          <Button kind="secondary" aria-label={t`Open: request ${number}`} onClick={onOpen}>
            <Trans context="button">Open</Trans>
          </Button>
        ) : null}
      </div>
    </li>
  )
}

function OrderLine({ order }: { readonly order: ListedCase['order'] }) {
  if (order === null) return null
  const on = formatDay(order.day, currentLanguage())
  return (
    <p className="small">
      {order.place === null ? (
        <Trans>
          In the list of {on}, with {order.of} requests: the order is not known yet
        </Trans>
      ) : (
        <Trans>
          Place {order.place} of {order.of} in the order of {on}
        </Trans>
      )}
    </p>
  )
}
