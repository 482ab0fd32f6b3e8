/**
 * Sends one mail.
 * - A mail is delivered at least once. Its message id is the same at each try, so a receiver can recognise a duplicate.
 * - A failure is thrown and the caller retries; a `MailRefusedError` is permanent.
 */
export type Mail = {
  readonly to: string
  readonly replyTo?: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** A POST to this address ends such mails without login (RFC 8058). */
  readonly unsubscribeUrl?: string
  /** The id of the conversation that the mail belongs to, without angle brackets. */
  readonly thread?: string
  /** Without angle brackets; the same at every try of one mail. */
  readonly messageId: string
}

/** The mail server will never accept this mail (no such mailbox, for example): a retry is useless. */
export class MailRefusedError extends Error {
  override readonly name = 'MailRefusedError'
}

export type Mailer = {
  readonly send: (mail: Mail) => Promise<void>
  readonly close: () => Promise<void>
}
