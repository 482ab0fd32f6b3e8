/** House entries and settlements of the gateway as the portal shows them, and the pages of their list. */
import { type accountCalls, HOUSE_KINDS } from '@roz/contract/accounts.ts'
import type { Output } from '@roz/contract/api.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Paise, rupeesFromPaise } from '@roz/core/money.ts'
import { type Queryable, sql } from '../../db/sql.ts'
import type { OutlayKind } from '../../ledger/evidence.ts'
import type { Search } from '../../lists/listing.ts'
import { EVERY_PURPOSE } from '../../members/reader-purpose.ts'
import {
  keyOfOutlay,
  OUTLAY_STATES,
  outlayColumns,
  type OutlayList,
  outlayPeople,
  type OutlayRow,
  searchOutlays,
  shownOutlay,
} from '../../outlays/outlay-rows.ts'

export type HouseEntry = Output<(typeof accountCalls)['houseEntries']>['entries'][number]
/** The kinds of the screen "Platform entries". */
export const ENTRY_KINDS = [...HOUSE_KINDS, 'gateway_settled'] as const satisfies readonly OutlayKind[]

type Row = OutlayRow & { readonly kind: HouseEntry['kind']; readonly fee: Paise | null; readonly settledOn: IstDay | null }

const rows = sql`
  select ${outlayColumns}, o.fee_paise as fee, o.settled_on as "settledOn" from outlay o ${outlayPeople}`

const LIST: OutlayList = { rows, kinds: ENTRY_KINDS, states: OUTLAY_STATES, words: [EVERY_PURPOSE] }

function viewOf(row: Row): HouseEntry {
  const settlement = row.settledOn === null || row.fee === null ? null : { day: row.settledOn, fee: rupeesFromPaise(row.fee) }
  return { ...shownOutlay(row, [settlement]), kind: row.kind, settlement }
}

export const viewHouseEntry = async (from: Queryable, id: string): Promise<HouseEntry> =>
  viewOf(await from.one<Row>(sql`${rows} where o.id = ${id}::uuid`))

export const searchHouseEntries = async (from: Queryable, page: Search) =>
  (await searchOutlays<Row>(from, LIST, page)).map((row) => ({ shown: viewOf(row), key: keyOfOutlay(row) }))
