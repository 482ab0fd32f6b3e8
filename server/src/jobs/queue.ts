/**
 * The job queue: work that follows a committed fact, such as mails, questions to the gateway, draft stories.
 * - A job is written in the caller's transaction and runs at least once after the commit.
 * - Its effect has a unique key, so a second run changes nothing.
 * - A job is due by roz_now() over our own table (docs/decisions/0003-own-due-work.md).
 */
import type { NoticeData, NoticeKind } from '@roz/core/notices.ts'
import { afterCommit, type Tx } from '../db/transaction.ts'
import { sql } from '../db/sql.ts'
import type { MailPayload } from '../mail/mail-payload.ts'
import { activeTraceparent } from '../tracing/spans.ts'

/** Every kind of job with its payload. Payloads are JSON: ids are text, money is paise as text. */
export type JobPayloads = {
  /** Send one mail, made from a template in a language. The job's key prevents a second mail. */
  mail: MailPayload
  /** One of the mails that tell many members of the same: they wait for the mail server in a lane of their own. */
  mass_mail: MailPayload
  /** Mail a password link to this address, if an account has it. The job's key is the link's id. */
  reset_link: { readonly tokenId: string; readonly email: string; readonly origin: string }
  /** Write one notice in the app. Only a server of release 1.0.0 writes this job, before or during an upgrade: see members/notices.ts. */
  notice: { readonly memberId: string; readonly kind: NoticeKind; readonly data: NoticeData }
  /** Ask the gateway for an order's state and book it. */
  settle_order: { readonly orderId: string }
  /** Send an approved withdrawal to the gateway. */
  send_payout: { readonly withdrawalId: string }
  /** Ask the gateway for the state of a sent withdrawal and book it. */
  check_payout: { readonly withdrawalId: string }
  /** Send an approved refund to the gateway; ask for the state of a sent refund and book it. */
  send_refund: { readonly refundId: string }
  check_refund: { readonly refundId: string }
  /** Note the bank account and the young money of a withdrawal for the review list. */
  note_signals: { readonly withdrawalId: string }
  /** Ask the bank of a withdrawal's UPI ID for its name. The member agreed. */
  check_payee_name: { readonly withdrawalId: string }
  /** Ask the gateway for a dispute's state and book it. */
  check_dispute: { readonly disputeId: string }
  /** Ask the gateway for the dispute of a settlement's event, and book it. Without its payment the event's own id is asked for. */
  find_dispute: { readonly eventId: string; readonly paymentId: string | null }
  /** Join a member who had less than ₹1 at midnight and has topped up since. */
  join_after_topup: { readonly memberId: string }
  /** Tell members whom a day's Auto Participate skipped, and members whose entry left them with ₹2.01 to ₹3.00. */
  tell_skipped: { readonly day: string }
  tell_low_balance: { readonly day: string }
  /** Remove a bill that no request names a day after its upload. */
  forget_receipt: { readonly hash: string }
  /** Remove a picture that no follow-up names a day after its upload. */
  forget_follow_up_picture: { readonly file: string }
  /** Write the draft story of a settled day. */
  draft_story: { readonly day: string }
  /** Push a settled day's result to the subscribed devices: the job writes one `push_page` per page of devices. */
  push_round: { readonly day: string }
  /** Push the result to the devices with ids between `from` and `to`. */
  push_page: { readonly day: string; readonly from: string; readonly to: string }
  /** Push a published story to the devices of the members whose rupee is in it: one `push_story_page` per page of devices. */
  push_story: { readonly storyId: string }
  push_story_page: { readonly storyId: string; readonly from: string; readonly to: string }
  /** Push a follow-up to the same devices, in the same way. */
  push_follow_up: { readonly followUpId: string }
  push_follow_up_page: { readonly followUpId: string; readonly from: string; readonly to: string }
  /** Push the evening reminder of this day to these devices. */
  push_reminder: { readonly day: string; readonly devices: readonly string[] }
  /** Remove a file that no row names: the store was down when it was to go, or did not answer when it came. */
  remove_file: { readonly name: string }
}
export type JobKind = keyof JobPayloads

type NewJob<K extends JobKind = JobKind> = {
  readonly kind: K
  /** Unique per kind: a second job with the same key is not written. */
  readonly key: string
  readonly payload: JobPayloads[K]
  /** The job runs no earlier than this; at once without it. */
  readonly dueAt?: Date
}

/** Thrown by a handler whose work can never succeed. The job is given up at once and logged. */
export class GiveUpError extends Error {
  override readonly name = 'GiveUpError'
}

/** Thrown by a handler that must wait: the next try comes no earlier than `afterSeconds`. */
export class LaterError extends Error {
  override readonly name = 'LaterError'
  readonly afterSeconds: number
  constructor(message: string, afterSeconds: number) {
    super(message)
    this.afterSeconds = afterSeconds
  }
}

let nudge: () => void = () => undefined
/** Sets the function that runs after a transaction that wrote a job has committed. The worker calls this. */
export const onJobWritten = (wake: () => void): void => {
  nudge = wake
}

/** Writes a job in the caller's transaction. */
export async function enqueue<K extends JobKind>(tx: Tx, job: NewJob<K>): Promise<void> {
  await tx.query(sql`
    insert into job (kind, key, payload, due_at, traceparent)
    values (${job.kind}::text, ${job.key}::text, ${JSON.stringify(job.payload)}::jsonb, coalesce(${job.dueAt ?? null}::timestamptz, roz_now()),
      ${activeTraceparent() ?? null}::text)
    on conflict (kind, key) do nothing`)
  afterCommit(tx, () => nudge())
}
