/**
 * Idempotency-Key of money POSTs (money.md 13). Invariants: the key's row is written in the
 * transaction of its effect or of its refusal, so that either both stand or none; the same key with
 * the same body answers the first answer, also a refusal, with another body or route 409; of several
 * at once one takes effect and the others wait for its answer. The body is kept only as an HMAC: it
 * may hold an account number, and says which SECRET_KEY it was made with. Keys live for 7 days.
 */
import { REFUSALS, type RefusalCode } from '@roz/core/refusals.ts'
import { type Db, one, type Queryable, sql } from '../db/sql.ts'
import { inTransaction, type Tx, type Waits } from '../db/transaction.ts'
import type { Secrets } from '../secrets/secrets.ts'
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
type Claimed<A> =
  | { readonly kind: 'fresh' }
  /** Begun before and not answered yet; `ref` names what it began. */
  | { readonly kind: 'begun'; readonly ref: string }
  | { readonly kind: 'answered'; readonly answer: A | Mismatch }

const MISMATCH: Mismatch = { ok: false, code: 'idempotency_mismatch' }

/** While its steps run, the key's own transaction does nothing; they are bounded themselves. */
const STEPS: Waits = { lockTimeoutMs: 60_000, statementTimeoutMs: 60_000, transactionTimeoutMs: 600_000, idleTimeoutMs: 600_000 }

export type Idempotency = ReturnType<typeof createIdempotency>

export function createIdempotency({ db, secrets }: { readonly db: Db; readonly secrets: Pick<Secrets, 'fingerprints' | 'keyIds'> }) {
  /** Takes the key in the caller's transaction, or finds it taken; waits for one that is being taken. */
  async function claim<A extends AnyAnswer>(tx: Tx, { memberId, key, route, body }: KeyedCall, ref: string): Promise<Claimed<A>> {
    if (key === undefined) return { kind: 'fresh' }
    const bodyHmacs = secrets.fingerprints(Buffer.from(canonicalJson(body)), 'idempotency')
    const claimed = await tx.query(sql`
      insert into idempotency_key (member_id, route, key, body_hmac, body_key, ref)
      values (${memberId}::bigint, ${route}::text, ${key}::text, ${bodyHmacs[0]}::bytea, ${secrets.keyIds[0]}::bytea, ${ref}::text)
      on conflict (member_id, key) do nothing returning 1`)
    if (claimed.length === 1) return { kind: 'fresh' }
    // Under the present SECRET_KEY or the one before: a rotation makes no stranger of a body.
    const known = await one<{ same: boolean; answer: A | null; ref: string }>(
      tx,
      sql`select route = ${route}::text and body_hmac = any (${bodyHmacs}::bytea[]) as same, answer, ref
            from idempotency_key where member_id = ${memberId}::bigint and key = ${key}::text for update`,
    )
    if (!known.same) return { kind: 'answered', answer: MISMATCH }
    return known.answer === null ? { kind: 'begun', ref: known.ref } : { kind: 'answered', answer: known.answer }
  }

  /** Remembers the answer of a key. */
  async function remember(tx: Tx, { memberId, key }: KeyedCall, answer: AnyAnswer): Promise<void> {
    if (key === undefined) return
    const status = answer.ok ? 200 : REFUSALS[answer.code].status
    await tx.query(sql`
      update idempotency_key set status = ${status}::smallint, answer = ${JSON.stringify(answer)}::jsonb
       where member_id = ${memberId}::bigint and key = ${key}::text`)
  }

  /** Runs an effect that lies in one transaction, at most once per key. */
  function once<A extends AnyAnswer>(
    call: KeyedCall,
    ref: string,
    effect: (tx: Tx) => Promise<A>,
    waits: Partial<Waits> = {},
  ): Promise<A | Mismatch> {
    const answered = async (tx: Tx): Promise<A | Mismatch> => {
      const claimed = await claim<A>(tx, call, ref)
      if (claimed.kind === 'answered') return claimed.answer
      const answer = await effect(tx)
      await remember(tx, call, answer)
      return answer
    }
    return inTransaction(db, answered, waits)
  }

  /**
   * The same for work in steps of its own, each of which may be run again: a second request with the
   * key waits for the first one's answer. Where the process dies before that, nothing is remembered.
   */
  function onceInSteps<A extends AnyAnswer>(call: KeyedCall, steps: () => Promise<A>): Promise<A | Mismatch> {
    return call.key === undefined ? steps() : once(call, call.route, steps, STEPS)
  }

  /** Forgets keys of more than seven days, a portion at a time; says whether there were any. */
  async function forgetOld(): Promise<boolean> {
    const gone = await db.query(sql`
      delete from idempotency_key where (member_id, key) in (
        select member_id, key from idempotency_key where created_at < (select roz_now()) - interval '7 days' limit 1000)
      returning 1`)
    return gone.length > 0
  }

  return { claim, remember, once, onceInSteps, forgetOld }
}

/** Until when calls are kept whose bodies a key alone knows again; undefined where there is none. */
export async function isNeededUntil(from: Queryable, bodyKey: Buffer): Promise<Date | undefined> {
  const { until } = await one<{ until: Date | null }>(
    from,
    sql`select max(created_at) + interval '7 days' as until from idempotency_key
         where body_key = ${bodyKey}::bytea and created_at > (select roz_now()) - interval '7 days'`,
  )
  return until ?? undefined
}

/** One text for one value, whatever the order of its keys. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : part,
  )
}
