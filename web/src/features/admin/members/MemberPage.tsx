/** One member for the staff: account, decisions, money, rounds, devices, flags, notes and emails. The address names the member. */
import type { MessageDescriptor } from '@lingui/core'
import { Trans, useLingui } from '@lingui/react/macro'
import { queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { formatCount } from '@roz/core/numbers.ts'
import { ApiError, call } from '../../../app/api.ts'
import { SPEECH } from '@roz/core/language.ts'
import { currentLanguage } from '../../../app/language.ts'
import { withDraws } from '../../../app/settings.ts'
import { paths } from '../../../paths.ts'
import { Badge, EmptyState, Fact, NotLoaded } from '../../../ui/Feedback.tsx'
import { formatDay, formatInstant } from '../../../ui/format.ts'
import { formatMoney } from '../../../ui/Money.tsx'
import { Listing } from '../../Listing.tsx'
import { pagesOf } from '../../queries.ts'
import { Moved, Status } from '../../wallet/Transactions.tsx'
import { HOLD_REASONS, MAIL_KINDS, ROUND_STATES } from './member-words.ts'
import { MemberActions } from './MemberActions.tsx'
import { MemberNotes } from './MemberNotes.tsx'
import { type MemberView, Nothing, MemberPart } from './MemberParts.tsx'
import { MEMBER_FLAGS, REFUND_STATES, type Shown, WITHDRAWAL_FLAGS, WITHDRAWAL_STATES } from '../states.ts'

const memberQuery = (id: string) =>
  queryOptions({ queryKey: ['admin', 'member', id], queryFn: ({ signal }) => call('adminUser', { params: { id }, signal }), retry: false })
const memberTransactionsQuery = (id: string) =>
  pagesOf(['admin', 'member-transactions', id], (page, signal) => call('adminUserTransactions', { params: { id }, query: page, signal }))

export function MemberPage({ id }: { readonly id: string }) {
  const { t } = useLingui()
  const member = useQuery(memberQuery(id))
  const { data, error } = member
  const isGone = error instanceof ApiError && error.status === 404
  return (
    <>
      <p className="spaced">
        <Link to={paths.adminDashboard} search={{ tab: 'users' }}>{t`Back to all users`}</Link>
      </p>
      {data !== undefined ? (
        <Member view={data} />
      ) : isGone ? (
        <EmptyState title={t`There is no such member.`} />
      ) : (
        <NotLoaded query={member} failed={t`The member could not be loaded.`} lines={8} />
      )}
    </>
  )
}

function Member({ view }: { readonly view: MemberView }) {
  const { user } = view
  return (
    <>
      <h2>{user.name}</h2>
      <States user={user} />
      <Account user={user} />
      <MemberActions user={user} />
      <MemberNotes id={user.id} notes={view.notes} />
      <Flags view={view} />
      <Transactions id={user.id} />
      <Money view={view} />
      <Days days={view.days} />
      <Devices devices={view.devices} />
      <Mails mails={view.mails} />
    </>
  )
}

function States({ user }: { readonly user: MemberView['user'] }) {
  const { t, i18n } = useLingui()
  const { hold, suspendedAt } = user
  const about = hold === null ? undefined : HOLD_REASONS[hold.about]
  return (
    <>
      {suspendedAt === null ? null : (
        <p>
          <Badge tone="bad">{t`Suspended`}</Badge>{' '}
          <span className="small">
            <Trans>since {formatInstant(suspendedAt, currentLanguage())}</Trans>
          </span>
        </p>
      )}
      {hold === null ? null : (
        <p>
          <Badge tone="waiting">{t`Withdrawals on hold`}</Badge>{' '}
          <span className="small">
            {hold.about === 'staff' ? (
              <Trans>by us, {formatInstant(hold.at, currentLanguage())}</Trans>
            ) : (
              <Trans>
                “This wasn't me”, {formatInstant(hold.at, currentLanguage())}, to the email{' '}
                {about === undefined ? hold.about : i18n._(about)}
              </Trans>
            )}
          </span>
        </p>
      )}
    </>
  )
}

function Account({ user }: { readonly user: MemberView['user'] }) {
  const { t } = useLingui()
  return (
    <dl className="facts-list two">
      <Fact label={t`Email`}>
        {user.email} {user.emailVerified ? null : <Badge tone="waiting">{t`not verified`}</Badge>}
      </Fact>
      <Fact label={t`Phone`}>{user.phone ?? t`none`}</Fact>
      <Fact label={t`Member since`}>{formatDay(user.createdAt, currentLanguage())}</Fact>
      <Fact label={t`Language`}>{SPEECH[user.language].name}</Fact>
      <Fact label={t`Wallet`}>{formatMoney(user.walletBalance)}</Fact>
      <Fact label={t`Owed to us`}>{formatMoney(user.wallet.owed)}</Fact>
      <Fact label={t`Rounds joined`}>{formatCount(user.totalParticipated)}</Fact>
      {withDraws() || user.totalWon > 0 ? <Fact label={t`Amount won`}>{formatMoney(user.totalWon)}</Fact> : null}
      <Fact label={t`Auto Participate`}>{user.autoParticipate ? t`on` : t`off`}</Fact>
    </dl>
  )
}

function Flags({ view }: { readonly view: MemberView }) {
  const { i18n } = useLingui()
  return (
    <MemberPart title={<Trans>Flags</Trans>}>
      {view.flags.length === 0 ? <Nothing /> : null}
      <ul className="rows">
        {view.flags.map(({ kind, about, createdAt }) => (
          <li key={`${kind} ${about}`}>
            <span>{labelOf(MEMBER_FLAGS[kind], kind, (message) => i18n._(message))}</span>
            <span className="small muted end">{formatDay(createdAt, currentLanguage())}</span>
          </li>
        ))}
      </ul>
    </MemberPart>
  )
}

/** An unknown word is shown as the server sent it. */
const labelOf = (known: MessageDescriptor | undefined, word: string, translate: (message: MessageDescriptor) => string): string =>
  known === undefined ? word : translate(known)

function Transactions({ id }: { readonly id: string }) {
  const { t } = useLingui()
  const list = useInfiniteQuery(memberTransactionsQuery(id))
  return (
    <MemberPart title={<Trans>Transactions</Trans>}>
      <Listing
        list={list}
        itemsOf={(page) => page.transactions}
        failed={t`The transactions could not be loaded.`}
        empty={<Nothing />}
        lines={4}
      >
        {(transactions) => (
          <ul className="rows">
            {transactions.map(({ id: key, description, type, amount, status, createdAt }) => (
              <li key={key}>
                <span>{description}</span>
                <span className="amount">
                  <Moved transaction={{ type, amount }} />
                </span>
                <span className="small muted">{formatInstant(createdAt, currentLanguage())}</span>
                <span className="end">
                  <Status status={status} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Listing>
    </MemberPart>
  )
}

type MoneyRow = MemberView['withdrawals'][number]

function Money({ view }: { readonly view: MemberView }) {
  return (
    <>
      <MemberPart title={<Trans>Withdrawals</Trans>}>
        <MoneyRows rows={view.withdrawals} states={WITHDRAWAL_STATES} />
      </MemberPart>
      <MemberPart title={<Trans>Refunds</Trans>}>
        <MoneyRows rows={view.refunds} states={REFUND_STATES} />
      </MemberPart>
      {view.debts.length === 0 ? null : (
        <MemberPart title={<Trans>Debts</Trans>}>
          <ul className="rows">
            {view.debts.map(({ amount, paid, isOpen, createdAt }) => (
              <li key={createdAt}>
                <span>
                  <Trans>
                    {formatMoney(amount)}, of which {formatMoney(paid)} is paid
                  </Trans>
                </span>
                <span className="end">
                  <Badge tone={isOpen ? 'waiting' : 'good'}>{isOpen ? <Trans>Open</Trans> : <Trans>Paid</Trans>}</Badge>
                </span>
                <span className="small muted">{formatInstant(createdAt, currentLanguage())}</span>
              </li>
            ))}
          </ul>
        </MemberPart>
      )}
    </>
  )
}

function MoneyRows({ rows, states }: { readonly rows: readonly MoneyRow[]; readonly states: Readonly<Record<string, Shown>> }) {
  const { i18n } = useLingui()
  if (rows.length === 0) return <Nothing />
  return (
    <ul className="rows">
      {rows.map(({ id, amount, status, createdAt, flags }) => {
        const state = states[status]
        return (
          <li key={id}>
            <b>{formatMoney(amount)}</b>
            <span className="end">
              <Badge tone={state?.tone ?? 'waiting'}>{state === undefined ? status : i18n._(state.label)}</Badge>
            </span>
            <span className="small muted">{formatInstant(createdAt, currentLanguage())}</span>
            {flags.map((flag) => (
              <span key={flag} className="small warning-line whole-row">
                {labelOf(WITHDRAWAL_FLAGS[flag], flag, (message) => i18n._(message))}
              </span>
            ))}
          </li>
        )
      })}
    </ul>
  )
}

function Days({ days }: { readonly days: MemberView['days'] }) {
  const { i18n } = useLingui()
  const joined = days.filter((day) => day.joined)
  return (
    <MemberPart title={<Trans>Rounds of the last 30 days</Trans>}>
      {joined.length === 0 ? <Nothing /> : null}
      <ul className="rows">
        {joined.map(({ day, status, won }) => (
          <li key={day}>
            <span>{formatDay(day, currentLanguage())}</span>
            <span className="end">
              {won === null ? labelOf(ROUND_STATES[status], status, (message) => i18n._(message)) : <Trans>won {formatMoney(won)}</Trans>}
            </span>
          </li>
        ))}
      </ul>
    </MemberPart>
  )
}

function Devices({ devices }: { readonly devices: MemberView['devices'] }) {
  const { t } = useLingui()
  return (
    <MemberPart title={<Trans>Devices that are logged in</Trans>}>
      {devices.length === 0 ? <Nothing /> : null}
      <ul className="rows">
        {devices.map(({ browser, system, signedInAt, lastUsedAt }) => (
          <li key={`${signedInAt} ${lastUsedAt}`}>
            <span>{browser !== null && system !== null ? t`${browser} on ${system}` : (browser ?? system ?? t`Unknown device`)}</span>
            <span className="small muted end">
              <Trans>last used {formatInstant(lastUsedAt, currentLanguage())}</Trans>
            </span>
          </li>
        ))}
      </ul>
    </MemberPart>
  )
}

function Mails({ mails }: { readonly mails: MemberView['mails'] }) {
  const { t, i18n } = useLingui()
  return (
    <MemberPart title={<Trans>Emails we sent</Trans>}>
      {mails.length === 0 ? <Nothing /> : null}
      <ul className="rows">
        {mails.map(({ kind, outcome, at: sentAt }) => (
          <li key={`${kind} ${sentAt}`}>
            <span>{labelOf(MAIL_KINDS[kind], kind, (message) => i18n._(message))}</span>
            <span className="small muted end">
              {outcome === 'refused' ? t`not accepted by the mail server` : null} {formatInstant(sentAt, currentLanguage())}
            </span>
          </li>
        ))}
      </ul>
    </MemberPart>
  )
}
