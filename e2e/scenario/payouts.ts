/**
 * The scenario of the calls that end withdrawals, refunds and suspense items.
 * - Some calls need a payout gateway, others its absence; both cases are checked.
 */
import { expect } from 'vitest'
import { BANK } from '../harness/people.ts'
import type { Scenario } from './scenario.ts'

type Tokens = { readonly admin: string; readonly member: string; readonly other: string }

export async function runPayouts(scenario: Scenario, tokens: Tokens): Promise<void> {
  await runWithdrawals(scenario, tokens)
  await runRefunds(scenario, tokens)
}

async function runWithdrawals(scenario: Scenario, { admin, member, other }: Tokens): Promise<void> {
  const { output } = await scenario.step('withdraw', { token: other, body: { amount: 10, bankDetail: BANK } })
  const listed = (await scenario.step('adminWithdrawals', { token: admin })).output.withdrawals
  expect((await scenario.step('adminWithdrawalsCsv', { token: admin })).text.split('\r\n')[1]).toContain(listed[0]?.id)
  expect(listed.map(({ status, amount }) => [status, amount])).toEqual([
    ['requested', 10],
    ['requested', 10],
  ])
  const body = { status: 'requested', reason: 'The account is not yours.' } as const
  const rejected = { token: admin, params: { id: output.withdrawal.id }, body }
  expect((await scenario.step('rejectWithdrawal', rejected)).output.withdrawal).toMatchObject({
    status: 'rejected',
    reason: rejected.body.reason,
  })
  expect((await scenario.step('profile', { token: other })).output.user.wallet.balance).toBe(output.balance + 10)

  const params = { id: listed.find((one) => one.id !== output.withdrawal.id)?.id ?? '' }
  const stale = { rows: [{ id: output.withdrawal.id, status: 'requested' as const }] }
  const { results } = (await scenario.step('approveWithdrawals', { token: admin, body: stale })).output
  expect(results).toMatchObject([{ id: output.withdrawal.id, status: null, code: 'changed_since_seen' }])
  const approved = (await scenario.step('approveWithdrawal', { token: admin, params, body: { status: 'requested' } })).output.withdrawal
  expect(approved.transferId).toBe(params.id.replaceAll('-', ''))
  const seen = { status: 'approved' } as const
  const because = { token: admin, params, body: { ...seen, reason: 'Nobody has it.' } }
  // No administrator was shown the account, so none can report “not paid” or be replaced.
  expect((await scenario.step('withdrawalNotPaid', because)).status).toBe(409)
  const takeOver = { ...because, body: { ...because.body, from: crypto.randomUUID() } }
  expect((await scenario.step('takeOverWithdrawal', takeOver)).status).toBe(409)
  // It is not paid yet.
  const back = { token: admin, params, body: { ...seen, reason: 'It came back.', line: null } }
  expect((await scenario.step('withdrawalCameBack', back)).status).toBe(409)
  const bank = await scenario.step('withdrawalBank', { token: admin, params, body: seen })
  const retried = await scenario.step('retryWithdrawal', { token: admin, params, body: seen })
  const completed = await scenario.step('completeWithdrawal', { token: admin, params, body: { ...seen, bankReference: 'UTR0000000001' } })
  if (bank.status === 200) {
    expect(bank.output.bankDetail).toEqual(BANK)
    expect(retried.refusal.code).toBe('payouts_by_hand')
    expect(completed.output.withdrawal).toMatchObject({ status: 'paid', reference: 'UTR0000000001' })
    const { withdrawals } = (await scenario.step('withdrawals', { token: member })).output
    expect(withdrawals[0]).toMatchObject({ status: 'completed', reference: 'UTR0000000001' })
  } else {
    // The gateway may have received it by now.
    for (const { refusal } of [bank, completed]) expect(['payouts_by_gateway', 'changed_since_seen']).toContain(refusal.code)
    expect([200, 409]).toContain(retried.status)
  }
  // Signed webhooks are tested with the payouts themselves; this one is unsigned.
  const event = await scenario.step('payoutWebhook', { body: { type: 'TRANSFER_SUCCESS' } })
  expect([event.status, event.refusal.code]).toEqual([401, 'webhook_signature'])
}

/** One refund is requested and rejected, another is sent; there are no suspense items and no disputes. */
async function runRefunds(scenario: Scenario, { admin, other }: Tokens): Promise<void> {
  const { refundable } = (await scenario.step('refunds', { token: other })).output
  const order_id = refundable.find(({ unused }) => unused >= 2)?.order_id ?? ''
  const body = { order_id, amount: 1, reason: 'I added it twice.' }
  const first = (await scenario.step('requestRefund', { token: other, body })).output
  const decision = {
    token: admin,
    params: { id: first.refund.id },
    body: { status: 'requested', reason: 'It was spent already.' } as const,
  }
  expect((await scenario.step('rejectRefund', decision)).output.refund).toMatchObject({ amount: 1, status: 'rejected' })
  const second = (await scenario.step('requestRefund', { token: other, body })).output
  expect(second.balance).toBe(first.balance)
  const listed = (await scenario.step('adminRefunds', { token: admin })).output.refunds
  expect((await scenario.step('adminRefundsCsv', { token: admin })).text.split('\r\n')[1]).toContain(listed[0]?.id)
  expect(listed.map(({ amount }) => amount)).toEqual([1, 1])
  await scenario.step('approveRefund', { token: admin, params: { id: second.refund.id }, body: { status: 'requested' } })
  const stale = { rows: [{ id: first.refund.id, status: 'requested' as const }] }
  expect((await scenario.step('approveRefunds', { token: admin, body: stale })).output.results).toMatchObject([
    { code: 'changed_since_seen' },
  ])

  expect((await scenario.step('suspense', { token: admin })).output.suspense).toEqual([])
  expect((await scenario.step('suspenseCsv', { token: admin })).text.trimEnd().split('\r\n')).toHaveLength(1)
  const params = { id: '1' }
  const seen = { status: 'open' } as const
  const memberId = (await scenario.step('profile', { token: other })).output.user.id
  const credited = await scenario.step('creditSuspense', { token: admin, params, body: { ...seen, memberId } })
  const returned = await scenario.step('refundSuspense', { token: admin, params, body: seen })
  const paid = await scenario.step('paySuspense', { token: admin, params, body: { ...seen, bankReference: 'UTR0000000001' } })
  expect([credited, returned, paid].map(({ refusal }) => refusal.code)).toEqual(Array.from({ length: 3 }, () => 'suspense_not_found'))
  expect((await scenario.step('disputes', { token: admin })).output.disputes).toEqual([])
  expect((await scenario.step('disputesCsv', { token: admin })).text.trimEnd().split('\r\n')).toHaveLength(1)
}
