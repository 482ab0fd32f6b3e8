/** The to-do list that the role may read: each line with its count, a bank's deadline or the age of its oldest item, and a link to its section, narrowed to the same items. */
import { msg } from '@lingui/core/macro'
import type { MessageDescriptor } from '@lingui/core'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { formatCount } from '@roz/core/numbers.ts'
import { currentLanguage } from '../../../app/language.ts'
import { paths } from '../../../paths.ts'
import { Badge, NotLoaded } from '../../../ui/Feedback.tsx'
import { formatInstant } from '../../../ui/format.ts'
import { Unbroken } from '../../../ui/Unbroken.tsx'
import { serverNowMs } from '../../clock.ts'
import { type TodoItem, todoQuery } from '../queries.ts'

type Line = {
  readonly label: MessageDescriptor
  /** The section that every role of the line can read, and its filter. */
  readonly search?: { readonly tab: string; readonly status?: string; readonly order?: 'oldest' }
  /** The part of the overview that lists the same items. */
  readonly part?: string
  /** Where they are listed, if the portal has no list of them. */
  readonly where?: MessageDescriptor
}

/** The part of the overview with the findings of the audit. */
export const ACCOUNTS_CHECK = 'accounts-check'

const LINES = {
  withdrawals: { label: msg`Withdrawals to decide`, search: { tab: 'withdrawals', status: 'to_decide', order: 'oldest' } },
  withdrawals_second: {
    label: msg`Withdrawals that need a second person`,
    search: { tab: 'withdrawals', status: 'to_second', order: 'oldest' },
  },
  refunds: { label: msg`Refunds to decide`, search: { tab: 'refunds', status: 'to_decide', order: 'oldest' } },
  refunds_second: { label: msg`Refunds that need a second person`, search: { tab: 'refunds', status: 'to_second', order: 'oldest' } },
  payouts_by_hand: { label: msg`Approved, to be paid by hand`, search: { tab: 'withdrawals', status: 'by_hand', order: 'oldest' } },
  failed_payouts: { label: msg`Withdrawals approved, but not sent`, search: { tab: 'withdrawals', status: 'not_sent', order: 'oldest' } },
  failed_refunds: { label: msg`Refunds approved, but not sent`, search: { tab: 'refunds', status: 'not_sent', order: 'oldest' } },
  transfers: { label: msg`Bank transfers to confirm`, search: { tab: 'transfers' } },
  transfers_second: { label: msg`Bank transfers that need a second person`, search: { tab: 'transfers', status: 'to_second' } },
  suspense: { label: msg`Payments in suspense`, search: { tab: 'suspense', status: 'to_decide', order: 'oldest' } },
  disputes: { label: msg`Disputes to answer at the bank`, search: { tab: 'disputes', status: 'to_answer', order: 'oldest' } },
  autopay_late: { label: msg`AutoPay debits late for five days`, search: { tab: 'autopay', status: 'late', order: 'oldest' } },
  autopay_unknown: { label: msg`AutoPay with an unknown status`, search: { tab: 'autopay', status: 'unknown', order: 'oldest' } },
  autopay_uncancelled: { label: msg`AutoPay not stopped for a day`, search: { tab: 'autopay', status: 'uncancelled', order: 'oldest' } },
  settlements: { label: msg`Settlements to record`, search: { tab: 'reconciliation', status: 'to_record' } },
  findings: { label: msg`Findings between books, gateway and bank`, search: { tab: 'reconciliation', status: 'open' } },
  stories: { label: msg`Stories not published by 6 PM`, search: { tab: 'stories', status: 'late' } },
  stories_language: { label: msg`Stories that lack a language`, search: { tab: 'stories', status: 'lacks_language' } },
  help_cases: { label: msg`Requests for help that nobody touched for three days`, search: { tab: 'requests', status: 'untouched' } },
  help_language: { label: msg`Help of the last 30 days that lacks a language`, search: { tab: 'help-given', status: 'lacks_language' } },
  untold_help: { label: msg`Help without a published story`, search: { tab: 'help-given', status: 'untold' } },
  unconfirmed_help: { label: msg`Help not confirmed as received in 7 days`, search: { tab: 'help-given', status: 'unconfirmed' } },
  not_received_help: { label: msg`Help that did not arrive`, search: { tab: 'help-given', status: 'not_received' } },
  follow_ups: { label: msg`People to be asked how things are`, search: { tab: 'help-given', status: 'follow_up_due' } },
  help_waiting: { label: msg`Days whose help waits longer than 14 days`, search: { tab: 'rounds', status: 'help_waiting' } },
  outlays: { label: msg`Payments from the help fund to approve`, search: { tab: 'help-given', status: 'to_approve' } },
  house_entries: { label: msg`Platform entries to approve`, search: { tab: 'house-entries', status: 'to_approve' } },
  messages: { label: msg`Unanswered messages`, search: { tab: 'messages', status: 'unanswered', order: 'oldest' } },
  audit: { label: msg`Failed checks of the accounts`, part: ACCOUNTS_CHECK },
  jobs: { label: msg`Background jobs that are late or fail`, where: msg`On the server, “roz status” lists each, with its runbook.` },
} as const satisfies Record<TodoItem['code'], Line>

const HOUR_MS = 3_600_000

export function Todo() {
  const { t } = useLingui()
  const list = useQuery(todoQuery)
  return (
    <section className="books-check" aria-label={t`To do`}>
      <h2 className="spaced">{t`To do`}</h2>
      {list.data === undefined ? (
        <NotLoaded query={list} failed={t`The list could not be loaded.`} lines={3} />
      ) : list.data.todo.length === 0 ? (
        <p className="muted">{t`Nothing to do.`}</p>
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
  const { label, search, part, where }: Line = LINES[code]
  const words = i18n._(label)
  return (
    <li>
      <span>
        {search === undefined ? (
          part === undefined ? (
            words
          ) : (
            <a href={`#${part}`}>{words}</a>
          )
        ) : (
          <Link to={paths.adminDashboard} search={search}>
            {words}
          </Link>
        )}
        {where === undefined ? null : <span className="small muted block">{i18n._(where)}</span>}
        {oldest === null ? null : (
          <span className="small muted todo-age">{answerBy === null ? <Age since={oldest} /> : <Deadline by={answerBy} />}</span>
        )}
      </span>
      <Badge tone={isLate ? 'bad' : 'waiting'}>{formatCount(count)}</Badge>
    </li>
  )
}

function Deadline({ by: instant }: { readonly by: string }) {
  const { t } = useLingui()
  const by = formatInstant(instant, currentLanguage())
  return <Unbroken text={t`Answer the bank by ${by}.`} />
}

function Age({ since }: { readonly since: string }) {
  const hours = Math.max(0, Math.floor((serverNowMs() - Date.parse(since)) / HOUR_MS))
  if (hours === 0) return <Trans>Oldest: less than an hour</Trans>
  if (hours < 48) return <Plural value={hours} one="Oldest: # hour" other="Oldest: # hours" />
  return <Plural value={Math.floor(hours / 24)} one="Oldest: # day" other="Oldest: # days" />
}
