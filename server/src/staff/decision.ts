/**
 * One decision of an administrator.
 *
 * - Effect, line in the staff log and answer are one transaction.
 * - The same Idempotency-Key gets the first answer again, refusals included.
 * - A decision names the state that the administrator saw, and is refused under the lock if the state has changed.
 * - It may also name a fingerprint of what else was shown (`seen`): another flag, debt, bank account,
 *   hold, beneficiary or bill is another thing to decide.
 */
import { createHash } from 'node:crypto'
import type { RefusalCode } from '@roz/core/refusals.ts'
import { logStaff } from './staff-log.ts'
import type { Tx } from '../db/transaction.ts'
import { CURSOR_PARTS } from '../lists/cursor.ts'
import type { Idempotency } from '../http/idempotency.ts'
import type { Refusal } from '../http/route.ts'

/** The common part of all calls that decide. */
export type Deciding = {
  readonly session: { readonly memberId: bigint }
  readonly params: { readonly id: string }
  readonly idempotencyKey: string | undefined
  /** The state that the administrator saw. */
  readonly body: { readonly status: string; readonly seen?: string | undefined }
}
type Change = Readonly<Record<string, unknown>>
type Decided<V, C extends RefusalCode> =
  | { readonly ok: true; readonly value: V; readonly before: Change; readonly after: Change }
  | Refusal<C>
type Decision<V, C extends RefusalCode> = {
  /** The action in the staff log, such as `withdrawal.approve`; the idempotency key belongs to it too. */
  readonly action: string
  /** The subject of the idempotency key, and of the entry in the staff log unless `logged` is. */
  readonly subject: string
  readonly logged?: string
  readonly effect: (tx: Tx) => Promise<Decided<V, C>>
}

export function decideOnce<V, C extends RefusalCode>(
  idempotency: Idempotency,
  { session, idempotencyKey, body }: Deciding,
  { action, subject, logged = subject, effect }: Decision<V, C>,
) {
  type Answered = { readonly ok: true; readonly value: V } | Refusal<C>
  const keyed = { memberId: session.memberId, key: idempotencyKey, route: `${action} ${subject}`, body }
  return idempotency.once<Answered>(keyed, subject, async (tx) => {
    const decided = await effect(tx)
    if (!decided.ok) return decided
    await logStaff(tx, { actorId: session.memberId, action, subject: logged, before: decided.before, after: decided.after })
    return { ok: true, value: decided.value }
  })
}

/** Checks first, under the lock, that state and facts are as the person saw them; undefined if they are. `show`: the row now. */
export async function changedSince(
  { body: { status, seen } }: Pick<Deciding, 'body'>,
  now: string,
  show: () => Promise<{ readonly seen?: string }>,
): Promise<Refusal<'changed_since_seen'> | undefined> {
  const isSame = status === now && (seen === undefined || seen === (await show()).seen)
  return isSame ? undefined : { ok: false, code: 'changed_since_seen' }
}

type Suspect = { readonly memberFlags: readonly string[]; readonly owed: number }
/** Data shown beside the state, which can change while the state stays. */
type Facts = Suspect & {
  readonly member: { readonly id: string; readonly name: string } | null
  readonly bank?: { readonly name: string; readonly lastFour: string } | null
  readonly flags?: readonly string[]
  readonly onHold: boolean
  readonly first?: { readonly payee: Suspect | null } | null
}
/** The fingerprint of what is shown: a row of a list has it, and a decision about the row names it. */
export const withSeen = <T extends Facts>(shown: T): T & { readonly seen: string } => {
  const { member, bank, flags = [], memberFlags, owed, onHold, first } = shown
  const facts = [member?.id, member?.name, bank?.name, bank?.lastFour, flags.toSorted(), memberFlags.toSorted(), owed, onHold]
  const payee = first?.payee ?? undefined
  const ofPayee = payee === undefined ? [] : [payee.memberFlags.toSorted(), payee.owed]
  return { ...shown, seen: fingerprintOf([...facts, ...ofPayee]) }
}
export const fingerprintOf = (facts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32)

type Decidable = { readonly status: string; readonly amount: number; readonly seen?: string }
export type Effect<C extends RefusalCode> = { readonly ok: true; readonly after?: Change } | Refusal<C>
type About<Name extends string, Shown extends Decidable, Missing extends RefusalCode> = {
  /** The subject's name, such as `withdrawal`, in the answer and in the staff log. */
  readonly name: Name
  /** Its kind in the staff log, if it is not the name: the entry of the request has the same. */
  readonly kind?: string
  readonly notFound: Missing
  /** Locks the subject, so that its state cannot change before the end of the transaction. */
  readonly lock: (tx: Tx, id: string) => Promise<{ readonly status: string } | undefined>
  readonly show: (tx: Tx, id: string) => Promise<Shown>
}

/** Decides about one subject: locks it, compares its state, takes effect, and answers with its new state. A verb is such as `approve`. */
export const decideAbout =
  <Name extends string, Shown extends Decidable, Missing extends RefusalCode>(
    idempotency: Idempotency,
    { name, kind = name, notFound, lock, show }: About<Name, Shown, Missing>,
  ) =>
  <C extends RefusalCode>(verb: string, call: Deciding, effect: (tx: Tx, id: string, status: string) => Promise<Effect<C | Missing>>) =>
    decideOnce<{ readonly [N in Name]: Shown }, C | Missing | 'changed_since_seen'>(idempotency, call, {
      action: `${name}.${verb}`,
      subject: `${name}:${call.params.id}`,
      logged: `${kind}:${call.params.id}`,
      effect: async (tx) => {
        const { id } = call.params
        const before = CURSOR_PARTS.uuid(id) ? await lock(tx, id) : undefined
        if (before === undefined) return { ok: false, code: notFound }
        const changed = await changedSince(call, before.status, () => show(tx, id))
        if (changed !== undefined) return changed
        const done = await effect(tx, id, before.status)
        if (!done.ok) return done
        const shown = await show(tx, id)
        const after = { status: shown.status, amount: shown.amount, ...done.after }
        // TypeScript types a computed key as string.
        return { ok: true, value: { [name]: shown } as { readonly [N in Name]: Shown }, before: { status: before.status }, after }
      },
    })
