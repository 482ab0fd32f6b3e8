/** The to-do list that the role may read: each line with its count, a bank's deadline or the age of its oldest item, and a link to its section. */
import { msg } from '@lingui/core/macro'
import type { MessageDescriptor } from '@lingui/core'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { currentLanguage } from '../../app/language.ts'
import { paths } from '../../paths.ts'
import { Badge, ErrorState, Skeleton } from '../../ui/Feedback.tsx'
import { formatCount, formatInstant } from '../../ui/format.ts'
import { serverNowMs } from '../clock.ts'
import { type TodoItem, todoQuery } from './queries.ts'

type Line = {
  readonly label: MessageDescriptor
  /** The section where it is done, which every role that gets the line can read; nothing if the overview itself shows more. */
  readonly tab?: string
}

const LINES = {
  withdrawals: { label: msg`Withdrawals to decide`, tab: 'withdrawals' },
  refunds: { label: msg`Refunds to decide`, tab: 'refunds' },
  payouts_by_hand: { label: msg`Approved, to be paid by hand`, tab: 'withdrawals' },
  failed_payouts: { label: msg`Withdrawals approved, but not sent`, tab: 'withdrawals' },
  failed_refunds: { label: msg`Refunds approved, but not sent`, tab: 'refunds' },
  suspense: { label: msg`Payments in suspense`, tab: 'suspense' },
  disputes: { label: msg`Disputes to answer at the bank`, tab: 'disputes' },
  stories: { label: msg`Stories not out by 6 PM`, tab: 'stories' },
  untold_help: { label: msg`Help that no published story tells of`, tab: 'help-given' },
  help_waiting: { label: msg`Days whose help waits longer than 14 days`, tab: 'help-given' },
  outlays: { label: msg`Payments from the help fund to approve`, tab: 'help-given' },
  house_entries: { label: msg`House entries to approve`, tab: 'house-entries' },
  messages: { label: msg`Messages without an answer`, tab: 'messages' },
  audit: { label: msg`Rules that the accounts break` },
  jobs: { label: msg`Background jobs that are late or fail` },
} as const satisfies Record<TodoItem['code'], Line>

const HOUR_MS = 3_600_000

export function Todo() {
  const { t } = useLingui()
  const list = useQuery(todoQuery)
  return (
    <section className="books-check" aria-label={t`To do`}>
      <h2 className="spaced">
        <Trans>To do</Trans>
      </h2>
      {list.data === undefined ? (
        list.isError ? (
          <ErrorState title={t`The list could not be loaded.`} busy={list.isFetching} onRetry={() => void list.refetch()} />
        ) : (
          <Skeleton lines={3} />
        )
      ) : list.data.todo.length === 0 ? (
        <p className="muted">
          <Trans>Nothing to do.</Trans>
        </p>
      ) : (
        <ul className="ledger todo">
          {list.data.todo.map((item) => (
            <TodoLine key={item.code} {...item} />
          ))}
        </ul>
      )}
    </section>
  )
}

function TodoLine({ code, count, oldest, answerBy, isLate }: TodoItem) {
  const { i18n } = useLingui()
  const { label, tab }: Line = LINES[code]
  const words = i18n._(label)
  return (
    <li>
      <span>
        {tab === undefined ? (
          words
        ) : (
          <Link to={paths.adminDashboard} search={{ tab }}>
            {words}
          </Link>
        )}
        {oldest === null ? null : (
          <span className="small muted todo-age">{answerBy === null ? <Age since={oldest} /> : <Deadline by={answerBy} />}</span>
        )}
      </span>
      <Badge tone={isLate ? 'bad' : 'waiting'}>{formatCount(count)}</Badge>
    </li>
  )
}

function Deadline({ by: instant }: { readonly by: string }) {
  const by = formatInstant(instant, currentLanguage())
  return <Trans>Answer the bank by {by}.</Trans>
}

function Age({ since }: { readonly since: string }) {
  const hours = Math.max(0, Math.floor((serverNowMs() - Date.parse(since)) / HOUR_MS))
  if (hours === 0) return <Trans>Oldest: less than an hour</Trans>
  if (hours < 48) return <Plural value={hours} one="Oldest: # hour" other="Oldest: # hours" />
  return <Plural value={Math.floor(hours / 24)} one="Oldest: # day" other="Oldest: # days" />
}
