/** Fixtures for tests of the ledger: members, money in their wallets, open rounds. */
import { createHash, randomUUID } from 'node:crypto'
import { type IstDay, nextDay, startOfDayMs } from '@roz/core/ist-day.ts'
import { type Paise, wholeRupees } from '@roz/core/money.ts'
import { POLICY_A, type SplitPolicy } from '@roz/core/split.ts'
import { type Db, type Queryable, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import type { TestDatabase } from '../../testing/database.ts'
import { FIRST_MEMBER_ID } from '../accounts.ts'
import { bookDispute } from '../disputes.ts'
import { recordDraw } from '../draw.ts'
import { closeRound, makeRound, recordSeal } from '../rounds.ts'
import { returnRupees, type Settlement, settleRound, voidRound } from '../settlement.ts'
import { captureTopup, createTopup } from '../topups.ts'
import { openWallet } from '../wallets.ts'

export const DAY = '2026-11-21' as IstDay
const HOUR_MS = 3_600_000

/** An administrator whose approval is enough for all amounts of the tests: those of a day are added up. */
export const APPROVER = { by: 1n, limit: wholeRupees(1_000_000) } as const

/** The account of that administrator, for what refers to it. */
export const makeApprover = (from: Queryable): Promise<object[]> =>
  from.query(sql`
    insert into member (id, name, email, role, staff_role, email_verified_at) overriding system value
    values (${APPROVER.by}::bigint, 'Staff', 'approver@example.org', 'admin', 'owner', roz_now())`)

let newest = FIRST_MEMBER_ID - 1n
type NewMember = { readonly rupees?: number; readonly mayMove?: boolean; readonly autoJoin?: boolean }

export async function newMember(db: Db, member: NewMember = {}): Promise<bigint> {
  newest++
  const memberId = newest
  await inTransaction(db, (tx) => openWallet(tx, memberId, { mayMove: member.mayMove ?? true, autoJoin: member.autoJoin ?? false }))
  if (member.rupees !== undefined && member.rupees > 0) await addMoney(db, memberId, wholeRupees(member.rupees))
  return memberId
}

export const newMembers = async (db: Db, count: number, member: NewMember = {}): Promise<bigint[]> => {
  const ids: bigint[] = []
  for (let n = 0; n < count; n++) ids.push(await newMember(db, member))
  return ids
}

/** Accounts with a confirmed address for wallets that were opened without one. */
export const giveAccounts = (from: Queryable, memberIds: readonly bigint[]): Promise<object[]> =>
  from.query(sql`
    insert into member (id, name, email, email_verified_at) overriding system value
    select id, 'Member', 'member' || id || '@example.org', roz_now() from unnest(${memberIds}::bigint[]) id`)

/** A transaction that has done `work` and waits before its commit until it is told to commit. */
export async function holdOpen(db: Db, work: (tx: Tx) => Promise<unknown>): Promise<{ readonly commit: () => Promise<void> }> {
  const [done, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = inTransaction(db, async (tx) => {
    await work(tx)
    done.resolve()
    await go.promise
  })
  await Promise.race([done.promise, holding])
  return {
    commit: () => {
      go.resolve()
      return holding
    },
  }
}

/** Waits until a statement like `text` in this database waits for a lock, or as many as `count`. */
export async function untilLockWaits(db: Db, text = '%', count = 1): Promise<void> {
  const waits = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like ${text}::text`
  while ((await db.query(waits)).length < count);
}

export const newOrderId = (): string => randomUUID().replaceAll('-', '')

/** Pays a top-up; returns its order id. */
export async function addMoney(db: Db, memberId: bigint, amount: Paise): Promise<string> {
  const orderId = newOrderId()
  await inTransaction(db, async (tx) => {
    await createTopup(tx, { orderId, memberId, amount })
    await captureTopup(tx, { orderId, paymentId: `pay_${orderId}`, orderAmount: amount })
  })
  return orderId
}

/** A member who has paid one top-up. */
export async function newPayer(db: Db, rupees: number): Promise<{ readonly memberId: bigint; readonly orderId: string }> {
  const memberId = await newMember(db)
  return { memberId, orderId: await addMoney(db, memberId, wholeRupees(rupees)) }
}

/** The word of a dispute whose amount the bank has taken, or returned; by default of a payment by `addMoney`. */
export const disputed = (
  disputeId: string,
  orderId: string,
  amount: Paise,
  isTaken = true,
  paymentId = `pay_${orderId}`,
): Parameters<typeof bookDispute>[1] => ({
  disputeId,
  orderId,
  paymentId,
  amount,
  type: 'CHARGEBACK',
  status: 'X',
  state: isTaken ? 'lost' : 'won',
  isTaken,
  respondBy: undefined,
})
export const chargeBack = (db: Db, ...told: Parameters<typeof disputed>) => inTransaction(db, (tx) => bookDispute(tx, disputed(...told)))

/** Sets the clock to noon of the day, with the day's round open. */
export async function openDay(database: TestDatabase, day: IstDay, policy: SplitPolicy = POLICY_A): Promise<void> {
  await makeDay(database.db, day, policy)
  await database.setClock(new Date(startOfDayMs(day) + 12 * HOUR_MS))
}

export async function makeDay(db: Db, day: IstDay, policy: SplitPolicy = POLICY_A): Promise<void> {
  await inTransaction(db, (tx) =>
    makeRound(tx, { day, policy, mode: 'local', secretHash: hashOf(`secret ${day}`), encryptedSecret: Buffer.from('sealed') }),
  )
}

export const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Moves the clock to the first minute after the day, and closes its round. */
export async function endDay(database: TestDatabase, day: IstDay): Promise<{ entries: number; pool: Paise }> {
  await database.setClock(new Date(startOfDayMs(nextDay(day)) + 60_000))
  const closed = await inTransaction(database.db, (tx) => closeRound(tx, day))
  if (!closed.ok) throw new Error(closed.code)
  return closed.value
}

/** Seals a closed round, draws these winners and settles it. */
export async function payOut(db: Db, day: IstDay, winners: readonly bigint[]): Promise<Settlement> {
  await drawWinners(db, day, winners)
  const settled = await inTransaction(db, (tx) => settleRound(tx, day))
  if (!settled.ok) throw new Error(settled.code)
  return settled.value
}

export async function drawWinners(db: Db, day: IstDay, winners: readonly bigint[]): Promise<void> {
  await inTransaction(db, async (tx) => {
    await recordSeal(tx, day, { root: hashOf(`root ${day}`), drawAt: new Date(startOfDayMs(nextDay(day))) })
    await recordDraw(tx, { day, randomness: hashOf('randomness'), seed: hashOf('seed'), winners })
  })
}

/** Ends a round without a draw and gives its rupees back, in pages small enough that there are several. */
export async function giveRoundBack(tx: Tx, day: IstDay, pageSize = 2): Promise<Awaited<ReturnType<typeof voidRound>>> {
  const ended = await voidRound(tx, day)
  for (let isOver = !ended.ok || ended.value.isOver; !isOver; ) {
    const page = await returnRupees(tx, day, pageSize)
    if (!page.ok) throw new Error(page.code)
    isOver = page.value.isOver
  }
  return ended
}
