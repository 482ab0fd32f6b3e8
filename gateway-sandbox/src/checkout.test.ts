import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { type Answer, type Body, call, HEADERS, orderBody, waitUntil, useSandbox } from './testing/world.ts'

const world = useSandbox({ shopPerTest: true })

async function made(more: Record<string, unknown> = {}): Promise<Body> {
  const meta = { return_url: `${world.shop.url}/payment-status?order_id={order_id}`, notify_url: `${world.shop.url}/hook` }
  return (await call('POST', `${world.url}/pg/orders`, orderBody({ order_meta: meta, ...more }), HEADERS)).body
}
const post = (path: string, fields: Record<string, string>): Promise<Answer> =>
  call('POST', `${world.url}/pg/view/sessions/${path}`, new URLSearchParams(fields).toString(), {
    'content-type': 'application/x-www-form-urlencoded',
  })
const open = (order: Body): Promise<Answer> =>
  post('checkout', { payment_session_id: order.payment_session_id, browser_meta: '', platform: 'js-sdk' })
const press = (order: Body, outcome: string): Promise<Answer> => post('outcome', { payment_session_id: order.payment_session_id, outcome })
const seen = async (order: Body): Promise<Body> => (await call('GET', `${world.url}/__sandbox/orders/${order.order_id}`)).body
const buttons = (page: Answer): string[] => [...page.text.matchAll(/<button[^>]*>([^<]*)<\/button>/g)].map((match) => match[1] ?? '')

describe('the hosted page', () => {
  test('has no script, a demo label and one button per outcome', async () => {
    const page = await open(await made())
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(buttons(page)).toEqual(['Pay ₹10.00', 'Fail', 'Keep pending', 'Cancel'])
    expect(page.text).toContain('No real money moves.')
    expect(page.text).toContain('<html lang="en">')
    expect(page.text).not.toContain('<script')
    expect(page.text).not.toContain('9999999999')
  })

  test('writes amounts with Indian digit groups', async () => {
    expect(buttons(await open(await made({ order_amount: 123456.5 })))[0]).toBe('Pay ₹1,23,456.50')
  })

  test('has a policy that forbids scripts, other styles and forms to other hosts', async () => {
    const policy = (await open(await made())).headers.get('content-security-policy')
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]+'; form-action 'self' http:\/\/127\.0\.0\.1:\d+; base-uri 'none'; frame-ancestors 'none'$/,
    )
    expect(policy).toContain(world.shop.url)
  })

  test.each([
    ['success', 'PAID', 'SUCCESS', 'PAYMENT_SUCCESS_WEBHOOK'],
    ['failed', 'ACTIVE', 'FAILED', 'PAYMENT_FAILED_WEBHOOK'],
    ['pending', 'ACTIVE', 'PENDING', 'PAYMENT_SUCCESS_WEBHOOK'],
    ['dropped', 'ACTIVE', 'USER_DROPPED', 'PAYMENT_USER_DROPPED_WEBHOOK'],
  ])('pressed with %s returns to the shop with the order id and sends its webhook', async (outcome, orderStatus, paymentStatus, type) => {
    const order = await made()
    const answer = await press(order, outcome)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `${world.shop.url}/payment-status?order_id=${order.order_id}`])
    const after = await seen(order)
    expect([after.order_status, after.payments.map((payment) => payment.payment_status)]).toEqual([orderStatus, [paymentStatus]])
    await waitUntil('the webhook', () => world.shop.webhooks.length === 1)
    expect(world.shop.webhooks[0]?.event.type).toBe(type)
  })

  test('offers the ways of the order, and the payment was made by the one chosen', async () => {
    const ways = (page: Answer): string[] =>
      [...page.text.matchAll(/<label><input type="radio" name="way" value="(\w+)"( checked)?>/g)].map(
        ([, way, checked]) => `${way}${checked ?? ''}`,
      )
    const order = await made()
    expect(ways(await open(order))).toEqual(['upi checked', 'cc', 'dc'])
    await post('outcome', { payment_session_id: order.payment_session_id, outcome: 'success', way: 'cc' })
    expect((await seen(order)).payments[0]?.payment_group).toBe('credit_card')
    const upiOnly = await made({ order_meta: { payment_methods: 'upi' } })
    expect(ways(await open(upiOnly))).toEqual([])
    await post('outcome', { payment_session_id: upiOnly.payment_session_id, outcome: 'success', way: 'cc' })
    expect((await seen(upiOnly)).payments[0]?.payment_group).toBe('upi')
  })

  test('shows a pending payment when opened again, and can end it', async () => {
    const order = await made()
    await press(order, 'pending')
    const page = await open(order)
    expect(page.text).toContain('<title>Payment pending</title>')
    expect(page.text).toContain('role="status"')
    expect(buttons(page)).toEqual(['Pay ₹10.00', 'Fail', 'Keep pending', 'Cancel'])
    await press(order, 'success')
    const after = await seen(order)
    expect([after.order_status, after.payments.length]).toEqual(['PAID', 1])
  })

  test('pays once when pressed twice, and both presses redirect to the shop', async () => {
    const order = await made()
    const answers = await Promise.all([press(order, 'success'), press(order, 'success'), press(order, 'failed')])
    expect(answers.map((answer) => answer.status)).toEqual([303, 303, 303])
    expect((await seen(order)).payments.length).toBe(1)
  })

  test('has no button but a link to the shop once the order is paid or expired', async () => {
    const paid = await made()
    await press(paid, 'success')
    const page = await open(paid)
    expect([page.text.includes('Payment complete'), buttons(page)]).toEqual([true, []])
    expect(page.text).toContain(`href="${world.shop.url}/payment-status?order_id=${paid.order_id}"`)
    const late = await made({ order_expiry_time: new Date(Date.now() + 16 * 60_000).toISOString() })
    world.clock.set(Date.now() + 17 * 60_000)
    expect((await open(late)).text).toContain('Order expired')
    expect((await press(late, 'success')).status).toBe(303)
    expect((await seen(late)).payments).toEqual([])
  })

  test('shows the outcome when the order has no return address', async () => {
    const order = await made({ order_meta: undefined })
    const page = await press(order, 'success')
    expect([page.status, page.text.includes('Payment complete')]).toEqual([200, true])
  })

  test('puts the order id into every placeholder of the return address', async () => {
    const order = await made({ order_meta: { return_url: 'https://h/{order_id}/done?id={order_id}' } })
    expect((await press(order, 'failed')).headers.get('location')).toBe(`https://h/${order.order_id}/done?id=${order.order_id}`)
  })

  test('escapes the return address that the shop gave', async () => {
    const order = await made({ order_meta: { return_url: 'https://h/?a="><script>alert(1)</script>' } })
    await press(order, 'success')
    expect((await open(order)).text).not.toContain('<script>')
  })

  test('is replaced by an error page when session or outcome is unknown', async () => {
    const order = await made()
    for (const answer of [
      await post('checkout', {}),
      await post('checkout', { payment_session_id: 'session_guessed' }),
      await post('outcome', { payment_session_id: 'session_guessed', outcome: 'success' }),
      await press(order, 'toString'),
      await press(order, 'refunded'),
      await call('POST', `${world.url}/pg/view/sessions/checkout`, 'payment_session_id=a&payment_session_id=b', {
        'content-type': 'application/x-www-form-urlencoded',
      }),
      await call('POST', `${world.url}/pg/view/sessions/checkout`, '{', { 'content-type': 'application/json' }),
      await call('GET', `${world.url}/pg/view/sessions/checkout`),
    ]) {
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(answer.status).toBeLessThan(500)
      expect(answer.text).toContain('Payment link not valid')
    }
    expect((await seen(order)).payments).toEqual([])
  })
})

describe('the script for the browser', () => {
  type Form = { method: string; action: string; target: string; fields: Record<string, string>; submitted: boolean }

  /** A minimal stub of the DOM that the script touches. The journeys in e2e/ use a real browser. */
  async function checkout(options: unknown): Promise<{ answer: unknown; form: Form }> {
    const { text } = await call('GET', `${world.url}/js/v3/cashfree.js`)
    const form: Form & Record<string, unknown> = { method: '', action: '', target: '', fields: {}, submitted: false }
    form.append = (input: { name: string; value: string }) => Object.assign(form.fields, { [input.name]: input.value })
    form.submit = () => Object.assign(form, { submitted: true })
    form.remove = () => undefined
    const document = {
      currentScript: { src: `${world.url}/js/v3/cashfree.js` },
      createElement: (tag: string) => (tag === 'form' ? form : {}),
      body: { append: () => undefined },
    }
    const window: { Cashfree?: (settings: unknown) => { checkout(options: unknown): Promise<unknown> } } = {}
    runInNewContext(text, { window, document, URL })
    return { answer: await window.Cashfree?.({ mode: 'sandbox' }).checkout(options), form }
  }

  test('is served as a script that other origins may load', async () => {
    const { status, headers } = await call('GET', `${world.url}/js/v3/cashfree.js`)
    expect([status, headers.get('content-type'), headers.get('cross-origin-resource-policy')]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      'cross-origin',
    ])
  })

  test('posts the session to the hosted page, in the requested window', async () => {
    for (const [redirectTarget, target] of [
      ['_self', '_self'],
      ['_blank', '_blank'],
      [undefined, '_self'],
    ]) {
      const { answer, form } = await checkout({ paymentSessionId: 'session_x', redirectTarget })
      expect(answer).toEqual({ redirect: true })
      expect(form).toMatchObject({ method: 'POST', action: `${world.url}/pg/view/sessions/checkout`, target, submitted: true })
      expect(form.fields.payment_session_id).toBe('session_x')
    }
  })

  test('answers an error and stays on the page when its options are wrong', async () => {
    for (const options of [undefined, {}, { paymentSessionId: '' }, { paymentSessionId: 'session_x', redirectTarget: '_modal' }]) {
      const { answer, form } = await checkout(options)
      expect(answer).toEqual({ error: { message: expect.any(String), code: expect.any(String) } })
      expect(form.submitted).toBe(false)
    }
  })
})
