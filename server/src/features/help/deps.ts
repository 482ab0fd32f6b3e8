/** The dependencies of the help desk. */
import type { Storage } from '../../adapters/storage/port.ts'
import type { Db } from '../../db/sql.ts'
import type { Secrets } from '../../secrets/secrets.ts'

export type HelpDeps = {
  readonly db: Db
  readonly secrets: Secrets
  readonly storage: Storage
}
