/**
 * Every route of the web, without data and in both languages: who may see it, and under which title.
 * - The information pages only have to answer here; public-pages.test.ts tests their content.
 */
import { expect } from '../../harness/expect.ts'
import { api, type CallName } from '@roz/contract/api.ts'
import type { Page } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import { auditAtWidth, auditVisit, handOver, newVisit, openBrowser, SMALL, type Visit, WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { adminToken, newMember, type Person } from '../../harness/people.ts'
import { type Program, startProgram } from '../../harness/program.ts'

type Who = 'a visitor' | 'a member' | 'an administrator'

const VISITORS_SCREENS = [
  ['/login', 'Log in'],
  ['/register', 'Register'],
  ['/goodbye', 'Account deleted'],
] as const
const ANYBODYS_SCREENS = [
  ['/forgot-password', 'Forgot password'],
  ['/reset-password', 'Reset password'],
  ['/verify-email', 'Verify email'],
  ['/not-me', "This wasn't me"],
  ['/payment-status', 'Payment status'],
] as const
const MEMBERS_SCREENS = [
  ['/dashboard', 'Dashboard', 'Welcome, Asha Verma'],
  ['/wallet', 'Wallet'],
  ['/impact', 'Impact'],
  ['/history', 'Round History'],
  ['/profile', 'Profile'],
  ['/my-ticket', 'My ticket'],
] as const
/** What a member's screen says on a first day. */
const EMPTY: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  '/dashboard': async (page) => {
    await expect(page.getByText('No impact story available yet', { exact: true })).toBeVisible()
    await expect(page.getByText('0 members in the round')).toBeVisible()
  },
  '/impact': (page) => expect(page.getByText('No impact stories yet', { exact: true })).toBeVisible(),
  '/wallet': async (page) => {
    await expect(page.getByText('No transactions yet', { exact: true })).toBeVisible()
    await expect(page.locator('.figure')).toHaveText('₹0.00')
  },
  '/history': (page) => expect(page.getByText('No history yet', { exact: true })).toBeVisible(),
}
/** One screen of each kind, looked at in the dark theme too: they share their colours. `npm run test:all` looks at all in both. */
const IN_THE_DARK: readonly string[] = ['/login', '/payment-status', '/dashboard', '/wallet', '/my-ticket', '/admin/dashboard']
const INFORMATION = [
  ['/privacy-policy', 'Privacy Policy'],
  ['/refund-policy', 'Refund Policy'],
  ['/terms-condition', 'Terms'],
  ['/daily-contributions', 'Daily Contributions'],
  ['/direct-help-process', 'Direct Help Process'],
  ['/giveaway-selection', 'Giveaway Selection'],
  ['/impact-videos', 'Impact Videos'],
  ['/daily-reports', 'Daily Reports'],
  ['/video-documentation', 'Video Documentation'],
  ['/money-trail', 'Money Trail'],
  ['/impact-stories', 'Impact Stories'],
  ['/ask-for-help', 'Ask for help'],
  ['/help-center', 'Help Center'],
  ['/contact-us', 'Contact Us'],
  ['/verify', 'Check the draw'],
] as const

let roz: Program
/** One page, reused by every test. */
let own: Visit
let member: Person
let admin: string

beforeAll(async () => {
  roz = await startProgram()
  own = await newVisit(await openBrowser(), { hosts: [roz.url, roz.sandboxUrl].map((url) => new URL(url).host) })
  member = await newMember(roz, { name: 'Asha Verma' })
  admin = await adminToken(roz.url)
})

const tokenOf = (who: Who): string | undefined => (who === 'a visitor' ? undefined : who === 'a member' ? member.token : admin)

async function visit(
  who: Who,
  work: (visit: Visit) => Promise<void>,
  { token = tokenOf(who) }: { readonly token?: string } = {},
): Promise<void> {
  await handOver(own, roz.url, token, who === 'an administrator' ? 'admin-token' : 'token')
  await work(own)
}

const open = ({ page }: Visit, path: string) => page.goto(`${roz.url}${path}`)

describe('each screen has its title, at 360 and at 1280 px, with a silent console and without an axe violation', () => {
  async function audit(own: Visit, path?: string): Promise<void> {
    await (path !== undefined && IN_THE_DARK.includes(path) ? auditVisit(own, 'both') : auditVisit(own))
    await auditAtWidth(own, WIDE, SMALL)
  }
  async function look(own: Visit, screens: readonly (readonly [path: string, name: string, heading?: string])[]): Promise<void> {
    for (const [path, name, heading] of screens) {
      await open(own, path)
      await expect(own.page.getByRole('heading', { level: 1 })).toHaveText([heading ?? name])
      await EMPTY[path]?.(own.page)
      await expect(own.page).toHaveTitle(`${name} · Roz`)
      await expect(own.page.getByRole('main')).toHaveCount(1)
      await expect(own.page).toHaveURL(`${roz.url}${path}`)
      await audit(own, path)
    }
  }

  test("the visitor's screens", async () => {
    await visit('a visitor', (own) => look(own, [...VISITORS_SCREENS, ...ANYBODYS_SCREENS, ['/admin/login', 'Admin login']]))
  })
  test("the member's screens, each with the words of its empty state", async () => {
    await visit('a member', (own) => look(own, MEMBERS_SCREENS))
  })
  test("the administrator's screens", async () => {
    await visit('an administrator', async (own) => {
      await look(own, [['/admin/dashboard', 'Admin dashboard']])
      for (const tab of ['Overview', 'Users', 'Requests for help', 'Impact Stories', 'Withdrawals', 'Refunds', 'Suspense', 'Disputes']) {
        await own.page.getByRole('tab', { name: tab }).click()
        await expect(own.page.getByRole('tabpanel')).toBeVisible()
        await audit(own)
      }
    })
  })
})

describe('access by role', () => {
  const leadsTo = async (own: Visit, path: string, end: string): Promise<void> => {
    await open(own, path)
    await expect(own.page, `${path} leads to ${end}`).toHaveURL(`${roz.url}${end}`)
    await expect(own.page.getByRole('heading', { level: 1 })).toBeVisible()
  }

  test('a visitor is sent from the members’ screens to /login and from the portal to /admin/login', async () => {
    await visit('a visitor', async (own) => {
      for (const [path] of [...MEMBERS_SCREENS, ['/notifications']]) await leadsTo(own, path, '/login')
      await leadsTo(own, '/admin/dashboard', '/admin/login')
      await expect(own.page.getByRole('link', { name: 'Back to site' })).toBeVisible()
      await expect(own.page.getByRole('link', { name: 'Wallet' })).toHaveCount(0)
      await leadsTo(own, '/', '/')
      await expect(own.page.getByRole('link', { name: 'Dashboard' })).toHaveCount(0)
    })
  })

  test('a member is sent from home, /login and /register to /dashboard, and from the portal to /admin/login', async () => {
    await visit('a member', async (own) => {
      for (const path of ['/', '/login', '/register']) await leadsTo(own, path, '/dashboard')
      await leadsTo(own, '/admin/dashboard', '/admin/login')
      for (const [path] of ANYBODYS_SCREENS) await leadsTo(own, path, path)
    })
  })

  test('an administrator is sent from the members’ screens and both login screens to /admin/dashboard', async () => {
    await visit('an administrator', async (own) => {
      for (const [path] of [...MEMBERS_SCREENS, ...VISITORS_SCREENS]) await leadsTo(own, path, '/admin/dashboard')
      await leadsTo(own, '/admin/login', '/admin/dashboard')
      await own.page.getByRole('link', { name: 'Back to site' }).click()
      await expect(own.page.getByRole('heading', { level: 1 })).toHaveText('One rupee a day, together.')
    })
  })

  test('the information pages answer everyone, in both languages', async () => {
    await visit('a member', async (own) => {
      for (const [path, name] of INFORMATION) {
        await open(own, path)
        await expect(own.page.getByRole('heading', { level: 1 })).toHaveText([name])
        await expect(own.page).toHaveURL(`${roz.url}${path}`)
      }
    })
    const read = async (path: string) => {
      const response = await fetch(roz.url + path)
      return [response.status, response.redirected, /<h1[^>]*>([^<]*)</.exec(await response.text())?.[1]]
    }
    for (const [path, name] of INFORMATION) {
      expect(await read(path), path).toEqual([200, false, name])
      expect(await read(`/hi${path}`), path).toEqual([200, false, expect.stringMatching(/[\u0900-\u097F]/)])
    }
  })

  test('an invalid token is removed and leads to /login', async () => {
    const { token } = (await ask(roz.url, 'login', { body: { email: member.email, password: 'correct horse battery' } })).output
    expect((await ask(roz.url, 'logout', { token })).status).toBe(204)
    await visit(
      'a visitor',
      async (own) => {
        await leadsTo(own, '/wallet', '/login')
        expect(await own.page.evaluate(() => localStorage.getItem('token'))).toBeNull()
      },
      { token },
    )
  })

  test('an unknown address is not found', async () => {
    const response = await fetch(`${roz.url}/nowhere`)
    expect(response.status).toBe(404)
    expect(await response.text()).toContain('Page not found')
  })
})

test('the API document and its page describe every call', async () => {
  const document = (await (await fetch(`${roz.url}/api/openapi.json`)).json()) as { paths: Record<string, Record<string, unknown>> }
  const written = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  for (const name of Object.keys(api) as CallName[]) {
    const { method, path } = api[name]
    expect(
      written.filter((line) => line === `${method} ${path}` || line === `${method} /api${path}`),
      name,
    ).toHaveLength(1)
  }
  const page = await fetch(`${roz.url}/api/docs`)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
})

/** hindi.all.test.ts checks how the Hindi screens look. */
describe('Hindi', () => {
  const HINDI = /[\u0900-\u097F]/

  test('the switch changes the screen at once, persists over reloads and screens, and switches back', async () => {
    await visit('a visitor', async (own) => {
      const { page } = own
      await open(own, '/login')
      await page.getByRole('button', { name: 'हिन्दी' }).click()
      const heading = page.getByRole('heading', { level: 1 })
      await expect(heading).toHaveText(HINDI)
      await expect(page.locator('html')).toHaveAttribute('lang', 'hi')
      for (const path of ['/register', '/forgot-password', '/login']) {
        await open(own, path)
        await expect(heading).toHaveText(HINDI)
        await expect(page).toHaveURL(`${roz.url}${path}`)
      }
      await open(own, '/terms-condition')
      await expect(page).toHaveURL(`${roz.url}/hi/terms-condition`)
      await open(own, '/login')
      await page.getByRole('button', { name: 'English' }).click()
      await expect(heading).toHaveText('Log in')
      await page.reload()
      await expect(heading).toHaveText('Log in')
    })
  })

  test("the member's screens are Hindi throughout, amounts keep their format, and mails use the chosen language", async () => {
    await visit('a member', async (own) => {
      const { page } = own
      await open(own, '/dashboard')
      await page.getByRole('button', { name: 'Menu', exact: true }).click()
      const saved = page.waitForResponse((response) => response.request().method() === 'PUT' && response.url().endsWith('/api/user'))
      await page.getByRole('button', { name: 'हिन्दी' }).click()
      expect((await saved).status()).toBe(200)
      for (const [path] of MEMBERS_SCREENS) {
        await open(own, path)
        await expect(page.getByRole('heading', { level: 1 })).toHaveText(HINDI)
        await expect(page).toHaveTitle(HINDI)
      }
      await open(own, '/wallet')
      await expect(page.locator('.figure')).toHaveText('₹0.00')
    })
    expect((await ask(roz.url, 'profile', { token: member.token })).output.user.language).toBe('hi')
    await ask(roz.url, 'updateProfile', { token: member.token, body: { language: 'en' } })
  })
})
