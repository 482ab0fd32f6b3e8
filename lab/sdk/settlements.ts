/** The SDK's expectations of settlements, in its own version and in the one before. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import type { Json } from './sdk.ts'
import { type Expectation, freshId, order, refusal, type World } from './world.ts'

/** A settlement of one paid order that was refunded in part; answers order, refund and settlement. */
async function settlement(world: World): Promise<{ orderId: unknown; refundId: string; settled: Json }> {
  const { order_id: orderId } = await order(world)
  const refundId = freshId()
  await world.sdk.call('PGOrderCreateRefund', orderId, { refund_id: refundId, refund_amount: 10 })
  await world.control(`/refunds/${refundId}`, { status: 'SUCCESS' })
  return { orderId, refundId, settled: await world.control('/settle', { order_ids: [orderId] }) }
}

const find = (world: World, method: string, filters: Json, pagination: Json = { limit: 100 }) =>
  world.sdk.call(method, { pagination, filters })

/** PAYMENT and REFUND of the order, and what all events of the settlement add up to, in paise. */
function judged(rows: readonly Json[], settled: Json): { types: unknown[]; paise: number } {
  const own = rows.filter((row) => (row.settlement_details as Json | null)?.cf_settlement_id === settled.cf_settlement_id)
  const events = own.map((row) => row.event_details as Json)
  const paise = events.reduce(
    (sum, { sale_type: sale, event_settlement_amount: amount }) => sum + (sale === 'CREDIT' ? 1 : -1) * Math.round(Number(amount) * 100),
    0,
  )
  return { types: events.map((event) => event.event_type), paise }
}

export const SETTLEMENTS: readonly Expectation[] = [
  [
    'PGOrderFetchSettlement: a settled order is SUCCESS, nested in 2026-01-01 and flat before',
    async (world) => {
      const { orderId, settled } = await settlement(world)
      const { data } = await world.sdk.call('PGOrderFetchSettlement', orderId)
      equal((data.settlement_details as Json).status, 'SUCCESS')
      equal((data.settlement_details as Json).cf_settlement_id, settled.cf_settlement_id)
      equal((data.payment_details as Json).settlement_amount, 29.31)
      const flat = (await world.older.call('PGOrderFetchSettlement', orderId)).data
      deepEqual(
        [flat.cf_settlement_id, flat.settlement_amount, flat.transfer_utr],
        [settled.cf_settlement_id, 29.31, settled.settlement_utr],
      )
    },
  ],
  [
    'PGOrderFetchSettlement: an unpaid order is 404',
    async (world) => {
      const { order_id: id } = await order(world, null)
      equal((await world.sdk.call('PGOrderFetchSettlement', id)).status, 404)
    },
  ],
  [
    'PGFetchSettlements: limit 1 of 2 gives a cursor, and the last page none',
    async (world) => {
      const ids = [(await settlement(world)).settled.cf_settlement_id, (await settlement(world)).settled.cf_settlement_id]
      const first = (await find(world, 'PGFetchSettlements', { cf_settlement_ids: ids }, { limit: 1 })).data
      equal(typeof first.cursor, 'string')
      const last = (await find(world, 'PGFetchSettlements', { cf_settlement_ids: ids }, { limit: 1, cursor: first.cursor })).data
      equal(last.cursor, null)
      deepEqual(
        [...(first.data as Json[]), ...(last.data as Json[])].map((one) => one.cf_settlement_id),
        ids,
      )
    },
  ],
  [
    'PGFetchSettlements: by UTR there is one; without filters 400',
    async (world) => {
      const { settled } = await settlement(world)
      const { data } = await find(world, 'PGFetchSettlements', { settlement_utrs: [settled.settlement_utr] })
      deepEqual(
        (data.data as Json[]).map((one) => one.cf_settlement_id),
        [settled.cf_settlement_id],
      )
      equal((await find(world, 'PGFetchSettlements', {})).status, 400)
    },
  ],
  [
    'PGSettlementFetchRecon: PAYMENT and REFUND meet amount_settled',
    async (world) => {
      const { settled, refundId } = await settlement(world)
      const rows = (await find(world, 'PGSettlementFetchRecon', { cf_settlement_ids: [Number(settled.cf_settlement_id)] })).data
        .data as Json[]
      const { types, paise } = judged(rows, settled)
      deepEqual([types, paise], [['PAYMENT', 'REFUND'], Math.round(Number(settled.amount_settled) * 100)])
      deepEqual(
        (rows[1] as { refund_details: Json[] }).refund_details.map((one) => one.refund_id),
        [refundId],
      )
    },
  ],
  [
    'PGFetchRecon: the same events by date, and those that are not settled',
    async (world) => {
      const { settled } = await settlement(world)
      const { order_id: open } = await order(world)
      const rows = (await find(world, 'PGFetchRecon', { start_date: '2026-03-04', end_date: '2026-03-04' }, { limit: 1000 })).data
        .data as Json[]
      const { types, paise } = judged(rows, settled)
      deepEqual([types, paise], [['PAYMENT', 'REFUND'], Math.round(Number(settled.amount_settled) * 100)])
      ok(rows.some((row) => (row.order_details as Json).order_id === open && row.settlement_details === null))
    },
  ],
  [
    'PGSimulateSettlement, PGFetchSettlementSimulation: ids, and the same again',
    async (world) => {
      const { order_id: id } = await order(world)
      const { data } = await world.sdk.call('PGSimulateSettlement', { merchantOrderIds: [id], status: 'SUCCESS' })
      equal((data.settlement_ids as number[]).length, 1)
      deepEqual((await world.sdk.call('PGFetchSettlementSimulation', data.simulation_id)).data, data)
      const { order_id: unpaid } = await order(world, null)
      deepEqual(refusal(await world.sdk.call('PGSimulateSettlement', { merchantOrderIds: [unpaid], status: 'SUCCESS' })), [
        400,
        'order_not_paid',
      ])
    },
  ],
]
