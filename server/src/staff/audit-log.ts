/**
 * Appends to the audit log: changes by staff and by the system, with actor, action, subject, before, after and time.
 * - An entry is written in the transaction of its change: neither exists without the other.
 */
import { sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'

export type AuditEntry = {
  /** The acting account; undefined: the system. */
  readonly actorId: bigint | undefined
  /** Thing and deed in lower case with a dot between them: `story.publish`, `round.trigger_draw`. */
  readonly action: string
  /** The changed thing: `story:17`, `member:1004`, `round:2026-11-21`. */
  readonly subject: string
  /** The changed values before and after; never a secret or a bank account. */
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
