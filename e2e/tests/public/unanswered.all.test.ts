/**
 * Requests of the public pages, and of My ticket for published files, that break or have no answer.
 * - Each ends after a limit: 30 s for a read, 60 s for a write. The page says what is known, and the next press works.
 */
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import type { Page } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import { ask } from '../../harness/calls.ts'
import { expect } from '../../harness/expect.ts'
import { adminToken, joinRound, newMember, passRound, type Person } from '../../harness/people.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'
import { verdict } from '../../harness/verify-steps.ts'

const fixture = useAppFixture()
const withClock = { before: (page: Page) => page.clock.install() }
let asha: Person
let day: IstDay

beforeAll(async () => {
  asha = await newMember(fixture.roz, { rupees: 10 })
  await joinRound(fixture.roz.url, asha)
  day = await passRound(fixture.roz.url, asha)
})

test('a message: after a minute the page says that its outcome is unknown, and the next press sends it', async () => {
  fixture.line.breakLine('POST /api/contact', 'silent')
  const work = async (page: Page): Promise<void> => {
    await page.getByLabel('Name', { exact: true }).fill('Asha Verma')
    await page.getByLabel('Email', { exact: true }).fill('asha@example.in')
    await page.getByLabel('Message', { exact: true }).fill('How do I change my phone number?')
    await page.getByRole('button', { name: 'Send Message' }).click()
    await expect(page.locator('form[data-contact]')).toHaveAttribute('aria-busy', 'true')
    await page.clock.fastForward('01:01')
    await expect(page.getByRole('main').getByRole('alert')).toHaveText(
      'We could not tell whether it was sent. If it was, we email you its ticket number.',
    )
    fixture.line.mend()
    await page.getByRole('button', { name: 'Send Message' }).click()
    await expect(page.getByRole('status')).toContainText('Your ticket number is')
  }
  await fixture.at('/contact-us', work, withClock)
})

test("a day without a result names the log's key for one's own program; without an answer there is no such sentence", async () => {
  const key = (await (await fetch(`${fixture.roz.url}/api/public/log/key`)).text()).trim()
  const later = `/verify/${addDays(day, 5)}`
  const sentence = (page: Page) => page.getByText('Write it down and pass it with --key:')
  const untold = (page: Page) => expect(page.getByRole('heading', { name: 'No result for this day yet' })).toBeVisible()
  await fixture.at(later, async (page) => {
    await untold(page)
    await expect(sentence(page)).toContainText(key)
  })
  fixture.line.breakLine('GET /api/public/log/key', { status: 503, body: '' })
  const work = async (page: Page): Promise<void> => {
    await untold(page)
    await expect(sentence(page)).toBeHidden()
  }
  await fixture.at(later, work, { before: () => undefined })
})

test('older stories: after 30 seconds the page says so, and the next press loads them', async () => {
  const token = await adminToken(fixture.roz.url)
  const body = { title: 'A story', description: 'Told.', charity: { name: 'Asha Night School', description: 'Evening classes' } }
  // One more than the page shows.
  for (let n = 0; n < 26; n++) {
    const { story } = (await ask(fixture.roz.url, 'createStory', { token, body })).output
    await ask(fixture.roz.url, 'updateStory', { token, params: { id: story.id }, body: { isActive: true } })
  }
  fixture.line.breakLine('GET /api/impact/stories', 'silent')
  const lost = (page: Page) => page.getByRole('alert').filter({ hasText: 'These could not be loaded. Please try again.' })
  const work = async (page: Page): Promise<void> => {
    const older = page.getByRole('button', { name: 'Show older stories' })
    await older.click()
    await expect(older).toHaveAttribute('aria-busy', 'true')
    await page.clock.fastForward('00:31')
    await expect(lost(page)).toBeVisible()
    fixture.line.mend()
    await older.click()
    await expect(page.locator('.day-pages li')).toHaveCount(1)
    await expect(lost(page)).toHaveCount(0)
  }
  await fixture.at('/impact-stories', work, withClock)
})

describe('a day in the browser', () => {
  const lost = (page: Page) => page.getByRole('alert').filter({ hasText: 'The files could not be loaded' })

  test('a broken connection says so and can be retried; a day that is not over has no result; an unknown day is a 404', async () => {
    fixture.line.breakLine(`GET /api/public/days/${day}`, 'cut')
    const work = async (page: Page): Promise<void> => {
      await expect(lost(page)).toBeVisible()
      fixture.line.mend()
      await page.getByRole('button', { name: 'Retry' }).click()
      await expect(verdict(page)).toHaveText('WEAK')
      await page.goto(`${fixture.line.url}/verify/${addDays(day, 1)}`)
      await expect(page.getByRole('heading', { name: 'No result for this day yet' })).toBeVisible()
      expect((await page.goto(`${fixture.line.url}/verify/2026-02-30`))?.status()).toBe(404)
    }
    await fixture.at(`/verify/${day}`, work, { before: () => undefined })
  })

  test('a file without an answer is given up after 30 seconds, and can be retried', async () => {
    fixture.line.breakLine(`GET /api/public/days/${day}`, 'silent')
    const work = async (page: Page): Promise<void> => {
      await expect(page.locator('[data-state=loading]')).toBeVisible()
      await page.clock.fastForward('00:31')
      await expect(lost(page)).toBeVisible()
      fixture.line.mend()
      await page.getByRole('button', { name: 'Retry' }).click()
      await expect(verdict(page)).toHaveText('WEAK')
    }
    await fixture.at(`/verify/${day}`, work, withClock)
  })
})

test('on My ticket, a draw without an answer is given up after 30 seconds, and can be retried', async () => {
  fixture.line.breakLine(`GET /api/public/draws/${day}`, 'silent')
  let asked = 0
  const before = async (page: Page): Promise<void> => {
    page.on('request', (request) => (asked += request.url().endsWith(`/draws/${day}`) ? 1 : 0))
    await page.clock.install()
  }
  const work = async (page: Page): Promise<void> => {
    // The app retries by itself after the first timeout.
    for (const times of [1, 2]) {
      await expect.poll(() => asked).toBe(times)
      await page.clock.fastForward('00:31')
    }
    await expect(page.getByText('This day could not be loaded.')).toBeVisible()
    fixture.line.mend()
    await page.locator('#draw').getByRole('button', { name: 'Retry' }).click()
    await expect(page.locator('#draw .winners')).toBeVisible()
  }
  await fixture.at(`/my-ticket?day=${day}`, work, { token: asha.token, before })
})
