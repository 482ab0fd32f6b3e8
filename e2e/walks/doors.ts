/** Walks over calls of login and contact that take several steps: Google's nonce, sessions, the hold and its end, the contact form. */
import { expect } from 'vitest'
import { eventually, mailedLink, mailsTo, type Person } from '../harness/people.ts'
import type { Walk } from './walk.ts'

export async function walkGoogleNonce(walk: Walk): Promise<void> {
  const { nonce, claim } = (await walk.step('googleNonce', {})).output
  const person = { email: 'google@x.test', email_verified: true, name: 'Hari Om', sub: '1234567890', nonce: claim }
  const stolen = await walk.step('google', { body: { token: walk.idToken(person) } })
  expect([stolen.status, stolen.refusal.code]).toEqual([401, 'google_failed'])
  expect((await walk.step('google', { body: { token: walk.idToken(person), nonce } })).status).toBe(200)
}

export async function walkHold(walk: Walk, { admin, member }: { readonly admin: string; readonly member: Person }): Promise<void> {
  const { sessions } = (await walk.step('sessions', { token: member.token })).output
  expect(sessions.filter(({ isThis }) => isThis)).toHaveLength(1)
  expect((await walk.step('endOtherSessions', { token: member.token })).output).toEqual({ ended: sessions.length - 1 })

  const token = new URL(await mailedLink(walk.roz.url, member.email, '/not-me')).searchParams.get('token') ?? ''
  expect((await walk.step('notMe', { body: { token } })).output.message).toMatch(/logged out/)
  expect((await walk.step('me', { token: member.token })).status).toBe(401)
  const holdOf = async () => (await walk.step('adminUsers', { token: admin, query: { q: member.email } })).output.users[0]?.hold
  expect(await holdOf()).toMatchObject({ about: expect.stringMatching(/^(new_bank_account|withdrawal_requested)$/) })
  const release = () => walk.step('releaseUser', { token: admin, params: { id: member.id }, body: { reason: 'Spoke to her by phone.' } })
  expect((await release()).output.user).toMatchObject({ id: member.id, hold: null })
  expect((await release()).refusal.code).toBe('not_held')
  expect(await holdOf()).toBeNull()
  const params = { id: member.id }
  const decided = { token: admin, params, body: { reason: 'Spoke to her by phone.' } }
  expect((await walk.step('holdUser', decided)).output.user.hold).toMatchObject({ about: 'staff' })
  expect((await release()).status).toBe(200)
  expect((await walk.step('suspendUser', decided)).output.user.suspendedAt).toEqual(expect.any(String))
  expect((await walk.step('reinstateUser', decided)).output.user.suspendedAt).toBeNull()
  expect((await walk.step('endUserSessions', decided)).output).toEqual({ ended: 0 })
  const { note } = (await walk.step('noteUser', { token: admin, params, body: { text: 'She changed her phone.' } })).output
  expect((await walk.step('adminUser', { token: admin, params })).output.notes).toEqual([note])
  expect((await walk.step('adminUserTransactions', { token: admin, params })).output.transactions).not.toHaveLength(0)
}

export async function walkContact(walk: Walk, email: string): Promise<void> {
  const answer = await walk.step('contact', { body: { name: 'Gita Rao', email, message: 'How do I change my number?' } })
  expect([answer.status, answer.output.ticket.length > 3]).toEqual([201, true])
  await eventually('the mail to support', async () => (await mailsTo(walk.roz.url, 'support@roz.example'))[0])
}

/** The portal answers the newest message of the contact form. */
export async function walkMessages(walk: Walk, admin: string): Promise<void> {
  const [message] = (await walk.step('messages', { token: admin, query: { status: 'new' } })).output.messages
  const params = { id: message?.id ?? '' }
  const reply = { message: 'You change it on your profile page.' }
  const answered = (await walk.step('replyToMessage', { token: admin, params, body: reply })).output.message
  expect([answered.status, answered.replies.length]).toEqual(['answered', 1])
  const closed = await walk.step('setMessageStatus', { token: admin, params, body: { status: 'closed' } })
  expect(closed.output.message.status).toBe('closed')
  const table = (await walk.step('messagesCsv', { token: admin, query: { status: 'closed' } })).text
  expect(table.split('\r\n')[1]).toContain(message?.ticket)
}
