/** The operations of the interleaving tests (meetings.ts): everything that moves money or decides about it. */
import { addDays, startOfDayMs } from '@roz/core/ist-day.ts'
import { POLICY_A } from '@roz/core/split.ts'
import type { HouseKind } from '../house-entries.ts'
import type { Op } from './model-ops.ts'
import { type Need, type Operation, type Scenario, told } from './scenario.ts'

const operation = (name: string, needs: readonly Need[], op: (scenario: Scenario) => Op): Operation => ({
  name,
  needs,
  ops: (scenario) => [op(scenario)],
})

const article = (word: string): 'a' | 'an' => (word.startsWith('a') ? 'an' : 'a')
const ofWithdrawal = (
  state: 'requested' | 'approved' | 'shown' | 'sending' | 'paid' | 'rejected',
  name: string,
  op: (id: string) => Op,
): Operation =>
  operation(`${name} ${article(state)} ${state} withdrawal`, [`${state} withdrawal`], (scenario) => op(scenario.id(`w${state}`)))
const ofRefund = (state: 'requested' | 'approved' | 'sending' | 'paid' | 'rejected', name: string, op: (id: string) => Op): Operation =>
  operation(`${name} ${article(state)} ${state} refund`, [`${state} refund`], (scenario) => op(scenario.id(`r${state}`)))
const ofHouse = (name: string, id: string, kind: HouseKind, amount: bigint): Operation =>
  operation(name, ['filled house'], (s) => ({ do: 'house', kind, id: s.id(id), amount, receipts: [s.id(id)] }))

/** The amounts leave too little money for two operations. */
export const OPERATIONS: readonly Operation[] = [
  operation('pay an order', ['unpaid order'], (s) => ({
    do: 'capture',
    orderId: s.orderId('unpaid'),
    paymentId: s.payment('unpaid'),
    amount: 300n,
  })),
  operation('pay the order with a second payment', ['unpaid order'], (s) => ({
    do: 'capture',
    orderId: s.orderId('unpaid'),
    paymentId: 'second'.concat(s.payment('unpaid')),
    amount: 300n,
  })),
  operation('pay a wrong amount for the order', ['unpaid order'], (s) => ({
    do: 'capture',
    orderId: s.orderId('unpaid'),
    paymentId: s.payment('unpaid'),
    amount: 307n,
  })),
  operation('capture a payment in suspense', ['waiting payment'], (s) => ({
    do: 'capture',
    orderId: s.orderId('waits'),
    paymentId: s.payment('waits'),
    amount: 300n,
  })),
  operation('mark an order as failed', ['unpaid order'], (s) => ({ do: 'mark', orderId: s.orderId('unpaid'), status: 'failed' })),
  operation('join', ['open round'], (s) => ({ do: 'join', members: [s.member], key: 'k' })),
  operation('join two members', ['open round', 'own day'], (s) => ({ do: 'join', members: [s.other, s.member], key: undefined })),
  operation('join after a top-up', ['open round'], (s) => ({ do: 'join after top-up', memberId: s.member })),
  operation('auto-join', ['own day'], (s) => ({ do: 'auto-join all', day: s.today, size: 5 })),
  operation('hold money for a withdrawal', [], (s) => ({
    do: 'hold',
    id: s.id('hold'),
    memberId: s.member,
    amount: s.balance > 50n ? s.balance - 50n : 50n,
    bankAccountId: 1n,
  })),
  operation('hold money for another withdrawal', [], (s) => ({
    do: 'hold',
    id: s.id('hold2'),
    memberId: s.member,
    amount: 500n,
    bankAccountId: 1n,
  })),
  ofWithdrawal('requested', 'approve', (id) => ({ do: 'approve withdrawal', id })),
  ofWithdrawal('requested', 'reject', (id) => ({ do: 'reject withdrawal', id })),
  ofWithdrawal('approved', 'send', (id) => ({ do: 'send withdrawal', id, again: false })),
  ofWithdrawal('approved', 'show the account of', (id) => ({ do: 'show withdrawal', id })),
  ofWithdrawal('shown', 'pay by hand', (id) => ({ do: 'complete withdrawal', id })),
  ofWithdrawal('approved', 'reject', (id) => ({ do: 'reject withdrawal', id })),
  ofWithdrawal('sending', 'stop', (id) => ({ do: 'stop withdrawal', id })),
  ofWithdrawal('sending', 'book paid for', (id) => ({ do: 'payout word', id, word: 'paid' })),
  ofWithdrawal('sending', 'book failed for', (id) => ({ do: 'payout word', id, word: 'failed' })),
  ofWithdrawal('paid', 'book reversed for', (id) => ({ do: 'payout word', id, word: 'reversed' })),
  ofWithdrawal('rejected', 'book paid for', (id) => ({ do: 'payout word', id, word: 'paid' })),
  operation('request a refund', [], (s) => ({
    do: 'ask refund',
    id: s.id('refund'),
    orderId: s.orderId('paid'),
    memberId: s.member,
    amount: 1300n,
  })),
  ofRefund('requested', 'approve', (id) => ({ do: 'approve refund', id })),
  ofRefund('requested', 'reject', (id) => ({ do: 'reject refund', id })),
  ofRefund('approved', 'send', (id) => ({ do: 'send refund', id, again: false })),
  ofRefund('approved', 'reject', (id) => ({ do: 'reject refund', id })),
  ofRefund('sending', 'stop', (id) => ({ do: 'stop refund', id })),
  ofRefund('sending', 'book paid for', (id) => ({ do: 'refund word', id, word: 'paid' })),
  ofRefund('sending', 'book failed for', (id) => ({ do: 'refund word', id, word: 'failed' })),
  ofRefund('paid', 'book failed for', (id) => ({ do: 'refund word', id, word: 'failed' })),
  ofRefund('rejected', 'book paid for', (id) => ({ do: 'refund word', id, word: 'paid' })),
  operation('credit a suspense item', ['item'], (s) => ({ do: 'credit item', paymentId: s.payment('item'), memberId: s.member })),
  operation('credit a payment in suspense', ['waiting payment'], (s) => ({
    do: 'credit item',
    paymentId: s.payment('waits'),
    memberId: s.member,
  })),
  operation('refund a suspense item', ['item'], (s) => ({ do: 'refund item', paymentId: s.payment('item'), id: s.id('refitm') })),
  operation('book failed for the refund of a suspense item', ['item refund'], (s) => ({
    do: 'refund word',
    id: s.id('itemrf'),
    word: 'failed',
  })),
  operation('donate the remaining balance', [], (s) => ({ do: 'give rest', memberId: s.member, id: s.id('gift') })),
  operation('pass a prize on', ['filled fund'], (s) => ({ do: 'pass on', memberId: s.member, day: s.settledDay })),
  operation('close an account', ['emptied wallet'], (s) => ({ do: 'close wallet', memberId: s.member })),
  operation('pay a returned chargeback by hand', ['chargeback returned after leaving'], (s) => ({ do: 'pay item', paymentId: s.goneItem })),
  operation('credit a returned chargeback', ['chargeback returned after leaving'], (s) => ({
    do: 'credit item',
    paymentId: s.goneItem,
    memberId: s.member,
  })),
  operation('refund a returned chargeback', ['chargeback returned after leaving'], (s) => ({
    do: 'refund item',
    paymentId: s.goneItem,
    id: s.id('refgon'),
  })),
  operation('debit a returned chargeback again', ['chargeback returned after leaving'], (s) => told(s, 'gone', 500n, true, s.goneDispute)),
  operation('debit a disputed payment', [], (s) => told(s, 'paid', 2000n, true)),
  operation('return a disputed payment', ['taken dispute'], (s) => told(s, 'fund', 400n, false)),
  operation('approve a withdrawal of a member in debt', ['requested withdrawal', 'debt'], (s) => ({
    do: 'approve withdrawal',
    id: s.id('wrequested'),
  })),
  operation('reject a withdrawal of a member in debt', ['requested withdrawal', 'debt'], (s) => ({
    do: 'reject withdrawal',
    id: s.id('wrequested'),
  })),
  operation('show the account of a member in debt', ['approved withdrawal', 'debt'], (s) => ({
    do: 'show withdrawal',
    id: s.id('wapproved'),
  })),
  operation('send a withdrawal of a member in debt', ['approved withdrawal', 'debt'], (s) => ({
    do: 'send withdrawal',
    id: s.id('wapproved'),
    again: false,
  })),
  operation('approve a refund of a member in debt', ['requested refund', 'debt'], (s) => ({
    do: 'approve refund',
    id: s.id('rrequested'),
  })),
  operation('book failed for a refund of a member in debt', ['sending refund', 'debt'], (s) => ({
    do: 'refund word',
    id: s.id('rsending'),
    word: 'failed',
  })),
  operation('return a disputed payment to a member in debt', ['debt'], (s) => told(s, 'fund', 400n, false, s.debtDispute)),
  operation('debit a second disputed payment of a member in debt', ['debt'], (s) => told(s, 'paid', 500n, true)),
  operation('credit a suspense item to a member in debt', ['item', 'debt'], (s) => ({
    do: 'credit item',
    paymentId: s.payment('item'),
    memberId: s.member,
  })),
  operation('a member in debt donates the remaining balance', ['debt'], (s) => ({
    do: 'give rest',
    memberId: s.member,
    id: s.id('owing'),
  })),
  operation('settle a round for a winner in debt', ['drawn round', 'debt'], (s) => ({ do: 'settle', day: s.drawnDay })),
  operation('disburse', ['filled fund'], (s) => ({ do: 'disburse', id: s.id('need'), amount: 100n, receipts: [s.id('need')] })),
  operation('disburse another amount', ['filled fund'], (s) => ({
    do: 'disburse',
    id: s.id('need2'),
    amount: 70n,
    receipts: [s.id('need2')],
  })),
  operation('correct a disbursement', ['filled fund', 'disbursed'], (s) => ({
    do: 'correct',
    id: s.id('back'),
    corrects: s.id('given'),
    amount: 50n,
    receipts: [s.id('back')],
  })),
  operation('correct a disbursement again', ['filled fund', 'disbursed'], (s) => ({
    do: 'correct',
    id: s.id('back2'),
    corrects: s.id('given'),
    amount: 40n,
    receipts: [s.id('back2')],
  })),
  ofHouse('pay out the platform share', 'out', 'platform_out', 10n),
  ofHouse('pay out another amount of the platform share', 'out2', 'platform_out', 7n),
  ofHouse('pay out a platform share that is not settled', 'out3', 'platform_out', 25n),
  ofHouse('remit the withheld tax', 'tax', 'tds_remitted', 18n),
  ofHouse('cover the losses', 'loss', 'losses_covered', 8n),
  // The fees stay small: the next scenario must find a platform's share that is not overdrawn.
  operation('record a settlement', ['filled house'], (s) => ({
    do: 'gateway settlement',
    id: s.id('settl'),
    reference: s.id('number').toUpperCase(),
    amount: 90n,
    fee: 1n,
    receipts: [s.id('settl')],
  })),
  operation('record the settlement under another id', ['filled house'], (s) => ({
    do: 'gateway settlement',
    id: s.id('settl2'),
    reference: s.id('number').toUpperCase(),
    amount: 80n,
    fee: 1n,
    receipts: [s.id('settl2')],
  })),
  operation('debit a disputed payment of an emptied wallet', ['emptied wallet'], (s) => told(s, 'paid', 300n, true)),
  operation('suspend a member', [], (s) => ({ do: 'suspend', memberId: s.member })),
  operation('reinstate a member', ['suspension'], (s) => ({ do: 'reinstate', memberId: s.member })),
  operation('close a round early', ['own day'], (s) => ({ do: 'close', day: s.today, early: true })),
  operation('draw a round', ['closed round'], (s) => ({ do: 'draw', day: s.closedDay, winners: [s.member], taxPercent: 0n })),
  operation('void a round', ['closed round'], (s) => ({ do: 'void', day: s.closedDay })),
  operation('settle a round', ['drawn round'], (s) => ({ do: 'settle', day: s.drawnDay })),
  {
    name: 'close and seal the day at midnight',
    needs: ['own day'],
    ops: (s) => [
      { do: 'new day', day: addDays(s.today, 1), at: new Date(startOfDayMs(addDays(s.today, 1)) + 60_000), policy: POLICY_A },
      { do: 'close', day: s.today, early: false },
      { do: 'seal', day: s.today },
    ],
  },
]
