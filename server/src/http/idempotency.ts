/**
 * Idempotency-Key of the POSTs that move money.
 * - The key's row is written in the transaction of the effect or of the refusal: both are committed or neither.
 * - The same key with the same body gets the first answer, also if that was a refusal, or of an earlier release (stored-answers.ts).
 * - The same key with another body or another route answers 409 `idempotency_mismatch`.
 * - Of concurrent requests with one key, one takes effect and the others wait for its answer.
 * - The body is kept only as an HMAC, because it may contain an account number. The row names the SECRET_KEY of the HMAC.
 * - Keys expire after 7 days.
 */
import { REFUSALS, type RefusalCode } from '@roz/core/refusals.ts'
import { sortedJson } from '@roz/core/sorted-json.ts'
import { type Db, type Queryable, sql } from '../db/sql.ts'
import { inTransaction, type Tx, type Waits } from '../db/transaction.ts'
import type { Secrets } from '../secrets/secrets.ts'
import type { Refusal } from './route.ts'
import { noteStored } from './stored-answers.ts'

export type KeyedCall = {
  readonly memberId: bigint
  /** Value of the header; without a key nothing is remembered. */
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
  /** Started before and not yet answered; `ref` names what it started. */
  | { readonly kind: 'begun'; readonly ref: string }
  | { readonly kind: 'answered'; readonly answer: A | Mismatch }

const MISMATCH: Mismatch = { ok: false, code: 'idempotency_mismatch' }

/** Timeouts of the key's own transaction, which is idle while the steps run; the steps have their own timeouts. */
const STEPS: Waits = { lockTimeoutMs: 60_000, statementTimeoutMs: 60_000, transactionTimeoutMs: 600_000, idleTimeoutMs: 600_000 }

export type Idempotency = ReturnType<typeof createIdempotency>

export function createIdempotency({ db, secrets }: { readonly db: Db; readonly secrets: Pick<Secrets, 'fingerprints' | 'keyIds'> }) {
  /** Claims the key in the caller's transaction, or finds it claimed; waits for a concurrent claim. */
  async function claim<A extends AnyAnswer>(tx: Tx, { memberId, key, route, body }: KeyedCall, ref: string): Promise<Claimed<A>> {
    if (key === undefined) return { kind: 'fresh' }
    const bodyHmacs = secrets.fingerprints(Buffer.from(sortedJson(body)), 'idempotency')
    const claimed = await tx.query(sql`
      insert into idempotency_key (member_id, route, key, body_hmac, body_key, ref)
      values (${memberId}::bigint, ${route}::text, ${key}::text, ${bodyHmacs[0]}::bytea, ${secrets.keyIds[0]}::bytea, ${ref}::text)
      on conflict (member_id, key) do nothing returning 1`)
    if (claimed.length === 1) return { kind: 'fresh' }
    // Accepts an HMAC by the present SECRET_KEY or by the previous one, so a rotation breaks no retry.
    const known = await tx.one<{ same: boolean; answer: A | null; ref: string }>(sql`
      select route = ${route}::text and body_hmac = any (${bodyHmacs}::bytea[]) as same, answer, ref
            from idempotency_key where member_id = ${memberId}::bigint and key = ${key}::text for update`)
    if (!known.same) return { kind: 'answered', answer: MISMATCH }
    if (known.answer === null) return { kind: 'begun', ref: known.ref }
    if (known.answer.ok) noteStored(known.answer.value)
    return { kind: 'answered', answer: known.answer }
  }

  /** Stores the answer of a key. */
  async function remember(tx: Tx, { memberId, key }: KeyedCall, answer: AnyAnswer): Promise<void> {
    if (key === undefined) return
    const status = answer.ok ? 200 : REFUSALS[answer.code].status
    await tx.query(sql`
      update idempotency_key set status = ${status}::smallint, answer = ${JSON.stringify(answer)}::jsonb
       where member_id = ${memberId}::bigint and key = ${key}::text`)
  }

  /** Runs an effect in one transaction, at most once per key. */
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
   * Runs work whose steps are idempotent: a second request with the key waits for the first one's answer.
   * If the process dies before the answer, nothing is remembered.
   */
  function onceInSteps<A extends AnyAnswer>(call: KeyedCall, steps: () => Promise<A>): Promise<A | Mismatch> {
    return call.key === undefined ? steps() : once(call, call.route, steps, STEPS)
  }

  /** Deletes up to 1,000 keys older than seven days; returns whether any were deleted. */
  async function forgetOld(): Promise<boolean> {
    const gone = await db.query(sql`
      delete from idempotency_key where (member_id, key) in (
        select member_id, key from idempotency_key where created_at < (select roz_now()) - interval '7 days' limit 1000)
      returning 1`)
    return gone.length > 0
  }

  return { claim, remember, once, onceInSteps, forgetOld }
}

const FORGOTTEN = JSON.stringify({ ok: false, code: 'changed_since_seen' } satisfies Refusal<RefusalCode>)

/**
 * Forgets the answers of the team's keys that name somebody by this id: they contain the name and the words of the person. The keys
 * stay, so that a retry takes no second effect.
 */
export async function forgetAnswersAbout(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`
    update idempotency_key k set answer = ${FORGOTTEN}::jsonb, status = ${REFUSALS.changed_since_seen.status}::smallint
      from member s where s.role = 'admin' and k.member_id = s.id and position(${id}::text in k.answer::text) > 0`)
}

/** Expiry of the newest key whose body was signed with this SECRET_KEY; undefined if there is none. */
export async function isNeededUntil(from: Queryable, bodyKey: Buffer): Promise<Date | undefined> {
  const { until } = await from.one<{ until: Date | null }>(sql`select max(created_at) + interval '7 days' as until from idempotency_key
         where body_key = ${bodyKey}::bytea and created_at > (select roz_now()) - interval '7 days'`)
  return until ?? undefined
}
