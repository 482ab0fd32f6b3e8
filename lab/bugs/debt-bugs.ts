/** Bugs in debts: money that the payer's bank took back and the wallet could not pay. */
import { type Bug, CHARGEBACKS, DEBTS, LEDGER } from './bug.ts'

export const DEBT_RULES: readonly Bug[] = [
  {
    name: 'Returned money pays no debt: the member keeps it although the bank took a payment back',
    file: `${LEDGER}/debts.ts`,
    find: 'const paid = await payDebts(tx, move.memberId, move.amount)',
    replace: 'const paid = ZERO',
  },
  {
    name: 'A prize pays no debt',
    file: `${LEDGER}/settlement.ts`,
    find: '  await payDebtsAmong(tx, sql`select member_id, amount from draw_winner where day = ${day}::date`)\n',
    test: DEBTS,
  },
  {
    name: 'The part of a chargeback that the wallet cannot pay becomes no debt',
    file: `${LEDGER}/chargebacks.ts`,
    find: '  if (lost > 0n && memberId !== undefined) await openDebt(tx, { ref, memberId, amount: lost })\n',
    test: DEBTS,
  },
  {
    name: 'A loss that a member owes is taken from an item of the same payment as well',
    file: `${LEDGER}/suspense.ts`,
    find: "(debt.ref is null or s.reason = 'closed_account' and debt.paid",
    replace: '(debt.ref is null or debt.paid',
    test: CHARGEBACKS,
  },
  {
    name: 'A withdrawal of a member in debt is approved',
    file: `${LEDGER}/withdrawals.ts`,
    find: '  if (stopped !== undefined) return refused(stopped)\n  const { by } = approver\n',
    replace: "  if (stopped === 'member_on_hold') return refused(stopped)\n  const { by } = approver\n",
    test: DEBTS,
  },
  {
    name: 'A withdrawal that was approved before the member got into debt is sent',
    file: `${LEDGER}/withdrawals.ts`,
    find: '  if (stopped !== undefined) {\n',
    replace: "  if (stopped === 'member_on_hold') {\n",
    test: DEBTS,
  },
  {
    name: 'A refund of a member in debt is approved',
    file: `${LEDGER}/refunds.ts`,
    find: "return (await readDebt(tx, found.memberId)) > 0n ? 'member_in_debt' : undefined",
    replace: 'return undefined',
    test: DEBTS,
  },
  {
    name: 'A won dispute returns a paid debt twice: to the wallet, and as a payment towards the next debt',
    file: `${LEDGER}/debts.ts`,
    find: 'set returned_at = roz_now() where ref = ${ref}::text and returned_at is null returning id',
    replace: 'set created_at = roz_now() where ref = ${ref}::text and returned_at is null returning id',
  },
  {
    name: 'A won dispute credits the wallet with a debt that the wallet never paid',
    file: `${LEDGER}/chargebacks.ts`,
    find: "if (part.giver === ACCOUNTS.LOSSES) await moveLoss(tx, 'chargeback_back', part.ref, part.amount)",
    replace: "if (part.giver === ACCOUNTS.LOSSES && memberId === undefined) await moveLoss(tx, 'chargeback_back', part.ref, part.amount)",
    test: DEBTS,
  },
  {
    name: 'A withdrawal’s debt is checked without the lock on its wallet, and misses a chargeback in progress',
    file: `${LEDGER}/withdrawals.ts`,
    find: '  await lockWallet(tx, memberId)\n  if (await isOnHold(tx, memberId)) return ON_HOLD\n  return (await readDebt',
    replace: '  if (await isOnHold(tx, memberId)) return ON_HOLD\n  return (await readDebt',
    test: DEBTS,
  },
  {
    name: 'A refund’s debt is checked without the lock on its wallet, and misses a chargeback in progress',
    file: `${LEDGER}/refunds.ts`,
    find: '  await lockWallet(tx, found.memberId)\n  return (await readDebt',
    replace: '  return (await readDebt',
    test: DEBTS,
  },
]
