/**
 * A fresh start without the demo community: every number on the public, the members' and the portal's screens has a source.
 * - A source is a call's answer, an operator's setting, or a rule of the product.
 * - A screen without data says that there is none.
 */
import { addDays, dayAt } from '@roz/core/ist-day.ts'
import { paths, publicPaths } from '@roz/web/paths.ts'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import { handOver, newVisit, openBrowser, settle, type Visit, WIDE } from '../../harness/browser.ts'
import { expect } from '../../harness/expect.ts'
import { addMoney, adminToken, newMember, type Person, readClock } from '../../harness/people.ts'
import { type Program, startProgram } from '../../harness/program.ts'
import { gatewayIsReady, toast } from '../../harness/steps.ts'

/** Other than the defaults, so that a default written into a text is found. */
const OPERATOR = {
  SITE_PEOPLE: '77,123',
  SITE_CONTRIBUTORS: '8,431+',
  SUPPORT_PHONE: '+91 91234 56780',
  OFFICE_ADDRESS: '4 Lake Road, Nagpur 440010, India',
  SUPPORT_EMAIL: 'help@x.test',
  MIN_AGE: '16',
  TOPUP_MIN: '14',
  TOPUP_MAX: '37',
  SPLIT_POLICY: 'B',
  WINNERS_B: '4',
}
/** The numbers of the rules: entry, limits of money, shares, periods in days and hours, steps of an explanation. */
const RULES = new Set(
  [
    '1 2 3 4 5 6 7 8 9 10 11 12 13',
    // The year's maximum; withdrawals; the shares of both splits and of a rupee.
    '365 366 10 30 60 70 100 0.60 0.30 0.10 0.70 60p 30p 10p',
    // Periods in hours and days; the help center's answer time; days between two debits of AutoPay.
    '15 24 27 48 72 90 180',
    // The preset amounts, between the limits.
    '20',
  ].flatMap((line) => line.split(' ')),
)

/** The text of each tab of the portal that has no data; the overview counts, and one member has registered. */
const TABS = {
  overview: undefined,
  users: undefined,
  stories: 'No impact stories yet',
  withdrawals: 'No withdrawals found',
  refunds: 'No refunds found',
  suspense: 'No payments found',
  disputes: 'No disputes found',
} as const

let roz: Program
let browser: Browser
let visit: Visit
let page: Page
let person: Person
/** The numbers in the calls' answers, in every form that a screen may print. */
const told = new Set<string>()

beforeAll(async () => {
  ;[roz, browser] = await Promise.all([startProgram({ env: OPERATOR }), openBrowser()])
  person = await newMember(roz, { name: 'Asha Verma' })
  visit = await newVisit(browser, { hosts: [new URL(roz.url).host], size: WIDE })
  page = visit.page
  page.on('response', (response) => {
    if (response.url().includes('/api/')) void response.text().then(learn, () => undefined)
  })
  for (const call of ['public/home', 'rounds/current', 'public/days']) learn(await (await fetch(`${roz.url}/api/${call}`)).text())
})

const grouped = new Intl.NumberFormat('en-IN')
const money = new Intl.NumberFormat('en-IN', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
function learn(text: string): void {
  for (const match of text.matchAll(/-?\d+(?:\.\d+)?/g)) {
    const value = Number(match[0])
    for (const shown of [match[0], grouped.format(value), money.format(value), value.toFixed(1)]) told.add(shown)
  }
}

/** Dates and times come from the clock; some numbers are no figures. */
const MONTHS = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec'
const NO_FIGURES = [
  new RegExp(`\\b\\d{1,2} (?:${MONTHS})[a-z]* \\d{4}`, 'g'),
  /August 9, 2025/g,
  /\b\d{1,2}:\d{2}(?::\d{2})?(?: ?[ap]m)?/gi,
  /\b\d{1,2} (?:PM|AM)\b/g,
  /\d{4}-\d{2}-\d{2}/g,
  // The sample of a request's number.
  /such as 3F9A/g,
  // Names with a number in them, and shortened fingerprints.
  /SHA-256|Node\.js 20/g,
  /\b[0-9a-f]+…[0-9a-f]+/g,
] as const

/** The numbers on the screen without a source, each with its sentence. */
async function unaccounted(): Promise<string[]> {
  const texts = await page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const found: string[] = []
    while (walker.nextNode() !== null) {
      const element = walker.currentNode.parentElement
      // The countdown comes from the clock; code and hidden parts of a drawing are no figures.
      if (
        element === null ||
        !element.checkVisibility() ||
        element.closest('script, style, noscript, code, pre, svg, template, [role=timer], .countdown') !== null
      )
        continue
      found.push(walker.currentNode.nodeValue ?? '')
    }
    // A figure's paise are in an element of their own.
    return found
      .join('\u241f')
      .replace(/(\d)\u241f(\.\d\d)(?!\d)/g, '$1$2')
      .split('\u241f')
  })
  const settings = Object.values(OPERATOR).join(' ')
  const isKnown = (figure: string): boolean => RULES.has(figure) || Object.values<string>(OPERATOR).includes(figure)
  return texts.flatMap((text) => {
    const rest = NO_FIGURES.reduce((left, pattern) => left.replace(pattern, ' '), text)
    const numbers = rest.match(/\d[\d,]*(?:\.\d+)?/g) ?? []
    return numbers
      .map((number) => number.replace(/,$/, ''))
      .filter((number) => !told.has(number) && !isKnown(number.replace(/\.00$/, '')) && !settings.includes(number))
      .map((number) => `${number} in: ${text.trim().slice(0, 140)}`)
  })
}

async function expectAccounted(addresses: readonly string[]): Promise<void> {
  const found: string[] = []
  for (const address of addresses) {
    await page.goto(roz.url + address)
    await settle(page)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    found.push(...(await unaccounted()).map((one) => `${address}: ${one}`))
  }
  expect(found).toEqual([])
}

describe('every number has its source', () => {
  test('on the public pages', async () => {
    await expectAccounted(Object.values(publicPaths))
  })

  test('on the member’s screens', async () => {
    await handOver(visit, roz.url, person.token)
    await expectAccounted([paths.dashboard, paths.wallet, paths.impact, paths.history, paths.profile, paths.notifications])
    const orderId = await addMoney(roz, person, 20)
    await expectAccounted([paths.myTicket, `${paths.receipt}?id=${orderId}`, paths.wallet])
  })

  test('on every tab of the portal', async () => {
    await handOver(visit, roz.url, await adminToken(roz.url), 'admin-token')
    await expectAccounted(Object.keys(TABS).map((tab) => `${paths.adminDashboard}?tab=${tab}`))
  })

  test('on register, log in and new password', async () => {
    await handOver(visit, roz.url)
    await expectAccounted([paths.register, paths.login, paths.forgotPassword, paths.adminLogin])
  })

  test('on the goodbye page of a deleted account', async () => {
    await handOver(visit, roz.url)
    await expectAccounted([paths.goodbye])
  })
})

describe('nothing is invented', () => {
  beforeAll(() => handOver(visit, roz.url))

  test('the front page: zeros from the call, the operator’s figures beside them, and no default of ours', async () => {
    await page.goto(roz.url)
    await expect(page.locator('[data-live=totalCharity]')).toHaveText('₹0.00')
    await expect(page.locator('[data-live=totalPeople]')).toHaveText('0')
    await expect(page.locator('[data-live=rounds]')).toHaveText('0')
    for (const part of ['pool', 'charity', 'giveaway']) await expect(page.locator(`[data-live=${part}]`).first()).toHaveText('₹0.00')
    await expect(page.getByText('A community of 77,123 people with 8,431+ contributors.')).toBeVisible()
    await expect(page.locator('body')).not.toContainText(/14,000|10,000/)
    await expect(page.getByText('No impact story available yet')).toBeVisible()
  })

  test.each(['/impact-videos', '/impact-stories', '/daily-reports', '/money-trail'])(
    '%s shows its empty state, and no day, video or person',
    async (address) => {
      await page.goto(roz.url + address)
      await expect(page.locator('main .empty').first()).toBeVisible()
      await expect(page.locator('main .video, main article, main .day-pages li')).toHaveCount(0)
      const yesterday = addDays(dayAt(Date.parse(await readClock(roz.url))), -1)
      await expect(page.locator(`time[datetime^="${yesterday}"]`)).toHaveCount(0)
    },
  )

  test('the portal: the one registered member, no story, no money, and each tab says so', async () => {
    await handOver(visit, roz.url, await adminToken(roz.url), 'admin-token')
    for (const [tab, empty] of Object.entries(TABS)) {
      await page.goto(`${roz.url}${paths.adminDashboard}?tab=${tab}`)
      const panel = page.getByRole('tabpanel')
      if (empty !== undefined) await expect(panel.getByText(empty, { exact: true })).toBeVisible()
      if (tab === 'overview') await expect(panel.locator('dd')).toHaveText(['1', '₹0.00', '₹0.00', '0', '₹0.00', '1'])
      if (tab === 'users') await expect(panel.locator('tbody tr')).toContainText([person.email])
      await expect(panel.locator('article')).toHaveCount(0)
    }
  })
})

describe('the operator’s settings appear wherever a page names them', () => {
  beforeAll(() => handOver(visit, roz.url))
  const main = () => page.getByRole('main')

  test('the age: at registration, in the terms and in the privacy policy', async () => {
    for (const [address, words] of [
      [paths.register, 'you are at least 16 years old'],
      [publicPaths.terms, 'You must be at least 16 years old.'],
      [publicPaths.privacyPolicy, 'is not for children under 16.'],
    ] as const) {
      await page.goto(roz.url + address)
      await expect(main()).toContainText(words)
      await expect(main()).not.toContainText(/13 years|under 13/)
    }
  })

  test('the limits of a top-up: in the terms, in the help center and at the form, which enforces them', async () => {
    for (const address of [publicPaths.terms, publicPaths.helpCenter]) {
      await page.goto(roz.url + address)
      await expect(main()).toContainText('₹14.00 to ₹37.00 at a time')
    }
    await handOver(visit, roz.url, person.token)
    await page.goto(roz.url + paths.wallet)
    await gatewayIsReady(page)
    await expect(page.getByText('From ₹14 to ₹37 per payment.')).toBeVisible()
    await expect(page.getByRole('group', { name: 'Presets' }).locator('b')).toHaveText(['₹14', '₹30', '₹37'])
    for (const [amount, words] of [
      ['13', 'Minimum amount is ₹14'],
      ['38', 'Maximum amount is ₹37'],
    ] as const) {
      await page.getByLabel('Amount', { exact: true }).fill(amount)
      await page.getByRole('button', { name: `Add ₹${amount}.00` }).click()
      await expect(toast(page, words)).toBeVisible()
    }
    await handOver(visit, roz.url)
  })

  test('every sentence about a rupee and today’s amounts use the split in force', async () => {
    const inForce = 'In force today70% for people in need, 30% shared by 4 winners.'
    await page.goto(roz.url)
    const ledger = page.locator('.ledger', { has: page.locator('[data-live]') })
    await expect(ledger.locator('div:not(.sum) > span:not(.amount)')).toHaveText(['70% for people in need', '30% shared by 4 winners'])
    await expect(ledger).not.toContainText('platform')
    await expect(page.getByRole('img', { name: '70% for people in need, 30% shared by 4 winners' })).toBeVisible()
    const hero = page.locator('.hero')
    for (const words of ['70% helps people in need', '30% is shared by 4 winners']) await expect(hero).toContainText(words)
    await expect(hero).not.toContainText('keeps Roz running')
    await expect(page.locator('#how')).toContainText('70 paise help people in need, 30 are shared by 4 winners.')
    for (const address of [publicPaths.terms, publicPaths.giveawaySelection]) {
      await page.goto(roz.url + address)
      await expect(page.locator('.split-now')).toHaveText(inForce)
    }
  })
})
