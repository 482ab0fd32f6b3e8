/** The queries of the help desk, and the labels of its states. */
import { msg } from '@lingui/core/macro'
import type { MessageDescriptor } from '@lingui/core'
import type { Api, Output } from '@roz/contract/api.ts'
import type { ConsentWay, Guardian } from '@roz/core/help-fields.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../app/api.ts'
import { pagesOf } from '../../queries.ts'
import { type Disbursement, type Narrowing, narrowed, personsOf, QUIETLY } from '../queries.ts'
import type { Shown } from '../states.ts'
import { steppedUp } from '../step-up.ts'

export type Beneficiary = Output<Api['beneficiaries']>['beneficiaries'][number]
export type HouseEntry = Output<Api['houseEntries']>['entries'][number]
type OutlayState = Disbursement['status']
/** The states that help is found by. */
type OutlayFilter = OutlayState | 'to_approve'
type HelpState = OutlayFilter | 'untold' | 'unconfirmed' | 'not_received' | 'follow_up_due' | 'lacks_language'

export const beneficiariesQuery = (narrowing: Narrowing<Beneficiary['status']>) =>
  personsOf(['admin', 'beneficiaries', narrowing], (page, signal) =>
    call('beneficiaries', { query: { ...page, ...narrowed(narrowing) }, signal }),
  )

/** Beneficiaries who may be helped, for the form of a disbursement: those that a search finds, or the one with an id. */
export const helpableQuery = (narrowing: { readonly q?: string; readonly id?: string }) =>
  queryOptions({
    queryKey: ['admin', 'helpable', narrowing],
    queryFn: async ({ signal }): Promise<readonly Beneficiary[]> =>
      (await steppedUp(() => call('beneficiaries', { query: { status: 'consented', limit: 100, ...narrowing }, signal }))).beneficiaries,
    ...QUIETLY,
  })

/** Beneficiaries with this public name, except those with a revoked consent. */
export const namesakesQuery = (name: string) =>
  queryOptions({
    queryKey: ['admin', 'namesakes', name],
    queryFn: async ({ signal }): Promise<readonly Beneficiary[]> => {
      const { beneficiaries } = await steppedUp(() => call('beneficiaries', { query: { limit: 100, q: name }, signal }))
      const isSame = (other: string): boolean => other.toLowerCase() === name.toLowerCase()
      return beneficiaries.filter(({ publicName, status }) => status !== 'revoked' && isSame(publicName))
    },
    enabled: name !== '',
    ...QUIETLY,
  })

export const disbursementsQuery = (narrowing: Narrowing<HelpState>) =>
  pagesOf(['admin', 'disbursements', narrowing], (page, signal) =>
    call('disbursements', { query: { ...page, ...narrowed(narrowing) }, signal }),
  )

export const quoteQuery = (amount: number) =>
  queryOptions({
    queryKey: ['admin', 'disbursement-quote', amount],
    queryFn: ({ signal }) => call('disbursementQuote', { query: { amount: String(amount) }, signal }),
    enabled: amount > 0,
    retry: false,
  })

export const houseEntriesQuery = (narrowing: Narrowing<OutlayFilter>) =>
  pagesOf(['admin', 'house-entries', narrowing], (page, signal) =>
    call('houseEntries', { query: { ...page, ...narrowed(narrowing) }, signal }),
  )

export const BENEFICIARY_STATES = {
  waiting: { tone: 'waiting', label: msg`Consent missing` },
  consented: { tone: 'good', label: msg`Consent recorded` },
  revoked: { tone: 'bad', label: msg`Consent revoked` },
} as const satisfies Record<Beneficiary['status'], Shown>

/** A revocation without a consent before it. */
export const CONSENT_REFUSED: Shown = { tone: 'bad', label: msg`Consent refused` }

export const OUTLAY_STATES = {
  requested: { tone: 'waiting', label: msg`Requested` },
  booked: { tone: 'good', label: msg`Recorded` },
  rejected: { tone: 'bad', label: msg`Rejected` },
} as const satisfies Record<OutlayState, Shown>

export const ENTRY_FILTERS = {
  to_approve: { tone: 'waiting', label: msg`To approve` },
  ...OUTLAY_STATES,
} as const satisfies Record<OutlayFilter, Shown>

export const HELP_STATES = {
  to_approve: ENTRY_FILTERS.to_approve,
  ...OUTLAY_STATES,
  booked: { tone: 'good', label: msg`Sent` },
  untold: { tone: 'waiting', label: msg`Sent, no published story` },
  unconfirmed: { tone: 'waiting', label: msg`Sent, not confirmed in 7 days` },
  not_received: { tone: 'bad', label: msg`Not received` },
  follow_up_due: { tone: 'waiting', label: msg`To be asked again` },
  lacks_language: { tone: 'waiting', label: msg`A language is missing (last 30 days)` },
} as const satisfies Record<HelpState, Shown>

export const STORY_STATES = {
  draft: { tone: 'waiting', label: msg`Draft` },
  scheduled: { tone: 'good', label: msg`Scheduled` },
  published: { tone: 'live', label: msg`Published` },
} as const satisfies Record<NonNullable<Disbursement['story']>['state'], Shown>

export const CONSENTS = {
  written: msg`In writing`,
  recorded: msg`Recorded on video or audio`,
  witnessed: msg`Spoken before a witness`,
} as const satisfies Record<ConsentWay, MessageDescriptor>

export const GUARDIAN_NAMES = {
  mother: msg`Mother`,
  father: msg`Father`,
  grandparent: msg`Grandparent`,
  legal_guardian: msg`Legal guardian`,
} as const satisfies Record<Guardian, MessageDescriptor>

/** The money that each kind of entry can take. */
export const HOUSE_PAYABLE = {
  platform_out: msg`Platform share`,
  tds_remitted: msg`Tax to pay to the government`,
  losses_covered: msg`Losses to cover`,
} as const satisfies Record<Exclude<HouseEntry['kind'], 'gateway_settled'>, MessageDescriptor>

export const HOUSE_NAMES = {
  platform_out: msg`Platform share paid out`,
  tds_remitted: msg`Tax remitted to the government`,
  losses_covered: msg`Losses covered from the platform share`,
  gateway_settled: msg`Settlement of the gateway`,
} as const satisfies Record<HouseEntry['kind'], MessageDescriptor>
