/** The gateway's settings. Sandbox keys are made here because both sides of the sandbox need them and they guard nothing. */
import type { Settings } from './settings.ts'

export type GatewaySettings = {
  readonly baseUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly apiVersion: string
  readonly scriptUrl: string
  readonly mode: 'sandbox' | 'production'
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
    apiVersion: settings.text('CASHFREE_PG_API_VERSION') ?? '2025-01-01',
    scriptUrl: settings.url('CASHFREE_JS_URL') ?? (real ? 'https://sdk.cashfree.com/js/v3/cashfree.js' : `${sandboxUrl}/js/v3/cashfree.js`),
    mode,
  }
  if (production) {
    for (const [name, url] of [
      ['CASHFREE_PG_BASE_URL', gateway.baseUrl],
      ['CASHFREE_JS_URL', gateway.scriptUrl],
    ] as const) {
      if (!isCashfreeHttps(url)) settings.complain(`${name}: production accepts only https addresses of cashfree.com, not “${url}”`)
    }
  }
  return gateway
}

/** https on cashfree.com or a host below it. */
export function isCashfreeHttps(address: string): boolean {
  if (!URL.canParse(address)) return false
  const url = new URL(address)
  return url.protocol === 'https:' && url.username === '' && (url.hostname === 'cashfree.com' || url.hostname.endsWith('.cashfree.com'))
}
