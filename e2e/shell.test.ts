/** The app's frame: who may see what, the navigation bar, the end of a session, addresses kept as text. */
import { expect } from './expect.ts'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { handOver, newVisit, openBrowser, SMALL, type Visit, WIDE } from './browser.ts'
import { ask } from './calls.ts'
import { register, type Person } from './people.ts'
import { ADMIN, type Program, startProgram } from './program.ts'

let program: Program
let browser: Browser
let member: Person
let adminToken: string
beforeAll(async () => {
  program = await startProgram()
  browser = await openBrowser()
  member = await register(program.url, 'Asha Verma', 'asha.shell@x.test')
  adminToken = (await ask(program.url, 'adminLogin', { body: ADMIN })).output.token
})
afterAll(async () => browser?.close())

type Size = typeof SMALL | typeof WIDE
type Options = { readonly token?: string; readonly size?: Size }
/** One browser for each size, handed from test to test. */
const visits = new Map<Size, Visit>()

async function visit({ token, size = WIDE }: Options, work: (page: Visit['page']) => Promise<void>): Promise<void> {
  const own = visits.get(size) ?? (await newVisit(browser, { size, hosts: [] }))
  visits.set(size, own)
  await handOver(own, program.url, token)
  await work(own.page)
  await own.page.unrouteAll()
}
const MEMBER_PAGES = ['/dashboard', '/wallet', '/impact', '/profile', '/history', '/notifications'] as const

describe('who may see what', () => {
  test('a visitor is sent from members’ pages to /login and from the portal to /admin/login', async () => {
    await visit({}, async (page) => {
      for (const address of MEMBER_PAGES) {
        await page.goto(program.url + address)
        await page.waitForURL(`${program.url}/login`)
      }
      await page.goto(`${program.url}/admin/dashboard`)
      await page.waitForURL(`${program.url}/admin/login`)
      await expect(page.getByRole('link', { name: 'Back to site' })).toBeVisible()
      await expect(page.getByRole('link', { name: 'Wallet' })).toHaveCount(0)
    })
  })

  test('a member is sent from /, /login and /register to the dashboard, and from the portal to its login', async () => {
    await visit({ token: member.token }, async (page) => {
      for (const address of ['/', '/login', '/register']) {
        await page.goto(program.url + address)
        await page.waitForURL(`${program.url}/dashboard`)
      }
      await page.goto(`${program.url}/admin/dashboard`)
      await page.waitForURL(`${program.url}/admin/login`)
    })
  })

  test('an administrator’s session leads from members’ pages to the portal', async () => {
    await visit({ token: adminToken }, async (page) => {
      for (const address of ['/dashboard', '/login', '/admin/login']) {
        await page.goto(program.url + address)
        await page.waitForURL(`${program.url}/admin/dashboard`)
      }
      await page.getByRole('link', { name: 'Back to site' }).click()
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('One rupee a day, together.')
    })
  })
})

describe('the session', () => {
  test('a spinner says Loading while it is opened', async () => {
    await visit({ token: member.token }, async (page) => {
      let release: (() => void) | undefined
      const held = new Promise<void>((done) => (release = done))
      await page.route('**/api/auth/me', async (route) => {
        await held
        await route.continue()
      })
      await page.goto(`${program.url}/dashboard`)
      await expect(page.getByRole('status')).toHaveText('Loading')
      await expect(page.getByRole('button', { name: 'User menu' })).toHaveCount(0)
      release?.()
      await expect(page.getByRole('button', { name: 'User menu' })).toBeVisible()
    })
  })

  test('a failure to load the current user at start clears the token', async () => {
    await visit({ token: 'nobody' }, async (page) => {
      await page.goto(`${program.url}/dashboard`)
      await page.waitForURL(`${program.url}/login`)
      expect(await page.evaluate(() => localStorage.getItem('token'))).toBeNull()
    })
  })

  test('a 401 of any call clears the token and goes to /login', async () => {
    const person = await register(program.url, 'Ravi Kumar', 'ravi.shell@x.test')
    await visit({ token: person.token }, async (page) => {
      await page.goto(`${program.url}/dashboard`)
      await expect(page.getByRole('heading', { level: 1 })).toContainText('Ravi Kumar')
      await ask(program.url, 'logout', { token: person.token })
      await page.getByRole('link', { name: 'History' }).click()
      await page.waitForURL(`${program.url}/login`)
      expect(await page.evaluate(() => localStorage.getItem('token'))).toBeNull()
    })
  })

  test('a stale token does not stand in the way of a mailed link', async () => {
    await visit({ token: 'nobody' }, async (page) => {
      await page.goto(`${program.url}/verify-email?token=12e34`)
      await expect(page.getByText('Verification Failed')).toBeVisible()
      await expect(page).toHaveURL(`${program.url}/verify-email?token=12e34`)
    })
  })
})

describe('the navigation bar', () => {
  test('has its links, the balance with two decimals, the name, and a user menu that closes outside', async () => {
    await visit({ token: member.token }, async (page) => {
      await page.goto(`${program.url}/dashboard`)
      const bar = page.getByRole('banner')
      for (const [name, address] of [
        ['Dashboard', '/dashboard'],
        ['Wallet', '/wallet'],
        ['Impact', '/impact'],
        ['History', '/history'],
      ] as const) {
        await expect(bar.getByRole('link', { name, exact: true })).toHaveAttribute('href', address)
      }
      await expect(bar.getByText('₹0.00')).toBeVisible()
      const opener = bar.getByRole('button', { name: 'User menu' })
      await expect(opener.locator('.menu-face')).toHaveText('AAsha Verma')
      await opener.click()
      await expect(opener).toHaveAttribute('aria-expanded', 'true')
      await expect(bar.getByRole('link', { name: 'My Profile' })).toHaveAttribute('href', '/profile')
      await page.mouse.click(640, 600)
      await expect(opener).toHaveAttribute('aria-expanded', 'false')
      await expect(bar.getByRole('link', { name: 'My Profile' })).toBeHidden()
    })
  })

  test('on small screens a toggled menu holds links and Logout, which ends the session', async () => {
    const person = await register(program.url, 'Meena Rao', 'meena.shell@x.test')
    await visit({ token: person.token, size: SMALL }, async (page) => {
      await page.goto(`${program.url}/wallet`)
      await expect(page.getByRole('link', { name: 'Impact', exact: true })).toBeHidden()
      await page.getByRole('button', { name: 'Menu', exact: true }).click()
      await page.getByRole('link', { name: 'Impact', exact: true }).click()
      await page.waitForURL(`${program.url}/impact`)
      await page.getByRole('button', { name: 'Menu', exact: true }).click()
      await page.getByRole('button', { name: 'Logout' }).click()
      await page.waitForURL(`${program.url}/login`)
      expect(await page.evaluate(() => localStorage.getItem('token'))).toBeNull()
      await expect
        .poll(async () => (await fetch(`${program.url}/api/auth/me`, { headers: { authorization: `Bearer ${person.token}` } })).status)
        .toBe(401)
    })
  })
})

describe('addresses', () => {
  test('a long order id stays the text it is', async () => {
    await visit({}, async (page) => {
      const asked = page.waitForRequest('**/api/payments/confirm')
      await page.goto(`${program.url}/payment-status?order_id=123456789012345678901`)
      expect((await asked).postDataJSON()).toEqual({ order_id: '123456789012345678901' })
      await expect(page).toHaveURL(`${program.url}/payment-status?order_id=123456789012345678901`)
    })
  })

  test('every screen is named by its title', async () => {
    await visit({ token: member.token }, async (page) => {
      for (const [address, title] of [
        ['/dashboard', 'Dashboard'],
        ['/wallet', 'Wallet'],
        ['/impact', 'Impact'],
        ['/history', 'Round History'],
        ['/profile', 'Profile'],
        ['/verify-email', 'Verify email'],
        ['/payment-status', 'Payment status'],
        ['/forgot-password', 'Forgot password'],
        ['/reset-password', 'Reset password'],
        ['/admin/login', 'Admin login'],
      ] as const) {
        await page.goto(program.url + address)
        await expect(page).toHaveTitle(`${title} · Roz`)
        await expect(page.getByRole('main')).toHaveCount(1)
        await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
      }
    })
  })
})

test('the language switch works on the login screen, is kept, and the member’s own language follows it', async () => {
  await visit({ token: member.token, size: WIDE }, async (page) => {
    await page.goto(`${program.url}/dashboard`)
    await page.getByRole('button', { name: 'User menu' }).click()
    await page.getByRole('button', { name: 'हिन्दी' }).click()
    await expect(page.locator('html')).toHaveAttribute('lang', 'hi')
    await expect.poll(async () => (await ask(program.url, 'me', { token: member.token })).output.user.language).toBe('hi')
    await page.reload()
    await expect(page.locator('html')).toHaveAttribute('lang', 'hi')
  })
  await visit({}, async (page) => {
    await page.goto(`${program.url}/login`)
    await page.getByRole('button', { name: 'हिन्दी' }).click()
    await expect(page).toHaveTitle('लॉग इन · Roz')
    await page.getByRole('button', { name: 'English' }).click()
    await expect(page).toHaveTitle('Log in · Roz')
  })
})
