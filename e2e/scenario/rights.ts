/** The scenario of the members' rights: data export, preferences, and the deletion of the account. */
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { BODIES } from '../harness/examples.ts'
import { newMember } from '../harness/people.ts'
import type { Scenario } from './scenario.ts'

export async function runRights(scenario: Scenario, member: string): Promise<void> {
  const mine = (await scenario.step('exportData', { token: member })).output
  expect(mine.user).toEqual((await scenario.step('profile', { token: member })).output.user)
  expect(mine.transactions).toEqual((await scenario.step('transactions', { token: member })).output.transactions)
  expect(mine.rounds).toEqual((await scenario.step('roundHistory', { token: member })).output.results)
  expect(mine.withdrawals).toEqual((await scenario.step('withdrawals', { token: member })).output.withdrawals)
  expect(mine.refunds).toEqual((await scenario.step('refunds', { token: member })).output.refunds)
  expect(mine.notifications).toEqual((await scenario.step('notifications', { token: member })).output.notifications)

  const preferences = { mail: false, push: false }
  expect((await scenario.step('setPreferences', { token: member, body: preferences })).output).toEqual({ preferences })
  expect((await scenario.step('preferences', { token: member })).output).toEqual({ preferences })

  const body = BODIES.subscribePush
  expect((await scenario.step('subscribePush', { token: member, body })).status).toBe(204)
  expect((await scenario.step('pushState', { token: member })).output).toMatchObject({ subscribed: true, wanted: true })
  expect((await scenario.step('exportData', { token: member })).output.devices).toEqual([
    { endpoint: body?.endpoint, since: expect.stringContaining('T') },
  ])
  expect((await scenario.step('updateProfile', { token: member, body: { reminder: '19:30' } })).output.user?.reminder).toBe('19:30')
  expect((await scenario.step('exportData', { token: member })).output.user.reminder).toBe('19:30')
  expect((await scenario.step('silenceReminder', { body: { token: 'forged' } })).refusal.code).toBe('not_found')
  expect((await scenario.step('unsubscribePush', { token: member })).status).toBe(204)
  expect((await scenario.step('pushState', { token: member })).output).toMatchObject({ subscribed: false, wanted: false })

  const { token } = await newMember(scenario.roz, { name: 'Meera Das', rupees: 10 })
  const kept = await scenario.step('deleteAccount', { token, language: 'hi' })
  expect([kept.status, kept.refusal.code]).toEqual([409, 'money_left'])
  const once = { token, key: randomUUID(), body: { gift: true } }
  const given = (await scenario.step('closeAccount', once)).output
  expect(given).toEqual({ withdrawal: null, message: expect.stringContaining('₹10.00') })
  expect((await scenario.step('closeAccount', once)).output).toEqual(given)
  expect((await scenario.step('profile', { token })).output.user.wallet.balance).toBe(0)
  expect((await scenario.step('deleteAccount', { token })).status).toBe(204)
  expect((await scenario.step('profile', { token })).refusal.code).toBe('unauthenticated')
  expect((await scenario.step('deleteAccount', { token })).status).toBe(401)
}
