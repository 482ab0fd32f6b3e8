/** All transactions of the wallet, pending ones included: rows on a phone, a table with Out and In columns on a wide screen. */
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useLayoutEffect } from 'react'
import { currentLanguage } from '../../app/language.ts'
import { paths } from '../../paths.ts'
import { Badge, EmptyState } from '../../ui/Feedback.tsx'
import { formatInstant } from '../../ui/format.ts'
import { formatMoney } from '../../ui/Money.tsx'
import { Unbroken } from '../../ui/Unbroken.tsx'
import { useIsWide } from '../../ui/wide.ts'
import { Listing } from '../Listing.tsx'
import { transactionsQuery } from '../queries.ts'
import { isDoubtful, NAME_MATCHES } from './name-match.ts'
import { isVoided, type KnownStatus, knownStatus, toneOf } from './transaction-status.ts'

type Transaction = Output<Api['transactions']>['transactions'][number]

export function Transactions() {
  const { t } = useLingui()
  const list = useInfiniteQuery(transactionsQuery)
  const isWide = useIsWide()
  // Applies the balance in the same frame as the transactions, so that the two always match.
  const takeMember = list.data?.pages[0]?.takeMember
  useLayoutEffect(() => takeMember?.(), [takeMember])
  return (
    <Listing
      list={list}
      itemsOf={(page) => page.transactions}
      failed={t`Your transactions could not be loaded.`}
      empty={<EmptyState art="slip" title={t`No transactions yet`}>{t`Your transactions appear here.`}</EmptyState>}
    >
      {(transactions) => (isWide ? <Book transactions={transactions} /> : <Rows transactions={transactions} />)}
    </Listing>
  )
}

const STATUS_WORDS = {
  completed: msg`Completed`,
  success: msg`Success`,
  pending: msg`Pending`,
  processing: msg`Processing`,
  failed: msg`Failed`,
  rejected: msg`Rejected`,
  expired: msg`Expired`,
  returned: msg`Sent back`,
  closed: msg`Closed`,
} satisfies Record<KnownStatus, MessageDescriptor>

/** An unknown status is shown as the server sent it. */
export function Status({ status }: { readonly status: string }) {
  const { i18n } = useLingui()
  const known = knownStatus(status)
  return <Badge tone={toneOf(status)}>{known === undefined ? status : i18n._(STATUS_WORDS[known])}</Badge>
}

/** The description, linked to the receipt. A rejection shows its reason, a withdrawal to a UPI ID what the bank said of its name. */
function ToReceipt({ transaction: { id, description, status, reason, nameMatch } }: { readonly transaction: Transaction }) {
  const { i18n } = useLingui()
  return (
    <span>
      <Link className="to-receipt" to={paths.receipt} search={{ id }}>
        <Unbroken text={description} />
      </Link>
      {reason === null || status !== 'rejected' ? null : (
        <span className="small block rejection">
          <Trans>Reason: {reason}</Trans>
        </span>
      )}
      {nameMatch === null ? null : (
        <span className={`small block ${isDoubtful(nameMatch) ? 'rejection' : 'muted'}`}>{i18n._(NAME_MATCHES[nameMatch])}</span>
      )}
    </span>
  )
}

const amountClass = ({ type, status }: Transaction): string =>
  isVoided(status) ? ' struck' : type === 'credit' && toneOf(status) === 'good' ? ' credit' : ''

function Rows({ transactions }: { readonly transactions: readonly Transaction[] }) {
  return (
    <ul className="rows">
      {transactions.map((transaction) => (
        <Line key={transaction.id} transaction={transaction} />
      ))}
    </ul>
  )
}

/** A payment in another currency has no amount in rupees: its description names the sum. */
export const Moved = ({ transaction: { type, amount } }: { readonly transaction: Pick<Transaction, 'type' | 'amount'> }) =>
  amount === 0 ? '–' : `${type === 'credit' ? '+' : '−'}${formatMoney(amount)}`

function Line({ transaction }: { readonly transaction: Transaction }) {
  const { createdAt, status } = transaction
  return (
    <li>
      <ToReceipt transaction={transaction} />
      <span className={`amount${amountClass(transaction)}`}>
        <Moved transaction={transaction} />
      </span>
      <time className="small muted" dateTime={createdAt}>
        {formatInstant(createdAt, currentLanguage())}
      </time>
      <span className="end">
        <Status status={status} />
      </span>
    </li>
  )
}

function Book({ transactions }: { readonly transactions: readonly Transaction[] }) {
  const { t } = useLingui()
  return (
    <table className="table">
      <thead>
        <tr>
          <th>{t`Date`}</th>
          <th>{t`Details`}</th>
          <th>{t`Status`}</th>
          <th className="number ruled">{t`Out`}</th>
          <th className="number ruled">{t`In`}</th>
        </tr>
      </thead>
      <tbody>
        {transactions.map((transaction) => (
          <tr key={transaction.id}>
            <td className="muted">
              <time dateTime={transaction.createdAt}>{formatInstant(transaction.createdAt, currentLanguage())}</time>
            </td>
            <td>
              <ToReceipt transaction={transaction} />
            </td>
            <td>
              <Status status={transaction.status} />
            </td>
            <td className={`number ruled${amountClass(transaction)}`}>
              {transaction.type === 'debit' ? formatMoney(transaction.amount) : null}
            </td>
            <td className={`number ruled${amountClass(transaction)}`}>
              {transaction.type === 'credit' && transaction.amount !== 0 ? formatMoney(transaction.amount) : null}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
