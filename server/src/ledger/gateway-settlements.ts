/**
 * Settlements of the gateway: the amount that it paid into our bank, and the fee with its tax that it kept. Both lower what it owes us.
 * - A settlement is booked once by the gateway's own number, whatever case and separators it is written with.
 * - A settlement is at most what the gateway owes now, or what it reported under this number: it may add an amount of its own, and
 *   refunds may have lowered its debt since. The schema cannot repeat this rule, because that debt may be negative.
 * - The fee is a transfer of its own. It lowers what `platform_out` can take.
 */
import type { Paise } from '@roz/core/money.ts'
import { type Outcome, accepted, refused } from '@roz/core/outcome.ts'
import { squeezed } from '@roz/core/reference-fields.ts'
import { type Queryable, type Sql, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { ACCOUNTS } from './accounts.ts'
import { readBalances } from './balances.ts'
import { hasBills, isBillUsed, lockOutlays, moveProven, type ProvenEntry } from './evidence.ts'
import { moveSystem } from './transfer.ts'

/** `amount` is the net amount. */
export type GatewaySettlement = ProvenEntry & { readonly reference: string; readonly fee: Paise }
export type SettlementRefusal = 'settlement_known' | 'settlement_exceeds_owed'

/** The outlay is an entry of the settlement: it names the gateway's number or the bank's. */
export const isEntryOf = (outlay: Sql, settlement: Sql): Sql =>
  sql`${outlay}.kind = 'gateway_settled' and ${outlay}.purpose in (upper(${settlement}.settlement_id), upper(${settlement}.utr))`
/** The outlay `o` records the settlement `s`. */
export const IS_RECORDED: Sql = sql`(${isEntryOf(sql`o`, sql`s`)} and o.status <> 'rejected')`
/** The settlement `s` waits to be recorded: it has paid, and its events are read. */
export const IS_PROPOSED: Sql = sql`(
  s.state = 'paid' and s.events_read_at is not null and s.covers is null and not exists (select from outlay o where ${IS_RECORDED}))`

/** The day on which the gateway paid the settlement `s`, or on which we read it. */
export const SETTLEMENT_DAY: Sql = sql`coalesce(s.paid_on, ist_day(s.seen_at))`

const KIND = 'gateway_settled'
const feeRef = (id: string): string => `${id}#fee`

export async function bookSettlement(
  tx: Tx,
  settlement: GatewaySettlement,
): Promise<Outcome<{ readonly replayed: boolean }, SettlementRefusal | 'receipt_used' | 'idempotency_mismatch'>> {
  const { id, reference, amount, fee, evidence } = settlement
  await lockOutlays(tx)
  const known = await tx.maybeOne<{ same: boolean }>(sql`
    select s.reference = ${reference}::text and net.amount = ${amount}::bigint and coalesce(fee.amount, 0) = ${fee}::bigint as same
          from gateway_settlement s join transfer net on net.kind = ${KIND}::text and net.ref = s.entry_id
          left join transfer fee on fee.kind = ${KIND}::text and fee.ref = ${feeRef(id)}::text
         where s.entry_id = ${id}::text`)
  if (known !== undefined) {
    const same = known.same && (await hasBills(tx, KIND, settlement))
    return same ? accepted({ replayed: true }) : refused('idempotency_mismatch')
  }
  if (await isBillUsed(tx, evidence)) return refused('receipt_used')
  const refusal = await judgeSettlement(tx, settlement)
  if (refusal !== undefined) return refused(refusal)
  await tx.query(sql`insert into gateway_settlement (reference, entry_id) values (${reference}::text, ${id}::text)`)
  await moveProven(tx, { id, kind: KIND, amount, evidence, from: 'BANK', to: 'GATEWAY' })
  if (fee > 0n) await moveSystem(tx, { kind: KIND, ref: feeRef(id), debit: ACCOUNTS.GATEWAY_FEES, credit: ACCOUNTS.GATEWAY, amount: fee })
  return accepted({ replayed: false })
}

/** A bank transfer that was credited in this transaction is at our bank already. It is judged by its own rules, and has no fee. */
export async function bookArrival(tx: Tx, { id, reference, amount, evidence }: Omit<GatewaySettlement, 'fee'>): Promise<void> {
  await lockOutlays(tx)
  await tx.query(sql`insert into gateway_settlement (reference, entry_id) values (${reference}::text, ${id}::text)`)
  await moveProven(tx, { id, kind: KIND, amount, evidence, from: 'BANK', to: 'GATEWAY' })
}

/** `squeezed` of core/src/reference-fields.ts, in SQL. */
export const squeezedNumber = (number: Sql): Sql => sql`upper(regexp_replace(${number}, '[^A-Za-z0-9]', '', 'g'))`
/** The numbers of each settlement that the gateway was read for: its own and the bank's. */
export const SEEN_NUMBERS: Sql = sql`
  gateway_settlement_seen s cross join lateral (values (upper(s.settlement_id)), (upper(s.utr))) of (number)`

/** The number as the gateway has it, if it was read; else in upper case. */
export async function asGatewayWrites(from: Queryable, reference: string): Promise<string> {
  const read = await from.maybeOne<{ number: string }>(sql`
    select of.number from ${SEEN_NUMBERS} where ${squeezedNumber(sql`of.number`)} = ${squeezed(reference)}::text order by s.seen_at desc limit 1`)
  return read?.number ?? reference.toUpperCase()
}

/** Whether the number in this column is of the settlement: the one given, or another of its own that was read. */
export const isNumberOf = (column: Sql, reference: string): Sql => sql`${squeezedNumber(column)} in (
  select ${squeezed(reference)}::text
  union select ${squeezedNumber(sql`of.number`)} from ${SEEN_NUMBERS}
   where ${squeezed(reference)}::text in (${squeezedNumber(sql`s.settlement_id`)}, ${squeezedNumber(sql`s.utr`)}))`

/** Refuses a settlement that could not be booked now. */
export async function judgeSettlement(
  from: Queryable,
  { reference, amount, fee }: Pick<GatewaySettlement, 'reference' | 'amount' | 'fee'>,
): Promise<SettlementRefusal | undefined> {
  const booked = await from.maybeOne(sql`select from gateway_settlement where ${isNumberOf(sql`reference`, reference)} limit 1`)
  if (booked !== undefined) return 'settlement_known'
  if (amount + fee <= -(await readBalances(from)).GATEWAY) return undefined
  const reported = await from.maybeOne(sql`
    select from gateway_settlement_seen s where ${reference}::text in (upper(s.settlement_id), upper(s.utr))
           and s.state = 'paid' and s.events_read_at is not null and ${amount}::bigint + ${fee}::bigint <= s.amount + s.fee + s.own_fee`)
  return reported === undefined ? 'settlement_exceeds_owed' : undefined
}
