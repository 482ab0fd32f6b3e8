/** A winner passes a reward on: from its notice to the wallet; History, the year and the profile know of it. */
import { financialYearOf } from '@roz/core/financial-year.ts'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, test } from 'vitest'
import { auditVisit, handOver, newVisit, openBrowser, SMALL, type Visit, WIDE } from '../../harness/browser.ts'
import { expect } from '../../harness/expect.ts'
import { joinRound, newMember, passRound, type Person } from '../../harness/people.ts'
import { type Program, startProgram } from '../../harness/program.ts'

let roz: Program
let browser: Browser
let asha: Person
let visit: Visit
let page: Page
let year: string

beforeAll(async () => {
  ;[roz, browser] = await Promise.all([startProgram(), openBrowser()])
  asha = await newMember(roz, { rupees: 20 })
  await joinRound(roz.url, asha)
  year = financialYearOf(await passRound(roz.url, asha)).name
  visit = await newVisit(browser, { hosts: [new URL(roz.url).host, new URL(roz.sandboxUrl).host], size: SMALL })
  page = visit.page
  await handOver(visit, roz.url, asha.token)
})

test('the notice of a win leads to the wallet, which asks once more before it gives', async () => {
  await page.goto(`${roz.url}/notifications`)
  await page.getByRole('link', { name: 'Pass it on' }).click()
  await expect(page.getByRole('heading', { level: 2, name: 'Pass it on' })).toBeInViewport()
  await auditVisit(visit)
  await page.getByRole('button', { name: 'Pass ₹0.30 on' }).click()
  await expect(page.getByRole('dialog')).toContainText('A donation cannot be taken back.')
  await auditVisit(visit)
  await page.getByRole('button', { name: 'Give ₹0.30' }).click()
  await expect(page.getByText('You passed ₹0.30 of it on to the help fund. Thank you.')).toBeVisible()
  await expect(page.locator('.figure').first()).toHaveText('₹19.00')
  await expect(page.getByText('Donation to the help fund')).toBeVisible()
})

test('History says the same, and the year has the donation', async () => {
  await page.goto(`${roz.url}/history`)
  await expect(page.getByText('You passed ₹0.30 of it on to the help fund. Thank you.')).toBeVisible()
  await auditVisit(visit)
  await page.goto(`${roz.url}/year?year=${year}`)
  await expect(page.locator('.receipt-facts').first()).toContainText('Donated to the help fund')
  await page.goto(`${roz.url}/money-trail`)
  await expect(page.getByText('Of 1 winner, 1 passed the reward on to the help fund.')).toBeVisible()
})

test('the profile’s switch passes the next reward on, in Hindi and on a wide screen too', async () => {
  await page.setViewportSize(WIDE)
  await page.goto(`${roz.url}/profile`)
  const turn = page.getByRole('switch', { name: 'If I win, pass it on' })
  await turn.click()
  await expect(turn).toBeChecked()
  await page.evaluate(() => localStorage.setItem('language', 'hi'))
  await page.reload()
  await expect(page.getByRole('switch', { name: 'इनाम मिले तो आगे दे दूँ' })).toBeChecked()
  await auditVisit(visit)
})
