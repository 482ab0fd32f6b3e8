/** The dependencies of the payouts feature. */
import type { PaymentGateway } from '../../adapters/payments/port.ts'
import type { PayoutGateway } from '../../adapters/payouts/port.ts'
import { type Paise, rupeesFromPaise } from '@roz/core/money.ts'
import type { Db } from '../../db/sql.ts'
import type { Meters } from '../../operation/meters.ts'
import type { Attempt } from '../../jobs/parking.ts'
import { readAllowance } from '../../ledger/approvals.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import { openWork, type WorkView } from '../../staff/open-work.ts'

export type PayoutsDeps = {
  readonly db: Db
  /** Undefined without payout keys: withdrawals are then paid by hand. */
  readonly payouts: PayoutGateway | undefined
  /** The gateway of payments, which refunds go back through. */
  readonly gateway: Pick<PaymentGateway, 'createRefund' | 'fetchRefund' | 'checkout'>
  readonly secrets: Secrets
  /** Above this amount two persons approve. */
  readonly approvalAbove: Paise
  readonly attempt: Attempt
  readonly webhookLag?: Meters['webhookLag'] | undefined
  /** Warns the operator that a gateway could not be asked; never names a person. */
  readonly warn: (details: object, message: string) => void
  /** Alarms the operator that money is not where we booked it: a person must look. */
  readonly alarm: (details: object, message: string) => void
}

export const workFor = ({ payouts, gateway }: Pick<PayoutsDeps, 'payouts' | 'gateway'>, viewer: WorkView['viewer']) =>
  openWork({ viewer, payoutsByHand: payouts === undefined, byTransfer: gateway.checkout === undefined })

/** In rupees, the largest amount that this person can still decide alone. */
export const allowanceOf = async ({ db, approvalAbove: limit }: PayoutsDeps, { memberId: by }: { readonly memberId: bigint }) =>
  rupeesFromPaise(await readAllowance(db, { by, limit }))
