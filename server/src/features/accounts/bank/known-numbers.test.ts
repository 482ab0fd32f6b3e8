/** The bank's number of a transfer is typed for one entry only, also without a statement: a payout's, a settlement's, or another order's is not. */
import { randomBytes, randomUUID } from 'node:crypto'
import { wholeRupees } from '@roz/core/money.ts'
import { expect, test } from 'vitest'
import { inTransaction } from '../../../db/transaction.ts'
import { bookArrival } from '../../../ledger/gateway-settlements.ts'
import { addMoney } from '../../../ledger/testing/fixtures.ts'
import { makeMember } from '../../../testing/calls.ts'
import { perFile } from '../../../testing/fixture.ts'
import { BANK } from '../../../testing/wallet-world.ts'
import { openTransferWorld } from './testing/transfer-world.ts'

const world = perFile(openTransferWorld)
let next = 512_300_000_000
const number = (): string => String(++next)

test('of a payout by hand that came back is no transfer: the member who read it in the wallet is not credited once more', async () => {
  const member = await makeMember(world.db)
  await addMoney(world.db, member, wholeRupees(200))
  const clerk = await world.clerk()
  const decide = (id: string, what: string, body: object) => world.ask(`POST /admin/withdrawals/${id}/${what}`, clerk, body)
  for (const written of [number(), `UTR-${number().slice(0, 6)}/123456`]) {
    const { id } = (await world.ask('POST /wallet/withdraw', member, { amount: 100, bankDetail: BANK })).body.withdrawal
    await decide(id, 'approve', { status: 'requested' })
    await decide(id, 'bank', { status: 'approved' })
    const { body } = await decide(id, 'complete', { status: 'approved', bankReference: written })
    expect(body.withdrawal.status).toBe('paid')
    const order = await world.order(100, member)
    expect((await world.typed(order, 100, written)).body.code).toBe('transfer_known')
    expect((await decide(id, 'came-back', { status: 'paid', reason: 'The bank returned it', line: null })).body.withdrawal.status).toBe(
      'reversed',
    )
    expect((await world.typed(order, 100, written)).body.code).toBe('transfer_known')
  }
  expect(await world.balance(member)).toBe('200.00')
  const other = await world.order(100)
  expect((await world.typed(other, 100, number())).body.transfer.status).toBe('confirmed')
})

test('is another order’s too if it is written with more or with less of it, or with the word for a number', async () => {
  const utr = number()
  const order = await world.order(10)
  expect((await world.typed(order, 10, `HDFC${utr}`)).body.transfer.status).toBe('confirmed')
  const again = await world.order(10)
  for (const written of [utr, `UTR ${utr}`, `RRN No. 00${utr}`, `NEFT HDFC ${utr}`, utr.slice(1, -1)])
    expect([written, (await world.typed(again, 10, written)).body.code]).toEqual([written, 'transfer_known'])
  const waits = number()
  expect((await world.typed(await world.order(600), 600, waits)).body.transfer.status).toBe('asked')
  for (const written of [`HDFC${waits}`, waits.slice(1, -1)])
    expect([written, (await world.typed(again, 10, written)).body.code]).toEqual([written, 'transfer_known'])
  const line = number()
  await world.arrives(10, `UPI/CR/${line}/ASHA`)
  expect((await world.typed(again, 10, `UTR ${line}`)).body.code).toBe('transfer_has_line')
  expect(await world.balance(again.member)).toBe('0.00')
})

test('of a settlement is no transfer, also of one that is recorded while the transfer waits for the second person', async () => {
  const utr = number()
  const order = await world.order(600)
  const { transfer } = (await world.typed(order, 600, utr)).body
  expect(transfer.status).toBe('asked')
  await inTransaction(world.db, (tx) =>
    bookArrival(tx, { id: randomUUID(), reference: utr, amount: wholeRupees(600), evidence: [randomBytes(32)] }),
  )
  const { status, body } = await world.ask(`POST /admin/transfers/${transfer.id}/approve`, await world.clerk())
  expect([status, body.code, await world.balance(order.member)]).toEqual([409, 'transfer_known', '0.00'])
})

test('of a settlement is no transfer, whatever word and separators its number was recorded with', async () => {
  const utr = number()
  await inTransaction(world.db, async (tx) => {
    await bookArrival(tx, { id: randomUUID(), reference: `UTR-${utr}`, amount: wholeRupees(10), evidence: [randomBytes(32)] })
  })
  const order = await world.order(10)
  for (const written of [utr, `UTR ${utr}`]) expect((await world.typed(order, 10, written)).body.code).toBe('transfer_known')
  expect(await world.balance(order.member)).toBe('0.00')
})
