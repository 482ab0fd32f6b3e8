/** Each part of the kit in a browser, on the page /kitchen-sink. */
import { expect } from '../../harness/expect.ts'
import type { Browser } from 'playwright-core'
import { beforeAll, beforeEach, afterEach, test } from 'vitest'
import { auditScreen, handOver, newVisit, openBrowser, type Visit, WIDE } from '../../harness/browser.ts'
import { type Program, startProgram } from '../../harness/program.ts'
import { freeze, shownFrozen } from '../../harness/steps.ts'

let program: Program
let browser: Browser
let visit: Visit
beforeAll(async () => {
  program = await startProgram()
  browser = await openBrowser()
  visit = await newVisit(browser, { size: WIDE, hosts: [new URL(program.url).host] })
})
beforeEach(async () => {
  await handOver(visit, program.url)
  await visit.page.goto(`${program.url}/kitchen-sink`)
  await expect(visit.page.getByRole('heading', { level: 1 })).toHaveText('The daily ledger')
})
afterEach(() => {
  expect(visit.complaints()).toEqual([])
})

test("the modal closes on Escape, on the overlay and by its button, blocks the page's scrolling and returns the focus", async () => {
  const { page } = visit
  const opener = page.getByRole('button', { name: 'md', exact: true })
  const dialog = page.getByRole('dialog', { name: 'Withdraw ₹15.00?' })
  const closings = [
    () => page.keyboard.press('Escape'),
    () => page.mouse.click(4, 400),
    () => dialog.getByRole('button', { name: 'Close' }).click(),
  ]
  for (const close of closings) {
    await opener.click()
    await expect(dialog).toBeVisible()
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).overflowY)).toBe('hidden')
    await close()
    await expect(dialog).toBeHidden()
    await expect(opener).toBeFocused()
  }
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).overflowY)).not.toBe('hidden')
})

test('the modal has four sizes, md the default', async () => {
  const { page } = visit
  const widths: number[] = []
  for (const size of ['sm', 'md', 'lg', 'xl']) {
    await page.getByRole('button', { name: size, exact: true }).click()
    widths.push((await page.getByRole('dialog').boundingBox())?.width ?? 0)
    await page.keyboard.press('Escape')
  }
  expect(widths).toEqual([400, 560, 800, 1080])
})

test('a modal without a close button ignores a press outside and closes on Escape', async () => {
  const { page } = visit
  const opener = page.getByRole('button', { name: 'Without a close button' })
  const dialog = page.getByRole('dialog', { name: 'Take this story back?' })
  await opener.click()
  await expect(dialog.getByRole('button')).toHaveText(['Keep it'])
  await page.mouse.click(4, 400)
  await expect(dialog).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(opener).toBeFocused()
})

test('a press that begins inside and ends on the overlay does not close the modal', async () => {
  const { page } = visit
  await page.getByRole('button', { name: 'md', exact: true }).click()
  await page.getByText('It arrives in 24 to 48 hours.').hover()
  await page.mouse.down()
  await page.mouse.move(4, 400)
  await page.mouse.up()
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.press('Escape')
})

test('a toast is above an open modal, can be closed there, and disappears after 5 s', async () => {
  const own = await newVisit(browser, { size: WIDE, hosts: [new URL(program.url).host] })
  const { page } = own
  await page.clock.install()
  await page.goto(`${program.url}/kitchen-sink`)
  await page.getByRole('button', { name: 'md', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Withdraw' }).click()
  const alert = page.getByRole('alert').filter({ hasText: 'Failed to withdraw money' })
  await expect(alert).toBeVisible()
  await alert.getByRole('button', { name: 'Close' }).click()
  await expect(alert).toBeHidden()
  await freeze(page)
  await dialog.getByRole('button', { name: 'Withdraw' }).click()
  await shownFrozen(alert)
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  // The alert moved back to the page when the modal closed.
  await expect(alert).toBeVisible()
  await page.clock.runFor(4500)
  await expect(alert).toBeVisible()
  await page.clock.runFor(500)
  await expect(alert).toBeHidden()
  expect(own.complaints()).toEqual([])
  await own.close()
})

test('success and warning are statuses, an error is an alert', async () => {
  const { page } = visit
  await page.getByRole('button', { name: 'Success' }).click()
  await page.getByRole('button', { name: 'Warning' }).click()
  await page.getByRole('button', { name: 'Error' }).click()
  await expect(page.getByRole('status').filter({ hasText: "Successfully joined today's round!" })).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: 'Payment pending' })).toBeVisible()
  await expect(page.getByRole('alert').filter({ hasText: 'Failed to add money' })).toBeVisible()
})

test('tabs follow the arrow keys, Home and End', async () => {
  const { page } = visit
  await page.getByRole('tab', { name: 'Users' }).focus()
  for (const [key, name] of [
    ['ArrowRight', 'Impact Stories'],
    ['ArrowRight', 'Overview'],
    ['End', 'Impact Stories'],
    ['Home', 'Overview'],
    ['ArrowLeft', 'Impact Stories'],
  ] as const) {
    await page.keyboard.press(key)
    await expect(page.getByRole('tab', { name })).toBeFocused()
    await expect(page.getByRole('tab', { name })).toHaveAttribute('aria-selected', 'true')
  }
  await expect(page.getByRole('tabpanel')).toHaveText('The panel of three.')
})

test('a switch is named by its label and says its state', async () => {
  const { page } = visit
  const one = page.getByRole('switch', { name: 'Auto Participate', exact: true })
  await expect(one).toHaveAttribute('aria-checked', 'true')
  await expect(one).toHaveAccessibleDescription('Enabled')
  await one.click()
  await expect(one).toHaveAttribute('aria-checked', 'false')
  await expect(one).toHaveAccessibleDescription('Disabled')
})

test('a field has its error and its hint; the password can be shown', async () => {
  const { page } = visit
  const ifsc = page.getByLabel('IFSC', { exact: true })
  await expect(ifsc).toHaveAttribute('aria-invalid', 'true')
  await expect(ifsc).toHaveAccessibleDescription('Invalid IFSC code format')
  const password = page.getByLabel('Password', { exact: true })
  await expect(password).toHaveAttribute('type', 'password')
  await page.getByRole('button', { name: 'Show' }).click()
  await expect(password).toHaveAttribute('type', 'text')
  await expect(password).toHaveValue('secret')
})

test('a busy button stays in place and takes no second press', async () => {
  const { page } = visit
  const one = page.getByRole('button', { name: 'Press for busy' })
  await one.click()
  await expect(one).toHaveAttribute('aria-busy', 'true')
  // Announced as unavailable, yet focusable: the focus must not jump away while a request is under way.
  await expect(one).toHaveAttribute('aria-disabled', 'true')
  await expect(one).not.toHaveAttribute('disabled')
})

test('the countdown ticks', async () => {
  const timer = visit.page.getByRole('timer', { name: 'Time left' })
  const before = await timer.textContent()
  await expect(timer).not.toHaveText(before ?? '')
})

test('money is written the Indian way, with two decimals', async () => {
  await expect(visit.page.getByText('₹12,34,567.89')).toBeVisible()
  await expect(visit.page.getByText('₹12.50 in a sentence')).toBeVisible()
})

test('axe finds no violation on the whole kit, in both themes and with a modal open', async () => {
  const { page } = visit
  await page.locator('[aria-busy=true]').evaluateAll((all) => all.forEach((one) => one.removeAttribute('aria-busy')))
  await auditScreen(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  await auditScreen(page, 'colours')
  await page.getByRole('button', { name: 'md', exact: true }).click()
  await auditScreen(page)
})
