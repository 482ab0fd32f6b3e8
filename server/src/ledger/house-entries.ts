/**
 * Platform entries: outlays from the platform's own accounts, each with its bills.
 * - `platform_out`: the platform's share is paid out. At most the share less the gateway's fees and the losses can leave.
 * - `losses_covered`: the platform's share covers losses, at most their amount.
 * - `tds_remitted`: tax withheld from prizes is paid to the government.
 * - An entry uses only money that arrived on or before its own day, so no account is below zero at a day's end.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Outcome, accepted, refused } from '@roz/core/outcome.ts'
import { sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { ACCOUNTS, type AccountName } from './accounts.ts'
import { hasBills, isBillUsed, lockOutlays, moveProven, type ProvenEntry } from './evidence.ts'

const SIDES = {
  platform_out: ['PLATFORM', 'BANK'],
  tds_remitted: ['TAX_WITHHELD', 'BANK'],
  losses_covered: ['PLATFORM', 'LOSSES'],
} as const satisfies Record<string, readonly [AccountName, AccountName]>
export type HouseKind = keyof typeof SIDES
export const isHouseKind = (kind: string): kind is HouseKind => Object.hasOwn(SIDES, kind)

export async function bookHouseEntry(
  tx: Tx,
  entry: ProvenEntry & { readonly kind: HouseKind },
): Promise<Outcome<{ readonly replayed: boolean }, 'insufficient_funds' | 'receipt_used' | 'idempotency_mismatch'>> {
  const { kind, id, amount, evidence } = entry
  const today = await lockOutlays(tx)
  const known = await tx.maybeOne<{ same: boolean }>(
    sql`select kind = ${kind}::text and amount = ${amount}::bigint as same from transfer where kind = any(${Object.keys(SIDES)}::text[]) and ref = ${id}::text`,
  )
  if (known !== undefined) {
    const same = known.same && (await hasBills(tx, kind, entry))
    return same ? accepted({ replayed: true }) : refused('idempotency_mismatch')
  }
  if (await isBillUsed(tx, evidence)) return refused('receipt_used')
  if ((await readPayable(tx, today))[kind] < amount) return refused('insufficient_funds')
  const [from, to] = SIDES[kind]
  await moveProven(tx, { ...entry, from, to })
  return accepted({ replayed: false })
}

/** The most that each kind of entry can take on a day. */
export async function readPayable(tx: Tx, day: IstDay): Promise<Readonly<Record<HouseKind, bigint>>> {
  const { PLATFORM, GATEWAY_FEES, LOSSES, TAX_WITHHELD } = ACCOUNTS
  const has = await tx.one<{ platform: bigint; fees: bigint; losses: bigint; tax: bigint }>(sql`
    select house_balance(${PLATFORM}::bigint, ${day}::date) as platform, house_balance(${GATEWAY_FEES}::bigint, ${day}::date) as fees,
               house_balance(${LOSSES}::bigint, ${day}::date) as losses, house_balance(${TAX_WITHHELD}::bigint, ${day}::date) as tax`)
  const afterFees = has.platform + has.fees
  return {
    // Money recovered from a covered loss stays in LOSSES, for the next loss.
    platform_out: has.losses < 0n ? afterFees + has.losses : afterFees,
    losses_covered: afterFees < -has.losses ? afterFees : -has.losses,
    tds_remitted: has.tax,
  }
}
