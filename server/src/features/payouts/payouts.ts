/**
 * Money that leaves: withdrawals to bank accounts. Invariants: an administrator decides, the gateway's
 * word ends; what is due is asked by the sweep until nothing more is to be expected; without payout
 * keys the same calls serve payments by hand.
 */
import type { JobPayloads } from '../../jobs/queue.ts'
import { createIdempotency } from '../../http/idempotency.ts'
import type { Handlers } from '../../http/route.ts'
import { listDueChecks } from './checks.ts'
import { withdrawalDecisions } from './decide-withdrawal.ts'
import type { PayoutsDeps } from './deps.ts'
import { pageOf } from './lists.ts'
import { sendWithdrawal } from './send-withdrawal.ts'
import { settleWithdrawal } from './settle-withdrawal.ts'
import { forgetOldEvents, receiveWebhook } from './webhook.ts'
import { searchWithdrawals } from './withdrawal-view.ts'

type Names =
  | 'adminWithdrawals'
  | 'approveWithdrawal'
  | 'rejectWithdrawal'
  | 'retryWithdrawal'
  | 'completeWithdrawal'
  | 'withdrawalBank'
  | 'cashfreePayoutsWebhook'

const SWEEP_AT_ONCE = 8

export function createPayouts(deps: PayoutsDeps) {
  const { db, payouts } = deps
  const idempotency = createIdempotency({ db, secrets: deps.secrets })

  const handlers: Handlers<Names> = {
    ...withdrawalDecisions(deps, idempotency),
    adminWithdrawals: async ({ query }) => {
      const { status, q } = query
      const page = await pageOf(query, (part) => searchWithdrawals(db, { status, q, ...part }))
      return page.ok ? { ok: true, value: { withdrawals: [...page.rows], nextCursor: page.nextCursor } } : page
    },
    // Without keys nothing can be genuine.
    cashfreePayoutsWebhook: async (call) =>
      payouts === undefined ? { ok: false, code: 'webhook_signature' } : receiveWebhook({ ...deps, payouts }, call),
  }

  return {
    handlers,
    jobs: {
      send_payout: ({ withdrawalId }: JobPayloads['send_payout']) => sendWithdrawal(deps, withdrawalId, { again: false }),
      check_payout: ({ withdrawalId }: JobPayloads['check_payout']) => settleWithdrawal(deps, withdrawalId),
    },
    /** Asks about what was sent and has not ended; says whether there was any. */
    due: async (): Promise<boolean> => {
      const due = payouts === undefined ? [] : await listDueChecks(db, ['withdrawal'], SWEEP_AT_ONCE)
      await Promise.all(due.map(({ id }) => settleWithdrawal(deps, id)))
      return [due.length > 0, await forgetOldEvents(db)].includes(true)
    },
  }
}
