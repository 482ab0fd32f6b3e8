/** "This was not me": the page behind a mail's link, and the hold that it sets, as the portal shows it. */
import type { Page } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import { auditVisit, expectSilence } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expect } from '../../harness/expect.ts'
import { adminToken, BANK, mailedLink, mailsTo, newMember, PASSWORD, type Person } from '../../harness/people.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'
import { exactToast } from '../../harness/steps.ts'

const fixture = useAppFixture()
let asha: Person
let link: URL

const isIn = async (token: string): Promise<boolean> =>
  (await fetch(`${fixture.roz.url}/api/auth/me`, { headers: { authorization: `Bearer ${token}` } })).ok
const storedToken = (page: Page) => page.evaluate(() => localStorage.getItem('token'))
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const dialog = (page: Page) => page.getByRole('dialog')
const resets = async () => (await mailsTo(fixture.roz.url, asha.email)).filter((mail) => mail.subject.includes('is secured'))

beforeAll(async () => {
  asha = await newMember(fixture.roz, { name: 'Asha Verma', rupees: 20 })
  await ask(fixture.roz.url, 'withdraw', { token: asha.token, body: { amount: 10, bankDetail: BANK } })
  link = new URL(await mailedLink(fixture.roz.url, asha.email, '/not-me'))
})

describe('the page', () => {
  test('opening it, switching its language and leaving it change nothing', async () => {
    await fixture.at(link.pathname + link.search, async (page) => {
      await expect(page.getByRole('heading', { level: 1 })).toHaveText("This wasn't me")
      await expect(page.getByText('Withdrawals and refunds are stopped until we have checked your account.')).toBeVisible()
      await expect(page.getByRole('main').getByRole('button')).toHaveCount(1)
      await press(page, 'हिन्दी')
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('यह मैंने नहीं किया')
      await expect(page.getByRole('button', { name: 'मेरा खाता सुरक्षित करें' })).toBeVisible()
    })
    expect(await isIn(asha.token)).toBe(true)
    expect(await resets()).toEqual([])
  })

  test('a link that was never issued is refused in words', async () => {
    await fixture.at('/not-me?token=nothing', async (page) => {
      await press(page, 'Secure my account')
      const words = 'This link is invalid or has expired. If something is wrong with your account, set a new password and contact us.'
      await expect(exactToast(page, words)).toBeVisible()
    })
  })

  test('one press ends every session and mails the reset link, also when the connection breaks at first', async () => {
    await fixture.as(asha.token, link.pathname + link.search, async (page) => {
      fixture.line.breakLine('POST /api/auth/not-me', 'cut')
      await press(page, 'Secure my account')
      await expect(exactToast(page, 'Network error. Please check your connection and try again.')).toBeVisible()
      fixture.line.mend()
      await press(page, 'Secure my account')
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Your account is secured')
      await expect(
        page.getByText('Withdrawals and refunds are stopped until we have checked your account. You need a new password:'),
      ).toBeVisible()
      await expect(page.getByRole('main').getByRole('listitem')).toHaveText([
        'Open the email within one hour and choose a new password. Its link works once.',
        'Log in with the new password and check that everything is as you left it.',
        'If something is missing or wrong, write to us.',
      ])
      await expectSilence(fixture.visit, /ERR_|Failed to load/)
      await auditVisit(fixture.visit)
      await expect(page.getByRole('link', { name: 'Send the link again' })).toHaveAttribute('href', '/forgot-password')
      expect(await storedToken(page)).toBeNull()
    })
    expect(await isIn(asha.token)).toBe(false)
    const reset = new URL(await mailedLink(fixture.roz.url, asha.email, '/reset-password'))
    const token = reset.searchParams.get('token') ?? ''
    expect((await ask(fixture.roz.url, 'resetPassword', { body: { token, password: `${PASSWORD} three` } })).status).toBe(200)
  })
})

describe('the portal', () => {
  test('shows since when and why a member is on hold, and ends the hold with a reason', async () => {
    const admin = await adminToken(fixture.roz.url)
    await fixture.as(admin, '/admin/dashboard?tab=users', async (page) => {
      const row = page.getByRole('listitem').filter({ hasText: asha.email })
      await expect(row.getByText('On hold')).toBeVisible()
      await row.getByRole('link', { name: asha.name }).click()
      const member = page.locator('.tab-panel')
      await expect(member).toContainText("“This wasn't me”")
      await expect(member).toContainText(/to the email about a (withdrawal|new bank account)/)
      await member.getByRole('button', { name: 'Release' }).click()
      await dialog(page).getByRole('button', { name: 'Release' }).click()
      await expect(dialog(page)).toBeVisible()
      await dialog(page).getByLabel('Reason').fill('Spoke to her by phone.')
      await dialog(page).getByRole('button', { name: 'Release' }).click()
      await expect(exactToast(page, 'Released. Withdrawals and refunds can be approved again.')).toBeVisible()
      await expect(member.getByText('On hold')).toHaveCount(0)
    })
  })
})
