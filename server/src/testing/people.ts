/** Fixture of tests about people: login, notices, contact and caught mails, on a database of its own. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { paise } from '@roz/core/money.ts'
import { pino } from 'pino'
import { type CaughtMail, createCatcher } from '../adapters/mail/catcher.ts'
import { registerDevMail } from '../adapters/mail/dev-mail.ts'
import { createFileStorage } from '../adapters/storage/files.ts'
import { registerUploads } from '../adapters/storage/uploads.ts'
import { type Db, sql } from '../db/sql.ts'
import { createContact } from '../features/contact/contact.ts'
import { createIdentity } from '../features/identity/identity.ts'
import { createNotifications } from '../features/notifications/notifications.ts'
import { freeAddress } from '../features/rights/unconfirmed.ts'
import { createAttempt } from '../jobs/parking.ts'
import { TEST_MODES } from './modes.ts'
import { mailHandlers } from '../mail/before-sending.ts'
import { createMailJob } from '../mail/mail-job.ts'
import { createSecrets } from '../secrets/secrets.ts'
import { createTicketKeys, type TicketKeys } from '../tickets/ticket-keys.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { perFile } from './fixture.ts'
import { type Ask, startTestApp, type TestAnswer, type TestApp } from './http.ts'
import { createTestWorker, keepJobs } from './job-handlers.ts'

export const PASSWORD = 'correct horse 1'
export type Person = { readonly email: string; readonly token: string; readonly publicId: string }

export type People = TestApp & {
  readonly db: Db
  readonly database: TestDatabase
  readonly uploadsDir: string
  readonly ticketKeys: TicketKeys
  /** All lines that the server logged. */
  readonly logLines: string[]
  /** Runs all due jobs. */
  readonly runJobs: () => Promise<void>
  /** The mails to an address, newest first, after all jobs have run. */
  readonly mailsTo: (to: string) => Promise<CaughtMail[]>
  /** The token of the newest link to this path in a mail to this address. */
  readonly tokenFrom: (to: string, path: string) => Promise<string>
  /** Moves the clock on by this many seconds. */
  readonly pass: (seconds: number) => Promise<void>
  readonly register: (email: string, ask?: Ask & { readonly name?: string }) => Promise<Person>
  readonly memberId: (person: Person) => Promise<bigint>
  /** Status and code of the answer to a token: `403 forbidden`. */
  readonly codeOf: (call: string, token: string | undefined) => Promise<string>
  readonly login: (email: string, password: string, ask?: Ask) => Promise<TestAnswer>
}

export type PeopleOptions = { readonly google?: { readonly clientId: string; readonly jwksUrl: string }; readonly production?: boolean }

/** One for all tests of a file. */
export const usePeople = (options: PeopleOptions = {}): People => perFile(() => startPeople(options))

export async function startPeople(options: PeopleOptions = {}): Promise<People> {
  const database = await createTestDatabase()
  const { db } = database
  const uploadsDir = await mkdtemp(path.join(tmpdir(), 'roz-uploads-'))
  const storage = createFileStorage({ folder: uploadsDir })
  const secrets = createSecrets({ secretKey: 'a secret key for tests' })
  const catcher = createCatcher(db)
  const production = options.production ?? false
  const google = options.google ?? { clientId: undefined, jwksUrl: 'http://127.0.0.1:1/certs' }
  const ticketKeys = createTicketKeys({ secrets })
  const identity = createIdentity({
    db,
    production,
    secrets,
    brandName: 'Roz',
    termsVersion: '2025-08-09',
    google,
    storage,
    ticketKeys,
    freeAddress,
  })
  const notifications = createNotifications({ db, secrets, attempt: createAttempt({ db, log: pino({ level: 'silent' }) }) })
  const contact = createContact({ db, production, supportEmail: 'support@roz.example' })
  const mail = createMailJob({
    mailer: catcher,
    brandName: 'Roz',
    topupLimits: { min: paise(1000n), max: paise(3000n) },
    modes: TEST_MODES,
    supportEmail: 'support@roz.example',
    publicUrl: undefined,
    localUrl: 'http://localhost:8080',
    secrets,
  })
  const worker = createTestWorker(db, {
    handlers: keepJobs([], { ...mailHandlers({ db, secrets }, mail), ...identity.jobs, ...notifications.jobs }),
    clockwork: [identity.due, contact.due, notifications.due],
  })
  const logLines: string[] = []
  const app = await startTestApp({
    handlers: { ...identity.handlers, ...notifications.handlers, ...contact.handlers },
    sessions: identity.sessions,
    mount: (server) => {
      registerDevMail(server, catcher)
      registerUploads(server, storage)
      notifications.mount(server)
    },
    logTo: { write: (line) => void logLines.push(line) },
  })
  const mailsTo = async (to: string): Promise<CaughtMail[]> => {
    await worker.runDue()
    return catcher.listCaught(to)
  }
  return {
    ...app,
    db,
    database,
    uploadsDir,
    ticketKeys,
    logLines,
    runJobs: () => worker.runDue(),
    mailsTo,
    tokenFrom: async (to, linkPath) => {
      const links = (await mailsTo(to)).flatMap((mail) => mail.links).map((link) => new URL(link))
      const token = links.find((link) => link.pathname === linkPath)?.searchParams.get('token')
      if (token === undefined || token === null) throw new Error(`no mail to ${to} leads to ${linkPath}`)
      return token
    },
    pass: async (seconds) => {
      await db.query(sql`select set_clock_offset((select offset_ms from clock_offset) + ${seconds * 1000}::bigint)`)
    },
    register: async (email, { name = 'Asha Verma', ...ask } = {}) => {
      const answer = await app.ask('POST /auth/register', { ...ask, body: { name, email, phone: '9876543210', password: PASSWORD } })
      if (answer.status !== 201) throw new Error(`registration answered ${answer.status}: ${answer.text}`)
      return { email, token: answer.body.token, publicId: answer.body.user.id }
    },
    memberId: async (person) => (await db.one<{ id: bigint }>(sql`select id from member where public_id = ${person.publicId}::uuid`)).id,
    codeOf: async (call, token) => {
      const { status, body } = await app.ask(call, token === undefined ? {} : { token })
      return `${status} ${body?.code ?? ''}`.trim()
    },
    login: (email, password, ask = {}) => app.ask('POST /auth/login', { ...ask, body: { email, password } }),
    close: async () => {
      await app.close()
      await worker.stop()
      await rm(uploadsDir, { recursive: true, force: true })
      await database.drop()
    },
  }
}
