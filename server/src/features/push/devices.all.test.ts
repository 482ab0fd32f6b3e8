/** The devices that get results: subscribed, removed, and whose they are. */
import { createECDH, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { makeStaff, testSecrets } from '../../testing/calls.ts'
import { usePushWorld, type Owner } from '../../testing/push-world.ts'
import { DEVICES_MAX } from './devices.ts'
import { rotatePushKey } from '../../commands/rotate-push-key.ts'

const world = usePushWorld()

const state = async ({ token }: Pick<Owner, 'token'>) => (await world.ask('GET /notifications/push', { token })).body
const leave = async ({ token }: Pick<Owner, 'token'>) => (await world.ask('DELETE /notifications/push', { token })).status
const count = async (id: bigint) => (await world.devicesOf(id)).length

describe('a device', () => {
  test('is subscribed, again, and removed, any number of times', async () => {
    const asha = await world.member()
    expect(await state(asha)).toEqual({ publicKey: expect.stringMatching(/^B[\w-]{86}$/), subscribed: false, wanted: false })
    const browser = await world.subscribe(asha)
    expect(await state(asha)).toMatchObject({ subscribed: true, wanted: true })
    const [first] = (await world.ask('GET /user/export', { token: asha.token })).body.devices
    await Promise.all([world.subscribe(asha, browser), world.subscribe(asha, browser)])
    expect((await world.ask('GET /user/export', { token: asha.token })).body.devices).toEqual([first])
    expect(first).toEqual({ endpoint: browser.subscription.endpoint, since: expect.stringMatching(/\+05:30$/) })
    expect([await leave(asha), await leave(asha)]).toEqual([204, 204])
    expect(await state(asha)).toMatchObject({ subscribed: false, wanted: false })
  })

  test('accepts a browser’s whole subscription, with its expiration time and unknown fields', async () => {
    const asha = await world.member()
    const { endpoint, keys } = world.service.newBrowser().subscription
    const body = { endpoint, expirationTime: null, keys: { ...keys, later: 'x' } }
    expect((await world.ask('POST /notifications/push', { token: asha.token, body })).status).toBe(204)
  })

  test('belongs to its session: other sessions of the member have none, and a new subscription replaces the old one', async () => {
    const asha = await world.member()
    const phone = { ...asha, token: await world.signIn(asha.id) }
    await world.subscribe(asha)
    expect(await state(phone)).toMatchObject({ subscribed: false, wanted: true })
    await world.subscribe(phone)
    await world.subscribe(phone)
    expect(await count(asha.id)).toBe(2)
    expect(await leave(asha)).toBe(204)
    expect(await state(phone)).toMatchObject({ subscribed: true, wanted: true })
  })

  test('is one browser: the next member who signs in there takes it over', async () => {
    const [asha, biju] = [await world.member(), await world.member()]
    const browser = await world.subscribe(asha)
    await world.subscribe(biju, browser)
    expect([await count(asha.id), await count(biju.id)]).toEqual([0, 1])
  })

  test('that is taken over is its new owner’s newest, whatever its id', async () => {
    const [asha, biju] = [await world.member(), await world.member()]
    const browser = await world.subscribe(asha)
    const [before] = await world.devicesOf(asha.id)
    for (let n = 0; n < DEVICES_MAX; n++) await world.subscribe({ token: await world.signIn(biju.id) })
    await world.subscribe(biju, browser)
    expect([await count(asha.id), await count(biju.id), (await state(biju)).subscribed]).toEqual([0, DEVICES_MAX, true])
    expect((await world.devicesOf(biju.id))[0]?.id).toBe(before?.id)
  })

  test('is one of at most ten: an eleventh replaces the oldest', async () => {
    const asha = await world.member()
    await world.subscribe(asha)
    const others: Owner[] = []
    for (let n = 0; n < DEVICES_MAX; n++) {
      const other = { ...asha, token: await world.signIn(asha.id) }
      others.push(other)
      await world.subscribe(other)
    }
    expect([await count(asha.id), (await state(asha)).subscribed]).toEqual([DEVICES_MAX, false])
    expect((await Promise.all(others.map(state))).every(({ subscribed }) => subscribed)).toBe(true)
  })

  test('is stored encrypted, and its address is in no line of the log', async () => {
    const asha = await world.member()
    const browser = await world.subscribe(asha)
    const [row] = await world.db.query<{ text: string }>(sql`
      select encode(sealed, 'escape') || encode(endpoint_mac, 'escape') as text from push_device where member_id = ${asha.id}::bigint`)
    const secretPart = browser.subscription.endpoint.slice(-12)
    expect(row?.text).not.toContain(secretPart)
    expect(world.logLines.join('')).not.toContain(secretPart)
  })
})

describe('a device is removed', () => {
  test('with its session, at a logout', async () => {
    const asha = await world.member()
    await world.subscribe(asha)
    await world.ask('POST /auth/logout', { token: asha.token })
    expect(await count(asha.id)).toBe(0)
  })

  test('on every device when the member switches push off', async () => {
    const asha = await world.member()
    await world.subscribe(asha)
    await world.subscribe({ token: await world.signIn(asha.id) })
    const { body } = await world.ask('PUT /notifications/preferences', { token: asha.token, body: { push: false } })
    expect([body.preferences.push, await count(asha.id)]).toEqual([false, 0])
  })

  test('with the account', async () => {
    const asha = await world.member()
    await world.subscribe(asha)
    await world.ask('POST /user/close', { token: asha.token, body: { gift: true } })
    expect((await world.ask('DELETE /user', { token: asha.token })).status).toBe(204)
    expect(await count(asha.id)).toBe(0)
  })

  test.each(['a logout', 'the account'])('with %s, even at the moment of a new subscription', async (what) => {
    for (let round = 0; round < 8; round++) {
      const asha = await world.member()
      await world.ask('POST /user/close', { token: asha.token, body: { gift: true } })
      const browser = world.service.newBrowser()
      const end = what === 'a logout' ? 'POST /auth/logout' : 'DELETE /user'
      const [ended, subscribed] = await Promise.all([
        world.ask(end, { token: asha.token }),
        world.ask('POST /notifications/push', { token: asha.token, body: browser.subscription }),
        world.ask('DELETE /notifications/push', { token: asha.token }),
      ])
      expect(ended.status).toBe(204)
      expect([204, 401]).toContain(subscribed.status)
      expect(await count(asha.id)).toBe(0)
    }
  })

  test('or kept together with the choice of push, when both change at once', async () => {
    for (let round = 0; round < 8; round++) {
      const asha = await world.member()
      const browser = world.service.newBrowser()
      await Promise.all([
        world.subscribe(asha, browser),
        world.ask('PUT /notifications/preferences', { token: asha.token, body: { push: false } }),
        world.ask('DELETE /notifications/push', { token: asha.token }),
      ])
      const { subscribed, wanted } = await state(asha)
      expect(wanted).toBe(subscribed)
    }
  })
})

describe('a subscription', () => {
  const point = (): string => createECDH('prime256v1').generateKeys('base64url')
  const keys = { p256dh: point(), auth: randomBytes(16).toString('base64url') }
  const at = (endpoint: string) => ({ endpoint, keys })
  const FCM = 'https://fcm.googleapis.com/fcm/send/abc'

  test.each([
    'http://fcm.googleapis.com/fcm/send/abc',
    'https://127.0.0.1/x',
    'https://localhost/x',
    'https://[::1]/x',
    'https://169.254.169.254/latest/meta-data',
    'https://fcm.googleapis.com:8443/x',
    'https://fcm.googleapis.com.evil.test/x',
    'https://evil.test/fcm.googleapis.com',
    'https://evilpush.apple.com.test/',
    'https://notpush.services.mozilla.com/x',
    'https://push.apple.com/x',
    'https://user:pass@fcm.googleapis.com/x',
    'https://fcm.googleapis.com@evil.test/x',
    'https://fcm.googleapis.com./x',
    'https://fcm.googleapis.com/x#y',
    'file:///etc/passwd',
    'nonsense',
  ])('to another host than a browser’s push service is refused: %s', async (endpoint) => {
    const { token } = await world.member()
    const { status, body } = await world.ask('POST /notifications/push', { token, body: at(endpoint) })
    expect([status, body.fields]).toEqual([400, { endpoint: 'The push service of this browser is not supported' }])
  })

  test.each([
    FCM,
    'https://jmt17.google.com/fcm/send/abc',
    'https://updates.push.services.mozilla.com/wpush/v2/abc',
    'https://web.push.apple.com/abc',
    'https://wns2-bl2p.notify.windows.com/w/?token=abc',
  ])('to a browser’s own push service is accepted: %s', async (endpoint) => {
    const { token } = await world.member()
    expect((await world.ask('POST /notifications/push', { token, body: at(endpoint) })).status).toBe(204)
    await leave({ token })
  })

  const offCurve = Buffer.concat([Buffer.of(4), Buffer.alloc(64, 7)]).toString('base64url')
  test.each<[string, unknown]>([
    ['a key off the curve', { endpoint: FCM, keys: { ...keys, p256dh: offCurve } }],
    ['a compressed key', { endpoint: FCM, keys: { ...keys, p256dh: createECDH('prime256v1').generateKeys('base64url', 'compressed') } }],
    ['a key of zeros', { endpoint: FCM, keys: { ...keys, p256dh: Buffer.alloc(65).toString('base64url') } }],
    ['a short secret', { endpoint: FCM, keys: { ...keys, auth: randomBytes(15).toString('base64url') } }],
    ['a secret that is no base64url', { endpoint: FCM, keys: { ...keys, auth: 'ä'.repeat(16) } }],
    ['a long address', { endpoint: `${FCM}${'x'.repeat(1000)}`, keys }],
    ['no keys', { endpoint: FCM }],
    ['no address', { keys }],
    ['an unknown field', { endpoint: FCM, keys, surprise: 1 }],
  ])('with %s is refused', async (_what, body) => {
    const { id, token } = await world.member()
    expect(await world.ask('POST /notifications/push', { token, body })).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
    expect(await count(id)).toBe(0)
  })

  test('without a valid session is refused', async () => {
    const staff = await makeStaff(world.db)
    const token = 'x'.repeat(43)
    for (const call of ['GET', 'POST', 'DELETE'].map((method) => `${method} /notifications/push`))
      expect((await world.ask(call, { token, ...(call.startsWith('POST') ? { body: at(FCM) } : {}) })).status).toBe(401)
    expect(await count(staff)).toBe(0)
  })
})

test('a replaced key stays valid for its devices, whose apps are told to subscribe again', async () => {
  const asha = await world.member()
  await world.subscribe(asha)
  const before = await state(asha)
  const said: string[] = []
  const command = { databaseUrl: world.database.appUrl, dataDir: '/nowhere', namedStatements: true, secretKeyOld: undefined }
  const rotate = (secretKey: string) => rotatePushKey({ ...command, secretKey, say: (line) => void said.push(line) })
  // No server could read a key that another SECRET_KEY encrypts, and none would start again.
  expect(await rotate('the key of another server')).toBe(2)
  expect(said.splice(0)).toEqual([
    expect.stringMatching(/^The key was not replaced: .*1 push keys.* a key that is neither SECRET_KEY nor SECRET_KEY_OLD$/),
  ])
  expect((await state(asha)).publicKey).toBe(before.publicKey)
  expect(await rotate(testSecrets.keys.secretKey)).toBe(0)
  const after = await state(asha)
  expect(after).toMatchObject({ subscribed: false, wanted: true })
  expect(after.publicKey).not.toBe(before.publicKey)
  expect(said[0]).toContain(after.publicKey)
  expect(await count(asha.id)).toBe(1)
  await world.subscribe(asha)
  expect(await state(asha)).toEqual({ publicKey: after.publicKey, subscribed: true, wanted: true })
})
