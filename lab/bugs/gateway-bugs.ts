/** Bugs in reading the gateway's answers: whose money it is, in which currency, and how long the gateway is asked. */
import { type Bug, LEDGER, SUSPENSE } from './bug.ts'

const REFUND_CALLS = 'server/src/features/payouts/refunds.all.test.ts'
const EDGE = 'server/src/features/payouts/fake-edge.all.test.ts'
const SETTLE = 'server/src/features/wallet/settle.test.ts'

const TRANSFERS = 'server/src/features/accounts/bank/transfers.test.ts'
const READING = 'server/src/features/accounts/reading.all.test.ts'

export const GATEWAY_WORDS: readonly Bug[] = [
  {
    name: 'What a dispute left of a returned payout is paid by hand while the gateway’s word that it paid after all is booked',
    file: `${LEDGER}/suspense.ts`,
    find: 'and ${ROOT} in (${`wd_reversed:${id}`}',
    replace: 'and s.payment_id in (${`wd_reversed:${id}`}',
    test: SUSPENSE,
    only: 'left of a returned payout',
  },
  {
    name: 'A bank transfer credits twice: by a number that was typed, and by the line that has it',
    file: 'server/src/features/accounts/bank/transfers.ts',
    find: 'line.isTaken || (await isTypedAlready(tx, line))',
    replace: 'line.isTaken',
  },
  {
    name: 'A line that was closed by mistake never reaches the member whose reference it has',
    file: 'server/src/features/accounts/bank/transfer-matches.ts',
    find: 'not ${IS_UNBOOKED_LINE} as "isTaken"',
    replace: `not (\${IS_UNBOOKED_LINE} and not exists (select from money_finding f where f.subject = 'bank_line:' || l.id and f.closed_at is not null)) as "isTaken"`,
    test: TRANSFERS,
  },
  {
    name: 'The gateway takes back a refund of ours, and books that lack it agree with the settlement',
    file: 'server/src/features/accounts/judge.ts',
    find: "array['refund_reversed', 'refund_conflict_back'] end",
    replace: "array['refund_paid', 'refund_conflict'] end",
    test: READING,
    only: 'was paid after all',
  },
  {
    name: 'Settlements of an outage of more than two weeks are never read',
    file: 'server/src/features/accounts/reading.ts',
    find: 'least(ist_day(began_at), ist_day(read_at))',
    replace: 'ist_day(began_at)',
    only: 'after three weeks',
  },
  {
    name: 'Each spelling of a name has the gateway send a UPI ID another rupee',
    file: 'server/src/features/wallet/payee-name.ts',
    find: 'o.account_mac = b.account_mac and o.member_id = b.member_id',
    replace: 'o.id = b.id',
  },
  {
    name: 'A payment for an account without a wallet is not booked',
    file: `${LEDGER}/topups.ts`,
    find: "  if (typeof balance === 'string') return suspend(",
    replace: "  if (typeof balance === 'string') return balance === 'no_wallet' ? { result: 'duplicate' } : suspend(",
  },
  {
    name: 'A staff account moves money like a member',
    file: 'server/src/features/identity/sessions.ts',
    find: '    if (row.staff_role !== null) return undefined\n    const {',
    replace: '    const {',
    test: 'server/src/features/identity/admin-sign-in.test.ts',
    only: 'from before this rule',
  },
  {
    name: 'A token of the portal moves money like a member’s',
    file: 'server/src/http/session.ts',
    find: "  if (session.kind !== 'member') return deny('forbidden')\n",
    test: 'server/src/http/staff-hold-no-wallet.test.ts',
  },
  {
    name: 'A payment in another currency is credited',
    file: `${LEDGER}/topups.ts`,
    find: "  if ((capture.currency ?? CURRENCY) !== CURRENCY) return suspend(tx, capture, 'other_currency')\n",
    test: SETTLE,
  },
  {
    name: 'The currency of a payment is read but not passed to the ledger',
    file: 'server/src/features/wallet/settle.ts',
    find: 'const told = order.currency === CURRENCY ? currency : order.currency',
    replace: 'const told = currency === order.currency ? CURRENCY : CURRENCY',
  },
  {
    name: 'A payment in another currency is credited to a member from suspense',
    file: `${LEDGER}/suspense.ts`,
    find: "  if (open.value.currency !== CURRENCY) return refused('suspense_other_currency')\n",
    test: REFUND_CALLS,
  },
  {
    name: 'A transfer in another currency is booked',
    file: 'server/src/features/payouts/book-transfer.ts',
    find: ' || transfer.currency !== CURRENCY',
    test: 'server/src/features/payouts/withdrawals.test.ts',
  },
  {
    name: 'A refund in another currency is booked',
    file: 'server/src/features/payouts/send-refund.ts',
    find: ' || (refund.currency ?? currency) !== currency',
    test: REFUND_CALLS,
  },
  {
    name: 'A dispute in another currency takes rupees',
    file: `${LEDGER}/disputes.ts`,
    find: "  if ((told.currency ?? CURRENCY) !== CURRENCY) return { problem: 'other_currency' }\n",
    test: 'server/src/features/disputes/disputes.all.test.ts',
  },
  {
    name: 'An old answer of the same second takes the money of a won dispute again',
    file: 'server/src/features/disputes/settle-dispute.ts',
    find: "state <> 'open' and ${state}::text = 'open'",
    replace: "state <> 'open' and ${state}::text <> 'open'",
    test: 'server/src/features/disputes/disputes.all.test.ts',
    only: 'within a second the decision stays',
  },
  {
    name: 'A later stage of a dispute is no news in the second of the earlier decision: its money is not taken',
    file: 'server/src/features/disputes/settle-dispute.ts',
    find: ' and type = ${type}::text and state',
    replace: ' and ${type}::text is not null and state',
    test: 'server/src/features/disputes/disputes.all.test.ts',
    only: 'within a second the decision stays',
  },
  {
    name: 'One order that cannot be booked stops the sweep',
    file: 'server/src/jobs/questions.ts',
    find: '  await attempt(work, item, async () => {\n',
    replace: '  await (async (_work: string, _item: string, run: () => Promise<void>) => run())(work, item, async () => {\n',
    test: 'server/src/jobs/parking.all.test.ts',
  },
  {
    name: 'A question whose claim fails ends its job',
    file: 'server/src/jobs/questions.ts',
    find: '  if (!(await posed)) throw',
    replace: '  if (await posed.then(() => false)) throw',
    test: SETTLE,
  },
  {
    name: 'A paid order is never checked again',
    file: 'server/src/features/wallet/settle.ts',
    find: '  if (isFinal(order)) await watchOrder',
    replace: '  if (isFinal(order) && order.payments.length === 0) await watchOrder',
  },
  {
    name: 'An answer about another transfer or order is believed',
    file: 'server/src/adapters/cashfree/calls.ts',
    find: 'if (pairs.every(([named, asked]) => named === asked)) return',
    replace: 'if (pairs.every(([named, asked]) => named !== asked || named === asked)) return',
    test: EDGE,
  },
  {
    name: 'An old answer takes a returned transfer for paid',
    file: 'server/src/features/payouts/checks.ts',
    find: 'return kept.length === 1',
    replace: 'return kept.length >= 0',
    test: EDGE,
  },
  {
    name: 'An order that the gateway made is given up after its “no”',
    file: 'server/src/features/wallet/settle.ts',
    find: "  if (missing === 'known') throw new Error(",
    replace: '  if (missing === undefined) throw new Error(',
    test: 'server/src/features/wallet/unknown-orders.test.ts',
  },
]
