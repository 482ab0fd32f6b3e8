/**
 * The front page, the dashboard and the wallet once there is data: yesterday's settled round, its story and today's rupees.
 * - Each figure on the screen is compared with the rules.
 * - Without JavaScript the public pages have the same text.
 */
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import { paths, type PublicPage, publicPaths } from '@roz/web/paths.ts'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import { handOver, newVisit, openBrowser, settle, type Visit, WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expect, PATIENCE_MS } from '../../harness/expect.ts'
import { joinRound, newMember, passDay, passRound, type Person, publishDraft } from '../../harness/people.ts'
import { type Program, startProgram } from '../../harness/program.ts'
import { freeze } from '../../harness/steps.ts'

const FILM = 'aqz-KE-bpKQ'
const TITLE = 'Books for twelve children'
const DEMO_DRAW = 'Demo draw — the operator could have chosen this winner'

let roz: Program
let browser: Browser
let visit: Visit
let page: Page
let asha: Person
let biju: Person
let today: IstDay
let yesterday: IstDay
/** The winner's public name, whichever of the two won. */
let winner: string

const join = (person: Person): Promise<void> => joinRound(roz.url, person)

async function nextDay(): Promise<void> {
  yesterday = await passRound(roz.url, asha)
  today = addDays(yesterday, 1)
}

async function openVisit(): Promise<void> {
  visit = await newVisit(browser, { hosts: [new URL(roz.url).host], size: WIDE })
  page = visit.page
  await visit.context.route('https://www.youtube-nocookie.com/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<title>film</title>' }),
  )
}

beforeAll(async () => {
  ;[roz, browser] = await Promise.all([startProgram(), openBrowser()])
  asha = await newMember(roz, { name: 'Asha Verma', rupees: 10 })
  biju = await newMember(roz, { name: 'Biju Nair', rupees: 10 })
  await join(asha)
  await join(biju)
  await nextDay()
  const told = { title: TITLE, description: 'Books for a class.', videoUrl: `https://youtu.be/${FILM}` }
  await publishDraft(roz.url, { ...told, charity: { name: 'Asha Night School', description: 'Evening classes' } }, yesterday)
  await join(asha)
  winner = (await ask(roz.url, 'currentRound')).output.lastWinner?.name ?? ''
  await openVisit()
})

const figure = (name: string) => page.locator(`[data-live=${name}]`)

describe('the front page', () => {
  beforeAll(async () => {
    await handOver(visit, roz.url)
    await page.goto(roz.url)
  })

  test('the hero splits a rupee into 60, 30 and 10 paise, and links to registration', async () => {
    const hero = page.locator('.hero')
    await expect(hero.getByRole('heading', { level: 1 })).toHaveText('One rupee a day, together.')
    await expect(hero.locator('.ledger > div')).toHaveText([
      '60% helps people in need60paise',
      '30% goes to one winner30paise',
      '10% keeps Roz running10paise',
      'Your rupee₹1.00',
    ])
    await expect(hero.getByRole('link', { name: 'Put in my first rupee' })).toHaveAttribute('href', paths.register)
    await expect(hero).toContainText('₹365.00 a year at most.')
    // The hero shows the split in force: no extra line is needed.
    await expect(page.locator('.split-now')).toHaveCount(0)
  })

  test('the stats and today’s amounts match the API', async () => {
    for (const [name, shown] of [
      ['totalCharity', '₹1.20'],
      ['totalPeople', '2'],
      ['rounds', '1'],
      ['pool', '₹1.00'],
      ['charity', '₹0.60'],
      ['giveaway', '₹0.30'],
      ['platform', '₹0.10'],
      ['poolTotal', '₹1.00'],
    ] as const)
      await expect(figure(name)).toHaveText(shown)
    await expect(page.getByText("Today's round is open")).toBeVisible()
  })

  test('yesterday’s impact: the video, the story, the amounts and the winner', async () => {
    const section = page.locator('.section', { has: page.getByRole('heading', { name: "Yesterday's impact" }) })
    await expect(section.locator('.margin b')).toHaveText('Yesterday')
    await expect(section.getByRole('heading', { level: 3 })).toHaveText(TITLE)
    await expect(section.locator('.video')).toHaveAttribute('href', `https://www.youtube.com/watch?v=${FILM}`)
    await expect(section).toContainText('Asha Night School · Set aside: ₹1.20 · 0 views')
    await expect(section).toContainText(`Winner: ${winner}, ₹0.60, one of 2 members.${DEMO_DRAW}`)
    await expect(section.locator('.badge.live')).toHaveText('Live')
  })

  test('how it works: three steps', async () => {
    await expect(page.locator('#how').getByRole('heading', { level: 3 })).toHaveText([
      'Put in one rupee',
      'We split it in three',
      'You see where it went',
    ])
    await expect(page.locator('#how .steps > li').nth(1)).toContainText("60 paise help people in need, 30 are the winner's reward, 10")
    await expect(page.locator('#how .steps > li').nth(2)).toContainText('a video, announced for 6 PM, receipts')
  })

  test('the trust cards link to the pages that they name', async () => {
    const cards = page.locator('.trust > li')
    await expect(cards.getByRole('heading', { level: 3 })).toHaveText([
      'Videos, announced for 6 PM',
      'Every rupee in public',
      'The same chance for everyone',
      'No middlemen or NGOs',
    ])
    const links = await cards.getByRole('link').evaluateAll((all) => all.map((one) => one.getAttribute('href')))
    const { impactVideos, moneyTrail, giveawaySelection, directHelpProcess } = publicPaths
    expect(links).toEqual([impactVideos, moneyTrail, giveawaySelection, directHelpProcess])
  })

  test('its footer links to every information page', async () => {
    const links = await page.locator('footer a').evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''))
    const { home, verify, ...pages } = publicPaths
    expect([home, verify].some((address) => links.includes(address))).toBe(false)
    expect(links.toSorted()).toEqual(Object.values(pages).toSorted())
    await expect(page.locator('footer').getByRole('heading', { level: 2 })).toHaveText(['Every rupee', 'How it works', 'Help', 'Rules'])
  })

  test('today’s figures are requested every 30 s: a join meanwhile is counted without a reload', async () => {
    await page.clock.install()
    const first = page.waitForResponse('**/api/public/home')
    await page.goto(roz.url)
    await first
    await expect(figure('pool')).toHaveText('₹1.00')
    await freeze(page)
    await join(biju)
    let asked = 0
    page.on('request', (request) => (asked += Number(request.url().endsWith('/api/public/home'))))
    await page.clock.runFor(30_000)
    await expect(figure('pool')).toHaveText('₹2.00')
    await expect(figure('charity')).toHaveText('₹1.20')
    await expect(figure('poolTotal')).toHaveText('₹2.00')
    await expect.poll(() => asked).toBe(1)
    await page.clock.runFor(30_000)
    await expect.poll(() => asked).toBe(2)
    await page.clock.resume()
  })
})

describe('the dashboard', () => {
  beforeAll(async () => {
    // The page's clock was set by hand: no later test may inherit it.
    await visit.close()
    await openVisit()
    await handOver(visit, roz.url, asha.token)
    await page.goto(`${roz.url}${paths.dashboard}`)
  })

  test('four tiles of what the community has done', async () => {
    const tiles = page.locator('.tiles').first()
    await expect(tiles.locator('dt')).toHaveText([
      'Set aside for people in need',
      'Members who joined',
      'Rounds completed',
      "In today's round",
    ])
    await expect(tiles.locator('dd')).toHaveText(['₹1.20', '2', '1', '₹2.00'])
  })

  test('quick stats of the member', async () => {
    const won = winner === 'Asha V.'
    const rows = page.locator('.section ul.ledger', { hasText: 'Days joined' }).locator('li')
    await expect(rows).toHaveText([
      'Days joined2',
      'Put in₹2.00',
      'Charities supported1',
      `Total won${won ? '₹0.60' : '₹0.00'}`,
      `Win rate${won ? '50.0' : '0.0'}%`,
    ])
  })

  test('yesterday’s video plays in place, and yesterday’s winner has reward and chance beside the name', async () => {
    const section = page.locator('.section', { has: page.getByRole('heading', { name: "Yesterday's impact" }) })
    await expect(section.locator('.margin b')).toHaveText('Yesterday')
    await expect(section.getByRole('heading', { name: "Yesterday's winner" })).toBeVisible()
    await expect(section.locator('.winner h3')).toHaveText(winner)
    await expect(section.locator('.winner .figure')).toHaveText('₹0.60')
    await expect(section.locator('.ledger', { hasText: 'Chance' })).toContainText('1 in 2 participants')
    await section.getByRole('button', { name: `Play video: ${TITLE}` }).click()
    await expect(section.locator('iframe')).toHaveAttribute('src', new RegExp(`youtube-nocookie\\.com/embed/${FILM}\\?`))
  })
})

test('the wallet shows one of its two panels at a time; the dashboard links to each', async () => {
  const panel = (name: string) => page.getByRole('heading', { level: 2, name, exact: true })
  const opener = (name: string) => page.getByRole('button', { name, exact: true })
  const expectOpen = async (name: string, other: string): Promise<void> => {
    await expect(panel(name)).toBeVisible()
    await expect(panel(other)).toHaveCount(0)
    await expect(opener(name)).toHaveAttribute('aria-expanded', 'true')
    await expect(opener(other)).toHaveAttribute('aria-expanded', 'false')
  }
  await page.goto(roz.url + paths.wallet)
  await expectOpen('Add money', 'Withdraw')
  await opener('Withdraw').click()
  await expectOpen('Withdraw', 'Add money')
  await opener('Add money').click()
  await expectOpen('Add money', 'Withdraw')
  await page.goto(roz.url + paths.dashboard)
  await page.getByRole('link', { name: 'Withdraw' }).click()
  await expectOpen('Withdraw', 'Add money')
  await page.reload()
  await expectOpen('Withdraw', 'Add money')
})

test.each([paths.dashboard, paths.history, paths.impact])('%s labels a winner that we drew ourselves as a demo', async (address) => {
  await page.goto(roz.url + address)
  await expect(page.getByText(DEMO_DRAW, { exact: true })).toHaveCount(1)
  await expect(page.getByText(DEMO_DRAW, { exact: true })).toBeVisible()
})

describe('without a script', () => {
  let bare: Page
  beforeAll(async () => {
    bare = await (await browser.newContext({ javaScriptEnabled: false, viewport: WIDE })).newPage()
    await handOver(visit, roz.url)
  })

  /** A reader's text, without the time of the figures and without the notes for readers who have no JavaScript. */
  async function read(reader: Page, address: string): Promise<string> {
    await reader.goto(roz.url + address)
    const main = reader.locator('main')
    return main.evaluate((element) => {
      for (const part of element.querySelectorAll('noscript, [data-live=time]')) part.remove()
      return (element as HTMLElement).innerText.replace(/\s+/g, ' ').trim()
    })
  }

  test.each(Object.keys(publicPaths).filter((name) => name !== 'verify') as PublicPage[])('%s has the same text', async (name) => {
    const address = publicPaths[name]
    await page.goto(roz.url + address)
    await settle(page)
    // Read both again: a visit with a script counts as a view, and the next reader sees the count.
    await expect(async () => {
      const shown = await read(bare, address)
      expect(shown.length).toBeGreaterThan(150)
      expect(await read(page, address)).toBe(shown)
    }).toPass({ timeout: PATIENCE_MS })
  })

  test('parts that need a script say so, do not load forever, and put no message into the address', async () => {
    await bare.goto(`${roz.url}${publicPaths.verify}`)
    await expect(bare.locator('main noscript p')).toContainText('needs JavaScript')
    await expect(bare.getByText('Loading', { exact: true })).toBeHidden()
    await expect(bare.getByRole('heading', { name: 'How the draw worked' })).toBeHidden()
    await bare.goto(`${roz.url}${publicPaths.contactUs}`)
    await expect(bare.locator('main noscript p')).toContainText('needs JavaScript')
    await bare.getByLabel('Message', { exact: true }).fill('a private message')
    await bare.getByRole('button', { name: 'Send Message' }).click()
    await expect(bare.getByLabel('Message', { exact: true })).toHaveValue('a private message')
    expect(bare.url()).toBe(`${roz.url}${publicPaths.contactUs}`)
  })
})

describe("a day later, before yesterday's story is published", () => {
  beforeAll(nextDay)
  /** Browsers abbreviate months differently. */
  const dated = (words: string, day: IstDay): RegExp => new RegExp(`^${words} ${Number(day.slice(8))} \\p{L}+ ${day.slice(0, 4)}$`, 'u')

  test('the front page names the day of its story', async () => {
    await page.goto(roz.url)
    const storysDay = addDays(today, -2)
    const heading = page.getByRole('heading', { name: dated('Impact of', storysDay) })
    await expect(heading).toBeVisible()
    await expect(page.getByRole('heading', { name: "Yesterday's impact" })).toHaveCount(0)
    await expect(page.locator('.section', { has: heading }).locator('.margin')).toHaveText('Most recent')
  })

  test('the dashboard names it too, beside yesterday’s winner', async () => {
    await handOver(visit, roz.url, asha.token)
    await page.goto(`${roz.url}${paths.dashboard}`)
    const heading = page.getByRole('heading', { name: dated('Impact of', addDays(today, -2)) })
    await expect(heading).toBeVisible()
    await expect(page.getByRole('heading', { name: "Yesterday's winner" })).toBeVisible()
    await expect(page.locator('.section', { has: heading }).locator('.margin')).toHaveText('Most recent')
  })

  test('the dashboard names the winner’s day when nobody joined yesterday', async () => {
    await passDay(roz.url)
    const drawnOn = yesterday
    await page.goto(`${roz.url}${paths.dashboard}`)
    await expect(page.getByRole('heading', { name: dated('Winner of', drawnOn) })).toBeVisible()
    await expect(page.getByRole('heading', { name: "Yesterday's winner" })).toHaveCount(0)
  })
})
