/** All calls of the HTTP API, by name. The server's handlers are a total map over them. */
import type { z } from 'zod'
import { accountCalls } from './accounts.ts'
import { announcementCalls } from './announcements.ts'
import { autopayAdminCalls } from './autopay-admin.ts'
import { autopayCalls } from './autopay.ts'
import { bankTransferCalls } from './bank-transfers.ts'
import { bankCalls } from './bank.ts'
import { caseCalls } from './cases.ts'
import { communityCalls } from './community.ts'
import { deskCalls } from './desk.ts'
import { disbursementCalls } from './disbursements.ts'
import { disputeCalls } from './disputes.ts'
import { findingCalls } from './findings.ts'
import type { CsvTable, EndpointSpec, PublicFile } from './endpoint.ts'
import { helpCalls } from './help.ts'
import { identityCalls } from './identity.ts'
import { impactCalls } from './impact.ts'
import { memberAdminCalls } from './members-admin.ts'
import { messageCalls } from './messages.ts'
import { openBooksCalls } from './open-books.ts'
import { paperCalls } from './papers.ts'
import { payoutCalls } from './payouts.ts'
import { pushCalls } from './push.ts'
import { reviewCalls } from './review.ts'
import { rightsCalls } from './rights.ts'
import { roundCalls } from './rounds.ts'
import { staffCalls } from './staff.ts'
import { suspenseCalls } from './suspense.ts'
import { walletCalls } from './wallet.ts'

export const api = {
  ...identityCalls,
  ...walletCalls,
  ...autopayCalls,
  ...autopayAdminCalls,
  ...payoutCalls,
  ...paperCalls,
  ...suspenseCalls,
  ...disputeCalls,
  ...roundCalls,
  ...impactCalls,
  ...communityCalls,
  ...announcementCalls,
  ...memberAdminCalls,
  ...deskCalls,
  ...messageCalls,
  ...reviewCalls,
  ...pushCalls,
  ...openBooksCalls,
  ...rightsCalls,
  ...helpCalls,
  ...caseCalls,
  ...staffCalls,
  ...disbursementCalls,
  ...accountCalls,
  ...findingCalls,
  ...bankCalls,
  ...bankTransferCalls,
} as const

export type Api = typeof api
export type CallName = keyof Api

type Parsed<T, Otherwise> = T extends z.ZodType ? z.output<T> : Otherwise
type Given<T, Otherwise> = T extends z.ZodType ? z.input<T> : Otherwise
type Field<E, K extends string> = E extends { readonly [P in K]: infer V } ? V : undefined

/** The parsed input of a handler. */
export type Input<E extends EndpointSpec> = {
  readonly params: Parsed<Field<E, 'params'>, undefined>
  readonly query: Parsed<Field<E, 'query'>, undefined>
  readonly body: Parsed<Field<E, 'body'>, undefined>
}
/** The input that a client sends. */
export type Request<E extends EndpointSpec> = {
  params: Given<Field<E, 'params'>, undefined>
  query: Given<Field<E, 'query'>, undefined>
  body: Given<Field<E, 'body'>, undefined>
}
/** The value of an accepted answer. */
export type Output<E extends EndpointSpec> = E['output'] extends z.ZodType
  ? z.output<E['output']>
  : E['output'] extends 'text'
    ? string
    : E['output'] extends 'file'
      ? PublicFile
      : E['output'] extends 'csv'
        ? CsvTable
        : undefined
