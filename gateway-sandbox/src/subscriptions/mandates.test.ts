import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { useSubscriptions } from '../testing/subscriptions.ts'
import { type Answer, call, whole } from '../testing/world.ts'

const { world, control, pg, made, approved, read, payments, told } = useSubscriptions()

const session = async (id: string): Promise<string> => String((await read(`/subscriptions/${id}`)).subscription_session_id)
const post = (path: string, fields: Record<string, string>): Promise<Answer> =>
  call('POST', `${world.url}/pg/view/subscriptions/${path}`, new URLSearchParams(fields).toString(), {
    'content-type': 'application/x-www-form-urlencoded',
  })
const open = async (id: string): Promise<Answer> => post('checkout', { subscription_session_id: await session(id), platform: 'js-sdk' })
const press = async (id: string, outcome: string): Promise<Answer> =>
  post('outcome', { subscription_session_id: await session(id), outcome })
const buttons = (page: Answer): string[] => [...page.text.matchAll(/<button[^>]*>([^<]*)<\/button>/g)].map((match) => match[1] ?? '')
const fieldsOf = (page: Answer): Record<string, string> =>
  Object.fromEntries([...page.text.matchAll(/name="(\w+)" value="([^"]*)"/g)].map((match) => [match[1] ?? '', match[2] ?? '']))
const status = async (id: string): Promise<unknown> => (await read(`/subscriptions/${id}`)).subscription_status
const outcomes = async (id: string): Promise<unknown[]> => (await payments(id)).map((one) => one.payment_status)

describe('the hosted page of a mandate', () => {
  test('shows what is paid now and at most later, and one button per outcome', async () => {
    const page = await open(await made({ subscription_tags: { psp_note: 'Roz <b>' } }))
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(buttons(page)).toEqual(['Approve', 'Keep pending', 'Decline', 'Leave'])
    expect(page.text).toContain('up to ₹30.00')
    expect(page.text).toContain('Roz &lt;b&gt;')
    expect(page.text).not.toContain('<script')
    expect(page.text).not.toContain('9999999999')
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:9;")
  })

  test.each([
    ['approve', 'ACTIVE', ['SUCCESS'], 'ACTIVE', 'SUCCESS'],
    ['bank_pending', 'BANK_APPROVAL_PENDING', ['PENDING'], 'BANK_APPROVAL_PENDING', 'SUCCESS_DEBIT_PENDING'],
    ['decline', 'INITIALIZED', ['FAILED'], 'INITIALIZED', 'FAILED'],
    ['leave', 'INITIALIZED', [], 'INITIALIZED', 'FAILED'],
  ])('pressed with %s posts the outcome back to the shop', async (outcome, after, debits, cfStatus, checkoutStatus) => {
    const id = await made()
    const page = await press(id, outcome)
    expect([page.status, await status(id), await outcomes(id)]).toEqual([200, after, debits])
    expect(page.text).toContain('<form method="post" action="http://127.0.0.1:9/autopay/return">')
    expect(page.headers.get('content-security-policy')).toMatch(/form-action 'self' http:\/\/127\.0\.0\.1:9;.*script-src 'sha256-/)
    const auth = (await payments(id))[0]
    const { authorization_details: details, cf_subscription_id: cfId } = await read(`/subscriptions/${id}`)
    expect(fieldsOf(page)).toEqual({
      cf_subReferenceId: cfId,
      cf_subscriptionId: id,
      cf_authAmount: '30.00',
      cf_referenceId: auth?.cf_payment_id ?? '',
      cf_status: cfStatus,
      cf_message: expect.any(String),
      cf_checkoutStatus: checkoutStatus,
      cf_mode: 'SBC_UPI',
      cf_subscriptionPaymentId: auth?.payment_id ?? '',
      cf_umn: (details as { authorization_reference: string | null }).authorization_reference ?? '',
      signature: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
    })
  })

  test('opened again ends what is pending; after that it has no button', async () => {
    const id = await made()
    await press(id, 'bank_pending')
    expect((await open(id)).text).toContain('<title>Mandate pending</title>')
    await press(id, 'approve')
    expect([await status(id), await outcomes(id)]).toEqual(['ACTIVE', ['SUCCESS']])
    const page = await open(id)
    expect([page.text.includes('Mandate active'), buttons(page)]).toEqual([true, []])
  })

  test('pressed twice is approved once; a late press changes nothing and goes back too', async () => {
    const id = await made()
    const answers = await Promise.all([press(id, 'approve'), press(id, 'approve'), press(id, 'decline')])
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200])
    expect((await outcomes(id)).filter((one) => one === 'SUCCESS')).toEqual(['SUCCESS'])
    await press(id, 'decline')
    expect(await status(id)).toBe('ACTIVE')
  })

  test('several declined debits may come before a success', async () => {
    const id = await made()
    for (const outcome of ['decline', 'decline', 'approve']) await press(id, outcome)
    expect([await status(id), await outcomes(id)]).toEqual(['ACTIVE', ['FAILED', 'FAILED', 'SUCCESS']])
    const good = (await payments(id))[2]
    expect((await read(`/subscriptions/${id}`)).authorization_details).toMatchObject({ payment_id: good?.payment_id })
  })

  test('shows the outcome when the subscription has no return address', async () => {
    const id = await made({ subscription_meta: undefined })
    expect((await press(id, 'approve')).text).toContain('Mandate active')
  })

  test('is replaced by an error page when session or outcome is unknown', async () => {
    const id = await made()
    const old = await session(id)
    world.clock.set(Date.parse('2026-03-04T14:30:00+05:30'))
    for (const answer of [
      await post('checkout', {}),
      await post('checkout', { subscription_session_id: 'sub_session_guessed' }),
      await post('outcome', { subscription_session_id: 'sub_session_guessed', outcome: 'approve' }),
      await post('outcome', { subscription_session_id: old, outcome: 'approve' }),
      await press(id, 'customer_cancel'),
      await call('GET', `${world.url}/pg/view/subscriptions/checkout`),
    ]) {
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(answer.status).toBeLessThan(500)
      expect(answer.text).toContain('Payment link not valid')
    }
    expect([await status(id), await outcomes(id)]).toEqual(['INITIALIZED', []])
  })

  test('is opened by subscriptionsCheckout of the browser script', async () => {
    const { text } = await call('GET', `${world.url}/js/v3/cashfree.js`)
    const form: Record<string, unknown> & { fields: Record<string, string> } = { fields: {} }
    form.append = (input: { name: string; value: string }) => Object.assign(form.fields, { [input.name]: input.value })
    form.submit = () => Object.assign(form, { submitted: true })
    form.remove = () => undefined
    const document = {
      currentScript: { src: `${world.url}/js/v3/cashfree.js` },
      createElement: (tag: string) => (tag === 'form' ? form : {}),
      body: { append: () => undefined },
    }
    type Script = { subscriptionsCheckout(options: unknown): Promise<unknown> }
    const window: { Cashfree?: (settings: unknown) => Script } = {}
    runInNewContext(text, { window, document, URL })
    const script = window.Cashfree?.({ mode: 'sandbox' }) as Script
    for (const options of [undefined, {}, { subsSessionId: '' }, { subsSessionId: 'x', redirectTarget: '_modal' }]) {
      expect(await script.subscriptionsCheckout(options)).toEqual({ error: { message: expect.any(String), code: expect.any(String) } })
    }
    expect(form.submitted).toBeUndefined()
    expect(await script.subscriptionsCheckout({ subsSessionId: 'sub_session_x', redirectTarget: '_self' })).toEqual({ redirect: true })
    expect(form).toMatchObject({ action: `${world.url}/pg/view/subscriptions/checkout`, target: '_self', submitted: true })
    expect(form.fields.subscription_session_id).toBe('sub_session_x')
  })
})

describe('a control call on a mandate', () => {
  test('takes only steps that the state allows, unless forced', async () => {
    const id = await made()
    for (const [body, answer, after] of [
      [{ step: 'customer_pause' }, 409, 'INITIALIZED'],
      [{ step: 'approve' }, 200, 'ACTIVE'],
      [{ step: 'approve' }, 409, 'ACTIVE'],
      [{ step: 'customer_pause' }, 200, 'CUSTOMER_PAUSED'],
      [{ step: 'customer_resume' }, 200, 'ACTIVE'],
      [{ step: 'customer_cancel' }, 200, 'CUSTOMER_CANCELLED'],
      [{ step: 'customer_resume' }, 409, 'CUSTOMER_CANCELLED'],
      [{ step: 'customer_resume', force: true }, 200, 'ACTIVE'],
      [{ step: 'complete' }, 200, 'COMPLETED'],
      [{ status: 'GONE_FISHING' }, 200, 'GONE_FISHING'],
      [{ step: 'refuse' }, 400, 'GONE_FISHING'],
    ] as const) {
      expect([body, (await control(`/subscriptions/${id}`, body)).status]).toEqual([body, answer])
      expect(await status(id)).toBe(after)
    }
  })

  test('makes the debit known before the mandate, or the mandate before the debit', async () => {
    const first = await made()
    await control(`/subscriptions/${first}`, { step: 'debit_first' })
    expect([await status(first), await outcomes(first)]).toEqual(['INITIALIZED', ['SUCCESS']])
    await control(`/subscriptions/${first}`, { step: 'approve' })
    expect([await status(first), await outcomes(first)]).toEqual(['ACTIVE', ['SUCCESS']])
    const second = await made()
    await control(`/subscriptions/${second}`, { step: 'mandate_first' })
    expect([await status(second), await outcomes(second)]).toEqual(['ACTIVE', ['PENDING']])
    const auth = (await payments(second))[0]
    await control(`/charges/${String(auth?.payment_id)}`, { status: 'SUCCESS' })
    expect(await outcomes(second)).toEqual(['SUCCESS'])
  })

  test('debits a mandate a second time when it is approved twice', async () => {
    const id = await approved()
    expect((await control(`/subscriptions/${id}`, { step: 'second_auth' })).status).toBe(200)
    const auths = await payments(id)
    expect(auths.map((one) => [one.payment_type, one.payment_status])).toEqual([
      ['AUTH', 'SUCCESS'],
      ['AUTH', 'SUCCESS'],
    ])
    expect(new Set(auths.map((one) => one.payment_id)).size).toBe(2)
    expect((await read(`/subscriptions/${id}`)).authorization_details).toMatchObject({ payment_id: auths[0]?.payment_id })
  })

  test('lets the link expire: the open debit fails because nobody acted', async () => {
    const id = await made()
    await control(`/subscriptions/${id}`, { step: 'bank_pending' })
    await control(`/subscriptions/${id}`, { step: 'link_expire' })
    expect(await status(id)).toBe('LINK_EXPIRED')
    expect((await payments(id))[0]).toMatchObject({ failure_details: { failure_reason: 'No action performed by customer' } })
  })

  test('auth_one_rupee takes ₹1 in place of the amount', async () => {
    await control('/faults', { auth_one_rupee: true })
    const id = await approved()
    expect((await payments(id))[0]).toMatchObject({ payment_type: 'AUTH', payment_amount: 1 })
  })

  test('/simulate of an AUTH takes its mandate with it', async () => {
    const id = await made()
    await control(`/subscriptions/${id}`, { step: 'bank_pending' })
    const auth = (await payments(id))[0]
    const simulation = { entity: 'SUBS_PAYMENTS', entity_id: auth?.payment_id, entity_simulation: { payment_status: 'SUCCESS' } }
    expect((await pg('POST', '/simulate', simulation)).status).toBe(200)
    expect([await status(id), await outcomes(id)]).toEqual(['ACTIVE', ['SUCCESS']])
  })

  test('sends as many webhooks as it says, and shows them', async () => {
    const id = await made()
    await control(`/subscriptions/${id}`, { step: 'approve', webhooks: 2 })
    await told(6)
    const { webhooks } = (await control(`/subscriptions/${id}`)).body
    expect(webhooks.map(({ type }) => type)).toEqual(['SUBSCRIPTION_STATUS_CHANGED', 'SUBSCRIPTION_STATUS_CHANGED'])
    const [auth] = await payments(id)
    expect((await control(`/charges/${String(auth?.payment_id)}`)).body.webhooks.length).toBe(4)
    expect(whole(await control('/webhooks'))).toEqual({ payments: null, subscriptions: { url: expect.any(String), version: '2025-01-01' } })
  })
})
