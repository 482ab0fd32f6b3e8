/**
 * Idempotency-Key of money POSTs (money.md 13). Invariants: the key's row is written in the
 * transaction of its effect or of its refusal, so that either both stand or none; the same key with
 * the same body answers the first answer, also a refusal, with another body or route 409; of several
 * at once one takes effect and the others wait for its answer. The body is kept only as an HMAC: it
 * may hold an account number. Keys live for 7 days.
 */
import { REFUSALS, type RefusalCode } from '@roz/core/refusals.ts'
import { type Db, one, sql } from '../db/sql.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { claimKey, forgetOldKeys, type KeyedRequest, storeAnswer } from '../ledger/idempotency.ts'
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
type Claimed<A> =
  | { readonly kind: 'fresh' }
  /** Begun before and not answered yet; `ref` names what it began. */
  | { readonly kind: 'begun'; readonly ref: string }
  | { readonly kind: 'answered'; readonly answer: A | Mismatch }

const MISMATCH: Mismatch = { ok: false, code: 'idempotency_mismatch' }

export type Idempotency = ReturnType<typeof createIdempotency>

export function createIdempotency({ db, secrets }: { readonly db: Db; readonly secrets: Pick<Secrets, 'fingerprints'> }) {
  const requestOf = ({ memberId, route, body }: KeyedCall, key: string): KeyedRequest => ({
    memberId,
    route,
    key,
    bodyHmac: secrets.fingerprints(Buffer.from(canonicalJson(body)), 'idempotency')[0],
  })

  /** Takes the key in the caller's transaction, or finds it taken; waits for one that is being taken. */
  async function claim<A extends AnyAnswer>(tx: Tx, call: KeyedCall, ref: string): Promise<Claimed<A>> {
    if (call.key === undefined) return { kind: 'fresh' }
    const row = sql`member_id = ${call.memberId}::bigint and key = ${call.key}::text`
    const claimed = await claimKey(tx, requestOf(call, call.key))
    switch (claimed.state) {
      case 'new':
        await tx.query(sql`update idempotency_key set ref = ${ref}::text where ${row}`)
        return { kind: 'fresh' }
      case 'unfinished':
        return { kind: 'begun', ref: (await one<{ ref: string }>(tx, sql`select ref from idempotency_key where ${row}`)).ref }
      case 'mismatch':
        return { kind: 'answered', answer: MISMATCH }
      case 'answered':
        return { kind: 'answered', answer: claimed.answer as A }
    }
  }

  /** Remembers the answer of a key. */
  async function remember(tx: Tx, call: KeyedCall, answer: AnyAnswer): Promise<void> {
    if (call.key === undefined) return
    const status = answer.ok ? 200 : REFUSALS[answer.code].status
    await storeAnswer(tx, requestOf(call, call.key), { status, answer })
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

  /** Forgets keys of more than seven days; says whether there were any. */
  async function forgetOld(): Promise<boolean> {
    const { found } = await one<{ found: boolean }>(
      db,
      sql`select exists (select from idempotency_key where created_at < (select roz_now()) - interval '7 days') as found`,
    )
    if (found) await inTransaction(db, forgetOldKeys)
    return found
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
