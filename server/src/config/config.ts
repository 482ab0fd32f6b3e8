/**
 * Reads the server's settings from the environment. Only main.ts touches the environment, once; declared.ts lists the settings.
 * - In production (NODE_ENV=production) no setting has a default that is safe on a laptop only.
 * - One message names every missing, wrong or unsafe setting.
 */
import { isIP } from 'node:net'
import path from 'node:path'
import { type Paise, paiseFromRupees, rupeesFromPaise, wholeRupees } from '@roz/core/money.ts'
import { type Modes, splitShown } from '@roz/core/modes.ts'
import { POLICY_A, policyB, type SplitPolicy } from '@roz/core/split.ts'
import { checksNames, readCashfree } from '../adapters/cashfree/settings.ts'
import { beaconSettings, witnessSettings } from './beacon-settings.ts'
import { defaultOf, NEEDED } from './declared.ts'
import { allowedInsecure, type Allowed, isThisMachine, judgeHost, judgeLines, judgeSecrets } from './safety.ts'
import { Settings } from './settings.ts'
import { storageSettings } from './storage-settings.ts'
import { traceSettings } from './trace-settings.ts'
import { transferSettings } from './transfer-settings.ts'

export type Config = ReturnType<typeof readConfig>
export type Environment = Readonly<Record<string, string | undefined>>

const PORT_MAX = 65_535

/** All complaints in one message, so that the operator can correct them at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly complaints: readonly string[]
  constructor(complaints: readonly string[]) {
    super(
      `Roz cannot start with these settings:\n${complaints.map((line) => `  - ${line}`).join('\n')}\ndocs/settings.md explains each of them.`,
    )
    this.complaints = complaints
  }
}

/** Reads and checks the environment. Throws ConfigError with every complaint. */
export function readConfig(env: Environment) {
  const settings = new Settings(env)
  const production = settings.choice('NODE_ENV') === 'production'
  const port = settings.integer('PORT')
  const host = settings.textOr('HOST')
  const dataDir = path.resolve(settings.textOr('DATA_DIR'))
  const allowed = allowedInsecure(settings)
  if (production) judgeProduction(settings, allowed)
  else judgeHost(settings, host, allowed)
  const publicUrl = originOf(settings, 'PUBLIC_URL')
  const databaseUrl = settings.postgresUrl('DATABASE_URL')
  const payments = settings.choice('PAYMENTS')
  const sandboxPort = settings.integer('SANDBOX_PORT', Math.min(port + 1, PORT_MAX))
  if (payments === 'sandbox' && sandboxPort === port) settings.complain('SANDBOX_PORT: another port than PORT')
  const demo = settings.flag('DEMO', databaseUrl === undefined) && !production
  const config = {
    production,
    port,
    host,
    dataDir,
    publicUrl,
    databaseUrl,
    migrateDatabaseUrl: settings.postgresUrl('MIGRATE_DATABASE_URL') ?? databaseUrl,
    namedStatements: settings.flag('PG_NAMED'),
    databaseConnections: settings.integer('DATABASE_CONNECTIONS'),
    drainMs: settings.integer('DRAIN_SECONDS', production ? 3 : 0) * 1000,
    payments,
    sandboxPort,
    /** Undefined: money is added by bank transfers. */
    gateway:
      payments === 'bank-transfer'
        ? undefined
        : readCashfree(settings, { production, payments, sandboxUrl: `http://127.0.0.1:${sandboxPort}` }),
    beacon: beaconSettings(settings, production),
    witnesses: witnessSettings(settings),
    storage: storageSettings(settings, dataDir, (host) => !production || isThisMachine(host)),
    traces: traceSettings(settings, (host) => !production || isThisMachine(host) || allowed('traces')),
    mailUrl: settings.smtpUrl('MAIL_URL'),
    mailNeedsTls: production && !allowed('mail'),
    mailFrom: settings.mailAddress('MAIL_FROM') ?? defaultOf('MAIL_FROM'),
    google: {
      clientId: settings.text('GOOGLE_CLIENT_ID'),
      jwksUrl: settings.url('GOOGLE_JWKS_URL') ?? defaultOf('GOOGLE_JWKS_URL'),
    },
    pushHosts: hostsOf(settings, 'PUSH_HOSTS', 'push.example.org'),
    pictureHosts: hostsOf(settings, 'PICTURE_HOSTS', 'pictures.example.org'),
    admin: { email: settings.mailAddress('ADMIN_EMAIL') ?? defaultOf('ADMIN_EMAIL'), password: settings.text('ADMIN_PASSWORD') },
    demo,
    secretKey: settings.text('SECRET_KEY'),
    secretKeyOld: settings.text('SECRET_KEY_OLD'),
    trustProxy: trustProxy(settings),
    metricsToken: settings.text('METRICS_TOKEN'),
    logLevel: settings.choice('LOG_LEVEL', production ? 'info' : 'warn'),
    webDir: settings.text('WEB_DIR'),
    business: businessSettings(settings, {
      production,
      demoAtSandbox: demo && payments === 'sandbox',
      byTransfer: payments === 'bank-transfer',
      asksNames: checksNames(settings, payments),
    }),
    securityEmail: settings.mailAddress('SECURITY_EMAIL'),
    site: siteSettings(settings, production),
  }
  settings.finish((complaints) => new ConfigError(complaints))
  return config
}

/** The settings of the operator's commands: where the database is. */
export function auditSettings(env: Environment) {
  const settings = new Settings(env)
  const target = {
    databaseUrl: settings.postgresUrl('DATABASE_URL'),
    dataDir: path.resolve(settings.textOr('DATA_DIR')),
    namedStatements: settings.flag('PG_NAMED'),
  }
  settings.finish((complaints) => new ConfigError(complaints))
  return target
}

/** Checks the settings that production requires. Each missing one is a separate complaint. */
function judgeProduction(settings: Settings, allowed: Allowed): void {
  const byTransfer = settings.text('PAYMENTS') === 'bank-transfer'
  for (const name of NEEDED) if (!byTransfer || !name.startsWith('CASHFREE_')) settings.required(name)
  const beacon = settings.text('BEACON')
  if (beacon === undefined || beacon === 'local') settings.complain('BEACON: production refuses the local draw; set BEACON=drand')
  if (!byTransfer && settings.text('PAYMENTS') !== 'cashfree')
    settings.complain('PAYMENTS: production refuses the sandbox; set PAYMENTS=cashfree')
  judgeSecrets(settings)
  judgeLines(settings, allowed)
  const keys = settings.text('GOOGLE_JWKS_URL')
  if (keys !== undefined && !keys.startsWith('https://')) settings.complain('GOOGLE_JWKS_URL: production needs https://')
  const url = settings.text('PUBLIC_URL')
  if (url !== undefined && !url.startsWith('https://')) settings.complain('PUBLIC_URL: production needs https://')
}

/** Business settings. Amounts are set in rupees and become paise here. */
function businessSettings(
  settings: Settings,
  {
    production,
    demoAtSandbox,
    byTransfer,
    asksNames,
  }: { readonly production: boolean; readonly demoAtSandbox: boolean; readonly byTransfer: boolean; readonly asksNames: boolean },
) {
  const legal = (['LEGAL_ENTITY', 'GRIEVANCE_OFFICER', 'TERMS_VERSION'] as const).every((name) => settings.text(name) !== undefined)
  const on = !production || legal
  const isOn = (name: 'DRAW' | 'PAYMENTS_LIVE' | 'CASHOUT'): boolean => {
    const is = settings.flag(name, on)
    if (is && !on)
      settings.complain(`${name}: production moves no money without LEGAL_ENTITY, GRIEVANCE_OFFICER and TERMS_VERSION; set all three`)
    return is
  }
  const policyName = settings.choice('SPLIT_POLICY')
  const split: SplitPolicy = policyName === 'A' ? POLICY_A : policyB(settings.integer('WINNERS_B'))
  const policy: SplitPolicy = isOn('DRAW') ? split : { ...split, winners: 0 }
  // Below 100, because a prize of 0 paise after tax could not be paid and the round could not be settled.
  const tax = { percent: settings.integer('TDS_PERCENT'), above: rupees(settings, 'TDS_ABOVE_RUPEES') }
  const modes: Modes = {
    split: splitShown(policy),
    topupsOn: isOn('PAYMENTS_LIVE'),
    withdrawalsOn: isOn('CASHOUT'),
    tax: tax.percent === 0 ? null : { percent: tax.percent, aboveRupees: rupeesFromPaise(tax.above) },
    ...(byTransfer ? { byTransfer: true as const } : {}),
    ...(asksNames ? { checksNames: true as const } : {}),
  }
  if (byTransfer && settings.flag('AUTOPAY', false)) settings.complain('AUTOPAY: a bank transfer has no AutoPay; leave it off')
  // Whole rupees, because a rupee buys a day: the wallet shows each preset amount as days.
  const topup = {
    min: wholeRupees(settings.integer('TOPUP_MIN')),
    max: wholeRupees(settings.integer('TOPUP_MAX')),
  }
  if (topup.min > topup.max) settings.complain('TOPUP_MIN must not be above TOPUP_MAX')
  return {
    brandName: settings.textOr('BRAND_NAME'),
    /** The split of rounds made from now on; without winners where DRAW is off. */
    policy,
    modes,
    topupLimits: topup,
    transferAccount: byTransfer ? transferSettings(settings) : undefined,
    autopayOn: settings.flag('AUTOPAY', demoAtSandbox),
    autopayBelow: wholeRupees(settings.integer('AUTOPAY_BELOW')),
    minAgeYears: settings.integer('MIN_AGE'),
    termsVersion: settings.textOr('TERMS_VERSION'),
    legalEntity: settings.text('LEGAL_ENTITY'),
    grievanceOfficer: settings.text('GRIEVANCE_OFFICER'),
    tax,
    /** Money that leaves above this amount needs a second person's approval. */
    approvalAbove: rupees(settings, 'APPROVAL_ABOVE'),
    gatewayFee: settings.integer('GATEWAY_FEE_BASIS_POINTS'),
  }
}

/** Settings that the public pages show, with sample values outside production. */
function siteSettings(settings: Settings, production: boolean) {
  return {
    supportEmail: settings.mailAddress('SUPPORT_EMAIL') ?? defaultOf('SUPPORT_EMAIL'),
    supportPhone: settings.textOr('SUPPORT_PHONE'),
    officeAddress: settings.textOr('OFFICE_ADDRESS'),
    people: settings.textOr('SITE_PEOPLE'),
    contributors: settings.textOr('SITE_CONTRIBUTORS'),
    /** A YouTube link; outside production the default is a freely licensed film. */
    howItWorksVideo: settings.text('HOW_IT_WORKS_VIDEO') ?? (production ? undefined : 'https://youtu.be/aqz-KE-bpKQ'),
  }
}

/** A limit that no amount reaches would switch its rule off unnoticed. */
const RUPEES_MAX = 100_000

function rupees(settings: Settings, name: 'TDS_ABOVE_RUPEES' | 'APPROVAL_ABOVE'): Paise {
  const text = settings.textOr(name)
  const amount = /^\d{1,6}(\.\d{1,2})?$/.test(text) && Number(text) <= RUPEES_MAX ? paiseFromRupees(Number(text)) : undefined
  if (amount !== undefined) return amount
  settings.complain(`${name}: an amount in rupees from 0 to ${RUPEES_MAX} with at most two decimals, not “${text}”`)
  return 0n as Paise
}

/** Links are made of it: an address without path, query and credentials. */
function originOf(settings: Settings, name: 'PUBLIC_URL'): string | undefined {
  const url = settings.url(name)
  if (url === undefined || new URL(url).origin === url) return url
  settings.complain(`${name}: scheme and host alone, such as https://roz.example`)
  return undefined
}

/** As `host` or `host:port`, comma-separated. */
function hostsOf(settings: Settings, name: 'PUSH_HOSTS' | 'PICTURE_HOSTS', example: string): readonly string[] {
  const hosts = (settings.text(name) ?? '').split(',').map((host) => host.trim().toLowerCase())
  const isHost = (host: string): boolean =>
    /^[a-z0-9.:-]+$/.test(host) && URL.canParse(`https://${host}`) && new URL(`https://${host}`).host === host
  for (const host of hosts) if (host !== '' && !isHost(host)) settings.complain(`${name}: hosts such as ${example}, not “${host}”`)
  return hosts.filter((host) => host !== '')
}

/** Trusted proxies, as a hop count or a list of addresses. Unset or `none`: the client's address is the socket's. */
function trustProxy(settings: Settings): number | string | false {
  const value = settings.text('TRUST_PROXY')
  if (value === undefined || value === 'none') return false
  if (/^\d{1,2}$/.test(value) && Number(value) >= 1 && Number(value) <= PROXIES_MAX) return Number(value)
  if (value.split(',').every((part) => isProxy(part.trim()))) return value
  settings.complain(
    `TRUST_PROXY: none, the number of proxies from 1 to ${PROXIES_MAX}, or their addresses such as 10.0.0.7 or 10.0.0.0/24, not “${value}”`,
  )
  return false
}

/** A number above the real count of proxies lets clients choose their address. */
const PROXIES_MAX = 5
/** The names that Fastify knows for groups of private addresses. */
const PROXY_GROUPS = ['loopback', 'linklocal', 'uniquelocal']

/** An address, or a network of at least 8 bits: a shorter one is nearly everybody. */
function isProxy(part: string): boolean {
  const [address = '', bits, ...rest] = part.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return PROXY_GROUPS.includes(part)
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) >= 8 && Number(bits) <= (family === 4 ? 32 : 128))
}
