/** What the payouts feature needs from the program. */
import type { PaymentGateway } from '../../adapters/payments/port.ts'
import type { PayoutGateway } from '../../adapters/payouts/port.ts'
import type { Db } from '../../db/sql.ts'
import type { Attempt } from '../../jobs/parking.ts'
import type { Secrets } from '../../secrets/secrets.ts'

export type PayoutsDeps = {
  readonly db: Db
  /** Undefined without payout keys: withdrawals are then paid by hand. */
  readonly payouts: PayoutGateway | undefined
  /** Where payments came from, and refunds go back to. */
  readonly gateway: Pick<PaymentGateway, 'createRefund' | 'fetchRefund'>
  readonly secrets: Secrets
  readonly attempt: Attempt
  /** Tells the operator that a gateway could not be asked; never names a person. */
  readonly warn: (details: object, message: string) => void
  /** Tells the operator that money stands otherwise than we thought: somebody has to look. */
  readonly alarm: (details: object, message: string) => void
}
