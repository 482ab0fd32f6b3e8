/**
 * Runs the product's server as app.ts builds it, with handlers that only return a fixed answer.
 *
 * - It measures only the cost of HTTP, sessions, JSON, validation, headers, metrics and the log.
 */
import { api, type CallName } from '@roz/contract/api.ts'
import { createClock } from '@roz/server/adapters/clock.ts'
import { buildApp } from '@roz/server/app.ts'
import { readConfig } from '@roz/server/config/config.ts'
import { connect } from '@roz/server/db/sql.ts'
import { createLog } from '@roz/server/operation/logger.ts'
import { createMeters } from '@roz/server/operation/meters.ts'
import { createSessions } from '@roz/server/features/identity/sessions.ts'
import { createSecrets } from '@roz/server/secrets/secrets.ts'
import type { Services } from '@roz/server/services.ts'

const config = readConfig(process.env)
const db = connect({ url: config.databaseUrl ?? '' })
const joined = JSON.parse(process.env.JOINED ?? '{}') as unknown
const empty = async (): Promise<unknown> => ({ ok: true, value: joined })
const services = {
  sessions: createSessions(db, { production: false }),
  handlers: Object.fromEntries((Object.keys(api) as CallName[]).map((name) => [name, empty])),
  worker: { runDue: async () => undefined },
  mountPages: () => undefined,
}
const storage = { read: async () => undefined, write: async () => '', remove: async () => undefined }

const app = await buildApp({
  config,
  db,
  clock: createClock(db),
  storage: storage as never,
  secrets: createSecrets({ secretKey: 'only the access log of a measurement uses it' }),
  // Contains only the services that every request uses.
  services: services as unknown as Services,
  catcher: undefined,
  log: createLog({ level: config.logLevel }),
  meters: createMeters(),
  isStopping: () => false,
})
await app.listen({ host: config.host, port: config.port })
process.once('SIGTERM', () => process.exit(0))
