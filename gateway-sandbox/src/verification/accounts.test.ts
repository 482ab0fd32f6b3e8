import { expect, test } from 'vitest'
import { type Answer, call, freshId, refusalOf, useSandbox, VERIFICATION_HEADERS, whole } from '../testing/world.ts'

const world = useSandbox({ verification: true })
const { control } = world
const ask = (path: string, body: Record<string, unknown>): Promise<Answer> =>
  call('POST', `${world.url}/verification${path}`, body, VERIFICATION_HEADERS)
const account = (more: Record<string, unknown> = {}): Promise<Answer> =>
  ask('/bank-account/sync', { bank_account: '123456789012', ifsc: 'HDFC0ABC123', name: 'Asha Verma', phone: '9999999999', ...more })
const ifsc = (more: Record<string, unknown> = {}): Promise<Answer> =>
  ask('/ifsc', { verification_id: freshId(), ifsc: 'HDFC0ABC123', ...more })
const upi = (more: Record<string, unknown> = {}): Promise<Answer> =>
  ask('/upi', { verification_id: freshId(), vpa: 'asha@okbank', name: 'Asha Verma', ...more })

test('a valid account has the recorded shape; a control call sets the name, the status and the code', async () => {
  const answer = await account()
  expect([answer.status, whole(answer)]).toEqual([
    200,
    {
      reference_id: expect.any(Number),
      name_at_bank: 'ASHA VERMA',
      name_match_score: '100',
      name_match_result: 'DIRECT_MATCH',
      account_status: 'VALID',
      account_status_code: 'ACCOUNT_IS_VALID',
      utr: expect.stringMatching(/^SBX\d+$/),
      ifsc_details: { bank: 'HDFC Bank', branch: 'Branch ABC123', ifsc: 'HDFC0ABC123' },
    },
  ])
  await control('/bank-accounts/HDFC0ABC123/123456789012', { name: 'Ravi Kumar' })
  expect(whole(await account())).toMatchObject({ name_at_bank: 'RAVI KUMAR', name_match_result: 'NO_MATCH' })
  await control('/bank-accounts/HDFC0ABC123/123456789012', { status: 'INVALID', code: 'ACCOUNT_BLOCKED' })
  const blocked = { account_status: 'INVALID', account_status_code: 'ACCOUNT_BLOCKED', name_at_bank: null, utr: null }
  expect(whole(await account())).toMatchObject(blocked)
  const shown = whole(await control('/bank-accounts/HDFC0ABC123/123456789012'))
  expect([shown.code, (shown.checks as unknown[]).length]).toEqual(['ACCOUNT_BLOCKED', 3])
})

test('the test data decides by itself', async () => {
  const failing = { bank_account: '026291800001190', ifsc: 'YESB0000262' }
  expect(whole(await account(failing))).toMatchObject({ account_status: 'INVALID', account_status_code: 'INVALID_ACCOUNT_FAIL' })
  expect(whole(await account({ ...failing, bank_account: '026291800001191' }))).toMatchObject({ account_status: 'VALID' })
  for (const vpa of ['invalid@upi', 'incorrect@upi']) expect(whole(await upi({ vpa }))).toMatchObject({ status: 'INVALID', vpa })
  expect(whole(await upi({ vpa: 'success@upi' }))).toMatchObject({ status: 'VALID', name_at_bank: 'ASHA VERMA' })
})

test('an IFSC names its bank and the live ways; a control call makes it invalid', async () => {
  const id = freshId()
  expect(whole(await ifsc({ verification_id: id }))).toEqual({
    verification_id: id,
    reference_id: expect.any(Number),
    status: 'VALID',
    ifsc: 'HDFC0ABC123',
    bank: 'HDFC Bank',
    branch: 'Branch ABC123',
    imps: 'Live',
    neft: 'Live',
    rtgs: 'Live',
    upi: 'Live',
  })
  expect(refusalOf(await ifsc({ verification_id: id }))).toEqual([409, 'verification_id_already_exists'])
  await control('/ifsc/HDFC0ABC123', { status: 'INVALID' })
  expect(whole(await ifsc())).toMatchObject({ status: 'INVALID', bank: null, upi: null })
  expect((whole(await control('/ifsc/HDFC0ABC123')).checks as unknown[]).length).toBe(2)
})

test('a plain check of a UPI ID sends no rupee, needs no consent and answers any word', async () => {
  const id = freshId()
  const answer = await upi({ verification_id: id })
  const about = { verification_id: id, reference_id: expect.any(Number), vpa: 'asha@okbank' }
  expect(whole(answer)).toEqual({ ...about, status: 'VALID', name_at_bank: 'ASHA VERMA' })
  expect(refusalOf(await upi({ verification_id: id }))).toEqual([409, 'verification_id_already_exists'])
  expect(whole(await control('/upi-ids/asha@okbank')).checks).toEqual([{ verification_id: id, utr: null }])
  for (const status of ['EXPIRED', 'NPCI_NAME_INCORRECT']) {
    await control('/upi-ids/asha@okbank', { status })
    expect(whole(await upi())).toMatchObject({ status, name_at_bank: null })
  }
})

test.each([
  ['account', { bank_account: '12345678' }, 'bank_account_invalid'],
  ['account', { ifsc: 'HDFC1ABC123' }, 'ifsc_invalid'],
  ['account', { name: '1' }, 'name_invalid'],
  ['account', { phone: 'none' }, 'phone_invalid'],
  ['ifsc', { verification_id: undefined }, 'verification_id_missing'],
  ['ifsc', { ifsc: undefined }, 'ifsc_missing'],
  ['upi', { vpa: 'nobody' }, 'vpa_invalid'],
] as const)('a check (%s) with %j is refused with %s', async (kind, wrong, code) => {
  expect(refusalOf(await { account, ifsc, upi }[kind](wrong))).toEqual([400, code])
})
