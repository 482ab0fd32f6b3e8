/** Walks over calls of login and contact that take several steps: Google's nonce, sessions, the hold and its end, the contact form. */
import { expect } from 'vitest'
import { eventually, mailedLink, mailsTo, type Person } from '../harness/people.ts'
import type { Scenario } from './scenario.ts'

export async function runGoogleNonce(scenario: Scenario): Promise<void> {
  const { nonce, claim } = (await scenario.step('googleNonce', {})).output
  const person = { email: 'google@x.test', email_verified: true, name: 'Hari Om', sub: '1234567890', nonce: claim }
  const stolen = await scenario.step('google', { body: { token: scenario.idToken(person) } })
  expect([stolen.status, stolen.refusal.code]).toEqual([401, 'google_failed'])
  expect((await scenario.step('google', { body: { token: scenario.idToken(person), nonce } })).status).toBe(200)
}

export async function runHold(scenario: Scenario, { admin, member }: { readonly admin: string; readonly member: Person }): Promise<void> {
  const { sessions } = (await scenario.step('sessions', { token: member.token })).output
  expect(sessions.filter(({ isThis }) => isThis)).toHaveLength(1)
  expect((await scenario.step('endOtherSessions', { token: member.token })).output).toEqual({ ended: sessions.length - 1 })

  const token = new URL(await mailedLink(scenario.roz.url, member.email, '/not-me')).searchParams.get('token') ?? ''
  expect((await scenario.step('notMe', { body: { token } })).output.message).toMatch(/logged out/)
  expect((await scenario.step('me', { token: member.token })).status).toBe(401)
  const holdOf = async () => (await scenario.step('adminUsers', { token: admin, query: { q: member.email } })).output.users[0]?.hold
  expect(await holdOf()).toMatchObject({ about: expect.stringMatching(/^(new_bank_account|withdrawal_requested)$/) })
  const release = () =>
    scenario.step('releaseUser', { token: admin, params: { id: member.id }, body: { reason: 'Spoke to her by phone.' } })
  expect((await release()).output.user).toMatchObject({ id: member.id, hold: null })
  expect((await release()).refusal.code).toBe('not_held')
  expect(await holdOf()).toBeNull()
  const params = { id: member.id }
  const decided = { token: admin, params, body: { reason: 'Spoke to her by phone.' } }
  expect((await scenario.step('holdUser', decided)).output.user.hold).toMatchObject({ about: 'staff' })
  expect((await release()).status).toBe(200)
  expect((await scenario.step('suspendUser', decided)).output.user.suspendedAt).toEqual(expect.any(String))
  expect((await scenario.step('reinstateUser', decided)).output.user.suspendedAt).toBeNull()
  expect((await scenario.step('endUserSessions', decided)).output).toEqual({ ended: 0 })
  const { note } = (await scenario.step('noteUser', { token: admin, params, body: { text: 'She changed her phone.' } })).output
  expect((await scenario.step('adminUser', { token: admin, params })).output.notes).toEqual([note])
  expect((await scenario.step('adminUserTransactions', { token: admin, params })).output.transactions).not.toHaveLength(0)
}

export async function runContact(scenario: Scenario, email: string): Promise<void> {
  const answer = await scenario.step('contact', { body: { name: 'Gita Rao', email, message: 'How do I change my number?' } })
  expect([answer.status, answer.output.ticket.length > 3]).toEqual([201, true])
  await eventually('the mail to support', async () => (await mailsTo(scenario.roz.url, 'support@roz.example'))[0])
}

/** The portal answers the newest message of the contact form. */
export async function runMessages(scenario: Scenario, admin: string): Promise<void> {
  const [message] = (await scenario.step('messages', { token: admin, query: { status: 'new' } })).output.messages
  const params = { id: message?.id ?? '' }
  const reply = { message: 'You change it on your profile page.' }
  const answered = (await scenario.step('replyToMessage', { token: admin, params, body: reply })).output.message
  expect([answered.status, answered.replies.length]).toEqual(['answered', 1])
  const closed = await scenario.step('setMessageStatus', { token: admin, params, body: { status: 'closed' } })
  expect(closed.output.message.status).toBe('closed')
  const table = (await scenario.step('messagesCsv', { token: admin, query: { status: 'closed' } })).text
  expect(table.split('\r\n')[1]).toContain(message?.ticket)
}
