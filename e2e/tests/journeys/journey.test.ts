/**
 * The main journey on a fresh start, in the browser: two members join, one wins, one withdraws.
 * - Each step reads the texts on the screens.
 * - This file covers screens with data; screens.test.ts covers an empty first day.
 */
import { expect } from '../../harness/expect.ts'
import { dayAt, type IstDay } from '@roz/core/ist-day.ts'
import type { Browser } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import { auditVisit, expectSilence, newVisit, openBrowser, type Visit, WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expectCleanAudit } from '../../harness/database.ts'
import { adminToken, eventually, mailedLink, newMember, PASSWORD, pay, type Person, readClock } from '../../harness/people.ts'
import { ADMIN, type Program, startProgram } from '../../harness/program.ts'
import { askForWithdrawal, balanceInBar, goToPayment, register, signIn, toast } from '../../harness/steps.ts'

const ASHA = { name: 'Asha Verma', email: 'asha@x.test', password: PASSWORD }
const BIJU = { name: 'Biju Nair', email: 'biju@x.test', password: PASSWORD }
/** 30 % of two rupees. */
const PRIZE = '₹0.60'

let roz: Program
let browser: Browser
let asha: Visit
let biju: Visit
let today: IstDay

const hosts = (): string[] => [roz.url, roz.sandboxUrl].map((url) => new URL(url).host)
const open = (visit: Visit, path: string) => visit.page.goto(`${roz.url}${path}`)

beforeAll(async () => {
  roz = await startProgram()
  browser = await openBrowser()
  asha = await newVisit(browser, { hosts: hosts() })
  biju = await newVisit(browser, { hosts: hosts(), size: WIDE })
  today = dayAt(Date.parse(await readClock(roz.url)))
})

/** The token in the visitor's browser, for calls as that member. */
async function tokenOf(visit: Visit): Promise<string> {
  return (await visit.page.evaluate(() => localStorage.getItem('token'))) ?? ''
}

describe('the whole journey on a fresh start', () => {
  test('a visitor opens the home page and continues to register', async () => {
    await open(asha, '/')
    await expect(asha.page.locator('h1')).toBeVisible()
    await expectSilence(asha)
    await open(asha, '/register')
    await expect(asha.page.getByRole('heading', { level: 1, name: 'Register' })).toBeVisible()
    await expectSilence(asha)
  })

  test.each([
    ['the first', () => asha, ASHA],
    ['the second', () => biju, BIJU],
  ])('%s member registers, opens the link of the caught mail, and logs in: Welcome back!', async (_which, visitOf, person) => {
    const visit = visitOf()
    const { page } = visit
    await open(visit, '/register')
    await register(page, person)
    await auditVisit(visit)
    await page.goto(await mailedLink(roz.url, person.email, '/verify-email'))
    await expect(page.getByText('Email Verified!')).toBeVisible()
    await auditVisit(visit)
    // Registration has logged the member in; log out first, to show the login.
    await open(visit, '/profile')
    await logout(visit)
    await expect(page).toHaveURL(`${roz.url}/login`)
    await signIn(page, person)
    await expect(toast(page, 'Welcome back!')).toBeVisible()
    await expect(page).toHaveURL(`${roz.url}/dashboard`)
    await expect(page.getByRole('heading', { level: 1, name: `Welcome, ${person.name}` })).toBeVisible()
    await expect(balanceInBar(page)).toHaveText('₹0.00')
    await expectSilence(visit)
  })

  test('joining with an empty wallet is refused, and the toast says why', async () => {
    await asha.page.getByRole('button', { name: 'Join with ₹1.00' }).click()
    await expect(toast(asha.page, 'Insufficient balance. Please add money to your wallet.')).toBeVisible()
  })

  test.each([
    ['the first', () => asha],
    ['the second', () => biju],
  ])('%s member adds ₹20 on the hosted page: Payment Successful!, and the wallet has them', async (_which, visitOf) => {
    const visit = visitOf()
    const { page } = visit
    await open(visit, '/wallet')
    await expect(page.getByText('No transactions yet')).toBeVisible()
    await expectSilence(visit)
    await goToPayment(page, 20)
    await page.getByRole('button', { name: 'Pay ₹20.00' }).click()
    await expect(page.getByRole('heading', { name: 'Payment Successful!' })).toBeVisible()
    await expect(page).toHaveURL(/\/payment-status\?order_id=[0-9a-f]{32}$/)
    await auditVisit(visit)
    await page.getByRole('link', { name: 'Go to Wallet' }).click()
    await expect(page).toHaveURL(`${roz.url}/wallet`)
    await expect(page.locator('.figure')).toHaveText('₹20.00')
    await expect(balanceInBar(page)).toHaveText('₹20.00')
  })

  test.each([
    ['the first', () => asha],
    ['the second', () => biju],
  ])("%s member joins today's round", async (_which, visitOf) => {
    const visit = visitOf()
    const { page } = visit
    await open(visit, '/dashboard')
    await page.getByRole('button', { name: 'Join with ₹1.00' }).click()
    await expect(toast(page, "Successfully joined today's round!")).toBeVisible()
    await expect(page.getByText("You're in")).toBeVisible()
    await expect(balanceInBar(page)).toHaveText('₹19.00')
    await auditVisit(visit)
    await page.reload()
    await expect(page.getByText("You're in")).toBeVisible()
    await expect(page.getByRole('button', { name: 'Join with ₹1.00' })).toHaveCount(0)
  })

  test('an administrator logs in at the portal, Welcome to admin dashboard!, and triggers the draw after confirming it', async () => {
    const visit = await newVisit(browser, { hosts: hosts(), size: WIDE })
    const { page } = visit
    await open(visit, '/admin/login')
    await signIn(page, ADMIN)
    await expect(toast(page, 'Welcome to admin dashboard!')).toBeVisible()
    await expect(page).toHaveURL(`${roz.url}/admin/dashboard`)
    await expectSilence(visit)
    await page.getByRole('button', { name: 'Trigger Draw' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog).toContainText('2 members, ₹2.00')
    await auditVisit(visit)
    await dialog.getByRole('button', { name: 'Trigger Draw' }).click()
    await expect(toast(page, 'Draw triggered successfully!')).toBeVisible()
    for (const tab of ['Users', 'Impact Stories']) {
      await page.getByRole('tab', { name: tab }).click()
      await expect(page.getByRole('tab', { name: tab })).toHaveAttribute('aria-selected', 'true')
      await auditVisit(visit)
    }
    await visit.close()
  })

  test("the winner's wallet shows the reward and the loser's history shows the round", async () => {
    const stats = (await ask(roz.url, 'roundStats', { token: await tokenOf(asha) })).output
    const [winner, loser] = stats.totalWon > 0 ? [asha, biju] : [biju, asha]
    await open(winner, '/wallet')
    await expect(winner.page.locator('.figure')).toHaveText('₹19.60')
    const prize = winner === asha ? winner.page.locator('.rows li:has(.to-receipt)') : winner.page.locator('.table tbody tr')
    await expect(prize.filter({ hasText: PRIZE })).toHaveCount(1)
    await auditVisit(winner)
    for (const [visit, words] of [
      [loser, 'Did not win'],
      [winner, 'You won'],
    ] as const) {
      await open(visit, '/history')
      const round = visit.page.locator('.rounds > li')
      await expect(round).toHaveCount(1)
      await expect(round.locator('time')).toHaveAttribute('datetime', today)
      await expect(round).toContainText(words)
      for (const fact of ['Members2', 'Put in₹2.00', 'Help₹1.20', `Reward${PRIZE}`]) await expect(round).toContainText(fact)
      await auditVisit(visit)
    }
    await expect(loser.page.locator('.rounds > li')).toContainText(winner === asha ? 'Asha V.' : 'Biju N.')
  })

  test('Withdrawal request submitted!: the money is held and listed as a pending debit', async () => {
    const { page } = asha
    await open(asha, '/wallet')
    const before = await page.locator('.figure').textContent()
    await askForWithdrawal(page, 10)
    await expect(toast(page, 'Withdrawal request submitted!')).toBeVisible()
    const left = `₹${(Number(before?.slice(1)) - 10).toFixed(2)}`
    await expect(page.locator('.figure')).toHaveText(left)
    await expect(balanceInBar(page)).toHaveText(left)
    const row = page.locator('.rows li').filter({ hasText: '₹10.00' })
    await expect(row).toContainText('−₹10.00')
    await expect(row).toContainText(/pending/i)
    await auditVisit(asha)
  })

  test('the other screens show what happened too', async () => {
    for (const [path, name] of [
      ['/dashboard', `Welcome, ${ASHA.name}`],
      ['/impact', 'Impact'],
      ['/profile', 'Profile'],
      ['/notifications', 'Notifications'],
    ] as const) {
      await open(asha, path)
      await expect(asha.page.getByRole('heading', { level: 1, name })).toBeVisible()
      await auditVisit(asha)
    }
  })

  test('the audit finds nothing', () => expectCleanAudit(roz.dataDir))
})

async function logout({ page }: Visit): Promise<void> {
  const menu = page.getByRole('button', { name: /^(Menu$|User menu)/ })
  await menu.click()
  await page.getByRole('button', { name: 'Logout' }).click()
}

describe('a payment that does not succeed at once', () => {
  let member: Person
  let visit: Visit
  beforeAll(async () => {
    member = await newMember(roz, { name: 'Chitra Rao' })
    visit = await newVisit(browser, { hosts: hosts(), token: member.token })
  })

  test('Keep pending leads to Payment Pending; Check Again asks, and after the bank has paid the page updates by itself: Money added successfully!', async () => {
    await open(visit, '/wallet')
    await goToPayment(visit.page, 12)
    await visit.page.getByRole('button', { name: 'Keep pending' }).click()
    await expect(visit.page.getByRole('heading', { name: 'Payment Pending' })).toBeVisible()
    await expect(visit.page.locator('main')).toContainText('This may take a few minutes.')
    await expect(visit.page.getByRole('main').getByRole('link', { name: 'Go to Wallet' })).toHaveAttribute('href', '/wallet')
    await auditVisit(visit)
    const asked = visit.page.waitForResponse((response) => response.url().endsWith('/api/payments/confirm'))
    await visit.page.getByRole('button', { name: 'Check Again' }).click()
    if ((await asked).status() !== 200) throw new Error('Check Again was not answered')
    await expect(visit.page.getByRole('heading', { name: 'Payment Pending' })).toBeVisible()
    await pay(roz.sandboxUrl, new URL(visit.page.url()).searchParams.get('order_id') ?? '', 'success')
    await expect(visit.page.getByRole('heading', { name: 'Payment Successful!' })).toBeVisible()
    await expect(toast(visit.page, 'Money added successfully!')).toBeVisible()
    await expect(balanceInBar(visit.page)).toHaveText('₹12.00')
  })

  test("the portal's counts match the data", async () => {
    const token = await adminToken(roz.url)
    const stats = await eventually('the figures', async () => (await ask(roz.url, 'adminStats', { token })).output)
    expect([stats.totalUsers, stats.totalRevenue, stats.totalDonated]).toEqual([3, 2, 1.2])
    await expectCleanAudit(roz.dataDir)
  })
})
