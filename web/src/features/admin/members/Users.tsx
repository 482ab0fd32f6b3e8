/** The portal's members, searched by name, email or phone: a table on wide screens, stacked rows on a phone. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { formatCount } from '@roz/core/numbers.ts'
import { currentLanguage } from '../../../app/language.ts'
import { withDraws } from '../../../app/settings.ts'
import { paths } from '../../../paths.ts'
import { Badge, EmptyState } from '../../../ui/Feedback.tsx'
import { SelectField } from '../../../ui/Field.tsx'
import { formatDay, formatInstant } from '../../../ui/format.ts'
import { formatMoney } from '../../../ui/Money.tsx'
import { useIsWide } from '../../../ui/wide.ts'
import { Listing } from '../../Listing.tsx'
import { ListHead } from '../CsvButton.tsx'
import { MemberPage } from './MemberPage.tsx'
import { adminUsersQuery, userFilters, type UserNarrowing, type UserSort, type UserStatus } from '../queries.ts'
import { SearchField } from '../SearchField.tsx'
import { useKept } from '../use-kept.ts'
import { usePaused } from '../use-paused.ts'

type Member = Output<Api['adminUsers']>['users'][number]

export function Users() {
  const { member } = useSearch({ strict: false })
  return member === undefined ? <UserList /> : <MemberPage key={member} id={member} />
}

function UserList() {
  const { t } = useLingui()
  const isWide = useIsWide()
  const { narrowing, fields } = useUserNarrowing()
  const list = useInfiniteQuery({ ...adminUsersQuery(narrowing), placeholderData: keepPreviousData })
  const sortedAt = list.data?.pages[0]?.sortedAt
  return (
    <>
      <ListHead title={t`Users`} csv={{ of: 'adminUsersCsv', name: 'users', filters: userFilters(narrowing) }} />
      {fields}
      {typeof sortedAt === 'string' ? (
        <p className="small muted">
          <Trans>The order is from {formatInstant(sortedAt, currentLanguage())}. The amounts shown are current.</Trans>
        </p>
      ) : null}
      <Listing
        list={list}
        itemsOf={(page) => page.users}
        failed={t`The members could not be loaded.`}
        empty={<EmptyState title={t`No members found`} />}
        lines={6}
      >
        {(users) => (isWide ? <UserTable users={users} /> : <Rows users={users} />)}
      </Listing>
    </>
  )
}

/** The current search, order and filter, and the fields that set them. */
function useUserNarrowing() {
  const { t } = useLingui()
  const [typed, setTyped] = useKept<string>('typed', '')
  const [sort, setSort] = useKept<UserSort>('sort', 'newest')
  const [status, setStatus] = useKept<UserStatus>('status', '')
  const narrowing: UserNarrowing = { q: usePaused(typed.trim()), sort, status }
  const fields = (
    <div className="narrowing">
      <SearchField label={t`Search members`} placeholder={t`Name, email or phone`} value={typed} onType={setTyped} />
      <SelectField label={t`Sort by`} value={sort} onChange={(event) => setSort(event.target.value as UserSort)}>
        <option value="newest">{t`Newest`}</option>
        <option value="balance">{t`Balance`}</option>
        <option value="joins">{t`Rounds joined`}</option>
        {withDraws() ? <option value="won">{t`Amount won`}</option> : null}
      </SelectField>
      <SelectField label={t`Status`} value={status} onChange={(event) => setStatus(event.target.value as UserStatus)}>
        <option value="">{t`All`}</option>
        <option value="held">{t`Withdrawals on hold`}</option>
        <option value="suspended">{t`Suspended`}</option>
      </SelectField>
    </div>
  )
  return { narrowing, fields }
}

/** The member's name, linked to their page, with the states that stop their money. */
function Name({ member }: { readonly member: Member }) {
  const { t } = useLingui()
  return (
    <>
      <Link to={paths.adminDashboard} search={{ tab: 'users', member: member.id }}>
        <b>{member.name}</b>
      </Link>
      {member.suspendedAt === null ? null : (
        <span className="member-badge">
          <Badge tone="bad">{t`Suspended`}</Badge>
        </span>
      )}
      {member.hold === null ? null : (
        <span className="member-badge">
          <Badge tone="waiting">{t`Withdrawals on hold`}</Badge>
        </span>
      )}
    </>
  )
}

function Contact({ member: { email, phone } }: { readonly member: Member }) {
  return (
    <span className="small muted block user-mail">
      {email}
      {phone === null ? null : <span className="block">{phone}</span>}
    </span>
  )
}

function Rows({ users }: { readonly users: readonly Member[] }) {
  return (
    <ul className="rows">
      {users.map((user) => (
        <li key={user.id}>
          <span>
            <Name member={user} />
          </span>
          <span className="amount">{formatMoney(user.walletBalance)}</span>
          <Contact member={user} />
          <span className="small muted end">
            <Plural value={user.totalParticipated} one="# round" other="# rounds" />
          </span>
          <span className="small muted">
            <Trans>Member since {formatDay(user.createdAt, currentLanguage())}</Trans>
          </span>
          <span className="small muted end">
            {withDraws() || user.totalWon > 0 ? <Trans>won {formatMoney(user.totalWon)}</Trans> : null}
          </span>
        </li>
      ))}
    </ul>
  )
}

function UserTable({ users }: { readonly users: readonly Member[] }) {
  const { t } = useLingui()
  const isWon = withDraws() || users.some(({ totalWon }) => totalWon > 0)
  return (
    <table className="table">
      <thead>
        <tr>
          <th>{t`Name`}</th>
          <th>{t`Member since`}</th>
          <th className="number ruled">{t`Wallet`}</th>
          <th className="number ruled">{t`Rounds`}</th>
          {isWon ? <th className="number ruled">{t`Won`}</th> : null}
        </tr>
      </thead>
      <tbody>
        {users.map((user) => (
          <tr key={user.id}>
            <td>
              <Name member={user} />
              <Contact member={user} />
            </td>
            <td className="small muted unbroken">{formatDay(user.createdAt, currentLanguage())}</td>
            <td className="number ruled">{formatMoney(user.walletBalance)}</td>
            <td className="number ruled">{formatCount(user.totalParticipated)}</td>
            {isWon ? <td className="number ruled">{formatMoney(user.totalWon)}</td> : null}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
