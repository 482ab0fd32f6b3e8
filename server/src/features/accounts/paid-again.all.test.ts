/** A settlement that went back, was taken off a later one or paid by it, and is then paid again by the gateway under its own number. */
import { paise } from '@roz/core/money.ts'
import { expect, test } from 'vitest'
import type { SettlementState, ToldSettlement } from '../../adapters/settlements/port.ts'
import { sql } from '../../db/sql.ts'
import { createAttempt } from '../../jobs/parking.ts'
import { useSettlementWorld } from '../../testing/settlement-world.ts'
import { readDue } from './reading.ts'

const world = useSettlementWorld()

/** The gateway tells this state of a settlement of ₹10, which the sandbox does not do. */
async function told(settlementId: string, state: SettlementState): Promise<void> {
  const row: ToldSettlement = {
    settlementId,
    state,
    status: state.toUpperCase(),
    utr: 'AGAIN0001',
    amount: paise(977n),
    fee: paise(23n),
    ownFee: paise(0n),
    initiatedAtMs: world.now(),
    processedAtMs: world.now(),
  }
  const settlements = {
    listSettlements: () => Promise.resolve({ rows: [row], cursor: undefined }),
    listSettlementEvents: () => Promise.resolve({ rows: [], cursor: undefined }),
  }
  await world.db.query(sql`update gateway_reading set due_at = roz_now()`)
  const attempt = createAttempt({ db: world.db, log: { warn: () => undefined, error: () => undefined } })
  expect(await readDue({ db: world.db, settlements, gatewayFee: 0, attempt, alarm: () => undefined })).toBe(true)
}
async function returned(): Promise<string> {
  await world.paid(10)
  const id = await world.settle()
  await world.nextMorning()
  await world.ask(`POST /admin/gateway-settlements/${id}/record`, world.finance, { amount: 9.77, fee: 0.23 })
  await world.control(`/settlements/${id}`, { status: 'REVERSED', webhooks: 0 })
  return id
}
const twice = async () => (await world.findings()).filter(({ kind }) => kind === 'twice')

test.each([
  ['taken off a larger one', 20],
  ['paid by another one', 0],
])('one that was %s: the money is there twice until it goes back again', async (_, more) => {
  const first = await returned()
  if (more > 0) await world.paid(more)
  await world.nextMorning()
  await world.settle()
  await world.nextMorning()
  const [proposal] = await world.settlements('?status=to_record')
  expect(proposal === undefined).toBe(more === 0)
  if (proposal !== undefined)
    await world.ask(`POST /admin/gateway-settlements/${String(proposal['id'])}/record`, world.finance, {
      amount: proposal['amount'],
      fee: proposal['fee'],
    })
  expect(await world.findings()).toEqual([])
  await told(first, 'paid')
  expect(await twice()).toMatchObject([{ settlement: first, subject: `settlement:${first}`, amount: 10 }])
  await told(first, 'failed')
  expect(await twice()).toEqual([])
})
