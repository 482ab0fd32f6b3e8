/** Disbursements and house entries as tables. A person who was helped appears by their public name, and after a revoked consent not at all. */
import type { Db } from '../../db/sql.ts'
import type { Handlers } from '../../http/route.ts'
import { exportList } from '../../staff/exported-list.ts'
import { outlaysThat } from '../../staff/open-work.ts'
import { type Disbursement, type HouseEntry, searchDisbursements, searchHouseEntries } from './outlay-view.ts'

type Entry = Disbursement | HouseEntry
const SHARED = {
  id: (row: Entry) => row.id,
  asked: (row: Entry) => row.askedAt,
  kind: (row: Entry) => row.kind,
  amount: (row: Entry) => row.amount,
  status: (row: Entry) => row.status,
  purpose: (row: Entry) => row.purpose,
  asked_by: (row: Entry) => row.askedBy.name,
  decided_by: (row: Entry) => row.decidedBy?.name,
  decided: (row: Entry) => row.decidedAt,
  reason: (row: Entry) => row.reason,
  receipts: (row: Entry) => row.receipts.map(({ hash }) => hash).join(' '),
}

export const tableHandlers = (db: Db): Handlers<'disbursementsCsv' | 'houseEntriesCsv'> => ({
  disbursementsCsv: (call) =>
    exportList(db, call, {
      name: 'disbursements',
      read: (page) =>
        searchDisbursements(db, {
          status: call.query.status,
          work: outlaysThat(call.session, call.query.status),
          q: call.query.q,
          ...page,
        }),
      columns: {
        ...SHARED,
        given_to: (row) => (row.beneficiary.isRevoked ? undefined : row.beneficiary.publicName),
        corrects: (row) => row.corrects,
        came_back: (row) => row.returned,
        days: (row) => row.days.map(({ day, amount }) => `${day}: ${amount}`).join(' '),
      },
    }),
  houseEntriesCsv: (call) =>
    exportList(db, call, {
      name: 'house-entries',
      read: (page) =>
        searchHouseEntries(db, { status: call.query.status, work: outlaysThat(call.session, call.query.status), q: call.query.q, ...page }),
      columns: {
        ...SHARED,
        settled_on: (row) => row.settlement?.day,
        fee: (row) => row.settlement?.fee,
      },
    }),
})
