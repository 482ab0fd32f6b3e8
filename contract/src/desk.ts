/** Calls of the working day: several approvals at once. */
import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { refundState, withdrawalState } from './payouts.ts'
import { TREASURY } from './roles.ts'

/** How one row of several approvals ended. */
export const approvedRow = z.object({
  id: z.string(),
  status: z.string().nullable().meta({ description: 'The new state; null if it was not approved' }),
  code: z.string().nullable().meta({ description: 'The refusal of this row; `internal`: unknown, look at it again' }),
  message: z.string().nullable(),
})
const APPROVED_AT_ONCE = 50
const rowsOf = <S extends z.ZodType>(status: S) =>
  z.strictObject({
    rows: z
      .array(z.strictObject({ id: z.string().max(100), status }), 'wrong_type')
      .min(1, 'fill_all')
      .max(APPROVED_AT_ONCE, 'choice_invalid'),
  })

export const deskCalls = {
  approveWithdrawals: endpoint({
    method: 'POST',
    path: '/admin/withdrawals/approve',
    access: 'admin',
    roles: TREASURY,
    stepUp: true,
    summary: 'Approves up to 50 withdrawals, each as its own decision on the state that was seen; the answer tells of each how it ended.',
    body: rowsOf(withdrawalState),
    output: z.object({ results: z.array(approvedRow) }),
    refusals: ['idempotency_mismatch'],
  }),
  approveRefunds: endpoint({
    method: 'POST',
    path: '/admin/refunds/approve',
    access: 'admin',
    roles: TREASURY,
    stepUp: true,
    summary: 'Approves up to 50 refunds, each as its own decision on the state that was seen; the answer tells of each how it ended.',
    body: rowsOf(refundState),
    output: z.object({ results: z.array(approvedRow) }),
    refusals: ['idempotency_mismatch'],
  }),
} as const
