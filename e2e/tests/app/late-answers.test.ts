/** Screens whose facts became older than their page: an answer after a logout, money from elsewhere, a colleague's change, a dialog left too early. */
import { paths } from '@roz/web/paths.ts'
import type { Page, Route } from 'playwright-core'
import { describe, expect as expectValue, test } from 'vitest'
import { WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expect } from '../../harness/expect.ts'
import { addMoney, adminToken, newMember, PASSWORD } from '../../harness/people.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'
import { signIn, toast } from '../../harness/steps.ts'

const fixture = useAppFixture({ size: WIDE, env: async () => ({ AUTOPAY: 'on' }) })

/** Holds the answers to a call until `go`. The server executes it at once. */
async function holdAnswer(page: Page, address: RegExp): Promise<{ readonly asked: Promise<void>; readonly go: () => Promise<void> }> {
  const asked = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<void>()
  const done = Promise.withResolvers<void>()
  await page.route(address, async (route: Route) => {
    const response = await route.fetch()
    asked.resolve()
    await gone.promise
    await route.fulfill({ response })
    done.resolve()
  })
  return {
    asked: asked.promise,
    go: async () => {
      gone.resolve()
      await done.promise
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    },
  }
}

const logout = (page: Page) => page.getByRole('button', { name: 'Logout' }).filter({ visible: true }).click()
const openMenu = async (page: Page): Promise<void> => {
  if ((await page.getByRole('button', { name: 'Logout' }).filter({ visible: true }).count()) === 0)
    await page.getByRole('banner').getByRole('button').first().click()
}

test('a password changed after the logout signs nobody in, and leaves the next member as they are', async () => {
  const { roz } = fixture
  const [asha, ravi] = [await newMember(roz, { name: 'Asha Verma' }), await newMember(roz, { name: 'Ravi Rao', rupees: 20 })]
  await fixture.as(asha.token, paths.profile, async (page) => {
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByLabel('Current password').fill(PASSWORD)
    await page.getByLabel('New password').fill('another horse battery')
    const answer = await holdAnswer(page, /\/api\/user\/password$/)
    await page.getByRole('button', { name: 'Change password' }).click()
    await answer.asked
    await openMenu(page)
    await logout(page)
    await expect(page).toHaveURL(/\/login$/)
    await signIn(page, { email: ravi.email, password: PASSWORD })
    await expect(page).toHaveURL(/\/dashboard$/)
    const own = await page.evaluate(() => localStorage.getItem('token'))
    await answer.go()
    await expect(page.getByText('₹20.00').first()).toBeVisible()
    expectValue(await page.evaluate(() => localStorage.getItem('token'))).toBe(own)
    await expect(page.getByText('Asha')).toHaveCount(0)
    await expect(toast(page, 'Your password was changed')).toHaveCount(0)
  })
})

test('a press without money looks for money that came from elsewhere, and the next one joins', async () => {
  const { roz } = fixture
  const member = await newMember(roz, { name: 'Kiran Das' })
  await fixture.as(member.token, paths.dashboard, async (page) => {
    const join = page.getByRole('button', { name: 'Join with ₹1' })
    await expect(page.getByText('Add money to join.')).toBeVisible()
    await addMoney(roz, member, 10)
    await join.click()
    await expect(toast(page, 'Insufficient balance')).toBeVisible()
    await expect(page.getByText('Add money to join.')).toHaveCount(0)
    await join.click()
    await expect(toast(page, "Successfully joined today's round!")).toBeVisible()
  })
})

test('Back from the bank’s page frees the button that sets AutoPay up', async () => {
  const { roz } = fixture
  const { token } = await newMember(roz, { name: 'Mira Das' })
  await fixture.as(token, paths.wallet, async (page) => {
    // As the browser shows a page that it has kept: the checkout has not settled.
    await page.addInitScript(() => {
      const leave = () => {
        document.documentElement.dataset.left = 'true'
        return new Promise(() => undefined)
      }
      const never = { checkout: leave, subscriptionsCheckout: leave }
      Object.defineProperty(window, 'Cashfree', {
        get: () => () => never,
        // The gateway's script is not to replace it.
        set: () => {
          document.documentElement.dataset.script = 'loaded'
        },
      })
    })
    await page.reload()
    const card = page.locator('.section').filter({ has: page.locator('#autopay') })
    await card.getByRole('textbox').fill('9876543210')
    await card.getByRole('checkbox').check()
    const setUp = card.getByRole('button', { name: 'Set up' })
    await setUp.click()
    await expect(page.locator('html[data-left]')).toHaveCount(1)
    await expect(setUp).toHaveAttribute('aria-busy', 'true')
    await page.evaluate(() => {
      for (const type of ['pagehide', 'pageshow']) window.dispatchEvent(new PageTransitionEvent(type, { persisted: true }))
    })
    await expect(card.locator('[aria-busy="true"]')).toHaveCount(0)
  })
})

describe('the portal', () => {
  test('an edit of a person sends only what was changed: a consent that a colleague ended stays ended, their note stays', async () => {
    const { roz } = fixture
    const admin = await adminToken(roz.url)
    const body = {
      publicName: 'Meera',
      isChild: false,
      guardian: null,
      consent: { how: 'written', on: '2026-01-05' },
      followUps: { on: '2026-01-05' },
      note: 'First note.',
    }
    const { id } = (await ask(roz.url, 'createBeneficiary', { token: admin, body })).output.beneficiary
    await fixture.as(admin, '/admin/dashboard?tab=beneficiaries', async (page) => {
      await page.getByRole('button', { name: /^Edit/ }).first().click()
      const ended = await ask(roz.url, 'updateBeneficiary', {
        token: admin,
        params: { id },
        body: { followUps: null, note: 'Moved to Surat.' },
      })
      expectValue(ended.status, ended.text).toBe(200)
      await page.getByLabel('Public name').fill('Meena')
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
      await expect(toast(page, 'The beneficiary is saved.')).toBeVisible()
    })
    const { beneficiaries } = (await ask(roz.url, 'beneficiaries', { token: admin })).output
    expectValue(beneficiaries.find((one) => one.id === id)).toMatchObject({ publicName: 'Meena', followUps: null, note: 'Moved to Surat.' })
  })

  test('the question before a publication stays open until its answer is known', async () => {
    const { roz } = fixture
    const admin = await adminToken(roz.url)
    const story = { title: 'School shoes', description: 'For the new year.', charity: { name: 'Meera', description: 'Shoes' } }
    await ask(roz.url, 'createStory', { token: admin, body: story })
    await fixture.as(admin, '/admin/dashboard?tab=stories', async (page) => {
      await page.getByRole('button', { name: 'Publish: School shoes' }).click()
      const dialog = page.getByRole('dialog')
      const answer = await holdAnswer(page, /\/api\/impact\/stories\/[^?]+$/)
      await dialog.getByRole('button', { name: 'Publish' }).click()
      await answer.asked
      await page.keyboard.press('Escape')
      await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeDisabled()
      await answer.go()
      await expect(dialog).toHaveCount(0)
      await expect(toast(page, 'Story published successfully!')).toBeVisible()
    })
  })
})
