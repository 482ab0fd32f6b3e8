/**
 * Bank accounts and UPI IDs of withdrawals: the one place that encrypts their details, and decrypts them.
 *
 * - The details are encrypted for their member. Logs, answers and mails have only the bank's name and the last four digits, or the masked UPI ID.
 * - They are decrypted for the gateway, for finance paying by hand, and for the signals of a withdrawal; never logged or stored again.
 * - A known account is found by an HMAC of number and IFSC, or of the UPI ID, even if other details are written differently.
 */
import { randomBytes } from 'node:crypto'
import { bankDetail, upiDetail, type withdrawal } from '@roz/contract/wallet.ts'
import { sortedJson } from '@roz/core/sorted-json.ts'
import { maskUpiId } from '@roz/core/upi-id.ts'
import type { z } from 'zod'
import { type Sql, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { type EncryptedColumn, plainColumn } from '../secrets/encrypted-columns.ts'
import type { Secrets } from '../secrets/secrets.ts'

export type BankDetail = z.output<typeof bankDetail>
type UpiDetail = z.output<typeof upiDetail>
/** Where a withdrawal goes. */
export type PayoutDetail = BankDetail | UpiDetail
export const isUpi = (detail: PayoutDetail): detail is UpiDetail => 'upiId' in detail
/** A row of `bank_account`: `sealed` has the details. */
export type StoredAccount = { readonly memberId: bigint; readonly sealed: Buffer }
export type KnownAccount = {
  readonly id: bigint
  /** Never used by this member before. */
  readonly isNew: boolean
  /** First used less than 24 h ago, or now. */
  readonly isRecent: boolean
  readonly bankName: string
  readonly lastFour: string
}

const contextOf = (memberId: bigint): string => `bank_account:${memberId}`

const encryptDetail = (secrets: Secrets, memberId: bigint, detail: PayoutDetail): Buffer =>
  secrets.encrypt(Buffer.from(JSON.stringify(detail)), contextOf(memberId))

export function readPayoutDetail(secrets: Secrets, { memberId, sealed }: StoredAccount): PayoutDetail {
  const detail = JSON.parse(secrets.decrypt(sealed, contextOf(memberId)).toString('utf8')) as PayoutDetail
  return isUpi(detail) ? upiDetail.parse(detail) : bankDetail.parse(detail)
}

/** The identity of an account: two accounts are the same if this text is. */
export const accountIdentity = (detail: PayoutDetail): string =>
  isUpi(detail) ? `upi\n${detail.upiId}` : `${detail.accountNumber}\n${detail.ifscCode}`

/** The bank's name and the last four digits, or UPI and the masked UPI ID. */
function shownOf(detail: PayoutDetail): { readonly bankName: string; readonly lastFour: string } {
  if (!isUpi(detail)) return { bankName: detail.bankName, lastFour: detail.accountNumber.slice(-4) }
  const masked = maskUpiId(detail.upiId)
  if (masked === undefined) throw new Error('a UPI ID that was read cannot be masked')
  return { bankName: 'UPI', lastFour: masked }
}
const IS_UPI = '@'
type Shown = z.output<typeof withdrawal>['bank']
export type ShownAccount = Pick<KnownAccount, 'bankName' | 'lastFour'> & { readonly nameMatch: Shown['nameMatch'] }
/** A row's account as answers have it. */
export const shownAccount = ({ bankName, lastFour, nameMatch }: ShownAccount): Shown => ({
  name: bankName,
  lastFour,
  upi: lastFour.includes(IS_UPI) ? lastFour : null,
  nameMatch,
})
/** The bank's answer about the name of the row `b`; null before there is one. */
export const nameMatchOf = (b: Sql): Sql => sql`(select n.result from payee_name_check n where n.bank_account_id = ${b}.id)`
/** Whether names are checked, and the bank of the row `b` was never asked. */
export const isNameUnasked = (b: Sql): Sql =>
  sql`exists (select from payee_name_check n where n.bank_account_id = ${b}.id and n.asks = 0 and n.result is null)`
/** The account of the row `b` in running text: `HDFC Bank ••9012`, `UPI ra…@okbank`. */
export const accountInText = (b: Sql): Sql =>
  sql`(${b}.bank_name || case when strpos(${b}.last_four, ${IS_UPI}::text) > 0 then ' ' else ' ••' end || ${b}.last_four)`

/** The HMACs that find an account, and the exact details, again. */
const macsOf = (secrets: Pick<Secrets, 'fingerprints'>, detail: PayoutDetail) => ({
  accountMacs: secrets.fingerprints(Buffer.from(accountIdentity(detail)), 'bank_account'),
  detailsMacs: secrets.fingerprints(Buffer.from(sortedJson(detail)), 'bank_details'),
})

/** Returns the row of these details, made at their first use. */
export async function useBankAccount(tx: Tx, secrets: Secrets, memberId: bigint, detail: PayoutDetail): Promise<KnownAccount> {
  const { accountMacs, detailsMacs } = macsOf(secrets, detail)
  const known = await tx.one<{ isNew: boolean; isRecent: boolean }>(sql`
    select count(*) = 0 as "isNew", coalesce(min(created_at) > roz_now() - interval '24 hours', true) as "isRecent"
    from bank_account where member_id = ${memberId}::bigint and account_mac = any (${accountMacs}::bytea[])`)
  const shown = shownOf(detail)
  const row =
    (await tx.maybeOne<{ id: bigint }>(
      sql`select id from bank_account where member_id = ${memberId}::bigint and details_mac = any (${detailsMacs}::bytea[]) limit 1`,
    )) ??
    (await tx.one<{ id: bigint }>(sql`
      insert into bank_account (member_id, account_mac, details_mac, sealed, bank_name, last_four)
      values (${memberId}::bigint, ${accountMacs[0]}::bytea, ${detailsMacs[0]}::bytea,
        ${encryptDetail(secrets, memberId, detail)}::bytea, ${shown.bankName}::text, ${shown.lastFour}::text)
      returning id`))
  return { id: row.id, ...known, ...shown }
}

/** An account encrypted again has new fingerprints. */
export const bankAccountColumn: EncryptedColumn = {
  ...plainColumn({ name: 'bank accounts', table: sql`bank_account`, column: sql`sealed`, context: sql`'bank_account:' || member_id` }),
  write: async (tx, secrets, rows) => {
    const taken = new Set<string>()
    const renewed = rows.map(({ sealed, context }) => {
      const bytes = secrets.decrypt(sealed, context)
      const { accountMacs, detailsMacs } = macsOf(secrets, JSON.parse(bytes.toString('utf8')) as PayoutDetail)
      // An earlier rotation may have left the same details in two rows: the first row keeps the fingerprint and is found by it.
      const name = `${context}:${detailsMacs[0].toString('hex')}`
      const details = taken.has(name) ? randomBytes(detailsMacs[0].length) : detailsMacs[0]
      taken.add(name)
      return { sealed: secrets.encrypt(bytes, context), account: accountMacs[0], details }
    })
    await tx.query(sql`
      update bank_account t set sealed = v.sealed, account_mac = v.account,
             -- If the member gave the same details meanwhile to a process that has no old key, a newer row exists. Keep that row's fingerprint.
             details_mac = case when exists (select from bank_account o where o.member_id = t.member_id and o.details_mac = v.details and o.id <> t.id)
               then sha256(uuid_send(gen_random_uuid())) else v.details end
        from unnest(${rows.map(({ at }) => at)}::tid[], ${renewed.map(({ sealed }) => sealed)}::bytea[],
                    ${renewed.map(({ account }) => account)}::bytea[], ${renewed.map(({ details }) => details)}::bytea[])
             as v(at, sealed, account, details)
       where t.ctid = v.at`)
  },
}
