/** Bugs of AutoPay: a debit too many, too early, of another amount, or booked twice or not at all. */
import type { Bug } from './bug.ts'

const AUTOPAY = 'server/src/features/autopay'
const RAISE = `${AUTOPAY}/raise.all.test.ts`
const CHECK = `${AUTOPAY}/check.all.test.ts`

export const AUTOPAY_BUGS: readonly Bug[] = [
  {
    name: 'AutoPay: a debit that somebody raised at the gateway under the id of their own order is credited to them by one person',
    file: 'server/src/ledger/suspense-voices.ts',
    find: '${ITEM_OWNER} as owner',
    replace: '(select o.member_id from topup o where o.order_id = s.order_id or ${ITEM_OWNER} = 0) as owner',
    test: `${AUTOPAY}/autopay.all.test.ts`,
    only: 'its payer’s money',
  },
  {
    name: 'AutoPay debits again before 27 days are over',
    file: `${AUTOPAY}/raise.ts`,
    find: 'm.not_before <= ${day}::date and',
    replace: 'm.not_before <= ${day}::date + 27 and',
  },
  {
    name: 'AutoPay: a second debit follows while the first one has no end',
    file: 'server/migrations/0160_autopay.sql',
    find: 'create unique index autopay_charge_open on',
    replace: 'create index autopay_charge_open on',
    test: RAISE,
    only: 'the schema refuses',
  },
  {
    name: 'AutoPay: a debit is credited once for each answer about it',
    file: `${AUTOPAY}/book.ts`,
    find: 'const paymentId = await paymentIdOf(tx, { cfPaymentId, cfOrderId: told.cfOrderId })',
    replace: 'const paymentId = `${await paymentIdOf(tx, { cfPaymentId, cfOrderId: told.cfOrderId })}${Math.random()}`',
    test: CHECK,
  },
  {
    name: 'AutoPay debits what the limits allow now, not what the payer consented to',
    file: `${AUTOPAY}/raise.ts`,
    find: 'chargeId: orderId, amount, day, remarks: REMARKS }',
    replace: 'chargeId: orderId, amount: amount > deps.topupLimits.min ? deps.topupLimits.min : amount, day, remarks: REMARKS }',
  },
  {
    name: 'AutoPay: a debit is raised although the member has stopped it',
    file: `${AUTOPAY}/raise.ts`,
    find: "m.state = 'on' and not",
    replace: "m.state in ('on', 'stopping', 'paused') and not",
  },
  {
    name: 'AutoPay: a pause leaves the announced debit to the bank',
    file: `${AUTOPAY}/check.ts`,
    find: "const wanted = open.wantsCancel || row.state === 'stopping'",
    replace: 'const wanted = false',
    only: 'pause',
  },
  {
    name: 'AutoPay: a payment after a failure is not credited',
    file: `${AUTOPAY}/check.ts`,
    find: "    if (known?.status === 'paid' && known.cfPaymentId === payment.cfPaymentId) continue",
    replace: "    if (known?.status === 'failed' || (known?.status === 'paid' && known.cfPaymentId === payment.cfPaymentId)) continue",
  },
  {
    name: 'AutoPay: one answer that the gateway does not know a debit is believed, and it is sent again',
    file: `${AUTOPAY}/check.ts`,
    find: '  if (!open.isMissing) return\n',
    test: RAISE,
    only: 'an answer that is lost',
  },
  {
    name: 'AutoPay: after a lost answer the debit is sent again under another id',
    file: `${AUTOPAY}/check.ts`,
    find: "    if (await takePlace(db, 'raise')) await sendCharge(deps, row, open)\n    return\n",
    test: RAISE,
    only: 'an answer that is lost',
  },
  {
    name: 'AutoPay: two processes raise a debit each, because the conditions are judged before the lock',
    file: `${AUTOPAY}/raise.ts`,
    find: 'where m.id = ${id}::uuid and ${isReady(limits, day)}`)',
    replace: 'where m.id = ${id}::uuid`)',
  },
  {
    name: 'AutoPay: a disputed debit leaves the mandate on, and the next debit follows',
    file: 'server/src/features/disputes/settle-dispute.ts',
    find: '    if (charge !== undefined && done !== undefined) await stopMandateOf(tx, charge.mandateId)\n',
    replace: '    void stopMandateOf\n',
    test: `${AUTOPAY}/autopay.all.test.ts`,
    only: 'a dispute',
  },
]
