/**
 * Sessions as people see them, in the portal and in the profile.
 * - The portal's token exists only in its tab, beside a member's session of the same browser.
 * - A draw asks for the password again 10 minutes after the login.
 * - The profile lists the logged-in devices and can end all others.
 */
import { expect } from '../../harness/expect.ts'
import type { Page } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import { auditVisit, SMALL, WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import type { FaultyProxy } from '../../harness/faulty-proxy.ts'
import { adminToken, newMember, PASSWORD, type Person, readClock, setClock } from '../../harness/people.ts'
import { ADMIN, type Program } from '../../harness/program.ts'
import { useAppFixture, type Work } from '../../harness/app-fixture.ts'
import { balanceInBar, signIn, toast } from '../../harness/steps.ts'

const DESK = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:142.0) Gecko/20100101 Firefox/142.0'

const fixture = useAppFixture({ size: WIDE })
let roz: Program
let line: FaultyProxy
let asha: Person

beforeAll(async () => {
  ;({ roz, line } = fixture)
  asha = await newMember(roz, { name: 'Asha Verma', rupees: 10 })
})

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const dialog = (page: Page) => page.getByRole('dialog')

describe('the portal', () => {
  const kept = (page: Page) => page.evaluate(() => [localStorage.getItem('token'), sessionStorage.getItem('admin-token')])

  test('its token exists only in its tab, and a member logged in beside it stays logged in', async () => {
    await fixture.as(asha.token, '/dashboard', async (page) => {
      await expect(balanceInBar(page)).toHaveText('₹10.00')
      await page.goto(`${line.url}/admin/login`)
      await signIn(page, ADMIN)
      await page.waitForURL(`${line.url}/admin/dashboard`)
      const [members, portals] = await kept(page)
      expect([members, typeof portals, portals === asha.token]).toEqual([asha.token, 'string', false])
      // Another tab of the same browser has the member's session, and no portal session.
      const other = await page.context().newPage()
      await other.goto(`${line.url}/admin/dashboard`)
      await other.waitForURL(`${line.url}/admin/login`)
      await other.goto(`${line.url}/dashboard`)
      await expect(balanceInBar(other)).toHaveText('₹10.00')
      await other.close()
      await button(page, 'Logout').click()
      await page.waitForURL(`${line.url}/admin/login`)
      expect(await kept(page)).toEqual([asha.token, null])
      await page.goto(`${line.url}/wallet`)
      await expect(balanceInBar(page)).toHaveText('₹10.00')
    })
  })

  test('staff who log in at the members’ login are sent to the portal’s, and get no member’s session', async () => {
    await fixture.at('/login', async (page) => {
      await signIn(page, ADMIN)
      await page.waitForURL(`${line.url}/admin/login`)
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Admin login')
      expect(await kept(page)).toEqual([null, null])
    })
  })

  test('its pages run no script of another host; the members’ pages run the gateway’s', async () => {
    const policyOf = async (path: string): Promise<string> => (await fetch(roz.url + path)).headers.get('content-security-policy') ?? ''
    expect(await policyOf('/admin/dashboard')).not.toContain(new URL(roz.sandboxUrl).port)
    expect(await policyOf('/wallet')).toContain(new URL(roz.sandboxUrl).port)
  })

  test('ten minutes after the login a draw asks for the password; a wrong one is refused beside the field', async () => {
    await ask(roz.url, 'joinRound', { token: asha.token, body: {} })
    const token = await adminToken(roz.url)
    await setClock(roz.url, new Date(Date.parse(await readClock(roz.url)) + 11 * 60_000).toISOString())
    await fixture.as(token, '/admin/dashboard', async (page) => {
      const draw = dialog(page).getByRole('button', { name: 'Trigger Draw' })
      await page.locator('main').getByRole('button', { name: 'Trigger Draw' }).first().click()
      await draw.click()
      const password = dialog(page).getByLabel('Your password', { exact: true })
      await password.fill('not the password')
      await draw.click()
      await expect(dialog(page)).toContainText('That password is not correct.')
      expect((await ask(roz.url, 'currentRound')).output.status).toBe('open')
      await password.fill(ADMIN.password)
      await draw.click()
      await expect(toast(page, 'Draw triggered successfully!')).toBeVisible()
      await expect(dialog(page)).toHaveCount(0)
    })
  })
})

describe('logged-in devices', () => {
  const rows = (page: Page) => page.locator('.devices > li')
  const onProfile = (work: Work): Promise<void> => fixture.at('/profile', work, { token: asha.token })
  const fromDesk = async (): Promise<string> => {
    const body = { email: asha.email, password: PASSWORD }
    return (await ask(roz.url, 'login', { body, headers: { 'user-agent': DESK } })).output.token
  }
  const statusOf = async (token: string): Promise<number> => (await ask(roz.url, 'me', { token })).status

  test('a single device is told that no other is logged in', async () => {
    await onProfile(async (page) => {
      await expect(rows(page)).toHaveText([/Unknown device.*This device.*In use now/s])
      await expect(page.getByText('You are logged in on this device only.')).toBeVisible()
      await expect(button(page, 'Log out others')).toHaveCount(0)
    })
  })

  test('skeleton lines show until the list arrives; after a failure Retry loads it', async () => {
    line.breakLine('GET /api/user/sessions', 'hold')
    await onProfile(async (page) => {
      await expect(page.getByRole('heading', { name: 'Logged-in devices' })).toBeVisible()
      await expect(page.getByRole('group', { name: 'Loading' })).toBeVisible()
      line.breakLine('GET /api/user/sessions', 'cut')
      await page.reload()
      const failed = page.locator('.empty.failed', { hasText: 'Your devices could not be loaded.' })
      await expect(failed).toBeVisible()
      line.mend()
      await failed.getByRole('button', { name: 'Retry' }).click()
      await expect(rows(page)).toHaveCount(1)
    })
  })

  test('other devices are listed by browser and system; logging them out asks first and keeps this one', async () => {
    const desk = await fromDesk()
    await onProfile(async (page) => {
      await expect(rows(page).filter({ hasText: 'Firefox on Windows' })).toContainText(/Last used .*Logged in /)
      for (const size of [SMALL, WIDE]) {
        await page.setViewportSize(size)
        await auditVisit(fixture.visit)
      }
      await button(page, 'Log out others').click()
      await dialog(page).getByRole('button', { name: 'Cancel' }).click()
      expect(await statusOf(desk)).toBe(200)
      line.breakLine('POST /api/user/sessions/end-others', 'wordless')
      await button(page, 'Log out others').click()
      const confirm = dialog(page).getByRole('button', { name: 'Log out others' })
      await confirm.click()
      await expect(toast(page, 'The other devices could not be logged out. Please try again.')).toBeVisible()
      expect(await statusOf(desk)).toBe(200)
      line.mend()
      await confirm.click()
      await expect(toast(page, 'Logged out on all other devices.')).toBeVisible()
      await expect(rows(page)).toHaveCount(1)
      expect([await statusOf(desk), await statusOf(asha.token)]).toEqual([401, 200])
    })
  })
})
