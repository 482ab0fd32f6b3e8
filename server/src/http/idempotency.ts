/**
 * Idempotency-Key of money POSTs (money.md 13). Invariants: the key's row is written in the
 * transaction of its effect or of its refusal, so that either both stand or none; the same key with
 * the same body answers the first answer, also a refusal, with another body or route 409; of several
 * at once one takes effect and the others wait for its answer. The body is kept only as an HMAC: it
 * may hold an account number. Keys live for 7 days.
 */
import { REFUSALS, type RefusalCode } from '@roz/core/refusals.ts'
import { type Db, sql } from '../db/sql.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import type { Secrets } from '../secrets.ts'
import type { Refusal } from './route.ts'

export type KeyedCall = {
  readonly memberId: bigint
  /** The header; without one nothing is remembered. */
  readonly key: string | undefined
  /** The call's name: a key belongs to one call. */
  readonly route: string
  /** The parsed body. */
  readonly body: unknown
}

type AnyAnswer = { readonly ok: true; readonly value: unknown } | Refusal<RefusalCode>
type Mismatch = Refusal<'idempotency_mismatch'>
type Claim<A> =
  | { readonly kind: 'fresh' }
  /** Begun before and not answered yet; `ref` names what it began. */
  | { readonly kind: 'begun'; readonly ref: string }
  | { readonly kind: 'answered'; readonly answer: A | Mismatch }

const MISMATCH: Mismatch = { ok: false, code: 'idempotency_mismatch' }

export type Idempotency = ReturnType<typeof createIdempotency>

export function createIdempotency({ db, secrets }: { readonly db: Db; readonly secrets: Pick<Secrets, 'fingerprints'> }) {
  const macsOf = (call: KeyedCall) => secrets.fingerprints(Buffer.from(canonicalJson(call.body)), 'idempotency')

  /** Takes the key in the caller's transaction, or finds it taken; waits for one that is being taken. */
  async function claim<A extends AnyAnswer>(tx: Tx, call: KeyedCall, ref: string): Promise<Claim<A>> {
    if (call.key === undefined) return { kind: 'fresh' }
    const macs = macsOf(call)
    const taken = await tx.query(sql`
      insert into idempotency_key (member_id, key, route, body_hmac, ref)
      values (${call.memberId}::bigint, ${call.key}::text, ${call.route}::text, ${macs[0]}::bytea, ${ref}::text)
      on conflict do nothing returning key`)
    if (taken.length === 1) return { kind: 'fresh' }
    const [row] = await tx.query<{ route: string; mac: Buffer; ref: string; answer: A | null }>(sql`
      select route, body_hmac as mac, ref, answer from idempotency_key
      where member_id = ${call.memberId}::bigint and key = ${call.key}::text`)
    // Erased between the two statements: seven days old this very moment.
    if (row === undefined) return claim(tx, call, ref)
    if (row.route !== call.route || !macs.some((mac) => mac.equals(row.mac))) return { kind: 'answered', answer: MISMATCH }
    return row.answer === null ? { kind: 'begun', ref: row.ref } : { kind: 'answered', answer: row.answer }
  }

  /** Remembers the answer of a key. */
  async function remember(tx: Tx, call: KeyedCall, answer: AnyAnswer): Promise<void> {
    if (call.key === undefined) return
    await tx.query(sql`
      update idempotency_key set answer = ${JSON.stringify(answer)}::jsonb, status = ${answer.ok ? 200 : REFUSALS[answer.code].status}::smallint
      where member_id = ${call.memberId}::bigint and key = ${call.key}::text`)
  }

  /** Runs an effect that lies in one transaction, at most once per key. */
  function once<A extends AnyAnswer>(call: KeyedCall, ref: string, effect: (tx: Tx) => Promise<A>): Promise<A | Mismatch> {
    return inTransaction(db, async (tx) => {
      const claimed = await claim<A>(tx, call, ref)
      if (claimed.kind === 'answered') return claimed.answer
      const answer = await effect(tx)
      await remember(tx, call, answer)
      return answer
    })
  }

  /** Forgets keys of more than seven days. */
  async function forgetOld(): Promise<boolean> {
    const gone = await db.query(sql`delete from idempotency_key where created_at < roz_now() - interval '7 days' returning key`)
    return gone.length > 0
  }

  return { claim, remember, once, forgetOld }
}

/** One text for one value, whatever the order of its keys. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : part,
  )
}
