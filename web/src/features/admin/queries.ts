/** The portal's queries. */
import type { Api, Output } from '@roz/contract/api.ts'
import type { StoryState } from '@roz/contract/impact.ts'
import { purposeFor } from '@roz/core/purpose-words.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../app/api.ts'
import { currentLanguage } from '../../app/language.ts'
import { queryClient } from '../../app/query.ts'
import { pagesOf } from '../queries.ts'
import { steppedUp } from './step-up.ts'

export type Withdrawal = Output<Api['adminWithdrawals']>['withdrawals'][number]
export type AdminRefund = Output<Api['adminRefunds']>['refunds'][number]
export type SuspenseItem = Output<Api['suspense']>['suspense'][number]
export type WithdrawalState = Withdrawal['status']
export type RefundState = AdminRefund['status']
export type SuspenseState = SuspenseItem['status']
export type Dispute = Output<Api['disputes']>['disputes'][number]
export type DisputeState = Dispute['state']
/** By what a list is narrowed: a state, or what waits for the team. */
export type WithdrawalFilter = WithdrawalState | 'to_decide' | 'to_second' | 'by_hand' | 'not_sent'
export type RefundFilter = RefundState | 'to_decide' | 'to_second' | 'not_sent'
export type SuspenseFilter = SuspenseState | 'to_decide'
export type AdminMandate = Output<Api['adminAutopay']>['mandates'][number]
export type AutopayFilter = AdminMandate['status'] | 'late' | 'unknown' | 'uncancelled'
export type DisputeFilter = DisputeState | 'to_answer'

export type Disbursement = Output<Api['disbursements']>['disbursements'][number]

export type Days = '30' | '90' | '365'
export type Figure = Output<Api['adminFigures']>['figures'][number]
export type TodoItem = Output<Api['adminTodo']>['todo'][number]
export type ListedRound = Output<Api['adminRounds']>['rounds'][number]
export const todoQuery = queryOptions({ queryKey: ['admin', 'todo'], queryFn: ({ signal }) => call('adminTodo', { signal }) })
export const figuresQuery = (days: Days) =>
  queryOptions({ queryKey: ['admin', 'figures', days], queryFn: ({ signal }) => call('adminFigures', { query: { days }, signal }) })
export const roundsQuery = (narrowing: Narrowing<ListedRound['status'] | 'help_waiting'>) =>
  pagesOf(['admin', 'rounds', narrowing], (page, signal) => call('adminRounds', { query: { ...page, ...narrowed(narrowing) }, signal }))

export type Announcement = Output<Api['announcements']>['announcements'][number]
export const announcementsQuery = (narrowing: Narrowing<Announcement['status']>) =>
  pagesOf(['admin', 'announcements', narrowing], (page, signal) =>
    call('announcements', { query: { ...page, ...narrowed(narrowing) }, signal }),
  )

export type SiteWords = Output<Api['adminSite']>['site']
export const siteQuery = queryOptions({ queryKey: ['admin', 'site'], queryFn: ({ signal }) => call('adminSite', { signal }) })

export const adminStatsQuery = queryOptions({ queryKey: ['admin', 'stats'], queryFn: ({ signal }) => call('adminStats', { signal }) })

/** For lists about persons: a window that comes back to the front asks for no step-up. */
export const QUIETLY = { refetchOnWindowFocus: false, refetchOnReconnect: false } as const
/** A list about persons, page by page. It waits for a step-up. */
export const personsOf: typeof pagesOf = (queryKey, read) => ({
  ...pagesOf(queryKey, (page, signal) => steppedUp(() => read(page, signal))),
  ...QUIETLY,
})

export type UserSort = 'newest' | 'balance' | 'joins' | 'won'
export type UserStatus = '' | 'held' | 'suspended'
/** The filter of the list of members. An empty value filters nothing. */
export type UserNarrowing = { readonly q: string; readonly sort: UserSort; readonly status: UserStatus }
export const userFilters = ({ q, sort, status }: UserNarrowing) => ({
  sort,
  ...(q === '' ? {} : { q }),
  ...(status === '' ? {} : { status }),
})

export const adminUsersQuery = (narrowing: UserNarrowing) =>
  personsOf(['admin', 'users', narrowing], (page, signal) => call('adminUsers', { query: { ...page, ...userFilters(narrowing) }, signal }))

/** The stories in a state, all of them, or a single one. */
export const adminStoriesQuery = (id: string | undefined, narrowing: Narrowing<StoryState>) =>
  pagesOf(['admin', 'stories', id, narrowing], (page, signal) =>
    call('storiesAdmin', { query: { ...page, ...(id === undefined ? narrowed(narrowing) : { id }) }, signal }),
  )

/** Help that a story tells of. */
export type ToldHelp = { readonly id: string; readonly purpose: string; readonly publicName: string; readonly amount: number }
export const toldHelpOf = ({ id, amount, returned, beneficiary, ...words }: Disbursement): ToldHelp => ({
  id,
  purpose: purposeFor(words, currentLanguage()).purpose,
  publicName: beneficiary.publicName,
  amount: amount - returned,
})
/** Help that a story may be linked to: booked, and without a story. */
export const storylessQuery = (q: string) =>
  queryOptions({
    queryKey: ['admin', 'storyless', q],
    queryFn: async ({ signal }): Promise<readonly ToldHelp[]> => {
      const query = { status: 'storyless' as const, limit: 100, ...(q === '' ? {} : { q }) }
      return (await call('disbursements', { query, signal })).disbursements.map(toldHelpOf)
    },
  })

/** The filter of a list. An empty value filters nothing. */
export type Narrowing<Status extends string> = { readonly status: Status | ''; readonly q: string; readonly order?: 'oldest' | '' }
export const narrowed = <S extends string>({ status, q }: Narrowing<S>) => ({
  ...(status === '' ? {} : { status }),
  ...(q === '' ? {} : { q }),
})

/** The filter of a list that can also be read oldest first. */
export const sorted = <S extends string>(narrowing: Narrowing<S>) => ({
  ...narrowed(narrowing),
  ...(narrowing.order === 'oldest' ? { order: narrowing.order } : {}),
})

export const withdrawalsQuery = (narrowing: Narrowing<WithdrawalFilter>) =>
  pagesOf(['admin', 'withdrawals', narrowing], (page, signal) =>
    call('adminWithdrawals', { query: { ...page, ...sorted(narrowing) }, signal }),
  )
export const adminRefundsQuery = (narrowing: Narrowing<RefundFilter>) =>
  pagesOf(['admin', 'refunds', narrowing], (page, signal) => call('adminRefunds', { query: { ...page, ...sorted(narrowing) }, signal }))
export const suspenseQuery = (narrowing: Narrowing<SuspenseFilter>) =>
  pagesOf(['admin', 'suspense', narrowing], (page, signal) => call('suspense', { query: { ...page, ...sorted(narrowing) }, signal }))

export const disputesQuery = (narrowing: Narrowing<DisputeFilter>) =>
  pagesOf(['admin', 'disputes', narrowing], (page, signal) => call('disputes', { query: { ...page, ...sorted(narrowing) }, signal }))

export const mandatesQuery = (narrowing: Narrowing<AutopayFilter>) =>
  pagesOf(['admin', 'autopay', narrowing], (page, signal) => call('adminAutopay', { query: { ...page, ...sorted(narrowing) }, signal }))
export const autopayFiguresQuery = queryOptions({
  queryKey: ['admin', 'autopay-figures'],
  queryFn: ({ signal }) => call('adminAutopayFigures', { signal }),
})

/** A member who can receive a payment. The search returns at most five. */
export type Payee = { readonly id: string; readonly name: string; readonly email: string | null }
const PAYEES_SHOWN = 5
export const payeesQuery = (q: string) =>
  queryOptions({
    queryKey: ['admin', 'payees', q],
    queryFn: async ({ signal }): Promise<readonly Payee[]> =>
      (await steppedUp(() => call('adminUsers', { query: { q, limit: PAYEES_SHOWN }, signal }))).users,
    ...QUIETLY,
  })

/** After a draw or an edit: figures, wallets and stories may all have changed. */
export const refreshPortal = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['admin'] })
/** After a change of a story, which the public lists may show. */
export const refreshStories = (): Promise<unknown> =>
  Promise.all([refreshPortal(), queryClient.invalidateQueries({ queryKey: ['stories'] })])
