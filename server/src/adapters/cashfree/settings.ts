/**
 * Reads the settings of Cashfree.
 * - Production accepts only the live gateway: mode `production` at its own addresses. In test mode, test cards would become money.
 * - Everywhere mode, payments, payouts and browser script are of one gateway: live, test, or the local sandbox.
 * - The sandbox's keys are constants here: both of its sides need them, and they protect nothing.
 * - Payouts, and checks of names, have their own accounts and keys. Without them payouts are manual and no name is checked; with half of
 *   an account the start fails.
 */
import { createPublicKey } from 'node:crypto'
import type { cashfreeSettings } from './declared.ts'

type Name = keyof typeof cashfreeSettings
type Mode = 'sandbox' | 'production'
/** Reads settings of the environment, and collects complaints (config/settings.ts). */
type Settings = {
  text(name: Name): string | undefined
  textOr(name: Extract<Name, `${string}_API_VERSION`>): string
  url(name: Name): string | undefined
  choice(name: 'CASHFREE_MODE', otherwise: Mode): Mode
  required(name: Name): void
  complain(text: string): void
}

const PAGE_HOSTS = { production: ['api', 'payments'], sandbox: ['sandbox', 'payments-test'] } as const
/** Origins of the hosted pages and forms, for the content security policy. The local sandbox serves its pages beside its script. */
const pagesOf = (script: string, mode: Mode): readonly string[] =>
  new URL(script).hostname.endsWith('.cashfree.com') ? PAGE_HOSTS[mode].map((host) => `https://${host}.cashfree.com`) : [script]

export type CashfreeSettings = {
  readonly baseUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly clientSecretOld: string | undefined
  readonly apiVersion: string
  readonly scriptUrl: string
  /** Origins of the hosted pages and forms. */
  readonly pages: readonly string[]
  readonly mode: Mode
  /** The ways to pay that are offered, as the gateway writes them. Undefined: all. */
  readonly paymentMethods: string | undefined
  readonly payouts: PayoutSettings | undefined
  /** Undefined: no bank is asked for the name of a UPI ID. */
  readonly verification: AccountSettings | undefined
}

type AccountSettings = {
  readonly baseUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly apiVersion: string
  /** PEM. If set, each call is signed (the gateway's two-factor authentication). */
  readonly publicKey: string | undefined
}
type PayoutSettings = AccountSettings & { readonly clientSecretOld: string | undefined }

type Surroundings = { readonly production: boolean; readonly payments: 'sandbox' | 'cashfree'; readonly sandboxUrl: string }

export function readCashfree(settings: Settings, { production, payments, sandboxUrl }: Surroundings): CashfreeSettings {
  const real = payments === 'cashfree'
  if (real && !production) {
    for (const name of ['CASHFREE_PG_CLIENT_ID', 'CASHFREE_PG_CLIENT_SECRET'] as const) settings.required(name)
  }
  const mode = settings.choice('CASHFREE_MODE', real && production ? 'production' : 'sandbox')
  const host = mode === 'production' ? 'https://api.cashfree.com' : 'https://sandbox.cashfree.com'
  const scriptUrl =
    settings.url('CASHFREE_JS_URL') ?? (real ? 'https://sdk.cashfree.com/js/v3/cashfree.js' : `${sandboxUrl}/js/v3/cashfree.js`)
  const gateway = {
    baseUrl: settings.url('CASHFREE_PG_BASE_URL') ?? (real ? `${host}/pg` : `${sandboxUrl}/pg`),
    clientId: settings.text('CASHFREE_PG_CLIENT_ID') ?? 'sandbox-client',
    clientSecret: settings.text('CASHFREE_PG_CLIENT_SECRET') ?? 'sandbox-secret',
    clientSecretOld: settings.text('CASHFREE_PG_CLIENT_SECRET_OLD'),
    apiVersion: settings.textOr('CASHFREE_PG_API_VERSION'),
    scriptUrl,
    pages: pagesOf(new URL(scriptUrl).origin, mode),
    mode,
    paymentMethods: paymentMethods(settings),
    payouts: payoutSettings(settings, real, real ? `${host}/payout` : `${sandboxUrl}/payout`),
    verification: accountSettings(settings, 'VERIFICATION', real, real ? `${host}/verification` : `${sandboxUrl}/verification`),
  }
  if (production || real) judgeAddresses(settings, gateway, { production, isSandboxOwn: !real })
  return gateway
}

/** The host of each mode serves all APIs; one host serves the script of both. */
const API_HOSTS = { production: 'api.cashfree.com', sandbox: 'sandbox.cashfree.com' } as const
const SCRIPT_HOST = 'sdk.cashfree.com'

type Judged = Pick<CashfreeSettings, 'mode' | 'baseUrl' | 'scriptUrl' | 'payouts' | 'verification'>
function judgeAddresses(
  settings: Settings,
  { mode, baseUrl, scriptUrl, payouts, verification }: Judged,
  { production, isSandboxOwn }: { readonly production: boolean; readonly isSandboxOwn: boolean },
): void {
  // Without PAYMENTS=cashfree production is refused anyway, in one sentence.
  if (production && mode !== 'production' && !(isSandboxOwn && settings.text('CASHFREE_MODE') === undefined))
    settings.complain('CASHFREE_MODE: production needs “production”: in the mode “sandbox” test cards would become money')
  const isGateways = isCashfreeHttps(baseUrl)
  const addresses = [
    ['CASHFREE_PG_BASE_URL', baseUrl, API_HOSTS[mode]],
    ['CASHFREE_PAYOUT_BASE_URL', payouts?.baseUrl, API_HOSTS[mode]],
    ['CASHFREE_VERIFICATION_BASE_URL', verification?.baseUrl, API_HOSTS[mode]],
    ['CASHFREE_JS_URL', scriptUrl, SCRIPT_HOST],
  ] as const
  for (const [name, url, host] of addresses) {
    // The sandbox's default addresses need no complaint of their own: production already refuses the sandbox.
    if (url === undefined || (isSandboxOwn && settings.text(name) === undefined)) continue
    if (production && !isCashfreeHttps(url))
      settings.complain(`${name}: production accepts only https addresses of cashfree.com, not “${url}”`)
    else if (isCashfreeHttps(url) !== isGateways)
      settings.complain(`${name}: payments, payouts and script are all at cashfree.com, or none is; not “${url}” beside “${baseUrl}”`)
    else if (isCashfreeHttps(url) && new URL(url).host !== host)
      settings.complain(`${name}: the mode “${mode}” needs an address of ${host}, not “${url}”`)
  }
}

function payoutSettings(settings: Settings, real: boolean, baseUrl: string): PayoutSettings | undefined {
  const account = accountSettings(settings, 'PAYOUT', real, baseUrl)
  return account && { ...account, clientSecretOld: settings.text('CASHFREE_PAYOUT_CLIENT_SECRET_OLD') }
}

/** An account with keys of its own, beside that of payments. */
type Account = 'PAYOUT' | 'VERIFICATION'

/** Whether the bank of a UPI ID is asked for its name. */
export const checksNames = (settings: Settings, payments: Surroundings['payments'] | 'bank-transfer'): boolean =>
  payments === 'sandbox' || (payments === 'cashfree' && settings.text('CASHFREE_VERIFICATION_CLIENT_ID') !== undefined)

function accountSettings(settings: Settings, name: Account, real: boolean, baseUrl: string): AccountSettings | undefined {
  const own = (key: string): string | undefined => (real ? undefined : `sandbox-${name.toLowerCase()}-${key}`)
  const clientId = settings.text(`CASHFREE_${name}_CLIENT_ID`) ?? own('client')
  const clientSecret = settings.text(`CASHFREE_${name}_CLIENT_SECRET`) ?? own('secret')
  const account = {
    baseUrl: settings.url(`CASHFREE_${name}_BASE_URL`) ?? baseUrl,
    apiVersion: settings.textOr(`CASHFREE_${name}_API_VERSION`),
    publicKey: publicKey(settings, `CASHFREE_${name}_PUBLIC_KEY`),
  }
  if (clientId !== undefined && clientSecret !== undefined) return { ...account, clientId, clientSecret }
  // Half an account is a mistake. Without a complaint, the operator would notice only that its calls are never made.
  if (clientId !== undefined) settings.required(`CASHFREE_${name}_CLIENT_SECRET`)
  if (clientSecret !== undefined) settings.required(`CASHFREE_${name}_CLIENT_ID`)
  return undefined
}

/** The gateway's words for `payment_methods` of an order. With another word it refuses every order, so the start refuses it. */
const PAYMENT_METHODS = [
  'upi',
  'cc',
  'dc',
  'nb',
  'app',
  'ccc',
  'ppc',
  'paypal',
  'paylater',
  'cardlessemi',
  'dcemi',
  'ccemi',
  'banktransfer',
] as const

function paymentMethods(settings: Settings): string | undefined {
  const given = settings.text('PAYMENT_METHODS')
  if (given === undefined) return undefined
  const words = [...new Set(given.split(',').map((word) => word.trim().toLowerCase()))]
  const isKnown = (word: string): boolean => PAYMENT_METHODS.some((known) => known === word)
  if (!words.every(isKnown)) settings.complain(`PAYMENT_METHODS: any of ${PAYMENT_METHODS.join(', ')}, not “${given}”`)
  return words.join(',')
}

/** The RSA public key. In an environment file its line ends may be written as `\n`. */
function publicKey(settings: Settings, name: `CASHFREE_${Account}_PUBLIC_KEY`): string | undefined {
  const pem = settings.text(name)?.replaceAll('\\n', '\n')
  if (pem === undefined) return undefined
  try {
    if (createPublicKey(pem).asymmetricKeyType === 'rsa') return pem
  } catch {
    // The complaint below leaves the parser's reason out, because the reason would quote the key.
  }
  settings.complain(`${name}: an RSA public key in PEM, as the gateway gave it`)
  return undefined
}

/** True for an https address on cashfree.com or a subdomain, without a user name. */
function isCashfreeHttps(address: string): boolean {
  if (!URL.canParse(address)) return false
  const url = new URL(address)
  return url.protocol === 'https:' && url.username === '' && (url.hostname === 'cashfree.com' || url.hostname.endsWith('.cashfree.com'))
}
