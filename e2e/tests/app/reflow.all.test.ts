/**
 * Every screen and public page in a narrow window and with large letters, in both languages, with a settled day and long names.
 * - Narrow: 320 px, and a phone of 360 px at 200 %. Large: 32 px chosen in the browser, which is 200 %, and 24 px on a phone.
 * - Nothing scrolls sideways, no text is cut off, and the letters follow the choice.
 */
import { type Language, LANGUAGES } from '@roz/core/language.ts'
import { paths, type PublicPage, publicPath, publicPaths } from '@roz/web/paths.ts'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectNoSidewaysScroll, handOver, newVisit, openBrowser, settle, type Slot } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import {
  addMoney,
  adminToken,
  BANK,
  joinRound,
  newMember,
  passRound,
  type Person,
  publishDraft,
  strangePayment,
} from '../../harness/people.ts'
import { PORTAL_TABS } from '../../harness/portal-tabs.ts'
import { type Program, startProgram } from '../../harness/program.ts'
import { cutTexts, smallTexts } from '../../harness/reflow.ts'

const HEIGHT = 640
const NARROW = { widths: [320, 180], lettersPx: 16 } as const
const LARGE_LETTERS = { widths: [360, 1280], lettersPx: 32 } as const
const BIGGER_LETTERS = { widths: [360, 1280], lettersPx: 24 } as const
const ORDINARY = { widths: [360, 1280], lettersPx: 16 } as const
/** The smallest letters are 14 px when 16 px are chosen. */
const SMALLEST = 14 / 16

const REASON = `Reference ${'0123456789abcdef'.repeat(4)}: the account is somebody else's.`

/** 126 letters. */
const TITLE = `Schoolbooks and waterproof satchels for twelve children of the night school, ${'y'.repeat(40)}, and warm coats`

let roz: Program
let member: Person
let admin: string
let day: string
let story: string

async function live(): Promise<void> {
  member = await newMember(roz, { name: 'Thiruvenkatanathan Balasubramaniyan', rupees: 30 })
  await joinRound(roz.url, member)
  day = await passRound(roz.url, member)
  admin = await adminToken(roz.url)
  story = await publishDraft(roz.url, {
    title: TITLE,
    description: `From the round of the day before: ${'x'.repeat(40)} ${'unbroken'.repeat(13)}`,
    charity: { name: 'Sarvodaya Kanyakumari Nightschool', description: 'Evening classes' },
    videoUrl: 'https://youtu.be/aqz-KE-bpKQ',
  })
  const order_id = await addMoney(roz, member, 20)
  const { id } = (await ask(roz.url, 'withdraw', { token: member.token, body: { amount: 10, bankDetail: BANK } })).output.withdrawal
  expect(
    (await ask(roz.url, 'rejectWithdrawal', { token: admin, params: { id }, body: { status: 'requested', reason: REASON } })).status,
  ).toBe(200)
  expect((await ask(roz.url, 'withdraw', { token: member.token, body: { amount: 10, bankDetail: BANK } })).status).toBe(200)
  expect((await ask(roz.url, 'requestRefund', { token: member.token, body: { order_id, amount: 10, reason: REASON } })).status).toBe(200)
  await strangePayment(roz, 15)
  await joinRound(roz.url, member)
}

beforeAll(async () => {
  roz = await startProgram()
  await live()
})

type Step = readonly [address: string, press?: string]
const VISITORS: readonly Step[] = [
  [paths.login],
  [paths.register],
  [paths.forgotPassword],
  [`${paths.resetPassword}?token=1`],
  [paths.verifyEmail],
  [`${paths.notMe}?token=1`],
  [paths.paymentStatus],
  [paths.goodbye],
  [paths.adminLogin],
]
const publicSteps = (language: Language): readonly Step[] => [
  ...(Object.keys(publicPaths) as PublicPage[]).map((page) => [publicPath(page, language)] as const),
  [`${publicPath('impactStories', language)}/${story}`],
  [`${publicPath('verify', language)}/${day}`],
  [`${language === 'en' ? '' : `/${language}`}/nothing-here`],
  [`${language === 'en' ? '' : `/${language}`}/offline`],
]
const membersSteps = (receipts: readonly string[]): readonly Step[] => [
  [paths.dashboard],
  [paths.dashboard, '.menu.small-only .menu-button'],
  [paths.wallet],
  [`${paths.wallet}#withdraw`],
  [paths.impact],
  [paths.history],
  [paths.year],
  [paths.profile],
  [paths.profile, '.profile-card button'],
  [paths.profile, 'main .button.danger'],
  [paths.notifications],
  [paths.myTicket],
  [`${paths.myTicket}?day=${day}`],
  ...receipts.map((id) => [`${paths.receipt}?id=${encodeURIComponent(id)}`] as const),
]
const PORTAL: readonly Step[] = [
  ...PORTAL_TABS.map((tab) => [`${paths.adminDashboard}?tab=${tab}`] as const),
  [`${paths.adminDashboard}?tab=stories`, '.tab-panel button'],
  [`${paths.adminDashboard}?tab=withdrawals`, '.story-rows button'],
  [`${paths.adminDashboard}?tab=refunds`, '.story-rows button'],
  [`${paths.adminDashboard}?tab=suspense`, '.story-rows button'],
  [paths.adminDashboard, '.tab-panel button'],
]

type Window = { readonly widths: readonly number[]; readonly lettersPx: number }

/** Sideways overflow, cut texts and letters that are too small, at each width. */
async function faultsOf(page: Page, { widths, lettersPx }: Window): Promise<string[]> {
  const found: string[] = []
  for (const width of widths) {
    await page.setViewportSize({ width, height: HEIGHT })
    const sideways = await expectNoSidewaysScroll(page).then(
      () => [],
      (error: Error & { actual?: unknown }) => [JSON.stringify(error.actual)],
    )
    found.push(...[...sideways, ...(await cutTexts(page))].map((fault) => `at ${width} px: ${fault}`))
  }
  return [...found, ...(await smallTexts(page, SMALLEST * lettersPx))]
}

/** Visits all addresses in one browser and reports every fault. */
async function visitAll(steps: readonly Step[], language: Language, window: Window, token?: string, slot?: Slot): Promise<void> {
  const browser = await openBrowser({ lettersPx: window.lettersPx })
  const visit = await newVisit(browser, { hosts: [], size: { width: window.widths[0] ?? 0, height: HEIGHT } })
  const { page } = visit
  await page.context().addInitScript((value) => localStorage.setItem('language', value), language)
  await handOver(visit, roz.url, token, slot)
  const found: string[] = []
  for (const [address, press] of steps) {
    await page.setViewportSize({ width: window.widths[0] ?? 0, height: HEIGHT })
    await page.goto(roz.url + address)
    await page.locator('h1').first().waitFor()
    await settle(page)
    // The page of checks redirects to its newest day; any other redirect would mean the wrong screen is checked.
    expect(page.url().startsWith(roz.url + address.replace(/[?#].*/, '')), `${page.url()} is not ${address}`).toBe(true)
    if (press !== undefined) await page.locator(press).first().click()
    await page.locator('details').evaluateAll((all) => all.forEach((one) => one.setAttribute('open', '')))
    found.push(...(await faultsOf(page, window)).map((fault) => `${address} ${press ?? ''} ${fault}`))
  }
  await visit.close()
  expect(found).toEqual([])
}

describe.each([
  ['windows of 320 and 180 px', NARROW],
  ['letters of 32 px', LARGE_LETTERS],
  ['letters of 24 px', BIGGER_LETTERS],
  ['windows of 360 and 1280 px', ORDINARY],
] as const)('%s: nothing overflows and no text is cut off', (_name, window) => {
  test.each(LANGUAGES)('on the public pages in %s', async (language) => {
    await visitAll(publicSteps(language), language, window)
  })
  test.each(LANGUAGES)("on a visitor's screens in %s", async (language) => {
    await visitAll(VISITORS, language, window)
  })
  test.each(LANGUAGES)("on a member's screens in %s", async (language) => {
    const { transactions } = (await ask(roz.url, 'transactions', { token: member.token })).output
    await visitAll(membersSteps(transactions.map(({ id }) => id)), language, window, member.token)
  })
  test.each(LANGUAGES)('in the portal in %s', async (language) => {
    await visitAll(PORTAL, language, window, admin, 'admin-token')
  })
})
