/** A withdrawal whose answer was lost, requested again days later in the same open app. */
import type { Api, Output } from '@roz/contract/api.ts'
import { test } from 'vitest'
import { expect } from '../../harness/expect.ts'
import { newMember } from '../../harness/people.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'
import { askForWithdrawal, exactToast as toast } from '../../harness/steps.ts'

const fixture = useAppFixture()

test('pressed again days after a lost answer, it says when it was requested; the next press is a new request', async () => {
  const person = await newMember(fixture.roz, { rupees: 30 })
  const keys: (string | undefined)[] = []
  await fixture.as(person.token, '/wallet', async (page) => {
    await page.route('**/api/wallet/withdraw', async (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      const answer = await route.fetch()
      if (keys.length === 1) return route.abort()
      const { withdrawal, ...rest } = (await answer.json()) as Output<Api['withdraw']>
      return keys.length === 2
        ? route.fulfill({ response: answer, json: { ...rest, withdrawal: { ...withdrawal, createdAt: '2026-03-05T13:30:00+05:30' } } })
        : route.fulfill({ response: answer })
    })
    await askForWithdrawal(page, 10)
    await expect(toast(page, 'Failed to withdraw money')).toBeVisible()
    await page.locator('form.panel button[type=submit]').click()
    await expect(toast(page, 'You already requested this on 5 Mar 2026, 1:30 pm.')).toBeVisible()
    await expect(page.locator('.figure')).toHaveText('₹20.00')
    await page.locator('form.panel button[type=submit]').click()
    await expect(toast(page, 'Withdrawal request submitted!')).toBeVisible()
    await expect(page.locator('.figure')).toHaveText('₹10.00')
    await page.unroute('**/api/wallet/withdraw')
    expect(keys[1]).toBe(keys[0])
    expect(keys[2]).not.toBe(keys[0])
  })
})
