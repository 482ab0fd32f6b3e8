/** Handing a message for a browser to its push service. */

/** Where a browser is reached, and the keys that it reads with; base64url as the browser gave them. */
export type PushTarget = { readonly endpoint: string; readonly p256dh: string; readonly auth: string }
/** The sender's key, that the browser subscribed with: the uncompressed point, and the scalar. */
export type PushKey = { readonly publicKey: Buffer; readonly privateKey: Buffer }

export type PushMessage = {
  readonly target: PushTarget
  readonly key: PushKey
  readonly text: string
  /** How long the service keeps it for a device that is away. */
  readonly ttlSeconds: number
  /** A newer one of the same topic takes its place while it waits. At most 32 characters of base64url. */
  readonly topic: string
}

/**
 * taken: the service has it · gone: there is no such device any more · refused: it will never take this
 * one (status 0: it cannot be asked) · later: it may take it after so many seconds.
 */
export type PushAnswer =
  | { readonly is: 'taken' | 'gone' }
  | { readonly is: 'refused'; readonly status: number }
  | { readonly is: 'later'; readonly afterSeconds: number }

export type PushSender = {
  /** Whether this is an address at a push service that may be called. */
  readonly accepts: (endpoint: string) => boolean
  readonly send: (message: PushMessage) => Promise<PushAnswer>
  /** What is under way is broken off, and nothing more is sent. */
  readonly close: () => void
}
