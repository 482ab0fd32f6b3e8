/**
 * Work that follows a committed fact: mails, notices, asking the gateway, drafting a story. A job is
 * written in the caller's transaction and runs at least once after it; its effect carries a unique
 * key, so that a second run changes nothing. What is due is decided by roz_now() over our own table
 * (decision record 0003).
 */
import type { NoticeData, NoticeKind } from '@roz/core/notices.ts'
import { afterCommit, type Tx } from '../db/transaction.ts'
import { sql } from '../db/sql.ts'
import type { MailPayload } from '../mail/mail-payload.ts'

/** Every kind of job with its payload. Payloads are JSON: ids as text, money as paise in text. */
export type JobPayloads = {
  /** One mail from a template, in a language; the key makes it one mail. */
  mail: MailPayload
  /** Mail a link for a new password to whoever has this address, if anybody has; the key is the link's id. */
  reset_link: { readonly tokenId: string; readonly email: string; readonly origin: string }
  /** One notice in the app for one member. */
  notice: { readonly memberId: string; readonly kind: NoticeKind; readonly data: NoticeData }
  /** Ask the gateway how an order stands and book it. */
  settle_order: { readonly orderId: string }
  /** Give an approved withdrawal to the gateway. */
  send_payout: { readonly withdrawalId: string }
  /** Ask the gateway what became of a withdrawal that was sent, and book it. */
  check_payout: { readonly withdrawalId: string }
  /** Give an approved refund to the gateway; ask it what became of one that was sent. */
  send_refund: { readonly refundId: string }
  check_refund: { readonly refundId: string }
  /** Ask the gateway how a dispute stands, and book it. */
  check_dispute: { readonly disputeId: string }
  /** A member skipped at midnight for want of a rupee has topped up: join them now. */
  join_after_topup: { readonly memberId: string }
  /** The draft story of a settled day. */
  draft_story: { readonly day: string }
  /** The result of a settled day, for the devices that want it: cut into pages of devices. */
  push_round: { readonly day: string }
  /** The devices from one number to another. */
  push_page: { readonly day: string; readonly from: string; readonly to: string }
}
export type JobKind = keyof JobPayloads

export type NewJob<K extends JobKind = JobKind> = {
  readonly kind: K
  /** Unique per kind: a second job with the same key is not written. */
  readonly key: string
  readonly payload: JobPayloads[K]
  /** Not before this instant; at once without it. */
  readonly dueAt?: Date
}

/** Thrown by a handler whose work can never succeed: the job ends at once, in the log. */
export class GiveUpError extends Error {
  override readonly name = 'GiveUpError'
}

/** Thrown by a handler that was asked to come back later: the next try is not before. */
export class LaterError extends Error {
  override readonly name = 'LaterError'
  readonly afterSeconds: number
  constructor(message: string, afterSeconds: number) {
    super(message)
    this.afterSeconds = afterSeconds
  }
}

let nudge: () => void = () => undefined
/** Called once by the worker: what to do when a transaction that wrote a job has committed. */
export const onJobWritten = (wake: () => void): void => {
  nudge = wake
}

/** Writes a job in the caller's transaction. */
export async function enqueue<K extends JobKind>(tx: Tx, job: NewJob<K>): Promise<void> {
  await tx.query(sql`
    insert into job (kind, key, payload, due_at)
    values (${job.kind}::text, ${job.key}::text, ${JSON.stringify(job.payload)}::jsonb, coalesce(${job.dueAt ?? null}::timestamptz, roz_now()))
    on conflict (kind, key) do nothing`)
  afterCommit(tx, () => nudge())
}
