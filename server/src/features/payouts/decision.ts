/**
 * One decision of an administrator. Invariants: effect, line in the audit log and answer are one
 * transaction; the same Idempotency-Key answers the first answer, also a refusal.
 */
import type { RefusalCode } from '@roz/core/refusals.ts'
import { audit } from '../../audit-log.ts'
import type { Tx } from '../../db/transaction.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import type { Refusal } from '../../http/route.ts'

/** What the calls of decisions have in common. */
export type Deciding = {
  readonly session: { readonly memberId: bigint }
  readonly params: { readonly id: string }
  readonly idempotencyKey: string | undefined
  readonly body?: unknown
}
type Change = Readonly<Record<string, unknown>>
export type Decided<V, C extends RefusalCode> =
  | { readonly ok: true; readonly value: V; readonly before: Change; readonly after: Change }
  | Refusal<C>
type Decision<V, C extends RefusalCode> = {
  /** `withdrawal.approve`: what the audit log calls it, and what the key belongs to. */
  readonly action: string
  readonly subject: string
  readonly effect: (tx: Tx) => Promise<Decided<V, C>>
}

export function decideOnce<V, C extends RefusalCode>(
  idempotency: Idempotency,
  { session, idempotencyKey, body }: Deciding,
  { action, subject, effect }: Decision<V, C>,
) {
  type Answered = { readonly ok: true; readonly value: V } | Refusal<C>
  const keyed = { memberId: session.memberId, key: idempotencyKey, route: `${action} ${subject}`, body: body ?? null }
  return idempotency.once<Answered>(keyed, subject, async (tx) => {
    const decided = await effect(tx)
    if (!decided.ok) return decided
    await audit(tx, { actorId: session.memberId, action, subject, before: decided.before, after: decided.after })
    return { ok: true, value: decided.value }
  })
}
