/** The scenario of the team: an invitation, the invited person's own account and authenticator app, and the staff log. */
import { expect } from 'vitest'
import { codeOfApp } from '@roz/server/testing/authenticator.ts'
import { SoftKey } from '@roz/server/testing/passkey.ts'
import { mailedLink, readClock } from '../harness/people.ts'
import type { Scenario } from './scenario.ts'

const PASSWORD = 'a staff password'
const REASON = 'The phone is lost.'

export async function runStaff(scenario: Scenario, owner: string): Promise<void> {
  const email = 'meera@x.test'
  const invite = async (address: string) =>
    (await scenario.step('inviteStaff', { token: owner, body: { name: 'Meera Nair', email: address, role: 'auditor' } })).output
  const { invitation } = await invite('mistyped@x.test')
  expect((await scenario.step('cancelInvitation', { token: owner, params: { id: invitation.id } })).status).toBe(204)
  await invite(email)
  const token = new URL(await mailedLink(scenario.roz.url, email, '/admin/invitation')).searchParams.get('token') ?? ''
  expect((await scenario.step('acceptInvitation', { body: { token, password: PASSWORD } })).output.message).toMatch(/\S/)
  const meera = (await scenario.step('adminLogin', { body: { email, password: PASSWORD } })).output.token
  expect((await scenario.step('stepUp', { token: meera, body: { password: PASSWORD } })).output.until).toMatch(/T/)
  await runOwnAccount(scenario, meera, email)

  const { staff } = (await scenario.step('staff', { token: owner })).output
  const id = staff[0]?.id ?? ''
  expect(staff[0]).toMatchObject({ email, role: 'auditor', totp: true })
  const team = (await scenario.step('staffCsv', { token: owner, query: { status: 'current', q: email } })).text.split('\r\n')
  expect(team[1]).toContain(`${id},Meera Nair,${email},auditor,yes,`)
  expect((await scenario.step('changeStaffRole', { token: owner, params: { id }, body: { role: 'support' } })).output.staff.role).toBe(
    'support',
  )
  expect((await scenario.step('resetStaffTotp', { token: owner, params: { id }, body: { reason: REASON } })).output.staff.totp).toBe(false)
  expect((await scenario.step('stopStaffChange', { token: owner, params: { id } })).output.staff.asked).toEqual([])
  expect((await scenario.step('removeStaff', { token: owner, params: { id }, body: { reason: REASON } })).output.staff.removedAt).toMatch(
    /T/,
  )
  const { audit, actions } = (await scenario.step('adminAudit', { token: owner, query: { action: 'staff.remove' } })).output
  expect(audit).toMatchObject([
    { action: 'staff.remove', subjectName: 'Meera Nair', after: { reason: REASON }, from: { address: '127.0.0.1' } },
  ])
  const table = (await scenario.step('adminAuditCsv', { token: owner, query: { action: 'staff.remove' } })).text.split('\r\n')
  expect([table.length, table[1]]).toEqual([3, expect.stringContaining('staff.remove')])
  expect(actions).toEqual(expect.arrayContaining(['staff.invite', 'staff.join', 'staff.sign_in', 'staff.totp_on']))
}

async function runOwnAccount(scenario: Scenario, meera: string, email: string): Promise<void> {
  const code = async (secret: string, away: number) => codeOfApp(secret, Date.parse(await readClock(scenario.roz.url)), away)
  const { secret } = (await scenario.step('startTotp', { token: meera })).output
  const first = (await scenario.step('confirmTotp', { token: meera, body: { totp: await code(secret, -1) } })).output.recoveryCodes
  expect(first).toHaveLength(8)
  const renewed = await scenario.step('newRecoveryCodes', { token: meera, body: { totp: await code(secret, 0) } })
  expect(renewed.output.recoveryCodes).not.toContain(first[0])
  const body = { currentPassword: PASSWORD, newPassword: `${PASSWORD} two` }
  expect((await scenario.step('changeStaffPassword', { token: meera, body })).output).toEqual({ ended: 0 })
  expect((await scenario.step('updateStaffAccount', { token: meera, body: { language: 'hi' } })).output.user.language).toBe('hi')
  const login = { email, password: body.newPassword }
  expect((await scenario.step('adminLogin', { body: login })).refusal.code).toBe('code_required')
  expect((await scenario.step('adminLogin', { body: { ...login, totp: renewed.output.recoveryCodes[0] } })).status).toBe(200)
  const account = (await scenario.step('staffAccount', { token: meera })).output
  expect([account.sessions.length, account.totp.recoveryCodesLeft]).toEqual([2, 7])
  expect((await scenario.step('endOtherStaffSessions', { token: meera })).output).toEqual({ ended: 1 })
  await runPasskey(scenario, meera, login, await code(secret, 1))
  const off = { password: body.newPassword, totp: renewed.output.recoveryCodes[1] }
  expect((await scenario.step('disableTotp', { token: meera, body: off })).status).toBe(204)
  const again = (await scenario.step('startTotp', { token: meera })).output.secret
  expect((await scenario.step('confirmTotp', { token: meera, body: { totp: await code(again, 0) } })).status).toBe(200)
}

async function runPasskey(scenario: Scenario, meera: string, login: { email: string; password: string }, totp: string): Promise<void> {
  const key = new SoftKey(scenario.roz.url)
  const started = await scenario.step('startPasskey', { token: meera, body: { totp } })
  const body = { name: 'Laptop', credential: key.create(started.output.publicKey) }
  const { passkey } = (await scenario.step('addPasskey', { token: meera, body })).output
  const asked = await scenario.step('askPasskey', { token: meera })
  expect((await scenario.step('stepUp', { token: meera, body: { passkey: key.get(asked.output.publicKey) } })).output.until).toMatch(/T/)
  expect((await scenario.step('setPasskeysOnly', { token: meera, body: { only: true } })).status).toBe(204)
  const { publicKey } = (await scenario.step('askLoginPasskey', { body: login })).output
  expect((await scenario.step('adminLogin', { body: { ...login, passkey: key.get(publicKey) } })).status).toBe(200)
  expect((await scenario.step('removePasskey', { token: meera, params: { id: passkey.id } })).status).toBe(204)
}
