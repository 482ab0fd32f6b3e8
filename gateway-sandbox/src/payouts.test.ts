import { constants, generateKeyPairSync, publicEncrypt } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  type Answer,
  call,
  HEADERS,
  openSandbox,
  opensslSignature,
  PAYOUT_HEADERS,
  PAYOUT_KEYS,
  refusalOf,
  removeFolder,
  temporaryFolder,
  waitUntil,
  whole,
  useSandbox,
} from './testing/world.ts'

const MINUTE_MS = 60_000
const world = useSandbox({ payouts: true })
const { control } = world

const api = (method: string, path: string, body?: unknown, headers: Record<string, string> = PAYOUT_HEADERS): Promise<Answer> =>
  call(method, `${world.url}/payout${path}`, body, headers)

let made = 0
const freshId = (): string => `wd_${Date.now()}_${made++}`
const freshAccount = (): string => String(100_000_000_000 + made++)

const beneficiaryBody = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  beneficiary_id: freshId(),
  beneficiary_name: 'Asha Verma',
  beneficiary_instrument_details: { bank_account_number: freshAccount(), bank_ifsc: 'HDFC0ABC123' },
  ...more,
})
async function payee(details?: Record<string, unknown>): Promise<string> {
  const body = beneficiaryBody(details === undefined ? {} : { beneficiary_instrument_details: details })
  expect((await api('POST', '/beneficiary', body)).status).toBe(201)
  return String(body.beneficiary_id)
}
const transferBody = (beneficiaryId: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  transfer_id: freshId(),
  transfer_amount: 10,
  beneficiary_details: { beneficiary_id: beneficiaryId },
  ...more,
})
async function taken(): Promise<string> {
  const body = transferBody(await payee())
  expect((await api('POST', '/transfers', body)).status).toBe(200)
  return String(body.transfer_id)
}

describe('the payouts account', () => {
  test('has keys and a version of its own', async () => {
    const id = '/transfers?transfer_id=x'
    expect((await api('GET', id, undefined, HEADERS)).status).toBe(401)
    expect((await api('GET', id, undefined, {})).status).toBe(401)
    expect((await api('GET', id, undefined, { ...PAYOUT_HEADERS, 'x-client-secret': 'other' })).status).toBe(401)
    expect(refusalOf(await api('GET', id, undefined, { ...PAYOUT_HEADERS, 'x-api-version': '' }))).toEqual([400, 'version_missing'])
    expect(refusalOf(await api('GET', id, undefined, { ...PAYOUT_HEADERS, 'x-api-version': '2025-01-01' }))).toEqual([
      400,
      'version_invalid',
    ])
    expect((await call('GET', `${world.url}/pg/orders/x`, undefined, PAYOUT_HEADERS)).status).toBe(401)
    const answer = await api('GET', id, undefined, { ...PAYOUT_HEADERS, 'x-request-id': 'mine' })
    expect([answer.headers.get('x-request-id'), refusalOf(answer)]).toEqual(['mine', [404, 'transfer_id_not_found']])
    expect((await api('GET', '/nothing')).status).toBe(404)
  })

  test('answers that payouts are not enabled when none is configured', async () => {
    const folder = temporaryFolder()
    const without = await openSandbox(folder)
    expect(refusalOf(await call('GET', `${without.url}/payout/transfers?transfer_id=x`, undefined, PAYOUT_HEADERS))).toEqual([
      403,
      'apis_not_enabled',
    ])
    await without.close()
    removeFolder(folder)
  })

  test('with a signature key refuses calls without a signature of the last ten minutes', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const signatureKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const folder = temporaryFolder()
    const guarded = await openSandbox(folder, world.clock.url, { ...PAYOUT_KEYS, signatureKey })
    const sealed = (text: string, oaepHash = 'sha1'): string =>
      publicEncrypt({ key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash }, Buffer.from(text)).toString('base64')
    const ask = async (signature: string | undefined) =>
      refusalOf(
        await call('GET', `${guarded.url}/payout/transfers?transfer_id=x`, undefined, {
          ...PAYOUT_HEADERS,
          ...(signature === undefined ? {} : { 'x-cf-signature': signature }),
        }),
      )
    const seconds = Math.floor(Date.now() / 1000)
    const { clientId } = PAYOUT_KEYS
    expect(await ask(sealed(`${clientId}.${seconds}`))).toEqual([404, 'transfer_id_not_found'])
    for (const wrong of [
      undefined,
      'rubbish',
      sealed(`${clientId}.${seconds}`, 'sha256'),
      sealed(`someone.${seconds}`),
      sealed(clientId),
      sealed(`${clientId}.${seconds - 660}`),
    ]) {
      expect(await ask(wrong)).toEqual([403, 'signature_invalid'])
    }
    await guarded.close()
    removeFolder(folder)
  })
})

describe('a beneficiary', () => {
  test('is created with 201 and the recorded shape, and found by id and by account', async () => {
    const body = beneficiaryBody({
      beneficiary_contact_details: {
        beneficiary_email: 'asha@example.in',
        beneficiary_phone: '9876543210',
        beneficiary_country_code: '+91',
      },
    })
    const answer = await api('POST', '/beneficiary', body)
    expect(answer.status).toBe(201)
    expect(whole(answer)).toEqual({
      ...body,
      beneficiary_status: 'VERIFIED',
      added_on: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    })
    const account = body.beneficiary_instrument_details as { bank_account_number: string }
    expect((await api('GET', `/beneficiary?beneficiary_id=${String(body.beneficiary_id)}`)).text).toBe(answer.text)
    const byAccount = await api('GET', `/beneficiary?bank_account_number=${account.bank_account_number}&bank_ifsc=HDFC0ABC123`)
    expect([byAccount.status, byAccount.text]).toEqual([200, answer.text])
  })

  test.each([
    ['no id', { beneficiary_id: undefined }, 'beneficiary_id_missing'],
    ['an id of 51', { beneficiary_id: 'a'.repeat(51) }, 'beneficiary_id_invalid'],
    ['an id with a dash', { beneficiary_id: 'a-b' }, 'beneficiary_id_invalid'],
    ['no name', { beneficiary_name: '' }, 'beneficiary_name_missing'],
    ['a name with digits', { beneficiary_name: 'Asha 2' }, 'beneficiary_name_invalid'],
    ['a name of 101', { beneficiary_name: 'a'.repeat(101) }, 'beneficiary_name_invalid'],
    ['nothing to pay to', { beneficiary_instrument_details: undefined }, 'bank_account_number_missing'],
    ['no IFSC', { beneficiary_instrument_details: { bank_account_number: '123456789' } }, 'bank_ifsc_missing'],
    [
      'a short account',
      { beneficiary_instrument_details: { bank_account_number: '12345678', bank_ifsc: 'HDFC0ABC123' } },
      'bank_account_number_invalid',
    ],
    [
      'a long account',
      { beneficiary_instrument_details: { bank_account_number: '1'.repeat(19), bank_ifsc: 'HDFC0ABC123' } },
      'bank_account_number_invalid',
    ],
    [
      'a wrong IFSC',
      { beneficiary_instrument_details: { bank_account_number: '123456789', bank_ifsc: 'HDFC1ABC123' } },
      'bank_ifsc_invalid',
    ],
    ['a wrong UPI address', { beneficiary_instrument_details: { vpa: 'nobody' } }, 'vpa_invalid'],
    ['a wrong mail address', { beneficiary_contact_details: { beneficiary_email: 'x' } }, 'beneficiary_email_invalid'],
  ])('with %s is refused', async (_what, more, code) => {
    expect(refusalOf(await api('POST', '/beneficiary', beneficiaryBody(more)))).toEqual([400, code])
  })

  test('is refused when its id or its account is taken', async () => {
    const body = beneficiaryBody()
    await api('POST', '/beneficiary', body)
    expect(refusalOf(await api('POST', '/beneficiary', body))).toEqual([409, 'beneficiary_id_already_exists'])
    expect(refusalOf(await api('POST', '/beneficiary', { ...body, beneficiary_id: freshId() }))).toEqual([
      409,
      'beneficiary_already_exists',
    ])
    await payee({ vpa: 'asha@okbank' })
    expect(
      refusalOf(await api('POST', '/beneficiary', beneficiaryBody({ beneficiary_instrument_details: { vpa: 'asha@okbank' } }))),
    ).toEqual([409, 'beneficiary_already_exists'])
  })

  test('is not found after deletion, and may be created again', async () => {
    const body = beneficiaryBody()
    const query = `/beneficiary?beneficiary_id=${String(body.beneficiary_id)}`
    await api('POST', '/beneficiary', body)
    const deleted = await api('DELETE', query)
    expect([deleted.status, whole(deleted).beneficiary_status]).toEqual([200, 'DELETED'])
    for (const method of ['GET', 'DELETE']) expect(refusalOf(await api(method, query))).toEqual([404, 'beneficiary_not_found'])
    expect(refusalOf(await api('POST', '/transfers', transferBody(String(body.beneficiary_id))))).toEqual([404, 'beneficiary_not_found'])
    expect((await api('POST', '/beneficiary', body)).status).toBe(201)
  })

  test('with an unknown id is 404, and a request without an id is refused', async () => {
    expect(refusalOf(await api('GET', '/beneficiary?bank_account_number=999999999&bank_ifsc=HDFC0ABC123'))).toEqual([
      404,
      'beneficiary_not_found',
    ])
    for (const method of ['GET', 'DELETE']) expect(refusalOf(await api(method, '/beneficiary'))).toEqual([400, 'beneficiary_id_missing'])
  })
})

describe('a transfer', () => {
  test('is PENDING when accepted, has the recorded shape, and is found by either id', async () => {
    const beneficiaryId = await payee()
    const body = transferBody(beneficiaryId, {
      transfer_amount: 1234.5,
      transfer_currency: 'INR',
      transfer_mode: 'imps',
      transfer_remarks: 'Withdrawal',
    })
    const answer = await api('POST', '/transfers', body)
    expect(answer.status).toBe(200)
    expect(whole(answer)).toEqual({
      transfer_id: body.transfer_id,
      cf_transfer_id: expect.stringMatching(/^\d+$/),
      status: 'PENDING',
      status_code: 'PENDING',
      status_description: expect.any(String),
      beneficiary_details: { beneficiary_id: beneficiaryId },
      transfer_amount: 1234.5,
      transfer_service_charge: 0,
      transfer_service_tax: 0,
      transfer_mode: 'BANK',
      transfer_utr: null,
      fundsource_id: 'CASHFREE_1',
      added_on: expect.stringMatching(/Z$/),
      updated_on: expect.stringMatching(/Z$/),
    })
    expect((await api('GET', `/transfers?transfer_id=${String(body.transfer_id)}`)).text).toBe(answer.text)
    expect((await api('GET', `/transfers?cf_transfer_id=${String(whole(answer).cf_transfer_id)}`)).text).toBe(answer.text)
    expect(world.shop.webhooks).toEqual([])
  })

  test.each([
    ['no id', { transfer_id: undefined }, 'transfer_id_missing'],
    ['an id of 41', { transfer_id: 'a'.repeat(41) }, 'transfer_id_invalid'],
    ['an id with a dash', { transfer_id: 'a-b' }, 'transfer_id_invalid'],
    ['no amount', { transfer_amount: undefined }, 'transfer_amount_missing'],
    ['less than a rupee', { transfer_amount: 0.99 }, 'transfer_amount_invalid'],
    ['a thousandth', { transfer_amount: 1.001 }, 'transfer_amount_invalid'],
    ['text for an amount', { transfer_amount: '10' }, 'transfer_amount_invalid'],
    ['more than IMPS carries', { transfer_amount: 500_000.01, transfer_mode: 'imps' }, 'transfer_amount_invalid'],
    ['an unknown mode', { transfer_mode: 'pigeon' }, 'transfer_mode_invalid'],
    ['UPI to a bank account', { transfer_mode: 'upi' }, 'transfer_mode_invalid'],
    ['another currency', { transfer_currency: 'USD' }, 'transfer_currency_invalid'],
    ['no beneficiary', { beneficiary_details: undefined }, 'beneficiary_details_missing'],
    ['a beneficiary without id', { beneficiary_details: {} }, 'beneficiary_id_missing'],
    ['remarks with a comma', { transfer_remarks: 'a, b' }, 'transfer_remarks_invalid'],
    ['remarks of 71', { transfer_remarks: 'a'.repeat(71) }, 'transfer_remarks_invalid'],
  ])('with %s is refused', async (_what, more, code) => {
    expect(refusalOf(await api('POST', '/transfers', transferBody(await payee(), more)))).toEqual([400, code])
  })

  test('to a UPI address is accepted by UPI only, up to ₹1 lakh', async () => {
    const beneficiaryId = await payee({ vpa: `asha${made++}@okbank` })
    const sent = await api('POST', '/transfers', transferBody(beneficiaryId, { transfer_mode: 'upi' }))
    expect([sent.status, whole(sent).transfer_mode]).toEqual([200, 'UPI'])
    expect(refusalOf(await api('POST', '/transfers', transferBody(beneficiaryId)))).toEqual([400, 'transfer_mode_invalid'])
    const more = { transfer_mode: 'upi', transfer_amount: 100_000.01 }
    expect(refusalOf(await api('POST', '/transfers', transferBody(beneficiaryId, more)))).toEqual([400, 'transfer_amount_invalid'])
  })

  test('is accepted once per id, whatever its other fields', async () => {
    const body = transferBody(await payee())
    const answers = await Promise.all([1, 2, 3].map(() => api('POST', '/transfers', body)))
    answers.push(await api('POST', '/transfers', { ...body, transfer_amount: 11 }))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409])
    expect(refusalOf(answers[3] as Answer)).toEqual([409, 'transfer_id_already_exists'])
    expect(whole(await api('GET', `/transfers?transfer_id=${String(body.transfer_id)}`)).transfer_amount).toBe(10)
  })

  test('with an unknown id is 404, and a request without an id is refused', async () => {
    expect(refusalOf(await api('POST', '/transfers', transferBody('nobody')))).toEqual([404, 'beneficiary_not_found'])
    expect(refusalOf(await api('GET', '/transfers'))).toEqual([400, 'transfer_id_missing'])
    expect(refusalOf(await api('GET', '/transfers?cf_transfer_id=7'))).toEqual([404, 'transfer_id_not_found'])
  })

  test('is found when its answer was lost, and not found when it was rate-limited', async () => {
    const beneficiaryId = await payee()
    const [lost, hasty] = [transferBody(beneficiaryId), transferBody(beneficiaryId)]
    await control('/faults', { api: 'error_after_commit' })
    expect((await api('POST', '/transfers', lost)).status).toBe(500)
    await control('/faults', { api: 'rate_limit' })
    expect((await api('POST', '/transfers', hasty)).status).toBe(429)
    await control('/faults', {})
    expect((await api('GET', `/transfers?transfer_id=${String(lost.transfer_id)}`)).status).toBe(200)
    expect((await api('GET', `/transfers?transfer_id=${String(hasty.transfer_id)}`)).status).toBe(404)
  })
})

describe('the bank', () => {
  const move = (id: string, body: Record<string, unknown>) => control(`/transfers/${id}`, body)

  test.each([
    ['SUCCESS', 'SENT_TO_BENEFICIARY', 'TRANSFER_SUCCESS'],
    ['FAILED', 'INVALID_ACCOUNT_FAIL', 'TRANSFER_FAILED'],
    ['REJECTED', 'INVALID_MODE_FOR_PYID', 'TRANSFER_REJECTED'],
    ['MANUALLY_REJECTED', 'MANUALLY_REJECTED', 'TRANSFER_REJECTED'],
  ])('moves a pending transfer to %s and sends a webhook signed with the payouts’ secret', async (status, code, type) => {
    const id = await taken()
    const moved = await move(id, { status })
    expect([moved.status, whole(moved).status, whole(moved).status_code]).toEqual([200, status, code])
    expect(whole(moved).transfer_utr !== null).toBe(status === 'SUCCESS')
    await waitUntil('the webhook', () => world.shop.webhooks.length === 1)
    const webhook = world.shop.webhooks[0]
    if (webhook === undefined) throw new Error('no webhook')
    const { webhooks: _, ...entity } = whole(moved)
    expect(webhook.event).toEqual({ data: entity, event_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/), type })
    expect(webhook.bytes.toString()).toContain('"transfer_amount":10.00')
    expect(webhook.headers).toMatchObject({
      'content-type': 'application/json',
      'x-webhook-timestamp': expect.stringMatching(/^\d{13}$/),
      'x-webhook-version': '2024-01-01',
      'x-webhook-attempt': '1',
    })
    expect(webhook.headers['x-webhook-signature']).toBe(opensslSignature(webhook, PAYOUT_KEYS.clientSecret))
    expect((await control(`/transfers/${id}`)).body.webhooks).toMatchObject([{ type }])
  })

  test('acknowledges a success, and may reverse it afterwards', async () => {
    const id = await taken()
    const sent = await move(id, { status: 'SUCCESS' })
    expect((await move(id, { status: 'SUCCESS' })).status).toBe(409)
    const acknowledged = await move(id, { status: 'SUCCESS', status_code: 'COMPLETED' })
    expect([whole(acknowledged).status_code, whole(acknowledged).transfer_utr]).toEqual(['COMPLETED', whole(sent).transfer_utr])
    expect((await move(id, { status: 'REVERSED' })).status).toBe(200)
    await waitUntil('three webhooks', () => world.shop.webhooks.length === 3)
    expect(world.shop.webhooks.map(({ event }) => event.type).toSorted()).toEqual([
      'TRANSFER_ACKNOWLEDGED',
      'TRANSFER_REVERSED',
      'TRANSFER_SUCCESS',
    ])
  })

  test('passes intermediate steps, of which only an approval sends a webhook', async () => {
    const id = await taken()
    for (const status of ['RECEIVED', 'QUEUED', 'APPROVAL_PENDING', 'PENDING']) {
      expect(whole(await move(id, { status })).status).toBe(status)
    }
    await waitUntil('the webhook', () => world.shop.webhooks.length === 1)
    expect(world.shop.webhooks[0]?.event.type).toBe('TRANSFER_APPROVED')
  })

  test('cannot reverse an unpaid transfer or change a final state, unless forced', async () => {
    const id = await taken()
    for (const status of ['REVERSED', 'PENDING']) expect(refusalOf(await move(id, { status }))).toEqual([409, 'no_such_step'])
    await move(id, { status: 'FAILED' })
    for (const status of ['SUCCESS', 'FAILED', 'REVERSED', 'PENDING', 'REJECTED']) expect((await move(id, { status })).status).toBe(409)
    const paid = await move(id, { status: 'SUCCESS', force: true })
    expect([paid.status, whole(paid).status]).toEqual([200, 'SUCCESS'])
    await move(id, { status: 'REVERSED' })
    expect((await move(id, { status: 'SUCCESS' })).status).toBe(409)
    expect((await move('nobody', { status: 'SUCCESS' })).status).toBe(404)
    expect((await control('/transfers/nobody')).status).toBe(404)
    for (const body of [{}, { status: 'PAID' }, { status: 'SUCCESS', status_code: 'no!' }]) expect((await move(id, body)).status).toBe(400)
  })

  test('never dates a state before the last one, though the clock was set back', async () => {
    const id = await taken()
    const { updated_on } = whole(await move(id, { status: 'QUEUED', webhooks: 0 }))
    world.clock.set(Date.now() - 1_440 * MINUTE_MS)
    const failed = await move(id, { status: 'FAILED', webhooks: 0 })
    world.clock.set(Date.now())
    expect(whole(failed)).toMatchObject({ status: 'FAILED', updated_on })
  })

  test('applies faults and retries to webhooks of transfers as to those of payments', async () => {
    const start = Date.now()
    const [silent, twice, changed, late] = [await taken(), await taken(), await taken(), await taken()]
    await move(silent, { status: 'SUCCESS', webhooks: 0 })
    await control('/faults', { duplicate: true })
    await move(twice, { status: 'SUCCESS' })
    await waitUntil('both copies', () => world.shop.webhooks.length === 2)
    await control('/faults', { tamper: true })
    await move(changed, { status: 'SUCCESS' })
    await waitUntil('the changed one', () => world.shop.webhooks.length === 3)
    expect(world.shop.webhooks[2]?.bytes.toString()).toContain('"transfer_amount":910.00')
    await control('/faults', {})
    world.shop.answerWith(500)
    await move(late, { status: 'SUCCESS' })
    await waitUntil('the first try', () => world.shop.webhooks.length === 4)
    world.shop.answerWith(200)
    world.clock.set(start + 3 * MINUTE_MS)
    await waitUntil('the second try', () => world.shop.webhooks.length === 5)
    expect(world.shop.webhooks[4]?.headers['x-webhook-attempt']).toBe('2')
  })
})
