/** The help desk: beneficiaries and their consent, bills, and disbursements from the help fund. */
import { createIdempotency } from '../../http/idempotency.ts'
import type { JobPayloads } from '../../jobs/queue.ts'
import { beneficiaryHandlers } from './beneficiaries.ts'
import type { HelpDeps } from './deps.ts'
import { disbursementHandlers } from './disbursements.ts'
import { forgetBill, billHandlers } from './bills.ts'
import { disbursementTable } from './tables.ts'

export function createHelp(deps: HelpDeps) {
  const idempotency = createIdempotency(deps)
  return {
    handlers: {
      ...beneficiaryHandlers(deps),
      ...billHandlers(deps),
      ...disbursementHandlers(deps, idempotency),
      ...disbursementTable(deps.db),
    },
    jobs: { forget_receipt: ({ hash }: JobPayloads['forget_receipt']): Promise<void> => forgetBill(deps.db, hash) },
  }
}
