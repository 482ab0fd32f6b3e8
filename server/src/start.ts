/**
 * Starts a server from its settings: database, migrations, secrets, sandbox, administrator, demo community, due work, HTTP.
 * - Everything that was started is stopped in reverse order, also if a later step fails.
 */
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { createDrand } from './adapters/beacon/drand.ts'
import { openCashfree, sandboxAccounts } from './adapters/cashfree/open.ts'
import { type Clock, createClock } from './adapters/clock.ts'
import { forgetSilence, noting } from './adapters/gateway-silence.ts'
import { createCatcher } from './adapters/mail/catcher.ts'
import { noMandates } from './adapters/mandates/none.ts'
import { bankTransferGateway, besideTransfers } from './adapters/payments/bank-transfer.ts'
import { createOutsideTime } from './adapters/outside-time.ts'
import { createWebPush } from './adapters/push/web-push.ts'
import { openStorage } from './adapters/storage/open-storage.ts'
import { buildApp } from './app.ts'
import type { Config } from './config/config.ts'
import { expectRoom, START_CONNECTION } from './db/connection-room.ts'
import { startPostgres } from './db/embedded/embedded.ts'
import { addressesOf } from './db/hosts.ts'
import { migrate } from './db/migrate.ts'
import { findUnjoined } from './db/restored.ts'
import { connect, DatabaseUnavailableError, type Db, sql } from './db/sql.ts'
import { expectSupported } from './db/supported-database.ts'
import { ALL_ADDRESSES } from './protection/own-hosts.ts'
import { stopGently } from './operation/gentle-stop.ts'
import { createMeters, type Meters } from './operation/meters.ts'
import { AdminAddressError, ensureAdmin } from './features/identity/ensure-admin.ts'
import { freeAddress } from './features/rights/unconfirmed.ts'
import { adminPassword, keepAdminPassword } from './staff/first-admin-password.ts'
import { ENCRYPTED_COLUMNS } from './encrypted-columns.ts'
import { inWords as keptInWords, listUnreadable } from './secrets/reencryption.ts'
import { ensureSecretKey } from './secrets/secret-key.ts'
import { createSecrets, type Secrets } from './secrets/secrets.ts'
import { parseWitnessKey } from './transparency-log/note.ts'
import { createServices, type Services } from './services.ts'
import { StartError } from './start-error.ts'

export type Running = { readonly stop: () => Promise<void> }
type Surroundings = {
  readonly log: FastifyBaseLogger
  /** Prints a line for the person who started the server. */
  readonly say: (line: string) => void
  /** Start of the wait for the server, in ms of the machine's clock. */
  readonly begunAtMs: number
}

/** Of a process's connections, those only for the log's signatures and its witnesses. */
const WITNESS_CONNECTIONS_MAX = 3

type Stop = () => Promise<void>
/** A name that no file has. */
const NO_FILE = `avatars/${'0'.repeat(32)}.webp`

export async function startServer(config: Config, around: Surroundings): Promise<Running> {
  const stops: Stop[] = []
  const stop = async (): Promise<void> => {
    for (const end of stops.splice(0).reverse()) await end()
  }
  try {
    await startWhole(config, around, stops)
    return { stop }
  } catch (error) {
    await stop()
    throw inPlainWords(error)
  }
}

/** What to do where the operating system refuses a file, an address or a port; its own message names them. */
const WAY_ON: Readonly<Record<string, string>> = {
  EACCES: 'This user may not do that. Give the file or folder to the user of the server, or choose another DATA_DIR or PORT.',
  EADDRINUSE: 'Stop what uses it, or choose another PORT.',
  EADDRNOTAVAIL: 'HOST is no address of this machine.',
  ENOTFOUND: 'HOST is no name of this machine.',
  ENOSPC: 'The disk is full (docs/runbooks/disk-full.md).',
}

function inPlainWords(error: unknown): unknown {
  const { message, code = '' } = error instanceof Error ? (error as NodeJS.ErrnoException) : { message: '' }
  return Object.hasOwn(WAY_ON, code) ? new StartError(`Roz could not start: ${message}. ${WAY_ON[code]}`) : error
}

async function startWhole(config: Config, around: Surroundings, stops: Stop[]): Promise<void> {
  await refuseBusyPort(config.host, config.port, 'PORT')
  if (config.payments === 'sandbox') await refuseBusyPort('127.0.0.1', config.sandboxPort, 'SANDBOX_PORT')
  await mkdir(config.dataDir, { recursive: true }).catch((error: Error) => {
    throw new StartError(`DATA_DIR ${config.dataDir} cannot be made: choose a folder of yours. (${error.message})`)
  })
  const urls = await openDatabase(config, around, stops)
  await prepareDatabase(config, urls, around)
  const secretKey = config.secretKey ?? (await ensureSecretKey(config.dataDir))
  if (config.payments === 'sandbox') await startGatewaySandbox(config, stops)
  await serve(config, { appUrl: urls.appUrl, secretKey }, around, stops)
}

/** Connections of the local database for commands and for PostgreSQL itself. */
const LOCAL_SPARE = 20

type DatabaseUrls = { readonly ownerUrl: string; readonly appUrl: string; readonly appRole: string | undefined }

/** Uses the PostgreSQL of DATABASE_URL, or starts the local one under DATA_DIR. */
async function openDatabase(config: Config, { log, say }: Surroundings, stops: Stop[]): Promise<DatabaseUrls> {
  if (config.databaseUrl !== undefined) {
    const ownerUrl = config.migrateDatabaseUrl ?? config.databaseUrl
    const appRole = decodeURIComponent(new URL(addressesOf(config.databaseUrl)[0] ?? '').username)
    return { ownerUrl, appUrl: config.databaseUrl, appRole: appRole === '' ? undefined : appRole }
  }
  const flags = [`max_connections=${Math.max(100, config.databaseConnections + LOCAL_SPARE)}`]
  const local = await startPostgres({ dataDir: path.join(config.dataDir, 'postgres'), log: (line) => log.info(line), flags })
  stops.push(local.stop)
  if (local.adopted) say('Found the database still running and took it over.')
  return { ownerUrl: local.ownerUrl, appUrl: local.appUrl, appRole: 'roz_app' }
}

const ONE_ROLE =
  'The role of DATABASE_URL owns the tables, so only triggers keep the books from being rewritten: give the server a role of its own, and the owner to MIGRATE_DATABASE_URL.'
const MAY_REWRITE = sql`select roz_now() is not null and has_table_privilege('transfer', 'update, delete, truncate') as "mayRewrite"`

/** Migrates as the owner. An external PostgreSQL is checked before and after with the server's role; an unfit one ends the start. */
async function prepareDatabase(config: Config, { ownerUrl, appUrl, appRole }: DatabaseUrls, { log }: Surroundings): Promise<void> {
  const warn = (line: string): void => log.warn(line)
  const toNewest = () => migrate(ownerUrl, { production: config.production, warn, ...(appRole === undefined ? {} : { appRole }) })
  const room = { url: appUrl, wanted: config.databaseConnections, warn }
  if (config.databaseUrl === undefined) {
    // A database that was found running has the limits of its own start.
    await inWords('DATA_DIR', expectRoom({ ...room, remedy: 'start again when nothing uses it' }))
    return void (await toNewest())
  }
  const db = connect({ url: appUrl, max: 1, named: config.namedStatements, applicationName: START_CONNECTION })
  try {
    // Before the first migration, so a refused database is not changed.
    await inWords('DATABASE_URL', expectSupported(db))
    await inWords('DATABASE_URL', expectRoom({ ...room, remedy: 'raise max_connections or the limit of the role or database' }))
    await inWords(
      ownerUrl === config.databaseUrl ? 'DATABASE_URL, whose role migrates where MIGRATE_DATABASE_URL is not set,' : 'MIGRATE_DATABASE_URL',
      toNewest(),
    )
    const { mayRewrite } = await inWords('DATABASE_URL', db.one<{ mayRewrite: boolean }>(MAY_REWRITE))
    if (mayRewrite && config.production) log.warn(ONE_ROLE)
  } finally {
    await db.close()
  }
}

async function inWords<T>(setting: string, asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    const reason = error instanceof DatabaseUnavailableError && error.cause instanceof Error ? error.cause : error
    throw new StartError(`The database of ${setting} cannot be used: ${reason instanceof Error ? reason.message : String(reason)}.`)
  }
}

/** Imported only if it is used: production does not contain the sandbox. */
async function startGatewaySandbox(config: Config, stops: Stop[]): Promise<void> {
  const { startSandbox } = await import('@roz/gateway-sandbox/sandbox.ts')
  if (config.gateway === undefined) return
  const sandbox = await startSandbox({
    port: config.sandboxPort,
    // In a container the checkout of the sandbox is reached as the server is; elsewhere only this machine needs it.
    host: ALL_ADDRESSES.includes(config.host) ? config.host : '127.0.0.1',
    dataDir: path.join(config.dataDir, 'gateway-sandbox'),
    ...sandboxAccounts(config.gateway, (path) => `http://127.0.0.1:${config.port}/api${path}`),
    clockUrl: `http://127.0.0.1:${config.port}/dev/clock`,
  })
  stops.push(() => sandbox.close())
}

/** Serves HTTP and runs the due work. */
async function serve(
  config: Config,
  shared: { readonly appUrl: string; readonly secretKey: string },
  around: Surroundings,
  stops: Stop[],
): Promise<void> {
  const { log } = around
  const db = connect({ url: shared.appUrl, max: config.databaseConnections - WITNESS_CONNECTIONS_MAX, named: config.namedStatements })
  stops.push(() => db.close())
  const witnessDb = connect({ url: shared.appUrl, max: WITNESS_CONNECTIONS_MAX, named: config.namedStatements })
  stops.push(() => witnessDb.close())
  await refuseOwnWitness(config, db)
  await refuseForgottenRecords(db)
  await refuseUnjoined(db)
  const catcher = config.mailUrl === undefined ? createCatcher(db) : undefined
  const mailer = catcher ?? (await openSmtp(config))
  stops.push(() => mailer.close())
  const clock = createClock(db, { log, ...outsideOf(config) })
  const storage = openStorage(config.storage)
  // A failing file store does not stop a start. Wrong keys are reported here, not with the first upload.
  storage.find(NO_FILE).catch((error: unknown) => log.warn({ err: error }, 'STORAGE_URL: the file store cannot be used'))
  const secrets = createSecrets({ secretKey: shared.secretKey, secretKeyOld: config.secretKeyOld })
  await refuseUnreadable(db, secrets)
  await forgetSilence(db, config.gateway === undefined ? [] : config.gateway.payouts === undefined ? ['payments'] : ['payments', 'payouts'])
  const meters = createMeters()
  await openTraces(config, { log, meters }, stops)
  const services = createServices({
    db,
    witnessDb,
    clock,
    secrets,
    mailer,
    storage,
    beacon: createDrand({ relays: config.beacon.relays, warn: (details, message) => log.warn(details, message) }),
    push: createWebPush({ hosts: config.pushHosts, subject: `mailto:${config.site.supportEmail}` }),
    log,
    meters,
    config,
    ...openGateways({ config, db, clock, log }),
  })
  // Before the first write: until then the product's clock still shows the end of the last run.
  await clock.read()
  const signIns = await prepareData(config, db, services, around)
  // The demo's days have moved it.
  await clock.read()
  stops.push(() => services.worker.stop())
  await services.catchUp()
  let stopping = false
  const app = await buildApp({ config, db, clock, storage, secrets, services, catcher, log, meters, isStopping: () => stopping })
  stops.push(async () => {
    stopping = true
    await stopGently(app, config.drainMs)
  })
  await app.listen({ host: config.host, port: config.port })
  services.worker.start()
  announce(config, around, signIns)
}

/** Outside production /dev/clock moves the clocks of the product and of the sandbox's beacon: nobody outside knows their time. */
function outsideOf({ production, payments, gateway, beacon: { chain, relays } }: Config) {
  if (!production) return {}
  return {
    outsideMs: createOutsideTime({
      beacon: createDrand({ relays }),
      chain,
      urls: payments === 'cashfree' && gateway !== undefined ? [gateway.baseUrl] : [],
    }),
  }
}

function openGateways({ config: { gateway }, db, clock, log }: { config: Config; db: Db; clock: Clock; log: FastifyBaseLogger }) {
  if (gateway === undefined) return { gateway: bankTransferGateway({ db }), mandates: noMandates }
  const deps = { db, warn: log.warn.bind(log), alarm: log.error.bind(log) }
  const opened = openCashfree(gateway, () => clock.now().getTime())
  return {
    ...opened,
    mandates: noting(deps, 'payments', opened.mandates, [
      'createMandate',
      'fetchMandate',
      'raiseCharge',
      'fetchCharge',
      'cancelCharge',
      'cancelMandate',
    ]),
    settlements: noting(deps, 'payments', opened.settlements, ['listSettlements', 'listSettlementEvents']),
    gateway: besideTransfers(
      { db },
      noting(deps, 'payments', opened.gateway, [
        'createOrder',
        'fetchOrder',
        'createRefund',
        'fetchRefund',
        'fetchDispute',
        'listDisputes',
      ]),
    ),
    payouts: opened.payouts && noting(deps, 'payouts', opened.payouts, ['ensureBeneficiary', 'send', 'fetchTransfer']),
  }
}

/** Imported only if there is a mail server: the library takes 8 MB. */
async function openSmtp({ mailUrl, mailFrom, mailNeedsTls, business }: Config) {
  const { createSmtpMailer } = await import('./adapters/mail/smtp.ts')
  return createSmtpMailer({ url: mailUrl as string, from: mailFrom, brandName: business.brandName, needsTls: mailNeedsTls })
}

/** Imported only if traces are on. It stops after the server and the due work, whose last spans it sends. */
async function openTraces({ traces }: Config, { log, meters }: { log: FastifyBaseLogger; meters: Meters }, stops: Stop[]): Promise<void> {
  if (traces === undefined) return
  const { startTraces } = await import('./tracing/opentelemetry.ts')
  stops.push(startTraces({ settings: traces, count: meters.spans, warn: (details, message) => log.warn(details, message) }))
}

/** Checks all encrypted values at the start: a missing key would otherwise show at midnight, with the first value that needs it. */
async function refuseUnreadable(db: Db, secrets: Secrets): Promise<void> {
  const unreadable = await listUnreadable(db, secrets, ENCRYPTED_COLUMNS)
  if (unreadable.length === 0) return
  const [, old] = secrets.keyIds
  const [what, advice] =
    old === undefined
      ? ['another key than SECRET_KEY', 'Start with the previous key as SECRET_KEY_OLD']
      : ['a key that is neither SECRET_KEY nor SECRET_KEY_OLD', 'Start with the right previous key as SECRET_KEY_OLD']
  throw new StartError(
    `The database has encrypted values that cannot be decrypted (${keptInWords(unreadable)}): they were encrypted with ${what}. ${advice}; remove SECRET_KEY_OLD when “roz keys reencrypt” says so.`,
  )
}

/** Others have seen more records than a restored log. Serving would publish different ones under the same numbers (later-checkpoint.ts). */
async function refuseForgottenRecords(db: Db): Promise<void> {
  const { seen, records } = await db.one<{ seen: bigint; records: bigint }>(
    sql`select coalesce((select max(size) from checkpoint), 0) as seen, coalesce((select max(index) + 1 from log_entry), 0) as records`,
  )
  if (seen > records)
    throw new StartError(
      `The log of this database has ${records} records, and others have seen ${seen}: its next one would contradict them. Restore a later second (docs/runbooks/restore.md).`,
    )
}

/** A start closes days, publishes them and sends money: only after the restored database knows what came after its second. */
async function refuseUnjoined(db: Db): Promise<void> {
  const target = await findUnjoined(db)
  if (target !== undefined)
    throw new StartError(
      `This database was restored (${target}) and does not know yet what came after that second: run roz restore finish on it first, as docs/runbooks/restore.md says.`,
    )
}

/** The operator of the log must not be its own witness. */
async function refuseOwnWitness({ witnesses }: Config, db: Db): Promise<void> {
  const own = await db.query<{ origin: string; publicKey: Buffer }>(sql`select origin, public_key as "publicKey" from log_key`)
  for (const text of witnesses.keys) {
    const witness = parseWitnessKey(text)
    if (own.some(({ origin, publicKey }) => witness?.name === origin || witness?.publicKey.equals(publicKey)))
      throw new StartError(`WITNESS_KEYS: “${text}” is the log's own name or key. A witness is somebody else.`)
  }
}

const PASSED_OVER =
  'ADMIN_EMAIL is the address of somebody whom an owner has removed, or who is no owner any more: no account was made or changed. Give the address of an owner.'

/** Makes the administrator and, if configured, the demo community; returns lines with their logins. */
async function prepareData(config: Config, db: Db, services: Services, { say, log }: Surroundings): Promise<string[]> {
  const lines: string[] = []
  const password = config.admin.password ?? (await adminPassword(config.dataDir))
  try {
    const admin = await ensureAdmin(db, { email: config.admin.email, password }, freeAddress)
    if (admin.madePassword !== undefined) await keepAdminPassword(config.dataDir, admin.madePassword)
    if (admin.isPassedOver) log.warn(PASSED_OVER)
    const shown = admin.isPassedOver ? undefined : (admin.madePassword ?? password)
    if (!config.production && shown !== undefined) lines.push(`Administrator  ${config.admin.email}  ${shown}`)
  } catch (error) {
    if (error instanceof AdminAddressError) throw new StartError(error.message)
    throw error
  }
  if (config.demo) {
    const { DEMO_PASSWORD, seedDemo } = await import('./demo/demo.ts')
    const demo = await seedDemo({ db, services, say })
    if (demo.signIn !== undefined) lines.push(`Demo member    ${demo.signIn}  ${DEMO_PASSWORD}`)
  }
  return lines
}

function announce(config: Config, { say, begunAtMs }: Surroundings, signIns: readonly string[]): void {
  const url = config.publicUrl ?? `http://localhost:${config.port}`
  say(`${config.business.brandName} is ready at ${url} (${((Date.now() - begunAtMs) / 1000).toFixed(1)} s)`)
  if (config.production) return
  say(`Admin portal   ${url}/admin/login`)
  if (config.mailUrl === undefined) say(`Caught mails   ${url}/dev/mail`)
  if (config.gateway === undefined) say('Payments       by bank transfer: finance confirms each one')
  if (config.payments === 'sandbox') say(`Payments       a sandbox on port ${config.sandboxPort}: no real money moves`)
  for (const line of signIns) say(line)
}

/** Fails before anything is started, with the name of the setting to change. */
async function refuseBusyPort(host: string, port: number, setting: string): Promise<void> {
  const busy = await new Promise<boolean>((resolve) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EADDRINUSE'))
    probe.listen(port, host, () => probe.close(() => resolve(false)))
  })
  if (busy)
    throw new StartError(`Port ${port} on ${host} is in use. Stop what uses it, or choose another: ${setting}=${port + 10} npm start`)
}
