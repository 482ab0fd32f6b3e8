/** Fixture: all features with real sessions and a listening push service, on a database of its own, at noon of a day. */
import { addDays, startOfDayMs } from '@roz/core/ist-day.ts'
import { paise } from '@roz/core/money.ts'
import { createClock } from '../adapters/clock.ts'
import { createDrand } from '../adapters/beacon/drand.ts'
import { createCatcher } from '../adapters/mail/catcher.ts'
import { createWebPush } from '../adapters/push/web-push.ts'
import { readConfig } from '../config/config.ts'
import { sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { openSession } from '../features/identity/sessions.ts'
import { addMoney, DAY } from '../ledger/testing/fixtures.ts'
import { createLog } from '../operation/logger.ts'
import { createServices } from '../services.ts'
import { makeMember, testSecrets } from './calls.ts'
import { createTestDatabase } from './database.ts'
import { perFile } from './fixture.ts'
import { startTestApp } from './http.ts'
import { createModelMandates } from './model-mandates.ts'
import { scriptedPayouts, scriptedRefunds } from './payouts-world.ts'
import { startPushService, type TestBrowser, trustPushService } from './push-service.ts'

const HOUR_MS = 3_600_000
type PushWorld = Awaited<ReturnType<typeof openPushWorld>>
/** One for all tests of a file. */
export const usePushWorld = (): PushWorld => perFile(openPushWorld)
export type Owner = { readonly id: bigint; readonly token: string }

async function openPushWorld() {
  trustPushService()
  const [database, service] = await Promise.all([createTestDatabase({ connectionsMax: 20 }), startPushService()])
  const { db } = database
  const logLines: string[] = []
  const logTo = { write: (line: string) => void logLines.push(line) }
  let day = DAY
  await database.setClock(new Date(startOfDayMs(day) + 12 * HOUR_MS))
  const push = createWebPush({ hosts: [service.host], subject: 'mailto:support@roz.example', timeoutMs: 5000 })
  const mailer = createCatcher(db)
  const services = createServices({
    db,
    clock: createClock(db),
    secrets: testSecrets,
    mailer,
    storage: { keep: async () => undefined, find: async () => undefined, remove: async () => undefined },
    beacon: createDrand({ relays: [] }),
    gateway: scriptedRefunds().gateway,
    mandates: createModelMandates().gateway,
    payouts: scriptedPayouts().payouts,
    push,
    log: createLog({ level: 'trace', to: logTo }),
    config: readConfig({}),
  })
  await services.catchUp()
  const app = await startTestApp({ handlers: services.handlers, sessions: services.sessions, logTo })
  const signIn = (id: bigint): Promise<string> => inTransaction(db, (tx) => openSession(tx, id, 'member'))

  /** Runs until no push job is due or running: on a busy machine one run can end before a slow lane. */
  async function runAll(): Promise<void> {
    const running = sql`
      select 1 from job where kind in ('push_round', 'push_page', 'push_story', 'push_story_page', 'push_follow_up', 'push_follow_up_page', 'push_reminder') and done_at is null and (due_at <= roz_now() or locked_until > roz_now())`
    do await services.worker.runDue()
    while ((await db.query(running)).length > 0)
  }

  return {
    database,
    db,
    runAll,
    services,
    service,
    push,
    logLines,
    ask: app.ask,
    mailer,
    signIn,
    /** Makes a member with ten rupees who is logged in. */
    async member(language = 'en'): Promise<Owner> {
      const id = await makeMember(db)
      await db.query(sql`update member set language = ${language}::text where id = ${id}::bigint`)
      await addMoney(db, id, paise(1_000n))
      return { id, token: await signIn(id) }
    },
    async subscribe({ token }: Pick<Owner, 'token'>, browser: TestBrowser = service.newBrowser()): Promise<TestBrowser> {
      const answer = await app.ask('POST /notifications/push', { token, body: browser.subscription })
      if (answer.status !== 204) throw new Error(`POST /notifications/push answered ${answer.status} ${answer.text}`)
      return browser
    },
    async join({ token }: Owner): Promise<void> {
      const answer = await app.ask('POST /rounds/join', { token, body: {} })
      if (answer.status !== 200) throw new Error(`POST /rounds/join answered ${answer.status} ${answer.text}`)
    },
    devicesOf: (id: bigint) =>
      db.query<{ id: bigint; toldDay: string | null; keyNumber: number }>(
        sql`select id, told_day::text as "toldDay", key_number as "keyNumber" from push_device where member_id = ${id}::bigint order by id`,
      ),
    /** The current day. */
    today: () => day,
    /** Moves to noon of the next day and runs all due work; the previous day is then settled. */
    async nextDay(): Promise<void> {
      day = addDays(day, 1)
      await database.setClock(new Date(startOfDayMs(day) + 12 * HOUR_MS))
      await runAll()
    },
    /** Moves the clock on and runs all due work. */
    async pass(seconds: number): Promise<void> {
      await db.query(sql`select set_clock_offset((select offset_ms from clock_offset) + ${seconds * 1000}::bigint)`)
      await runAll()
    },
    close: async (): Promise<void> => {
      await app.close()
      await services.worker.stop()
      await service.close()
      await database.drop()
    },
  }
}
