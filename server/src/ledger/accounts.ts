/**
 * The ledger's accounts, and the kinds of transfer between them.
 * - This file and the CHECK of the table `transfer` allow the same kinds between the same accounts. accounts.test.ts compares them.
 * - A transfer takes from `debit` and gives to `credit`: accounts that hold our assets have negative balances.
 */
import type { IstDay } from '@roz/core/ist-day.ts'

/** GATEWAY: the amount that the payment gateway owes us. */
export const ACCOUNTS = {
  GATEWAY: 1n,
  BANK: 2n,
  PAYOUTS_PENDING: 3n,
  REFUNDS_PENDING: 4n,
  SUSPENSE: 5n,
  HELP_FUND: 6n,
  PLATFORM: 7n,
  GATEWAY_FEES: 8n,
  LOSSES: 9n,
  TAX_WITHHELD: 10n,
} as const
export type AccountName = keyof typeof ACCOUNTS

export const FIRST_MEMBER_ID = 1001n
/** A day's pool is the account with the number -yyyymmdd. */
export const poolAccount = (day: IstDay): bigint => -BigInt(day.replaceAll('-', ''))

type Side = AccountName | 'member' | 'pool'
type Sides = { readonly debit: readonly Side[]; readonly credit: readonly Side[] }
const sides = (debit: Side | readonly Side[], credit: Side | readonly Side[]): Sides => ({
  debit: typeof debit === 'string' ? [debit] : debit,
  credit: typeof credit === 'string' ? [credit] : credit,
})

/** A join (member → pool) is a row of `round_join`, not of `transfer`. */
export const TRANSFER_KINDS = {
  topup: sides('GATEWAY', 'member'),
  topup_suspense: sides('GATEWAY', 'SUSPENSE'),
  suspense_credit: sides('SUSPENSE', 'member'),
  suspense_refund: sides('SUSPENSE', 'REFUNDS_PENDING'),
  suspense_paid: sides('SUSPENSE', 'BANK'),
  prize: sides('pool', 'member'),
  need: sides('pool', 'HELP_FUND'),
  platform: sides('pool', 'PLATFORM'),
  tax: sides('pool', 'TAX_WITHHELD'),
  round_refund: sides('pool', 'member'),
  disbursement: sides('HELP_FUND', 'BANK'),
  disbursement_back: sides('BANK', 'HELP_FUND'),
  gift: sides('member', 'HELP_FUND'),
  platform_out: sides('PLATFORM', 'BANK'),
  tds_remitted: sides('TAX_WITHHELD', 'BANK'),
  losses_covered: sides('PLATFORM', 'LOSSES'),
  wd_hold: sides('member', 'PAYOUTS_PENDING'),
  wd_paid: sides('PAYOUTS_PENDING', 'BANK'),
  wd_back: sides('PAYOUTS_PENDING', 'member'),
  wd_reversed: sides('BANK', ['member', 'SUSPENSE']),
  wd_conflict: sides('LOSSES', 'BANK'),
  wd_conflict_back: sides('BANK', 'LOSSES'),
  refund_hold: sides('member', 'REFUNDS_PENDING'),
  refund_paid: sides('REFUNDS_PENDING', 'GATEWAY'),
  refund_failed: sides('REFUNDS_PENDING', ['member', 'SUSPENSE']),
  refund_reversed: sides('GATEWAY', ['member', 'SUSPENSE']),
  refund_conflict: sides('LOSSES', 'GATEWAY'),
  refund_conflict_back: sides('GATEWAY', 'LOSSES'),
  gateway_settled: sides(['BANK', 'GATEWAY_FEES'], 'GATEWAY'),
  chargeback: sides(['member', 'LOSSES', 'SUSPENSE'], 'GATEWAY'),
  chargeback_back: sides('GATEWAY', ['member', 'LOSSES', 'SUSPENSE']),
  debt_paid: sides(['member', 'SUSPENSE'], 'LOSSES'),
  debt_back: sides('LOSSES', ['member', 'SUSPENSE']),
} as const satisfies Record<string, Sides>
export type TransferKind = keyof typeof TRANSFER_KINDS
