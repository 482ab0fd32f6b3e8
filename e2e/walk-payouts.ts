/** The walk over the calls that end withdrawals. Which of them apply depends on whether a gateway pays out; both are held to. */
import { expect } from 'vitest'
import { BANK } from './people.ts'
import type { Walk } from './walk.ts'

type Tokens = { readonly admin: string; readonly member: string; readonly other: string }

export async function walkPayouts(walk: Walk, { admin, member, other }: Tokens): Promise<void> {
  const { output } = await walk.step('withdraw', { token: other, body: { amount: 10, bankDetail: BANK } })
  const listed = (await walk.step('adminWithdrawals', { token: admin })).output.withdrawals
  expect(listed.map(({ status, amount }) => [status, amount])).toEqual([
    ['requested', 10],
    ['requested', 10],
  ])
  const rejected = { token: admin, params: { id: output.withdrawal.id }, body: { reason: 'The account is not yours.' } }
  expect((await walk.step('rejectWithdrawal', rejected)).output.withdrawal).toMatchObject({
    status: 'rejected',
    reason: rejected.body.reason,
  })
  expect((await walk.step('profile', { token: other })).output.user.wallet.balance).toBe(output.balance + 10)

  const params = { id: listed.find((one) => one.id !== output.withdrawal.id)?.id ?? '' }
  const approved = (await walk.step('approveWithdrawal', { token: admin, params })).output.withdrawal
  expect(approved.transferId).toBe(params.id.replaceAll('-', ''))
  const bank = await walk.step('withdrawalBank', { token: admin, params })
  const retried = await walk.step('retryWithdrawal', { token: admin, params })
  const completed = await walk.step('completeWithdrawal', { token: admin, params, body: { bankReference: 'UTR0000000001' } })
  if (bank.status === 200) {
    expect(bank.output.bankDetail).toEqual(BANK)
    expect(retried.refusal.code).toBe('payouts_by_hand')
    expect(completed.output.withdrawal).toMatchObject({ status: 'paid', reference: 'UTR0000000001' })
    const { withdrawals } = (await walk.step('withdrawals', { token: member })).output
    expect(withdrawals[0]).toMatchObject({ status: 'completed', reference: 'UTR0000000001' })
  } else {
    expect([bank.refusal.code, completed.refusal.code]).toEqual(['payouts_by_gateway', 'payouts_by_gateway'])
    expect([200, 409]).toContain(retried.status)
  }
  // What the gateway signs is tried beside the payouts themselves; here nobody has signed.
  const event = await walk.step('cashfreePayoutsWebhook', { body: { type: 'TRANSFER_SUCCESS' } })
  expect([event.status, event.refusal.code]).toEqual([401, 'webhook_signature'])
}
