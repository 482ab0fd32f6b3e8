/** The dependencies of the accounts. */
import type { Paise } from '@roz/core/money.ts'
import type { Db } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import type { ReadingDeps } from './reading.ts'

export type AccountsDeps = {
  readonly db: Db
  readonly secrets: Secrets
  /** Above this amount a second person approves. */
  readonly approvalAbove: Paise
  /** Undefined: the gateway's settlements are not read. */
  readonly reading?: Omit<ReadingDeps, 'db'>
  readonly transfers: Transfers
}

export type Transfers = {
  /** Money is added by bank transfers now. Otherwise only a line with an order's reference is one, of the time before. */
  readonly areOffered: boolean
  /** Of the wallet: books a payment of an order, or of none. */
  readonly credit: (tx: Tx, payment: { readonly orderId: string; readonly paymentId: string; readonly amount: Paise }) => Promise<unknown>
}
