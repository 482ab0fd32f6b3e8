/** Provokes every message of adding money, withdrawing and the payment script; each test carries the text of its message. */
import { expect } from '../../harness/expect.ts'
import { sql } from '@roz/server/db/sql.ts'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, test } from 'vitest'
import { ask } from '../../harness/calls.ts'
import { expectCleanAudit, inDatabase } from '../../harness/database.ts'
import { type FaultyProxy, startFaultyProxy, wordlessFaults } from '../../harness/faulty-proxy.ts'
import { BANK, newMember, type Person, PHONE, register } from '../../harness/people.ts'
import type { Program } from '../../harness/program.ts'
import { type AtOptions, useAppFixture, type Work } from '../../harness/app-fixture.ts'
import {
  askForWithdrawal,
  elseTell,
  exactToast as toast,
  gatewayIsReady,
  goToPayment,
  watchEvents,
  watchToasts,
} from '../../harness/steps.ts'

const SCRIPT = '/js/v3/cashfree.js'
const WORDLESS = wordlessFaults('')

const fixture = useAppFixture({
  env: async () => {
    gateway = await startFaultyProxy(() => fixture.roz.port + 1)
    return { CASHFREE_JS_URL: gateway.url + SCRIPT }
  },
})
let roz: Program
/** The proxies: browser to server, and browser to gateway. */
let network: FaultyProxy
let gateway: FaultyProxy
/** Has ₹20, which no test here may move. */
let member: Person

beforeAll(async () => {
  ;({ roz, line: network } = fixture)
  member = await newMember(roz, { rupees: 20 })
})
afterEach(() => gateway.mend())
afterAll(() => gateway?.close())

/** Opens a screen as the member, unless another is named. */
const at = (path: string, work: Work, options: AtOptions = {}): Promise<void> => fixture.at(path, work, { token: member.token, ...options })

const field = (page: Page, label: string) => page.locator('form.panel').getByLabel(label, { exact: true })
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const submit = (page: Page) => page.locator('form.panel button[type=submit]')
const storedToken = (page: Page) => page.evaluate(() => localStorage.getItem('token'))

describe('add money', () => {
  test.each([
    ['Minimum amount is ₹10', ''],
    ['Minimum amount is ₹10', '0'],
    ['Minimum amount is ₹10', '9.99'],
    ['Maximum amount is ₹30', '30.01'],
    ['Please enter an amount in rupees, with at most two decimals', '12,50'],
  ])("'%s' for “%s”", async (words, amount) => {
    await at('/wallet', async (page) => {
      await expect(field(page, 'Phone number')).toHaveValue(PHONE)
      await expect(page.locator('#add-money')).toContainText('The least you can add is ₹10; the least you can withdraw is ₹10.')
      await field(page, 'Amount').fill(amount)
      await submit(page).click()
      await expect(toast(page, words)).toBeVisible()
      await expect(field(page, 'Amount')).toHaveAccessibleDescription(new RegExp(`${words}$`))
      await expect(page).toHaveURL(`${network.url}/wallet`)
    })
  })

  test("'Phone number is required', 'Please enter a valid 10-digit mobile number': only digits, and the button is disabled until then", async () => {
    await at('/wallet', async (page) => {
      const phone = field(page, 'Phone number')
      await field(page, 'Amount').fill('20')
      await phone.fill('')
      await phone.blur()
      await expect(phone).toHaveAccessibleDescription('Phone number is required')
      await expect(submit(page)).toBeDisabled()
      for (const wrong of ['5876543210', '987654321', '98a7 65432-10999']) {
        await phone.fill(wrong)
        await expect(phone).toHaveAccessibleDescription('Please enter a valid 10-digit mobile number')
        await expect(submit(page)).toBeDisabled()
      }
      await expect(phone).toHaveValue('9876543210')
      await phone.fill('+91 98765 43210')
      await expect(phone).toHaveValue('9876543210')
      await expect(phone).not.toHaveAttribute('aria-invalid')
      await expect(submit(page)).toBeEnabled()
    })
  })

  test.each([10, 30])('₹%i is passed on to the gateway', async (rupees) => {
    await at('/wallet', (page) => goToPayment(page, rupees))
  })

  test.each(WORDLESS)("'Failed to add money' after %s", async (_how, fault) => {
    await at('/wallet', async (page) => {
      network.breakLine('POST /api/wallet/add', fault)
      await gatewayIsReady(page)
      await page.getByRole('button', { name: '₹20 20 days' }).click()
      await submit(page).click()
      await expect(toast(page, 'Failed to add money')).toBeVisible()
      await expect(field(page, 'Amount')).toHaveValue('20')
      network.mend()
      await submit(page).click()
      await expect(page.getByRole('button', { name: 'Pay ₹20.00' })).toBeVisible()
    })
  })

  test("'Please verify your email to continue.': the server's own words", async () => {
    const person = await register(roz.url, 'New Nita', 'nita@x.test')
    await fixture.as(person.token, '/wallet', async (page) => {
      await gatewayIsReady(page)
      await page.getByRole('button', { name: '₹10 10 days' }).click()
      await submit(page).click()
      await expect(toast(page, 'Please verify your email to continue.')).toBeVisible()
    })
  })

  test("'Payment failed. Please try again.' when the checkout does not open", async () => {
    await at('/wallet', async (page) => {
      // The gateway's script refuses an invalid session.
      const body = JSON.stringify({ order_id: '0'.repeat(32), payment_session_id: '' })
      network.breakLine('POST /api/wallet/add', { status: 200, body })
      await gatewayIsReady(page)
      await field(page, 'Amount').fill('20')
      await submit(page).click()
      await expect(toast(page, 'Payment failed. Please try again.')).toBeVisible()
      await expect(page).toHaveURL(`${network.url}/wallet`)
      await expect(submit(page)).toBeEnabled()
    })
  })

  test('after the browser’s Back the button is enabled again', async () => {
    // The real script leaves the page and never answers; the browser may restore the page as it was left.
    const body = `window.Cashfree = () => ({ checkout: () => (document.body.setAttribute('data-left', ''), new Promise(() => {})) })`
    gateway.breakLine(`GET ${SCRIPT}`, { status: 200, body, type: 'text/javascript' })
    await at('/wallet', async (page) => {
      await gatewayIsReady(page)
      await field(page, 'Amount').fill('20')
      await submit(page).click()
      await expect(page.locator('body[data-left]')).toBeVisible()
      await expect(submit(page)).toHaveAttribute('aria-busy', 'true')
      await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
      await expect(submit(page)).not.toHaveAttribute('aria-busy')
      await expect(page.locator('.toast')).toHaveCount(0)
    })
  })
})

describe('the payment script', () => {
  const failed = async (page: Page, words: string): Promise<void> => {
    await expect(page.getByRole('alert').filter({ hasText: words })).toBeVisible()
    // Only adding money needs the script.
    await expect(page.locator('.figure')).toHaveText('₹20.00')
  }

  test.each([
    ['the connection to its address breaks', () => gateway.breakLine(`GET ${SCRIPT}`, 'cut')],
    ['its address answers with an error', () => gateway.breakLine(`GET ${SCRIPT}`, 'empty')],
    ['its file is empty', () => gateway.breakLine(`GET ${SCRIPT}`, { status: 200, body: '', type: 'text/javascript' })],
    ['its address is unknown', () => network.breakLine('GET /api/wallet/checkout', 'empty')],
  ])("'Failed to initialize payment SDK' when %s; Retry reloads the page and the SDK is ready", async (_how, breakIt) => {
    breakIt()
    await at('/wallet', async (page) => {
      await failed(page, 'Failed to initialize payment SDK')
      await field(page, 'Amount').fill('20')
      await submit(page).click()
      await expect(toast(page, 'Payment system not initialized.')).toBeVisible()
      gateway.mend()
      network.mend()
      await press(page, 'Retry')
      await goToPayment(page, 20)
    })
  })

  test("'SDK initialization timeout' after 30 seconds without an answer; 'Payment system not initialized.' before", async () => {
    gateway.breakLine(`GET ${SCRIPT}`, 'silent')
    await at(
      '/wallet',
      async (page) => {
        await expect(page.getByText('Getting the payment page ready…')).toBeVisible()
        await field(page, 'Amount').fill('20')
        await submit(page).click()
        await expect(toast(page, 'Payment system not initialized.')).toBeVisible()
        await page.clock.fastForward(15_000)
        await expect(page.getByText('SDK initialization timeout')).toHaveCount(0)
        await page.clock.fastForward(15_000)
        await failed(page, 'SDK initialization timeout')
        await expect(page.getByText('Getting the payment page ready…')).toHaveCount(0)
        gateway.mend()
        await press(page, 'Retry')
        await goToPayment(page, 20)
      },
      { before: (page) => page.clock.install() },
    )
  })
})

/** Fills the withdrawal form with valid values, except for the given ones, and sends it. */
async function withdrawWith(page: Page, changes: Readonly<Record<string, string>>): Promise<void> {
  await press(page, 'Withdraw')
  await expect(page.locator('#add-money')).toHaveCount(0)
  const good = {
    Amount: '10',
    'Account holder name': BANK.accountHolderName,
    'Account number': BANK.accountNumber,
    IFSC: BANK.ifscCode,
    'Bank name': BANK.bankName,
  }
  for (const [label, value] of Object.entries({ ...good, ...changes })) await field(page, label).fill(value)
  await submit(page).click()
}

describe('withdraw', () => {
  test.each([
    ['Minimum withdrawal is ₹10', 'Amount', ''],
    ['Minimum withdrawal is ₹10', 'Amount', '9.99'],
    ['Insufficient balance', 'Amount', '20.01'],
    ['Account holder name is required', 'Account holder name', ' '],
    ['Account holder name must be at least 2 characters', 'Account holder name', 'A'],
    ['Account holder name can contain only letters and spaces', 'Account holder name', 'Asha 2'],
    ['Account number is required', 'Account number', 'none'],
    ['Account number must be between 9-18 digits', 'Account number', '12345678'],
    ['IFSC code is required', 'IFSC', ''],
    ['IFSC code must be 11 characters', 'IFSC', 'HDFC0ABC12'],
    ['Invalid IFSC code format', 'IFSC', 'HDFC1ABC123'],
    ['Bank name is required', 'Bank name', ''],
    ['Bank name must be at least 3 characters', 'Bank name', 'AB'],
    ['Bank name can contain only letters, spaces and & . -', 'Bank name', 'Bank #1'],
  ])("'%s' for %s “%s”", async (words, label, value) => {
    await at('/wallet', async (page) => {
      await withdrawWith(page, { [label]: value })
      await expect(toast(page, words)).toBeVisible()
      await expect(field(page, label)).toHaveAttribute('aria-invalid', 'true')
      await expect(page.locator('.field-error')).toHaveText([words])
    })
  })

  test('with less than ₹10 the form says how much is needed', async () => {
    const { token } = await newMember(roz)
    const work: Work = async (page) => {
      await press(page, 'Withdraw')
      await expect(field(page, 'Amount')).toHaveAccessibleDescription('To withdraw you need at least ₹10 in your wallet.')
    }
    await at('/wallet', work, { token })
  })

  test('processed in 24 to 48 hours: the form says so', async () => {
    await at('/wallet', async (page) => {
      await press(page, 'Withdraw')
      await expect(page.locator('#withdraw')).toContainText('processed in 24 to 48 hours.')
    })
  })

  test('the fields accept only their characters: digits, and upper-case letters with digits', async () => {
    await at('/wallet', async (page) => {
      await withdrawWith(page, { Amount: '5', 'Account number': '12-34 56a78901234567899999', IFSC: 'hdfc-0abc 12399' })
      await expect(field(page, 'Account number')).toHaveValue('123456789012345678')
      await expect(field(page, 'IFSC')).toHaveValue('HDFC0ABC123')
      await expect(field(page, 'Account type').locator('option')).toHaveText(['Savings', 'Current'])
    })
  })

  test.each(WORDLESS)("'Failed to withdraw money' after %s; the form keeps its input and no money moves", async (_how, fault) => {
    await at('/wallet', async (page) => {
      network.breakLine('POST /api/wallet/withdraw', fault)
      await askForWithdrawal(page, 10)
      await expect(toast(page, 'Failed to withdraw money')).toBeVisible()
      await expect(field(page, 'Account number')).toHaveValue(BANK.accountNumber)
      await expect(page.locator('.figure')).toHaveText('₹20.00')
    })
  })

  test("'Insufficient balance' in the server's words when the money was spent elsewhere meanwhile", async () => {
    const person = await newMember(roz, { rupees: 20 })
    await fixture.as(person.token, '/wallet', async (page) => {
      await expect(page.locator('.figure')).toHaveText('₹20.00')
      await ask(roz.url, 'withdraw', { token: person.token, key: crypto.randomUUID(), body: { amount: 15, bankDetail: BANK } })
      await askForWithdrawal(page, 10)
      await expect(toast(page, 'Insufficient balance')).toBeVisible()
      await expect(page.locator('.figure')).toHaveText('₹5.00')
      await expect(page.locator('.rows li').filter({ hasText: '₹15.00' })).toBeVisible()
    })
  })

  test('after a lost answer, unrelated refusals and a reopened form, a repeated press requests the withdrawal once; the page shows it', async () => {
    const person = await newMember(roz, { rupees: 20 })
    const keys: (string | undefined)[] = []
    const refusals = [
      { status: 429, json: { code: 'too_many_requests', message: 'Too many.' } },
      { status: 403, json: { code: 'on_hold', message: 'Your account is suspended. Please contact us.' } },
    ]
    await fixture.as(person.token, '/wallet', async (page) => {
      await page.route('**/api/wallet/withdraw', async (route) => {
        keys.push(route.request().headers()['idempotency-key'])
        const refusal = keys.length === 1 ? undefined : refusals.shift()
        if (refusal !== undefined) return route.fulfill(refusal)
        const answer = await route.fetch()
        return keys.length === 1 ? route.abort() : route.fulfill({ response: answer })
      })
      await askForWithdrawal(page, 10)
      await expect(toast(page, 'Failed to withdraw money')).toBeVisible()
      await expect(page.locator('.figure')).toHaveText('₹10.00')
      await submit(page).click()
      await expect(toast(page, 'Too many.')).toBeVisible()
      await submit(page).click()
      await expect(toast(page, 'Your account is suspended. Please contact us.')).toBeVisible()
      await page.getByRole('button', { name: 'Add money' }).click()
      await askForWithdrawal(page, 10)
      await expect(toast(page, 'Withdrawal request submitted!')).toBeVisible()
      expect(new Set(keys).size).toBe(1)
      await expect(page.locator('.figure')).toHaveText('₹10.00')
      // That answer belonged to the first press: the next press is a new request.
      await askForWithdrawal(page, 10)
      await expect(page.locator('.figure')).toHaveText('₹0.00')
      await page.unroute('**/api/wallet/withdraw')
      expect(new Set(keys).size).toBe(2)
    })
  })

  test('a 401 in the middle of the form removes the token and opens /login', async () => {
    const person = await newMember(roz, { rupees: 10 })
    await fixture.as(person.token, '/wallet', async (page) => {
      await expect(page.locator('.figure')).toHaveText('₹10.00')
      await inDatabase(roz.dataDir, (db) =>
        db.query(sql`delete from session where member_id = (select id from member where email = ${person.email}::text)`),
      )
      // One of the app's own calls may get the 401 before the form does.
      await Promise.any([askForWithdrawal(page, 10), page.waitForURL(`${network.url}/login`)])
      await expect(page).toHaveURL(`${network.url}/login`)
      expect(await storedToken(page)).toBeNull()
    })
  })
})

describe('transactions', () => {
  test("'Failed to load transactions:' is logged; the rest of the page works, and the list can be loaded again", async () => {
    network.breakLine('GET /api/wallet/transactions', 'empty')
    const said: string[] = []
    const listen = (page: Page) => page.on('console', (message) => said.push(message.text()))
    const work = async (page: Page): Promise<void> => {
      await expect(page.getByText('Your transactions could not be loaded.')).toBeVisible()
      expect(said.filter((text) => text.startsWith('Failed to load transactions:')).length).toBeGreaterThan(0)
      await expect(page.locator('.figure')).toHaveText('₹20.00')
      await expect(page.locator('.toast')).toHaveCount(0)
      network.mend()
      await press(page, 'Retry')
      const credited = page.locator('.rows li').filter({ hasText: 'Completed' })
      await expect(credited).toContainText('+₹20.00')
      await expect(credited.locator('.badge')).toHaveClass('badge ok')
    }
    await at('/wallet', work, { before: listen })
  })
})

test('a payment that is not made yet does not look like money received', async () => {
  const { token } = await newMember(roz, { rupees: 20 })
  expect((await ask(roz.url, 'addMoney', { token, body: { amount: 10, phoneNumber: PHONE } })).status).toBe(200)
  const work: Work = async (page) => {
    const amount = (rupees: string) => page.locator('.rows .amount').filter({ hasText: rupees })
    await expect(amount('+₹20.00')).toHaveClass('amount credit')
    await expect(amount('+₹10.00')).toHaveClass('amount')
  }
  await at('/wallet', work, { token })
})

test('texts written by the server follow the language switch', async () => {
  // From here on this member's account is in Hindi.
  const { token } = await newMember(roz, { rupees: 20 })
  const work: Work = async (page) => {
    const line = (words: string) => page.locator('.rows').getByText(words, { exact: true })
    await expect(line('Money added')).toBeVisible()
    // Wait for the screen's parts first: this test looks at the switch, not at a menu opened while they load.
    await page.waitForLoadState('networkidle')
    // In a few of many whole runs the menu closed at once: on failure the error lists every event of the page.
    const came = await watchEvents(page)
    await press(page, 'Menu')
    const hindi = page.getByRole('button', { name: 'हिन्दी' }).filter({ visible: true })
    await elseTell(hindi.click(), 'the menu was closed', came)
    await expect(line('पैसे जोड़े गए')).toBeVisible()
    await expect(line('Money added')).toHaveCount(0)
    // The menu's entries have changed: a keyboard user keeps the focus.
    await expect(page.locator('.menu.small-only .menu-button')).toBeFocused()
  }
  await at('/wallet', work, { token })
})

test('after all of this the audit finds nothing', () => expectCleanAudit(roz.dataDir))

test("with the server stopped: 'Failed to withdraw money', 'Failed to add money'", async () => {
  await at('/wallet', async (page) => {
    await gatewayIsReady(page)
    await field(page, 'Amount').fill('20')
    await fixture.withoutServer(async () => {
      await submit(page).click()
      await expect(toast(page, 'Failed to add money')).toBeVisible()
      const said = await watchToasts(page)
      await askForWithdrawal(page, 10)
      await expect.poll(said).toContain('Failed to withdraw money')
    })
  })
})
