/**
 * Withdrawals, refunds and payments in suspense as tables. A bank account is its last four digits, as on the screens.
 * - The name of an account's holder is in no table: support and auditors read them too. Who pays by hand sees it with the account, one
 *   withdrawal at a time, and the staff log has that (`withdrawalBank`).
 */
import type { Handlers } from '../../http/route.ts'
import { exportList } from '../../staff/exported-list.ts'
import { filterBy } from '../../staff/open-work.ts'
import { type PayoutsDeps, workFor } from './deps.ts'
import { type AdminRefund, searchRefunds } from './refund-view.ts'
import { searchItems } from './suspense.ts'
import { type AdminWithdrawal, searchWithdrawals } from './withdrawal-view.ts'

type Names = 'adminWithdrawalsCsv' | 'adminRefundsCsv' | 'suspenseCsv'

type Decided = AdminWithdrawal | AdminRefund
const ENDS = {
  first_approved_by: (row: Decided) => row.firstApproval?.name,
  approved_by: (row: Decided) => row.approvedBy?.name,
  approved: (row: Decided) => row.approvedAt,
  ended: (row: Decided) => row.endedAt,
  reference: (row: Decided) => row.reference,
  reason: (row: Decided) => row.reason,
}

export const moneyTables = (deps: PayoutsDeps): Handlers<Names> => {
  const { db } = deps
  return {
    adminWithdrawalsCsv: (call) =>
      exportList(db, call, {
        name: 'withdrawals',
        read: (page) => searchWithdrawals(db, { ...filterBy(workFor(deps, call.session).withdrawals, call.query), ...page }),
        columns: {
          id: (row) => row.id,
          requested: (row) => row.createdAt,
          amount: (row) => row.amount,
          status: (row) => row.status,
          member_id: (row) => row.member.id,
          member: (row) => row.member.name,
          email: (row) => row.member.email,
          bank: (row) => row.bank.name,
          account_last_four: (row) => row.bank.lastFour,
          ...ENDS,
        },
      }),
    adminRefundsCsv: (call) =>
      exportList(db, call, {
        name: 'refunds',
        read: (page) => searchRefunds(db, { ...filterBy(workFor(deps, call.session).refunds, call.query), ...page }),
        columns: {
          id: (row) => row.id,
          requested: (row) => row.createdAt,
          amount: (row) => row.amount,
          status: (row) => row.status,
          order_id: (row) => row.order_id,
          member_id: (row) => row.member?.id,
          member: (row) => row.member?.name,
          email: (row) => row.member?.email,
          ...ENDS,
          decision: (row) => row.decision,
        },
      }),
    suspenseCsv: (call) =>
      exportList(db, call, {
        name: 'suspense',
        read: (page) => searchItems(db, { ...filterBy(workFor(deps, call.session).suspense, call.query), ...page }),
        columns: {
          id: (row) => Number(row.id),
          created: (row) => row.createdAt,
          amount: (row) => row.amount,
          currency: (row) => row.currency,
          status: (row) => row.status,
          why: (row) => row.reason,
          order_id: (row) => row.order_id,
          payment_id: (row) => row.paymentId,
          member_id: (row) => row.member?.id,
          member: (row) => row.member?.name,
          decided: (row) => row.decidedAt,
          reference: (row) => row.reference,
        },
      }),
  }
}
