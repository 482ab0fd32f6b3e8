/**
 * The browser's journey with a server that may die during any step that changes something.
 * - After each step its effect exists exactly once.
 * - After a broken screen the member checks which effects exist, and repeats only the missing ones.
 */
import type { Page } from 'playwright-core'
import { expect as see } from './expect.ts'
import type { Frail } from './crash-calls.ts'
import { mailedLink, payUnlessPaid } from './people.ts'
import { ADMIN } from './program.ts'
import { askForOrder, askForWithdrawal, balanceInBar, goToPayment, type NewPerson, sendRegistration, signIn, toast } from './steps.ts'

export const FRAIL_STEPS = ['register', 'verify', 'login', 'add', 'pay', 'confirm', 'join', 'admin login', 'draw', 'withdraw'] as const
export type FrailStep = (typeof FRAIL_STEPS)[number]

/** The request during which each step kills the server; a press on the hosted page is a request to the gateway. */
const REQUESTS: Readonly<Record<Exclude<FrailStep, 'pay'>, readonly [method: string, path: string]>> = {
  register: ['POST', '/api/auth/register'],
  verify: ['GET', '/api/auth/verify-email'],
  login: ['POST', '/api/auth/login'],
  add: ['POST', '/api/wallet/add'],
  confirm: ['POST', '/api/payments/confirm'],
  join: ['POST', '/api/rounds/join'],
  'admin login': ['POST', '/api/admin/login'],
  draw: ['POST', '/api/admin/trigger-draw'],
  withdraw: ['POST', '/api/wallet/withdraw'],
}

export function frailSteps(roz: Frail, killedSteps: ReadonlySet<FrailStep>) {
  const open = (page: Page, path: string) => page.goto(roz.url + path)
  const at = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const welcome = (page: Page) => page.getByRole('heading', { level: 1, name: /^Welcome, / })

  /** Sends the request by an action on the screen; returns whether the server was killed after it. */
  async function send(step: Exclude<FrailStep, 'pay'>, act: () => Promise<unknown>): Promise<boolean> {
    if (killedSteps.has(step)) {
      await roz.killDuring(...REQUESTS[step], async () => void (await act()))
      return true
    }
    await act()
    return false
  }

  async function signInUnlessIn(page: Page, person: NewPerson): Promise<void> {
    await open(page, '/dashboard')
    const form = at(page, 'Log in')
    await see(welcome(page).or(form)).toBeVisible()
    if (await form.isVisible()) await signIn(page, person)
    await see(welcome(page)).toBeVisible()
  }

  return {
    /** Without an answer the form is sent again, and may find the address taken. */
    async register(page: Page, person: NewPerson): Promise<void> {
      await open(page, '/register')
      const isKilled = await send('register', () => sendRegistration(page, person))
      const sent = page.getByText(`A verification email was sent to ${person.email}.`)
      if (!isKilled) return see(sent).toBeVisible()
      await open(page, '/dashboard')
      await see(welcome(page).or(at(page, 'Log in'))).toBeVisible()
      if (await welcome(page).isVisible()) return
      await open(page, '/register')
      await sendRegistration(page, person)
      await see(sent.or(toast(page, 'An account with this email already exists.'))).toBeVisible()
    },

    async verify(page: Page, { email }: NewPerson): Promise<void> {
      const { pathname, search } = new URL(await mailedLink(roz.url, email, '/verify-email'))
      if (await send('verify', () => open(page, pathname + search))) await page.reload()
      await see(page.getByText('Email Verified!')).toBeVisible()
    },

    async logIn(page: Page, person: NewPerson): Promise<void> {
      await page.evaluate(() => localStorage.clear())
      await open(page, '/login')
      if (await send('login', () => signIn(page, person))) await signInUnlessIn(page, person)
      await see(welcome(page)).toBeVisible()
    },

    /** An order whose answer was lost stays unpaid; the member makes a new one. */
    async addTwenty(page: Page): Promise<void> {
      await open(page, '/wallet')
      if (await send('add', () => askForOrder(page, 20))) {
        await open(page, '/wallet')
        await goToPayment(page, 20)
      }
      const pay = at(page, 'Pay ₹20.00')
      await see(pay).toBeVisible()
      const isPaid = killedSteps.has('pay')
      if (isPaid) await payWhileKilled(page)
      await send('confirm', () => (isPaid ? page.reload() : pay.click()))
      if (killedSteps.has('confirm')) await page.reload()
      await see(page.getByRole('heading', { name: 'Payment Successful!' })).toBeVisible()
      await see(balanceInBar(page)).toHaveText('₹20.00')
    },

    async join(page: Page): Promise<void> {
      await open(page, '/dashboard')
      const join = at(page, 'Join with ₹1.00')
      const isIn = page.getByText("You're in")
      if (await send('join', () => join.click())) {
        await page.reload()
        await see(isIn.or(join)).toBeVisible()
        if (await join.isVisible()) await join.click()
      }
      await see(isIn).toBeVisible()
      await see(balanceInBar(page)).toHaveText('₹19.00')
    },

    async draw(page: Page): Promise<void> {
      await open(page, '/admin/login')
      const opener = page.locator('main').getByRole('button', { name: 'Trigger Draw' }).first()
      if (await send('admin login', () => signIn(page, ADMIN))) {
        await open(page, '/admin/dashboard')
        await see(opener.or(at(page, 'Log in'))).toBeVisible()
        if (await at(page, 'Log in').isVisible()) await signIn(page, ADMIN)
      }
      const press = async (): Promise<void> => {
        await opener.click()
        await page.getByRole('dialog').getByRole('button', { name: 'Trigger Draw' }).click()
      }
      const done = toast(page, 'Draw triggered successfully!')
      if (!(await send('draw', press))) return see(done).toBeVisible()
      await page.reload()
      await press()
      await see(done.or(toast(page, "Today's round is already closed."))).toBeVisible()
    },

    /** The form keeps its input until an answer arrives: the next press repeats the same request. */
    async withdrawTen(page: Page): Promise<void> {
      await open(page, '/wallet')
      const again = page.locator('#withdraw').getByRole('button', { name: 'Withdraw ₹10.00' })
      const done = toast(page, 'Withdrawal request submitted!')
      if (!(await send('withdraw', () => askForWithdrawal(page, 10)))) return see(done).toBeVisible()
      await see(page.locator('#withdraw').getByRole('button').locator('.wheel')).toHaveCount(0)
      // An answer has emptied the form; its toast may have disappeared.
      const emptied = page.locator('#withdraw').getByRole('button', { name: 'Request withdrawal' })
      await see(emptied.or(again)).toBeVisible()
      if (await emptied.isVisible()) return
      await again.click()
      await see(done).toBeVisible()
    },
  }

  /** The gateway dies during the press, with an unknown outcome: the screen shows it in the end. */
  async function payWhileKilled(page: Page): Promise<void> {
    const orderId = /\b[0-9a-f]{32}\b/.exec(await page.locator('dl').innerText())?.[0] ?? ''
    const left = page.waitForRequest((request) => request.method() === 'POST' && request.url().startsWith(roz.sandboxUrl))
    await roz.killBeside(() => at(page, 'Pay ₹20.00').click(), left)
    await open(page, `/payment-status?order_id=${orderId}`)
    const paid = page.getByRole('heading', { name: 'Payment Successful!' })
    await see(paid.or(page.getByRole('heading', { name: 'Payment Pending' }))).toBeVisible()
    // The press may still arrive: pay the same order, for a second order would be paid in addition.
    if (!(await paid.isVisible())) await payUnlessPaid(roz.sandboxUrl, orderId)
    await see(paid).toBeVisible()
  }
}
