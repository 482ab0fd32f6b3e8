/** Mails by SMTP (MAIL_URL smtp:// or smtps://). A refusal or a lost connection is thrown: the job tries again. */
import { createTransport } from 'nodemailer'
import type { Mailer } from './port.ts'

export type SmtpOptions = {
  readonly url: string
  /** The sender's address and name. */
  readonly from: string
  readonly brandName: string
}

export function createSmtpMailer(options: SmtpOptions): Mailer {
  const transport = createTransport({
    url: options.url,
    pool: true,
    maxConnections: 3,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    // Mails are made of our own texts: nothing in them may read a file or fetch an address.
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
          headers: { 'Auto-Submitted': 'auto-generated' },
        })
      } catch (error) {
        throw new MailFailedError(error)
      }
    },
    close: async () => transport.close(),
  }
}

/** What went wrong, without the server's own words: they repeat the address, and this is logged. */
export class MailFailedError extends Error {
  override readonly name = 'MailFailedError'
  constructor(reason: unknown) {
    const { code = 'no code', responseCode = 'no answer' } = (reason instanceof Error ? reason : {}) as {
      code?: string
      responseCode?: number
    }
    super(`the mail server did not take the mail (${code}, ${responseCode})`)
  }
}
