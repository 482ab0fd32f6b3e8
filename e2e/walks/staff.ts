/** The scenario of the team: an invitation, the invited person's own account and authenticator app, and the staff log. */
import { expect } from 'vitest'
import { codeOfApp } from '@roz/server/testing/authenticator.ts'
import { SoftKey } from '@roz/server/testing/passkey.ts'
import { mailedLink, readClock } from '../harness/people.ts'
import type { Walk } from './walk.ts'

const PASSWORD = 'a staff password'
const REASON = 'The phone is lost.'

export async function walkStaff(walk: Walk, owner: string): Promise<void> {
  const email = 'meera@x.test'
  const invite = async (address: string) =>
    (await walk.step('inviteStaff', { token: owner, body: { name: 'Meera Nair', email: address, role: 'auditor' } })).output
  const { invitation } = await invite('mistyped@x.test')
  expect((await walk.step('cancelInvitation', { token: owner, params: { id: invitation.id } })).status).toBe(204)
  await invite(email)
  const token = new URL(await mailedLink(walk.roz.url, email, '/admin/invitation')).searchParams.get('token') ?? ''
  expect((await walk.step('acceptInvitation', { body: { token, password: PASSWORD } })).output.message).toMatch(/\S/)
  const meera = (await walk.step('adminLogin', { body: { email, password: PASSWORD } })).output.token
  expect((await walk.step('stepUp', { token: meera, body: { password: PASSWORD } })).output.until).toMatch(/T/)
  await walkOwnAccount(walk, meera, email)

  const { staff } = (await walk.step('staff', { token: owner })).output
  const id = staff[0]?.id ?? ''
  expect(staff[0]).toMatchObject({ email, role: 'auditor', totp: true })
  const team = (await walk.step('staffCsv', { token: owner, query: { status: 'current', q: email } })).text.split('\r\n')
  expect(team[1]).toContain(`${id},Meera Nair,${email},auditor,yes,`)
  expect((await walk.step('changeStaffRole', { token: owner, params: { id }, body: { role: 'support' } })).output.staff.role).toBe(
    'support',
  )
  expect((await walk.step('resetStaffTotp', { token: owner, params: { id }, body: { reason: REASON } })).output.staff.totp).toBe(false)
  expect((await walk.step('stopStaffChange', { token: owner, params: { id } })).output.staff.asked).toEqual([])
  expect((await walk.step('removeStaff', { token: owner, params: { id }, body: { reason: REASON } })).output.staff.removedAt).toMatch(/T/)
  const { audit, actions } = (await walk.step('adminAudit', { token: owner, query: { action: 'staff.remove' } })).output
  expect(audit).toMatchObject([
    { action: 'staff.remove', subjectName: 'Meera Nair', after: { reason: REASON }, from: { address: '127.0.0.1' } },
  ])
  const table = (await walk.step('adminAuditCsv', { token: owner, query: { action: 'staff.remove' } })).text.split('\r\n')
  expect([table.length, table[1]]).toEqual([3, expect.stringContaining('staff.remove')])
  expect(actions).toEqual(expect.arrayContaining(['staff.invite', 'staff.join', 'staff.sign_in', 'staff.totp_on']))
}

async function walkOwnAccount(walk: Walk, meera: string, email: string): Promise<void> {
  const code = async (secret: string, away: number) => codeOfApp(secret, Date.parse(await readClock(walk.roz.url)), away)
  const { secret } = (await walk.step('startTotp', { token: meera })).output
  const first = (await walk.step('confirmTotp', { token: meera, body: { totp: await code(secret, -1) } })).output.recoveryCodes
  expect(first).toHaveLength(8)
  const renewed = await walk.step('newRecoveryCodes', { token: meera, body: { totp: await code(secret, 0) } })
  expect(renewed.output.recoveryCodes).not.toContain(first[0])
  const body = { currentPassword: PASSWORD, newPassword: `${PASSWORD} two` }
  expect((await walk.step('changeStaffPassword', { token: meera, body })).output).toEqual({ ended: 0 })
  expect((await walk.step('updateStaffAccount', { token: meera, body: { language: 'hi' } })).output.user.language).toBe('hi')
  const login = { email, password: body.newPassword }
  expect((await walk.step('adminLogin', { body: login })).refusal.code).toBe('code_required')
  expect((await walk.step('adminLogin', { body: { ...login, totp: renewed.output.recoveryCodes[0] } })).status).toBe(200)
  const account = (await walk.step('staffAccount', { token: meera })).output
  expect([account.sessions.length, account.totp.recoveryCodesLeft]).toEqual([2, 7])
  expect((await walk.step('endOtherStaffSessions', { token: meera })).output).toEqual({ ended: 1 })
  await walkPasskey(walk, meera, login, await code(secret, 1))
  const off = { password: body.newPassword, totp: renewed.output.recoveryCodes[1] }
  expect((await walk.step('disableTotp', { token: meera, body: off })).status).toBe(204)
  const again = (await walk.step('startTotp', { token: meera })).output.secret
  expect((await walk.step('confirmTotp', { token: meera, body: { totp: await code(again, 0) } })).status).toBe(200)
}

async function walkPasskey(walk: Walk, meera: string, login: { email: string; password: string }, totp: string): Promise<void> {
  const key = new SoftKey(walk.roz.url)
  const started = await walk.step('startPasskey', { token: meera, body: { totp } })
  const body = { name: 'Laptop', credential: key.create(started.output.publicKey) }
  const { passkey } = (await walk.step('addPasskey', { token: meera, body })).output
  const asked = await walk.step('askPasskey', { token: meera })
  expect((await walk.step('stepUp', { token: meera, body: { passkey: key.get(asked.output.publicKey) } })).output.until).toMatch(/T/)
  expect((await walk.step('setPasskeysOnly', { token: meera, body: { only: true } })).status).toBe(204)
  const { publicKey } = (await walk.step('askLoginPasskey', { body: login })).output
  expect((await walk.step('adminLogin', { body: { ...login, passkey: key.get(publicKey) } })).status).toBe(200)
  expect((await walk.step('removePasskey', { token: meera, params: { id: passkey.id } })).status).toBe(204)
}
