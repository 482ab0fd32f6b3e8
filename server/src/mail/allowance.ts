/**
 * How many mails one mailbox gets in 24 hours (docs/decisions/0044-allowance-of-a-mailbox.md).
 *
 * - The allowance belongs to the mailbox and not to the account: it survives a deletion and a new registration.
 * - It is counted where every mail passes, when the mail is sent. Only a keyed hash of the mailbox is stored, for a day.
 * - Each kind of mail has an allowance. The mails that a stranger can cause share a second one, until somebody confirms the address.
 * - A confirmed address that has had its mails of a kind is told once a day that more happened.
 * - A mail about money that moved, and an answer by the staff, are not dropped: they wait until the allowance has room.
 */
import { mailboxOf } from '@roz/core/mailbox.ts'
import { type Db, sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { take } from '../protection/limits.ts'
import { LaterError } from '../jobs/queue.ts'
import type { LinkSecrets } from '../members/link-token.ts'
import type { MailPayload, MailTemplate } from './mail-payload.ts'
import { mailAlert } from './safety-mails.ts'

type Send = (payload: MailPayload, jobId: string) => Promise<void>

/** A registration's mail and five others. */
export const STRANGERS_MAX = 6
/** Mails of one kind, and of a kind about money. */
export const KIND_MAX = 5
export const MONEY_MAX = 30
const DAY_SECONDS = 86_400

/** Mails that anybody can cause who types the address. */
const BY_STRANGERS: ReadonlySet<MailTemplate> = new Set([
  'verify',
  'reset',
  'contact_received',
  'help_asked',
  'help_withdrawn',
  'staff_invitation',
])
/** To ourselves. A change of the team is always told: noise must not hide one. */
const UNLIMITED: ReadonlySet<MailTemplate> = new Set(['contact', 'audit_alarm', 'team_changed'])
/** Each reports a booked movement or a decision by the staff. */
const WAITING: ReadonlySet<MailTemplate> = new Set([
  'withdrawal_paid',
  'withdrawal_returned',
  'withdrawal_rejected',
  'refund_paid',
  'refund_returned',
  'refund_rejected',
  'money_added',
  'autopay_added',
  'payment_assigned',
  'payment_waiting',
  'payment_taken_back',
  'payment_given_back',
  'round_returned',
  'draw_won',
  'account_suspended',
  'account_reinstated',
  'payouts_held',
  'payouts_released',
  'contact_reply',
])
/** The member, or somebody in the account, did something many times: the member is told that more happened. */
const SUMMED: ReadonlySet<MailTemplate> = new Set([
  'new_device',
  'password_changed',
  'phone_changed',
  'google_linked',
  'new_bank_account',
  'withdrawal_requested',
  'refund_requested',
  'totp_changed',
])

export type AllowanceDeps = { readonly db: Db; readonly secrets: LinkSecrets }

/** The same job, which sends no more than the mailbox's allowance. */
export const createAllowedMail =
  (deps: AllowanceDeps, send: Send): Send =>
  async (payload, jobId) => {
    const { to, template } = payload
    if (UNLIMITED.has(template)) return send(payload, jobId)
    const member = await findConfirmed(deps.db, to)
    const mailbox = deps.secrets.fingerprints(Buffer.from(mailboxOf(to)), 'mail allowance')[0].toString('hex')
    const limit = (what: string, hitsMax: number) => ({ key: ['mails', mailbox, what], hitsMax, windowSeconds: DAY_SECONDS })
    const taken = await take(deps.db, [
      limit(template, WAITING.has(template) ? MONEY_MAX : KIND_MAX),
      ...(member === undefined && BY_STRANGERS.has(template) ? [limit('by strangers', STRANGERS_MAX)] : []),
    ])
    if (taken.ok) {
      try {
        return await send(payload, jobId)
      } catch (error) {
        await taken.giveBack()
        throw error
      }
    }
    if (WAITING.has(template)) throw new LaterError('the mailbox has had its mails of this kind for today', taken.retryAfterSeconds)
    if (member !== undefined && SUMMED.has(template)) await tellMore(deps, member, jobId)
  }

/** The account whose address was confirmed. */
const findConfirmed = (db: Db, address: string): Promise<{ readonly id: bigint } | undefined> =>
  db.maybeOne<{ id: bigint }>(
    sql`select id from member where lower(email) = lower(${address}::text) and email_verified_at is not null and deleted_at is null`,
  )

/** Orders the mail that says that more happened: once a day, whatever the kind. */
async function tellMore({ db, secrets }: AllowanceDeps, { id: memberId }: { readonly id: bigint }, jobId: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const first = await take(tx, [{ key: ['more mails', String(memberId)], hitsMax: 1, windowSeconds: DAY_SECONDS }])
    if (first.ok) await mailAlert(tx, secrets, { memberId, template: 'more_happened', key: `more_happened:${jobId}`, data: {} })
  })
}
