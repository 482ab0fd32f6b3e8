/**
 * Sending one mail. Invariant: a mail is handed over at least once; its message id is the same at
 * each try, so that a receiver can tell a copy. A failure is thrown and the caller
 * tries again, except a `MailRefusedError`, which stays one.
 */
export type Mail = {
  readonly to: string
  readonly replyTo?: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** Without angle brackets; the same for every try of one mail. */
  readonly messageId: string
}

/** The mail server will never take this mail: no such mailbox, or the like. Trying again helps nobody. */
export class MailRefusedError extends Error {
  override readonly name = 'MailRefusedError'
}

export type Mailer = {
  readonly send: (mail: Mail) => Promise<void>
  readonly close: () => Promise<void>
}
