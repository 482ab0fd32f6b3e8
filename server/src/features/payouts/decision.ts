/**
 * One decision of an administrator. Invariants: effect, line in the audit log and answer are one
 * transaction; the same Idempotency-Key answers the first answer, also a refusal; a decision names the
 * state that the administrator saw, and is refused under the lock if it is another now.
 */
import type { RefusalCode } from '@roz/core/refusals.ts'
import { audit } from '../../staff/audit-log.ts'
import type { Tx } from '../../db/transaction.ts'
import { CURSOR_PARTS } from '../../http/cursor.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import type { Refusal } from '../../http/route.ts'

/** What the calls of decisions have in common. */
export type Deciding = {
  readonly session: { readonly memberId: bigint }
  readonly params: { readonly id: string }
  readonly idempotencyKey: string | undefined
  /** `status`: what the administrator saw. */
  readonly body: { readonly status: string }
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
  const keyed = { memberId: session.memberId, key: idempotencyKey, route: `${action} ${subject}`, body }
  return idempotency.once<Answered>(keyed, subject, async (tx) => {
    const decided = await effect(tx)
    if (!decided.ok) return decided
    await audit(tx, { actorId: session.memberId, action, subject, before: decided.before, after: decided.after })
    return { ok: true, value: decided.value }
  })
}

/** Judged under the lock, before anything else: undefined where the state is the one that was seen. */
export const changedSince = (call: Deciding, status: string): Refusal<'changed_since_seen'> | undefined =>
  call.body.status === status ? undefined : { ok: false, code: 'changed_since_seen' }

export type Effect<C extends RefusalCode> = { readonly ok: true; readonly after?: Change } | Refusal<C>
type About<Name extends string, Shown extends { readonly status: string; readonly amount: number }, C extends RefusalCode> = {
  /** `withdrawal`: what the answer, the log's subject and its action call it. */
  readonly name: Name
  /** `approve`. */
  readonly verb: string
  readonly notFound: C
  /** Locks it: what is judged of it stands until the end of the transaction. */
  readonly lock: (tx: Tx, id: string) => Promise<{ readonly status: string } | undefined>
  readonly effect: (tx: Tx, id: string, status: string) => Promise<Effect<C>>
  readonly show: (tx: Tx, id: string) => Promise<Shown>
}

/** A decision about one thing: looked up under its lock, judged, written down and answered as it stands then. */
export const decideAbout = <Name extends string, Shown extends { readonly status: string; readonly amount: number }, C extends RefusalCode>(
  idempotency: Idempotency,
  call: Deciding,
  { name, verb, notFound, lock, effect, show }: About<Name, Shown, C>,
) =>
  decideOnce<{ readonly [N in Name]: Shown }, C | 'changed_since_seen'>(idempotency, call, {
    action: `${name}.${verb}`,
    subject: `${name}:${call.params.id}`,
    effect: async (tx) => {
      const { id } = call.params
      const before = CURSOR_PARTS.uuid(id) ? await lock(tx, id) : undefined
      if (before === undefined) return { ok: false, code: notFound }
      const changed = changedSince(call, before.status)
      if (changed !== undefined) return changed
      const done = await effect(tx, id, before.status)
      if (!done.ok) return done
      const shown = await show(tx, id)
      const after = { status: shown.status, amount: shown.amount, ...done.after }
      // A computed key is text to the compiler.
      return { ok: true, value: { [name]: shown } as { readonly [N in Name]: Shown }, before: { status: before.status }, after }
    },
  })
