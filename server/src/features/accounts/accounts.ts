/** Our accounts beside the help fund: platform entries, settlements of the gateway, and the reconciliation with gateway and bank. */
import { createIdempotency } from '../../http/idempotency.ts'
import type { AccountsDeps } from './deps.ts'
import { houseEntryHandlers } from './house-entries.ts'
import { reconciliationHandlers } from './reconciliation.ts'
import { settlementHandlers } from './settlements.ts'

export function createAccounts(deps: AccountsDeps) {
  const idempotency = createIdempotency(deps)
  return {
    handlers: {
      ...houseEntryHandlers(deps, idempotency),
      ...settlementHandlers(deps, idempotency),
      ...reconciliationHandlers(deps),
    },
  }
}
