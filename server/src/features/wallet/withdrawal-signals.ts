/**
 * Notes what a withdrawal tells about its account, for the review list: the bank account, and young money of a young account.
 *
 * - It runs as a job after the commit, so no withdrawal, deletion or hold waits for it. A second run changes nothing.
 * - Each sign is noted in a transaction of its own.
 * - A deleted account has no bank details: nothing is noted of it.
 */
import { type Db, maybeOne, sql } from '../../db/sql.ts'
import { noteSignalLater } from '../../members/signals.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import type { BankDetail } from './bank-accounts.ts'

/** An account is young while its first top-up can be refunded: by the end of that time a payer has noticed a payment that is not theirs. */
const YOUNG = sql`interval '7 days'`

type Row = { readonly memberId: bigint; readonly sealed: Buffer; readonly isYoung: boolean }

export async function noteWithdrawal({ db, secrets }: { readonly db: Db; readonly secrets: Secrets }, id: string): Promise<void> {
  const row = await maybeOne<Row>(
    db,
    sql`
    select w.member_id as "memberId", b.sealed, 'young_money' = any (w.flags) and w.created_at < m.created_at + ${YOUNG} as "isYoung"
      from withdrawal w join member m on m.id = w.member_id join bank_account b on b.id = w.bank_account_id
     where w.id = ${id}::uuid and m.deleted_at is null`,
  )
  if (row === undefined) return
  const { memberId, sealed, isYoung } = row
  if (isYoung) await noteSignalLater(db, secrets, { kind: 'young_money', value: String(memberId), memberId })
  const { accountNumber, ifscCode } = JSON.parse(secrets.open(sealed, `bank_account:${memberId}`).toString()) as BankDetail
  await noteSignalLater(db, secrets, { kind: 'bank', value: `${accountNumber}\n${ifscCode}`, memberId })
}
