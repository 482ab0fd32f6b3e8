/** The members, searched by name, mail or phone: a table where there is room, stacked rows on a phone. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { currentLanguage } from '../../language.ts'
import { EmptyState } from '../../ui/Feedback.tsx'
import { formatCount, formatDay } from '../../ui/format.ts'
import { formatMoney } from '../../ui/Money.tsx'
import { useIsWide } from '../../ui/wide.ts'
import { Listing } from '../Listing.tsx'
import { adminUsersQuery } from './queries.ts'
import { SearchField } from './SearchField.tsx'
import { usePaused } from './use-paused.ts'

type Member = Output<Api['adminUsers']>['users'][number]

export function Users() {
  const { t } = useLingui()
  const [typed, setTyped] = useState('')
  const isWide = useIsWide()
  const list = useInfiniteQuery({ ...adminUsersQuery(usePaused(typed.trim())), placeholderData: keepPreviousData })
  return (
    <>
      <h2 className="spaced">
        <Trans>Users</Trans>
      </h2>
      <div className="search">
        <SearchField label={t`Search users`} placeholder={t`Name, email or phone`} value={typed} onType={setTyped} />
      </div>
      <Listing
        list={list}
        itemsOf={(page) => page.users}
        failed={t`The users could not be loaded.`}
        empty={<EmptyState art="slip" title={t`No users found`} />}
        lines={6}
      >
        {(users) => (isWide ? <UserTable users={users} /> : <Rows users={users} />)}
      </Listing>
    </>
  )
}

function Rows({ users }: { readonly users: readonly Member[] }) {
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
        </li>
      ))}
    </ul>
  )
}

function UserTable({ users }: { readonly users: readonly Member[] }) {
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
