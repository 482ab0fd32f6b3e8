/**
 * Stores the signals of a withdrawal for the review list: its bank account or UPI ID, and a quick withdrawal of new money from a new account.
 *
 * - Runs as a job after the commit, so no withdrawal, deletion or hold waits for it. A second run changes nothing.
 * - Each signal is stored in a transaction of its own.
 * - A deleted account has no bank details, so no signal is stored.
 */
import { type Db, sql } from '../../db/sql.ts'
import { noteSignalLater } from '../../members/signals.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import { accountIdentity, readPayoutDetail } from '../../members/bank-accounts.ts'

/** An account is young while its first top-up can be refunded: by the end of that time a payer has noticed a payment that is not theirs. */
const YOUNG = sql`interval '7 days'`

type Row = { readonly memberId: bigint; readonly sealed: Buffer; readonly isYoung: boolean }

export async function noteWithdrawal({ db, secrets }: { readonly db: Db; readonly secrets: Secrets }, id: string): Promise<void> {
  const row = await db.maybeOne<Row>(sql`
    select w.member_id as "memberId", b.sealed, 'young_money' = any (w.flags) and w.created_at < m.created_at + ${YOUNG} as "isYoung"
      from withdrawal w join member m on m.id = w.member_id join bank_account b on b.id = w.bank_account_id
     where w.id = ${id}::uuid and m.deleted_at is null`)
  if (row === undefined) return
  const { memberId, sealed, isYoung } = row
  if (isYoung) await noteSignalLater(db, secrets, { kind: 'young_money', value: String(memberId), memberId })
  await noteSignalLater(db, secrets, { kind: 'bank', value: accountIdentity(readPayoutDetail(secrets, { memberId, sealed })), memberId })
}
