/** The dependencies of the accounts. */
import type { Paise } from '@roz/core/money.ts'
import type { Db } from '../../db/sql.ts'
import type { Secrets } from '../../secrets/secrets.ts'

export type AccountsDeps = {
  readonly db: Db
  readonly secrets: Secrets
  /** Above this amount a second person approves. */
  readonly approvalAbove: Paise
}
