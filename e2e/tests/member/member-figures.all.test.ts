/**
 * A member with a past: a day she joined and won, a day only another joined, a day nobody joined, and today.
 * - Each figure on her screens and on the public pages follows from these days by the rules; none is hard-coded.
 * - Each figure is under its own heading.
 */
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import { sql } from '@roz/server/db/sql.ts'
import { paths, publicPaths } from '@roz/web/paths.ts'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import { handOver, newVisit, openBrowser, type Visit, WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { inDatabase } from '../../harness/database.ts'
import { expect } from '../../harness/expect.ts'
import { addMoney, joinRound, newMember, passRound, pay, type Person, PHONE, publishDraft } from '../../harness/people.ts'
import { png } from '../../harness/pictures.ts'
import { type Program, startProgram } from '../../harness/program.ts'

const SUPPORT = { SUPPORT_EMAIL: 'help@x.test', SUPPORT_PHONE: '+91 91234 56780', OFFICE_ADDRESS: '4 Lake Road, Nagpur 440010, India' }
const TITLE = 'Slates for a class'
const PICTURE = 'https://pictures.x.test/slates.png'

let roz: Program
let browser: Browser
let visit: Visit
let page: Page
let asha: Person
let biju: Person
/** Asha joined alone; Biju joined alone; nobody joined; today. */
let days: readonly IstDay[]

const join = (person: Person): Promise<void> => joinRound(roz.url, person)
const nextDay = (): Promise<IstDay> => passRound(roz.url, asha)

beforeAll(async () => {
  ;[roz, browser] = await Promise.all([startProgram({ env: { ...SUPPORT, PICTURE_HOSTS: new URL(PICTURE).host } }), openBrowser()])
  asha = await newMember(roz, { name: 'Asha Verma', rupees: 10 })
  biju = await newMember(roz, { name: 'Biju Nair', rupees: 10 })
  await join(asha)
  const won = await nextDay()
  await join(biju)
  const missed = await nextDay()
  const empty = await nextDay()
  days = [won, missed, empty, addDays(empty, 1)]
  await join(asha)
  await join(biju)
  await join(await newMember(roz, { name: 'Chitra Rao', rupees: 10 }))
  visit = await newVisit(browser, { hosts: [new URL(roz.url).host], size: WIDE })
  page = visit.page
  await handOver(visit, roz.url, asha.token)
})

const main = () => page.getByRole('main')
const heading = (name: string, level = 2) => page.getByRole('heading', { name, exact: true, level })
const section = (name: string) => main().locator('.section', { has: heading(name) })
const tiles = () => main().locator('.tiles > div')

describe('the round card', () => {
  test('splits today’s three rupees into 60%, 30% and 10%', async () => {
    await page.goto(roz.url + paths.dashboard)
    const round = section('Community round')
    await expect(round.locator('.shares > div')).toHaveText([
      '60% for people in need₹1.80',
      '30% for one winner₹0.90',
      '10% for the platform₹0.30',
      '3 members in the round₹3.00',
    ])
    await expect(round.getByRole('img', { name: '60% for people in need, 30% for one winner, 10% for the platform' })).toBeVisible()
  })
})

describe('the impact page', () => {
  const viewer = () => page.locator('.story-viewer')

  test('before a publication the viewer says No impact story available yet, and the figures are her own', async () => {
    await page.goto(roz.url + paths.impact)
    await expect(viewer().getByText('No impact story available yet', { exact: true })).toBeVisible()
    await expect(viewer()).toContainText("The day's video is announced for 6 PM.")
    await expect(viewer().getByRole('article')).toHaveCount(0)
    await expect(tiles()).toHaveText(['Total contributed₹2.00', 'Charities supported0', 'Days active2'])
  })

  test('a story with a picture and no video shows the picture, and what her rupee did', async () => {
    await visit.context.route(PICTURE, (route) => route.fulfill({ contentType: 'image/png', body: png(8, 6, () => [90, 120, 60]) }))
    const charity = { name: 'Asha Night School', description: 'Evening classes' }
    await publishDraft(roz.url, { title: TITLE, description: 'A slate for each child.', charity, imageUrl: PICTURE }, days[0])
    await page.goto(roz.url + paths.impact)
    await expect(viewer().getByRole('heading', { name: TITLE })).toBeVisible()
    const picture = viewer().locator('img.story-image')
    await expect(picture).toHaveAttribute('src', PICTURE)
    await expect.poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(8)
    await expect(viewer().locator('iframe, .video')).toHaveCount(0)
    await expect(viewer().locator('.shares > li')).toHaveText([
      'Set aside for people in need₹0.60',
      'Asha Night SchoolEvening classesActive',
      'Winner of the day: Asha V.1 in 1 participant₹0.30',
    ])
    await expect(page.locator('.story-list .amount')).toHaveText('Set aside: ₹0.60')
    await expect(page.getByText('No impact story available yet')).toHaveCount(0)
    await expect(tiles()).toHaveText(['Total contributed₹2.00', 'Charities supported1', 'Days active2'])
  })

  test('the dashboard tells a story without a video by its words and its amount', async () => {
    await page.goto(roz.url + paths.dashboard)
    const impact = main().locator('.section', { hasText: TITLE })
    await expect(impact).toContainText('A slate for each child.')
    await expect(impact).toContainText('Set aside: ₹0.60')
  })
})

describe('the history', () => {
  const rounds = () => page.locator('.rounds > li')
  beforeAll(() => page.goto(roz.url + paths.history))

  test('two days joined, one of them won', async () => {
    await expect(tiles()).toHaveText(['Days participated2', 'Total won₹0.30', 'Win rate50.0%'])
    await expect(heading('Round History', 1)).toBeVisible()
  })

  test('the words beside the month count its filled rings, today’s too', async () => {
    const counts = () =>
      page.locator('.month').evaluate((month) => ({
        rings: month.querySelectorAll('.ring.in, .ring.won').length,
        told: Number(/\d+/.exec(month.querySelector('figcaption span')?.textContent ?? '')?.[0]),
      }))
    await expect.poll(async () => (await counts()).rings - (await counts()).told).toBe(0)
  })

  test('a day without a join is No draw, a day only another joined Not joined, and her own won', async () => {
    await expect(rounds()).toHaveCount(3)
    const shown = await rounds().evaluateAll((all) =>
      all.map((one) => ({
        day: one.querySelector('time')?.dateTime,
        badges: [...one.querySelectorAll('.badges .badge')].map((badge) => badge.textContent),
        facts: [...one.querySelectorAll('.round-facts dd')].map((fact) => fact.textContent),
        ticket: one.querySelector('a[href*="/my-ticket"]') !== null,
        draw: one.querySelector('a[href*="/verify/"]') !== null,
      })),
    )
    expect(shown).toEqual([
      { day: days[2], badges: ['No draw', 'Not joined'], facts: ['0', '₹0.00', '₹0.00', '₹0.00', '–'], ticket: false, draw: false },
      { day: days[1], badges: ['Not joined'], facts: ['1', '₹1.00', '₹0.60', '₹0.30', 'Biju N.'], ticket: false, draw: true },
      { day: days[0], badges: ['Joined', 'You won'], facts: ['1', '₹1.00', '₹0.60', '₹0.30', 'Asha V.'], ticket: true, draw: true },
    ])
  })

  test('the other member finds the same days the other way round', async () => {
    await handOver(visit, roz.url, biju.token)
    await page.goto(roz.url + paths.history)
    await expect(rounds().locator('.badges')).toHaveText(['No drawNot joined', 'JoinedYou won', 'Not joined'])
    await expect(tiles()).toHaveText(['Days participated2', 'Total won₹0.30', 'Win rate50.0%'])
  })
})

describe('the payment status', () => {
  /** The browser's clock, which dates a check: half past one in India. */
  const NOW = '2031-03-05T08:00:00Z'
  const facts = (at: Page) => at.locator('ul.facts > li')

  test.each([
    ['Payment Pending', 12, 'pending'],
    ['Payment Successful!', 17, 'success'],
  ] as const)('%s: Order ID, Amount of %i rupees, Date & Time', async (words, rupees, outcome) => {
    const orderId = outcome === 'success' ? await addMoney(roz, asha, rupees) : await startOrder(rupees)
    const own = await newVisit(browser, { hosts: [], size: WIDE, token: asha.token })
    // A browser keeps a clock that was set by hand: this one is closed afterwards.
    await own.page.clock.setFixedTime(NOW)
    await own.page.goto(`${roz.url}${paths.paymentStatus}?order_id=${orderId}`)
    await expect(own.page.getByRole('main').getByRole('heading', { level: 2 })).toHaveText(words)
    await expect(facts(own.page)).toHaveText([`Order ID${orderId}`, `Amount₹${rupees}.00`, 'Date & Time5 Mar 2031, 1:30 pm'])
    await own.close()
  })

  /** An order whose payer is at the bank, without an outcome. */
  async function startOrder(rupees: number): Promise<string> {
    const { order_id } = (await ask(roz.url, 'addMoney', { token: asha.token, body: { amount: rupees, phoneNumber: PHONE } })).output
    await pay(roz.sandboxUrl, order_id, 'pending')
    return order_id
  }
})

describe('the picture in the bar', () => {
  const avatar = () => page.getByRole('banner').locator('.menu.wide-only .avatar')

  test('is the first letter of the name, or a person without a name', async () => {
    await handOver(visit, roz.url, asha.token)
    await page.goto(roz.url + paths.dashboard)
    await expect(avatar()).toHaveText('A')
    await expect(avatar().locator('svg')).toHaveCount(0)
    const nameless = await newMember(roz)
    await inDatabase(roz.dataDir, (db) => db.query(sql`update member set name = '' where email = ${nameless.email}`))
    await handOver(visit, roz.url, nameless.token)
    await page.goto(roz.url + paths.dashboard)
    await expect(avatar().locator('svg')).toBeVisible()
    await expect(avatar()).toHaveText('')
    await expect(avatar().locator('img')).toHaveCount(0)
  })
})

describe('help', () => {
  test('the help center links to our mail address and to Contact Us', async () => {
    await page.goto(roz.url + publicPaths.helpCenter)
    const support = section('Write to us if you are still stuck.')
    await expect(support.getByRole('link', { name: SUPPORT.SUPPORT_EMAIL })).toHaveAttribute('href', `mailto:${SUPPORT.SUPPORT_EMAIL}`)
    await support.getByRole('link', { name: 'Contact Us', exact: true }).click()
    await page.waitForURL(roz.url + publicPaths.contactUs)
    await expect(heading('Contact Us', 1)).toBeVisible()
  })

  test("the contact page has Email us, Call us and Office, each with the operator's setting", async () => {
    await page.goto(roz.url + publicPaths.contactUs)
    const card = (name: string) => page.locator('.cards > div', { has: heading(name) })
    await expect(page.locator('.cards').getByRole('heading')).toHaveText(['Email us', 'Call us', 'Office'])
    await expect(card('Email us').getByRole('link', { name: SUPPORT.SUPPORT_EMAIL })).toHaveAttribute('href', 'mailto:help@x.test')
    await expect(card('Call us').getByRole('link', { name: SUPPORT.SUPPORT_PHONE })).toHaveAttribute('href', 'tel:+919123456780')
    await expect(card('Office').locator('address')).toHaveText(SUPPORT.OFFICE_ADDRESS)
  })
})

describe('content under its heading', () => {
  test.each([
    [publicPaths.home, "Today's impact in real time", '60% for people in need₹1.80'],
    [paths.dashboard, 'Community round', '3 members in the round₹3.00'],
    [paths.dashboard, 'Quick stats', 'Win rate50.0%'],
    [paths.profile, 'Personal Information', 'Phone Number9876543210'],
  ])('on %s “%s”: %s', async (address, name, fact) => {
    // The front page is for visitors: a logged-in member is sent to the dashboard.
    await handOver(visit, roz.url, address === publicPaths.home ? undefined : asha.token)
    await page.goto(roz.url + address)
    await expect(heading(name)).toBeVisible()
    await expect(section(name)).toContainText(fact)
  })
})
