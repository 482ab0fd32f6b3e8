/** Fixture: all features on a database of their own, at noon of a day, with scripted gateways and a storage that records removals. */
import { startOfDayMs } from '@roz/core/ist-day.ts'
import type { FastifyBaseLogger } from 'fastify'
import { pino } from 'pino'
import { createDrand } from '../adapters/beacon/drand.ts'
import { type ClockOptions, createClock } from '../adapters/clock.ts'
import { createCatcher } from '../adapters/mail/catcher.ts'
import type { MandateGateway } from '../adapters/mandates/port.ts'
import type { PaymentGateway } from '../adapters/payments/port.ts'
import type { PayoutGateway } from '../adapters/payouts/port.ts'
import type { SettlementGateway } from '../adapters/settlements/port.ts'
import { createWebPush } from '../adapters/push/web-push.ts'
import { readConfig } from '../config/config.ts'
import type { Db } from '../db/sql.ts'
import { DAY } from '../ledger/testing/fixtures.ts'
import { createServices } from '../services.ts'
import { serveCalls, testSecrets } from './calls.ts'
import { createTestDatabase } from './database.ts'
import { perFile } from './fixture.ts'
import { createModelMandates } from './model-mandates.ts'
import { scriptedPayouts, scriptedRefunds } from './payouts-world.ts'
import { expectDaysHold } from './verifier.ts'

export type ServicesWorld = Awaited<ReturnType<typeof openServicesWorld>>
/** One for all tests of a file. */
export const useServicesWorld = (given: Gateways = {}): ServicesWorld => perFile(() => openServicesWorld(given))

type Gateways = {
  readonly clock?: ClockOptions
  /** Of the database, for a gateway that is a table of ours. */
  readonly gateway?: PaymentGateway | ((db: Db) => PaymentGateway)
  readonly mandates?: MandateGateway
  readonly settlements?: SettlementGateway
  readonly log?: FastifyBaseLogger
  readonly payouts?: PayoutGateway | undefined
  /** Settings of the environment. */
  readonly settings?: Readonly<Record<string, string>>
}

/** `payouts: undefined` means payouts by hand. */
export async function openServicesWorld({ gateway = scriptedRefunds().gateway, ...given }: Gateways = {}) {
  const database = await createTestDatabase({ connectionsMax: 20 })
  const { db } = database
  const removed: string[] = []
  await database.setClock(new Date(startOfDayMs(DAY) + 12 * 3_600_000))
  const clock = createClock(db, given.clock)
  const services = createServices({
    db,
    clock,
    secrets: testSecrets,
    mailer: createCatcher(db),
    storage: { keep: async () => undefined, find: async () => undefined, remove: async (name) => void removed.push(name) },
    beacon: createDrand({ relays: [] }),
    gateway: typeof gateway === 'function' ? gateway(db) : gateway,
    mandates: given.mandates ?? createModelMandates().gateway,
    settlements: given.settlements,
    payouts: 'payouts' in given ? given.payouts : scriptedPayouts().payouts,
    push: createWebPush({ hosts: [], subject: 'mailto:support@roz.example' }),
    log: given.log ?? pino({ level: 'silent' }),
    config: readConfig(given.settings ?? {}),
  })
  await services.catchUp()
  const calls = await serveCalls(db, services.handlers)
  return {
    database,
    services,
    clock,
    calls,
    /** Names of removed files. */
    removed,
    close: async (): Promise<void> => {
      try {
        await expectDaysHold(db, { url: calls.url })
      } finally {
        await calls.close()
        await services.worker.stop()
        await database.drop()
      }
    },
  }
}
