/**
 * Every screen in Hindi, empty and with data: no Latin word outside the list of harness/latin.ts, and the checks of English screens.
 * - The addresses come from the app's own list, so a new screen is covered without an edit here.
 * - The operator's texts (name, addresses, figures) and the members' are in Hindi here.
 */
import { expect } from '../../harness/expect.ts'
import { LANGUAGES } from '@roz/core/language.ts'
import { REFUSALS } from '@roz/core/refusals.ts'
import { FIELD_TEXTS } from '@roz/core/fields.ts'
import { sql } from '@roz/server/db/sql.ts'
import { paths, type PublicPage, publicPath, publicPaths } from '@roz/web/paths.ts'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import {
  auditScreen,
  expectNoSidewaysScroll,
  expectSilence,
  handOver,
  newVisit,
  openBrowser,
  settle,
  slotOf,
  SMALL,
  type Visit,
  WIDE,
} from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { inDatabase } from '../../harness/database.ts'
import { latinIn, textsOf } from '../../harness/latin.ts'
import {
  addMoney,
  adminToken,
  BANK,
  joinRound,
  mailedLink,
  newMember,
  passRound,
  PASSWORD,
  pay,
  type Person,
  PHONE,
  publishDraft,
} from '../../harness/people.ts'
import { PORTAL_TABS } from '../../harness/portal-tabs.ts'
import { ADMIN, type Program, startProgram } from '../../harness/program.ts'

const OPERATOR = {
  BRAND_NAME: 'रोज़',
  OFFICE_ADDRESS: '12 नमूना सड़क, पुणे 411001, भारत',
  HOW_IT_WORKS_VIDEO: 'https://youtu.be/aqz-KE-bpKQ',
}
const FILM_HOST = 'www.youtube-nocookie.com'

let roz: Program
let browser: Browser
let visit: Visit
let page: Page
let newcomer: Person
let asha: Person
let admin: string

beforeAll(async () => {
  ;[roz, browser] = await Promise.all([startProgram({ env: OPERATOR }), openBrowser()])
  visit = await newVisit(browser, { hosts: [...[roz.url, roz.sandboxUrl].map((url) => new URL(url).host), FILM_HOST], size: SMALL })
  page = visit.page
  await page.route(`https://${FILM_HOST}/**`, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<html lang="hi"><title>film</title>' }),
  )
  await page.context().addInitScript(() => window === window.top && localStorage.setItem('language', 'hi'))
  await inDatabase(roz.dataDir, (db) => db.query(sql`update member set name = 'प्रिया मेनन' where role = 'admin'`))
  newcomer = await inHindi(await newMember(roz, { name: 'आशा वर्मा' }))
})

async function inHindi(person: Person): Promise<Person> {
  expect((await ask(roz.url, 'updateProfile', { token: person.token, body: { language: 'hi' } })).status).toBe(200)
  return person
}

/** The findings of the running test, by screen: one run reports them all. */
let findings: string[] = []
async function judge(where: string, check: () => Promise<void>): Promise<void> {
  try {
    await check()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    findings.push(`${where}: ${error.message} ${'actual' in error ? JSON.stringify(error.actual) : ''}`)
  }
}

/** Addresses whose data does not exist, or not yet: the browser logs the refusal. */
const REFUSED = /nothing-here|\?(?:token|order_id)=1$|^\/receipt$|^\/my-ticket$|fails$/
const NOTED = /status of 40\d/
/** One page of each kind: all pages of a language share their colours. */
const IN_THE_DARK = new Set<string>([
  '/hi',
  '/hi/terms-condition',
  '/hi/verify',
  paths.login,
  paths.dashboard,
  paths.wallet,
  `${paths.adminDashboard}?tab=withdrawals`,
])

/**
 * Checks the words, then does the checks of an English screen, on a phone and, for overflow, on a desk.
 * - `inFull` adds axe; it is off when the same screen is visited again with data.
 */
async function look(where: string, inFull = true): Promise<void> {
  await judge(where, () => expectSilence(visit, REFUSED.test(where) ? NOTED : undefined))
  findings.push(...latinIn(await textsOf(page)).map((found) => `${where}: ${found}`))
  await judge(where, () => expectNoSidewaysScroll(page))
  if (inFull) await judge(where, () => auditScreen(page))
  if (inFull && IN_THE_DARK.has(where)) {
    await page.emulateMedia({ colorScheme: 'dark' })
    await judge(`${where} in the dark`, () => auditScreen(page, 'colours'))
    await page.emulateMedia({ colorScheme: 'light' })
  }
  await page.setViewportSize(WIDE)
  await judge(`${where} at ${WIDE.width}`, () => expectNoSidewaysScroll(page))
  // On a desk the portal's lists are tables.
  if (inFull && where.startsWith(paths.adminDashboard)) await judge(`${where} at ${WIDE.width}`, () => auditScreen(page))
  await page.setViewportSize(SMALL)
}
function expectHindi(): void {
  const found = findings
  findings = []
  expect(found).toEqual([])
}

async function visitAll(addresses: readonly string[], token?: string, inFull = true): Promise<void> {
  await handOver(visit, roz.url, token, slotOf(addresses[0] ?? ''))
  for (const address of addresses) {
    await page.goto(roz.url + address)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(/[\u0900-\u097F]|404/)
    // The page that verifies a day redirects to the newest one.
    expect(new URL(page.url()).pathname.replace(/\/\d{4}-\d{2}-\d{2}$/, '')).toBe(address.split('?')[0])
    await look(address, inFull)
  }
}
async function open(address: string): Promise<void> {
  await page.goto(roz.url + address)
  await settle(page)
}
/** Submits the form as it is: its validation errors are words too. */
async function sendEmpty(where: string, form: string): Promise<void> {
  await expect(page.locator(form).first(), where).toBeVisible()
  await page
    .locator(form)
    .first()
    .evaluate((element) => (element as HTMLFormElement).requestSubmit())
  await expect(page.locator('[aria-invalid=true], [role=alert]:not([hidden])').first()).toBeVisible()
  await look(`${where}, sent empty`)
}

const PUBLIC = (Object.keys(publicPaths) as PublicPage[]).map((name) => publicPath(name, 'hi'))
const { home: _home, kitchenSink: _kitchenSink, adminDashboard: _portal, adminLogin: _door, ...app } = paths
const VISITORS = [
  paths.login,
  paths.register,
  paths.forgotPassword,
  paths.resetPassword,
  paths.verifyEmail,
  paths.notMe,
  paths.paymentStatus,
  paths.goodbye,
] as const
const MEMBERS = Object.values(app).filter(
  (path) => !(VISITORS as readonly string[]).includes(path) && path !== paths.login && path !== paths.register,
)
const PORTAL = PORTAL_TABS.map((tab) => `${paths.adminDashboard}?tab=${tab}`)

describe('on a first day, without data', () => {
  test('the public pages', async () => {
    await visitAll(PUBLIC, undefined, false)
    await visitAll(['/hi/nothing-here', '/hi/offline'])
    expectHindi()
  })

  test('the visitor’s screens, their forms sent empty, and a login that fails', async () => {
    await visitAll([
      ...VISITORS,
      `${paths.resetPassword}?token=1`,
      `${paths.verifyEmail}?token=1`,
      `${paths.paymentStatus}?order_id=1`,
      paths.adminLogin,
    ])
    for (const address of [paths.login, paths.register, paths.forgotPassword, `${paths.resetPassword}?token=1`, paths.adminLogin]) {
      await open(address)
      await sendEmpty(address, 'form')
    }
    await open(publicPath('contactUs', 'hi'))
    await sendEmpty('contact', 'form')
    await open(paths.login)
    await page.locator('input[type=email]').fill('nobody@x.test')
    await page.locator('input[type=password]').fill('wrong password')
    await page.locator('form button[type=submit]').click()
    await expect(page.locator('.toast')).toBeVisible()
    await look('a sign-in that fails')
    expectHindi()
  })

  test('a registration that succeeds, and the confirmation of its mail', async () => {
    const email = 'geeta@x.test'
    await handOver(visit, roz.url)
    await open(paths.register)
    for (const [name, value] of Object.entries({ name: 'गीता राव', email, phone: PHONE, password: PASSWORD, confirmPassword: PASSWORD }))
      await page.locator(`main input[name=${name}]`).fill(value)
    await page.locator('form button[type=submit]').click()
    await expect(page.getByText(`${email} पर पुष्टि का ईमेल भेजा गया है।`)).toBeVisible()
    await look('a registration that succeeds')
    await page.goto(await mailedLink(roz.url, email, paths.verifyEmail))
    await expect(page.getByRole('heading', { name: 'ईमेल की पुष्टि हो गई!' })).toBeVisible()
    await look('a mail that is confirmed')
    expectHindi()
  })

  test('the member’s screens', async () => {
    await visitAll(MEMBERS, newcomer.token)
    expectHindi()
  })

  test('a figure with paise is as high as one without', async () => {
    await handOver(visit, roz.url, newcomer.token)
    await open(paths.dashboard)
    const figures = page.locator('.tiles dd')
    await expect(figures.locator('.money')).toHaveCount(2)
    const heights = await figures.evaluateAll((all) => all.map((figure) => Math.round(figure.getBoundingClientRect().height)))
    expect(new Set(heights).size, heights.join(', ')).toBe(1)
  })

  test('the portal', async () => {
    await visitAll(PORTAL, await adminToken(roz.url), false)
    expectHindi()
  })
})

/** A settled day with a winner and a story, pending payments, and the next day open. */
async function live(): Promise<void> {
  asha = await inHindi(await newMember(roz, { name: 'आशा देवी वर्मा', rupees: 30 }))
  const biju = await inHindi(await newMember(roz, { name: 'बीजू नायर', rupees: 10 }))
  for (const person of [asha, biju]) await joinRound(roz.url, person)
  const bankDetail = { ...BANK, accountHolderName: 'आशा वर्मा', bankName: 'भारतीय बैंक' }
  expect((await ask(roz.url, 'withdraw', { token: asha.token, body: { amount: 10, bankDetail } })).status).toBe(200)
  await ask(roz.url, 'updateProfile', { token: biju.token, body: { autoParticipate: true } })
  await passRound(roz.url, asha)
  admin = (await ask(roz.url, 'adminLogin', { body: ADMIN })).output.token
  // With no charity selected.
  await publishDraft(roz.url, { title: 'कल का असर', description: 'कल के राउंड से।' })
  const body = {
    title: 'बारह बच्चों की किताबें',
    description: 'शाम की कक्षा के लिए किताबें।',
    charity: { name: 'आशा रात्रि पाठशाला', description: 'शाम की कक्षाएँ' },
    videoUrl: 'https://youtu.be/aqz-KE-bpKQ',
  }
  const { story } = (await ask(roz.url, 'createStory', { token: admin, body })).output
  expect((await ask(roz.url, 'updateStory', { token: admin, params: { id: story.id }, body: { isActive: true } })).status).toBe(200)
  await addMoney(roz, asha, 10)
}

describe('with a winner, a story and pending payments', () => {
  beforeAll(live)

  test('the public pages', async () => {
    await visitAll(PUBLIC)
    await open(publicPath('terms', 'hi'))
    await expect(page.getByText('यह अनुवाद है। अंतर होने पर अंग्रेज़ी पाठ ही मान्य होगा।')).toBeVisible()
    await open('/hi')
    await page.locator('[data-how]').first().click()
    await look('the how-it-works video')
    expectHindi()
  })

  test('the member’s screens, their panels and forms', async () => {
    const { transactions } = (await ask(roz.url, 'transactions', { token: asha.token })).output
    await visitAll([...MEMBERS, ...transactions.map(({ id }) => `${paths.receipt}?id=${encodeURIComponent(id)}`)], asha.token)
    await open(paths.wallet)
    await expect(page.locator('main button[aria-expanded=false]').first()).toBeVisible()
    for (const button of await page.locator('main button[aria-expanded=false]').all()) {
      await button.click()
      await look('a panel of the wallet')
    }
    await sendEmpty('the wallet', '#withdraw form')
    await page.locator('main').getByRole('button', { name: 'रिफ़ंड माँगें' }).click()
    await sendEmpty('a refund', '.refund-form')
    await open(paths.profile)
    await page.locator('main .button.danger').click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await look('closing the account')
    await open(paths.profile)
    await page.locator('main button').filter({ hasText: 'बदलें' }).first().click()
    await look('the profile being edited')
    await open(paths.impact)
    await page.locator('main').getByRole('button').first().click()
    await look('the story viewer')
    await open(paths.dashboard)
    await page.locator('.round button').click()
    await expect(page.locator('.toast')).toBeVisible()
    await look('the dashboard after a join')
    expectHindi()
  })

  test('a successful, a pending and a failed payment', async () => {
    await handOver(visit, roz.url, asha.token)
    for (const [outcome, words] of [
      ['success', 'पेमेंट हो गया!'],
      ['pending', 'पेमेंट की पुष्टि बाकी है'],
      ['failed', 'पेमेंट नहीं हुआ'],
    ] as const) {
      const { output } = await ask(roz.url, 'addMoney', { token: asha.token, body: { amount: 10, phoneNumber: PHONE } })
      await pay(roz.sandboxUrl, output.order_id, outcome)
      await page.goto(`${roz.url}${paths.paymentStatus}?order_id=${output.order_id}`)
      await expect(page.getByRole('heading', { name: words })).toBeVisible()
      await look(`a payment: ${outcome}`)
    }
    expectHindi()
  })

  test('the portal, its dialogs and the validation of an empty one', async () => {
    await visitAll(PORTAL, admin)
    for (const [tab, within, form] of [
      ['stories', '.head-row', true],
      ['withdrawals', '.story-rows', false],
    ] as const) {
      await open(`${paths.adminDashboard}?tab=${tab}`)
      await page.getByRole('tabpanel').locator(within).getByRole('button').first().click()
      await expect(page.getByRole('dialog')).toBeVisible()
      await look(`a dialog of ${tab}`)
      if (form) await sendEmpty(`a dialog of ${tab}`, 'dialog form')
    }
    expectHindi()
  })
})

test('every refusal and every validation message', () => {
  expect(LANGUAGES).toContain('hi')
  const texts = [...Object.values(REFUSALS), ...Object.values(FIELD_TEXTS)].map(({ hi }) => hi.replaceAll(/\{\w+\}/g, '10'))
  expect(latinIn(texts)).toEqual([])
})
