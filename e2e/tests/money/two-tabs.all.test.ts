/** One member in two tabs: balance and transactions change together. */
import type { Page } from 'playwright-core'
import { test } from 'vitest'
import { expect } from '../../harness/expect.ts'
import { addMoney, newMember } from '../../harness/people.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'
import { gatewayIsReady } from '../../harness/steps.ts'

const fixture = useAppFixture()

/** Collects each balance that the screen shows, with the number of payments beside it. */
const watch = (page: Page) =>
  page.evaluateHandle(() => {
    const found = new Set<string>()
    const look = (): void => {
      found.add(`${document.querySelector('.figure')?.textContent} of ${document.querySelectorAll('.to-receipt').length}`)
      requestAnimationFrame(look)
    }
    look()
    return found
  })

/** The member returns to this tab. */
const returnTo = (page: Page): Promise<unknown> => page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))

/** Another tab adds ₹20 to the ₹10 of an open wallet. In the end it shows both payments, and it never showed one without its balance. */
async function showsBoth(act: (page: Page) => Promise<void>): Promise<void> {
  const person = await newMember(fixture.roz, { rupees: 10 })
  const work = async (page: Page): Promise<void> => {
    await gatewayIsReady(page)
    await expect(page.locator('.to-receipt')).toHaveCount(1)
    const seen = await watch(page)
    await addMoney(fixture.roz, person, 20)
    await act(page)
    await returnTo(page)
    await expect(page.locator('.to-receipt')).toHaveCount(2)
    await expect(page.locator('.figure')).toHaveText('₹30.00')
    // The next frame may still have to look.
    await expect.poll(() => seen.evaluate((found) => [...found])).toEqual(['₹10.00 of 1', '₹30.00 of 2'])
  }
  await fixture.at('/wallet', work, { token: person.token })
}

test('an open wallet shows a payment of another tab together with its balance, never one without the other', () =>
  showsBoth(async () => undefined))

test('if the balance cannot be loaded, the old payments stay beside the old balance', () =>
  showsBoth(async (page) => {
    fixture.line.breakLine('GET /api/auth/me', { status: 503, body: '' })
    let refused = 0
    page.on('response', (response) => (refused += response.url().endsWith('/api/auth/me') && response.status() === 503 ? 1 : 0))
    await returnTo(page)
    // The app retries once by itself.
    await expect.poll(() => refused).toBe(2)
    fixture.line.mend()
  }))
