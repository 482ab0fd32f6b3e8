/**
 * Outgoing money: withdrawals to bank accounts; refunds and suspense items back to their source.
 *
 * - An administrator decides; the gateway's final state ends it.
 * - The sweep asks about each sending until its state can no longer change.
 * - The first sweep after a hold sends the payouts and refunds that the hold stopped.
 * - Without payout keys the same calls serve payments by hand.
 */
import type { payoutCalls } from '@roz/contract/payouts.ts'
import type { suspenseCalls } from '@roz/contract/suspense.ts'
import { areAnyHeld, orKeepJob } from '../../jobs/questions.ts'
import type { JobPayloads } from '../../jobs/queue.ts'
import { readWhole } from '../../lists/cursor.ts'
import { createIdempotency } from '../../http/idempotency.ts'
import type { Handlers } from '../../http/route.ts'
import { listDueSendings } from './checks.ts'
import { sendAfterHold } from './after-hold.ts'
import { withdrawalDecisions } from './decide-withdrawal.ts'
import { allowanceOf, type PayoutsDeps, workFor } from './deps.ts'
import { pageOf } from '../../lists/listing.ts'
import { listRefunds } from './refund-view.ts'
import { refundHandlers } from './refunds.ts'
import { sendRefund, settleRefund } from './send-refund.ts'
import { sendWithdrawal } from './send-withdrawal.ts'
import { settleWithdrawal } from './settle-withdrawal.ts'
import { suspenseHandlers } from './suspense.ts'
import { filterBy } from '../../staff/open-work.ts'
import { moneyTables } from './tables.ts'
import { forgetOldEvents, receivePayoutWebhook } from './webhook.ts'
import { searchWithdrawals } from './withdrawal-view.ts'

type Names = keyof typeof payoutCalls | keyof typeof suspenseCalls | 'approveWithdrawals' | 'approveRefunds'

const SWEEP_AT_ONCE = 8

export function createPayouts(deps: PayoutsDeps) {
  const { db, payouts } = deps
  const idempotency = createIdempotency({ db, secrets: deps.secrets })

  const handlers: Handlers<Names> = {
    ...withdrawalDecisions(deps, idempotency),
    ...refundHandlers(deps, idempotency),
    ...suspenseHandlers(deps, idempotency),
    ...moneyTables(deps),
    adminWithdrawals: async ({ query, session }) => {
      const { withdrawals } = workFor(deps, session)
      const page = await pageOf(query, (part) => searchWithdrawals(db, { ...filterBy(withdrawals, query), ...part }))
      if (!page.ok) return page
      const approvalAbove = await allowanceOf(deps, session)
      return { ok: true, value: { withdrawals: [...page.rows], approvalAbove, byHand: payouts === undefined, nextCursor: page.nextCursor } }
    },
    // Without payout keys no webhook can be genuine.
    payoutWebhook: async (call) =>
      payouts === undefined ? { ok: false, code: 'webhook_signature' } : receivePayoutWebhook({ ...deps, payouts }, call),
  }

  return {
    handlers,
    exports: {
      refunds: async (memberId: bigint) =>
        (
          await readWhole(
            (page) => listRefunds(db, memberId, page),
            ({ key }) => key,
          )
        ).map(({ shown }) => shown),
    },
    jobs: {
      send_payout: ({ withdrawalId }: JobPayloads['send_payout']) => sendWithdrawal(deps, withdrawalId, { again: false }),
      check_payout: ({ withdrawalId }: JobPayloads['check_payout']) => orKeepJob(settleWithdrawal(deps, withdrawalId)),
      send_refund: ({ refundId }: JobPayloads['send_refund']) => sendRefund(deps, refundId, { again: false }),
      check_refund: ({ refundId }: JobPayloads['check_refund']) => orKeepJob(settleRefund(deps, refundId)),
    },
    /** Three sweeps: send after a hold, ask about open sendings, forget old events. Each is due work of its own. */
    sweeps: [
      (): Promise<boolean> => sendAfterHold(db),
      async (): Promise<boolean> => {
        const due = await listDueSendings(db, payouts === undefined ? ['refund'] : ['withdrawal', 'refund'], SWEEP_AT_ONCE)
        return areAnyHeld(due.map(({ id, kind }) => (kind === 'refund' ? settleRefund(deps, id) : settleWithdrawal(deps, id))))
      },
      (): Promise<boolean> => forgetOldEvents(db),
    ],
  }
}
