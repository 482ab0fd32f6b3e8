/** A payment that fails or is cancelled, and a page that names no payment; journey.test.ts has one that stays pending. */
import type { Browser } from 'playwright-core'
import { beforeAll, test } from 'vitest'
import { auditVisit, newVisit, openBrowser, type Visit } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expect } from '../../harness/expect.ts'
import { newMember, type Person } from '../../harness/people.ts'
import { type Program, startProgram } from '../../harness/program.ts'
import { goToPayment, toast } from '../../harness/steps.ts'

let roz: Program
let member: Person
let visit: Visit
beforeAll(async () => {
  roz = await startProgram()
  const browser: Browser = await openBrowser({ whole: true })
  member = await newMember(roz, { name: 'Chitra Rao' })
  visit = await newVisit(browser, { hosts: [roz.url, roz.sandboxUrl].map((url) => new URL(url).host), token: member.token })
})

const open = (path: string) => visit.page.goto(`${roz.url}${path}`)
const balance = async () => (await ask(roz.url, 'profile', { token: member.token })).output.user.wallet.balance
const orderId = () => new URL(visit.page.url()).searchParams.get('order_id') ?? ''

test.each([
  ['Fail', 10],
  ['Cancel', 11],
])('%s leads to Payment Failed, and no money is added', async (button, rupees) => {
  await open('/wallet')
  await goToPayment(visit.page, rupees)
  await visit.page.getByRole('button', { name: button, exact: true }).click()
  await expect(visit.page.getByRole('heading', { name: 'Payment Failed' })).toBeVisible()
  await expect(toast(visit.page, 'Payment failed. Please try again.')).toBeVisible()
  for (const words of [orderId(), `₹${rupees}.00`, 'Date & Time']) await expect(visit.page.locator('main')).toContainText(words)
  for (const name of ['Go to Home', 'Back to Home']) await expect(visit.page.getByRole('link', { name })).toHaveAttribute('href', '/')
  await auditVisit(visit)
  await expect(toast(visit.page, 'Payment failed. Please try again.')).toHaveCount(0)
  await visit.page.getByRole('button', { name: 'Try Again' }).click()
  await expect(toast(visit.page, 'Payment failed. Please try again.')).toBeVisible()
  if ((await balance()) !== 0) throw new Error('a failed payment was credited')
})

test('an unknown order is not found, and a page without an order says so', async () => {
  await open(`/payment-status?order_id=${'0'.repeat(32)}`)
  await expect(visit.page.getByText("We couldn't find any payment information for this order.")).toBeVisible()
  visit.complaints()
  await open('/payment-status')
  await expect(visit.page.getByText('No order ID provided')).toBeVisible()
  await auditVisit(visit)
})
