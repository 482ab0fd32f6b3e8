/** The own account in the portal: name, language, password and signed-in devices. */
import { beforeAll, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { nameAt } from '../../staff/staff-log.ts'
import { usePeople } from '../../testing/people.ts'
import { addStaff, adminLogin, type Colleague, openPortal, said, STAFF_PASSWORD } from '../../testing/staff.ts'

const roz = usePeople()
let editor: Colleague
let token: string
beforeAll(async () => {
  editor = await addStaff(roz, 'editor@x.test', 'editor')
  token = await openPortal(roz, editor.email)
})

const change = (currentPassword: string, newPassword: string) =>
  roz.ask('POST /admin/account/password', { token, body: { currentPassword, newPassword }, ip: '198.51.100.20' })

test('name and language are changed one by one, with both values in the staff log', async () => {
  const answer = await roz.ask('PUT /admin/account', { token, body: { name: 'Meera R. Nair' } })
  expect(answer.body.user).toMatchObject({ name: 'Meera R. Nair', language: 'en' })
  await roz.ask('PUT /admin/account', { token, body: { language: 'hi' } })
  const log = await roz.db.query(sql`select before, after from audit_log where action = 'staff.profile' order by id`)
  expect(log).toEqual([
    { before: { name: 'Meera Nair', language: 'en' }, after: { name: 'Meera R. Nair', language: 'en' } },
    { before: { name: 'Meera R. Nair', language: 'en' }, after: { name: 'Meera R. Nair', language: 'hi' } },
  ])
})

test('a new password needs the old one, ends every other session and every reset link, and extends no step-up', async () => {
  const other = await openPortal(roz, editor.email)
  await roz.ask('POST /auth/forgot-password', { body: { email: editor.email } })
  const link = await roz.tokenFrom(editor.email, '/reset-password')
  await roz.pass(601)
  expect(said(await change('wrong password', 'another password'))).toBe('403 wrong_password')
  expect((await change(STAFF_PASSWORD, 'eleven char')).body.fields.newPassword).toBe('A staff password needs at least 12 characters')
  expect((await change(STAFF_PASSWORD, 'another password')).body).toEqual({ ended: 1 })
  expect(said(await roz.ask('GET /auth/me', { token: other }))).toBe('401 unauthenticated')
  expect(said(await roz.ask('GET /auth/me', { token }))).toBe('200')
  expect(said(await roz.ask('POST /admin/totp', { token }))).toBe('403 step_up_required')
  expect(said(await roz.ask('POST /auth/reset-password', { body: { token: link, password: 'another password' } }))).toBe(
    '400 reset_token_invalid',
  )
  expect([said(await adminLogin(roz, editor.email)), said(await adminLogin(roz, editor.email, { password: 'another password' }))]).toEqual([
    '401 invalid_credentials',
    '200',
  ])
})

test('of two changes of the password at once one is made', async () => {
  const both = await Promise.all([change('another password', 'first new password'), change('another password', 'second new password')])
  expect(both.map(said).toSorted()).toEqual(['200', '403 wrong_password'])
})

test('a staff password of fewer than 12 characters is refused by a reset and by an invitation, too', async () => {
  const { email } = await addStaff(roz, 'support@x.test', 'support')
  await roz.ask('POST /auth/forgot-password', { body: { email } })
  const link = await roz.tokenFrom(email, '/reset-password')
  const reset = (password: string) => roz.ask('POST /auth/reset-password', { body: { token: link, password } })
  for (const password of ['short', 'eleven char'])
    expect((await reset(password)).body.fields.password).toBe('A staff password needs at least 12 characters')
  for (const password of ['short', 'eleven char']) {
    const refused = await roz.ask('POST /admin/invitations/accept', { body: { token: 'any', password } })
    expect(refused.body.fields.password).toBe('A staff password needs at least 12 characters')
  }
  expect(said(await reset('another password'))).toBe('200')
})

test('the devices are listed, the own one marked, and all others are logged out', async () => {
  const { email } = await addStaff(roz, 'auditor@x.test', 'auditor')
  const mine = await openPortal(roz, email)
  const other = await openPortal(roz, email)
  const { sessions } = (await roz.ask('GET /admin/account', { token: mine })).body
  expect(sessions.map(({ isThis }: { isThis: boolean }) => isThis).toSorted()).toEqual([false, true])
  expect((await roz.ask('POST /admin/account/end-others', { token: mine })).body).toEqual({ ended: 1 })
  expect(said(await roz.ask('GET /auth/me', { token: other }))).toBe('401 unauthenticated')
  expect((await roz.ask('POST /admin/account/end-others', { token: mine })).body).toEqual({ ended: 0 })
})

test('the log keeps the name that its actor had at that moment, and says each change of it', async () => {
  const owner = await addStaff(roz, 'renamed-owner@x.test', 'owner')
  const token = await openPortal(roz, owner.email)
  await roz.ask('PUT /admin/account', { token, body: { name: 'Another Name' } })
  const rows = await roz.db.query(sql`
    select action, actor_name as name from audit_log where actor_id = ${owner.memberId}::bigint order by id`)
  expect(rows).toEqual([
    { action: 'staff.sign_in', name: 'Meera Nair' },
    { action: 'staff.profile', name: 'Another Name' },
  ])
  const decided = await roz.db.query(sql`
    select ${nameAt(sql`m`, sql`l.at`)} as before, ${nameAt(sql`m`, sql`roz_now()`)} as now
      from member m join audit_log l on l.actor_id = m.id and l.action = 'staff.sign_in' where m.id = ${owner.memberId}::bigint`)
  expect(decided).toEqual([{ before: 'Meera Nair', now: 'Another Name' }])
})
