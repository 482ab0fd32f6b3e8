/** The app's frame: navigation bar, end of a session, addresses kept as text. screens.test.ts tests the access by role. */
import { expect } from '../../harness/expect.ts'
import type { Browser } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import { auditScreen, handOver, newVisit, openBrowser, SMALL, type Visit, WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { mailsTo, PASSWORD, register, type Person, verify } from '../../harness/people.ts'
import { type Program, startProgram } from '../../harness/program.ts'
import { signIn, toast } from '../../harness/steps.ts'

let program: Program
let browser: Browser
let member: Person
beforeAll(async () => {
  program = await startProgram()
  browser = await openBrowser()
  member = await register(program.url, 'Asha Verma', 'asha.shell@x.test')
})

type Size = typeof SMALL | typeof WIDE
type Options = { readonly token?: string; readonly size?: Size }
/** One browser for each size, reused by every test. */
const visits = new Map<Size, Visit>()

async function visit({ token, size = WIDE }: Options, work: (page: Visit['page']) => Promise<void>): Promise<void> {
  const own = visits.get(size) ?? (await newVisit(browser, { size, hosts: [] }))
  visits.set(size, own)
  await handOver(own, program.url, token)
  await work(own.page)
  await own.page.unrouteAll()
}

test.each(['shell', 'app'])('without the file “%s” a line in each language says so, with a link to reload', async (name) => {
  await visit({ size: SMALL }, async (page) => {
    const file = new RegExp(`/assets/${name}-[\\w-]+\\.js`)
    await page.route(file, (route) => route.abort())
    await page.goto(`${program.url}/login`)
    await expect(page.getByText('The app could not be loaded.')).toBeVisible()
    await expect(page.locator('.splash')).toHaveCount(0)
    await auditScreen(page, 'colours')
    await page.unroute(file)
    await page.getByRole('link', { name: 'फिर से लोड करें' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.getByText('The app could not be loaded.')).toBeHidden()
  })
})

describe('the session', () => {
  test('a spinner says Loading until the session is known', async () => {
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

  test('a page put into the back-forward cache while it loads the user keeps the token, and asks again when it is restored', async () => {
    await visit({ token: member.token }, async (page) => {
      const cut = Promise.withResolvers<void>()
      let asked = 0
      await page.route('**/api/auth/me', async (route) => {
        if (asked++ > 0) return route.continue()
        await cut.promise
        await route.abort('aborted')
      })
      await page.goto(`${program.url}/dashboard`)
      await expect(page.getByRole('status')).toHaveText('Loading')
      // As in a browser that puts a page into the cache without asking it.
      await page.evaluate(() => void window.dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })))
      const failed = page.waitForEvent('requestfailed')
      cut.resolve()
      await failed
      await page.evaluate(() => void window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
      await expect(page.getByRole('button', { name: 'User menu' })).toBeVisible()
      expect(await page.evaluate(() => localStorage.getItem('token'))).toBe(member.token)
    })
  })

  test('with the browser’s storage full a login succeeds, whoever was logged in before', async () => {
    const person = await register(program.url, 'Leela Rao', 'leela.shell@x.test')
    await visit({}, async (page) => {
      await page.goto(`${program.url}/login`)
      // Once the app has started: with a token at its start it would go to the dashboard.
      await expect(page.getByLabel('Email', { exact: true })).toBeVisible()
      await page.evaluate((before) => {
        localStorage.setItem('token', before)
        for (let bytes = 4_000_000; bytes >= 1; bytes = Math.floor(bytes / 2)) {
          try {
            for (let n = 0; ; n++) localStorage.setItem(`full-${bytes}-${n}`, 'x'.repeat(bytes))
          } catch {
            // Storage is too full for this much; less may still fit.
          }
        }
      }, member.token)
      await signIn(page, { email: person.email, password: PASSWORD })
      await page.waitForURL(`${program.url}/dashboard`)
      await page.getByRole('button', { name: 'User menu' }).click()
      await expect(page.getByText(person.name).first()).toBeVisible()
      await page.evaluate(() => localStorage.clear())
    })
  })

  test('a 401 of any call clears the token and opens /login', async () => {
    const person = await register(program.url, 'Ravi Kumar', 'ravi.shell@x.test')
    await visit({ token: person.token }, async (page) => {
      await page.goto(`${program.url}/dashboard`)
      await expect(page.getByRole('heading', { level: 1 })).toContainText('Ravi Kumar')
      await ask(program.url, 'logout', { token: person.token })
      // One of the app's own calls may get the 401 before the press does.
      await Promise.any([page.getByRole('link', { name: 'History' }).click(), page.waitForURL(`${program.url}/login`)])
      await page.waitForURL(`${program.url}/login`)
      expect(await page.evaluate(() => localStorage.getItem('token'))).toBeNull()
    })
  })

  test('an expired token does not block a mailed link', async () => {
    await visit({ token: 'nobody' }, async (page) => {
      await page.goto(`${program.url}/verify-email?token=12e34`)
      await expect(page.getByText('Verification Failed')).toBeVisible()
      await expect(page).toHaveURL(`${program.url}/verify-email?token=12e34`)
    })
  })
})

test('every screen shows a banner until the mail is confirmed; the banner resends the mail and disappears afterwards', async () => {
  const person = await register(program.url, 'Nila Bose', 'nila.shell@x.test')
  await visit({ token: person.token }, async (page) => {
    const banner = page.getByRole('complementary', { name: 'Verify email' })
    for (const path of ['/wallet', '/dashboard']) {
      await page.goto(program.url + path)
      await expect(banner).toContainText(`We sent a link to ${person.email}; until then you can't add or withdraw money.`)
    }
    const again = banner.getByRole('button', { name: 'Resend verification email' })
    await page.route('**/api/auth/resend-verification', (route) => route.abort())
    await again.click()
    await expect(toast(page, 'Network error. Please check your connection and try again.')).toBeVisible()
    await page.unrouteAll()
    await again.click()
    await expect(toast(page, 'We have sent the verification email again. Please check your inbox.')).toBeVisible()
    await expect.poll(async () => (await mailsTo(program.url, person.email)).length).toBe(2)
    // Confirmed on another device: the banner learns it at the next press.
    await verify(program.url, person.email)
    await again.click()
    await expect(banner).toHaveCount(0)
  })
})

test('a script that fails to load: Something went wrong, a link elsewhere, and a reload that repairs it', async () => {
  await visit({ token: member.token }, async (page) => {
    await page.goto(`${program.url}/dashboard`)
    await page.route('**/assets/HistoryPage-*.js', (route) => route.abort())
    await page.getByRole('link', { name: 'History' }).click()
    const heading = page.getByRole('heading', { level: 1 })
    await expect(heading).toHaveText('Something went wrong')
    await expect(page.getByText('Your balance and rounds are not affected.')).toBeVisible()
    await page.getByRole('button', { name: 'Go to Dashboard' }).click()
    await expect(heading).toContainText('Welcome')
    await page.goto(`${program.url}/history`)
    await expect(heading).toHaveText('Something went wrong')
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Reload the page' }).click()
    await expect(heading).toHaveText('Round History')
  })
})

describe('the navigation bar', () => {
  test('has its links, the balance with two decimals, the name, and a user menu that a press outside closes', async () => {
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

  test('the focus moves to a screen once it is loaded, also a slow one', async () => {
    await visit({ token: member.token, size: WIDE }, async (page) => {
      const { promise: mayCome, resolve: come } = Promise.withResolvers<void>()
      await page.route('**/assets/ImpactPage-*.js', async (route) => {
        await mayCome
        await route.continue()
      })
      await page.goto(`${program.url}/dashboard`)
      await page.getByRole('link', { name: 'Impact', exact: true }).filter({ visible: true }).click()
      await page.waitForURL(`${program.url}/impact`)
      come()
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Impact')
      await expect(page.getByRole('main')).toBeFocused()
    })
  })

  test('on small screens the menu has the links and Logout, which ends the session', async () => {
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
  test('a long order id stays text', async () => {
    await visit({}, async (page) => {
      const asked = page.waitForRequest('**/api/payments/confirm')
      await page.goto(`${program.url}/payment-status?order_id=123456789012345678901`)
      expect((await asked).postDataJSON()).toEqual({ order_id: '123456789012345678901' })
      await expect(page).toHaveURL(`${program.url}/payment-status?order_id=123456789012345678901`)
    })
  })

  test('the app scrolls to the place that the address names, and after a reload to the last position', async () => {
    await visit({ token: member.token, size: SMALL }, async (page) => {
      const scrolled = () => page.evaluate(() => Math.round(scrollY))
      await page.goto(`${program.url}/wallet#withdraw`)
      await expect.poll(scrolled).toBeGreaterThan(100)
      await page.goto(`${program.url}/wallet`)
      await expect(page.getByLabel('Phone number')).toBeVisible()
      // The app stores where the page is when it goes, if it has heard of the scrolling: its listener is older than this one.
      await page.evaluate(
        () =>
          new Promise<void>((heard) => {
            document.addEventListener('scroll', () => heard(), { once: true, capture: true })
            scrollTo(0, 300)
          }),
      )
      await expect.poll(scrolled).toBe(300)
      await page.reload()
      await expect.poll(scrolled).toBe(300)
    })
  })
})

test('the language switch works on the login screen, persists, and sets the member’s own language', async () => {
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
    await expect(page).toHaveTitle('लॉग इन करें · Roz')
    await page.getByRole('button', { name: 'English' }).click()
    await expect(page).toHaveTitle('Log in · Roz')
  })
})
