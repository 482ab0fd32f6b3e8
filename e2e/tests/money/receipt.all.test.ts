/** A transaction's receipt: from the list to the slip, on a phone and on paper, in both languages, only for its owner. */
import type { Browser, Page } from 'playwright-core'
import { beforeAll, test } from 'vitest'
import { auditVisit, handOver, newVisit, openBrowser, settle, SMALL, type Visit, WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expect } from '../../harness/expect.ts'
import { BANK, joinRound, newMember, passRound, type Person, PHONE } from '../../harness/people.ts'
import { type Program, startProgram } from '../../harness/program.ts'

const NAME = 'Venkatanarasimharajuvaripeta Lakshmi Subrahmanyeswari Chattopadhyay'
let roz: Program
let browser: Browser
let asha: Person
let date: string
let visit: Visit
let page: Page

/** A top-up, a join that won, and a withdrawal. */
beforeAll(async () => {
  ;[roz, browser] = await Promise.all([startProgram(), openBrowser()])
  asha = await newMember(roz, { name: NAME, rupees: 20 })
  await joinRound(roz.url, asha)
  expect((await ask(roz.url, 'withdraw', { token: asha.token, body: { amount: 10, bankDetail: BANK } })).status).toBe(200)
  date = await passRound(roz.url, asha)
  visit = await newVisit(browser, { hosts: [new URL(roz.url).host, new URL(roz.sandboxUrl).host], size: SMALL })
  page = visit.page
})

const fact = (label: string) =>
  page.locator('.receipt-facts > div', { has: page.locator('dt', { hasText: new RegExp(`^${label}$`) }) }).locator('dd')

async function open(description: RegExp): Promise<void> {
  await page.goto(`${roz.url}/wallet`)
  await page.getByRole('link', { name: description }).first().click()
  await expect(page.getByRole('heading', { level: 1, name: 'Receipt' })).toBeVisible()
  await expect(page.locator('.receipt-facts')).toBeVisible()
}

test('each line of the wallet opens its receipt: a top-up, a withdrawal, a join and a reward', async () => {
  await handOver(visit, roz.url, asha.token)
  await open(/^Money added$/)
  await expect(page).toHaveTitle('Receipt · Roz')
  await expect(page.locator('.receipt-amount')).toContainText('+₹20.00')
  await expect(page.locator('.receipt-words')).toHaveText('Twenty rupees only')
  await expect(fact('Receipt number')).toHaveText(/^[0-9A-F]{12}-0001$/)
  await expect(fact('Date & Time')).toContainText('(IST)')
  await expect(fact('Order ID')).toHaveText(/^[0-9a-f]{32}$/)
  await expect(fact('Reference')).toHaveText(/\S/)
  await expect(fact('Member')).toContainText(NAME)
  await expect(fact('Balance after')).toHaveText('₹20.00')
  await auditVisit(visit)

  await open(/^Withdrawal to/)
  await expect(fact('To')).toHaveText('HDFC Bank ••9012')
  await expect(page.locator('.receipt')).not.toContainText(BANK.accountNumber)

  await open(/^Joined the round/)
  await expect(page.locator('.receipt-words')).toHaveText('One rupee only')
  await open(/^Reward from the round/)
  await expect(page.locator('.receipt-words')).toHaveText('Thirty paise only')
  const link = page.getByRole('link', { name: /^Public page of the round/ })
  await expect(link).toHaveAttribute('href', `${roz.url}/verify/${date}`)
  await auditVisit(visit)
})

test('a transaction that moved no money says that it is no receipt, and nothing else', async () => {
  await ask(roz.url, 'addMoney', { token: asha.token, body: { amount: 30, phoneNumber: PHONE } })
  const { transactions } = (await ask(roz.url, 'transactions', { token: asha.token })).output
  const pending = transactions.find(({ status }) => status === 'pending')
  await page.goto(`${roz.url}/receipt?id=${encodeURIComponent(pending?.id ?? '')}`)
  await expect(page.getByText('Not a receipt.')).toBeVisible()
  await expect(fact('Order ID')).toHaveText(/^[0-9a-f]{32}$/)
  await expect(fact('Receipt number')).toHaveCount(0)
  await expect(page.getByText('valid without a signature')).toHaveCount(0)
  await page.goto(`${roz.url}/receipt?id=join:${date}`)
  await expect(page.getByText('valid without a signature')).toBeVisible()
  await expect(page.getByText('Not a receipt.')).toHaveCount(0)
})

test('in Hindi every word is Hindi', async () => {
  await page.evaluate(() => localStorage.setItem('language', 'hi'))
  await page.goto(`${roz.url}/receipt?id=join:${date}`)
  await expect(page.locator('.receipt-words')).toHaveText('एक रुपया मात्र')
  await expect(fact('कहाँ से')).toHaveText('आपका वॉलेट')
  await auditVisit(visit)
  await page.evaluate(() => localStorage.setItem('language', 'en'))
})

test("a print has one page with the letterhead, and none of the app's frame", async () => {
  await page.setViewportSize(WIDE)
  await page.goto(`${roz.url}/receipt?id=join:${date}`)
  await settle(page)
  await page.emulateMedia({ media: 'print' })
  await expect(page.locator('.letterhead')).toBeVisible()
  await expect(page.locator('.letterhead')).toContainText('support@')
  for (const around of ['header', 'nav', '.buttons', '.skip']) await expect(page.locator(around).first()).toBeHidden()
  await expect(page.getByText(`${roz.url}/verify/${date}`)).toBeVisible()
  const paper = await page.pdf({ preferCSSPageSize: true })
  expect(paper.toString('latin1').match(/\/Type\s*\/Page\b/g)).toHaveLength(1)
  await page.emulateMedia({ media: 'screen' })
})

test('another member’s receipt and an unknown receipt are not found', async () => {
  const biju = await newMember(roz, { name: 'Biju Nair' })
  const [{ id } = { id: '' }] = (await ask(roz.url, 'transactions', { token: asha.token })).output.transactions
  await handOver(visit, roz.url, biju.token)
  for (const other of [id, 'nothing', '']) {
    await page.goto(`${roz.url}/receipt?id=${encodeURIComponent(other)}`)
    await expect(page.getByText('There is no such transaction.')).toBeVisible()
  }
  expect(visit.complaints().filter((complaint) => !complaint.includes('404'))).toEqual([])
})
