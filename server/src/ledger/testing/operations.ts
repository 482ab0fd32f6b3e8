/** The operations of the interleaving tests (meetings.ts): everything that moves money or decides about it. */
import { addDays, startOfDayMs } from '@roz/core/ist-day.ts'
import { POLICY_A } from '@roz/core/split.ts'
import type { Op } from './model-ops.ts'
import { type Need, type Operation, type Stage, told } from './stage.ts'

const operation = (name: string, needs: readonly Need[], op: (stage: Stage) => Op): Operation => ({
  name,
  needs,
  ops: (stage) => [op(stage)],
})

const ofWithdrawal = (state: 'requested' | 'approved' | 'sending' | 'paid' | 'rejected', name: string, op: (id: string) => Op): Operation =>
  operation(`${name} a ${state} withdrawal`, [`${state} withdrawal`], (stage) => op(stage.id(`w${state}`)))
const ofRefund = (state: 'requested' | 'approved' | 'sending' | 'paid' | 'rejected', name: string, op: (id: string) => Op): Operation =>
  operation(`${name} a ${state} refund`, [`${state} refund`], (stage) => op(stage.id(`r${state}`)))

/** The amounts leave too little money for two operations. */
export const OPERATIONS: readonly Operation[] = [
  operation('pay an order', ['unpaid order'], (s) => ({
    do: 'capture',
    orderId: s.orderId('unpaid'),
    paymentId: s.payment('unpaid'),
    amount: 300n,
  })),
  operation('pay it a second time', ['unpaid order'], (s) => ({
    do: 'capture',
    orderId: s.orderId('unpaid'),
    paymentId: 'second'.concat(s.payment('unpaid')),
    amount: 300n,
  })),
  operation('pay it another amount', ['unpaid order'], (s) => ({
    do: 'capture',
    orderId: s.orderId('unpaid'),
    paymentId: s.payment('unpaid'),
    amount: 307n,
  })),
  operation('pay what waits in suspense', ['waiting payment'], (s) => ({
    do: 'capture',
    orderId: s.orderId('waits'),
    paymentId: s.payment('waits'),
    amount: 300n,
  })),
  operation('an order fails', ['unpaid order'], (s) => ({ do: 'mark', orderId: s.orderId('unpaid'), status: 'failed' })),
  operation('join', ['open round'], (s) => ({ do: 'join', members: [s.member], key: 'k' })),
  operation('join two', ['open round', 'own day'], (s) => ({ do: 'join', members: [s.other, s.member], key: undefined })),
  operation('join after a top-up', ['open round'], (s) => ({ do: 'join after top-up', memberId: s.member })),
  operation('auto-join', ['own day'], (s) => ({ do: 'auto-join all', day: s.today, size: 5 })),
  operation('hold', [], (s) => ({
    do: 'hold',
    id: s.id('hold'),
    memberId: s.member,
    amount: s.balance > 50n ? s.balance - 50n : 50n,
    bankAccountId: 1n,
  })),
  operation('hold another', [], (s) => ({ do: 'hold', id: s.id('hold2'), memberId: s.member, amount: 500n, bankAccountId: 1n })),
  ofWithdrawal('requested', 'approve', (id) => ({ do: 'approve withdrawal', id })),
  ofWithdrawal('requested', 'reject', (id) => ({ do: 'reject withdrawal', id })),
  ofWithdrawal('approved', 'send', (id) => ({ do: 'send withdrawal', id, again: false })),
  ofWithdrawal('approved', 'pay by hand', (id) => ({ do: 'complete withdrawal', id })),
  ofWithdrawal('approved', 'reject', (id) => ({ do: 'reject withdrawal', id })),
  ofWithdrawal('sending', 'stop', (id) => ({ do: 'stop withdrawal', id })),
  ofWithdrawal('sending', 'hear paid of', (id) => ({ do: 'payout word', id, word: 'paid' })),
  ofWithdrawal('sending', 'hear failed of', (id) => ({ do: 'payout word', id, word: 'failed' })),
  ofWithdrawal('paid', 'hear reversed of', (id) => ({ do: 'payout word', id, word: 'reversed' })),
  ofWithdrawal('rejected', 'hear paid of', (id) => ({ do: 'payout word', id, word: 'paid' })),
  operation('ask a refund', [], (s) => ({
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
  ofRefund('sending', 'hear paid of', (id) => ({ do: 'refund word', id, word: 'paid' })),
  ofRefund('sending', 'hear failed of', (id) => ({ do: 'refund word', id, word: 'failed' })),
  ofRefund('paid', 'hear failed of', (id) => ({ do: 'refund word', id, word: 'failed' })),
  ofRefund('rejected', 'hear paid of', (id) => ({ do: 'refund word', id, word: 'paid' })),
  operation('credit an item', ['item'], (s) => ({ do: 'credit item', paymentId: s.payment('item'), memberId: s.member })),
  operation('credit what waits in suspense', ['waiting payment'], (s) => ({
    do: 'credit item',
    paymentId: s.payment('waits'),
    memberId: s.member,
  })),
  operation('refund an item', ['item'], (s) => ({ do: 'refund item', paymentId: s.payment('item'), id: s.id('refitm') })),
  operation('hear failed of an item refund', ['item refund'], (s) => ({ do: 'refund word', id: s.id('itemrf'), word: 'failed' })),
  operation('give the rest', [], (s) => ({ do: 'give rest', memberId: s.member, id: s.id('gift') })),
  operation('close an account', ['emptied wallet'], (s) => ({ do: 'close wallet', memberId: s.member })),
  operation('pay by hand what came back', ['returned to who left'], (s) => ({ do: 'pay item', paymentId: s.goneItem })),
  operation('credit what came back', ['returned to who left'], (s) => ({ do: 'credit item', paymentId: s.goneItem, memberId: s.member })),
  operation('refund what came back', ['returned to who left'], (s) => ({ do: 'refund item', paymentId: s.goneItem, id: s.id('refgon') })),
  operation('a dispute takes again what came back', ['returned to who left'], (s) => told(s, 'gone', 500n, true, s.goneDispute)),
  operation('a dispute takes', [], (s) => told(s, 'paid', 2000n, true)),
  operation('a dispute returns', ['taken dispute'], (s) => told(s, 'fund', 400n, false)),
  operation('approve a withdrawal of who owes', ['requested withdrawal', 'debt'], (s) => ({
    do: 'approve withdrawal',
    id: s.id('wrequested'),
  })),
  operation('reject a withdrawal of who owes', ['requested withdrawal', 'debt'], (s) => ({
    do: 'reject withdrawal',
    id: s.id('wrequested'),
  })),
  operation('send a withdrawal of who owes', ['approved withdrawal', 'debt'], (s) => ({
    do: 'send withdrawal',
    id: s.id('wapproved'),
    again: false,
  })),
  operation('approve a refund of who owes', ['requested refund', 'debt'], (s) => ({ do: 'approve refund', id: s.id('rrequested') })),
  operation('hear failed of a refund of who owes', ['sending refund', 'debt'], (s) => ({
    do: 'refund word',
    id: s.id('rsending'),
    word: 'failed',
  })),
  operation('a dispute returns what was owed', ['debt'], (s) => told(s, 'fund', 400n, false, s.debtDispute)),
  operation('a second dispute takes from who owes', ['debt'], (s) => told(s, 'paid', 500n, true)),
  operation('credit an item to who owes', ['item', 'debt'], (s) => ({
    do: 'credit item',
    paymentId: s.payment('item'),
    memberId: s.member,
  })),
  operation('who owes gives the rest', ['debt'], (s) => ({ do: 'give rest', memberId: s.member, id: s.id('owing') })),
  operation('settle for who owes', ['drawn round', 'debt'], (s) => ({ do: 'settle', day: s.drawnDay })),
  operation('disburse', ['filled fund'], (s) => ({ do: 'disburse', id: s.id('need'), amount: 100n, receipts: [s.id('need')] })),
  operation('disburse another', ['filled fund'], (s) => ({ do: 'disburse', id: s.id('need2'), amount: 70n, receipts: [s.id('need2')] })),
  operation('correct', ['filled fund', 'disbursed'], (s) => ({
    do: 'correct',
    id: s.id('back'),
    corrects: s.id('given'),
    amount: 50n,
    receipts: [s.id('back')],
  })),
  operation('correct again', ['filled fund', 'disbursed'], (s) => ({
    do: 'correct',
    id: s.id('back2'),
    corrects: s.id('given'),
    amount: 40n,
    receipts: [s.id('back2')],
  })),
  operation('suspend', [], (s) => ({ do: 'suspend', memberId: s.member })),
  operation('reinstate', ['suspension'], (s) => ({ do: 'reinstate', memberId: s.member })),
  operation('close early', ['own day'], (s) => ({ do: 'close', day: s.today, early: true })),
  operation('draw', ['closed round'], (s) => ({ do: 'draw', day: s.closedDay, winners: [s.member], taxPercent: 0n })),
  operation('give a round back', ['closed round'], (s) => ({ do: 'void', day: s.closedDay })),
  operation('settle', ['drawn round'], (s) => ({ do: 'settle', day: s.drawnDay })),
  {
    name: 'midnight, and the day is sealed',
    needs: ['own day'],
    ops: (s) => [
      { do: 'new day', day: addDays(s.today, 1), at: new Date(startOfDayMs(addDays(s.today, 1)) + 60_000), policy: POLICY_A },
      { do: 'close', day: s.today, early: false },
      { do: 'seal', day: s.today },
    ],
  },
]
