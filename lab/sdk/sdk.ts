/**
 * The gateway's own SDK for Node, pointed at the gateway sandbox.
 *
 * - Its packages are in this folder, with a lockfile of their own: nobody else installs them.
 * - Error analytics are off: they would send to the maker of the SDK.
 */
import { createRequire } from 'node:module'

export type Json = Readonly<Record<string, unknown>>
export type Answered = {
  readonly status: number
  readonly data: Json & readonly Json[]
  readonly headers: Readonly<Record<string, string>>
}
type Call = (...args: unknown[]) => Promise<Answered>
export type Sdk = {
  readonly call: (method: string, ...args: unknown[]) => Promise<Answered>
  /** Throws unless signature, bytes and timestamp belong together. */
  readonly verify: (signature: string, rawBody: string, timestamp: string) => { readonly type: string }
}

type Client = Record<string, Call> & { basePath: string; XApiVersion: string; PGVerifyWebhookSignature: Sdk['verify'] }
type Module = {
  readonly CFEnvironment: { readonly SANDBOX: unknown }
  readonly Cashfree: new (...args: unknown[]) => Client
}

export const SDK = 'cashfree-pg'

/** Without a version the SDK sends its own default. */
export function openSdk(baseUrl: string, keys: { readonly clientId: string; readonly clientSecret: string }, version?: string): Sdk {
  const { Cashfree, CFEnvironment } = createRequire(import.meta.url)(SDK) as Module
  const client = new Cashfree(CFEnvironment.SANDBOX, keys.clientId, keys.clientSecret, undefined, undefined, undefined, false)
  client.basePath = baseUrl
  if (version !== undefined) client.XApiVersion = version
  return {
    async call(method, ...args) {
      const named = client[method]
      if (named === undefined) throw new Error(`${SDK} has no ${method}`)
      try {
        return await named.apply(client, args)
      } catch (cause) {
        // A refusal is an answer too. The error itself holds the secret in its headers, so it goes no further.
        const { response, message } = cause as { readonly response?: Answered; readonly message: string }
        if (response === undefined) throw new Error(`${method}: ${message}`)
        return { status: response.status, data: response.data, headers: response.headers }
      }
    },
    verify: (signature, rawBody, timestamp) => client.PGVerifyWebhookSignature(signature, rawBody, timestamp),
  }
}
