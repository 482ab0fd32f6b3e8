/**
 * Builds all features by hand and connects them: each gets exactly what it needs.
 * - The HTTP process, the tests and the demo use the same services.
 */
import type { Language } from '@roz/core/language.ts'
import path from 'node:path'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { Clock } from './adapters/clock.ts'
import type { Beacon } from './adapters/beacon/port.ts'
import type { Mailer } from './adapters/mail/port.ts'
import type { MandateGateway } from './adapters/mandates/port.ts'
import type { PaymentGateway } from './adapters/payments/port.ts'
import type { PayeeNames } from './adapters/payee-names/port.ts'
import type { PayoutGateway } from './adapters/payouts/port.ts'
import type { PushSender } from './adapters/push/port.ts'
import type { SettlementGateway } from './adapters/settlements/port.ts'
import type { Storage } from './adapters/storage/port.ts'
import type { Config } from './config/config.ts'
import { createHeartbeat } from './db/heartbeat.ts'
import type { Db } from './db/sql.ts'
import { createAnnouncements } from './features/announcements/announcements.ts'
import { ENCRYPTED_DATA } from './encrypted-columns.ts'
import { createAccounts } from './features/accounts/accounts.ts'
import { createAdmin } from './features/admin/admin.ts'
import { createAudit } from './features/audit/scheduled-audit.ts'
import { createAutopay } from './features/autopay/autopay.ts'
import { createBooks } from './features/books/books.ts'
import { createContact } from './features/contact/contact.ts'
import { createDesk } from './features/desk/desk.ts'
import { createSiteEdit } from './features/desk/site-edit.ts'
import { createDisputes } from './features/disputes/disputes.ts'
import { createHelp } from './features/help/help.ts'
import { createHome } from './features/home/home.ts'
import { createIdentity } from './features/identity/identity.ts'
import { createImpact } from './features/impact/impact.ts'
import { createMemberCare } from './features/member-care/member-care.ts'
import { createNotifications } from './features/notifications/notifications.ts'
import { createOpenLog } from './features/open-log/open-log.ts'
import { createPapers } from './features/papers/papers.ts'
import { createPayouts } from './features/payouts/payouts.ts'
import { createPush } from './features/push/push.ts'
import { createRights } from './features/rights/rights.ts'
import { freeAddress } from './features/rights/unconfirmed.ts'
import { createRounds } from './features/rounds/rounds.ts'
import { createStaffLog } from './features/staff-log/staff-log.ts'
import { createWallet } from './features/wallet/wallet.ts'
import type { Meters } from './operation/meters.ts'
import { createAttempt, forgetUntried } from './jobs/parking.ts'
import { createSureRemoval, type Store } from './jobs/sure-removal.ts'
import { createWorker, forgetDoneJobs, type JobHandlers, type WorkerDeps } from './jobs/worker.ts'
import { createCheckpoints } from './transparency-log/checkpoints.ts'
import { createLogKeys, originOf } from './transparency-log/log-key.ts'
import { createLogProofs } from './transparency-log/log-tree.ts'
import { createReceipts } from './transparency-log/receipts.ts'
import { mailHandlers } from './mail/before-sending.ts'
import { createMailJob } from './mail/mail-job.ts'
import { createReencryption } from './secrets/reencryption.ts'
import type { Secrets } from './secrets/secrets.ts'
import { createTicketKeys, type TicketKeys } from './tickets/ticket-keys.ts'

type ServiceDeps = {
  readonly db: Db
  /** Separate connections for the log's signatures and its witnesses; by default `db`. */
  readonly witnessDb?: Db
  readonly clock: Clock
  readonly secrets: Secrets
  readonly mailer: Mailer
  readonly storage: Storage
  readonly beacon: Beacon
  readonly gateway: PaymentGateway
  readonly mandates: MandateGateway
  /** Undefined: no gateway settles, and nothing is read. */
  readonly settlements?: SettlementGateway | undefined
  /** Undefined without payout keys: withdrawals are then paid by hand. */
  readonly payouts?: PayoutGateway | undefined
  /** Undefined without its keys: the name of a UPI ID is not checked. */
  readonly payeeNames?: PayeeNames | undefined
  readonly push: PushSender
  readonly log: FastifyBaseLogger
  readonly meters?: Meters
  readonly config: Pick<
    Config,
    'production' | 'publicUrl' | 'port' | 'google' | 'business' | 'site' | 'beacon' | 'witnesses' | 'webDir' | 'pictureHosts'
  >
}

export type Services = ReturnType<typeof createServices>

/** Warnings and alarms of features to the operator, and the counter of failed due work. */
const operatorOf = ({ db, log, meters }: Pick<ServiceDeps, 'db' | 'log' | 'meters'>) => ({
  attempt: createAttempt({ db, log }),
  warn: (details: object, message: string) => log.warn(details, message),
  alarm: (details: object, message: string) => log.error(details, message),
  webhookLag: meters?.webhookLag,
  joinBatch: meters?.joinBatch,
})

type Operator = ReturnType<typeof operatorOf>

/** The features that move money in and out. */
function createMoney(
  { db, secrets, gateway, mandates, payeeNames, payouts: payoutGateway, config: { business } }: ServiceDeps,
  ticketKeys: TicketKeys,
  operator: Operator,
) {
  const wallet = createWallet({
    db,
    gateway,
    secrets,
    topupLimits: business.topupLimits,
    topupsOn: business.modes.topupsOn,
    cashoutOn: business.modes.withdrawalsOn,
    payeeNames,
    transferAccount: business.transferAccount,
    ticketKeys,
    ...operator,
  })
  const payouts = createPayouts({
    db,
    payouts: payoutGateway,
    gateway,
    secrets,
    approvalAbove: business.approvalAbove,
    ...operator,
  })
  const autopay = createAutopay({
    db,
    mandates,
    checkout: gateway.checkout,
    secrets,
    ticketKeys,
    topupLimits: business.topupLimits,
    termsVersion: business.termsVersion,
    autopayOn: business.autopayOn,
    topupsOn: business.modes.topupsOn,
    below: business.autopayBelow,
    ...operator,
  })
  return { wallet, payouts, disputes: createDisputes({ db, gateway, ...operator }), autopay }
}

const mailOf = ({ mailer, secrets, config }: ServiceDeps) =>
  createMailJob({
    mailer,
    brandName: config.business.brandName,
    topupLimits: config.business.topupLimits,
    modes: config.business.modes,
    supportEmail: config.site.supportEmail,
    publicUrl: config.publicUrl,
    localUrl: `http://localhost:${config.port}`,
    secrets,
  })

const identityOf = ({ db, secrets, storage, config }: ServiceDeps, ticketKeys: TicketKeys) =>
  createIdentity({
    db,
    production: config.production,
    secrets,
    brandName: config.business.brandName,
    termsVersion: config.business.termsVersion,
    google: config.google,
    storage,
    ticketKeys,
    freeAddress,
  })

/** All features. A feature that uses another one gets only the function that it needs. */
function createFeatures(deps: ServiceDeps) {
  const { db, witnessDb = db, secrets, config, log } = deps
  const { business } = config
  const operator = operatorOf(deps)
  const ticketKeys = createTicketKeys({ secrets })
  const logKeys = createLogKeys({ secrets, origin: originOf(config.publicUrl ?? `http://localhost:${config.port}`) })
  const receipts = createReceipts({ db, keys: logKeys, ticketKeys })
  const checkpoints = createCheckpoints({ db: witnessDb, keys: logKeys, alarm: operator.alarm })
  const proofs = createLogProofs({ db, checkpoints })
  const identity = identityOf(deps, ticketKeys)
  const { wallet, payouts, disputes, autopay } = createMoney(deps, ticketKeys, operator)
  const rounds = createRounds({
    db,
    secrets,
    ticketKeys,
    receipts,
    policy: business.policy,
    tax: business.tax,
    beacon: deps.beacon,
    chain: config.beacon.chain,
    witnesses: config.witnesses,
    log,
    ...operator,
  })
  const books = createBooks({ db, ticketKeys, proofs, alarm: operator.alarm })
  const openLog = createOpenLog({
    db,
    witnessDb,
    keys: logKeys,
    checkpoints,
    proofs,
    receipts,
    programFile: config.webDir === undefined ? undefined : path.join(config.webDir, 'verify', 'roz-verify.mjs'),
  })
  const impact = createImpact({ db, storage: deps.storage, pictureHosts: config.pictureHosts, attempt: operator.attempt })
  const help = createHelp({
    db,
    secrets,
    storage: deps.storage,
    approvalAbove: business.approvalAbove,
    production: config.production,
  })
  const accounts = createAccounts({
    db,
    secrets,
    approvalAbove: business.approvalAbove,
    reading: { settlements: deps.settlements, gatewayFee: business.gatewayFee, attempt: operator.attempt, alarm: operator.alarm },
    transfers: { areOffered: business.transferAccount !== undefined, credit: wallet.creditTransfer },
  })
  const home = createHome({ db, recentStories: impact.recentStories })
  const notifications = createNotifications({ db, secrets, attempt: operator.attempt })
  const push = createPush({ db, push: deps.push, secrets, warn: operator.warn })
  const ofMoney = { ...wallet.exports, ...payouts.exports, ...autopay.exports, ...rounds.exports }
  const contact = createContact({ db, production: config.production, supportEmail: config.site.supportEmail })
  const papers = createPapers({ db, secrets })
  const exports = {
    ...papers.exports,
    ...identity.exports,
    ...ofMoney,
    ...notifications.exports,
    ...push.exports,
    ...contact.exports,
    ...impact.exports,
  }
  const rights = createRights({ ...deps, exports, withdrawRest: wallet.withdrawRest, alarm: operator.alarm })
  const memberCare = createMemberCare({ db, transactionsOf: wallet.transactionsOf })
  const desk = createDesk({ db, payoutsByHand: deps.payouts === undefined, byTransfer: business.transferAccount !== undefined })
  const siteEdit = createSiteEdit({ db, settings: config.site })
  const audit = createAudit({ db, alarm: operator.alarm })
  return {
    identity,
    wallet,
    payouts,
    disputes,
    autopay,
    papers,
    rounds,
    books,
    openLog,
    impact,
    home,
    help,
    accounts,
    notifications,
    push,
    rights,
    contact,
    memberCare,
    desk,
    siteEdit,
    audit,
    mail: mailOf(deps),
  }
}

type Features = ReturnType<typeof createFeatures>

function workOf(deps: ServiceDeps, features: Features, ofFiles: Pick<JobHandlers, 'remove_file'>): WorkerDeps {
  const { db, clock, log } = deps
  const { identity, wallet, payouts, disputes, autopay, rounds, books, openLog, impact, help } = features
  const { notifications, push, rights, contact, memberCare, desk, audit, mail, accounts } = features
  return {
    db,
    log,
    now: clock.read,
    clockwork: [[rounds.due, async () => (await books.due()) !== undefined, openLog.due], rounds.askBeacon, notifications.due, impact.due],
    sweeps: [
      ...wallet.sweeps,
      disputes.due,
      ...payouts.sweeps,
      ...autopay.sweeps,
      accounts.due,
      accounts.matchDue,
      ...impact.sweeps,
      ...help.sweeps,
      identity.due,
      push.due,
      rights.due,
      contact.due,
      ...memberCare.sweeps,
      desk.due,
      createHeartbeat(db).due,
      audit.due,
      () => forgetDoneJobs(db),
      () => forgetUntried(db),
      createReencryption({ ...deps, data: ENCRYPTED_DATA }).due,
    ],
    handlers: {
      ...identity.jobs,
      ...wallet.jobs,
      ...payouts.jobs,
      ...disputes.jobs,
      ...impact.jobs,
      ...help.jobs,
      ...notifications.jobs,
      ...push.jobs,
      ...rounds.jobs,
      ...ofFiles,
      ...mailHandlers(deps, mail),
    },
  }
}

/** The handlers of all calls. */
const handlersOf = (db: Db, features: Features) => ({
  ...features.identity.handlers,
  ...features.wallet.handlers,
  ...features.payouts.handlers,
  ...features.papers.handlers,
  ...features.disputes.handlers,
  ...features.autopay.handlers,
  ...features.rounds.handlers,
  ...features.openLog.handlers,
  ...features.books.handlers,
  ...features.impact.handlers,
  ...features.home.handlers,
  ...features.help.handlers,
  ...features.accounts.handlers,
  ...features.notifications.handlers,
  ...features.push.handlers,
  ...features.rights.handlers,
  ...features.contact.handlers,
  ...features.memberCare.handlers,
  ...features.desk.handlers,
  ...features.siteEdit.handlers,
  ...createAdmin({ db }).handlers,
  ...createAnnouncements({ db }).handlers,
  ...createStaffLog({ db }).handlers,
})

export function createServices(given: Omit<ServiceDeps, 'storage'> & { readonly storage: Store }) {
  const files = createSureRemoval(given.db, given.storage)
  const deps = { ...given, storage: files.storage }
  const features = createFeatures(deps)
  const { identity, autopay, accounts, rounds, books, impact, home, notifications, push, siteEdit } = features
  const worker = createWorker(workOf(deps, features, files.jobs))
  return {
    sessions: identity.sessions,
    /** Pages that mails and the gateway lead to. */
    mountPages: (app: FastifyInstance): void => {
      notifications.mount(app)
      autopay.mount(app)
    },
    hasAutopay: autopay.isShown,
    hasTransfers: accounts.hasTransfers,
    recentStories: impact.recentStories,
    /** Reads for the public pages: the same answers that the API gives a visitor. */
    publicReads: {
      home: home.read,
      editedSite: siteEdit.read,
      currentRound: (language: Language) => rounds.readCurrent(undefined, language),
      stories: impact.newestStories,
      days: books.newestDays,
      dayFigures: books.figuresOfDay,
      story: impact.publishedStory,
      publicStories: impact.publishedAmong,
    },
    handlers: handlersOf(deps.db, features),
    worker: {
      ...worker,
      /** Closes push first, so a push service that hangs does not delay the stop. */
      stop: async (): Promise<void> => {
        deps.push.close()
        await worker.stop()
      },
    },
    /** Before a server serves: makes a missing push key, and closes, draws and makes rounds up to the present, or for two seconds. */
    catchUp: async (): Promise<void> => {
      await push.ready()
      await worker.catchUp()
    },
  }
}
