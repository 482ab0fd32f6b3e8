/** The queries of requests for help, and the labels of their states. */
import { msg } from '@lingui/core/macro'
import type { MessageDescriptor } from '@lingui/core'
import type { Api, Output } from '@roz/contract/api.ts'
import type { ArrivalWay } from '@roz/core/arrival-fields.ts'
import type { CaseFor, CaseKind, CaseStage, CaseStep, CaseUrgency, StateCode } from '@roz/core/case-fields.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../app/api.ts'
import { pagesOf } from '../../queries.ts'
import { type Narrowing, narrowed, QUIETLY } from '../queries.ts'
import type { Shown } from '../states.ts'
import { steppedUp } from '../step-up.ts'

export type ListedCase = Output<Api['helpCases']>['cases'][number]
export type CaseTeam = Output<Api['helpCases']>['team']
export type FullCase = Output<Api['helpCase']>['case']
export type CaseFilter = CaseStage | 'open' | 'mine' | 'untouched'

export const caseFilters = (narrowing: Narrowing<CaseFilter>, state: StateCode | '') => ({
  ...narrowed(narrowing),
  ...(state === '' ? {} : { state }),
})
export const casesQuery = (filters: ReturnType<typeof caseFilters>) =>
  pagesOf(['admin', 'cases', filters], (page, signal) => call('helpCases', { query: { ...page, ...filters }, signal }))

export const helpOrderQuery = queryOptions({
  queryKey: ['admin', 'help-order'],
  queryFn: ({ signal }) => call('helpOrder', { signal }),
  // The dialog keeps what it offered first.
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
  ...QUIETLY,
})

/** Each reading is a line of the staff log, so it is not repeated by itself. */
export const caseQuery = (number: string) =>
  queryOptions({
    queryKey: ['admin', 'case', number],
    queryFn: async ({ signal }): Promise<FullCase> => (await steppedUp(() => call('helpCase', { params: { number }, signal }))).case,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    ...QUIETLY,
  })

export const CASE_STATES = {
  new: { tone: 'waiting', label: msg`New` },
  called: { tone: 'waiting', label: msg`Called` },
  checked: { tone: 'waiting', label: msg`Checked` },
  agreed: { tone: 'good', label: msg`Agreed` },
  waiting: { tone: 'waiting', label: msg`Waits for the money` },
  helped: { tone: 'good', label: msg`Helped` },
  followed_up: { tone: 'good', label: msg`Followed up` },
  refused: { tone: 'bad', label: msg`Refused` },
  withdrawn: { tone: 'bad', label: msg`Withdrawn` },
  unreachable: { tone: 'bad', label: msg`Unreachable` },
} as const satisfies Record<CaseStage, Shown>

export const STEP_NAMES: Readonly<Record<CaseStep, MessageDescriptor>> = {
  tried: msg`I tried and reached nobody`,
  called: msg`I talked with the person`,
  checked: msg`I checked the need`,
  followed_up: msg`I asked how things are`,
  refused: msg`Refuse the request`,
  withdrawn: msg`The person withdrew the request`,
  unreachable: msg`Give up: unreachable`,
}

export const CASE_KIND_NAMES: Readonly<Record<CaseKind, MessageDescriptor>> = {
  food: msg`Food`,
  school: msg`School`,
  medicine: msg`Medicine or treatment`,
  rent: msg`Rent`,
  tools: msg`Tools for work`,
  other: msg`Something else`,
}
export const FOR_NAMES: Readonly<Record<CaseFor, MessageDescriptor>> = {
  self: msg`Asks for themselves`,
  relative: msg`Asks for a relative`,
  other: msg`Asks for somebody else`,
}
export const URGENCY_NAMES: Readonly<Record<CaseUrgency, MessageDescriptor>> = {
  today: msg`Today`,
  week: msg`This week`,
  can_wait: msg`Can wait`,
}
/** How a need was checked, or an arrival was learnt. */
export const WAY_NAMES = {
  call: msg`By a call`,
  visit: msg`By a visit`,
  papers: msg`By papers`,
  code: msg`By a spoken code`,
} as const satisfies Record<ArrivalWay, MessageDescriptor>
