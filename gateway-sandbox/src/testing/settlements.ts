/** A running sandbox for tests of settlements: payments, refunds and settlements made in one call each. */
import { type Json, useSubscriptions } from './subscriptions.ts'
import { type Answer, freshId, whole } from './world.ts'

export const detail = (row: Json, part: string): Json => row[part] as Json

/** The sum of a settlement's events. */
export const total = (events: readonly Json[]): number =>
  Math.round(
    events.reduce((sum, row) => {
      const { sale_type: sale, event_settlement_amount: amount } = detail(row, 'event_details')
      return sum + (sale === 'CREDIT' ? 1 : -1) * Number(amount) * 100
    }, 0),
  ) / 100

export function useSettlements() {
  const shop = useSubscriptions()
  const { control, pg } = shop
  const list = (path: string, filters: Json, pagination: Json = { limit: 100 }): Promise<Answer> =>
    pg('POST', path, { pagination, filters })
  return {
    ...shop,
    list,
    rows: async (path: string, filters: Json): Promise<readonly Json[]> => whole(await list(path, filters)).data as Json[],
    settled: async (body: Json = {}): Promise<Json> => {
      const answer = await control('/settle', { webhooks: 0, ...body })
      if (answer.status !== 200) throw new Error(answer.text)
      return whole(answer)
    },
    /** Settles what earlier tests left open. */
    fresh: (): Promise<Answer> => control('/settle', { webhooks: 0, adjustment: 1 }),
    /** A refund that reached the payer; answers its id. */
    refunded: async (orderId: string, amount: number): Promise<string> => {
      const refundId = freshId().replaceAll('_', '')
      await pg('POST', `/orders/${orderId}/refunds`, { refund_id: refundId, refund_amount: amount })
      await control(`/refunds/${refundId}`, { status: 'SUCCESS', webhooks: 0 })
      return refundId
    },
  }
}
