/** Our accounts beside the help fund: platform entries, settlements of the gateway, and the reconciliation with gateway and bank. */
import { createIdempotency } from '../../http/idempotency.ts'
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
    },
    /** Reads the gateway's settlements, when they are due. */
    due: async (): Promise<boolean> => deps.reading !== undefined && readDue({ db: deps.db, ...deps.reading }),
  }
}
