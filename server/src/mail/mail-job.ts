/**
 * The job that sends a mail. Invariants: the message id comes from the job, so that a second try is
 * the same mail; a failure is thrown and the queue tries again, a lasting refusal ends the job; the token of a link is made here and
 * stands in no table.
 */
import { createHash } from 'node:crypto'
import { brandIn } from '@roz/core/brand.ts'
import { formatLimit } from '@roz/core/money.ts'
import type { TopupLimits } from '@roz/core/money-fields.ts'
import { type Mail, MailRefusedError, type Mailer } from '../adapters/mail/port.ts'
import { GiveUpError } from '../jobs/queue.ts'
import { type LinkSecrets, linkToken } from '../members/link-token.ts'
import { oneLine, renderMail } from './mail-layout.ts'
import { type MailFrame, mailWords } from './mail-texts.ts'
import type { MailPayload } from './mail-payload.ts'

export type MailJobDeps = {
  readonly mailer: Mailer
  readonly brandName: string
  /** The welcome mail names them. */
  readonly topupLimits: TopupLimits
  /** Whom members write to: below each mail. */
  readonly supportEmail: string
  /** PUBLIC_URL where it is set: it stands above the origin of any request. */
  readonly publicUrl: string | undefined
  /** Where links lead when no request is known. */
  readonly localUrl: string
  /** What link tokens are derived with. */
  readonly secrets: LinkSecrets
}

export function createMailJob(deps: MailJobDeps): (payload: MailPayload, jobId: string) => Promise<void> {
  return async (payload, jobId) => {
    const { data } = payload
    const origin = deps.publicUrl ?? ('origin' in data && data.origin !== '' ? data.origin : deps.localUrl)
    const brandName = brandIn(deps.brandName, payload.language)
    const frame: MailFrame = {
      brandName,
      topupMin: formatLimit(deps.topupLimits.min),
      topupMax: formatLimit(deps.topupLimits.max),
      supportEmail: deps.supportEmail,
      link: (path) => origin + path,
      token: 'tokenId' in data ? linkToken(deps.secrets, data.tokenId) : '',
    }
    // The compiler does not tie the template to its data through the spread.
    const told = { ...payload, data: { ...data, name: oneLine(data.name) } } as MailPayload
    const rendered = renderMail(mailWords(told, frame), payload.language, brandName)
    const id = createHash('sha256')
      .update(JSON.stringify([jobId, payload.to, payload.template, data]))
      .digest('hex')
      .slice(0, 32)
    await handOver(deps.mailer, {
      ...rendered,
      to: payload.to,
      ...(payload.template === 'contact' ? { replyTo: payload.data.email } : {}),
      messageId: `${id}@${new URL(origin).hostname}`,
    })
  }
}

async function handOver(mailer: Mailer, mail: Mail): Promise<void> {
  try {
    await mailer.send(mail)
  } catch (error) {
    throw error instanceof MailRefusedError ? new GiveUpError(error.message) : error
  }
}
