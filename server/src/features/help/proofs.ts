/**
 * Proofs of booked payments that are taken back: a withheld bill or follow-up, a revoked consent.
 * - The persons who requested or decided a payment do not take its proof back while somebody else of the treasury can.
 * - The owners are told of it, by mail and in the list of alarms, where it follows a payment within 30 days.
 */
import type { Paise } from '@roz/core/money.ts'
import { sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'

/** `recent`: what these outlays paid in the last 30 days. */
export async function judgeProofs(
  tx: Tx,
  by: bigint,
  outlays: readonly string[],
): Promise<{ readonly ok: true; readonly recent: Paise } | { readonly ok: false; readonly code: 'own_payment' }> {
  const { isOwn, recent } = await tx.one<{ isOwn: boolean; recent: Paise }>(sql`
    select paid_it(${by}::bigint, ${outlays}::uuid[]) as "isOwn",
          (select coalesce(sum(amount_paise), 0)::bigint from outlay where id = any (${outlays}::uuid[]) and status = 'booked'
              and kind <> 'disbursement_back' and decided_at > roz_now() - interval '30 days') as recent`)
  return isOwn ? { ok: false, code: 'own_payment' } : { ok: true, recent }
}
