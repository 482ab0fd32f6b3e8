/** Mails by SMTP (MAIL_URL smtp:// or smtps://). A lost connection or a passing refusal is thrown: the job tries again. A lasting one ends it. */
import { createTransport } from 'nodemailer'
import { MailRefusedError, type Mailer } from './port.ts'

export type SmtpOptions = {
  readonly url: string
  /** The sender's address and name. */
  readonly from: string
  readonly brandName: string
  /** Without TLS nothing is sent: a server that offers none is refused, and so is one that cannot show who it is. */
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
        throw isRefusal(error) ? new MailRefusedError(wordsOf(error)) : new MailFailedError(wordsOf(error))
      }
    },
    close: async () => transport.close(),
  }
}

type Reason = { readonly code?: string; readonly responseCode?: number }
const reasonOf = (error: unknown): Reason => (error instanceof Error ? error : {}) as Reason

/** 55x about this recipient or this mail. A no to our sign-in (53x) is about the settings, and is mended. */
function isRefusal(error: unknown): boolean {
  const { code, responseCode = 0 } = reasonOf(error)
  return responseCode >= 550 && responseCode <= 559 && (code === 'EENVELOPE' || code === 'EMESSAGE')
}

/** What went wrong, without the server's own words: they repeat the address, and this is logged. */
function wordsOf(error: unknown): string {
  const { code = 'no code', responseCode = 'no answer' } = reasonOf(error)
  return `the mail server did not take the mail (${code}, ${responseCode})`
}

export class MailFailedError extends Error {
  override readonly name = 'MailFailedError'
}
