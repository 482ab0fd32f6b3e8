import { expect, test } from 'vitest'
import { connect, sql, violatedConstraint } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { useTestDatabase } from '../testing/database.ts'
import { ACCOUNTS, poolAccount, TRANSFER_KINDS } from './accounts.ts'
import { DAY } from './testing/fixtures.ts'

const database = useTestDatabase()

test('the database has the same accounts with the same numbers', async () => {
  const rows = await database.db.query<{ name: string; id: bigint }>(sql`select name, id::bigint as id from account`)
  expect(Object.fromEntries(rows.map((row) => [row.name, row.id]))).toEqual(ACCOUNTS)
  expect(await database.db.query(sql`select pool_account(${DAY}::date) as pool`)).toEqual([{ pool: poolAccount(DAY) }])
})

test('the database and the code allow each kind of transfer between the same accounts', async () => {
  const sides = { member: 1001n, pool: poolAccount(DAY), ...ACCOUNTS }
  const expected: string[] = []
  for (const [kind, allowed] of Object.entries(TRANSFER_KINDS)) {
    for (const debit of allowed.debit) for (const credit of allowed.credit) expected.push(`${kind} ${debit} ${credit}`)
  }
  const names = Object.keys(sides)
  const ids = Object.values(sides)
  const rows = await database.db.query<{ found: string }>(sql`
    with side as (select * from unnest(${names}::text[], ${ids}::bigint[]) as s(name, id)),
             kind as (select unnest(${[...Object.keys(TRANSFER_KINDS), 'unknown']}::text[]) as kind)
        select kind || ' ' || d.name || ' ' || c.name as found from kind cross join side d cross join side c where transfer_allowed(kind, d.id, c.id)`)
  expect(rows.map((row) => row.found).sort()).toEqual(expected.sort())
})

test('the table refuses a transfer between accounts that its kind does not allow', async () => {
  const wrong = sql`insert into transfer (kind, ref, debit, credit, amount, day) values ('need', 'x', 6, 7, 100, ${DAY}::date)`
  await expect(database.db.query(wrong)).rejects.toThrow('transfer_sides')
})

/** The constraint that refuses these transfers, inserted in this order in a transaction that leaves nothing. */
async function refusalOf(
  ...rows: readonly (readonly [kind: string, ref: string, debit: bigint, credit: bigint])[]
): Promise<string | undefined> {
  let constraint: string | undefined
  const root = connect({ url: database.superUrl, max: 1, named: false })
  const booked = inTransaction(root, async (tx) => {
    // Without triggers and wallets: only the constraints judge.
    await tx.query(sql`set local session_replication_role = replica`)
    for (const [kind, ref, debit, credit] of rows) {
      const member = debit > 1000n || credit > 1000n
      await tx.query(sql`insert into transfer (kind, ref, debit, credit, amount, wallet_seq, balance_after, day)
            values (${kind}::text, ${ref}::text, ${debit}::bigint, ${credit}::bigint, 100, ${member ? BigInt(rows.length) : null}::bigint,
                    ${member ? 0n : null}::bigint, ${DAY}::date)`)
    }
    throw new Error('all were taken')
  })
  await booked.catch((error: unknown) => {
    constraint = violatedConstraint(error)
  })
  await root.close()
  return constraint
}

test('the table books a payment once, ends a withdrawal and a refund once, and reverses a payout once', async () => {
  const { GATEWAY, SUSPENSE, PAYOUTS_PENDING, BANK, REFUNDS_PENDING, LOSSES } = ACCOUNTS
  const paid = ['wd_paid', 'w', PAYOUTS_PENDING, BANK] as const
  const back = ['wd_back', 'w', PAYOUTS_PENDING, 5001n] as const
  const reversed = ['wd_reversed', 'w', BANK, 5001n] as const
  expect(await refusalOf(['topup', 'p', GATEWAY, 5001n], ['topup_suspense', 'p', GATEWAY, SUSPENSE])).toBe('transfer_payment_once')
  expect(await refusalOf(['topup_suspense', 'p', GATEWAY, SUSPENSE], ['topup_suspense', 'p', GATEWAY, SUSPENSE])).toBe('transfer_once')
  expect(await refusalOf(paid, back)).toBe('transfer_withdrawal_ends_once')
  expect(await refusalOf(paid, reversed, reversed)).toBe('transfer_once')
  expect(await refusalOf(['refund_paid', 'r', REFUNDS_PENDING, GATEWAY], ['refund_failed', 'r', REFUNDS_PENDING, SUSPENSE])).toBe(
    'transfer_refund_ends_once',
  )
  // Two late payouts can be booked: one came back, the other was paid although we had given it back.
  expect(await refusalOf(paid, reversed)).toBeUndefined()
  expect(await refusalOf(back, ['wd_conflict', 'w', LOSSES, BANK])).toBeUndefined()
})
