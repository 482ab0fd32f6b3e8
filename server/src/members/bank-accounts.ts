/**
 * Bank accounts of withdrawals.
 *
 * - The details are stored encrypted for their member. Logs, answers and mails have only the bank's name and the last four digits.
 * - A known account is found by an HMAC of number and IFSC, even if other details are written differently.
 */
import type { walletCalls } from '@roz/contract/wallet.ts'
import { maybeOne, one, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { canonicalJson } from '../http/idempotency.ts'
import type { Call } from '../http/route.ts'
import type { Secrets } from '../secrets/secrets.ts'

export type BankDetail = Call<typeof walletCalls.withdraw>['body']['bankDetail']
export type KnownAccount = {
  readonly id: bigint
  /** Never used by this member before. */
  readonly isNew: boolean
  /** First used less than 24 h ago, or now. */
  readonly isRecent: boolean
  readonly bankName: string
  readonly lastFour: string
}

/** The HMACs that find an account, and the exact details, again. */
export const macsOf = (secrets: Pick<Secrets, 'fingerprints'>, detail: BankDetail) => ({
  accountMacs: secrets.fingerprints(Buffer.from(`${detail.accountNumber}\n${detail.ifscCode}`), 'bank_account'),
  detailsMacs: secrets.fingerprints(Buffer.from(canonicalJson(detail)), 'bank_details'),
})

/** Returns the row of these details, made at their first use. */
export async function useBankAccount(tx: Tx, secrets: Secrets, memberId: bigint, detail: BankDetail): Promise<KnownAccount> {
  const { accountMacs, detailsMacs } = macsOf(secrets, detail)
  const known = await one<{ isNew: boolean; isRecent: boolean }>(
    tx,
    sql`
    select count(*) = 0 as "isNew", coalesce(min(created_at) > roz_now() - interval '24 hours', true) as "isRecent"
    from bank_account where member_id = ${memberId}::bigint and account_mac = any (${accountMacs}::bytea[])`,
  )
  const lastFour = detail.accountNumber.slice(-4)
  const row =
    (await maybeOne<{ id: bigint }>(
      tx,
      sql`select id from bank_account where member_id = ${memberId}::bigint and details_mac = any (${detailsMacs}::bytea[]) limit 1`,
    )) ??
    (await one<{ id: bigint }>(
      tx,
      sql`
      insert into bank_account (member_id, account_mac, details_mac, sealed, bank_name, last_four)
      values (${memberId}::bigint, ${accountMacs[0]}::bytea, ${detailsMacs[0]}::bytea,
        ${secrets.seal(Buffer.from(JSON.stringify(detail)), `bank_account:${memberId}`)}::bytea, ${detail.bankName}::text, ${lastFour}::text)
      returning id`,
    ))
  return { id: row.id, ...known, bankName: detail.bankName, lastFour }
}
