/** “Let the day decide”: the agreed requests whose order the random number of the day decides. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import { CASE_ORDER_MIN } from '@roz/core/case-order.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../app/api.ts'
import { currentLanguage } from '../../../app/language.ts'
import { EmptyState, NotLoaded } from '../../../ui/Feedback.tsx'
import { formatDay } from '../../../ui/format.ts'
import { formatMoney } from '../../../ui/Money.tsx'
import { Modal } from '../../../ui/Modal.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { Decision } from '../Decision.tsx'
import { CASE_KIND_NAMES, helpOrderQuery, type ListedCase, URGENCY_NAMES } from './case-queries.ts'

type Offered = Output<Api['helpOrder']>

export function OrderDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useLingui()
  const found = useQuery(helpOrderQuery)
  const offered = found.data
  if (offered !== undefined && offered.day !== null && (offered.agreed.length >= CASE_ORDER_MIN || offered.numbers.length > 0))
    return <Choice offered={offered} day={offered.day} onClose={onClose} />
  return (
    <Modal open onClose={onClose} title={<Trans>Let the day decide</Trans>}>
      {found.isError || offered === undefined ? (
        <NotLoaded query={found} failed={t`The requests could not be loaded.`} lines={4} />
      ) : offered.day === null ? (
        <EmptyState title={t`No round is open now`}>
          <Trans>The order comes from the random number of an open round. The next one opens at midnight.</Trans>
        </EmptyState>
      ) : (
        <EmptyState title={t`Nothing to decide`}>{t`An order needs two agreed requests or more that wait for their payment.`}</EmptyState>
      )}
    </Modal>
  )
}

type ChoiceProps = { readonly offered: Offered; readonly day: string; readonly onClose: () => void }

function Choice({ offered, day, onClose }: ChoiceProps) {
  const { t } = useLingui()
  const client = useQueryClient()
  const { agreed, numbers } = offered
  const [picked, setPicked] = useState<readonly string[]>(numbers)
  // The list that the choice began with.
  const [seen] = useState(offered.seen)
  const on = formatDay(day, currentLanguage())
  // A request that ended meanwhile keeps its number in the list.
  const ended = numbers.filter((number) => !agreed.some((one) => one.number === number))
  const toggle = (number: string): void =>
    setPicked(picked.includes(number) ? picked.filter((other) => other !== number) : [...picked, number])
  return (
    <Decision
      title={<Trans>Let the day decide</Trans>}
      confirm={t`Publish the list`}
      unready={picked.length < CASE_ORDER_MIN}
      send={() => call('freezeHelpOrder', { params: { day }, body: { numbers: [...picked], seen } })}
      onDone={() => {
        void client.invalidateQueries({ queryKey: ['admin', 'cases'] })
        toast.success(t`The list is public. Its order comes with the random number of the day.`)
      }}
      onClose={onClose}
    >
      <p className="muted spaced">
        <Trans>
          Choose requests that are equally urgent, when the money is too little for all. After midnight the random number of {on} puts them
          in order. The numbers are public at once, never a name. You can change the list until the round closes.
        </Trans>
      </p>
      <fieldset className="order-picks spaced">
        <legend>{t`Agreed requests without a payment`}</legend>
        {agreed.map((one) => (
          <label key={one.number} className="pick">
            <input type="checkbox" checked={picked.includes(one.number)} onChange={() => toggle(one.number)} />
            <CaseWords one={one} />
          </label>
        ))}
        {ended.map((number) => (
          <label key={number} className="pick">
            <input type="checkbox" checked={picked.includes(number)} onChange={() => toggle(number)} />
            <span>
              #{number} · <Trans>no longer waits for a payment</Trans>
            </span>
          </label>
        ))}
      </fieldset>
      <p className="spaced" role="status">
        <Plural value={picked.length} _0="None chosen: choose two or more." one="# chosen: choose one more." other="# chosen." />
      </p>
    </Decision>
  )
}

function CaseWords({ one: { number, kind, district, agreed, urgency } }: { readonly one: ListedCase }) {
  const { i18n } = useLingui()
  return (
    <span>
      #{number} · {i18n._(CASE_KIND_NAMES[kind])}, {district}
      {agreed === null ? null : <> · {formatMoney(agreed)}</>}
      {urgency === null ? null : <> · {i18n._(URGENCY_NAMES[urgency])}</>}
    </span>
  )
}
