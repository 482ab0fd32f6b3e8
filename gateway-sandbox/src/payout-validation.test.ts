import { expect, test } from 'vitest'
import { type Answer, call, freshId, PAYOUT_HEADERS, refusalOf, useSandbox, whole } from './testing/world.ts'

const world = useSandbox({ payouts: true })
const { control } = world
const api = (path: string, body: unknown): Promise<Answer> => call('POST', `${world.url}/payout${path}`, body, PAYOUT_HEADERS)
const validate = (more: Record<string, unknown>): Promise<Answer> => api('/validatePayout', { transfer_id: freshId(), ...more })
const pay = (transferId: string, token: unknown, more: Record<string, unknown> = {}): Promise<Answer> =>
  api('/transfers', { transfer_id: transferId, transfer_token: token, transfer_amount: 10, transfer_mode: 'upi', ...more })

async function validated(vpa: string): Promise<{ id: string; token: unknown }> {
  const id = freshId()
  return { id, token: whole(await validate({ transfer_id: id, vpa })).transfer_token }
}

test('a valid UPI ID gets a token and the name at its bank; an invalid one gets neither', async () => {
  await control('/upi-ids/asha@okbank', { name: 'Asha Verma' })
  const answer = await validate({ vpa: 'asha@okbank' })
  const token = expect.stringMatching(/^[0-9a-f-]{36}$/)
  expect([answer.status, whole(answer)]).toEqual([
    200,
    { transfer_token: token, vpa: 'asha@okbank', account_status: 'VALID', name_at_bank: 'ASHA VERMA' },
  ])
  const nothing = { transfer_token: '', account_status: 'INVALID', name_at_bank: '' }
  expect(whole(await validate({ vpa: 'invalid@upi' }))).toEqual({ ...nothing, vpa: 'invalid@upi' })
  await control('/upi-ids/gone@okbank', { status: 'EXPIRED' })
  expect(whole(await validate({ vpa: 'gone@okbank' }))).toMatchObject(nothing)
  expect(whole(await validate({ phone: '9999999999' }))).toMatchObject({ vpa: '9999999999@upi', account_status: 'VALID' })
})

test('the token pays one transfer, by UPI only', async () => {
  const { id, token } = await validated('ravi@okbank')
  expect(refusalOf(await pay(id, token, { transfer_mode: undefined }))).toEqual([400, 'transfer_mode_invalid'])
  const answers = await Promise.all([pay(id, token), pay(id, token)])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  const paid = answers.find(({ status }) => status === 200) as Answer
  expect(whole(paid)).toMatchObject({ transfer_id: id, transfer_mode: 'UPI', status: 'PENDING' })
  expect(refusalOf(await validate({ transfer_id: id, vpa: 'ravi@okbank' }))).toEqual([409, 'transfer_id_already_exists'])
  const again = await validated('ravi@okbank')
  expect(whole(await pay(again.id, again.token)).beneficiary_details).toEqual(whole(paid).beneficiary_details)
})

test('a token of another transfer, an old token and one after an hour are refused', async () => {
  const [one, other] = [await validated('asha@okbank'), await validated('asha@okbank')]
  expect(refusalOf(await pay(one.id, other.token))).toEqual([400, 'transfer_token_invalid'])
  const newest = whole(await validate({ transfer_id: one.id, vpa: 'asha@okbank' })).transfer_token
  expect(refusalOf(await pay(one.id, one.token))).toEqual([400, 'transfer_token_invalid'])
  const start = Date.now()
  world.clock.set(start + 3_600_001)
  expect(refusalOf(await pay(one.id, newest))).toEqual([400, 'transfer_token_invalid'])
  world.clock.set(start + 3_000_000)
  expect((await pay(one.id, newest)).status).toBe(200)
})

test.each([
  [{}, 'vpa_missing'],
  [{ vpa: 'nobody' }, 'vpa_invalid'],
  [{ phone: '1' }, 'phone_invalid'],
  [{ phone: '9999999999', vpa: 'asha@okbank' }, 'phone_invalid'],
  [{ vpa: 'asha@okbank', transfer_id: 'a-b' }, 'transfer_id_invalid'],
])('a validation with %j is refused with %s', async (more, code) => {
  expect(refusalOf(await validate(more))).toEqual([400, code])
})

test('a control call sets the status of a beneficiary', async () => {
  const id = freshId()
  const details = { bank_account_number: '123456789012', bank_ifsc: 'HDFC0ABC123' }
  await api('/beneficiary', { beneficiary_id: id, beneficiary_name: 'Asha', beneficiary_instrument_details: details })
  for (const status of ['INITIATED', 'INVALID', 'VERIFIED']) {
    expect(whole(await control(`/beneficiaries/${id}`, { status })).beneficiary_status).toBe(status)
    const read = await call('GET', `${world.url}/payout/beneficiary?beneficiary_id=${id}`, undefined, PAYOUT_HEADERS)
    expect(whole(read).beneficiary_status).toBe(status)
  }
  expect((await control(`/beneficiaries/${id}`, { status: 'UNKNOWN' })).status).toBe(400)
  expect((await control('/beneficiaries/nobody', { status: 'VERIFIED' })).status).toBe(404)
})
