/** The second factor of staff: setting it up, logging in with it, stepping up, losing it. */
import { CONTROL, STAFF_ROLES } from '@roz/contract/roles.ts'
import { describe, expect, test } from 'vitest'
import { resetTotpNow } from '../../commands/reset-totp.ts'
import { sql } from '../../db/sql.ts'
import { usePeople } from '../../testing/people.ts'
import { addStaff, adminLogin, type App, codeFor, type Colleague, enrol, openPortal, said, STAFF_PASSWORD } from '../../testing/staff.ts'

const roz = usePeople()
let made = 0

type Enrolled = Colleague & { token: string; app: App }
const person = (role: Parameters<typeof addStaff>[2] = 'finance') => addStaff(roz, `staff${++made}@x.test`, role)
async function enrolled(role: Parameters<typeof addStaff>[2] = 'finance'): Promise<Enrolled> {
  const colleague = await person(role)
  const token = await openPortal(roz, colleague.email)
  return { ...colleague, token, app: await enrol(roz, token) }
}
const start = (token: string) => roz.ask('POST /admin/totp', { token })
const confirm = (token: string, totp: string) => roz.ask('POST /admin/totp/confirm', { token, body: { totp } })
const stepUp = (token: string, body: object) => roz.ask('POST /admin/step-up', { token, body, ip: '198.51.100.20' })
const account = async (token: string) => (await roz.ask('GET /admin/account', { token })).body

describe('setting up an app', () => {
  test('answers an address and a secret that is encrypted at rest, and counts only after a code of it', async () => {
    const { email, memberId } = await person()
    const token = await openPortal(roz, email)
    const { uri, secret } = (await start(token)).body
    expect(uri).toBe(`otpauth://totp/Roz:${encodeURIComponent(email)}?issuer=Roz&secret=${secret}&algorithm=SHA1&digits=6&period=30`)
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    const { sealed } = await roz.db.one<{ sealed: Buffer }>(sql`select sealed from staff_totp where member_id = ${memberId}::bigint`)
    expect(sealed.includes(Buffer.from(secret))).toBe(false)
    expect(said(await adminLogin(roz, email))).toBe('200')
    expect(said(await confirm(token, await codeFor(roz, secret, 5)))).toBe('403 wrong_code')
    expect(said(await confirm(token, 'no code'))).toBe('400 invalid_input')
    const answer = await confirm(token, await codeFor(roz, secret))
    expect(answer.body.recoveryCodes).toHaveLength(8)
    expect(new Set(answer.body.recoveryCodes).size).toBe(8)
    expect((await account(token)).totp).toMatchObject({ enrolledAt: expect.stringMatching(/^20/), required: false, recoveryCodesLeft: 8 })
    expect([said(await start(token)), said(await confirm(token, await codeFor(roz, secret, 1)))]).toEqual([
      '409 totp_enrolled',
      '409 totp_enrolled',
    ])
    expect((await roz.mailsTo(email)).some(({ text }) => text.includes('An authenticator app was set up'))).toBe(true)
  })

  test('needs a step-up and a start; a second start replaces the secret', async () => {
    const token = await openPortal(roz, (await person()).email)
    expect(said(await confirm(token, '123456'))).toBe('409 totp_not_started')
    const first = (await start(token)).body.secret
    const second = (await start(token)).body.secret
    expect(said(await confirm(token, await codeFor(roz, first)))).toBe('403 wrong_code')
    await roz.pass(601)
    expect(said(await start(token))).toBe('403 step_up_required')
    expect(said(await confirm(token, await codeFor(roz, second)))).toBe('200')
  })

  test('of two confirmations at once one turns it on, with one set of recovery codes', async () => {
    const token = await openPortal(roz, (await person()).email)
    const { secret } = (await start(token)).body
    const code = await codeFor(roz, secret)
    const both = await Promise.all([confirm(token, code), confirm(token, code)])
    expect(both.map(said).toSorted()).toEqual(['200', '409 totp_enrolled'])
    expect((await account(token)).totp.recoveryCodesLeft).toBe(8)
  })

  test('ends every other session of the account, which had no second factor', async () => {
    const { email } = await person()
    const other = await openPortal(roz, email)
    const token = await openPortal(roz, email)
    await enrol(roz, token)
    expect(said(await roz.ask('GET /auth/me', { token: other }))).toBe('401 unauthenticated')
    expect(said(await roz.ask('GET /auth/me', { token }))).toBe('200')
  })
})

describe('a login with an app', () => {
  test('asks for the code after the right password alone, and opens nothing without it', async () => {
    const { email, app } = await enrolled()
    expect(said(await adminLogin(roz, email, { password: 'wrong password', totp: await codeFor(roz, app.secret) }))).toBe(
      '401 invalid_credentials',
    )
    expect(said(await adminLogin(roz, email, { password: 'wrong password' }))).toBe('401 invalid_credentials')
    expect(said(await adminLogin(roz, email))).toBe('403 code_required')
    expect(said(await adminLogin(roz, email, { totp: '000000' }))).toBe('403 wrong_code')
    expect(said(await adminLogin(roz, email, { totp: await codeFor(roz, app.secret) }))).toBe('200')
  })

  test('answers a member, with or without a code, like a wrong password', async () => {
    await roz.register('plain@x.test')
    for (const totp of ['123456', undefined]) {
      const answer = await adminLogin(roz, 'plain@x.test', { password: 'correct horse 1', ...(totp === undefined ? {} : { totp }) })
      expect(said(answer)).toBe('401 invalid_credentials')
    }
  })

  test('accepts each code once: not again, not by two at once, and no earlier one afterwards', async () => {
    const { email, app } = await enrolled()
    const [before = '', present = '', next = ''] = await Promise.all([-1, 0, 1].map((away) => codeFor(roz, app.secret, away)))
    const both = await Promise.all([adminLogin(roz, email, { totp: present }), adminLogin(roz, email, { totp: present })])
    expect(both.map(said).toSorted()).toEqual(['200', '403 wrong_code'])
    expect(said(await adminLogin(roz, email, { totp: present }))).toBe('403 wrong_code')
    expect(said(await adminLogin(roz, email, { totp: before }))).toBe('403 wrong_code')
    expect(said(await adminLogin(roz, email, { totp: next }))).toBe('200')
    expect(said(await adminLogin(roz, email, { totp: next }))).toBe('403 wrong_code')
    // The step of the code that was used early is not accepted a second time in its own time.
    await roz.pass(30)
    expect(said(await adminLogin(roz, email, { totp: next }))).toBe('403 wrong_code')
  })

  test('accepts each recovery code once, in any case and grouping, and mails its use', async () => {
    const { email, token, app } = await enrolled()
    const [first = '', second = ''] = app.recoveryCodes
    const both = await Promise.all([adminLogin(roz, email, { totp: first }), adminLogin(roz, email, { totp: first })])
    expect(both.map(said).toSorted()).toEqual(['200', '403 wrong_code'])
    expect(said(await adminLogin(roz, email, { totp: second.replaceAll('-', ' ').toUpperCase() }))).toBe('200')
    expect((await account(token)).totp.recoveryCodesLeft).toBe(6)
    expect((await roz.mailsTo(email)).some(({ text }) => text.includes('A recovery code was used'))).toBe(true)
    const stored = await roz.db.query<{ code_hash: Buffer }>(sql`select code_hash from staff_recovery_code`)
    expect(stored.some(({ code_hash }) => code_hash.includes(Buffer.from(second.replaceAll('-', ''))))).toBe(false)
    expect(said(await adminLogin(roz, email, { totp: 'abcd-efgh-jkmn-pqrs-tuvw-xyz2' }))).toBe('403 wrong_code')
  })

  test('counts wrong codes exactly, also sent at once; the right one waits too, and a known browser elsewhere does not', async () => {
    const { email, app } = await enrolled()
    const guesses = Array.from({ length: 14 }, (_, n) => adminLogin(roz, email, { totp: String(n).padStart(6, '0'), ip: '203.0.113.9' }))
    const answers = (await Promise.all(guesses)).map(said)
    expect(answers.filter((answer) => answer === '403 wrong_code')).toHaveLength(10)
    expect(answers.filter((answer) => answer === '429 too_many_requests')).toHaveLength(4)
    const refused = await adminLogin(roz, email, { totp: await codeFor(roz, app.secret), ip: '203.0.113.9' })
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect(said(await adminLogin(roz, email, { totp: await codeFor(roz, app.secret) }))).toBe('200')
  })

  test('allows 20 wrong codes a day from all unknown browsers together', async () => {
    const { email } = await enrolled()
    const answers: string[] = []
    for (let n = 0; n < 24; n++) {
      answers.push(said(await adminLogin(roz, email, { totp: String(n).padStart(6, '0'), ip: `203.0.${n}.9` })))
    }
    expect(answers.filter((answer) => answer === '403 wrong_code')).toHaveLength(20)
    expect(answers.slice(20)).toEqual(Array(4).fill('429 too_many_requests'))
  })
})

describe('a step-up with an app', () => {
  test('asks for the code and not for the password', async () => {
    const { token, app } = await enrolled('owner')
    await roz.pass(601)
    const [first = '', second = ''] = await Promise.all([0, 1].map((away) => codeFor(roz, app.secret, away)))
    expect(said(await stepUp(token, { password: STAFF_PASSWORD }))).toBe('403 code_required')
    expect(said(await stepUp(token, {}))).toBe('403 code_required')
    expect(said(await stepUp(token, { totp: '000000' }))).toBe('403 wrong_code')
    expect(said(await stepUp(token, { totp: first }))).toBe('200')
    expect(said(await stepUp(token, { totp: first }))).toBe('403 wrong_code')
    expect(said(await stepUp(token, { totp: second }))).toBe('200')
    const log = await roz.db.query(sql`select after from audit_log where action = 'staff.step_up' order by id desc limit 1`)
    expect(log).toEqual([{ after: { by: 'app' } }])
  })

  test('without an app asks for the password, and takes no code for it', async () => {
    const token = await openPortal(roz, (await person()).email)
    expect(said(await stepUp(token, { totp: '123456' }))).toBe('400 invalid_input')
    expect(said(await stepUp(token, {}))).toBe('400 invalid_input')
    expect(said(await stepUp(token, { password: STAFF_PASSWORD }))).toBe('200')
  })
})

describe('recovery codes', () => {
  test('are made again by a code of the app; the old ones end', async () => {
    const { email, token, app } = await enrolled()
    const renew = async (totp: string) => roz.ask('POST /admin/totp/recovery-codes', { token, body: { totp } })
    expect(said(await renew('000000'))).toBe('403 wrong_code')
    const answer = await renew(await codeFor(roz, app.secret))
    expect(answer.body.recoveryCodes).toHaveLength(8)
    expect(said(await adminLogin(roz, email, { totp: app.recoveryCodes[0] ?? '' }))).toBe('403 wrong_code')
    expect(said(await adminLogin(roz, email, { totp: answer.body.recoveryCodes[0] }))).toBe('200')
    const bare = await openPortal(roz, (await person()).email)
    expect(said(await roz.ask('POST /admin/totp/recovery-codes', { token: bare, body: { totp: '123456' } }))).toBe('409 totp_not_enrolled')
  })
})

describe('turning an app off', () => {
  const disable = (token: string, body: object) => roz.ask('POST /admin/totp/disable', { token, body, ip: '198.51.100.20' })

  test('needs password and code; afterwards the password alone logs in', async () => {
    const { email, token, app } = await enrolled()
    const code = await codeFor(roz, app.secret)
    expect(said(await disable(token, { password: 'wrong password', totp: code }))).toBe('403 wrong_password')
    expect(said(await disable(token, { password: STAFF_PASSWORD, totp: '000000' }))).toBe('403 wrong_code')
    expect(said(await disable(token, { password: STAFF_PASSWORD, totp: code }))).toBe('204')
    expect(said(await disable(token, { password: STAFF_PASSWORD, totp: code }))).toBe('409 totp_not_enrolled')
    expect(said(await adminLogin(roz, email))).toBe('200')
    expect(
      await roz.db.query(sql`select 1 from staff_recovery_code c join member m on m.id = c.member_id where m.email = ${email}::text`),
    ).toEqual([])
  })

  test('by an owner for somebody else, after a lost phone, ends their sessions and is mailed; never for oneself', async () => {
    const lost = await enrolled('finance')
    const owner = await enrolled('owner')
    const reset = (id: string) =>
      roz.ask(`POST /admin/staff/${id}/reset-totp`, { token: owner.token, body: { reason: 'The phone is lost.' } })
    expect(said(await reset(owner.publicId))).toBe('409 own_totp')
    expect(said(await reset('00000000-0000-4000-8000-000000000000'))).toBe('404 staff_not_found')
    const both = await Promise.all([reset(lost.publicId), reset(lost.publicId)])
    expect(both.map(said).toSorted()).toEqual(['200', '409 totp_not_enrolled'])
    expect(said(await roz.ask('GET /auth/me', { token: lost.token }))).toBe('401 unauthenticated')
    expect(said(await adminLogin(roz, lost.email))).toBe('200')
    expect((await roz.mailsTo(lost.email)).some(({ text }) => text.includes('someone on the team reset it'))).toBe(true)
  })

  test('that is only being set up is refused, and the setup goes on', async () => {
    const owner = await enrolled('owner')
    const colleague = await person()
    const token = await openPortal(roz, colleague.email)
    const { secret } = (await start(token)).body
    const asked = { token: owner.token, body: { reason: 'The phone is lost.' } }
    expect(said(await roz.ask(`POST /admin/staff/${colleague.publicId}/reset-totp`, asked))).toBe('409 totp_not_enrolled')
    expect(said(await confirm(token, await codeFor(roz, secret)))).toBe('200')
  })
})

describe('in production', () => {
  const live = usePeople({ production: true })

  test.each(STAFF_ROLES)('an %s opens only what sets the app up, until it is set up', async (role) => {
    const { email } = await addStaff(live, `${role}@x.test`, role)
    const token = await openPortal(live, email)
    expect(said(await live.ask('GET /admin/staff', { token }))).toBe(
      CONTROL.some((one) => one === role) ? '403 totp_required' : '403 forbidden',
    )
    const calls = ['PUT /admin/account', 'POST /admin/account/end-others', 'POST /admin/totp/recovery-codes', 'POST /admin/totp/disable']
    for (const call of calls) expect([call, said(await live.ask(call, { token, body: {} }))]).toEqual([call, '403 totp_required'])
    expect((await live.ask('GET /admin/account', { token })).body.totp).toMatchObject({ required: true, enrolledAt: null })
    expect(said(await live.ask('GET /auth/me', { token }))).toBe('200')
    await enrol(live, token)
    expect(said(await live.ask('PUT /admin/account', { token, body: {} }))).toBe('200')
  })
})

test('no answer, mail or log line contains a secret or a recovery code of the app', async () => {
  const { email, token, app } = await enrolled()
  await adminLogin(roz, email, { totp: app.recoveryCodes[3] ?? '' })
  const mails = (await roz.mailsTo(email)).map(({ text }) => text).join()
  const log = JSON.stringify(await roz.db.query(sql`select action, before, after from audit_log`))
  const kept = [mails, log, roz.logLines.join(), JSON.stringify(await account(token))]
  for (const secret of [app.secret, ...app.recoveryCodes, STAFF_PASSWORD]) {
    expect(kept.some((text) => text.includes(secret))).toBe(false)
  }
})

test('roz staff reset-totp frees the last owner, with a mail and an entry of the system, and says where there is nothing to do', async () => {
  const lost = await enrolled('owner')
  const lines: string[] = []
  const target = {
    databaseUrl: roz.database.appUrl,
    dataDir: '/nowhere',
    namedStatements: true,
    say: (line: string) => void lines.push(line),
  }
  expect(await resetTotpNow(target, lost.email.toUpperCase())).toBe(0)
  expect(await resetTotpNow(target, lost.email)).toBe(1)
  expect(await resetTotpNow(target, 'nobody@x.test')).toBe(1)
  expect(lines[0]).toContain('The authenticator app of Meera Nair is removed.')
  expect(said(await roz.ask('GET /auth/me', { token: lost.token }))).toBe('401 unauthenticated')
  expect(said(await adminLogin(roz, lost.email))).toBe('200')
  expect((await roz.mailsTo(lost.email)).some(({ text }) => text.includes('someone on the team reset it'))).toBe(true)
  const log = await roz.db.query(sql`
    select actor_id as actor, from_address as address from audit_log where action = 'staff.totp_reset' and subject = ${`member:${lost.memberId}`}::text`)
  expect(log).toEqual([{ actor: null, address: null }])
})
