/** The help desk: requests for help, beneficiaries and their consent, bills, and disbursements from the help fund. */
import { createIdempotency } from '../../http/idempotency.ts'
import type { JobPayloads } from '../../jobs/queue.ts'
import { arrivalHandlers } from './arrivals.ts'
import { beneficiaryHandlers } from './beneficiaries.ts'
import { caseDeskHandlers } from './case-desk.ts'
import { forgetOldCases } from './case-payment.ts'
import { caseOutcomeHandlers } from './case-outcome.ts'
import { caseHandlers } from './cases.ts'
import type { CaseDeps } from './deps.ts'
import { disbursementHandlers } from './disbursements.ts'
import { forgetBill, billHandlers } from './bills.ts'
import { forgetPicture, pictureHandlers } from './follow-up-pictures.ts'
import { followUpHandlers } from './follow-ups.ts'
import { disbursementTable } from './tables.ts'

export function createHelp(deps: CaseDeps) {
  const idempotency = createIdempotency(deps)
  return {
    handlers: {
      ...beneficiaryHandlers(deps),
      ...caseHandlers(deps),
      ...caseDeskHandlers(deps),
      ...caseOutcomeHandlers(deps),
      ...billHandlers(deps),
      ...disbursementHandlers(deps, idempotency),
      ...arrivalHandlers(deps, idempotency),
      ...followUpHandlers(deps),
      ...pictureHandlers(deps),
      ...disbursementTable(deps.db),
    },
    sweeps: [() => forgetOldCases(deps.db)],
    jobs: {
      forget_receipt: ({ hash }: JobPayloads['forget_receipt']): Promise<void> => forgetBill(deps.db, hash),
      forget_follow_up_picture: ({ file }: JobPayloads['forget_follow_up_picture']): Promise<void> => forgetPicture(deps, file),
    },
  }
}
