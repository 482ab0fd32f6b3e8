/**
 * Refunds: the unused part of a top-up from the last seven days returns to its original payment method.
 * - The amount is held at once. Every request is listed with its state.
 */
import { Trans, useLingui } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { currentLanguage } from '../../app/language.ts'
import { Button } from '../../ui/Button.tsx'
import { catchFocus } from '../../ui/focus.ts'
import { formatInstant } from '../../ui/format.ts'
import { formatMoney } from '../../ui/Money.tsx'
import { Listing } from '../Listing.tsx'
import { Part } from '../Part.tsx'
import { refundsQuery } from '../queries.ts'
import { Status } from './Transactions.tsx'

type Page = Output<Api['refunds']>
const loadForm = () => import('./RefundForm.tsx')

export function Refund() {
  const { t } = useLingui()
  const list = useInfiniteQuery(refundsQuery)
  const refundable = list.data?.pages[0]?.refundable
  const [asking, setAsking] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  // The pressed button disappears with the form, so the focus returns to the button that opened the form.
  const leave = (): void => {
    flushSync(() => setAsking(false))
    catchFocus(opener.current)
  }
  return (
    <>
      <h2 className="spaced">{t`Refund`}</h2>
      <p className="muted spaced">
        <Trans>
          Unused money from a payment of the last 7 days can go back to your original payment method, after approval. It is free and takes
          5–10 business days.
        </Trans>
      </p>
      {refundable === undefined || refundable.length === 0 ? null : asking ? (
        <Part name="refund" load={loadForm} lines={4}>
          {({ RefundForm }) => <RefundForm refundable={refundable} onClose={leave} />}
        </Part>
      ) : (
        <Button ref={opener} kind="secondary" onClick={() => setAsking(true)}>{t`Request a refund`}</Button>
      )}
      <Listing
        list={list}
        itemsOf={(page) => page.refunds}
        failed={t`Your refunds could not be loaded.`}
        lines={2}
        empty={refundable === undefined || refundable.length > 0 ? null : <p>{t`No unused money from payments of the last 7 days.`}</p>}
      >
        {(refunds) => (
          <ul className="rows" aria-label={t`Your refunds`}>
            {refunds.map((refund) => (
              <Line key={refund.id} refund={refund} />
            ))}
          </ul>
        )}
      </Listing>
    </>
  )
}

function Line({ refund }: { readonly refund: Page['refunds'][number] }) {
  const { amount, reason, decision, reference, createdAt, status } = refund
  return (
    <li>
      <span>
        {reason}
        {decision === null ? null : (
          <span className="small block">
            <Trans>Reason: {decision}</Trans>
          </span>
        )}
        {reference === null ? null : (
          <span className="small block">
            <Trans>Bank reference: {reference}</Trans>
          </span>
        )}
      </span>
      <span className="amount">{formatMoney(amount)}</span>
      <time className="small muted" dateTime={createdAt}>
        {formatInstant(createdAt, currentLanguage())}
      </time>
      <span className="end">
        <Status status={status} />
      </span>
    </li>
  )
}
