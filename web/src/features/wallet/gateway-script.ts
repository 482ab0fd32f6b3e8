/**
 * Loads the payment gateway's script from the address that the server names.
 * - It ends within 30 s as ready, failed or timed out.
 * - A failed script tag is removed, so that the next visit of the page tries again.
 * - The loader is our own: the gateway's script has no versions, and the sandbox serves the same interface.
 */
import { deferred } from '../../app/deferred.ts'

const GATEWAY_TIMEOUT_MS = 30_000

type CheckoutResult = { readonly error?: { readonly message?: string }; readonly redirect?: boolean }
export type Gateway = {
  /** Leaves this page for the hosted checkout. It returns only on failure. */
  readonly checkout: (options: { paymentSessionId: string; redirectTarget: '_self' }) => Promise<CheckoutResult> | CheckoutResult
  /** The same for a mandate. */
  readonly subscriptionsCheckout: (options: { subsSessionId: string; redirectTarget: '_self' }) => Promise<CheckoutResult> | CheckoutResult
}
type GatewayFactory = (options: { mode: 'sandbox' | 'production' }) => Gateway

declare global {
  interface Window {
    Cashfree?: GatewayFactory
  }
}

export class GatewayScriptError extends Error {
  override readonly name = 'GatewayScriptError'
  readonly reason: 'failed' | 'timeout'
  constructor(reason: 'failed' | 'timeout') {
    super(`payment script: ${reason}`)
    this.reason = reason
  }
}

function loadScript(url: string, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = deferred<void>()
  const tag = document.createElement('script')
  tag.src = url
  tag.async = true
  tag.addEventListener('load', () => resolve())
  tag.addEventListener('error', () => reject(new GatewayScriptError('failed')))
  signal.addEventListener('abort', () => reject(new GatewayScriptError('failed')), { once: true })
  document.head.append(tag)
  return promise.catch((error: unknown) => {
    tag.remove()
    throw error
  })
}

/** Asks the server for the script's address, loads the script and creates the gateway object, all within 30 s. */
export async function openGateway(
  whereIs: () => Promise<{ mode: 'sandbox' | 'production'; script_url: string }>,
  timeoutMs: number = GATEWAY_TIMEOUT_MS,
): Promise<Gateway> {
  const aborted = new AbortController()
  const timedOut = deferred<never>()
  const timer = setTimeout(() => {
    timedOut.reject(new GatewayScriptError('timeout'))
    aborted.abort()
  }, timeoutMs)
  const ready = async (): Promise<Gateway> => {
    const { mode, script_url } = await whereIs()
    if (window.Cashfree === undefined) await loadScript(script_url, aborted.signal)
    if (window.Cashfree === undefined) throw new GatewayScriptError('failed')
    return window.Cashfree({ mode })
  }
  try {
    return await Promise.race([ready(), timedOut.promise])
  } finally {
    clearTimeout(timer)
  }
}
