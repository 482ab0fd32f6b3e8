/** Bugs in what becomes of money that the payer's bank took back and the wallet could not pay. */
import { type Bug, DEBTS, LEDGER } from './bug.ts'

export const DEBT_RULES: readonly Bug[] = [
  {
    name: 'Money that is given back pays no debt: the member has it although the bank took it back',
    file: `${LEDGER}/debts.ts`,
    find: 'const paid = await payDebts(tx, move.memberId, move.amount)',
    replace: 'const paid = ZERO',
    test: DEBTS,
  },
  {
    name: 'A prize pays no debt',
    file: `${LEDGER}/settlement.ts`,
    find: '  await payDebtsAmong(tx, sql`select member_id, amount from draw_winner where day = ${day}::date`)\n',
    replace: '',
    test: DEBTS,
  },
  {
    name: 'What a chargeback leaves open is nobody’s debt',
    file: `${LEDGER}/chargebacks.ts`,
    find: '  if (lost > 0n && memberId !== undefined) await openDebt(tx, { ref, memberId, amount: lost })\n',
    replace: '',
    test: DEBTS,
  },
  {
    name: 'A withdrawal of somebody in debt is approved',
    file: `${LEDGER}/withdrawals.ts`,
    find: '  if (stopped !== undefined) return refused(stopped)\n  await tx.query',
    replace: "  if (stopped === 'member_on_hold') return refused(stopped)\n  await tx.query",
    test: DEBTS,
  },
  {
    name: 'A withdrawal that was approved before its member was in debt is sent',
    file: `${LEDGER}/withdrawals.ts`,
    find: '  if (stopped !== undefined) {\n',
    replace: "  if (stopped === 'member_on_hold') {\n",
    test: DEBTS,
  },
  {
    name: 'A refund of somebody in debt is approved',
    file: `${LEDGER}/refunds.ts`,
    find: "return (await readDebt(tx, found.memberId)) > 0n ? 'member_in_debt' : undefined",
    replace: 'return undefined',
    test: DEBTS,
  },
  {
    name: 'A dispute that is won gives a paid debt back twice: to the wallet, and as paid towards the next one',
    file: `${LEDGER}/debts.ts`,
    find: 'set returned_at = roz_now() where ref = ${ref}::text and returned_at is null returning id',
    replace: 'set created_at = roz_now() where ref = ${ref}::text and returned_at is null returning id',
    test: DEBTS,
  },
  {
    name: 'A dispute that is won gives the wallet the debt too, which the wallet never paid',
    file: `${LEDGER}/chargebacks.ts`,
    find: "if (part.giver === ACCOUNTS.LOSSES) await moveLoss(tx, 'chargeback_back', part.ref, part.amount)",
    replace: "if (part.giver === ACCOUNTS.LOSSES && memberId === undefined) await moveLoss(tx, 'chargeback_back', part.ref, part.amount)",
    test: DEBTS,
  },
  {
    name: 'A withdrawal’s debt is judged without the lock of its wallet: a chargeback on its way is not seen',
    file: `${LEDGER}/withdrawals.ts`,
    find: '  await lockWallet(tx, memberId)\n  return (await readDebt(tx, memberId)) > 0n',
    replace: '  return (await readDebt(tx, memberId)) > 0n',
    test: DEBTS,
  },
  {
    name: 'A refund’s debt is judged without the lock of its wallet: a chargeback on its way is not seen',
    file: `${LEDGER}/refunds.ts`,
    find: '  await lockWallet(tx, found.memberId)\n  return (await readDebt',
    replace: '  return (await readDebt',
    test: DEBTS,
  },
]
