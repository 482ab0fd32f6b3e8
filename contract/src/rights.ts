/** Calls of members' rights: the export of their data and the closing of their account. */
import { z } from 'zod'
import { mandate } from './autopay.ts'
import { notification } from './community.ts'
import { endpoint } from './endpoint.ts'
import { signedInDevice } from './identity.ts'
import { ownTax } from './papers.ts'
import { refund } from './payouts.ts'
import { pushDevice } from './push.ts'
import { historyItem } from './rounds.ts'
import { instant, newer, user } from './shapes.ts'
import { placeOfMoney, transaction, withdrawal } from './wallet.ts'

/** A message to support with its answers. */
const ownMessage = z.object({
  ticket: z.string(),
  name: z.string(),
  message: z.string(),
  createdAt: instant,
  replies: z.array(z.object({ text: z.string(), createdAt: instant })),
})

const memberExport = z.object({
  user,
  transactions: z.array(transaction),
  rounds: z.array(historyItem),
  withdrawals: z.array(withdrawal),
  refunds: z.array(refund),
  notifications: z.array(notification),
  devices: z.array(pushDevice),
  sessions: z.array(signedInDevice),
  autopay: z.array(mandate).meta({ description: 'Every AutoPay that was set up, oldest first' }),
  tax: ownTax,
  mutedStories: newer(z.array(z.object({ storyId: z.string(), mutedAt: instant })), { absent: [] }),
  messages: z.array(ownMessage).meta({
    description: 'What was written to support by the logged-in member or from the confirmed address of the account, oldest first',
  }),
})
export type MemberExport = z.infer<typeof memberExport>

export const rightsCalls = {
  exportData: endpoint('GET /user/export', {
    access: 'member',
    summary: 'All data about the member in one object; each part is complete and has the form of its own call.',
    output: memberExport,
    refusals: ['too_many_requests'],
  }),
  closeAccount: endpoint('POST /user/close', {
    access: 'verified',
    summary:
      'Empties the wallet, whatever the amount: by a withdrawal, or a donation to the help fund. DELETE /user requires an empty wallet.',
    body: z.strictObject({ ...placeOfMoney, gift: z.literal(true, 'choice_invalid').optional() }),
    output: z.object({
      withdrawal: withdrawal.nullable().meta({ description: 'null for a gift, or if nothing was left' }),
      message: z.string(),
    }),
    refusals: ['on_hold', 'withdrawals_paused', 'autopay_stopping', 'idempotency_mismatch', 'overloaded'],
  }),
  deleteAccount: endpoint('DELETE /user', {
    access: 'member',
    summary:
      'Erases the identity of the member. Refused while money, a round or a dispute is pending, and while the team checks the account. The money movements stay, under a number.',
    output: 'empty',
    status: 204,
    refusals: [
      'on_hold',
      'forbidden',
      'account_checked',
      'dispute_open',
      'autopay_stopping',
      'payout_pending',
      'refund_pending',
      'round_pending',
      'money_left',
    ],
  }),
} as const
