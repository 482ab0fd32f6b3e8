/** The dependencies of the help desk. */
import type { Paise } from '@roz/core/money.ts'
import type { Storage } from '../../adapters/storage/port.ts'
import type { Db } from '../../db/sql.ts'
import type { Secrets } from '../../secrets/secrets.ts'

export type HelpDeps = {
  readonly db: Db
  readonly secrets: Secrets
  readonly storage: Storage
  /** Above this amount a second person approves. */
  readonly approvalAbove: Paise
}
export type CaseDeps = HelpDeps & { readonly production: boolean }
