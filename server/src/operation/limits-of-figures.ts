/**
 * The one list of limits: above which value a figure of /metrics needs a person, in which words, and its runbook.
 * - `roz status`, the to-do list of the portal and the alerts (ops/observability/alerts.yml) use these values. A test compares the
 *   alerts with them.
 */
import { type Sql, sql } from '../db/sql.ts'

type FigureLimit = { readonly name: string; readonly above: number; readonly words: string; readonly runbook: string }
/** A figure above its limit needs a person. `…_seconds` are printed as a duration, `…_ratio` as percent. */
export const LIMITS = [
  { name: 'roz_clock_doubted', above: 0, words: 'the clock of the database has jumped, and the product waits', runbook: 'clock' },
  { name: 'roz_round_missing', above: 0, words: 'no round is open today', runbook: 'clock' },
  { name: 'roz_round_late_seconds', above: 120, words: 'a round is open after its end', runbook: 'queue-behind' },
  { name: 'roz_job_queue_age_seconds', above: 300, words: 'a due job waits', runbook: 'queue-behind' },
  { name: 'roz_mail_queue_age_seconds', above: 900, words: 'a due mail waits', runbook: 'queue-behind' },
  { name: 'roz_mass_mail_queue_age_seconds', above: 43_200, words: 'a due mail to many members waits', runbook: 'queue-behind' },
  { name: 'roz_work_parked', above: 0, words: 'items of work failed again and again', runbook: 'parked-work' },
  { name: 'roz_audit_broken_invariants', above: 0, words: 'invariants of money are broken', runbook: 'books-broken' },
  { name: 'roz_audit_age_seconds', above: 10_800, words: 'no audit has ended', runbook: 'books-broken' },
  { name: 'roz_full_audit_age_seconds', above: 259_200, words: 'no audit of all days and members has ended', runbook: 'books-broken' },
  { name: 'roz_books_waiting', above: 0, words: 'days have no books', runbook: 'books-held' },
  { name: 'roz_withdrawals_contradicted', above: 0, words: 'withdrawals differ at the gateway', runbook: 'gateway-contradicts' },
  { name: 'roz_refunds_contradicted', above: 0, words: 'refunds differ at the gateway', runbook: 'gateway-contradicts' },
  { name: 'roz_disputes_unbooked', above: 0, words: 'disputes could not be booked', runbook: 'gateway-contradicts' },
  { name: 'roz_disputes_open', above: 0, words: 'disputes await an answer', runbook: 'gateway-contradicts' },
  { name: 'roz_gateway_silence_seconds', above: 900, words: 'the gateway has answered nothing', runbook: 'gateway-away' },
  { name: 'roz_gateway_foreign_answers', above: 0, words: 'kinds of calls got answers in the gateway’s place', runbook: 'gateway-away' },
  { name: 'roz_order_question_age_seconds', above: 900, words: 'a due question about an order waits', runbook: 'gateway-away' },
  { name: 'roz_payout_question_age_seconds', above: 900, words: 'a due question about a payout waits', runbook: 'gateway-away' },
  { name: 'roz_beacon_wait_seconds', above: 3600, words: 'a draw waits for the public beacon', runbook: 'beacon-away' },
  { name: 'roz_witness_wait_seconds', above: 600, words: 'the log has no quorum of witnesses', runbook: 'witnesses-away' },
  { name: 'roz_backup_age_seconds', above: 93_600, words: 'no backup was taken', runbook: 'backup-away' },
  { name: 'roz_backup_log_age_seconds', above: 5400, words: 'the log of commits has not reached its backup', runbook: 'backup-away' },
  { name: 'roz_disk_used_ratio', above: 0.9, words: 'of the disk of DATA_DIR is used', runbook: 'disk-full' },
  { name: 'roz_replication_lag_seconds', above: 30, words: 'a standby is behind', runbook: 'replication-behind' },
] as const satisfies readonly FigureLimit[]

/** The limit of an age, for a statement that looks for what is late. */
export const lateAfter = (name: Extract<(typeof LIMITS)[number]['name'], `${string}_seconds`>): Sql =>
  sql`make_interval(secs => ${LIMITS.find((limit) => limit.name === name)?.above ?? 0}::int)`
