/** The members' rights on the screens: a refund, their data as a file, the weekly mail switched off, and the account deleted. */
import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import { auditScreen } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expect } from '../../harness/expect.ts'
import { BANK, newMember, type Person } from '../../harness/people.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'
import { balanceInBar, toast } from '../../harness/steps.ts'

const fixture = useAppFixture()
let asha: Person
let meera: Person
let ravi: Person

beforeAll(async () => {
  const { roz } = fixture
  ;[asha, meera, ravi] = await Promise.all([
    newMember(roz, { name: 'Asha Verma', rupees: 20 }),
    newMember(roz, { name: 'Meera Das', rupees: 10 }),
    newMember(roz, { name: 'Ravi Iyer', rupees: 10 }),
  ])
})

const button = (within: Page | Locator, name: string) => within.getByRole('button', { name, exact: true })
const as = ({ token }: Person) => ({ token })

describe('a refund', () => {
  test('is limited to what is left, held at once and listed with its state', () =>
    fixture.as(asha.token, '/wallet', async (page) => {
      const form = page.locator('.refund-form')
      await button(page, 'Request a refund').click()
      await form.getByLabel('Refund amount', { exact: true }).fill('21')
      await form.getByLabel('Reason', { exact: true }).fill('I added it twice.')
      await button(form, 'Request a refund of ₹21.00').click()
      await expect(form.getByText('This is more than the unused part of this payment', { exact: true })).toBeVisible()
      await auditScreen(page)
      await form.getByLabel('Refund amount', { exact: true }).fill('4.50')
      await button(form, 'Request a refund of ₹4.50').click()
      await expect(toast(page, 'Refund requested.')).toBeVisible()
      const row = page.getByRole('list', { name: 'Your refunds' }).getByRole('listitem')
      await expect(row).toContainText('I added it twice.')
      await expect(row).toContainText('₹4.50')
      await expect(row).toContainText('Pending')
      await expect(balanceInBar(page)).toHaveText(/15\.50/)
      await expect(form).toHaveCount(0)
      await button(page, 'Request a refund').click()
      await expect(form.getByText('At most ₹15.50.')).toBeVisible()
    }))

  test("a refused refund shows the server's words and updates what is left", () =>
    fixture.as(asha.token, '/wallet', async (page) => {
      const form = page.locator('.refund-form')
      await button(page, 'Request a refund').click()
      await form.getByLabel('Refund amount', { exact: true }).fill('1')
      await form.getByLabel('Reason', { exact: true }).fill('Once is enough.')
      // Meanwhile another device requests all of it.
      const order_id = await form.getByLabel('Payment', { exact: true }).inputValue()
      await ask(fixture.roz.url, 'requestRefund', { ...as(asha), body: { order_id, amount: 15.5, reason: 'All of it.' } })
      await button(form, 'Request a refund of ₹1.00').click()
      await expect(toast(page, 'This is more than the unused part of this payment.')).toBeVisible()
      await expect(form).toHaveCount(0)
      await expect(page.getByRole('list', { name: 'Your refunds' }).getByRole('listitem')).toHaveCount(2)
    }))
})

test('the data file says what the call says; a failed download says so', () =>
  fixture.as(asha.token, '/profile', async (page) => {
    fixture.line.breakLine('GET /api/user/export', 'cut')
    await button(page, 'Download my data').click()
    await expect(toast(page, 'Your data could not be loaded.')).toBeVisible()
    fixture.line.mend()
    const coming = page.waitForEvent('download')
    await button(page, 'Download my data').click()
    const file = await coming
    expect(file.suggestedFilename()).toBe('my-data.json')
    const { output } = await ask(fixture.roz.url, 'exportData', as(asha))
    expect(JSON.parse(readFileSync(await file.path(), 'utf8'))).toEqual(output)
  }))

test('the switch of the weekly mail saves at once, and switches back when the save fails', () =>
  fixture.as(asha.token, '/notifications', async (page) => {
    const mails = page.getByRole('switch', { name: 'Emails about your rounds', exact: true })
    const stored = async () => (await ask(fixture.roz.url, 'preferences', as(asha))).output.preferences.mail
    await expect(mails).toHaveAttribute('aria-checked', 'true')
    fixture.line.breakLine('PUT /api/notifications/preferences', 'cut')
    await mails.click()
    await expect(toast(page, 'The change could not be saved.')).toBeVisible()
    await expect(mails).toHaveAttribute('aria-checked', 'true')
    fixture.line.mend()
    await mails.click()
    await expect(mails).toHaveAttribute('aria-checked', 'false')
    await expect.poll(stored).toBe(false)
  }))

describe('closing the account', () => {
  const dialog = (page: Page) => page.getByRole('dialog')

  test('asks what to do with the rest, donates it, deletes the account, and ends on a goodbye page', async () => {
    await fixture.as(meera.token, '/profile', async (page) => {
      await button(page, 'Delete account').click()
      await expect(dialog(page).getByRole('heading', { name: 'First, your ₹10.00' })).toBeVisible()
      await button(dialog(page), 'Withdraw ₹10.00').click()
      await expect(dialog(page).locator('.field-error').getByText('Account holder name is required')).toBeVisible()
      await expect(dialog(page).getByRole('alert').filter({ hasText: 'Account holder name is required' })).toBeVisible()
      await auditScreen(page)
      await dialog(page).getByLabel('Donate to people in need').check()
      await button(dialog(page), 'Donate ₹10.00').click()
      await expect(dialog(page).getByRole('heading', { name: 'Delete your account for good?' })).toBeVisible()
      await auditScreen(page)
      await button(dialog(page), 'Keep my account').click()
      await expect(dialog(page)).toHaveCount(0)
      expect((await ask(fixture.roz.url, 'me', as(meera))).status).toBe(200)
      await button(page, 'Delete account').click()
      await button(dialog(page), 'Delete account').click()
      await expect(page.getByRole('heading', { level: 1, name: 'Account deleted' })).toBeVisible()
      expect(new URL(page.url()).pathname).toBe('/goodbye')
      expect(await page.evaluate(() => localStorage.getItem('token'))).toBeNull()
    })
    expect((await ask(fixture.roz.url, 'me', as(meera))).status).toBe(401)
    const again = await ask(fixture.roz.url, 'login', { body: { email: meera.email, password: 'correct horse battery' } })
    expect(again.refusal.code).toBe('invalid_credentials')
  })

  test('with a payout to a bank account it says what is on its way and why the account still exists', async () => {
    await fixture.as(ravi.token, '/profile', async (page) => {
      await button(page, 'Delete account').click()
      await dialog(page).getByLabel('Account holder name', { exact: true }).fill(BANK.accountHolderName)
      await dialog(page).getByLabel('Account number', { exact: true }).fill(BANK.accountNumber)
      await dialog(page).getByLabel('IFSC', { exact: true }).fill(BANK.ifscCode)
      await dialog(page).getByLabel('Bank name', { exact: true }).fill(BANK.bankName)
      await button(dialog(page), 'Withdraw ₹10.00').click()
      await expect(toast(page, 'Withdrawal of ₹10.00 requested.')).toBeVisible()
      await expect(dialog(page)).toHaveCount(0)
      await button(page, 'Delete account').click()
      await button(dialog(page), 'Delete account').click()
      await expect(dialog(page).getByRole('alert')).toHaveText(/A withdrawal is not finished yet/)
      await button(dialog(page), 'Keep my account').click()
    })
    expect((await ask(fixture.roz.url, 'me', as(ravi))).status).toBe(200)
  })
})
