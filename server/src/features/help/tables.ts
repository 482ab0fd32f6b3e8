/** Disbursements as a table. A person who was helped appears by their public name, and after a revoked consent not at all. */
import type { Db } from '../../db/sql.ts'
import type { Handlers } from '../../http/route.ts'
import { OUTLAY_TABLE } from '../../outlays/outlay-rows.ts'
import { exportList } from '../../staff/exported-list.ts'
import { filterBy, outlayWork } from '../../staff/open-work.ts'
import { searchDisbursements } from './disbursement-view.ts'

export const disbursementTable = (db: Db): Handlers<'disbursementsCsv'> => ({
  disbursementsCsv: (call) =>
    exportList(db, call, {
      name: 'disbursements',
      read: (page) => searchDisbursements(db, { ...filterBy(outlayWork(call.session), call.query), ...page }),
      columns: {
        ...OUTLAY_TABLE,
        given_to: (row) => (row.beneficiary.isRevoked ? undefined : row.beneficiary.publicName),
        corrects: (row) => row.corrects,
        received: (row) => (row.arrival === null ? undefined : row.arrival.received ? row.arrival.on : 'no'),
        came_back: (row) => row.returned,
        days: (row) => row.days.map(({ day, amount }) => `${day}: ${amount}`).join(' '),
      },
    }),
})
