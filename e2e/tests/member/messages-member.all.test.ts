/**
 * Provokes each message of the member's screens at the real program: fallback, refusal, empty, loading and failed states.
 * - A proxy between browser and server breaks single calls.
 * - The journey and shell.test.ts cover the rest.
 */
import { expect } from '../../harness/expect.ts'
import { addDays, dayAt, type IstDay } from '@roz/core/ist-day.ts'
import { sql } from '@roz/server/db/sql.ts'
import type { Page } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import { WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { inDatabase } from '../../harness/database.ts'
import type { Fault, FaultyProxy } from '../../harness/faulty-proxy.ts'
import { adminToken, BANK, newMember, PASSWORD, type Person, readClock } from '../../harness/people.ts'
import type { Program } from '../../harness/program.ts'
import { type AtOptions, useAppFixture, type Work } from '../../harness/app-fixture.ts'
import { balanceInBar, freeze, shownFrozen, toast } from '../../harness/steps.ts'

const NO_WORDS = ['cut', 'wordless'] as const satisfies readonly Fault[]

const fixture = useAppFixture({ size: WIDE })
let roz: Program
let line: FaultyProxy
let asha: Person
let today: IstDay

beforeAll(async () => {
  ;({ roz, line } = fixture)
  today = dayAt(Date.parse(await readClock(roz.url)))
  asha = await newMember(roz, { name: 'Asha Devi Verma', rupees: 20 })
})

const as = (person: Person, path: string, work: Work, before?: AtOptions['before']): Promise<void> =>
  fixture.at(path, work, { token: person.token, before })
const join = (person: Person) => ask(roz.url, 'joinRound', { token: person.token, body: {} })
const joinButton = (page: Page) => page.getByRole('button', { name: 'Join with ₹1.00' })
const failed = (page: Page, words: string) => page.locator('.empty.failed', { hasText: words })

/** Expects the failure message; on a restored network Retry loads `then`. */
async function expectRetry(page: Page, words: string, then: string): Promise<void> {
  await expect(failed(page, words)).toBeVisible()
  line.mend()
  await failed(page, words).getByRole('button', { name: 'Retry' }).click()
  await expect(failed(page, words)).toHaveCount(0)
  await expect(page.getByRole('main').getByText(then, { exact: true }).first()).toBeVisible()
}

describe('each part of a screen that fails to load says so, and Retry loads it', () => {
  test.each([
    ['/dashboard', '/api/rounds/current', 'Failed to fetch round details', 'cut', 'Closes in'],
    ['/dashboard', '/api/rounds/current', 'Failed to fetch round details', 'wordless', 'Closes in'],
    ['/dashboard', '/api/public/home', 'These figures could not be loaded.', 'wordless', 'Set aside for people in need'],
    ['/dashboard', '/api/rounds/stats', 'These figures could not be loaded.', 'cut', 'Days joined'],
    ['/dashboard', '/api/impact/stats', 'These figures could not be loaded.', 'wordless', 'Charities supported'],
    ['/impact', '/api/impact/stats', 'These figures could not be loaded.', 'cut', 'Total contributed'],
    ['/impact', '/api/impact/stories', 'The stories could not be loaded.', 'wordless', 'No impact stories yet'],
    ['/history', '/api/rounds/stats', 'These figures could not be loaded.', 'cut', 'Days participated'],
    ['/history', '/api/rounds/history', 'Your history could not be loaded.', 'wordless', 'No history yet'],
  ] as const)('%s without %s: %s (%s)', async (screen, call, words, fault, then) => {
    line.breakLine(`GET ${call}`, fault)
    await as(asha, screen, (page) => expectRetry(page, words, then))
  })

  test.each([
    ['/dashboard', '/api/rounds/current', 'Closes in'],
    ['/impact', '/api/impact/stories', 'No impact stories yet'],
    ['/history', '/api/rounds/history', 'No history yet'],
  ])('%s shows skeleton lines named Loading until %s answers', async (screen, call, then) => {
    line.breakLine(`GET ${call}`, 'hold')
    await as(asha, screen, async (page) => {
      await expect(page.getByRole('group', { name: 'Loading' }).first()).toHaveAttribute('aria-busy', 'true')
      await expect(page.getByText(then, { exact: true })).toHaveCount(0)
      line.mend()
      await expect(page.getByText(then, { exact: true })).toBeVisible()
      await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
    })
  })
})

describe('the dashboard', () => {
  test('Failed to fetch round details: also as one toast, however often the poll fails', async () => {
    line.breakLine('GET /api/rounds/current', 'cut')
    let refused = 0
    await as(
      asha,
      '/dashboard',
      async (page) => {
        const said = toast(page, 'Failed to fetch round details')
        await page.clock.runFor(1500)
        await expect(said).toHaveCount(1)
        await page.clock.runFor(5000)
        await expect(said).toHaveCount(0)
        const before = refused
        await page.clock.runFor(31_500)
        await expect.poll(() => refused).toBeGreaterThan(before)
        await page.clock.runFor(1500)
        await expect(said).toHaveCount(0)
      },
      async (page) => {
        page.on('requestfailed', (request) => (refused += Number(request.url().endsWith('/api/rounds/current'))))
        await page.clock.install()
      },
    )
  })

  test('No winner yet', async () => {
    await as(asha, '/dashboard', async (page) => {
      await expect(page.getByText('No winner yet', { exact: true })).toBeVisible()
    })
  })

  test.each(NO_WORDS)('Failed to join round: the line is %s, and the button is enabled again', async (fault) => {
    line.breakLine('POST /api/rounds/join', fault)
    await as(asha, '/dashboard', async (page) => {
      await joinButton(page).click()
      await expect(toast(page, 'Failed to join round')).toBeVisible()
      await expect(joinButton(page)).toBeVisible()
      await expect(balanceInBar(page)).toHaveText('₹20.00')
    })
  })

  test('Failed to join round: also offline, and no join is shown', async () => {
    await as(asha, '/dashboard', async (page) => {
      await expect(joinButton(page)).toBeVisible()
      await page.context().setOffline(true)
      try {
        await joinButton(page).click()
        await expect(toast(page, 'Failed to join round')).toBeVisible()
        await expect(joinButton(page)).toBeVisible()
        await expect(page.getByText("You're in")).toHaveCount(0)
      } finally {
        await page.context().setOffline(false)
      }
    })
  })

  test('a toast disappears after 5 s', async () => {
    line.breakLine('POST /api/rounds/join', 'cut')
    await as(
      asha,
      '/dashboard',
      async (page) => {
        await expect(joinButton(page)).toBeVisible()
        await freeze(page)
        await joinButton(page).click()
        const said = toast(page, 'Failed to join round')
        await shownFrozen(said)
        await page.clock.runFor(4500)
        await expect(said).toBeVisible()
        await page.clock.runFor(500)
        await expect(said).toHaveCount(0)
      },
      (page) => page.clock.install(),
    )
  })

  test("an error's toast is an alert and has a Close button", async () => {
    line.breakLine('POST /api/rounds/join', 'cut')
    await as(asha, '/dashboard', async (page) => {
      await joinButton(page).click()
      const said = page.getByRole('alert').filter({ hasText: 'Failed to join round' })
      await said.getByRole('button', { name: 'Close' }).click()
      await expect(said).toHaveCount(0)
    })
  })

  test('the countdown ticks every second until the round ends, by the server’s clock', async () => {
    const secondsLeft = async (page: Page): Promise<number> => {
      const [hours = 0, minutes = 0, seconds = 0] = ((await page.getByRole('timer').textContent()) ?? '').match(/\d+/g)?.map(Number) ?? []
      return (hours * 60 + minutes) * 60 + seconds
    }
    await as(
      asha,
      '/dashboard',
      async (page) => {
        await expect(page.getByRole('timer', { name: 'Time left' })).toBeVisible()
        const { endTime } = (await ask(roz.url, 'currentRound')).output
        const left = (Date.parse(endTime) - Date.parse(await readClock(roz.url))) / 1000
        expect(Math.abs(left - (await secondsLeft(page)))).toBeLessThan(30)
        await freeze(page)
        const before = await secondsLeft(page)
        await page.clock.runFor(10_000)
        await expect.poll(async () => before - (await secondsLeft(page))).toBe(10)
      },
      (page) => page.clock.install({ time: '2020-01-01T00:00:00Z' }),
    )
  })

  test('the round is requested every 30 s: a join meanwhile is counted without a reload', async () => {
    const biju = await newMember(roz, { name: 'Biju Nair', rupees: 10 })
    await as(
      asha,
      '/dashboard',
      async (page) => {
        await expect(page.getByText('0 members in the round')).toBeVisible()
        await expect(page.getByText('Your chance is 1 in 1 right now.')).toBeVisible()
        expect((await join(biju)).status).toBe(200)
        const asked: string[] = []
        page.on('request', (request) => request.url().endsWith('/api/rounds/current') && asked.push(request.url()))
        await freeze(page)
        await page.clock.runFor(15_000)
        expect(asked).toEqual([])
        await page.clock.runFor(15_000)
        await page.clock.resume()
        await expect(page.getByText('1 member in the round')).toBeVisible()
        await expect(page.getByText('Your chance is 1 in 2 right now.')).toBeVisible()
        expect(asked).toHaveLength(1)
        await page.clock.runFor(30_000)
        await expect.poll(() => asked.length).toBe(2)
      },
      (page) => page.clock.install(),
    )
  })

  test("Successfully joined today's round! is a status; You're in, with the chance of 1 in N", async () => {
    await as(asha, '/dashboard', async (page) => {
      await joinButton(page).click()
      await expect(page.getByRole('status').filter({ hasText: "Successfully joined today's round!" })).toBeVisible()
      await expect(page.getByText("You're in")).toBeVisible()
      await expect(page.getByText('Your chance is 1 in 2 right now.')).toBeVisible()
      await expect(page.locator('.badge', { hasText: 'Joined' })).toBeVisible()
      await expect(joinButton(page)).toHaveCount(0)
      await expect(balanceInBar(page)).toHaveText('₹19.00')
    })
  })
})

describe('the server refuses an outdated page', () => {
  let chitra: Person
  let divya: Person
  beforeAll(async () => {
    chitra = await newMember(roz, { name: 'Chitra Rao', rupees: 10 })
    divya = await newMember(roz, { name: 'Divya Shah', rupees: 10 })
  })

  test("You have already joined today's round.", async () => {
    await as(chitra, '/dashboard', async (page) => {
      await expect(joinButton(page)).toBeVisible()
      expect((await join(chitra)).status).toBe(200)
      await joinButton(page).click()
      await expect(toast(page, "You have already joined today's round.")).toBeVisible()
      await expect(page.getByText("You're in")).toBeVisible()
      await expect(balanceInBar(page)).toHaveText('₹9.00')
    })
  })

  test('a revoked token: the press leads to /login and the token is removed', async () => {
    const { token } = (await ask(roz.url, 'login', { body: { email: divya.email, password: PASSWORD } })).output
    await as({ ...divya, token }, '/dashboard', async (page) => {
      await expect(joinButton(page)).toBeVisible()
      await ask(roz.url, 'logout', { token })
      await Promise.any([joinButton(page).click(), page.waitForURL(`${line.url}/login`)])
      await page.waitForURL(`${line.url}/login`)
      expect(await page.evaluate(() => localStorage.getItem('token'))).toBeNull()
    })
  })

  test('Insufficient balance. Please add money to your wallet.', async () => {
    await as(divya, '/dashboard', async (page) => {
      await expect(joinButton(page)).toBeVisible()
      expect((await ask(roz.url, 'withdraw', { token: divya.token, body: { amount: 10, bankDetail: BANK } })).status).toBe(200)
      await joinButton(page).click()
      await expect(toast(page, 'Insufficient balance. Please add money to your wallet.')).toBeVisible()
      await expect(joinButton(page)).toBeVisible()
      await expect(balanceInBar(page)).toHaveText('₹0.00')
    })
  })

  test("Today's round is closed. The next one opens at midnight.: as a toast, then in the card", async () => {
    const esha = await newMember(roz, { name: 'Esha Gill', rupees: 10 })
    const words = "Today's round is closed. The next one opens at midnight."
    await as(esha, '/dashboard', async (page) => {
      await expect(joinButton(page)).toBeVisible()
      const drawn = await ask(roz.url, 'triggerDraw', { token: await adminToken(roz.url), body: { day: today } })
      expect(drawn.status).toBeLessThan(300)
      await joinButton(page).click()
      await expect(toast(page, words)).toBeVisible()
      await expect(page.locator('.closed-round')).toHaveText(words)
      await expect(page.locator('.badge', { hasText: 'Closed' })).toBeVisible()
      await expect(joinButton(page)).toHaveCount(0)
    })
    await as(asha, '/dashboard', async (page) => {
      await expect(page.locator('.closed-round')).toHaveText(words)
      await expect(page.getByText("You're in")).toBeVisible()
      await expect(page.locator('.ledger', { hasText: 'Chance' })).toContainText('1 in 3 participants')
    })
  })
})

test('the first page of the history has a whole month, in the chart and in the count', async () => {
  await fixture.as(asha.token, '/dashboard', async (page) => {
    const asked = page.waitForRequest('**/api/rounds/history?limit=31')
    await page.getByRole('link', { name: 'History', exact: true }).first().click()
    await asked
  })
})

describe('the impact page', () => {
  const story = { description: 'Rice for forty families.', charity: { name: 'Annapurna Kitchen', description: 'Cooks each noon.' } }
  const publish = async (title: string, charity = story.charity): Promise<string> => {
    const token = await adminToken(roz.url)
    const { id } = (await ask(roz.url, 'createStory', { token, body: { ...story, title, charity } })).output.story
    await ask(roz.url, 'updateStory', { token, params: { id }, body: { isActive: true } })
    return id
  }
  const row = (page: Page, title: string) => page.locator('.story-list li', { hasText: title })

  test('Pending until a charity is selected, then Active; a pressed story is the one shown', async () => {
    await publish('A kitchen at noon')
    await publish('A roof to come', { name: 'Pending Charity Selection', description: 'Not chosen yet.' })
    await as(asha, '/impact', async (page) => {
      for (const [title, badge] of [
        ['A kitchen at noon', 'Active'],
        ['A roof to come', 'Pending'],
      ] as const) {
        await expect(row(page, title).locator('.badge')).toHaveText(badge)
        // A story written by hand has no amount.
        await expect(row(page, title)).not.toContainText('₹')
        await row(page, title).getByRole('button').click()
        await expect(page.getByRole('article').getByRole('heading', { name: title })).toBeVisible()
        await expect(page.getByRole('article').locator('.ledger .badge')).toHaveText([badge])
        await expect(page.getByRole('article').locator('.ledger')).not.toContainText('₹')
      }
    })
  })

  test('Invalid YouTube URL in place of an old video with an invalid link', async () => {
    const id = await publish('A film elsewhere')
    await inDatabase(roz.dataDir, (db) => db.query(sql`update story set video_url = 'https://video.example/film' where id = ${id}`))
    await as(asha, '/impact', async (page) => {
      await row(page, 'A film elsewhere').getByRole('button').click()
      await expect(page.getByText('Invalid YouTube URL', { exact: true })).toBeVisible()
      await expect(page.locator('iframe, button.video')).toHaveCount(0)
    })
  })

  test('N days ago under 30, N month(s) ago under 365, N year(s) ago from then on', async () => {
    for (const [days, words] of [
      [0, '0 days ago'],
      [1, '1 day ago'],
      [29, '29 days ago'],
      [30, '1 month ago'],
      [364, '12 months ago'],
      [365, '1 year ago'],
    ] as const) {
      // Written into the database: to pass a year of rounds takes half a minute.
      await inDatabase(roz.dataDir, (db) =>
        db.query(sql`update story set day = ${addDays(today, -days)}::date where title = 'A kitchen at noon'`),
      )
      await as(asha, '/impact', async (page) => {
        await expect(row(page, 'A kitchen at noon').locator('time')).toHaveText(words)
        await row(page, 'A kitchen at noon').getByRole('button').click()
        await expect(page.locator('.story-viewer')).toContainText('A kitchen at noon')
      })
    }
  })
})
