/**
 * Sends mails by SMTP (MAIL_URL smtp:// or smtps://).
 * - A lost connection or a temporary refusal throws `MailFailedError`, so the job retries.
 * - A permanent refusal (55x) throws `MailRefusedError`, so the job ends.
 */
import { createTransport } from 'nodemailer'
import { MailRefusedError, type Mailer } from './port.ts'

export type SmtpOptions = {
  readonly url: string
  /** The sender's address and name. */
  readonly from: string
  readonly brandName: string
  /** Requires TLS: a server without TLS or with an untrusted certificate gets no mail. */
  readonly needsTls: boolean
}

export function createSmtpMailer(options: SmtpOptions): Mailer {
  const transport = createTransport({
    url: options.url,
    pool: true,
    requireTLS: options.needsTls,
    maxConnections: 3,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    // The content of a mail must never make nodemailer read a file or fetch an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    send: async (mail) => {
      try {
        await transport.sendMail({
          from: { name: options.brandName, address: options.from },
          to: { name: '', address: mail.to },
          ...(mail.replyTo === undefined ? {} : { replyTo: { name: '', address: mail.replyTo } }),
          subject: mail.subject,
          text: mail.text,
          html: mail.html,
          messageId: `<${mail.messageId}>`,
          ...(mail.thread === undefined ? {} : { inReplyTo: `<${mail.thread}>`, references: `<${mail.thread}>` }),
          headers: {
            'Auto-Submitted': 'auto-generated',
            ...(mail.unsubscribeUrl === undefined
              ? {}
              : { 'List-Unsubscribe': `<${mail.unsubscribeUrl}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
          },
        })
      } catch (error) {
        throw isRefusal(error) ? new MailRefusedError(wordsOf(error)) : new MailFailedError(wordsOf(error))
      }
    },
    close: async () => transport.close(),
  }
}

type Reason = { readonly code?: string; readonly responseCode?: number }
const reasonOf = (error: unknown): Reason => (error instanceof Error ? error : {}) as Reason

/** 55x for this recipient or this mail is permanent. 53x for our login is an error of the settings, so it is temporary. */
function isRefusal(error: unknown): boolean {
  const { code, responseCode = 0 } = reasonOf(error)
  return responseCode >= 550 && responseCode <= 559 && (code === 'EENVELOPE' || code === 'EMESSAGE')
}

/** The reason without the server's own text: that text repeats the address, and this error is logged. */
function wordsOf(error: unknown): string {
  const { code = 'no code', responseCode = 'no answer' } = reasonOf(error)
  return `the mail server did not take the mail (${code}, ${responseCode})`
}

export class MailFailedError extends Error {
  override readonly name = 'MailFailedError'
}
