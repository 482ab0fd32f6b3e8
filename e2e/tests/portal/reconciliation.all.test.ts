/** Reconciliation in the browser: the balances in words, a settlement from its form to the day's line, and a settlement that another person approves. */
import type { Page } from 'playwright-core'
import { beforeAll, expect as expectValue, test } from 'vitest'
import { auditVisit, SMALL, WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expect } from '../../harness/expect.ts'
import { adminToken, newMember } from '../../harness/people.ts'
import { png } from '../../harness/pictures.ts'
import type { Program } from '../../harness/program.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'
import { toast } from '../../harness/steps.ts'

const fixture = useAppFixture({ env: async () => ({ APPROVAL_ABOVE: '15' }) })
let roz: Program
let admin: string
beforeAll(async () => {
  ;({ roz } = fixture)
  await newMember(roz, { name: 'Asha Verma', rupees: 30 })
  admin = await adminToken(roz.url)
})

const inPortal = (tab: string, work: (page: Page) => Promise<void>) => fixture.at(`/admin/dashboard?tab=${tab}`, work, { token: admin })
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })

test('a settlement is recorded with its report, and the day says what the gateway still owes', async () => {
  await inPortal('reconciliation', async (page) => {
    await expect(page.getByText('The gateway owes us ₹30.00.')).toBeVisible()
    await page.getByRole('button', { name: 'Record a settlement' }).click()
    const form = dialog(page, 'Record a settlement')
    await form.getByRole('button', { name: 'Record it now' }).click()
    await expect(form.getByText('Please choose the day')).toBeVisible()
    await expect(form.getByText('Please add at least one bill')).toBeVisible()
    await form.getByLabel('Settlement number').fill('utr0001')
    const day = (await ask(roz.url, 'reconciliation', { token: admin })).output.reconciliation[0]?.day ?? ''
    await form.getByLabel('Day of the settlement').fill(day)
    await form.getByLabel('Amount that reached our bank').fill('1,200')
    await expect(form.getByRole('button', { name: 'Request approval' })).toBeVisible()
    await form.getByLabel('Amount that reached our bank').fill('12.50')
    await form.getByLabel('Fee that the gateway kept').fill('0.30')
    const report = { name: 'report.png', mimeType: 'image/png', buffer: png(400, 300, () => [200, 120, 40]) }
    await form.getByLabel('Add a page').last().setInputFiles(report)
    await dialog(page, 'Cover personal data').getByRole('button', { name: 'Use this page' }).click()
    await expect(form.getByRole('img', { name: 'Page 1' })).toBeVisible()
    await form.getByLabel("I have compared these values with the gateway's report.").check()
    await form.getByRole('button', { name: 'Record it now' }).click()
    await expect(toast(page, 'Recorded.')).toBeVisible()
    await expect(page.getByText('The gateway owes us ₹17.20.')).toBeVisible()
    await expect(page.getByText('Our bank account should hold ₹12.50 of this money.')).toBeVisible()
    const row = page.locator('.story-rows > li').first()
    await expect(row).toContainText('Payments: ₹30.00')
    await expect(row).toContainText('Settled: ₹12.50 to our bank, ₹0.30 kept as the fee')
    await expect(row).toContainText('Owed by the gateway at the end of the day: ₹17.20')
  })
})

test('one above the limit waits under the platform entries, with its day and its fee', async () => {
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(png(40, 30, () => [9, 120, 40]))], { type: 'image/png' }), 'report.png')
  const receipts = [(await ask(roz.url, 'uploadReceipt', { token: admin, form })).output.hash]
  const body = { reference: 'UTR0002', day: '2026-01-05', amount: 15, fee: 0.5, receipts }
  const { output, text } = await ask(roz.url, 'askSettlement', { token: admin, body })
  expectValue(output.entry.status, text).toBe('requested')
  await inPortal('house-entries', async (page) => {
    const row = page.getByRole('listitem').filter({ hasText: 'UTR0002' })
    await expect(row).toContainText('Settlement of the gateway')
    await expect(row).toContainText('fee ₹0.50')
    await expect(row).toContainText('You requested this. Another person must approve it.')
  })
})

const SCREENS = [
  ['en', SMALL],
  ['hi', SMALL],
  ['hi', WIDE],
] as const
test.each(SCREENS)('the screen and its form pass axe without sideways scroll, in %s at %o', async (language, size) => {
  await fixture.page.setViewportSize(size)
  await fixture.as(admin, '/admin/login', async (page) => {
    await page.evaluate((chosen) => localStorage.setItem('language', chosen), language)
    await page.goto(`${fixture.line.url}/admin/dashboard?tab=reconciliation`)
    await expect(page.locator('html')).toHaveAttribute('lang', language)
    await expect(page.locator('.tab-panel .story-rows > li').first()).toBeVisible()
    await auditVisit(fixture.visit)
    await page.locator('.tab-panel .head-row button').first().click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await auditVisit(fixture.visit, 'light')
  })
})
