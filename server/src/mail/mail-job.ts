/**
 * The job that sends a mail.
 * - The message id is derived from the job, so a retry sends the same mail.
 * - A failure is thrown, so the queue retries; a permanent refusal ends the job.
 * - The token of a link is derived here and is stored in no table.
 */
import type { Modes } from '@roz/core/modes.ts'
import { createHash } from 'node:crypto'
import { formatLimit } from '@roz/core/money.ts'
import type { TopupLimits } from '@roz/core/money-fields.ts'
import { type Mail, MailRefusedError, type Mailer } from '../adapters/mail/port.ts'
import { GiveUpError } from '../jobs/queue.ts'
import { type LinkSecrets, linkToken } from '../members/link-token.ts'
import { inSpan } from '../tracing/spans.ts'
import { onOneLine, renderMail } from './mail-layout.ts'
import { type MailFrame, mailWords } from './mail-texts.ts'
import type { MailPayload } from './mail-payload.ts'
import { unsubscribeToken } from './unsubscribe-token.ts'

export type MailJobDeps = {
  readonly mailer: Mailer
  readonly brandName: string
  /** Limits of adding money, which the welcome mail names. */
  readonly topupLimits: TopupLimits
  readonly modes: Modes
  /** The support address below each mail. */
  readonly supportEmail: string
  /** PUBLIC_URL; if set, it takes precedence over the origin of a request. */
  readonly publicUrl: string | undefined
  /** Base address of links if no request is known. */
  readonly localUrl: string
  /** Secrets from which the tokens of links are derived. */
  readonly secrets: LinkSecrets
}

export function createMailJob(deps: MailJobDeps): (payload: MailPayload, jobId: string) => Promise<void> {
  return async (payload, jobId) => {
    const { data } = payload
    const origin = deps.publicUrl ?? ('origin' in data && data.origin !== '' ? data.origin : deps.localUrl)
    const frame: MailFrame = {
      brandName: deps.brandName,
      topupMin: formatLimit(deps.topupLimits.min),
      topupMax: formatLimit(deps.topupLimits.max),
      supportEmail: deps.supportEmail,
      modes: deps.modes,
      link: (path) => origin + path,
      token:
        'tokenId' in data ? linkToken(deps.secrets, data.tokenId) : 'publicId' in data ? unsubscribeToken(deps.secrets, data.publicId) : '',
    }
    // The spread loses the connection of template and data in the type, so it is asserted.
    const told = { ...payload, data: { ...data, name: onOneLine(data.name) } } as MailPayload
    const words = mailWords(told, frame)
    const rendered = renderMail(words, payload.language, deps.brandName)
    const id = createHash('sha256')
      .update(JSON.stringify([jobId, payload.to, payload.template, data]))
      .digest('hex')
      .slice(0, 32)
    await handOver(deps.mailer, payload.template, {
      ...rendered,
      to: payload.to,
      ...replyingTo(payload, deps.supportEmail),
      // The same for the writer and the answering staff, for any address.
      ...('ticket' in data ? { thread: `${data.ticket.toLowerCase()}@${new URL(deps.publicUrl ?? deps.localUrl).hostname}` } : {}),
      ...(words.stop === undefined ? {} : { unsubscribeUrl: words.stop.url }),
      messageId: `${id}@${new URL(origin).hostname}`,
    })
  }
}

/** An answer to a message of the contact form goes to its writer, and the writer's answer to support. */
function replyingTo(payload: MailPayload, supportEmail: string): { readonly replyTo?: string } {
  if (payload.template === 'contact') return { replyTo: payload.data.email }
  return payload.template === 'contact_reply' ? { replyTo: supportEmail } : {}
}

async function handOver(mailer: Mailer, template: MailPayload['template'], mail: Mail): Promise<void> {
  try {
    await inSpan({ name: 'send mail', kind: 'client', attributes: { 'roz.mail': template } }, () => mailer.send(mail))
  } catch (error) {
    throw error instanceof MailRefusedError ? new GiveUpError(error.message) : error
  }
}
