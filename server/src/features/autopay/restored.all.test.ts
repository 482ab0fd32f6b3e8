/** After a restore the gateway has debits that the database has forgotten: none follows before the gateway has told what it has. */
import { addDays } from '@roz/core/ist-day.ts'
import { paise } from '@roz/core/money.ts'
import { afterEach, expect, test } from 'vitest'
import { afterRestoreNow } from '../../commands/after-restore.ts'
import { sql } from '../../db/sql.ts'
import { useAutopayWorld } from '../../testing/autopay-world.ts'
import type { ModelCharge, ModelMandate } from '../../testing/model-mandates.ts'

const world = useAutopayWorld()
afterEach(() => world.forget())

/** A debit that was raised after the restored second: only the gateway knows it. */
async function forgotten(mandate: ModelMandate): Promise<ModelCharge> {
  const chargeId = crypto.randomUUID().replaceAll('-', '')
  await world.model.gateway.raiseCharge({
    mandateId: mandate.asked.mandateId,
    chargeId,
    amount: paise(3000n),
    day: addDays(world.today(), 2),
    remarks: 'Wallet top-up',
  })
  return world.model.chargesOf(mandate).find((charge) => charge.chargeId === chargeId) as ModelCharge
}

async function finish(): Promise<string[]> {
  const lines: string[] = []
  const target = { databaseUrl: world.database.appUrl, dataDir: '', namedStatements: true, say: (line: string) => void lines.push(line) }
  expect(await afterRestoreNow(target, [])).toBe(0)
  return lines
}

test('a debit that the gateway has and the database forgot is taken over: no second one is raised, and it is booked once', async () => {
  const { memberId, mandate } = await world.low()
  const charge = await forgotten(mandate)
  expect(await finish()).toContain('AutoPay: it asks about 1 mandates, and debits none of them before the gateway has answered.')
  // The gateway is away for the whole morning: nothing may be raised meanwhile.
  world.model.losses.fetchMandate = ['drop', 'drop', 'drop']
  await world.nextMorning()
  await world.later(20)
  expect(world.model.chargesOf(mandate)).toHaveLength(1)
  world.model.losses.fetchMandate = []
  await world.later(3700)
  expect(await world.debits(memberId)).toMatchObject([{ orderId: charge.chargeId, day: charge.day, status: 'open' }])
  expect(world.alarms).toContain('the gateway has a debit that this database has forgotten: it is taken over')
  world.end(charge, 'paid')
  await world.at(charge.day, '10:31:00')
  expect([await world.debits(memberId), await world.topups(memberId), await world.suspended(memberId)]).toMatchObject([
    [{ status: 'paid' }],
    ['captured', 'captured'],
    [],
  ])
  await world.leave(memberId, 3)
  await world.nextMorning()
  expect(world.model.chargesOf(mandate)).toHaveLength(1)
})

test('a debit that was paid after the restored second goes to SUSPENSE, and none follows for 27 days', async () => {
  const { memberId, mandate } = await world.low()
  const charge = await forgotten(mandate)
  world.end(charge, 'paid')
  await finish()
  await world.nextMorning()
  await world.later(20)
  const items = await world.db.query(sql`select reason, amount from suspense_item where order_id = ${charge.chargeId}::text`)
  expect(items).toEqual([{ reason: 'unknown_order', amount: 3000n }])
  await world.nextMorning()
  expect([await world.debits(memberId), world.model.chargesOf(mandate).length]).toEqual([[], 1])
})

test('a debit that failed after the restored second delays the next one; one that was cancelled does not', async () => {
  const { memberId, mandate } = await world.low()
  const [failed, cancelled] = [await forgotten(mandate), await forgotten(mandate)]
  failed.state = 'failed'
  cancelled.state = 'cancelled'
  await finish()
  await world.nextMorning()
  await world.later(20)
  expect((await world.debits(memberId)).map(({ status }) => status).toSorted()).toEqual(['cancelled', 'failed'])
  await world.at(addDays(failed.day, 1), '07:00:00')
  const [, , next] = await world.debits(memberId)
  expect(next).toMatchObject({ status: 'open', day: addDays(failed.day, 3) })
})

test('a mandate without a forgotten debit goes on as before', async () => {
  const { memberId, mandate } = await world.low()
  await finish()
  await world.nextMorning()
  await world.later(20)
  expect(await world.debits(memberId)).toMatchObject([{ status: 'open' }])
  expect(world.only(mandate).state).toBe('initialized')
})
