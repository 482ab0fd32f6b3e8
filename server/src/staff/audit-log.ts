/**
 * The append-only record of what staff and the system changed: who, what, before, after, when.
 * Invariant: written in the transaction of the change itself, so that neither exists without the other.
 */
import { sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'

export type AuditEntry = {
  /** The acting account; undefined for the system itself. */
  readonly actorId: bigint | undefined
  /** `story.publish`, `round.trigger_draw`: lower-case words, a dot between thing and deed. */
  readonly action: string
  /** What it was done to: `story:17`, `member:1004`, `round:2026-11-21`. */
  readonly subject: string
  /** What stood there and what stands there now; never a secret or a bank account. */
  readonly before?: Readonly<Record<string, unknown>>
  readonly after?: Readonly<Record<string, unknown>>
}

export async function audit(tx: Tx, entry: AuditEntry): Promise<void> {
  const json = (value: AuditEntry['before']): string | null =>
    value === undefined ? null : JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? item.toString() : item))
  await tx.query(sql`
    insert into audit_log (actor_id, action, subject, before, after)
    values (${entry.actorId ?? null}::bigint, ${entry.action}::text, ${entry.subject}::text, ${json(entry.before)}::jsonb, ${json(entry.after)}::jsonb)`)
}
