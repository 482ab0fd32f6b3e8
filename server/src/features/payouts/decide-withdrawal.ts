/**
 * Administrators' decisions about a withdrawal.
 *
 * - A decision is one transaction with its line in the staff log, its job and its mail, under the withdrawal's lock.
 * - A decision names the state that was seen: of two at once the first takes effect, and the other is refused.
 * - Money is sent only after the commit of the final approval; above a limit two persons approve.
 * - Without a payout gateway one person is shown the account and pays by hand. Only that person says how it ended: paid, with
 *   the bank's reference, or not paid, with a reason; above a limit another person says so too. The transaction that shows the
 *   account records the person. A take-over names the person who was seen to have it.
 * - A payment by hand that came back is reversed by the team's word and the bank's statement (came-back.ts).
 */
import { randomUUID } from 'node:crypto'
import type { RefusalCode } from '@roz/core/refusals.ts'
import type { ApprovalRefusal } from '@roz/core/two-persons.ts'
import { logStaff } from '../../staff/staff-log.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { CURSOR_PARTS } from '../../lists/cursor.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import type { Handlers, Refusal } from '../../http/route.ts'
import { enqueue } from '../../jobs/queue.ts'
import { seenStatus } from '../../ledger/approvals.ts'
import {
  approveWithdrawal,
  completeWithdrawal,
  judgeRetry,
  rejectWithdrawal,
  sayNotPaid,
  showAccount,
  takeOver,
} from '../../ledger/withdrawals.ts'
import { approveMany } from './approve-many.ts'
import { isUpi, readPayoutDetail, type StoredAccount } from '../../members/bank-accounts.ts'
import { tellEnd } from './book-transfer.ts'
import { bookCameBack } from './came-back.ts'
import { askSoon } from './checks.ts'
import { changedSince, type Deciding, decideAbout } from '../../staff/decision.ts'
import type { PayoutsDeps } from './deps.ts'
import { viewWithdrawal } from './withdrawal-view.ts'

type Names =
  | 'approveWithdrawal'
  | 'approveWithdrawals'
  | 'rejectWithdrawal'
  | 'retryWithdrawal'
  | 'completeWithdrawal'
  | 'withdrawalBank'
  | 'withdrawalNotPaid'
  | 'takeOverWithdrawal'
  | 'withdrawalCameBack'

export function withdrawalDecisions(deps: PayoutsDeps, idempotency: Idempotency): Handlers<Names> {
  const { payouts } = deps
  /** True even with a gateway if the account was shown to somebody: that withdrawal is ended by hand. */
  const isByHand = async (tx: Tx, id: string): Promise<boolean> =>
    payouts === undefined || (CURSOR_PARTS.uuid(id) && (await wasShown(tx, id)))

  const decide = decideAbout(idempotency, { name: 'withdrawal', notFound: 'withdrawal_not_found', lock: stateOf, show: viewWithdrawal })

  const approve = (call: Deciding) =>
    decide<'withdrawal_final' | 'member_on_hold' | 'member_in_debt' | ApprovalRefusal>('approve', call, async (tx, id) => {
      const approved = await approveWithdrawal(tx, id, { by: call.session.memberId, limit: deps.approvalAbove })
      if (!approved.ok) return approved
      if (payouts !== undefined && approved.value.approval === 'final')
        await enqueue(tx, { kind: 'send_payout', key: `approved:${id}`, payload: { withdrawalId: id } })
      return { ok: true }
    })

  return {
    approveWithdrawal: approve,
    approveWithdrawals: (call) =>
      approveMany(deps, idempotency, call, {
        route: 'approveWithdrawals',
        decide: async (row) => {
          const decided = await approve(row)
          return decided.ok ? { ok: true, status: decided.value.withdrawal.status } : decided
        },
      }),
    rejectWithdrawal: (call) =>
      decide<'withdrawal_final' | 'being_paid_by_hand'>('reject', call, async (tx, id) => {
        const rejected = await rejectWithdrawal(tx, { id, reason: call.body.reason })
        if (!rejected.ok) return withName(tx, id, rejected)
        await tellEnd(tx, id, { result: 'rejected', memberId: rejected.value.memberId })
        return { ok: true, after: { reason: call.body.reason } }
      }),
    retryWithdrawal: (call) =>
      decide<'withdrawal_final' | 'payouts_by_hand' | 'being_paid_by_hand' | 'member_on_hold' | 'member_in_debt'>(
        'retry',
        call,
        async (tx, id, status) => {
          if (payouts === undefined) return { ok: false, code: 'payouts_by_hand' }
          const judged = await judgeRetry(tx, id)
          if (!judged.ok) return withName(tx, id, judged)
          if (status === 'sending') await askSoon(tx, id)
          else await enqueue(tx, { kind: 'send_payout', key: `retry:${randomUUID()}`, payload: { withdrawalId: id } })
          return { ok: true }
        },
      ),
    completeWithdrawal: (call) =>
      decide<'withdrawal_final' | 'payouts_by_gateway' | 'member_on_hold' | EndsByHand>('complete', call, async (tx, id) => {
        if (!(await isByHand(tx, id))) return { ok: false, code: 'payouts_by_gateway' }
        const completed = await completeWithdrawal(tx, { id, by: call.session.memberId, reference: call.body.bankReference })
        if (!completed.ok) return withName(tx, id, completed)
        await tellEnd(tx, id, { result: 'paid', memberId: completed.value.memberId })
        return { ok: true, after: { reference: call.body.bankReference } }
      }),
    withdrawalNotPaid: (call) =>
      decide<'withdrawal_final' | EndsByHand | ApprovalRefusal>('not_paid', call, async (tx, id) => {
        const approver = { by: call.session.memberId, limit: deps.approvalAbove }
        const ended = await sayNotPaid(tx, { id, approver, reason: call.body.reason })
        if (!ended.ok) return withName(tx, id, ended)
        if (ended.value !== 'first') await tellEnd(tx, id, { result: 'rejected', memberId: ended.value.memberId })
        return { ok: true, after: { reason: call.body.reason } }
      }),
    takeOverWithdrawal: (call) =>
      decide<'withdrawal_final' | 'changed_since_seen' | 'own_money'>('take_over', call, async (tx, id) => {
        const taken = await takeOver(tx, { id, by: call.session.memberId, from: call.body.from })
        return taken.ok ? { ok: true, after: { reason: call.body.reason, from: taken.value.from } } : taken
      }),
    withdrawalCameBack: (call) =>
      decide<'withdrawal_final' | 'payouts_by_gateway' | 'bank_line_needed' | 'bank_match_refused' | ApprovalRefusal>(
        'came_back',
        call,
        async (tx, id) => {
          const { reason, line } = call.body
          const said = await bookCameBack(tx, deps, { id, by: call.session.memberId, reason, line })
          if (!said.ok) return said
          if (said.value !== 'first') await tellEnd(tx, id, said.value)
          return { ok: true, after: { reason, line } }
        },
      ),
    withdrawalBank: (call) =>
      inTransaction(deps.db, async (tx) => {
        const { id } = call.params
        if (!(await isByHand(tx, id))) return { ok: false, code: 'payouts_by_gateway' }
        const found = CURSOR_PARTS.uuid(id) ? await stateOf(tx, id) : undefined
        if (found === undefined) return { ok: false, code: 'withdrawal_not_found' }
        const changed = await changedSince(call, found.status, () => viewWithdrawal(tx, id))
        if (changed !== undefined) return changed
        const shown = await showAccount(tx, { id, by: call.session.memberId })
        if (!shown.ok) return withName(tx, id, shown)
        await logStaff(tx, { actorId: call.session.memberId, action: 'withdrawal.see_bank', subject: `withdrawal:${id}` })
        const detail = readPayoutDetail(deps.secrets, found)
        return { ok: true, value: isUpi(detail) ? { bankDetail: null, upiDetail: detail } : { bankDetail: detail, upiDetail: null } }
      }),
  }
}

type EndsByHand = 'withdrawal_not_approved' | 'being_paid_by_hand' | 'bank_not_shown' | 'own_money'

/** Adds the name of the person who was shown the account. */
async function withName<C extends RefusalCode>(tx: Tx, id: string, refusal: { readonly ok: false; readonly code: C }): Promise<Refusal<C>> {
  if (refusal.code !== 'being_paid_by_hand') return refusal
  const { name } = await tx.one<{ name: string }>(
    sql`select m.name from withdrawal w join member m on m.id = w.shown_to where w.id = ${id}::uuid`,
  )
  return { ...refusal, values: { name } }
}

/** Locks the withdrawal, so that its state cannot change before the end of the transaction. */
const stateOf = (tx: Tx, id: string): Promise<(StoredAccount & { readonly status: string }) | undefined> =>
  tx.maybeOne<StoredAccount & { status: string }>(sql`select ${seenStatus(sql`w`)} as status, w.member_id as "memberId", b.sealed
          from withdrawal w join bank_account b on b.id = w.bank_account_id where w.id = ${id}::uuid for update of w`)

const wasShown = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.maybeOne(sql`select 1 from withdrawal where id = ${id}::uuid and shown_to is not null`)) !== undefined
