/** Disbursements and house entries as tables. A person who was helped appears by their public name, and after a revoked consent not at all. */
import type { Db } from '../../db/sql.ts'
import type { Handlers } from '../../http/route.ts'
import { HOUSE_KINDS } from '../../ledger/house-entries.ts'
import { exportList } from '../../staff/exported-list.ts'
import { type Disbursement, type HouseEntry, searchDisbursements, searchHouseEntries } from './outlay-view.ts'

const SHARED = {
  id: (row: Disbursement | HouseEntry) => row.id,
  asked: (row: Disbursement | HouseEntry) => row.askedAt,
  kind: (row: Disbursement | HouseEntry) => row.kind,
  amount: (row: Disbursement | HouseEntry) => row.amount,
  status: (row: Disbursement | HouseEntry) => row.status,
  purpose: (row: Disbursement | HouseEntry) => row.purpose,
  asked_by: (row: Disbursement | HouseEntry) => row.askedBy.name,
  decided_by: (row: Disbursement | HouseEntry) => row.decidedBy?.name,
  decided: (row: Disbursement | HouseEntry) => row.decidedAt,
  reason: (row: Disbursement | HouseEntry) => row.reason,
  receipts: (row: Disbursement | HouseEntry) => row.receipts.map(({ hash }) => hash).join(' '),
}

export const tableHandlers = (db: Db): Handlers<'disbursementsCsv' | 'houseEntriesCsv'> => ({
  disbursementsCsv: (call) =>
    exportList(db, call, {
      name: 'disbursements',
      read: (page) => searchDisbursements(db, { status: call.query.status, q: call.query.q, ...page }),
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
      read: (page) => searchHouseEntries(db, HOUSE_KINDS, { status: call.query.status, q: call.query.q, ...page }),
      columns: SHARED,
    }),
})
