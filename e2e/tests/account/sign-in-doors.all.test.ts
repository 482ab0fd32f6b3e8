/**
 * The ways into the app: Google, the links between the login screens, the shown password, Back on the refund policy, the phone's menu.
 * - Every link leads to the screen that its words name.
 * - A token is stored only after a successful login.
 */
import { paths, publicPaths } from '@roz/web/paths.ts'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { handOver, newVisit, openBrowser, SMALL, type Visit, WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expect } from '../../harness/expect.ts'
import { newMember, PASSWORD } from '../../harness/people.ts'
import { type Program, startProgram } from '../../harness/program.ts'
import { balanceInBar, exactToast } from '../../harness/steps.ts'
import { startScenario, type Scenario } from '../../scenario/scenario.ts'

const GOOGLE = 'https://accounts.google.com/gsi/client'
const HARI = { email: 'hari.doors@x.test', email_verified: true, name: 'Hari Om', sub: '20261121' }

let scenario: Scenario
/** The program that runs now: first with a Google client id, then without. */
let roz: Program
let browser: Browser
let visit: Visit
let page: Page
/** How often a page has requested Google's script. No test asks Google itself. */
let asked = 0
/** The person who presses Google's button, as Google's token names them. */
let claims: object = {}

beforeAll(async () => {
  ;[scenario, browser] = await Promise.all([startScenario(), openBrowser()])
  roz = scenario.roz
  visit = await newVisit(browser, { hosts: [new URL(roz.url).host], size: WIDE })
  page = visit.page
  await visit.context.exposeFunction('googleSigns', (nonce: string) => scenario.idToken({ ...claims, nonce }))
  await visit.context.route('https://accounts.google.com/**', (route) => {
    asked += Number(route.request().url() === GOOGLE)
    return route.fulfill({ contentType: 'text/javascript', body: GOOGLE_SCRIPT })
  })
})
afterAll(() => scenario?.close())

const main = () => page.getByRole('main')
const title = () => page.getByRole('heading', { level: 1 })
const storedToken = () => page.evaluate(() => localStorage.getItem('token'))

/** A script with the interface of Google's: its button shows its client id and answers with the page's nonce. */
const GOOGLE_SCRIPT = `{
  let asked
  window.google = { accounts: { id: {
    initialize: (options) => { asked = options },
    renderButton: (place) => {
      const button = document.createElement('button')
      button.textContent = 'Continue with Google'
      button.title = asked.client_id
      button.onclick = async () => asked.callback({ credential: await window.googleSigns(asked.nonce) })
      place.append(button)
    },
  } } }
}`

/** Expects the page at the address, under the title of its screen. */
async function expectAt(path: string, words: string): Promise<void> {
  await page.waitForURL(roz.url + path)
  await expect(title()).toHaveText(words)
}

describe('with a client id of Google', () => {
  const members = new Set<string>()

  test.each([
    ['a new person registers', paths.login],
    ['the same person logs in to the same account', paths.register],
  ])('%s by the button on %s: Welcome back!, the token is stored, the dashboard opens', async (_what, path) => {
    claims = HARI
    await handOver(visit, roz.url)
    await page.goto(roz.url + path)
    const button = page.locator('.google-button').getByRole('button', { name: 'Continue with Google' })
    await expect(button).toHaveAttribute('title', 'roz.apps.example.test')
    await expect(main().getByText('or', { exact: true })).toBeVisible()
    expect(await storedToken()).toBeNull()
    await button.click()
    await expect(exactToast(page, 'Welcome back!')).toBeVisible()
    await expectAt(paths.dashboard, `Welcome, ${HARI.name}`)
    await expect(balanceInBar(page)).toHaveText('₹0.00')
    const token = await storedToken()
    const { user } = (await ask(roz.url, 'me', { token: token ?? '' })).output
    expect(user).toMatchObject({ name: HARI.name, email: HARI.email, emailVerified: true, phone: null })
    // Google's subject id recognises the person again.
    members.add(user.id)
    expect(members.size).toBe(1)
    await page.reload()
    await expect(title()).toHaveText(`Welcome, ${HARI.name}`)
  })

  test('a credential for another client is refused, and no session starts', async () => {
    claims = { ...HARI, aud: 'another client' }
    await handOver(visit, roz.url)
    await page.goto(roz.url + paths.login)
    await page.getByRole('button', { name: 'Continue with Google' }).click()
    await expect(exactToast(page, 'Google login failed')).toBeVisible()
    await expectAt(paths.login, 'Log in')
    expect(await storedToken()).toBeNull()
  })

  test('a credential with the nonce of another page is refused', async () => {
    claims = { ...HARI, nonce: 'of another page' }
    await handOver(visit, roz.url)
    await visit.context.exposeFunction('signedElsewhere', () => scenario.idToken(claims))
    await page.goto(roz.url + paths.login)
    const button = page.getByRole('button', { name: 'Continue with Google' })
    await expect(button).toBeVisible()
    await page.evaluate('window.googleSigns = window.signedElsewhere')
    await button.click()
    await expect(exactToast(page, 'Google login failed')).toBeVisible()
    expect(await storedToken()).toBeNull()
  })
})

describe('without a client id of Google', () => {
  beforeAll(async () => {
    await handOver(visit, roz.url)
    await roz.stop()
    roz = await startProgram({ port: roz.port, dataDir: roz.dataDir })
    asked = 0
  })

  test.each([
    [paths.login, 'Log in', 'Log in'],
    [paths.register, 'Register', 'Create account'],
  ])('%s has no Google button and does not request its script; only its form is there', async (path, words, submit) => {
    await page.goto(roz.url + path)
    await expectAt(path, words)
    await expect(main().getByRole('button', { name: submit, exact: true })).toBeVisible()
    await expect(page.locator('.google-button')).toHaveCount(0)
    await expect(main().getByText('or', { exact: true })).toHaveCount(0)
    await page.waitForLoadState('networkidle')
    expect(asked).toBe(0)
  })
})

describe('from one login screen to the next', () => {
  test.each([
    [paths.login, 'Forgot password?', paths.forgotPassword, 'Forgot password'],
    [paths.login, 'Sign up', paths.register, 'Register'],
    [paths.register, 'Log in', paths.login, 'Log in'],
  ])('on %s ‘%s’ leads to %s, and the browser’s Back returns', async (from, link, to, words) => {
    await page.goto(roz.url + from)
    await main().getByRole('link', { name: link, exact: true }).click()
    await expectAt(to, words)
    await page.goBack()
    await page.waitForURL(roz.url + from)
    await expect(main().getByRole('link', { name: link, exact: true })).toBeVisible()
  })

  test.each([
    [paths.login, 'Sign up', paths.register, 'Register'],
    [paths.register, 'Log in', paths.login, 'Log in'],
    [paths.forgotPassword, 'Log in', paths.login, 'Log in'],
  ])('the bar on %s has ‘%s’, which leads to %s', async (from, link, to, words) => {
    await page.goto(roz.url + from)
    await page.getByRole('banner').getByRole('link', { name: link, exact: true }).click()
    await expectAt(to, words)
  })
})

describe('a password is hidden until it is shown', () => {
  const field = (label: string) => page.getByLabel(label, { exact: true })
  const eye = (label: string, name: 'Show' | 'Hide') =>
    page.locator('.field', { has: field(label) }).getByRole('button', { name, exact: true })

  test.each([
    [paths.login, 'Password', undefined],
    [paths.register, 'Password', 'Confirm password'],
    [paths.register, 'Confirm password', 'Password'],
  ])('on %s Show shows the %s and Hide hides it; the input stays', async (path, label, other) => {
    await page.goto(roz.url + path)
    await field(label).fill(PASSWORD)
    await expect(field(label)).toHaveAttribute('type', 'password')
    await expect(eye(label, 'Hide')).toHaveCount(0)
    await eye(label, 'Show').click()
    await expect(field(label)).toHaveAttribute('type', 'text')
    await expect(field(label)).toHaveValue(PASSWORD)
    await expect(eye(label, 'Hide')).toHaveAttribute('aria-pressed', 'true')
    // Each password field has its own eye button.
    if (other !== undefined) await expect(field(other)).toHaveAttribute('type', 'password')
    await eye(label, 'Hide').click()
    await expect(field(label)).toHaveAttribute('type', 'password')
    await expect(field(label)).toHaveValue(PASSWORD)
    await expect(eye(label, 'Show')).toHaveAttribute('aria-pressed', 'false')
    // Neither press has sent the form, which would complain of missing fields.
    await expect(page.locator('.toast')).toHaveCount(0)
    await expect(page).toHaveURL(roz.url + path)
  })
})

describe('Back on the refund policy', () => {
  test.each([
    [publicPaths.helpCenter, 'main', 'Help Center'],
    [publicPaths.moneyTrail, 'contentinfo', 'Money Trail'],
  ] as const)('a visitor from %s, by a link in its %s, returns there', async (from, part, words) => {
    await page.goto(roz.url + from)
    await expectAt(from, words)
    await page.getByRole(part).getByRole('link', { name: 'Refund Policy' }).click()
    await expectAt(publicPaths.refundPolicy, 'Refund Policy')
    await main().getByRole('link', { name: 'Back', exact: true }).click()
    await expectAt(from, words)
    // Back uses the browser's history, so Forward still works.
    await page.goForward()
    await expectAt(publicPaths.refundPolicy, 'Refund Policy')
  })
})

describe('the menu on a small phone', () => {
  const opener = () => page.getByRole('button', { name: 'Menu', exact: true })
  const entry = (name: string) => page.locator('.menu.small-only').getByRole('link', { name, exact: true })

  beforeAll(async () => {
    const asha = await newMember(roz, { name: 'Asha Verma' })
    await page.setViewportSize(SMALL)
    await handOver(visit, roz.url, asha.token)
  })

  test.each([
    ['Dashboard', paths.dashboard, paths.profile, 'Welcome, Asha Verma'],
    ['Wallet', paths.wallet, paths.dashboard, 'Wallet'],
    ['Impact', paths.impact, paths.dashboard, 'Impact'],
    ['History', paths.history, paths.dashboard, 'Round History'],
    ['My Profile', paths.profile, paths.dashboard, 'Profile'],
  ])('‘%s’ leads to %s, and the menu closes', async (name, to, from, words) => {
    await page.goto(roz.url + from)
    await expect(entry(name)).toBeHidden()
    await opener().click()
    await expect(opener()).toHaveAttribute('aria-expanded', 'true')
    await entry(name).click()
    await expectAt(to, words)
    await expect(opener()).toHaveAttribute('aria-expanded', 'false')
    await expect(entry(name)).toBeHidden()
  })
})
