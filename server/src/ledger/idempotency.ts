/**
 * Idempotency-Keys of money calls other than join (money.md 13). Invariants: the claim, the effect and
 * the stored answer are one transaction, refusals included; two requests with one key run one after the
 * other; a key that comes again with another route or body is refused. The body is compared by an HMAC
 * that the caller makes: it may hold an account number. Kept for seven days.
 */
import { maybeOne, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'

export type KeyedRequest = {
  readonly memberId: bigint
  readonly route: string
  /** The header, 1–200 characters. */
  readonly key: string
  /** 32 bytes. */
  readonly bodyHmac: Buffer
}
/** JSON as it was answered. */
export type StoredAnswer = { readonly status: number; readonly answer: unknown }
/** new: go on, then store the answer in the same transaction · unfinished: claimed before, never answered. */
export type Claim =
  | { readonly state: 'new' }
  | { readonly state: 'unfinished' }
  | { readonly state: 'mismatch' }
  | ({ readonly state: 'answered' } & StoredAnswer)

export async function claimKey(tx: Tx, request: KeyedRequest): Promise<Claim> {
  const { memberId, route, key, bodyHmac } = request
  // A second request with the key waits here until the first one's transaction has ended.
  const claimed = await tx.query(
    sql`insert into idempotency_key (member_id, route, key, body_hmac)
        values (${memberId}::bigint, ${route}::text, ${key}::text, ${bodyHmac}::bytea)
        on conflict (member_id, key) do nothing returning 1`,
  )
  if (claimed.length === 1) return { state: 'new' }
  const known = await maybeOne<{ same: boolean; status: number | null; answer: unknown }>(
    tx,
    sql`select route = ${route}::text and body_hmac = ${bodyHmac}::bytea as same, status, answer
          from idempotency_key where member_id = ${memberId}::bigint and key = ${key}::text for update`,
  )
  if (known === undefined) throw new Error('an idempotency key vanished while it was claimed')
  if (!known.same) return { state: 'mismatch' }
  return known.status === null ? { state: 'unfinished' } : { state: 'answered', status: known.status, answer: known.answer }
}

export async function storeAnswer(tx: Tx, request: KeyedRequest, stored: StoredAnswer): Promise<void> {
  await tx.query(
    sql`update idempotency_key set status = ${stored.status}::smallint, answer = ${JSON.stringify(stored.answer)}::jsonb
         where member_id = ${request.memberId}::bigint and key = ${request.key}::text`,
  )
}

/** Forgets keys older than seven days. */
export async function forgetOldKeys(tx: Tx): Promise<void> {
  await tx.query(sql`delete from idempotency_key where created_at < (select roz_now()) - interval '7 days'`)
}
