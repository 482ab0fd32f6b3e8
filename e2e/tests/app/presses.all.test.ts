/**
 * No press and no keystroke is lost while the page changes.
 * - A call without an answer ends after a limit, or the screen offers to reload the page.
 * - The screen then says what is known and what to do next.
 */
import type { Page } from 'playwright-core'
import { describe, test } from 'vitest'
import { expect } from '../../harness/expect.ts'
import { adminToken, newMember } from '../../harness/people.ts'
import { png } from '../../harness/pictures.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'
import {
  askForWithdrawal,
  elseTell,
  exactToast as toast,
  gatewayIsReady,
  onSlowPhone,
  usePicture,
  watchEvents,
  watchToasts,
} from '../../harness/steps.ts'

const fixture = useAppFixture()
const UNKNOWN = 'We could not tell whether it went through.'
const PICTURE = { name: 'a.png', mimeType: 'image/png', buffer: png(1, 1, () => [128, 128, 128]) }
/** As the cheapest phones, on a machine that runs other tests too. */
const SLOWER = 6
const ROUNDS = process.env.ROZ_TEST_ALL === '1' ? 200 : 5
const LONG = { timeout: ROUNDS * 30_000 }

const button = (page: Page, name: string) => page.getByRole('main').getByRole('button', { name, exact: true })
const field = (page: Page, label: string) => page.getByLabel(label, { exact: true })

async function choosePicture(page: Page): Promise<void> {
  await button(page, 'Edit Profile').click()
  await page.locator('input[type=file]').setInputFiles(PICTURE)
  await usePicture(page)
}

describe('the focus', () => {
  test('a field pressed while a dialog closes keeps the focus and gets the typed letters', async () => {
    const { token } = await newMember(fixture.roz, { name: 'Mira Das' })
    await fixture.as(token, '/profile', async (page) => {
      await page.evaluate(() => {
        // Focuses the field in the moment in which the dialog is removed.
        new MutationObserver((changes, observer) => {
          const isGone = changes.some(({ removedNodes }) => [...removedNodes].some((node) => node instanceof HTMLDialogElement))
          if (!isGone) return
          observer.disconnect()
          document.querySelector<HTMLInputElement>('input[name=name]')?.focus()
        }).observe(document.body, { childList: true, subtree: true })
      })
      await choosePicture(page)
      await expect(page.locator('.profile-card img')).toBeVisible()
      await expect(field(page, 'Full Name')).toBeFocused()
      await page.keyboard.type(' Sen')
      await expect(field(page, 'Full Name')).toHaveValue(/ Sen/)
    })
  })

  test('a closed dialog returns the focus to its opener, and the page does not scroll', async () => {
    const { token } = await newMember(fixture.roz)
    await fixture.as(token, '/profile', async (page) => {
      const opener = button(page, 'Delete account')
      await opener.focus()
      await opener.press('Enter')
      const close = page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true })
      await expect(close).toBeVisible()
      // Scrolls as a page may while a dialog is open.
      const before = await page.evaluate(() => {
        scrollTo(0, 0)
        return scrollY
      })
      await close.click()
      await expect(opener).toBeFocused()
      expect(await page.evaluate(() => scrollY)).toBe(before)
    })
  })

  test('a late answer to a save leaves the focus where the member is typing', async () => {
    const { token } = await newMember(fixture.roz, { name: 'Mira Das' })
    fixture.line.breakLine('PUT /api/user', 'hold')
    await fixture.as(token, '/profile', async (page) => {
      await button(page, 'Edit Profile').click()
      await field(page, 'Full Name').fill('Mira Sen')
      await button(page, 'Save Changes').click()
      await button(page, 'Change password').click()
      await field(page, 'Current password').click()
      await page.keyboard.type('hel')
      fixture.line.mend()
      await expect(page.locator('.profile-name')).toHaveText('Mira Sen')
      await page.keyboard.type('lo')
      await expect(field(page, 'Current password')).toHaveValue('hello')
    })
  })
})

describe(`on a phone ${SLOWER} times slower, ${ROUNDS} times`, () => {
  test("a name saved during a picture's upload is saved each time", LONG, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { token } = await newMember(fixture.roz, { name: 'Mira Das' })
      fixture.line.breakLine('POST /api/user/avatar', 'hold')
      const work = (page: Page): Promise<void> =>
        onSlowPhone(page, SLOWER, async () => {
          const came = await watchEvents(page)
          await choosePicture(page)
          await field(page, 'Full Name').fill('Mira Sen')
          await button(page, 'Save Changes').click()
          await elseTell(expect(page.locator('.profile-name')).toHaveText('Mira Sen'), `round ${round} saved nothing`, came)
        })
      await fixture.at('/profile', work, { token })
      fixture.line.mend()
    }
  })

  test('a withdrawal with the server stopped reports its failure each time', LONG, async () => {
    const { token } = await newMember(fixture.roz, { rupees: 20 })
    const work = async (page: Page): Promise<void> => {
      await gatewayIsReady(page)
      // The form loads when it is opened for the first time.
      await button(page, 'Withdraw').click()
      await expect(page.getByLabel('Account Number')).toBeVisible()
      await fixture.withoutServer(() =>
        onSlowPhone(page, SLOWER, async () => {
          const came = await watchEvents(page)
          for (let round = 0; round < ROUNDS; round += 1) {
            await button(page, 'Add money').click()
            await page.locator('#add-money').getByLabel('Amount', { exact: true }).fill('20')
            await page.locator('#add-money button[type=submit]').click()
            await expect(page.locator('#add-money [aria-busy]')).toHaveCount(0)
            const said = await watchToasts(page)
            await askForWithdrawal(page, 10)
            await elseTell(expect.poll(said).toContain('Failed to withdraw money'), `round ${round} said nothing`, came)
          }
        }),
      )
    }
    await fixture.at('/wallet', work, { token })
  })
})

describe('a call without an answer', () => {
  const withClock = { before: (page: Page) => page.clock.install() }

  test('a withdrawal says that its outcome is unknown and where to look, and the next press reuses the key', async () => {
    const { token } = await newMember(fixture.roz, { rupees: 20 })
    const keys: (string | undefined)[] = []
    fixture.line.breakLine('POST /api/wallet/withdraw', 'silent')
    const work = async (page: Page): Promise<void> => {
      page.on('request', (request) => {
        if (request.url().endsWith('/api/wallet/withdraw')) keys.push(request.headers()['idempotency-key'])
      })
      await askForWithdrawal(page, 10)
      await expect.poll(() => keys.length).toBe(1)
      await page.clock.fastForward('00:59')
      await expect(page.locator('.in-doubt')).toHaveCount(0)
      await page.clock.fastForward('00:02')
      await expect(toast(page, UNKNOWN)).toBeVisible()
      await expect(page.locator('.in-doubt')).toContainText(UNKNOWN)
      await expect(page.locator('.in-doubt').getByRole('link', { name: 'your transactions' })).toHaveAttribute('href', '#transactions')
      await expect(page.locator('#transactions')).toBeVisible()
      fixture.line.mend()
      // The page's clock was moved ahead; the server's was not.
      await page.clock.setFixedTime(Date.now())
      await page.locator('#withdraw button[type=submit]').click()
      await expect(toast(page, 'Withdrawal request submitted!')).toBeVisible()
      await expect(page.locator('.in-doubt')).toHaveCount(0)
      expect(keys[1]).toBe(keys[0])
      await expect(page.locator('.figure')).toHaveText('₹10.00')
    }
    await fixture.at('/wallet', work, { token, ...withClock })
  })

  test('a list says after 30 seconds that it could not be loaded, and Retry loads it', async () => {
    const { token } = await newMember(fixture.roz, { rupees: 10 })
    fixture.line.breakLine('GET /api/wallet/transactions', 'silent')
    const work = async (page: Page): Promise<void> => {
      await gatewayIsReady(page)
      // The app retries by itself 1 s after the first timeout.
      for (const time of ['00:31', '00:02', '00:31']) await page.clock.fastForward(time)
      await expect(page.getByText('Your transactions could not be loaded.')).toBeVisible()
      fixture.line.mend()
      await page.getByRole('alert').filter({ hasText: 'Your transactions' }).getByRole('button', { name: 'Retry' }).click()
      await expect(page.locator('.to-receipt')).toHaveCount(1)
    }
    await fixture.at('/wallet', work, { token, ...withClock })
  })

  test('the check of a payment keeps waiting, and offers to reload the page', async () => {
    fixture.line.breakLine('POST /api/payments/confirm', 'hold')
    const work = async (page: Page): Promise<void> => {
      await expect(page.getByText('Checking your payment…')).toBeVisible()
      await expect(button(page, 'Reload the page')).toHaveCount(0)
      await page.clock.fastForward('00:31')
      await expect(button(page, 'Reload the page')).toBeVisible()
      await expect(page.getByText('Checking your payment…')).toBeVisible()
    }
    await fixture.at('/payment-status?order_id=order_1', work, withClock)
  })

  test('the download of a table keeps waiting, and offers to reload the page', async () => {
    fixture.line.breakLine('GET /api/admin/users.csv', 'hold')
    const work = async (page: Page): Promise<void> => {
      await button(page, 'Download CSV').click()
      await expect(button(page, 'Reload the page')).toHaveCount(0)
      await page.clock.fastForward('00:31')
      await expect(button(page, 'Reload the page')).toBeVisible()
      fixture.line.mend()
      await expect(button(page, 'Reload the page')).toHaveCount(0)
    }
    await fixture.at('/admin/dashboard?tab=users', work, { token: await adminToken(fixture.roz.url), ...withClock })
  })

  test("the app's start without an answer keeps asking, after 30 seconds says so, and Retry asks at once", async () => {
    const { token } = await newMember(fixture.roz)
    fixture.line.breakLine('GET /api/auth/me', 'silent')
    const work = async (page: Page): Promise<void> => {
      await page.clock.runFor(2000)
      await expect(page.getByRole('main').getByRole('status')).toHaveText('Loading')
      await expect(button(page, 'Retry')).toHaveCount(0)
      await page.clock.fastForward('00:31')
      await expect(page.getByRole('alert')).toContainText('Network error. Please check your connection and try again.')
      await expect(page.getByRole('main').getByRole('status')).toHaveText('Loading')
      fixture.line.mend()
      await button(page, 'Retry').click()
      await expect(page.getByRole('heading', { name: 'Community round' })).toBeVisible()
      expect(await page.evaluate(() => localStorage.getItem('token'))).toBe(token)
    }
    await fixture.at('/dashboard', work, { token, ...withClock })
  })
})
