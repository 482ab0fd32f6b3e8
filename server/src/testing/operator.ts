/** Fixture: the operator's endpoints on a database, without the rest of the server and its folder. */
import Fastify from 'fastify'
import type { Db } from '../db/sql.ts'
import type { Witnesses } from '../operation/figures.ts'
import { createMeters } from '../operation/meters.ts'
import { registerOperator } from '../operation/operator.ts'

export function operatorApp(db: Db, { witnesses = { keys: [], quorum: 2 } }: { readonly witnesses?: Witnesses } = {}) {
  const app = Fastify()
  registerOperator(app, { db, meters: createMeters(), witnesses, dataDir: '/nowhere', metricsToken: undefined, isStopping: () => false })
  return app
}
