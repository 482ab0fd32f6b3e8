/** Provokes each message of the payment status screen that shows no payment, and follows each one's way on. */
import type { Page } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import { expect } from '../../harness/expect.ts'
import type { Fault, FaultyProxy } from '../../harness/faulty-proxy.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'
import { exactToast as toast } from '../../harness/steps.ts'

const fixture = useAppFixture()
/** The proxy between the browser and the server. */
let network: FaultyProxy

beforeAll(() => {
  network = fixture.line
})

describe('payment status', () => {
  const order = `/payment-status?order_id=${'0'.repeat(32)}`
  const confirm = 'POST /api/payments/confirm'
  const answered = (body: object): Fault => ({ status: 200, body: JSON.stringify(body) })

  test.each([
    ['No payment data received.', 'an answer without data', answered({})],
    ['No payment data received.', 'an answer without an order', answered({ data: { success: false } })],
    ['Failed to fetch payment status. Please try again.', 'an empty answer', 'empty'],
    ['Failed to fetch payment status. Please try again.', 'a cut connection', 'cut'],
    ['Failed to fetch payment status. Please try again.', 'an error page of a proxy', 'wordless'],
  ] as const)("'%s' after %s; Try Again asks the server again: 'Payment Not Found'", async (words, _how, fault) => {
    network.breakLine(confirm, fault)
    await fixture.at(order, async (page) => {
      const alert = page.getByRole('main').getByRole('alert')
      await expect(alert).toContainText(words)
      await expect(alert.getByRole('link', { name: 'Go to Home' })).toHaveAttribute('href', '/')
      network.mend()
      await alert.getByRole('button', { name: 'Try Again' }).click()
      await expect(alert.getByRole('heading', { name: 'Payment Not Found' })).toBeVisible()
      await expect(alert).toContainText("We couldn't find any payment information for this order.")
      await expect(alert.getByRole('button', { name: 'Try Again' })).toHaveCount(0)
      await expect(alert.getByRole('link', { name: 'Go to Home' })).toHaveAttribute('href', '/')
    })
  })

  test("'Failed to fetch payment status. Please try again.' as a toast when Check Again gets no answer; the known status stays", async () => {
    const details = { order_id: '0'.repeat(32), order_amount: 20, order_status: 'PENDING' }
    network.breakLine(confirm, answered({ data: { success: false, orderUserDetails: details } }))
    await fixture.at(order, async (page) => {
      await expect(page.getByRole('heading', { name: 'Payment Pending' })).toBeVisible()
      network.breakLine(confirm, 'cut')
      await page.getByRole('button', { name: 'Check Again' }).click()
      await expect(toast(page, 'Failed to fetch payment status. Please try again.')).toBeVisible()
      await expect(page.getByRole('heading', { name: 'Payment Pending' })).toBeVisible()
    })
  })

  test("'No order ID provided' has Try Again, Go to Home and Back to Home", async () => {
    await fixture.at('/payment-status?order_id=', async (page) => {
      await expect(page.getByRole('main').getByRole('alert')).toContainText('No order ID provided')
      await expect(page.getByRole('button', { name: 'Try Again' })).toBeVisible()
      for (const name of ['Go to Home', 'Back to Home']) await expect(page.getByRole('link', { name })).toHaveAttribute('href', '/')
    })
  })

  test('Request timeout: none by default; the screen still waits for the answer after an hour', async () => {
    network.breakLine(confirm, 'hold')
    const waits = async (page: Page): Promise<void> => {
      await expect(page.getByText('Checking your payment…')).toBeVisible()
      await page.clock.fastForward('01:00:00')
      await expect(page.getByText('Checking your payment…')).toBeVisible()
      network.mend()
      await expect(page.getByRole('heading', { name: 'Payment Not Found' })).toBeVisible()
    }
    await fixture.at(order, waits, { before: (page) => page.clock.install() })
  })

  test("'Checking your payment…' until the answer arrives", async () => {
    network.breakLine(confirm, 'silent')
    await fixture.at(order, (page) => expect(page.getByText('Checking your payment…')).toBeVisible())
  })
})
