/** The queries of the team, the staff log and one's own account. */
import type { Api, Output } from '@roz/contract/api.ts'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../../../app/api.ts'
import { queryClient } from '../../../app/query.ts'
import { pagesOf } from '../../queries.ts'
import { type Narrowing, narrowed } from '../queries.ts'

export type StaffMember = Output<Api['staff']>['staff'][number]
export type Invitation = Output<Api['staff']>['invitations'][number]
export type AuditEntry = Output<Api['adminAudit']>['audit'][number]

export const accountQuery = queryOptions({
  queryKey: ['admin', 'account'],
  queryFn: ({ signal }) => call('staffAccount', { signal }),
})

export type StaffState = 'current' | 'former'
export const staffQuery = (narrowing: Narrowing<StaffState>) =>
  pagesOf(['admin', 'staff', narrowing], (page, signal) => call('staff', { query: { ...page, ...narrowed(narrowing) }, signal }))

export type AuditFilter = {
  readonly actor: string
  readonly action: string
  readonly subject: string
  readonly from: string
  readonly to: string
}
/** Without the fields that are empty. */
export const givenOf = (filter: AuditFilter): Partial<AuditFilter> =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''))

export const auditQuery = (filter: AuditFilter) =>
  pagesOf(['admin', 'audit', filter], (page, signal) => call('adminAudit', { query: { ...page, ...givenOf(filter) }, signal }))

/** Whether the own role must set up an authenticator app before anything else; undefined while it is not known yet. */
export function useOwesApp(): boolean | undefined {
  // Not `isPending`: after a failure, the section's own query makes it true again, which would take the section away and bring it back.
  const { data, isFetched } = useQuery(accountQuery)
  return !isFetched ? undefined : data?.totp.required === true && data.totp.enrolledAt === null
}

/** The factors of a step-up: a code, also where there is a passkey. If they are unknown, the server's answer to the password tells. */
export async function stepUpAsks(): Promise<'password' | 'code' | 'passkey'> {
  try {
    const { totp, passkeys } = await queryClient.fetchQuery(accountQuery)
    return totp.enrolledAt === null ? 'password' : passkeys.length > 0 ? 'passkey' : 'code'
  } catch {
    return 'password'
  }
}
