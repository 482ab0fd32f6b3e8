/**
 * What administrators decide about a withdrawal. Invariants: each decision is one transaction with its
 * line in the audit log, its job and its mail, under the withdrawal's lock; of two at once the first
 * holds and the other is told; the same Idempotency-Key answers the first answer; money is sent only
 * after the commit. Where no gateway pays out, finance sees the account, pays by hand and notes the
 * bank's reference.
 */
import { randomUUID } from 'node:crypto'
import type { RefusalCode } from '@roz/core/refusals.ts'
import { audit } from '../../audit-log.ts'
import { maybeOne, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { CURSOR_PARTS } from '../../http/cursor.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import type { Handlers } from '../../http/route.ts'
import { enqueue } from '../../jobs/queue.ts'
import { approveWithdrawal, completeWithdrawal, rejectWithdrawal } from '../../ledger/withdrawals.ts'
import { readBankDetail, type StoredAccount } from './bank-detail.ts'
import { tellEnd } from './book-transfer.ts'
import { askSoon } from './checks.ts'
import { type Deciding, decideAbout, type Effect } from './decision.ts'
import type { PayoutsDeps } from './deps.ts'
import { type AdminWithdrawal, viewWithdrawal } from './withdrawal-view.ts'

type Names = 'approveWithdrawal' | 'rejectWithdrawal' | 'retryWithdrawal' | 'completeWithdrawal' | 'withdrawalBank'

export function withdrawalDecisions(deps: PayoutsDeps, idempotency: Idempotency): Handlers<Names> {
  const { payouts } = deps

  const decide = <C extends RefusalCode>(
    verb: string,
    call: Deciding,
    effect: (tx: Tx, id: string, status: string) => Promise<Effect<C | 'withdrawal_not_found'>>,
  ) =>
    decideAbout<'withdrawal', AdminWithdrawal, C | 'withdrawal_not_found'>(idempotency, call, {
      name: 'withdrawal',
      verb,
      notFound: 'withdrawal_not_found',
      lock: stateOf,
      effect,
      show: viewWithdrawal,
    })

  return {
    approveWithdrawal: (call) =>
      decide<'withdrawal_final' | 'member_on_hold'>('approve', call, async (tx, id) => {
        const held = await maybeOne(
          tx,
          sql`select 1 as held from withdrawal w join member m on m.id = w.member_id where w.id = ${id}::uuid and m.suspended_at is not null`,
        )
        if (held !== undefined) return { ok: false, code: 'member_on_hold' }
        const approved = await approveWithdrawal(tx, id)
        if (!approved.ok) return approved
        if (payouts !== undefined) await enqueue(tx, { kind: 'send_payout', key: `approved:${id}`, payload: { withdrawalId: id } })
        return { ok: true }
      }),
    rejectWithdrawal: (call) =>
      decide<'withdrawal_final'>('reject', call, async (tx, id) => {
        const rejected = await rejectWithdrawal(tx, { id, reason: call.body.reason })
        if (!rejected.ok) return rejected
        await tellEnd(tx, id, { result: 'failed', memberId: rejected.value.memberId })
        return { ok: true, after: { reason: call.body.reason } }
      }),
    retryWithdrawal: (call) =>
      decide<'withdrawal_final' | 'payouts_by_hand'>('retry', call, async (tx, id, status) => {
        if (payouts === undefined) return { ok: false, code: 'payouts_by_hand' }
        if (status !== 'approved' && status !== 'sending') return { ok: false, code: 'withdrawal_final' }
        if (status === 'sending') await askSoon(tx, id)
        else await enqueue(tx, { kind: 'send_payout', key: `retry:${randomUUID()}`, payload: { withdrawalId: id } })
        return { ok: true }
      }),
    completeWithdrawal: (call) =>
      decide<'withdrawal_final' | 'payouts_by_gateway'>('complete', call, async (tx, id) => {
        if (payouts !== undefined) return { ok: false, code: 'payouts_by_gateway' }
        const completed = await completeWithdrawal(tx, { id, reference: call.body.bankReference })
        if (!completed.ok) return completed
        await tellEnd(tx, id, { result: 'paid', memberId: completed.value.memberId })
        return { ok: true, after: { reference: call.body.bankReference } }
      }),
    withdrawalBank: ({ session, params: { id } }) =>
      inTransaction(deps.db, async (tx) => {
        if (payouts !== undefined) return { ok: false, code: 'payouts_by_gateway' }
        const found = CURSOR_PARTS.uuid(id) ? await stateOf(tx, id) : undefined
        if (found === undefined) return { ok: false, code: 'withdrawal_not_found' }
        if (found.status !== 'approved') return { ok: false, code: 'withdrawal_final' }
        await audit(tx, { actorId: session.memberId, action: 'withdrawal.see_bank', subject: `withdrawal:${id}` })
        return { ok: true, value: { bankDetail: readBankDetail(deps.secrets, found) } }
      }),
  }
}

/** Locks the withdrawal: what is judged of it stands until the end of the transaction. */
const stateOf = (tx: Tx, id: string): Promise<(StoredAccount & { readonly status: string }) | undefined> =>
  maybeOne<StoredAccount & { status: string }>(
    tx,
    sql`select w.status, w.member_id as "memberId", b.sealed
          from withdrawal w join bank_account b on b.id = w.bank_account_id where w.id = ${id}::uuid for update of w`,
  )
