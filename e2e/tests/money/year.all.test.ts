/** A financial year on one page: from History to the statement, as a table and on paper, in both languages, only for its owner. */
import { readFile } from 'node:fs/promises'
import { financialYearOf } from '@roz/core/financial-year.ts'
import { type IstDay, nextDay } from '@roz/core/ist-day.ts'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, expect as expectValue, test } from 'vitest'
import { auditVisit, handOver, newVisit, openBrowser, SMALL, type Visit, WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expect } from '../../harness/expect.ts'
import { adminToken, BANK, joinRound, newMember, passRound, type Person } from '../../harness/people.ts'
import { type Program, startProgram } from '../../harness/program.ts'

let roz: Program
let browser: Browser
let asha: Person
let year: string
/** The day after the round, on which its prize was paid. */
let today: IstDay
let visit: Visit
let page: Page

/** A top-up of ₹20, a join that won with 30 % tax, and a withdrawal of ₹10. */
beforeAll(async () => {
  ;[roz, browser] = await Promise.all([startProgram({ env: { TDS_PERCENT: '30' } }), openBrowser()])
  asha = await newMember(roz, { rupees: 20 })
  await joinRound(roz.url, asha)
  expectValue((await ask(roz.url, 'withdraw', { token: asha.token, body: { amount: 10, bankDetail: BANK } })).status).toBe(200)
  today = nextDay(await passRound(roz.url, asha))
  year = financialYearOf(today).name
  visit = await newVisit(browser, { hosts: [new URL(roz.url).host, new URL(roz.sandboxUrl).host], size: SMALL })
  page = visit.page
})

const fact = (label: RegExp) => page.locator('.receipt-facts > div', { has: page.locator('dt', { hasText: label }) }).locator('dd')

test('History leads to the year: its lines add up from the opening to the closing balance', async () => {
  await handOver(visit, roz.url, asha.token)
  await page.goto(`${roz.url}/history`)
  await page.getByRole('link', { name: 'Your year on one page' }).click()
  await expect(page.getByRole('heading', { level: 1, name: `Your year ${year}` })).toBeVisible()
  await expect(page).toHaveTitle('Your year · Roz')
  await expect(fact(/^Balance on 1 Apr/)).toHaveText('₹0.00')
  await expect(fact(/^Added$/)).toHaveText('₹20.00')
  await expect(fact(/^Put into rounds$/)).toHaveText('−₹1.001 round')
  await expect(fact(/^Won, after tax$/)).toHaveText('₹0.21')
  await expect(fact(/^Withdrawn$/)).toHaveText('−₹10.00')
  await expect(fact(/^Balance on/).last()).toHaveText('₹9.21')
  await expect(fact(/^Sum$/)).toHaveText('₹0.21 of ₹0.30; ₹0.09 tax withheld')
  await expect(page.getByText('They wait in the help fund.')).toBeVisible()
  await expect(page.locator('.receipt')).not.toContainText('Donated')
  await auditVisit(visit)
})

test('the PAN is asked for once tax was withheld; afterwards only its end is shown', async () => {
  await page.getByLabel('PAN', { exact: true }).fill('abcde1234f')
  await page.getByRole('button', { name: 'Save PAN' }).click()
  await expect(page.getByText('A PAN has 5 letters')).toBeVisible()
  await page.getByLabel('PAN', { exact: true }).fill('abcpe 1234 f')
  await page.getByRole('button', { name: 'Save PAN' }).click()
  await expect(page.getByText('Your PAN ends in 234F.')).toBeVisible()
  await expect(page.getByLabel('PAN', { exact: true })).toHaveCount(0)
  await auditVisit(visit)
})

test('it downloads as a table with plain numbers', async () => {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save as a table' }).click()])
  expectValue(download.suggestedFilename()).toBe(`${year}.csv`)
  const lines = (await readFile(await download.path(), 'utf8')).split('\r\n')
  expectValue(lines[0]).toBe('\ufeffDay,What,For,Amount in ₹,Tax withheld in ₹')
  expectValue(lines).toEqual(
    expectValue.arrayContaining([`${today},Put into rounds,,-1,`, `${today},Reward,,0.21,0.09`, `${today},Balance,,9.21,`]),
  )
})

test('a member who put in nothing is not told that rupees wait in the help fund', async () => {
  await handOver(visit, roz.url, (await newMember(roz)).token)
  await page.goto(`${roz.url}/year`)
  await expect(fact(/^Put into rounds$/)).toHaveText('₹0.000 rounds')
  await expect(page.getByText('They wait in the help fund.')).toHaveCount(0)
  await handOver(visit, roz.url, asha.token)
  await page.goto(`${roz.url}/year`)
  await expect(page.getByText('Your PAN ends in 234F.')).toBeVisible()
})

test('on paper it has the issuer and no buttons', async () => {
  await page.emulateMedia({ media: 'print' })
  await expect(page.locator('.letterhead')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Print or save' })).toBeHidden()
  await page.emulateMedia({ media: 'screen' })
})

test('on a wide screen in Hindi every word is Hindi', async () => {
  await page.setViewportSize(WIDE)
  await page.evaluate(() => localStorage.setItem('language', 'hi'))
  await page.reload()
  await expect(page.getByRole('heading', { level: 1, name: `आपका साल ${year}` })).toBeVisible()
  await auditVisit(visit)
  await page.evaluate(() => localStorage.setItem('language', 'en'))
})

test('a year that is none of the membership says so, and leads to the present one', async () => {
  await page.goto(`${roz.url}/year?year=1999-00`)
  await page.getByRole('link', { name: 'See this year' }).click()
  await expect(page.getByRole('heading', { level: 1, name: `Your year ${year}` })).toBeVisible()
  expectValue(visit.complaints().filter((complaint) => !complaint.includes('404'))).toEqual([])
})

test('the team finds it in the quarter, and enters the number of the certificate, which the member sees', async () => {
  const portal = await newVisit(browser, { hosts: [new URL(roz.url).host], size: SMALL })
  await handOver(portal, roz.url, await adminToken(roz.url), 'admin-token')
  await portal.page.goto(`${roz.url}/admin/dashboard?tab=tax`)
  await expect(portal.page.getByText('PAN ends in 234F')).toBeVisible()
  await auditVisit(portal)
  await portal.page.getByRole('button', { name: 'Enter the certificate' }).click()
  await portal.page.getByLabel('Number of the certificate').fill('ABC123')
  await portal.page.getByRole('button', { name: 'Save the number' }).click()
  await expect(portal.page.getByText('Certificate ABC123')).toBeVisible()
  await page.goto(`${roz.url}/year`)
  await expect(fact(/^Certificate /)).toHaveText('ABC123')
})
