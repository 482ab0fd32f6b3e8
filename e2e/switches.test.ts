/**
 * Where the operator has switched money off the wallet says so in the form's place; a proxy's words are
 * never taken for the server's; an address that names a place of a screen leads to it.
 */
import { paths } from '@roz/web/paths.ts'
import type { Browser } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import { auditScreen, newVisit, openBrowser, SMALL, WIDE } from './browser.ts'
import { ask } from './calls.ts'
import { expect } from './expect.ts'
import { newMember, PASSWORD, type Person } from './people.ts'
import { type Program, startProgram } from './program.ts'
import { signIn } from './steps.ts'

let roz: Program
let browser: Browser
let mira: Person
const hosts = (): string[] => [new URL(roz.url).host]

describe('with PAYMENTS_LIVE and CASHOUT off', () => {
  beforeAll(async () => {
    ;[roz, browser] = await Promise.all([startProgram({ env: { PAYMENTS_LIVE: '0', CASHOUT: '0' } }), openBrowser()])
    mira = await newMember(roz, { name: 'Mira Das' })
  })

  test.each([
    ['en', 'Add money', 'Adding money is paused.', 'Withdraw', 'Withdrawals are paused.'],
    ['hi', 'पैसे जोड़ें', 'पैसे जोड़ना अभी रुका हुआ है।', 'पैसे निकालें', 'पैसे निकालना अभी रुका हुआ है।'],
  ] as const)('the wallet says so instead of asking for anything: %s', async (language, _add, noAdding, take, noTaking) => {
    const { page, ...visit } = await newVisit(browser, { size: SMALL, hosts: hosts(), token: mira.token })
    await page.addInitScript((chosen) => localStorage.setItem('language', chosen), language)
    await page.goto(roz.url + paths.wallet)
    await expect(page.getByRole('status').filter({ hasText: noAdding })).toBeVisible()
    await expect(page.locator('main form')).toHaveCount(0)
    await auditScreen(page)
    await page.getByRole('button', { name: take }).first().click()
    await expect(page.getByRole('status').filter({ hasText: noTaking })).toBeVisible()
    await expect(page.getByText(noAdding)).toHaveCount(0)
    await expect(page.locator('main form')).toHaveCount(0)
    await visit.close()
  })

  test('the words are those of the calls that refuse', async () => {
    const body = { amount: 10, phoneNumber: '9876500001' }
    const { status, refusal } = await ask(roz.url, 'addMoney', { token: mira.token, body })
    expect([status, refusal.message]).toEqual([403, 'Adding money is paused.'])
  })
})

describe('a proxy in between', () => {
  test.each(['Bad Gateway', 'error code: 502'])('whose words are “%s” is not taken for the server: Login failed', async (words) => {
    const { page, ...visit } = await newVisit(browser, { size: WIDE, hosts: hosts() })
    await page.goto(roz.url + paths.login)
    await page.route('**/api/auth/login', (route) => route.fulfill({ status: 502, contentType: 'text/plain', body: words }))
    await signIn(page, { email: mira.email, password: PASSWORD })
    await expect(page.getByRole('alert')).toContainText('Login failed')
    await expect(page.getByText(words)).toHaveCount(0)
    visit.complaints()
    await visit.close()
  })
})

describe('a place on the screen that the app begins with', () => {
  beforeAll(async () => {
    roz = await startProgram()
    mira = await newMember(roz, { name: 'Mira Das', rupees: 10 })
  })

  test('is found by its address, and again after a reload', async () => {
    const { page, ...visit } = await newVisit(browser, { size: SMALL, hosts: [...hosts(), '127.0.0.1'], token: mira.token })
    const scrolled = () => page.evaluate(() => Math.round(scrollY))
    await page.goto(`${roz.url}${paths.wallet}#withdraw`)
    await expect.poll(scrolled).toBeGreaterThan(100)
    await page.goto(roz.url + paths.wallet)
    await expect(page.getByLabel('Phone number')).toBeVisible()
    await page.evaluate(() => scrollTo(0, 300))
    await expect.poll(scrolled).toBe(300)
    // The place is written down a moment after the scrolling.
    await page.waitForTimeout(300)
    await page.reload()
    await expect.poll(scrolled).toBe(300)
    visit.complaints()
    await visit.close()
  })
})
