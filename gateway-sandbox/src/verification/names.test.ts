import { constants, generateKeyPairSync, publicEncrypt } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  type Answer,
  call,
  freshId,
  HEADERS,
  openSandbox,
  refusalOf,
  removeFolder,
  temporaryFolder,
  useSandbox,
  VERIFICATION_HEADERS,
  VERIFICATION_KEYS,
  whole,
} from '../testing/world.ts'

const world = useSandbox({ verification: true })
const { control } = world
const PATH = '/verification/upi/penny-drop'
const consent = { obtained: true, type: 'EXPLICIT', timestamp: '2026-03-04T12:00:00+05:30', purpose: 'A withdrawal' }
const bodyOf = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  verification_id: freshId(),
  vpa: 'asha@okbank',
  name: 'Asha Verma',
  user_consent: consent,
  ...more,
})
const ask = (more: Record<string, unknown> = {}, headers: Record<string, string> = VERIFICATION_HEADERS): Promise<Answer> =>
  call('POST', `${world.url}${PATH}`, bodyOf(more), headers)

test('the answer has the recorded shape', async () => {
  const body = bodyOf()
  const answer = await call('POST', `${world.url}${PATH}`, body, VERIFICATION_HEADERS)
  expect([answer.status, whole(answer)]).toEqual([
    200,
    {
      verification_id: body.verification_id,
      reference_id: expect.any(Number),
      status: 'VALID',
      vpa: 'asha@okbank',
      ifsc: 'ICIC0006567',
      name_at_bank: 'ASHA VERMA',
      utr: expect.stringMatching(/^SBX\d+$/),
      bank_account: '1234567890',
      name_match_score: '100',
      name_match_result: 'DIRECT_MATCH',
      ifsc_details: { bank: 'ICICI Bank', branch: 'BANGALORE', upi: 'Live' },
    },
  ])
})

test.each([
  ['VERMA ASHA', 'DIRECT_MATCH'],
  ['ASHA VERMA RAO', 'GOOD_PARTIAL_MATCH'],
  ['ASHA RAO', 'POOR_PARTIAL_MATCH'],
  ['RAVI KUMAR', 'NO_MATCH'],
])('a bank that has the name %s answers %s', async (name, word) => {
  await control('/upi-ids/known@okbank', { name })
  expect(whole(await ask({ vpa: 'known@okbank' }))).toMatchObject({ name_at_bank: name, name_match_result: word })
})

test('a control call sets any status and any word, which last until the next one', async () => {
  await control('/upi-ids/gone@okbank', { status: 'INVALID' })
  expect(whole(await ask({ vpa: 'gone@okbank' }))).toMatchObject({ status: 'INVALID', name_at_bank: null, name_match_result: null })
  await control('/upi-ids/gone@okbank', { result: 'SOME_NEW_WORD' })
  await world.restart()
  expect(whole(await ask({ vpa: 'gone@okbank' }))).toMatchObject({ status: 'VALID', name_match_result: 'SOME_NEW_WORD' })
  const shown = whole(await control('/upi-ids/gone@okbank'))
  expect([shown.result, (shown.checks as unknown[]).length]).toEqual(['SOME_NEW_WORD', 2])
  expect((await control('/upi-ids/gone@okbank', { word: 'x' })).status).toBe(400)
})

test('an id counts once, also at once', async () => {
  const id = freshId()
  const answers = await Promise.all([1, 2, 3].map(() => ask({ verification_id: id, vpa: 'once@okbank' })))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
  expect(refusalOf(await ask({ verification_id: id }))).toEqual([409, 'verification_id_already_exists'])
  expect((whole(await control('/upi-ids/once@okbank')).checks as unknown[]).length).toBe(1)
})

test.each([
  [{ verification_id: 'a b' }, 'verification_id_invalid'],
  [{ vpa: 'nobody' }, 'vpa_invalid'],
  [{ name: 'आशा' }, 'name_invalid'],
  [{ user_consent: undefined }, 'user_consent_missing'],
  [{ user_consent: { ...consent, obtained: false } }, 'user_consent.obtained_invalid'],
  [{ user_consent: { ...consent, timestamp: 'today' } }, 'user_consent.timestamp_invalid'],
  [{ user_consent: { ...consent, purpose: '' } }, 'user_consent.purpose_missing'],
])('%j is refused with %s', async (wrong, code) => {
  expect(refusalOf(await ask(wrong))).toEqual([400, code])
})

test('the account has keys and a version of its own; without one nothing is enabled', async () => {
  expect((await ask({}, HEADERS)).status).toBe(401)
  expect(refusalOf(await ask({}, { ...VERIFICATION_HEADERS, 'x-api-version': '2025-01-01' }))).toEqual([400, 'version_invalid'])
  const folder = temporaryFolder()
  const other = await openSandbox(folder)
  expect(refusalOf(await call('POST', `${other.url}${PATH}`, bodyOf(), VERIFICATION_HEADERS))).toEqual([403, 'apis_not_enabled'])
  await other.close()
  removeFolder(folder)
})

test('with a signature key a call needs a signature of the last ten minutes', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const folder = temporaryFolder()
  const signatureKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const signed = await openSandbox(folder, undefined, undefined, { ...VERIFICATION_KEYS, signatureKey })
  const at = (ms: number): string =>
    publicEncrypt(
      { key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' },
      Buffer.from(`${VERIFICATION_KEYS.clientId}.${Math.floor(ms / 1000)}`),
    ).toString('base64')
  const statusOf = async (more: Record<string, string>) =>
    (await call('POST', `${signed.url}${PATH}`, bodyOf(), { ...VERIFICATION_HEADERS, ...more })).status
  expect(await statusOf({})).toBe(403)
  expect(await statusOf({ 'x-cf-signature': at(Date.now() - 700_000) })).toBe(403)
  expect(await statusOf({ 'x-cf-signature': at(Date.now()) })).toBe(200)
  await signed.close()
  removeFolder(folder)
})

test('faults act here too: silence and an error come after the rupee, a refusal before it', async () => {
  const checks = async () => (whole(await control('/upi-ids/faulty@okbank')).checks as unknown[]).length
  await control('/faults', { api: 'error_after_commit' })
  expect([(await ask({ vpa: 'faulty@okbank' })).status, await checks()]).toEqual([500, 1])
  await control('/faults', { api: 'rate_limit' })
  expect([(await ask({ vpa: 'faulty@okbank' })).status, await checks()]).toEqual([429, 1])
  await control('/faults', { edge: 'other_id' })
  const id = freshId()
  expect(whole(await ask({ verification_id: id })).verification_id).not.toBe(id)
})
