/**
 * The gateway's browser script: `window.Cashfree({ mode }).checkout({ paymentSessionId, redirectTarget })`.
 *
 * - The script opens the hosted page by posting a form, as the gateway's own script does.
 * - The form goes to the host that served the script.
 */
;(() => {
  const host = new URL(document.currentScript.src).origin
  const TARGETS = ['_self', '_top', '_parent', '_blank']

  function checkout(options) {
    const session = options?.paymentSessionId
    const target = options?.redirectTarget ?? '_self'
    if (typeof session !== 'string' || session === '') {
      return Promise.resolve({ error: { message: 'payment_session_id is not present or is invalid', code: 'payment_session_id_invalid' } })
    }
    if (!TARGETS.includes(target)) {
      return Promise.resolve({ error: { message: 'the demo gateway opens in a page only', code: 'redirect_target_invalid' } })
    }
    const form = document.createElement('form')
    form.method = 'POST'
    form.action = `${host}/pg/view/sessions/checkout`
    form.target = target
    form.hidden = true
    const fields = { payment_session_id: session, browser_meta: '', platform: 'js-sdk' }
    for (const [name, value] of Object.entries(fields)) {
      const input = document.createElement('input')
      input.type = 'hidden'
      input.name = name
      input.value = value
      form.append(input)
    }
    document.body.append(form)
    form.submit()
    form.remove()
    return Promise.resolve({ redirect: true })
  }

  window.Cashfree = () => ({ checkout })
})()
