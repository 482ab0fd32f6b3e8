/** Money that leaves, as administrators see it, and the payouts' webhook (api.md). */
import { bankReference, decisionReason } from '@roz/core/fields.ts'
import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { instant, nextCursor, page } from './shapes.ts'
import { bankDetail, withdrawal } from './wallet.ts'

/** The states of money.md, not the words that members read. */
export const withdrawalState = z.enum(['requested', 'approved', 'sending', 'paid', 'rejected', 'failed', 'reversed'], 'choice_invalid')

const payee = z.object({ id: z.string(), name: z.string(), email: z.string().nullable() })

export const adminWithdrawal = z.object({
  ...withdrawal.shape,
  status: withdrawalState,
  member: payee,
  transferId: z.string().meta({ description: "The withdrawal's id without dashes: its key at the gateway" }),
  flags: z.array(z.string()).meta({ description: 'new_account, young_money, gateway_conflict, other_amount: for a second look' }),
  problem: z.string().nullable().meta({ description: 'Why it stands still, in the words of the gateway' }),
  endedAt: instant.nullable(),
})

const id = z.object({ id: z.string().max(100) })
const search = z.string().max(200).optional()
const withdrawalAnswer = z.object({ withdrawal: adminWithdrawal })
const reason = z.strictObject({ reason: decisionReason })

export const payoutCalls = {
  adminWithdrawals: endpoint({
    method: 'GET',
    path: '/admin/withdrawals',
    access: 'admin',
    summary: "Withdrawals in all states, newest first; q looks in the member's name and mail, in id and reference.",
    query: z.object({ ...page.shape, status: withdrawalState.optional(), q: search }),
    output: z.object({ withdrawals: z.array(adminWithdrawal), nextCursor }),
    refusals: [],
  }),
  approveWithdrawal: endpoint({
    method: 'POST',
    path: '/admin/withdrawals/{id}/approve',
    access: 'admin',
    stepUp: true,
    summary: 'Approves a withdrawal: it is sent by the gateway, or waits for a payment by hand where there is none.',
    params: id,
    output: withdrawalAnswer,
    refusals: ['withdrawal_not_found', 'withdrawal_final', 'member_on_hold', 'idempotency_mismatch'],
  }),
  rejectWithdrawal: endpoint({
    method: 'POST',
    path: '/admin/withdrawals/{id}/reject',
    access: 'admin',
    stepUp: true,
    summary: 'Rejects a withdrawal that was not sent; the money goes back into the wallet.',
    params: id,
    body: reason,
    output: withdrawalAnswer,
    refusals: ['withdrawal_not_found', 'withdrawal_final', 'idempotency_mismatch'],
  }),
  retryWithdrawal: endpoint({
    method: 'POST',
    path: '/admin/withdrawals/{id}/retry',
    access: 'admin',
    stepUp: true,
    summary: 'Sends an approved withdrawal that the gateway would not take once more, or asks at once about one under way.',
    params: id,
    output: withdrawalAnswer,
    refusals: ['withdrawal_not_found', 'withdrawal_final', 'payouts_by_hand', 'idempotency_mismatch'],
  }),
  completeWithdrawal: endpoint({
    method: 'POST',
    path: '/admin/withdrawals/{id}/complete',
    access: 'admin',
    stepUp: true,
    summary: 'Notes that an approved withdrawal was paid by hand. Only where no gateway pays out.',
    params: id,
    body: z.strictObject({ bankReference }),
    output: withdrawalAnswer,
    refusals: ['withdrawal_not_found', 'withdrawal_final', 'payouts_by_gateway', 'idempotency_mismatch'],
  }),
  withdrawalBank: endpoint({
    method: 'POST',
    path: '/admin/withdrawals/{id}/bank',
    access: 'admin',
    stepUp: true,
    summary:
      'The whole bank account of an approved withdrawal, to pay it by hand; each look is written down. Only where no gateway pays out.',
    params: id,
    output: z.object({ bankDetail }),
    refusals: ['withdrawal_not_found', 'withdrawal_final', 'payouts_by_gateway'],
  }),
  cashfreePayoutsWebhook: endpoint({
    method: 'POST',
    path: '/webhooks/cashfree-payouts',
    access: 'signed',
    summary: "The payouts' events; stored raw, then the transfer is asked for at the gateway.",
    raw: true,
    output: z.object({ received: z.literal(true) }),
    refusals: ['webhook_signature', 'bad_json'],
  }),
} as const
