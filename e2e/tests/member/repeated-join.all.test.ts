/** A join whose answer was lost before midnight, pressed again after midnight on the same card. */
import { test } from 'vitest'
import { expect } from '../../harness/expect.ts'
import { newMember, passDay } from '../../harness/people.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'

const fixture = useAppFixture()

test('a join pressed again after midnight on yesterday’s card is the first join, and takes no second rupee', async () => {
  const person = await newMember(fixture.roz, { rupees: 10 })
  const keys: (string | undefined)[] = []
  await fixture.as(person.token, '/dashboard', async (page) => {
    const button = page.locator('.entry button')
    await expect(button).toBeVisible()
    // The card stays as it is: no answer about the new round arrives.
    await page.route('**/api/rounds/current', (route) => route.abort())
    await page.route('**/api/rounds/join', async (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      const answer = await route.fetch()
      return keys.length === 1 ? route.abort() : route.fulfill({ response: answer })
    })
    await button.click()
    await expect(page.getByText('Failed to join round')).toBeVisible()
    await passDay(fixture.roz.url)
    const answered = page.waitForResponse('**/api/rounds/join')
    await button.click()
    expect(((await (await answered).json()) as { balance: number }).balance).toBe(9)
    expect(keys).toEqual([keys[0], keys[0]])
    expect(keys[0]).toMatch(/^\d+(,\d+){3}\/\d{4}-\d{2}-\d{2}$/)
    await page.unroute('**/api/rounds/join')
  })
})
