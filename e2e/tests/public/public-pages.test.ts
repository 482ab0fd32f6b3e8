/** The public pages in a browser: the product's facts, both languages, the script's additions, and the checks of every page. */
import { expect } from '../../harness/expect.ts'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import { auditAtWidth, auditVisit, handOver, newVisit, openBrowser, type Size, SMALL, type Visit, WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { adminToken } from '../../harness/people.ts'
import { type Program, startProgram } from '../../harness/program.ts'

/** One page of each kind, looked at in the dark theme too: they share their colours. `npm run test:all` looks at all in both. */
const IN_THE_DARK: readonly string[] = ['/', '/terms-condition', '/help-center', '/contact-us', '/impact-stories', '/ask-for-help']

const TITLES = {
  '/privacy-policy': 'Privacy Policy',
  '/refund-policy': 'Refund Policy',
  '/terms-condition': 'Terms',
  '/daily-contributions': 'Daily Contributions',
  '/direct-help-process': 'Direct Help Process',
  '/giveaway-selection': 'Giveaway Selection',
  '/impact-videos': 'Impact Videos',
  '/daily-reports': 'Daily Reports',
  '/video-documentation': 'Video Documentation',
  '/money-trail': 'Money Trail',
  '/impact-stories': 'Impact Stories',
  '/ask-for-help': 'Ask for help',
  '/help-center': 'Help Center',
  '/contact-us': 'Contact Us',
} as const

let program: Program
let browser: Browser
let token: string
beforeAll(async () => {
  program = await startProgram({ env: { HOW_IT_WORKS_VIDEO: 'https://youtu.be/aqz-KE-bpKQ', BRAND_NAME: 'Roz' } })
  token = await adminToken(program.url)
  browser = await openBrowser()
})

/** One browser for each size, reused by every test. It may ask the video's host, which the test answers itself. */
const visits = new Map<Size, Visit>()

async function openVisit(size: Size): Promise<Visit> {
  const own = await newVisit(browser, { size, hosts: [new URL(program.url).host, 'www.youtube-nocookie.com'] })
  await own.context.route('https://www.youtube-nocookie.com/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<title>film</title>' }),
  )
  visits.set(size, own)
  return own
}

async function visit(work: (page: Page, visit: Visit) => Promise<void>, size: Size = SMALL): Promise<void> {
  const own = visits.get(size) ?? (await openVisit(size))
  await handOver(own, program.url)
  await work(own.page, own)
  await own.page.unrouteAll()
}

/** Every check of the present page, which is small: hindi.all.test.ts has the Hindi pages. */
async function checkPage(own: Visit, address: string): Promise<void> {
  await (IN_THE_DARK.includes(address) ? auditVisit(own, 'both') : auditVisit(own))
  await auditAtWidth(own, WIDE, SMALL)
}

async function publishStory(title: string): Promise<void> {
  const charity = { name: 'Asha Night School', description: 'Evening classes' }
  const body = { title, description: 'Books for a class.', charity, videoUrl: 'https://youtu.be/aqz-KE-bpKQ' }
  const { story } = (await ask(program.url, 'createStory', { token, body })).output
  await ask(program.url, 'updateStory', { token, params: { id: story.id }, body: { isActive: true } })
}

describe('the information pages', () => {
  test('each has one main, one h1, a title with the same words, all 13 links in its footer and no link for members; small and wide it is silent, without sideways scroll or axe violation', async () => {
    await visit(async (page, own) => {
      for (const [address, title] of Object.entries(TITLES)) {
        await page.goto(program.url + address)
        await expect(page.getByRole('main')).toHaveCount(1)
        await expect(page.getByRole('heading', { level: 1 })).toHaveText([title])
        await expect(page).toHaveTitle(`${title} · Roz`)
        const links = await page.locator('footer a').evaluateAll((all) => all.map((one) => one.getAttribute('href')))
        expect(links.toSorted()).toEqual(Object.keys(TITLES).toSorted())
        await expect(page.getByRole('link', { name: /^(Dashboard|Wallet|Logout)$/ })).toHaveCount(0)
        await checkPage(own, address)
      }
    })
  }, 300_000)

  test('privacy has 12 numbered sections, is effective August 9, 2025 and excludes children under 13', async () => {
    await visit(async (page) => {
      await page.goto(`${program.url}/privacy-policy`)
      const sections = await page.locator('main h2').allTextContents()
      expect(sections.map((one) => Number.parseInt(one, 10))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
      await expect(page.getByText('Effective August 9, 2025')).toBeVisible()
      await expect(page.getByText('is not for children under 13')).toBeVisible()
    })
  })

  test('terms have 11 numbered sections: minimum age 13, laws of India, no lottery or gambling, 70 and 30', async () => {
    await visit(async (page) => {
      await page.goto(`${program.url}/terms-condition`)
      const sections = await page.locator('main h2').allTextContents()
      expect(sections.map((one) => Number.parseInt(one, 10))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
      for (const words of [
        'at least 13 years old',
        'governed by the laws of India',
        'is not a lottery or gambling',
        '70% of each round',
        '30% is the Thank You Reward',
      ]) {
        await expect(page.getByText(words)).toBeVisible()
      }
    })
  })

  test('pages that name 70 and 30 percent say which split is in force', async () => {
    await visit(async (page) => {
      for (const address of ['/terms-condition', '/daily-contributions', '/direct-help-process', '/giveaway-selection']) {
        await page.goto(program.url + address)
        await expect(page.locator('.split-now')).toHaveText(
          'In force today60% for people in need, 30% for one winner, 10% for the platform.',
        )
        await expect(page.locator('main')).toContainText('70%')
        await expect(page.locator('main')).toContainText('Thank You Reward')
      }
    })
  })

  test('the refund policy can be printed, links back and names its terms', async () => {
    await visit(async (page) => {
      await page.goto(`${program.url}/help-center`)
      await page.goto(`${program.url}/refund-policy`)
      for (const words of ['Within 7 days of adding', 'in 5–10 business days after', 'after 10 business days'])
        await expect(page.getByText(words)).toBeVisible()
      await page.evaluate(() => {
        window.print = () => document.body.setAttribute('data-printed', '')
      })
      await page.getByRole('button', { name: 'Print' }).click()
      await expect(page.locator('body[data-printed]')).toHaveCount(1)
      await page.getByRole('link', { name: 'Back' }).click()
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('One rupee a day, together.')
    })
  })

  test('the help center has six questions, no other heading with a question mark, and names an answer within 24 hours', async () => {
    await visit(async (page) => {
      await page.goto(`${program.url}/help-center`)
      await expect(page.getByRole('heading', { name: /\?/ })).toHaveCount(6)
      await expect(page.getByText('We answer within 24 hours.')).toBeVisible()
    })
  })
})

describe('the contact page', () => {
  test('shows email, phone and office, checks the fields and answers with a ticket', async () => {
    await visit(async (page) => {
      await page.goto(`${program.url}/contact-us`)
      await expect(page.getByRole('link', { name: 'support@roz.example' })).toBeVisible()
      await expect(page.getByRole('link', { name: '+91 98765 43210' })).toBeVisible()
      await expect(page.getByText('12 Sample Street, Pune')).toBeVisible()
      await expect(page.getByText('1–2 business days').first()).toBeVisible()
      await page.getByRole('button', { name: 'Send Message' }).click()
      await expect(page.getByLabel('Name', { exact: true })).toHaveAttribute('aria-invalid', 'true')
      await expect(page.getByText('Please fill in all fields')).toHaveCount(3)
      await page.getByLabel('Name', { exact: true }).fill('Asha Verma')
      await page.getByLabel('Email', { exact: true }).fill('asha@example.in')
      await page.getByLabel('Message', { exact: true }).fill('short')
      await page.getByRole('button', { name: 'Send Message' }).click()
      await expect(page.getByText('Message must be 10 to 4,000 characters')).toBeVisible()
      await page.getByLabel('Message', { exact: true }).fill('How do I change my phone number?')
      await page.getByRole('button', { name: 'Send Message' }).click()
      await expect(page.getByRole('status')).toContainText(/Your ticket number is \S+\./)
    })
  })
})

describe('a message that cannot be sent', () => {
  test.each([
    ['the connection breaks', undefined, 'Network error. Please check your connection and try again.'],
    ['a proxy answers with its error page', '<h1>502 Bad Gateway</h1>', 'Your message could not be sent. Please try again.'],
  ])('%s: the page says so, the input stays, and the next press sends it', async (_how, answer, words) => {
    await visit(async (page) => {
      await page.goto(`${program.url}/contact-us`)
      await page.route('**/api/contact', (route) =>
        answer === undefined ? route.abort() : route.fulfill({ status: 502, contentType: 'text/html', body: answer }),
      )
      await page.getByLabel('Name', { exact: true }).fill('Asha Verma')
      await page.getByLabel('Email', { exact: true }).fill('asha@example.in')
      await page.getByLabel('Message', { exact: true }).fill('How do I change my phone number?')
      await page.getByRole('button', { name: 'Send Message' }).click()
      await expect(page.getByRole('main').getByRole('alert')).toHaveText(words)
      await expect(page.getByLabel('Message', { exact: true })).toHaveValue('How do I change my phone number?')
      await page.unrouteAll()
      await page.getByRole('button', { name: 'Send Message' }).click()
      await expect(page.getByRole('status')).toContainText('Your ticket number is')
    })
  })
})

describe('the front page', () => {
  test('says 60, 30 and 10 percent, shows the marketing figures beside the computed stats, and passes the checks of every page', async () => {
    await visit(async (page, own) => {
      await page.goto(program.url)
      for (const words of ['60% for people in need', '30% for one winner', '10% for the platform'])
        await expect(page.getByText(words)).toBeVisible()
      await expect(page.locator('.stats')).not.toContainText('14,000')
      await expect(page.getByText('A community of 14,000 people with 10,000+ contributors.')).toBeVisible()
      await expect(page.getByText('No impact story available yet')).toBeVisible()
      await checkPage(own, '/')
    })
  })

  test('requests today’s figures as it loads and shows them', async () => {
    await visit(async (page) => {
      await page.route('**/api/public/home', (route) =>
        route.fulfill({
          json: {
            data: {
              stats: {
                totalCharity: 1143718.2,
                totalPeople: 14032,
                rounds: 213,
                today: { pool: 8214, charity: 4928.4, giveaway: 2464.2, platform: 821.4 },
              },
              recentImpacts: [],
            },
          },
        }),
      )
      await page.goto(program.url)
      await expect(page.locator('[data-live=totalCharity]')).toHaveText('₹11,43,718.20')
      await expect(page.locator('[data-live=pool]')).toHaveText('₹8,214.00')
      await expect(page.locator('[data-live=charity]')).toHaveText('₹4,928.40')
      await expect(page.locator('[data-live=totalPeople]')).toHaveText('14,032')
    })
  })

  test('See Real Impact opens the how-it-works video in a dialog that closes on Escape, by its button and outside', async () => {
    await visit(async (page, own) => {
      await page.goto(program.url)
      const opener = page.getByRole('link', { name: 'See Real Impact' })
      const dialog = page.getByRole('dialog', { name: 'How it works' })
      for (const close of [
        () => page.keyboard.press('Escape'),
        () => dialog.getByRole('button', { name: 'Close' }).click(),
        () => page.mouse.click(5, 5),
      ]) {
        await opener.click()
        await expect(dialog.locator('iframe')).toHaveAttribute('src', /youtube-nocookie\.com\/embed\/aqz-KE-bpKQ/)
        await close()
        await expect(dialog).toBeHidden()
        await expect(page.locator('iframe')).toHaveCount(0)
      }
      expect(own.complaints()).toEqual([])
    }, WIDE)
  })

  test('a published story is there at once, has the badge Live and plays in the page', async () => {
    await visit(async (page) => {
      await page.goto(program.url)
      await publishStory('Books for a class <of> twelve')
      // The server may answer with the figures of the first visit for 0.2 s.
      const live = page.getByText('Live', { exact: true })
      await expect.poll(async () => (await page.reload(), live.isVisible())).toBe(true)
      const counted = page.waitForResponse((response) => response.url().endsWith('/view'))
      await page.getByRole('link', { name: 'Play video: Books for a class <of> twelve' }).click()
      await expect(page.getByRole('dialog', { name: 'Books for a class <of> twelve' }).locator('iframe')).toBeVisible()
      expect((await counted).status()).toBe(200)
      const { stories } = (await ask(program.url, 'stories', { query: {} })).output
      expect(stories[0]?.views).toBe(1)
      for (const address of ['/impact-stories', '/impact-videos', '/daily-reports']) {
        await page.goto(program.url + address)
        await expect(page.locator('main').getByText('Books for a class <of> twelve').first()).toBeVisible()
      }
    })
  })

  test('older stories load at a press, each with a link to its own page', async () => {
    for (let n = 0; n < 26; n++) await publishStory(`Story ${n}`)
    await visit(async (page, own) => {
      await page.goto(`${program.url}/impact-stories`)
      await expect(page.locator('.story')).toHaveCount(25)
      await expect(page.getByRole('link', { name: /Story 0/ })).toHaveCount(0)
      const older = '**/api/impact/stories?*'
      await page.route(older, (route) => route.abort())
      await page.getByRole('button', { name: 'Show older stories' }).click()
      await expect(page.getByRole('alert').filter({ hasText: 'These could not be loaded. Please try again.' })).toBeVisible()
      await page.unroute(older)
      own.complaints()
      await page.getByRole('button', { name: 'Show older stories' }).click()
      await expect(page.getByRole('alert').filter({ hasText: 'They could not be loaded.' })).toHaveCount(0)
      const oldest = page.locator('.day-pages').getByRole('link', { name: /Story 0/ })
      await expect(oldest).not.toContainText('₹')
      await expect(oldest).toBeFocused()
      await expect(page.getByRole('button', { name: 'Show older stories' })).toBeHidden()
      await auditVisit(own, 'light')
      await oldest.click()
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Story 0')
      await page.getByRole('link', { name: 'हिन्दी' }).click()
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Story 0')
      expect(new URL(page.url()).pathname).toMatch(/^\/hi\/impact-stories\/[0-9a-f-]{36}$/)
    })
  })

  test('a visitor with a token is sent on to the dashboard', async () => {
    await visit(async (page) => {
      await page.goto(`${program.url}/contact-us`)
      await page.evaluate(() => localStorage.setItem('token', 'anything'))
      await page.goto(program.url)
      // The token is invalid: the dashboard sends its holder to the login.
      await page.waitForURL('**/login')
    })
  })
})

describe('languages', () => {
  test('the switch stores the choice, which overrides the address, and Hindi pages link to each other', async () => {
    await visit(async (page) => {
      await page.goto(`${program.url}/terms-condition`)
      await page.getByRole('link', { name: 'हिन्दी' }).click()
      await expect(page).toHaveURL(`${program.url}/hi/terms-condition`)
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('शर्तें')
      const links = await page.locator('footer a').evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''))
      expect(links.filter((one) => !one.startsWith('/hi/'))).toEqual([])
      await page.goto(`${program.url}/help-center`)
      await page.waitForURL('**/hi/help-center')
      await page.goto(`${program.url}/login`)
      await expect(page.locator('html')).toHaveAttribute('lang', 'hi')
      await page.goto(`${program.url}/hi`)
      await page.getByRole('link', { name: 'English' }).click()
      await expect(page).toHaveURL(`${program.url}/`)
    })
  })
})

describe('an unknown address', () => {
  test('is a real 404 with a link onward', async () => {
    await visit(async (page) => {
      const answer = await page.goto(`${program.url}/no-such-page`)
      expect(answer?.status()).toBe(404)
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Page not found')
      await page.getByRole('link', { name: 'Go to Home' }).click()
      await expect(page).toHaveURL(`${program.url}/`)
    })
  })

  test('uses the chosen language, whatever the address says', async () => {
    await visit(async (page) => {
      const lost = async (chosen: string, address: string, words: string): Promise<void> => {
        await page.evaluate((language) => localStorage.setItem('language', language), chosen)
        await page.goto(program.url + address)
        await expect(page.getByRole('heading', { level: 1 })).toHaveText(words)
      }
      await page.goto(program.url)
      await lost('hi', '/no-such-page?a=1', 'पेज नहीं मिला')
      await expect(page).toHaveURL(`${program.url}/hi/no-such-page?a=1`)
      await lost('en', '/hi/no-such-page', 'Page not found')
      await expect(page).toHaveURL(`${program.url}/no-such-page`)
    })
  })
})
