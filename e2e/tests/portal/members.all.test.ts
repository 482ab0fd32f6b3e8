/** The portal's members: the list, and the page of one member with its decisions and notes. */
import { expect } from '../../harness/expect.ts'
import type { Page } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import { auditVisit, SMALL, WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { adminToken, mailsTo, newMember, type Person } from '../../harness/people.ts'
import { useAppFixture, type Work } from '../../harness/app-fixture.ts'
import { toast } from '../../harness/steps.ts'

const fixture = useAppFixture({ size: WIDE })
let page: Page
let asha: Person

beforeAll(async () => {
  ;({ page } = fixture)
  asha = await newMember(fixture.roz, { name: 'Asha Verma', rupees: 20 })
  const isOpen: Work = async (at) => expect(at.getByRole('tab').first()).toBeVisible()
  await fixture.at('/admin/dashboard', isOpen, { token: await adminToken(fixture.roz.url) })
})

const openUsers = () => page.goto(`${fixture.line.url}/admin/dashboard?tab=users`)
const panel = () => page.locator('.tab-panel')
const dialog = () => page.getByRole('dialog')
async function openAsha(): Promise<void> {
  await openUsers()
  await panel().getByRole('link', { name: 'Asha Verma' }).click()
  await expect(panel().getByRole('heading', { level: 2, name: 'Asha Verma' })).toBeVisible()
}
async function decide(press: string, confirm = press): Promise<void> {
  await panel().getByRole('button', { name: press, exact: true }).click()
  await dialog().getByLabel('Reason').fill('Four accounts, one bank account.')
  await dialog().getByRole('button', { name: confirm, exact: true }).click()
}

describe('the list', () => {
  test('is sorted, narrowed and downloaded', async () => {
    await openUsers()
    await expect(panel().getByRole('link', { name: 'Asha Verma' })).toBeVisible()
    await panel().getByLabel('Status').selectOption('Suspended')
    await expect(panel().getByText('No members found')).toBeVisible()
    await panel().getByLabel('Status').selectOption('All')
    const download = page.waitForEvent('download')
    await panel().getByRole('button', { name: 'Download CSV' }).click()
    expect((await download).suggestedFilename()).toBe('users.csv')
    await auditVisit(fixture.visit)
  })
})

describe('the page of a member', () => {
  test('shows the account and keeps its address', async () => {
    await openAsha()
    await expect(page).toHaveURL(/tab=users&member=[0-9a-f-]{36}$/)
    await expect(panel()).toContainText(asha.email)
    await expect(panel()).toContainText('₹20.00')
    await expect(panel().getByText('Money added', { exact: true }).first()).toBeVisible()
    await page.reload()
    await expect(panel().getByRole('heading', { level: 2, name: 'Asha Verma' })).toBeVisible()
    await auditVisit(fixture.visit)
    await page.setViewportSize(SMALL)
    await expect(panel().getByRole('heading', { level: 2, name: 'Asha Verma' })).toBeVisible()
    await auditVisit(fixture.visit)
    await page.setViewportSize(WIDE)
  })

  test('suspends with a reason: the member can read and cannot join; reinstated, the member joins', async () => {
    await openAsha()
    await decide('Suspend')
    await expect(toast(page, 'Suspended. The member has been told by email.')).toBeVisible()
    await expect(panel().getByText('Suspended', { exact: true })).toBeVisible()
    const join = () => ask(fixture.roz.url, 'joinRound', { token: asha.token, body: {} })
    expect((await join()).refusal.message).toBe('Your account is suspended. Please contact us.')
    expect((await ask(fixture.roz.url, 'transactions', { token: asha.token })).status).toBe(200)
    expect((await mailsTo(fixture.roz.url, asha.email))[0]?.subject).toBe('Your Roz account is suspended')
    await decide('Reinstate')
    await expect(toast(page, 'Reinstated. The member has been told by email.')).toBeVisible()
    await expect(panel().getByText('Suspended', { exact: true })).toHaveCount(0)
    expect((await join()).status).toBe(200)
  })

  test('takes a note with only the keyboard', async () => {
    await openAsha()
    await panel().getByLabel('New note').focus()
    await page.keyboard.type('Called: she lost her phone.')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect(panel().getByText('Called: she lost her phone.')).toBeVisible()
    await expect(panel().getByLabel('New note')).toHaveValue('')
  })

  test('logs the member out everywhere', async () => {
    await openAsha()
    await decide('Log out everywhere')
    await expect(toast(page, 'Logged out everywhere.')).toBeVisible()
    expect((await ask(fixture.roz.url, 'profile', { token: asha.token })).status).toBe(401)
  })
})

describe('the messages', () => {
  const openMessages = () => page.goto(`${fixture.line.url}/admin/dashboard?tab=messages`)

  test('an empty list says so', async () => {
    await openMessages()
    await expect(panel().getByText('No messages found')).toBeVisible()
  })

  test('a message is read, answered by email in its thread, and closed', async () => {
    const body = { name: 'Gita Rao', email: 'gita@roz.example', message: 'How do I change my number?' }
    const { ticket } = (await ask(fixture.roz.url, 'contact', { body })).output
    await openMessages()
    const row = panel().getByRole('listitem').filter({ hasText: ticket })
    await expect(row).toContainText('How do I change my number?')
    await expect(row.getByText('New', { exact: true })).toBeVisible()
    await auditVisit(fixture.visit)
    await row.getByRole('button', { name: 'Reply' }).click()
    await dialog().getByRole('button', { name: 'Send reply' }).click()
    await expect(dialog().getByText('Please write a reply of 10 to 4,000 characters').first()).toBeVisible()
    await dialog().getByLabel('Your reply').fill('You change it on your profile page.')
    await auditVisit(fixture.visit, 'light')
    await dialog().getByRole('button', { name: 'Send reply' }).click()
    await expect(toast(page, 'Your reply was sent.')).toBeVisible()
    await expect(row.getByText('Answered', { exact: true })).toBeVisible()
    await expect(row).toContainText('You change it on your profile page.')
    const [answer] = await mailsTo(fixture.roz.url, body.email)
    expect(answer?.subject).toBe(`Re: [${ticket}] We got your message`)
    await row.getByRole('button', { name: 'Close' }).click()
    await expect(row.getByText('Closed', { exact: true })).toBeVisible()
    await panel().getByLabel('Status').selectOption('Answered')
    await expect(panel().getByText('No messages found')).toBeVisible()
  })
})

// The last: the browser reports the 404.
test('an address that names no member says so', async () => {
  await page.goto(`${fixture.line.url}/admin/dashboard?tab=users&member=nobody`)
  await expect(page.getByText('There is no such member.')).toBeVisible()
})
