/** Our accounts beside the help fund: platform entries, settlements of the gateway, statements of the bank, and the reconciliation with both. */
import { sql } from '../../db/sql.ts'
import { createIdempotency } from '../../http/idempotency.ts'
import { bankAccountHandlers } from './bank/accounts.ts'
import { matchDue } from './bank/due.ts'
import { statementHandlers } from './bank/import.ts'
import { transferListHandlers } from './bank/transfer-lists.ts'
import { transferHandlers } from './bank/transfers.ts'
import { bankLineHandlers } from './bank/lines.ts'
import type { AccountsDeps } from './deps.ts'
import { houseEntryHandlers } from './house-entries.ts'
import { findingHandlers } from './findings.ts'
import { proposalHandlers } from './proposal-calls.ts'
import { readDue } from './reading.ts'
import { reconciliationHandlers } from './reconciliation.ts'
import { settlementHandlers } from './settlements.ts'

export function createAccounts(deps: AccountsDeps) {
  const idempotency = createIdempotency(deps)
  return {
    handlers: {
      ...houseEntryHandlers(deps, idempotency),
      ...settlementHandlers(deps, idempotency),
      ...reconciliationHandlers(deps),
      ...proposalHandlers(deps, idempotency),
      ...findingHandlers(deps, idempotency),
      ...bankAccountHandlers(deps),
      ...statementHandlers(deps),
      ...bankLineHandlers(deps),
      ...transferHandlers(deps),
      ...transferListHandlers(deps),
    },
    /** Whether the portal shows bank transfers: members add money by them, or did so before. */
    hasTransfers: async (): Promise<boolean> =>
      deps.transfers.areOffered || (await deps.db.maybeOne(sql`select from bank_transfer_order limit 1`)) !== undefined,
    /** Reads the gateway's settlements, when they are due. */
    due: async (): Promise<boolean> => deps.reading !== undefined && readDue({ db: deps.db, ...deps.reading }),
    /** Matches the bank's lines with the books, when it is due. */
    matchDue: (): Promise<boolean> => matchDue(deps.db, deps.secrets),
  }
}
