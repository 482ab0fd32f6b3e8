/** Hands a message for a browser to the browser's push service. */

/** The browser's address at its push service, and its public keys; base64url as the browser gave them. */
export type PushTarget = { readonly endpoint: string; readonly p256dh: string; readonly auth: string }
/** The sender's key that the browser subscribed with: the uncompressed point and the scalar. */
export type PushKey = { readonly publicKey: Buffer; readonly privateKey: Buffer }

export type PushMessage = {
  readonly target: PushTarget
  readonly key: PushKey
  readonly text: string
  /** How long the service keeps the message for an offline device. */
  readonly ttlSeconds: number
  /** A newer message of the same topic replaces a waiting one. At most 32 characters of base64url. */
  readonly topic: string
}

/**
 * - taken: the service accepted the message.
 * - gone: the subscription does not exist any more.
 * - refused: the service will never accept this message (status 0: the host is not allowed).
 * - later: the service may accept the message after `afterSeconds`. `mayHaveTaken`: it gave no answer, and may have the message.
 */
export type PushAnswer =
  | { readonly is: 'taken' | 'gone' }
  | { readonly is: 'refused'; readonly status: number }
  | { readonly is: 'later'; readonly afterSeconds: number; readonly mayHaveTaken: boolean }

export type PushSender = {
  /** Tells whether this is an address at an allowed push service. */
  readonly accepts: (endpoint: string) => boolean
  readonly send: (message: PushMessage) => Promise<PushAnswer>
  /** Aborts the calls that are under way; nothing more is sent. */
  readonly close: () => void
}
