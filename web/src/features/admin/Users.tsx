/** The portal's members, searched by name, email or phone: a table on wide screens, stacked rows on a phone. */
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import { decisionReason } from '@roz/core/money-fields.ts'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../app/api.ts'
import { currentLanguage } from '../../app/language.ts'
import { Button } from '../../ui/Button.tsx'
import { Badge, EmptyState } from '../../ui/Feedback.tsx'
import { SelectField } from '../../ui/Field.tsx'
import { formatCount, formatDay, formatInstant } from '../../ui/format.ts'
import { formatMoney } from '../../ui/Money.tsx'
import { toast } from '../../ui/Toast.tsx'
import { useIsWide } from '../../ui/wide.ts'
import { Listing } from '../Listing.tsx'
import { Decision } from './Decision.tsx'
import { CsvButton } from './CsvButton.tsx'
import { adminUsersQuery, userFilters, type UserNarrowing, type UserSort, type UserStatus } from './queries.ts'
import { SearchField } from './SearchField.tsx'
import { usePaused } from './use-paused.ts'

type Member = Output<Api['adminUsers']>['users'][number]
type Released = (member: Member) => void

/** By kind of mail: the words for the mail that the member answered with "This wasn't me". */
const ABOUT: Readonly<Record<string, MessageDescriptor>> = {
  new_bank_account: msg`about a new bank account`,
  withdrawal_requested: msg`about a withdrawal`,
  password_changed: msg`about a changed password`,
  new_device: msg`about a new login`,
  google_linked: msg`about Google being linked`,
}

export function Users() {
  const { t } = useLingui()
  const isWide = useIsWide()
  const [releasing, setReleasing] = useState<Member>()
  const { narrowing, fields } = useUserNarrowing()
  const list = useInfiniteQuery({ ...adminUsersQuery(narrowing), placeholderData: keepPreviousData })
  const sortedAt = list.data?.pages[0]?.sortedAt
  return (
    <>
      <div className="head-row">
        <h2 className="spaced">
          <Trans>Users</Trans>
        </h2>
        <CsvButton of="adminUsersCsv" name="users" filters={userFilters(narrowing)} />
      </div>
      {fields}
      {typeof sortedAt === 'string' ? (
        <p className="small muted">
          <Trans>Sorted by the figures of {formatInstant(sortedAt, currentLanguage())}. The amounts shown are of now.</Trans>
        </p>
      ) : null}
      <Listing
        list={list}
        itemsOf={(page) => page.users}
        failed={t`The members could not be loaded.`}
        empty={<EmptyState art="slip" title={t`No members found`} />}
        lines={6}
      >
        {(users) => (isWide ? <UserTable users={users} onRelease={setReleasing} /> : <Rows users={users} onRelease={setReleasing} />)}
      </Listing>
      {releasing === undefined ? null : <Release member={releasing} onClose={() => setReleasing(undefined)} />}
    </>
  )
}

/** The current search, order and filter, and the fields that set them. */
function useUserNarrowing() {
  const { t } = useLingui()
  const [typed, setTyped] = useState('')
  const [sort, setSort] = useState<UserSort>('newest')
  const [status, setStatus] = useState<UserStatus>('')
  const narrowing: UserNarrowing = { q: usePaused(typed.trim()), sort, status }
  const fields = (
    <div className="narrowing">
      <SearchField label={t`Search members`} placeholder={t`Name, email or phone`} value={typed} onType={setTyped} />
      <SelectField label={t`Sort by`} value={sort} onChange={(event) => setSort(event.target.value as UserSort)}>
        <option value="newest">{t`Newest`}</option>
        <option value="balance">{t`Balance`}</option>
        <option value="joins">{t`Rounds joined`}</option>
        <option value="won">{t`Amount won`}</option>
      </SelectField>
      <SelectField label={t`State`} value={status} onChange={(event) => setStatus(event.target.value as UserStatus)}>
        <option value="">{t`All`}</option>
        <option value="held">{t`On hold`}</option>
        <option value="suspended">{t`Suspended`}</option>
      </SelectField>
    </div>
  )
  return { narrowing, fields }
}

/** Why a member is on hold, and the button that releases the hold. */
function Hold({ member, onRelease }: { readonly member: Member; readonly onRelease: Released }) {
  const { i18n } = useLingui()
  const { hold } = member
  if (hold === null) return null
  const about = ABOUT[hold.about]
  return (
    <span className="hold">
      <Badge tone="waiting">
        <Trans>On hold</Trans>
      </Badge>{' '}
      <span className="small">
        <Trans>
          “This wasn't me”, {formatInstant(hold.at, currentLanguage())}, to the email {about === undefined ? hold.about : i18n._(about)}
        </Trans>
      </span>{' '}
      <Button kind="secondary" onClick={() => onRelease(member)}>
        <Trans>Release</Trans>
      </Button>
    </span>
  )
}

function Release({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
  const { t } = useLingui()
  return (
    <Decision
      title={<Trans>Release {member.name}?</Trans>}
      confirm={t`Release`}
      question={{ label: t`Reason`, hint: t`What you found, for the audit log.`, rule: decisionReason, long: true }}
      send={(reason) => call('releaseUser', { params: { id: member.id }, body: { reason } })}
      onDone={() => toast.success(t`Released. Withdrawals and refunds can be approved again.`)}
      onClose={onClose}
    >
      <p>
        <Trans>
          {member.name} answered one of our emails with “This wasn't me”. Make sure that the account is in the right hands again before
          money leaves it.
        </Trans>
      </p>
    </Decision>
  )
}

function Rows({ users, onRelease }: { readonly users: readonly Member[]; readonly onRelease: Released }) {
  return (
    <ul className="rows">
      {users.map((user) => (
        <li key={user.id}>
          <b>{user.name}</b>
          <span className="amount">{formatMoney(user.walletBalance)}</span>
          <span className="small muted user-mail">{user.email}</span>
          <span className="small muted end">
            <Plural value={user.totalParticipated} one="# round" other="# rounds" />
          </span>
          <span className="small muted">{formatDay(user.createdAt, currentLanguage())}</span>
          <span className="small muted end">
            <Trans>won {formatMoney(user.totalWon)}</Trans>
          </span>
          <Hold member={user} onRelease={onRelease} />
        </li>
      ))}
    </ul>
  )
}

function UserTable({ users, onRelease }: { readonly users: readonly Member[]; readonly onRelease: Released }) {
  return (
    <table className="table">
      <thead>
        <tr>
          <th>
            <Trans>Name</Trans>
          </th>
          <th>
            <Trans>Email</Trans>
          </th>
          <th>
            <Trans>Joined</Trans>
          </th>
          <th className="number ruled">
            <Trans>Wallet</Trans>
          </th>
          <th className="number ruled">
            <Trans>Rounds</Trans>
          </th>
          <th className="number ruled">
            <Trans>Won</Trans>
          </th>
        </tr>
      </thead>
      <tbody>
        {users.map((user) => (
          <tr key={user.id}>
            <td>
              <b>{user.name}</b>
              {user.phone === null ? null : <span className="small muted block">{user.phone}</span>}
              <Hold member={user} onRelease={onRelease} />
            </td>
            <td className="muted user-mail">{user.email}</td>
            <td className="muted">{formatDay(user.createdAt, currentLanguage())}</td>
            <td className="number ruled">{formatMoney(user.walletBalance)}</td>
            <td className="number ruled">{formatCount(user.totalParticipated)}</td>
            <td className="number ruled">{formatMoney(user.totalWon)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
