/** Control calls of settlements: people and tests play the gateway that pays out. */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Parts } from '../calls.ts'
import { controlsOf, force, webhookCopies, webhooksOf } from '../control-views.ts'
import { settlementEntity } from './entities.ts'
import type { Settlement } from './model.ts'
import { moveSettlement, readSettlement, settle, SETTLEMENT_STATUSES } from './settlements.ts'

const reason = z.string().max(250).optional()

/** Without orders and payments everything that is open is settled. `adjustment`: rupees with a sign. */
const newSettlement = z.strictObject({
  status: z.enum(SETTLEMENT_STATUSES).default('SUCCESS'),
  reason,
  order_ids: z.array(z.string()).min(1).optional(),
  cf_payment_ids: z.array(z.string()).min(1).optional(),
  adjustment: z.number().min(-1_000_000).max(1_000_000).default(0),
  remarks: z.string().max(250).optional(),
  webhooks: webhookCopies,
})
const settlementMove = z.strictObject({ status: z.enum(SETTLEMENT_STATUSES), reason, webhooks: webhookCopies, force })

export function settlementControl(app: FastifyInstance, parts: Parts): void {
  const { press, show } = controlsOf(app, parts)
  press('/settle', newSettlement, (given, { nowMs }) => {
    const { order_ids: orderIds, cf_payment_ids: paymentIds } = given
    const isNamed = orderIds !== undefined || paymentIds !== undefined
    const input = {
      status: given.status,
      reason: given.reason ?? null,
      includes: ({ orderId, cfPaymentId }: { orderId: string | null; cfPaymentId: string | null }) =>
        !isNamed || orderIds?.includes(orderId ?? '') === true || paymentIds?.includes(cfPaymentId ?? '') === true,
      adjustmentPaise: Math.round(given.adjustment * 100),
      remarks: given.remarks ?? null,
    }
    return view(parts, settle(parts, input, given.webhooks, nowMs))
  })
  press('/settlements/:settlementId', settlementMove, ({ status, reason: why, webhooks: copies, force: forced }, { params, nowMs }) =>
    view(parts, moveSettlement(parts, params.settlementId, { status, reason: why ?? null, copies, force: forced }, nowMs)),
  )
  show('/settlements/:settlementId', ({ params }) => view(parts, readSettlement(parts.store, params.settlementId)))
}

const view = ({ store }: Parts, settlement: Settlement): Record<string, unknown> => ({
  ...settlementEntity(settlement),
  webhooks: webhooksOf(store, `settlement:${settlement.settlementId}`),
})
