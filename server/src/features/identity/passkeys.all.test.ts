/** Passkeys of staff: adding, logging in, stepping up, losing them, and what an attacker sends. */
import { sql } from '../../db/sql.ts'
import { resetTotpNow } from '../../commands/reset-totp.ts'
import { SoftKey, type Twist } from '../../testing/passkey.ts'
import { usePeople } from '../../testing/people.ts'
import { addStaff, adminLogin, codeFor, type Colleague, enrol, openPortal, said, STAFF_PASSWORD } from '../../testing/staff.ts'
import { describe, expect, test } from 'vitest'

const roz = usePeople()
let made = 0

type Owner = Colleague & { token: string; secret: string; recoveryCodes: readonly string[] }
const SOURCE = { ip: '198.51.100.20' }

async function enrolled(role: Parameters<typeof addStaff>[2] = 'finance'): Promise<Owner> {
  const colleague = await addStaff(roz, `keyed${++made}@x.test`, role)
  const token = await openPortal(roz, colleague.email)
  return { ...colleague, token, ...(await enrol(roz, token)) }
}
async function start(person: Pick<Owner, 'token' | 'secret'>) {
  await roz.pass(30)
  return roz.ask('POST /admin/passkeys/start', { token: person.token, body: { totp: await codeFor(roz, person.secret) }, ...SOURCE })
}
const add = (token: string, credential: object, name = 'Laptop') =>
  roz.ask('POST /admin/passkeys', { token, body: { name, credential }, ...SOURCE })
async function withKey(role?: Parameters<typeof addStaff>[2]): Promise<Owner & { key: SoftKey; id: string }> {
  const person = await enrolled(role)
  const key = new SoftKey(roz.url)
  const answer = await add(person.token, key.create((await start(person)).body.publicKey))
  if (answer.status !== 201) throw new Error(`the passkey was refused: ${answer.text}`)
  return { ...person, key, id: answer.body.passkey.id }
}
const askLogin = (email: string, password = STAFF_PASSWORD) =>
  roz.ask('POST /admin/login/passkey', { body: { email, password }, ...SOURCE })
const loginWith = (email: string, passkey: object, password = STAFF_PASSWORD) =>
  roz.ask('POST /admin/login', { body: { email, password, passkey }, ...SOURCE })
async function logIn({ email, key }: { email: string; key: SoftKey }, twist: Twist = {}) {
  return loginWith(email, key.get((await askLogin(email)).body.publicKey, twist))
}
const askStepUp = (token: string) => roz.ask('POST /admin/passkeys/ask', { token, ...SOURCE })
const stepUp = (token: string, body: object) => roz.ask('POST /admin/step-up', { token, body, ...SOURCE })
const account = async (token: string) => (await roz.ask('GET /admin/account', { token })).body
const only = (token: string, value: boolean) => roz.ask('PUT /admin/passkeys/only', { token, body: { only: value } })
const remove = (token: string, id: string) => roz.ask(`POST /admin/passkeys/${id}/remove`, { token })
const logged = (memberId: bigint) =>
  roz.db.query(
    sql`select action, before, after from audit_log where subject = ${`member:${memberId}`}::text and action in ('staff.passkey_add', 'staff.passkey_remove') order by id`,
  )

describe('adding a passkey', () => {
  test('asks for a code of the app, lists the passkey by its name, mails the person and is logged', async () => {
    const person = await enrolled()
    const started = await start(person)
    expect(started.body.publicKey).toMatchObject({
      rp: { id: '127.0.0.1', name: 'Roz' },
      user: { name: person.email },
      attestation: 'none',
      authenticatorSelection: { userVerification: 'required' },
      excludeCredentials: [],
    })
    const answer = await add(person.token, new SoftKey(roz.url).create(started.body.publicKey), ' Key on my ring ')
    expect([said(answer), answer.body.passkey]).toEqual([
      '201',
      { id: expect.any(String), name: 'Key on my ring', addedAt: expect.stringMatching(/^20/), usedAt: null },
    ])
    expect((await account(person.token)).passkeys).toEqual([answer.body.passkey])
    expect((await start(person)).body.publicKey.excludeCredentials).toHaveLength(1)
    expect((await roz.mailsTo(person.email)).some(({ text }) => text.includes('A passkey was added to your account'))).toBe(true)
    expect(await logged(person.memberId)).toEqual([{ action: 'staff.passkey_add', before: null, after: { name: 'Key on my ring' } }])
  })

  test('is refused to a colleague at an unlocked laptop: the open session and its step-up are not enough', async () => {
    const { token, secret, recoveryCodes } = await enrolled()
    const given = async (totp?: string) =>
      said(await roz.ask('POST /admin/passkeys/start', { token, body: totp === undefined ? {} : { totp }, ...SOURCE }))
    expect(await given()).toBe('400 invalid_input')
    expect(await given('000000')).toBe('403 wrong_code')
    // A printed recovery code lies beside the laptop.
    expect(await given(recoveryCodes[0])).toBe('400 invalid_input')
    const key = new SoftKey(roz.url)
    expect(said(await add(token, key.create({ challenge: Buffer.alloc(32).toString('base64url') })))).toBe('403 wrong_passkey')
    expect(await given(await codeFor(roz, secret))).toBe('200')
  })

  test('needs a set-up app', async () => {
    const token = await openPortal(roz, (await addStaff(roz, 'bare@x.test', 'editor')).email)
    const answer = await roz.ask('POST /admin/passkeys/start', { token, body: { totp: '123456' }, ...SOURCE })
    expect([said(answer), said(await askStepUp(token))]).toEqual(['409 totp_not_enrolled', '409 no_passkey'])
  })

  const certificate = { fmt: 'packed', statement: new Map([['x5c', Buffer.from('a certificate')]]) }
  test.each<[string, Twist]>([
    ['made on another origin', { origin: 'https://roz.example.evil.test' }],
    ['made for another site', { rpId: 'evil.test' }],
    ['without the person verified', { verified: false }],
    ['made in a foreign frame', { crossOrigin: true }],
    ['that is a login', { type: 'webauthn.get' }],
    ['with a certificate, which is not read', { attestation: certificate }],
  ])('refuses one %s', async (_, twist) => {
    const person = await enrolled()
    const { publicKey } = (await start(person)).body
    expect(said(await add(person.token, new SoftKey(roz.url).create(publicKey, twist)))).toBe('403 wrong_passkey')
    // The challenge is used up.
    expect(said(await add(person.token, new SoftKey(roz.url).create(publicKey)))).toBe('403 wrong_passkey')
    expect((await account(person.token)).passkeys).toEqual([])
  })

  test('refuses a challenge of another account or session, and an old challenge', async () => {
    const [one, other] = [await enrolled(), await enrolled()]
    const { publicKey } = (await start(one)).body
    expect(said(await add(other.token, new SoftKey(roz.url).create(publicKey)))).toBe('403 wrong_passkey')
    const second = await openPortal(roz, one.email, one.recoveryCodes[0])
    expect(said(await add(second, new SoftKey(roz.url).create(publicKey)))).toBe('403 wrong_passkey')
    await roz.pass(301)
    expect(said(await add(one.token, new SoftKey(roz.url).create(publicKey)))).toBe('403 wrong_passkey')
  })

  test('refuses the passkey of somebody else, and an eleventh one, also added at the same moment', async () => {
    const { key } = await withKey()
    const person = await enrolled()
    expect(said(await add(person.token, key.create((await start(person)).body.publicKey)))).toBe('403 wrong_passkey')
    for (let n = 0; n < 9; n++) await add(person.token, new SoftKey(roz.url).create((await start(person)).body.publicKey))
    const both = [
      new SoftKey(roz.url).create((await start(person)).body.publicKey),
      new SoftKey(roz.url).create((await start(person)).body.publicKey),
    ]
    const answers = await Promise.all(both.map((credential) => add(person.token, credential)))
    expect(answers.map(said).toSorted()).toEqual(['201', '409 passkeys_full'])
    expect(said(await start(person))).toBe('409 passkeys_full')
  })
})

describe('a login with a passkey', () => {
  test('asks for it after the right password alone, and opens the portal', async () => {
    const person = await withKey()
    expect(said(await adminLogin(roz, person.email))).toBe('403 passkey_required')
    expect(said(await askLogin(person.email, 'wrong password'))).toBe('401 invalid_credentials')
    expect(said(await askLogin('nobody@x.test'))).toBe('401 invalid_credentials')
    expect(said(await askLogin((await addStaff(roz, 'keyless@x.test', 'editor')).email))).toBe('409 no_passkey')
    const { publicKey } = (await askLogin(person.email)).body
    expect(publicKey).toMatchObject({
      rpId: '127.0.0.1',
      userVerification: 'required',
      allowCredentials: [{ id: person.key.id.toString('base64url') }],
    })
    const answer = await loginWith(person.email, person.key.get(publicKey))
    expect(said(answer)).toBe('200')
    expect((await account(answer.body.token)).passkeys[0].usedAt).toMatch(/^20/)
    const log = await roz.db.query(sql`
      select after from audit_log where action = 'staff.sign_in' and actor_id = ${person.memberId}::bigint order by id desc limit 1`)
    expect(log).toEqual([{ after: { secondFactor: 'passkey' } }])
  })

  test('refuses a wrong password with a right passkey, which stays unused', async () => {
    const { email, key } = await withKey()
    const answer = key.get((await askLogin(email)).body.publicKey)
    expect(said(await loginWith(email, answer, 'wrong password'))).toBe('401 invalid_credentials')
    expect(said(await loginWith(email, answer))).toBe('200')
  })

  test.each<[string, Twist]>([
    ['signed on a phishing page', { origin: 'https://roz-example.test' }],
    ['signed on another port of this machine', { origin: 'http://127.0.0.1:1' }],
    ['for another site', { rpId: 'roz-example.test' }],
    ['without the person verified', { verified: false }],
    ['signed in a foreign frame', { crossOrigin: true }],
    ['that makes a passkey', { type: 'webauthn.create' }],
  ])('refuses an answer %s', async (_, twist) => {
    const person = await withKey()
    expect(said(await logIn(person, twist))).toBe('403 wrong_passkey')
    expect(said(await logIn(person))).toBe('200')
  })

  test('refuses a counter that stands still or goes back, as a copied key has it', async () => {
    const person = await withKey()
    expect(said(await logIn(person, { counter: 41 }))).toBe('200')
    for (const counter of [41, 40, 0]) expect([counter, said(await logIn(person, { counter }))]).toEqual([counter, '403 wrong_passkey'])
    expect(said(await logIn(person, { counter: 42 }))).toBe('200')
  })

  test('takes a key without a counter again and again', async () => {
    const person = await enrolled()
    const key = new SoftKey(roz.url)
    await add(person.token, key.create((await start(person)).body.publicKey, { counter: 0 }))
    for (let n = 0; n < 2; n++) expect(said(await logIn({ ...person, key }, { counter: 0 }))).toBe('200')
  })

  test('takes a challenge once: not replayed, not by two at once, not for another account, and not after five minutes', async () => {
    const [person, other] = [await withKey(), await withKey()]
    const answer = person.key.get((await askLogin(person.email)).body.publicKey)
    const both = await Promise.all([loginWith(person.email, answer), loginWith(person.email, answer)])
    expect(both.map(said).toSorted()).toEqual(['200', '403 wrong_passkey'])
    const { publicKey } = (await askLogin(person.email)).body
    expect(said(await loginWith(other.email, other.key.get(publicKey)))).toBe('403 wrong_passkey')
    // A colleague's own passkey at a login as this person.
    expect(said(await loginWith(person.email, other.key.get(publicKey)))).toBe('403 wrong_passkey')
    const late = (await askLogin(person.email)).body.publicKey
    await roz.pass(301)
    expect(said(await loginWith(person.email, person.key.get(late)))).toBe('403 wrong_passkey')
    // A challenge of a step-up opens nothing.
    expect(said(await loginWith(person.email, person.key.get((await askStepUp(person.token)).body.publicKey)))).toBe('403 wrong_passkey')
  })

  test('refuses bytes that are no answer', async () => {
    const { email, key } = await withKey()
    const { publicKey } = (await askLogin(email)).body
    const answer = key.get(publicKey)
    const wrong = (response: object) => loginWith(email, { ...answer, response: { ...answer.response, ...response } })
    expect(said(await wrong({ clientDataJSON: 'bm8ganNvbg' }))).toBe('403 wrong_passkey')
    expect(said(await wrong({ signature: 'AAAA' }))).toBe('403 wrong_passkey')
    expect(said(await wrong({ authenticatorData: 'not base64!' }))).toBe('400 invalid_input')
  })

  test('keeps ten open challenges of an account', async () => {
    const person = await withKey()
    const first = (await askLogin(person.email)).body.publicKey
    for (let n = 0; n < 10; n++) await askLogin(person.email)
    expect(
      await roz.db.one(sql`select count(*)::int as n from staff_passkey_challenge where member_id = ${person.memberId}::bigint`),
    ).toEqual({ n: 10 })
    expect(said(await loginWith(person.email, person.key.get(first)))).toBe('403 wrong_passkey')
  })
})

describe('a step-up with a passkey', () => {
  test('is recorded for this session alone', async () => {
    const { token, key, memberId, email, recoveryCodes } = await withKey()
    const other = await openPortal(roz, email, recoveryCodes[0])
    await roz.pass(601)
    expect(said(await stepUp(token, {}))).toBe('403 passkey_required')
    const { publicKey } = (await askStepUp(token)).body
    expect(said(await stepUp(other, { passkey: key.get(publicKey) }))).toBe('403 wrong_passkey')
    const answer = key.get(publicKey)
    expect(said(await stepUp(token, { passkey: answer }))).toBe('200')
    expect(said(await stepUp(token, { passkey: answer }))).toBe('403 wrong_passkey')
    const log = await roz.db.query(sql`
      select after from audit_log where action = 'staff.step_up' and actor_id = ${memberId}::bigint order by id desc limit 1`)
    expect(log).toEqual([{ after: { by: 'passkey' } }])
  })
})

describe('an account that refuses codes of the app', () => {
  test('logs in and steps up by passkey or recovery code alone: a phished code opens nothing', async () => {
    const person = await withKey()
    expect(said(await only(person.token, true))).toBe('204')
    await roz.pass(30)
    const code = await codeFor(roz, person.secret)
    expect(said(await adminLogin(roz, person.email, { totp: code }))).toBe('403 passkeys_only')
    expect(said(await stepUp(person.token, { totp: code }))).toBe('403 passkeys_only')
    expect(said(await adminLogin(roz, person.email, { totp: '000000' }))).toBe('403 passkeys_only')
    expect(said(await logIn(person))).toBe('200')
    expect(said(await adminLogin(roz, person.email, { totp: person.recoveryCodes[0] ?? '' }))).toBe('200')
    expect(said(await only(person.token, false))).toBe('204')
    expect(said(await adminLogin(roz, person.email, { totp: code }))).toBe('200')
    const mails = (await roz.mailsTo(person.email)).map(({ text }) => text).join()
    expect([mails.includes('no longer log in to your account'), mails.includes('log in to your account again')]).toEqual([true, true])
  })

  test('needs a passkey, and takes codes again when the last one is removed', async () => {
    const bare = await enrolled()
    expect(said(await only(bare.token, true))).toBe('409 no_passkey')
    const person = await withKey()
    await only(person.token, true)
    expect(said(await remove(person.token, person.id))).toBe('204')
    expect((await account(person.token)).totp.passkeysOnly).toBe(false)
    await roz.pass(30)
    expect(said(await adminLogin(roz, person.email, { totp: await codeFor(roz, person.secret) }))).toBe('200')
  })
})

describe('a lost key', () => {
  test('is removed by its owner after a step-up, never by a colleague, and opens nothing any more', async () => {
    const [person, colleague] = [await withKey(), await withKey('owner')]
    expect(said(await remove(colleague.token, person.id))).toBe('404 passkey_not_found')
    await roz.pass(601)
    expect(said(await remove(person.token, person.id))).toBe('403 step_up_required')
    expect(said(await only(person.token, true))).toBe('403 step_up_required')
    await stepUp(person.token, { totp: await codeFor(roz, person.secret) })
    const answer = person.key.get((await askLogin(person.email)).body.publicKey)
    const both = await Promise.all([remove(person.token, person.id), remove(person.token, person.id)])
    expect(both.map(said).toSorted()).toEqual(['204', '404 passkey_not_found'])
    expect(said(await loginWith(person.email, answer))).toBe('403 wrong_passkey')
    expect((await roz.mailsTo(person.email)).some(({ text }) => text.includes('A passkey was removed from your account'))).toBe(true)
    expect((await logged(person.memberId)).at(-1)).toEqual({ action: 'staff.passkey_remove', before: { name: 'Laptop' }, after: null })
  })

  test('ends with the app: turned off, reset by an owner, or by roz staff reset-totp', async () => {
    const keys = (memberId: bigint) => roz.db.query(sql`select 1 from staff_passkey where member_id = ${memberId}::bigint`)
    const off = await withKey()
    await roz.pass(30)
    await roz.ask('POST /admin/totp/disable', {
      token: off.token,
      body: { password: STAFF_PASSWORD, totp: await codeFor(roz, off.secret) },
      ...SOURCE,
    })
    const reset = await withKey()
    const owner = await enrolled('owner')
    await roz.ask(`POST /admin/staff/${reset.publicId}/reset-totp`, { token: owner.token, body: { reason: 'The key is lost.' } })
    const last = await withKey('owner')
    const target = { databaseUrl: roz.database.appUrl, dataDir: '/nowhere', namedStatements: true, say: () => undefined }
    expect(await resetTotpNow(target, last.email)).toBe(0)
    for (const { memberId } of [off, reset, last]) expect(await keys(memberId)).toEqual([])
    expect(said(await askLogin(last.email))).toBe('409 no_passkey')
  })
})
