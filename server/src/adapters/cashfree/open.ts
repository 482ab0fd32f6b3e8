/** Opens every port over Cashfree, and the accounts of the local sandbox that plays its other side. */
import { cashfreeMandates } from '../mandates/cashfree-mandates.ts'
import { cashfreePayeeNames } from '../payee-names/cashfree-payee-names.ts'
import { cashfreeGateway } from '../payments/cashfree.ts'
import { cashfreePayouts } from '../payouts/cashfree-payouts.ts'
import { cashfreeSettlements } from '../settlements/cashfree-settlements.ts'
import type { CashfreeSettings } from './settings.ts'

export function openCashfree(settings: CashfreeSettings, nowMs: () => number) {
  const { mode, scriptUrl, payouts, verification } = settings
  return {
    gateway: cashfreeGateway({ ...settings, checkout: { mode, scriptUrl } }),
    mandates: cashfreeMandates(settings),
    settlements: cashfreeSettlements(settings),
    payouts: payouts && cashfreePayouts({ ...payouts, nowMs }),
    payeeNames: verification && cashfreePayeeNames({ ...verification, nowMs }),
  }
}

/** `notify` gives the address of a webhook. */
export function sandboxAccounts({ clientId, clientSecret, payouts, verification }: CashfreeSettings, notify: (path: string) => string) {
  return {
    pg: { clientId, clientSecret },
    payouts: payouts && {
      clientId: payouts.clientId,
      clientSecret: payouts.clientSecret,
      notifyUrl: notify('/webhooks/cashfree-payouts'),
    },
    verification: verification && { clientId: verification.clientId, clientSecret: verification.clientSecret },
    tabs: { subscriptions: { url: notify('/webhooks/cashfree-autopay'), version: '2025-01-01' as const } },
  }
}
