/**
 * The receipt of one transaction, on the screen and in print: one A4 page without the app's frame.
 * - A transaction that moved no money says that the page is no receipt.
 */
import { Trans, useLingui } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import { amountInWords } from '@roz/core/amount-words.ts'
import { paiseFromRupees, ZERO } from '@roz/core/money.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { ApiError, call, messageOf } from '../../app/api.ts'
import { currentLanguage } from '../../app/language.ts'
import { paths, publicPath } from '../../paths.ts'
import { useMember } from '../../app/session.tsx'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { EmptyState, ErrorState, Fact, Skeleton } from '../../ui/Feedback.tsx'
import { formatDay, formatInstant } from '../../ui/format.ts'
import { formatMoney, Money } from '../../ui/Money.tsx'
import { Unbroken } from '../../ui/Unbroken.tsx'
import { ROUND_POLL_MS, roundQuery } from '../queries.ts'
import { OwnRupee } from '../RupeeTrail.tsx'
import { NAME_MATCHES } from '../wallet/name-match.ts'
import { Letterhead, PaperPage } from './Paper.tsx'
import { isVoided, toneOf } from '../wallet/transaction-status.ts'
import { Status } from '../wallet/Transactions.tsx'

type Found = Output<Api['receipt']>['receipt']

export function ReceiptPage() {
  const { t } = useLingui()
  const { id = '' } = useSearch({ strict: false })
  const found = useQuery({
    queryKey: ['mine', 'receipt', id, currentLanguage()],
    queryFn: ({ signal }) => call('receipt', { params: { id }, signal }),
    retry: false,
  })
  // The way of a rupee depends on today by the server's clock, which the round's answer carries.
  useQuery({ ...roundQuery, refetchInterval: false, staleTime: ROUND_POLL_MS })
  return (
    <PaperPage
      title={t`Receipt`}
      paper={found.data && <Paper receipt={found.data.receipt} />}
      missing={<Missing error={found.error} busy={found.isFetching} onRetry={() => void found.refetch()} />}
    >
      {found.data === undefined ? null : <Button onClick={() => window.print()}>{t`Print or save`}</Button>}
      {found.isPending ? null : <Link className={buttonClass('secondary')} to={paths.wallet}>{t`Go to Wallet`}</Link>}
    </PaperPage>
  )
}

function Missing({ error, busy, onRetry }: { readonly error: Error | null; readonly busy: boolean; readonly onRetry: () => void }) {
  const { t } = useLingui()
  if (error === null) return <Skeleton lines={7} />
  // The receipt is another member's or does not exist: a retry changes nothing.
  if (error instanceof ApiError && error.status === 404) return <EmptyState art="slip" title={error.message} />
  return <ErrorState title={messageOf(error, t`The receipt could not be loaded.`)} busy={busy} onRetry={onRetry} />
}

function Paper({ receipt }: { readonly receipt: Found }) {
  const { t } = useLingui()
  const language = currentLanguage()
  const { amount, type, status, day, balanceAfter } = receipt
  const inWords = amountInWords(paiseFromRupees(amount) ?? ZERO, language)
  const moved = balanceAfter !== null && !isVoided(status)
  return (
    <article className="receipt-paper" data-receipt={receipt.id}>
      <Letterhead />
      <div className="head-row receipt-head">
        <h1>{t`Receipt`}</h1>
        <Status status={status} />
      </div>
      {moved ? null : (
        <p className="demo-label" role="note">
          {toneOf(status) === 'waiting' ? t`Not in your wallet yet. Not a receipt.` : t`Payment not completed, or returned. Not a receipt.`}
        </p>
      )}
      <p className="receipt-amount">
        <span className="hidden">{type === 'credit' ? t`Into your wallet` : t`Out of your wallet`}</span>
        <span aria-hidden="true">{type === 'credit' ? '+' : '−'}</span>
        <Money amount={amount} />
      </p>
      <p className="receipt-words">{inWords}</p>
      <Facts receipt={receipt} />
      {day === null ? null : <DayLink day={day} />}
      {day !== null && type === 'debit' ? <OwnRupee day={day} /> : null}
      {moved ? <p className="small muted receipt-foot">{t`Computer-generated receipt; valid without a signature.`}</p> : null}
    </article>
  )
}

function Facts({ receipt }: { readonly receipt: Found }) {
  const { t, i18n } = useLingui()
  const member = useMember()
  const { number, createdAt, description, from, to, balanceAfter, orderId, reference, reason, nameMatch } = receipt
  const when = formatInstant(createdAt, currentLanguage())
  return (
    <dl className="receipt-facts">
      <Fact label={number === orderId ? t`Order ID` : t`Receipt number`} code>
        {number}
      </Fact>
      <Fact label={t`Date & Time`}>
        <time dateTime={createdAt}>
          <Unbroken text={t`${when} (IST)`} />
        </time>
      </Fact>
      <Fact label={t`For`}>
        <Unbroken text={description} />
      </Fact>
      {reason === null ? null : (
        <Fact label={t`Reason`}>
          <span className="rejection">{reason}</span>
        </Fact>
      )}
      <Fact label={t`From`}>
        <Unbroken text={from} />
      </Fact>
      <Fact label={t`To`}>
        <Unbroken text={to} />
      </Fact>
      {nameMatch === null ? null : <Fact label={t`Name at the bank`}>{i18n._(NAME_MATCHES[nameMatch])}</Fact>}
      <Fact label={t`Member`}>
        {member.name}
        <span className="small block">{member.email}</span>
      </Fact>
      {balanceAfter === null ? null : <Fact label={t`Balance after`}>{formatMoney(balanceAfter)}</Fact>}
      {orderId === null || orderId === number ? null : (
        <Fact label={t`Order ID`} code>
          {orderId}
        </Fact>
      )}
      {reference === null ? null : (
        <Fact label={t`Reference`} code>
          {reference}
        </Fact>
      )}
    </dl>
  )
}

/** Links to the public page of the round. The printed page also shows the address as text. */
function DayLink({ day }: { readonly day: string }) {
  const date = formatDay(day, currentLanguage())
  const address = `${location.origin}${publicPath('verify', currentLanguage())}/${day}`
  return (
    <p className="receipt-day">
      <a className="tap" href={address}>
        <Trans>Public page of the round of {date}</Trans>
      </a>
      <code className="print-only small">{address}</code>
    </p>
  )
}
