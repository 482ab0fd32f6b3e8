/**
 * Reads the settings of the payment gateway.
 * - Production accepts only https addresses of cashfree.com.
 * - The sandbox's keys are constants here: both of its sides need them, and they protect nothing.
 * - Payouts have their own account and keys. Without them payouts are manual; with half of them the start fails.
 */
import { createPublicKey } from 'node:crypto'
import type { Settings } from './settings.ts'

export type GatewaySettings = {
  readonly baseUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly clientSecretOld: string | undefined
  readonly apiVersion: string
  readonly scriptUrl: string
  readonly mode: 'sandbox' | 'production'
  readonly payouts: PayoutSettings | undefined
}

export type PayoutSettings = {
  readonly baseUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly clientSecretOld: string | undefined
  readonly apiVersion: string
  /** PEM. If set, each payout call is signed (the gateway's two-factor authentication). */
  readonly publicKey: string | undefined
}

type Surroundings = { readonly production: boolean; readonly payments: 'sandbox' | 'cashfree'; readonly sandboxUrl: string }

export function gatewaySettings(settings: Settings, { production, payments, sandboxUrl }: Surroundings): GatewaySettings {
  const real = payments === 'cashfree'
  if (real && !production) {
    for (const name of ['CASHFREE_PG_CLIENT_ID', 'CASHFREE_PG_CLIENT_SECRET']) settings.required(name)
  }
  const mode = settings.choice('CASHFREE_MODE', ['sandbox', 'production'] as const, real && production ? 'production' : 'sandbox')
  const host = mode === 'production' ? 'https://api.cashfree.com' : 'https://sandbox.cashfree.com'
  const gateway = {
    baseUrl: settings.url('CASHFREE_PG_BASE_URL') ?? (real ? `${host}/pg` : `${sandboxUrl}/pg`),
    clientId: settings.text('CASHFREE_PG_CLIENT_ID') ?? 'sandbox-client',
    clientSecret: settings.text('CASHFREE_PG_CLIENT_SECRET') ?? 'sandbox-secret',
    clientSecretOld: settings.text('CASHFREE_PG_CLIENT_SECRET_OLD'),
    apiVersion: settings.text('CASHFREE_PG_API_VERSION') ?? '2025-01-01',
    scriptUrl: settings.url('CASHFREE_JS_URL') ?? (real ? 'https://sdk.cashfree.com/js/v3/cashfree.js' : `${sandboxUrl}/js/v3/cashfree.js`),
    mode,
    payouts: payoutSettings(settings, real, real ? `${host}/payout` : `${sandboxUrl}/payout`),
  }
  if (production) {
    for (const [name, url] of [
      ['CASHFREE_PG_BASE_URL', gateway.baseUrl],
      ['CASHFREE_PAYOUT_BASE_URL', gateway.payouts?.baseUrl ?? host],
      ['CASHFREE_JS_URL', gateway.scriptUrl],
    ] as const) {
      // The sandbox's default addresses need no complaint of their own: production already refuses the sandbox.
      const isSandboxOwn = !real && settings.text(name) === undefined
      if (!isSandboxOwn && !isCashfreeHttps(url))
        settings.complain(`${name}: production accepts only https addresses of cashfree.com, not “${url}”`)
    }
  }
  return gateway
}

function payoutSettings(settings: Settings, real: boolean, baseUrl: string): PayoutSettings | undefined {
  const clientId = settings.text('CASHFREE_PAYOUT_CLIENT_ID') ?? (real ? undefined : 'sandbox-payout-client')
  const clientSecret = settings.text('CASHFREE_PAYOUT_CLIENT_SECRET') ?? (real ? undefined : 'sandbox-payout-secret')
  const payouts = {
    baseUrl: settings.url('CASHFREE_PAYOUT_BASE_URL') ?? baseUrl,
    apiVersion: settings.text('CASHFREE_PAYOUT_API_VERSION') ?? '2024-01-01',
    publicKey: publicKey(settings),
    clientSecretOld: settings.text('CASHFREE_PAYOUT_CLIENT_SECRET_OLD'),
  }
  if (clientId !== undefined && clientSecret !== undefined) return { ...payouts, clientId, clientSecret }
  // Half an account is a mistake. Without a complaint, the operator would notice only that payouts stay manual.
  if (clientId !== undefined) settings.required('CASHFREE_PAYOUT_CLIENT_SECRET')
  if (clientSecret !== undefined) settings.required('CASHFREE_PAYOUT_CLIENT_ID')
  return undefined
}

/** The RSA public key. In an environment file its line ends may be written as `\n`. */
function publicKey(settings: Settings): string | undefined {
  const pem = settings.text('CASHFREE_PAYOUT_PUBLIC_KEY')?.replaceAll('\\n', '\n')
  if (pem === undefined) return undefined
  try {
    if (createPublicKey(pem).asymmetricKeyType === 'rsa') return pem
  } catch {
    // The complaint below leaves the parser's reason out, because the reason would quote the key.
  }
  settings.complain('CASHFREE_PAYOUT_PUBLIC_KEY: an RSA public key in PEM, as the gateway gave it')
  return undefined
}

/** True for an https address on cashfree.com or a subdomain, without a user name. */
export function isCashfreeHttps(address: string): boolean {
  if (!URL.canParse(address)) return false
  const url = new URL(address)
  return url.protocol === 'https:' && url.username === '' && (url.hostname === 'cashfree.com' || url.hostname.endsWith('.cashfree.com'))
}
