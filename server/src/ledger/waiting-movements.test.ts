/**
 * Payments of a member's own orders that wait in SUSPENSE, as lines of the list of movements.
 * - Random histories of payments and decisions, compared with a plain list of what each line must say.
 * - After each history the lines with a balance add up to the wallet's, and pages of any size show the same list.
 */
import { randomUUID } from 'node:crypto'
import { type Paise, wholeRupees } from '@roz/core/money.ts'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { type Db, type Queryable, queryableBy, type Sql, sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { useTestDatabase } from '../testing/database.ts'
import { APPROVER, chargeBack, DAY, makeApprover, newMember, newOrderId, openDay } from './testing/fixtures.ts'
import { findMovement, listMovements, type Movement } from './movements.ts'
import { refundSuspense } from './suspense.ts'
import { refundOperations } from './testing/refund-operations.ts'
import { captureTopup, createTopup } from './topups.ts'
import { readWallet } from './wallets.ts'

const SEED = process.env.ROZ_SEED === undefined ? undefined : Number(process.env.ROZ_SEED)
const RUNS = process.env.ROZ_TEST_ALL === '1' ? 100 : 12
const { creditItem, reject, send, tell } = refundOperations(() => db)

const database = useTestDatabase()
let db: Db
beforeAll(async () => {
  ;({ db } = database)
  await openDay(database, DAY)
  await makeApprover(db)
  await db.query(sql`update member set staff_since = roz_now() - interval '1 year' where id = ${APPROVER.by}::bigint`)
})

async function list(memberId: bigint, limit = 100): Promise<Movement[]> {
  const seen: Movement[] = []
  let cursor: string | undefined
  do {
    const page = await listMovements(db, { memberId, cursor, limit })
    if (!page.ok) throw new Error(page.code)
    seen.push(...page.value.movements)
    cursor = page.value.nextCursor ?? undefined
  } while (cursor !== undefined)
  return seen
}

const order = async (memberId: bigint, rupees: number): Promise<string> => {
  const orderId = newOrderId()
  await inTransaction(db, (tx) => createTopup(tx, { orderId, memberId, amount: wholeRupees(rupees) }))
  return orderId
}
const pay = (orderId: string, paymentId: string, rupees: number, currency = 'INR') =>
  inTransaction(db, (tx) => captureTopup(tx, { orderId, paymentId, orderAmount: wholeRupees(rupees), currency }))
const itemOf = async (paymentId: string): Promise<bigint> =>
  (await db.one<{ id: bigint }>(sql`select id from suspense_item where payment_id = ${paymentId}::text`)).id

/** How a payment arrives, and how it is decided. */
const PAID = ['twice', 'other amount', 'other currency'] as const
const ENDS = [
  'open',
  'credited',
  'elsewhere',
  'refund waits',
  'refund approved',
  'refund sent',
  'refund paid',
  'refund failed',
  'refund rejected',
] as const
type Case = { readonly paid: (typeof PAID)[number]; readonly end: (typeof ENDS)[number]; readonly rupees: number }

/** The line that the payment must have, if any. */
function lineOf({ paid, end, rupees }: Case, paymentId: string, orderId: string) {
  const currency = paid === 'other currency' ? 'USD' : 'INR'
  const stays = currency === 'USD' && (end === 'credited' || end === 'elsewhere')
  if (end === 'credited' && !stays) return []
  const status =
    stays || ['open', 'refund waits', 'refund failed', 'refund rejected'].includes(end)
      ? 'checking'
      : end === 'elsewhere'
        ? 'elsewhere'
        : end === 'refund paid'
          ? 'returned'
          : 'returning'
  return [{ ref: paymentId, orderId, amount: wholeRupees(rupees), currency, status, balanceAfter: null, seq: null, direction: 'credit' }]
}

async function decide(end: Case['end'], itemId: bigint, memberId: bigint, other: bigint): Promise<void> {
  if (end === 'open') return
  if (end === 'credited' || end === 'elsewhere') return void (await creditItem(itemId, end === 'credited' ? memberId : other))
  const refundId = randomUUID()
  const waits = end === 'refund waits' || end === 'refund rejected'
  // The sum of a day counts against the limit: it must not run out with the number of histories.
  const limit = waits ? (0n as Paise) : wholeRupees(1_000_000)
  const refunded = await inTransaction(db, (tx) =>
    refundSuspense(tx, { itemId, refundId, reason: 'no place', approver: { ...APPROVER, limit } }),
  )
  expect(refunded).toMatchObject({ ok: true, value: { approval: waits ? 'first' : 'final' } })
  if (end === 'refund rejected') expect(await reject(refundId)).toMatchObject({ ok: true })
  if (waits || end === 'refund approved') return
  await send(refundId)
  if (end !== 'refund sent') await tell(refundId, end === 'refund paid' ? 'paid' : 'failed')
}

test('each payment that does not fit has one line until it is credited to its member, and the balances add up', async () => {
  const history = fc.array(
    fc.record({ paid: fc.constantFrom(...PAID), end: fc.constantFrom(...ENDS), rupees: fc.integer({ min: 11, max: 40 }) }),
    {
      minLength: 1,
      maxLength: 6,
    },
  )
  await fc.assert(
    fc.asyncProperty(history, fc.integer({ min: 1, max: 4 }), async (cases, limit) => {
      const [memberId, other] = [await newMember(db), await newMember(db)]
      const expected: object[] = []
      for (const one of cases) {
        const [orderId, paymentId] = [await order(memberId, 10), `wait_${newOrderId()}`]
        if (one.paid === 'twice') await pay(orderId, `first_${paymentId}`, 10)
        await pay(orderId, paymentId, one.rupees, one.paid === 'other currency' ? 'USD' : 'INR')
        await decide(one.end, await itemOf(paymentId), memberId, other)
        expected.unshift(...lineOf(one, paymentId, orderId))
      }
      const all = await list(memberId)
      expect(all.filter(({ kind }) => kind === 'waiting')).toMatchObject(expected)
      // An order with a waiting payment has no second line of its own.
      expect(all.filter(({ kind }) => kind === 'order')).toEqual([])
      expect(await list(memberId, limit), `pages of ${limit}`).toEqual(all)
      expect((await list(other)).filter(({ kind }) => kind === 'waiting')).toEqual([])
      let balance = 0n
      for (const { direction, amount, balanceAfter, seq } of all.toReversed()) {
        if (seq === null) continue
        balance += direction === 'credit' ? amount : -amount
        expect(balanceAfter).toBe(balance)
      }
      expect((await readWallet(db, memberId))?.balance).toBe(balance)
      for (const { id } of all) expect((await findMovement(db, memberId, id))?.id, id).toBe(id)
    }),
    { numRuns: RUNS, ...(SEED === undefined ? {} : { seed: SEED }) },
  )
})

test('the rest of a partly used payment has its own line, and the line of the used part is its credit', async () => {
  const memberId = await newMember(db)
  const [orderId, paymentId] = [await order(memberId, 10), `part_${newOrderId()}`]
  await pay(orderId, paymentId, 25)
  const [before] = await list(memberId)
  expect(before).toMatchObject({ kind: 'waiting', amount: 2500n, status: 'checking' })
  await pay(orderId, paymentId, 10)
  expect(await list(memberId)).toMatchObject([
    { kind: 'suspense_credit', amount: 1000n, balanceAfter: 1000n },
    { kind: 'waiting', ref: `${paymentId}#rest`, amount: 1500n, status: 'checking', orderId },
  ])
  // The old address of the line leads to the credit.
  expect(await findMovement(db, memberId, before?.id ?? '')).toMatchObject({ kind: 'suspense_credit', amount: 1000n })
})

test('a line is found by nobody but the member of its order', async () => {
  const [memberId, other] = [await newMember(db), await newMember(db)]
  const [orderId, paymentId] = [await order(memberId, 10), `mine_${newOrderId()}`]
  await pay(orderId, paymentId, 12)
  const id = `waiting:${await itemOf(paymentId)}`
  expect(await findMovement(db, memberId, id)).toMatchObject({ id, status: 'checking' })
  for (const foreign of [await findMovement(db, other, id), await findMovement(db, memberId, `${id}0`)]) expect(foreign).toBeUndefined()
  await creditItem(await itemOf(paymentId), other)
  expect(await findMovement(db, memberId, id)).toMatchObject({ id, status: 'elsewhere' })
  expect(await findMovement(db, other, id)).toMatchObject({ kind: 'suspense_credit', amount: 1200n })
})

test('a closed account has no line of its money in SUSPENSE', async () => {
  const memberId = await newMember(db)
  const [orderId, paymentId] = [await order(memberId, 10), `closed_${newOrderId()}`]
  await db.query(sql`update wallet set is_closed = true, auto_join = false, may_move = false where member_id = ${memberId}::bigint`)
  expect(await pay(orderId, paymentId, 10)).toMatchObject({ result: 'suspense', reason: 'closed_account' })
  expect(await list(memberId)).toEqual([])
})

test('a cursor of the previous release is accepted; one without waiting payments is readable for that release', async () => {
  const memberId = await newMember(db, { rupees: 10 })
  const old = Buffer.from('9999-12-31|4611686018427387904|4503599627370496|').toString('base64url')
  expect(await listMovements(db, { memberId, cursor: old, limit: 10 })).toEqual(await listMovements(db, { memberId, limit: 10 }))
  const partsOf = async (): Promise<number> => {
    const page = await listMovements(db, { memberId, limit: 1 })
    return Buffer.from((page.ok ? page.value.nextCursor : null) ?? '', 'base64url')
      .toString()
      .split('|').length
  }
  await order(memberId, 10)
  expect(await partsOf()).toBe(4)
  await pay(await order(memberId, 10), `late_${newOrderId()}`, 30)
  expect(await partsOf()).toBe(6)
})

type Plan = {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly Plans?: readonly Plan[]
}
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

test('a page reads the items of the member’s own orders by their index, however many items there are', async () => {
  const memberId = await newMember(db, { rupees: 10 })
  const plans: Plan[] = []
  const explaining = (tx: Queryable): Queryable =>
    queryableBy(async <Row extends object>(statement: Sql): Promise<Row[]> => {
      const told = await tx.one<{ 'QUERY PLAN': [{ Plan: Plan }] }>(sql`explain (format json) ${statement}`)
      plans.push(...nodesOf(told['QUERY PLAN'][0].Plan))
      return tx.query<Row>(statement)
    })
  const rolledBack = inTransaction(db, async (tx) => {
    await tx.query(sql`
      insert into suspense_item (payment_id, order_id, amount, reason)
      select 'many_' || n, md5(n::text), 100, 'unknown_order' from generate_series(1, 20000) n`)
    await tx.query(sql`analyze suspense_item`)
    // Of a table with few rows the planner may read all, by what was last counted. Here only an index that cannot serve matters.
    await tx.query(sql`set local enable_seqscan = off`)
    await listMovements(explaining(tx), { memberId, limit: 20 })
    throw new Error('seen')
  })
  await expect(rolledBack).rejects.toThrow('seen')
  const whole = plans.filter(
    (node) => node['Node Type'] === 'Seq Scan' && ['suspense_item', 'transfer'].includes(node['Relation Name'] ?? ''),
  )
  expect(whole.map((node) => node['Relation Name'])).toEqual([])
  // A bitmap scan names its index in a node of its own.
  const indexes = plans.flatMap((node) => (node['Index Name']?.startsWith('suspense_') === true ? [node['Index Name']] : []))
  expect(indexes).toEqual(['suspense_by_order', 'suspense_by_order'])
})

test('what a dispute took of a waiting payment is shown as returned, and the rest as being checked', async () => {
  const memberId = await newMember(db)
  const orderId = await order(memberId, 30)
  await pay(orderId, `one-${orderId}`, 30)
  const paymentId = `two-${orderId}`
  await pay(orderId, paymentId, 30)
  const dispute = (isTaken: boolean) => chargeBack(db, `of-${orderId}`, orderId, wholeRupees(4), isTaken, paymentId)
  const waiting = async () => {
    const lines = (await list(memberId)).filter(({ kind }) => kind === 'waiting')
    expect(await Promise.all(lines.map(({ id }) => findMovement(db, memberId, id)))).toMatchObject(
      lines.map(({ id, amount }) => ({ id, amount })),
    )
    return lines.map(({ status, amount }) => [status, amount])
  }
  await dispute(true)
  expect(await waiting()).toEqual([
    ['checking', 2600n],
    ['returned', 400n],
  ])
  await dispute(false)
  // Won: the payer did not keep it.
  expect(await waiting()).toEqual([
    ['checking', 400n],
    ['checking', 2600n],
  ])
  await dispute(true)
  expect(await waiting()).toEqual([
    ['checking', 2200n],
    ['checking', 400n],
    ['returned', 400n],
  ])
})
