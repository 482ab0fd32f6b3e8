/** The help desk: beneficiaries and their consent, and the receipts that prove what was paid. */
import { beneficiaryHandlers } from './beneficiaries.ts'
import type { HelpDeps } from './deps.ts'
import { receiptHandlers } from './receipts.ts'

export const createHelp = (deps: HelpDeps) => ({ handlers: { ...beneficiaryHandlers(deps), ...receiptHandlers(deps) } })
