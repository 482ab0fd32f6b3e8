/**
 * The gateway's browser script: `checkout({ paymentSessionId, redirectTarget })` and `subscriptionsCheckout({ subsSessionId, redirectTarget })`
 * of `window.Cashfree({ mode })`.
 *
 * - The script opens the hosted page by posting a form, as the gateway's own script does.
 * - The form goes to the host that served the script.
 */
;(() => {
  const host = new URL(document.currentScript.src).origin
  const TARGETS = ['_self', '_top', '_parent', '_blank']

  /** Posts the session to a hosted page in the requested window. */
  function open(path, name, session, target) {
    if (typeof session !== 'string' || session === '') {
      return Promise.resolve({ error: { message: `${name} is not present or is invalid`, code: `${name}_invalid` } })
    }
    if (!TARGETS.includes(target)) {
      return Promise.resolve({ error: { message: 'the demo gateway opens in a page only', code: 'redirect_target_invalid' } })
    }
    const form = document.createElement('form')
    form.method = 'POST'
    form.action = `${host}${path}`
    form.target = target
    form.hidden = true
    const fields = { [name]: session, browser_meta: '', platform: 'js-sdk' }
    for (const [field, value] of Object.entries(fields)) {
      const input = document.createElement('input')
      input.type = 'hidden'
      input.name = field
      input.value = value
      form.append(input)
    }
    document.body.append(form)
    form.submit()
    form.remove()
    return Promise.resolve({ redirect: true })
  }

  const checkout = (options) =>
    open('/pg/view/sessions/checkout', 'payment_session_id', options?.paymentSessionId, options?.redirectTarget ?? '_self')
  const subscriptionsCheckout = (options) =>
    open('/pg/view/subscriptions/checkout', 'subscription_session_id', options?.subsSessionId, options?.redirectTarget ?? '_self')

  window.Cashfree = () => ({ checkout, subscriptionsCheckout })
})()
