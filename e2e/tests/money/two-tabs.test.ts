/** One member in two tabs: balance and transactions change together. */
import { test } from 'vitest'
import { expect } from '../../harness/expect.ts'
import { addMoney, newMember } from '../../harness/people.ts'
import { useStage } from '../../harness/stage.ts'
import { gatewayIsReady } from '../../harness/steps.ts'

const stage = useStage()

test('an open wallet shows a payment of another tab together with its balance, never one without the other', async () => {
  const person = await newMember(stage.roz, { rupees: 10 })
  await stage.at(
    '/wallet',
    async (page) => {
      await gatewayIsReady(page)
      await expect(page.locator('.to-receipt')).toHaveCount(1)
      const seen = await page.evaluateHandle(() => {
        const found = new Set<string>()
        const look = (): void => {
          found.add(`${document.querySelector('.figure')?.textContent} of ${document.querySelectorAll('.to-receipt').length}`)
          requestAnimationFrame(look)
        }
        look()
        return found
      })
      await addMoney(stage.roz, person, 20)
      // The member returns to this tab.
      await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
      await expect(page.locator('.to-receipt')).toHaveCount(2)
      await expect(page.locator('.figure')).toHaveText('₹30.00')
      expect(await seen.evaluate((found) => [...found])).toEqual(['₹10.00 of 1', '₹30.00 of 2'])
    },
    { token: person.token },
  )
})
