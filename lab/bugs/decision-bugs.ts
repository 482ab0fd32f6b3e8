/** Bugs in decisions about outgoing money: by whom, on which state, and while a member is on hold. */
import { type Bug, LEDGER } from './bug.ts'

const PAYOUTS_FEATURE = 'server/src/features/payouts'
const BY_HAND = `${PAYOUTS_FEATURE}/by-hand.all.test.ts`
const STALE = `${PAYOUTS_FEATURE}/stale-decisions.all.test.ts`
const HOLDS = `${PAYOUTS_FEATURE}/holds.all.test.ts`

export const DECISIONS: readonly Bug[] = [
  {
    name: 'One person pays a friend by hand, says that it was not paid, and the wallet is refilled above every limit',
    file: `${LEDGER}/withdrawals.ts`,
    find: "  const voice = await judgeReturn(tx, approver, { id, ...found.value })\n  if (!voice.ok) return voice\n  if (voice.value === 'first') return accepted('first')\n",
    test: `${PAYOUTS_FEATURE}/came-back.test.ts`,
    only: 'not paid',
  },
  {
    name: 'A UPI ID names an order of a bank transfer: when the payout comes back, its line credits the wallet again',
    file: 'server/src/features/wallet/withdraw.ts',
    find: '  if (found.length === 0) return undefined\n',
    replace: '  if (found.length >= 0) return undefined\n',
    test: 'server/src/features/accounts/bank/transfers.test.ts',
    only: 'of a payout that came back',
  },
  {
    name: 'The number of a payout that came back is typed as a bank transfer: the member has the money twice',
    file: 'server/src/features/accounts/bank/transfer-matches.ts',
    find: 'p where ${isSame(sql`p.number`)}',
    replace: 'p where false and ${isSame(sql`p.number`)}',
    test: 'server/src/features/accounts/bank/known-numbers.test.ts',
    only: 'of a payout by hand that came back',
  },
  {
    name: 'One bank transfer waits for two orders, for the second person writes more of its number',
    file: 'server/src/features/accounts/bank/transfer-matches.ts',
    find: ' and ${isSame(sql`b.bank_number`)}',
    replace: ' and b.bank_number = ${bankNumber}::text',
    test: 'server/src/features/accounts/bank/known-numbers.test.ts',
    only: 'written with more',
  },
  {
    name: 'The first voice about a bank transfer stays when its person loses the role, and counts again after 48 hours',
    file: `${LEDGER}/voices-that-left.ts`,
    find: "where status = 'asked' and asked_by =",
    replace: "where status = 'rejected' and asked_by =",
    test: 'server/src/features/accounts/bank/transfers.test.ts',
    only: 'about a transfer ends: it is rejected',
  },
  {
    name: 'A decision on a stale state is accepted and undoes another administrator’s decision',
    file: 'server/src/staff/decision.ts',
    find: 'status === now &&',
    replace: 'now !== undefined &&',
    test: STALE,
  },
  {
    name: 'A rejection after the bank details were shown is accepted: the money is paid by hand and also returned to the wallet',
    file: `${LEDGER}/withdrawals.ts`,
    find: "  if (found.shownTo !== null) return refused('being_paid_by_hand')\n  const balance",
    replace: '  const balance',
    test: BY_HAND,
  },
  {
    name: 'An administrator who has not seen the bank details ends a payment by hand',
    file: `${LEDGER}/withdrawals.ts`,
    find: 'found.shownTo === null || found.shownTo === by ? accepted',
    replace: 'by !== undefined ? accepted',
    test: BY_HAND,
  },
  {
    name: 'The bank details are shown without recording who saw them',
    file: `${LEDGER}/withdrawals.ts`,
    find: '  await giveTo(tx, id, by)\n  const { memberId',
    replace: '  const { memberId',
    test: BY_HAND,
  },
  {
    name: 'An owner takes a payment by hand from an owner whom they never saw: it is paid by one, and returned by the other',
    file: `${LEDGER}/withdrawals.ts`,
    find: "  if ((await tx.maybeOne(seen)) === undefined) return refused('changed_since_seen')\n",
    replace: '  void seen\n',
    test: BY_HAND,
    only: 'take over|takes over only',
  },
  {
    name: 'An administrator is shown the bank details of their own withdrawal, and can say that it was not paid',
    file: `${LEDGER}/withdrawals.ts`,
    find: 'if (await isOwnMoney(tx, by, found.value.memberId)) return',
    replace: 'if (by === 0n) return',
    test: BY_HAND,
  },
  {
    name: 'A withdrawal is recorded as paid by hand though nobody was shown the bank details, so no debt stopped it',
    file: `${LEDGER}/withdrawals.ts`,
    find: "  if (found.value.shownTo !== by) return refused('bank_not_shown')\n",
    test: BY_HAND,
  },
  {
    name: 'An administrator who was shown the bank details ends a withdrawal that has become their own money',
    file: `${LEDGER}/withdrawals.ts`,
    find: "return (await isOwnMoney(tx, by, found.value.memberId)) ? refused('own_money') : found",
    replace: 'return found',
    test: BY_HAND,
  },
  {
    name: 'An administrator credits a payment in suspense to an account of their own',
    file: `${LEDGER}/suspense.ts`,
    find: "return (await isOwnMoney(tx, decidedBy, memberId)) ? refused('own_money') : open",
    replace: 'return open',
    test: `${PAYOUTS_FEATURE}/suspense.test.ts`,
  },
  {
    name: 'A withdrawal that is being paid by hand is also sent to the gateway',
    file: `${PAYOUTS_FEATURE}/send-withdrawal.ts`,
    find: ' and w.shown_to is null',
    test: BY_HAND,
  },
  {
    name: 'The withdrawal of a member on hold is sent',
    file: `${LEDGER}/withdrawals.ts`,
    find: '  if (await isOnHold(tx, memberId)) return ON_HOLD\n',
    test: HOLDS,
  },
  {
    name: 'The refund of a member on hold is sent',
    file: `${LEDGER}/refunds.ts`,
    find: '  if (await isRefundOnHold(tx, id)) {\n',
    replace: "  if (id === '') {\n",
    test: HOLDS,
  },
  {
    name: 'A payment by hand is taken back although the bank’s statement does not show its return',
    file: `${PAYOUTS_FEATURE}/came-back.ts`,
    find: '  if (!isShown) return {',
    replace: "  if (!isShown && id === '') return {",
  },
  {
    name: 'Transfers that a hold stopped are not sent after the hold has ended',
    file: `${PAYOUTS_FEATURE}/payouts.ts`,
    find: '(): Promise<boolean> => sendAfterHold(db)',
    replace: 'async (): Promise<boolean> => false',
    test: HOLDS,
  },
  {
    name: 'Money of a member who pressed "This was not me" is approved before the hold is released',
    file: 'server/src/ledger/holds.ts',
    find: '(m.suspended_at is not null or m.held_at is not null)',
    replace: 'm.suspended_at is not null',
    test: 'server/src/features/identity/not-me.all.test.ts',
    only: 'wait until an administrator has released',
  },
]
