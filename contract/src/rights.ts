/** What members may demand of us: their data, and that their account is closed (api.md; product.md "Members' rights"). */
import { z } from 'zod'
import { notification } from './community.ts'
import { endpoint } from './endpoint.ts'
import { signedInDevice } from './identity.ts'
import { refund } from './payouts.ts'
import { pushDevice } from './push.ts'
import { historyItem } from './rounds.ts'
import { user } from './shapes.ts'
import { bankDetail, transaction, withdrawal } from './wallet.ts'

export const memberExport = z.object({
  user,
  transactions: z.array(transaction),
  rounds: z.array(historyItem),
  withdrawals: z.array(withdrawal),
  refunds: z.array(refund),
  notifications: z.array(notification),
  devices: z.array(pushDevice),
  sessions: z.array(signedInDevice),
})
export type MemberExport = z.infer<typeof memberExport>

export const rightsCalls = {
  exportData: endpoint({
    method: 'GET',
    path: '/user/export',
    access: 'member',
    summary: 'Everything about the member in one object, each part whole and as its own call shows it.',
    output: memberExport,
    refusals: ['too_many_requests'],
  }),
  closeAccount: endpoint({
    method: 'POST',
    path: '/user/close',
    access: 'verified',
    summary: 'Takes the rest out of the wallet, of any amount: to a bank account, or as a gift to the help fund. Then DELETE /user works.',
    body: z.strictObject({
      bankDetail: bankDetail.optional(),
      gift: z.literal(true, 'choice_invalid').optional(),
    }),
    output: z.object({
      withdrawal: withdrawal.nullable().meta({ description: 'null for a gift, or where nothing was left' }),
      message: z.string(),
    }),
    refusals: ['on_hold', 'withdrawals_paused', 'idempotency_mismatch', 'overloaded'],
  }),
  deleteAccount: endpoint({
    method: 'DELETE',
    path: '/user',
    access: 'holder',
    summary: 'Erases who the member is; refused while money or a round is pending. The books stay, under a pseudonym.',
    output: 'empty',
    status: 204,
    refusals: ['on_hold', 'forbidden', 'payout_pending', 'refund_pending', 'round_pending', 'money_left'],
  }),
} as const
