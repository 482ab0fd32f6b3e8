/**
 * The judge compares the acknowledgements with the ledger: it reads the journal, the ledger, and the journal again.
 * - An effect acknowledged before the look at the ledger exists, once.
 * - An effect in the ledger has a try in the journal read last.
 * - `lost`: acknowledged and missing. `doubled`: there more often than requested.
 * - `strange`: there without a try. `broken`: a row that violates an invariant of money.
 */
import { type Db, sql } from '@roz/server/db/sql.ts'
import { runAudit } from '@roz/server/ledger/audit.ts'
import { keyPrefix } from '@roz/server/ledger/join-outcome.ts'
import { findEarlyDebits, findLostWishes, knowsAutopay, type MandateRow, readMandates } from './autopay.ts'
import { isPayment, type Journal, type Operation, type OperationKind } from './journal.ts'
import { findUnasked, type OutlayRow, outlaysIn, readOutlays } from './outlays.ts'
import { findDoubled, findLate, findNobodys, type Gateways, readReturns, type Returns, existsIn } from './judge-returns.ts'
import { isFirstVoice } from './returns.ts'

export type Verdict = {
  readonly lost: readonly string[]
  readonly doubled: readonly string[]
  readonly strange: readonly string[]
  readonly broken: readonly string[]
}
export const isClean = (verdict: Verdict): boolean => Object.values(verdict).every((found) => found.length === 0)

type Entry = { member: string; day: string; prefix: bigint | null; via: string }
/** `isDebit`: the server made it for a mandate, and no client asked for it. */
type Order = { order: string; member: string; amount: bigint; credits: number; credited: bigint | null; isDebit: boolean }
/** `ofDebtor`: still approved, because its member owes money. */
type Withdrawal = { id: string; member: string; amount: bigint; status: string; ofDebtor: boolean; holds: number; backs: number }
export type Ledger = Returns & {
  readonly entries: readonly Entry[]
  readonly orders: readonly Order[]
  readonly withdrawals: readonly Withdrawal[]
  readonly outlays: readonly OutlayRow[]
  readonly mandates: readonly MandateRow[]
}

async function readLedger(db: Db): Promise<Ledger> {
  const isDebit = (await knowsAutopay(db)) ? sql`exists (select from autopay_charge c where c.order_id = t.order_id)` : sql`false`
  return {
    ...(await readReturns(db)),
    outlays: await readOutlays(db),
    mandates: await readMandates(db),
    entries: await db.query<Entry>(sql`
      select j.member_id::text as member, j.day, j.key_prefix as prefix, b.via
        from round_join j join join_batch b on b.day = j.day and b.batch_id = j.batch_id`),
    orders: await db.query<Order>(sql`
      select t.order_id as order, t.member_id::text as member, t.amount, ${isDebit} as "isDebit",
             (select count(*) from transfer r where r.kind = 'topup' and r.ref = t.payment_id)::int as credits,
             (select sum(r.amount)::bigint from transfer r where r.kind = 'topup' and r.ref = t.payment_id and r.credit = t.member_id) as credited
        from topup t`),
    withdrawals: await db.query<Withdrawal>(sql`
      select w.id::text as id, w.member_id::text as member, w.amount, w.status, coalesce(w.problem = 'member_in_debt', false) as "ofDebtor",
             (select count(*) from transfer r where r.kind = 'wd_hold' and r.ref = w.id::text and r.amount = w.amount and r.debit = w.member_id)::int as holds,
             (select count(*) from transfer r where r.kind = 'wd_back' and r.ref = w.id::text and r.amount = w.amount and r.credit = w.member_id)::int as backs
        from withdrawal w`),
  }
}

/** `audit`: of the version that serves, if it is another than this checkout. */
export async function judge(db: Db, journal: Journal, audit: typeof runAudit = runAudit): Promise<Verdict> {
  const before = journal.read()
  const ledger = await readLedger(db)
  const after = journal.read()
  const violations = await audit(db)
  return {
    ...compare(before, ledger, after),
    broken: violations.map(({ invariant, subject, found }) => `${invariant}: ${subject}: ${found}`),
  }
}

/** Compares the ledger with the journal before and after the look at the ledger. */
export function compare(before: readonly Operation[], ledger: Ledger, after: readonly Operation[]): Omit<Verdict, 'broken'> {
  return {
    lost: [...findLost(before, ledger), ...findLostWishes(before, after, ledger.mandates)],
    doubled: [...findContradictions(after), ...findSurplus(after, ledger), ...findDoubled(ledger), ...findEarlyDebits(ledger.mandates)],
    strange: [...findStrange(after, ledger), ...findNobodys(after, ledger), ...findUnasked(after, ledger.outlays)],
  }
}

type Acknowledged = { readonly operation: Operation; readonly effect: string }
const acknowledged = (operations: readonly Operation[]): Acknowledged[] =>
  operations.flatMap((operation) => operation.effects.map((effect) => ({ operation, effect })))

/** Acknowledged effects that are missing or different. */
function findLost(operations: readonly Operation[], ledger: Ledger): string[] {
  const entries = new Map(ledger.entries.map((entry) => [`${entry.member} ${entry.day}`, entry]))
  const orders = new Map(ledger.orders.map((order) => [order.order, order]))
  const withdrawals = new Map(ledger.withdrawals.map((one) => [one.id, one]))
  const exists: Readonly<Record<OperationKind, (told: Acknowledged) => boolean>> = {
    ...existsIn(ledger),
    ...outlaysIn(ledger.outlays),
    join: ({ operation, effect }) => {
      const entry = entries.get(`${operation.memberId} ${effect}`)
      return entry !== undefined && (operation.key === undefined || entry.prefix === keyPrefix(operation.key))
    },
    topup: ({ operation, effect }) => {
      const order = orders.get(effect)
      return order?.member === operation.memberId && order.amount === BigInt(operation.paise ?? 0)
    },
    // Only the gateway keeps it: its arrival here is judged at rest.
    payment: () => true,
    debit: () => true,
    credit: ({ operation }) => {
      const order = orders.get(operation.subject ?? '')
      return order !== undefined && order.credits === 1 && order.credited === order.amount
    },
    withdraw: ({ operation, effect }) => {
      const one = withdrawals.get(effect)
      return one?.member === operation.memberId && one.holds === 1 && one.amount === BigInt(operation.paise ?? 0)
    },
    approve: ({ effect }) => !['requested', 'rejected', undefined].includes(withdrawals.get(effect)?.status),
    reject: ({ effect }) => withdrawals.get(effect)?.status === 'rejected' && withdrawals.get(effect)?.backs === 1,
    // A later wish may have changed the mandate: `findLostWishes` judges the newest one.
    'autopay-resume': () => true,
    'autopay-pause': () => true,
    'autopay-stop': () => true,
  }
  return acknowledged(operations)
    .filter((told) => !exists[told.operation.kind](told))
    .map(({ operation, effect }) => `${operation.kind} of member ${operation.memberId} was acknowledged as ${effect}`)
}

/** A key has one effect, and an effect has one operation. */
function findContradictions(operations: readonly Operation[]): string[] {
  const found = operations
    .filter((operation) => operation.effects.length > 1)
    .map((operation) => `${operation.kind} ${operation.id} was acknowledged as ${operation.effects.join(' and as ')}`)
  const owners = new Map<string, Operation>()
  for (const { operation, effect } of acknowledged(operations)) {
    // A first voice about an item gives nothing out, and another one may take its place.
    const isItem = (operation.kind === 'item-credit' || operation.kind === 'item-refund') && !isFirstVoice(effect)
    if (!isItem && !['join', 'topup', 'withdraw', 'refund'].includes(operation.kind)) continue
    const name = isItem ? `item ${effect}` : `${operation.kind} ${operation.memberId} ${effect}`
    if (owners.has(name)) found.push(`${name} was acknowledged to two operations`)
    owners.set(name, operation)
  }
  return found
}

/** A member's rows beyond those acknowledged and those possibly under way. */
function findSurplus(operations: readonly Operation[], ledger: Ledger): string[] {
  const allowed = new Map<string, number>()
  for (const operation of operations) {
    // Without a key, a refusal after a lost answer may follow from the first try; an order exists even when its gateway call failed.
    const isOpen =
      operation.refused === undefined ||
      (operation.key === undefined && !operation.refused.first) ||
      operation.refused.code === 'gateway_unavailable'
    // Without a key, a retry that meets the next day's round looks like a new join.
    const open = operation.kind === 'join' && operation.key === undefined ? 2 : 1
    const effects = Math.max(operation.effects.length, isOpen ? open : 0)
    allowed.set(`${operation.kind} ${operation.memberId}`, (allowed.get(`${operation.kind} ${operation.memberId}`) ?? 0) + effects)
  }
  const rows = [
    ...ledger.entries.filter(({ via }) => via === 'member').map(({ member }) => `join ${member}`),
    ...ledger.orders.filter(({ isDebit }) => !isDebit).map(({ member }) => `topup ${member}`),
    ...ledger.withdrawals.map(({ member }) => `withdraw ${member}`),
    ...ledger.refunds.flatMap(({ member }) => (member === null ? [] : [`refund ${member}`])),
  ]
  const counts = new Map<string, number>()
  for (const name of rows) counts.set(name, (counts.get(name) ?? 0) + 1)
  const surplus = [...counts].filter(([name, count]) => count > (allowed.get(name) ?? 0))
  const twice = ledger.orders.filter(({ credits }) => credits > 1).map(({ order }) => `order ${order} was credited twice`)
  const told = surplus.map(
    ([name, count]) => `${name}: ${count} rows, ${allowed.get(name) ?? 0} operations; ${storyOf(name, operations, ledger)}`,
  )
  return [...twice, ...told]
}

/** Details for the reader of a finding: the tried keys, their answers, and the days in the ledger. */
function storyOf(name: string, operations: readonly Operation[], { entries }: Ledger): string {
  const tried = operations
    .filter((operation) => name === `${operation.kind} ${operation.memberId}`)
    .map(({ key, effects, refused }) => {
      const prefix = key === undefined ? 'without a key' : `as ${keyPrefix(key)}`
      return `${prefix}: ${[...effects, refused?.code ?? ''].filter((word) => word !== '').join(', ') || 'no answer'}`
    })
  const present = entries
    .filter(({ member, via }) => via === 'member' && name === `join ${member}`)
    .map(({ day, prefix }) => `${day} ${prefix === null ? 'without a key' : `as ${prefix}`}`)
  return [`tried ${tried.join('; ')}`, ...(present.length === 0 ? [] : [`in the ledger ${present.join('; ')}`])].join('. ')
}

/** Effects without a try: a join with an unknown key, a credit of an unpaid order. */
function findStrange(operations: readonly Operation[], ledger: Ledger): string[] {
  const keys = new Set(
    operations.flatMap((operation) => (operation.kind === 'join' && operation.key !== undefined ? [keyPrefix(operation.key)] : [])),
  )
  const refusedKeys = new Set(
    operations.flatMap((operation) =>
      operation.kind === 'join' && operation.refused?.first === true && operation.key !== undefined ? [keyPrefix(operation.key)] : [],
    ),
  )
  const paid = new Set(operations.flatMap((operation) => (isPayment(operation.kind) ? [operation.subject] : [])))
  const joins = ledger.entries.flatMap(({ member, day, prefix }) => {
    if (prefix !== null && refusedKeys.has(prefix)) return [`the join of member ${member} on ${day} was refused`]
    return prefix === null || keys.has(prefix) ? [] : [`nobody tried the join of member ${member} on ${day}`]
  })
  const credits = ledger.orders
    .filter(({ order, credits: count }) => count > 0 && !paid.has(order))
    .map(({ order }) => `order ${order} was credited, and nobody paid it`)
  return [...joins, ...credits]
}

/** States at the gateway of a transfer that has not ended there. */
const UNDER_WAY = new Set(['RECEIVED', 'APPROVAL_PENDING', 'QUEUED', 'PENDING'])

/** At rest: every payment is in a wallet, every approved withdrawal was sent, and what ended at the gateway has ended here. */
export async function judgeAtRest(
  db: Db,
  journal: Journal,
  transferStatus: (id: string) => Promise<string>,
  gateways: Gateways,
): Promise<string[]> {
  const operations = journal.read()
  const ledger = await readLedger(db)
  const credited = new Set(ledger.orders.filter(({ credits }) => credits === 1).map(({ order }) => order))
  const lost = operations
    .filter((operation) => isPayment(operation.kind) && operation.effects.length > 0 && !credited.has(operation.subject ?? ''))
    .map((operation) => `the payment of order ${operation.subject} by member ${operation.memberId} never arrived`)
  const open = ledger.withdrawals.filter(({ status, ofDebtor }) => status === 'sending' || (status === 'approved' && !ofDebtor))
  const told = await Promise.all(open.map(async ({ id, status }) => ({ id, status, there: await transferStatus(id) })))
  const late = told.filter(({ there }) => !UNDER_WAY.has(there))
  const returns = await findLate(operations, ledger, gateways)
  return [...lost, ...returns, ...late.map(({ id, status, there }) => `withdrawal ${id} is still ${status}; at the gateway it is ${there}`)]
}
