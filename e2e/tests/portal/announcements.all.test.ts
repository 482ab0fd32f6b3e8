/**
 * Announcements: an editor writes one, a member reads it in their own language and dismisses it, and staff end it.
 * - The member's screens are small, the portal is used at both widths.
 */
import type { Page } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import { auditBothWidths, auditVisit, expectSilence, SMALL, WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expect } from '../../harness/expect.ts'
import { adminToken, newMember, type Person, readClock } from '../../harness/people.ts'
import { type AtOptions, useAppFixture, type Work } from '../../harness/app-fixture.ts'
import { toast } from '../../harness/steps.ts'

const ENGLISH = 'Adding money pauses from 10 PM to midnight.'
const HINDI = 'रात 10 बजे से 12 बजे तक पैसे नहीं जोड़े जा सकेंगे।'

const fixture = useAppFixture({ size: WIDE })
let page: Page
let admin: string
let asha: Person
let meena: Person
let url: string

beforeAll(async () => {
  ;({ page } = fixture)
  url = fixture.roz.url
  asha = await newMember(fixture.roz, { name: 'Asha Verma' })
  meena = await newMember(fixture.roz, { name: 'Meena' })
  admin = await adminToken(url)
})

const strip = (at: Page) => at.getByRole('complementary', { name: /^(Announcement|घोषणा)$/ })
const dialog = () => page.getByRole('dialog')
const rows = () => page.locator('.story-rows li')
const inPortal = async (work: () => Promise<void>): Promise<void> => {
  const listed: Work = async (at) => {
    await expect(at.getByRole('heading', { level: 2, name: 'Announcements' })).toBeVisible()
    await work()
  }
  await fixture.at('/admin/dashboard?tab=announcements', listed, { token: admin })
}
const asMember = (work: Work, options: AtOptions = {}) => fixture.at('/dashboard', work, { token: asha.token, ...options })
const hours = async (count: number): Promise<string> => new Date(Date.parse(await readClock(url)) + count * 3_600_000).toISOString()
const publish = async (text: string, from = 0, link: string | null = null) =>
  (
    await ask(url, 'createAnnouncement', {
      token: admin,
      body: { text: { en: text, hi: `${text} (हिंदी)` }, link, startsAt: await hours(from), endsAt: await hours(from + 24) },
    })
  ).output.announcement

describe('the portal', () => {
  test('says that there is none, keeps a form with mistakes open, and saves it with its preview', async () => {
    await inPortal(async () => {
      await expect(page.getByText('No announcements yet')).toBeVisible()
      await page.getByRole('button', { name: 'New announcement' }).click()
      await dialog().getByLabel('Page to read more').fill('https://example.org')
      await dialog().getByRole('button', { name: 'Save' }).click()
      await expect(dialog().getByText('Please write the text in every language')).toHaveCount(2)
      await expect(dialog().getByText('Please enter a page of this app')).toBeVisible()
      await dialog().getByLabel('Text: English').fill(ENGLISH)
      await dialog().getByLabel('Text: हिन्दी').fill(HINDI)
      await dialog().getByLabel('Page to read more').fill('/money-trail')
      await expect(dialog().locator('.notice').nth(0)).toContainText(ENGLISH)
      await expect(dialog().locator('.notice').nth(1)).toContainText(HINDI)
      await auditBothWidths(fixture.visit)
      await dialog().getByRole('button', { name: 'Save' }).click()
      await expect(toast(page, 'The announcement is saved.')).toBeVisible()
      await expect(rows()).toContainText([ENGLISH])
      await expect(rows().first().getByText('Running', { exact: true })).toBeVisible()
    })
  })

  test('lists at both widths, narrows by state, and says when the list cannot be loaded', async () => {
    await inPortal(async () => {
      await expect(rows()).toHaveCount(1)
      await auditBothWidths(fixture.visit)
      await page.getByLabel('Status').selectOption('Planned')
      await expect(page.getByText('No announcements found')).toBeVisible()
      await page.getByLabel('Status').selectOption('Running')
      await expect(rows()).toHaveCount(1)
      await page.route('**/api/admin/announcements*status=over*', (route) => route.fulfill({ status: 503, body: '' }))
      await page.getByLabel('Status').selectOption('Over')
      await expect(page.getByText('The announcements could not be loaded.')).toBeVisible()
      await page.unrouteAll()
      await expectSilence(fixture.visit, /status of 503/)
      await page.getByRole('button', { name: 'Retry' }).click()
      await expect(page.getByText('No announcements found')).toBeVisible()
    })
  })
})

describe('a member', () => {
  test('reads it in their own language, with a link to the page of that language, and without a request of its own', async () => {
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    const work: Work = async (at) => {
      await expect(strip(at)).toContainText(ENGLISH)
      await expect(strip(at).getByRole('link', { name: 'Read more' })).toHaveAttribute('href', '/money-trail')
      await at.setViewportSize(SMALL)
      await auditVisit(fixture.visit)
      await at.setViewportSize(WIDE)
      await at.evaluate(() => localStorage.setItem('language', 'hi'))
      await at.reload()
      await expect(strip(at)).toContainText(HINDI)
      await expect(strip(at).getByRole('link', { name: 'और पढ़ें' })).toHaveAttribute('href', '/hi/money-trail')
    }
    await asMember(work, { token: meena.token })
    expect(asked.filter((path) => path.includes('announcement') && path.startsWith('/api'))).toEqual([])
  })

  test('dismisses it: it stays hidden, also after a new login on this device, and a newer one is shown', async () => {
    await asMember(async (at) => {
      await strip(at).getByRole('button', { name: 'Put away' }).click()
      await expect(strip(at)).toHaveCount(0)
      await expect(at.getByRole('heading', { level: 1, name: /Welcome/ })).toBeVisible()
      await at.reload()
      await expect(at.getByRole('heading', { level: 1, name: /Welcome/ })).toBeVisible()
      await expect(strip(at)).toHaveCount(0)
      await at.getByRole('button', { name: 'User menu' }).click()
      await at.getByRole('button', { name: 'Logout' }).click()
      await expect(at.getByLabel('Email')).toBeVisible()
      const { output } = await ask(url, 'login', { body: { email: asha.email, password: 'correct horse battery' } })
      asha = { ...asha, token: output.token }
      await at.evaluate((token) => localStorage.setItem('token', token), output.token)
      await at.goto(`${fixture.line.url}/dashboard`)
      await expect(at.getByRole('heading', { level: 1, name: /Welcome/ })).toBeVisible()
      await expect(strip(at)).toHaveCount(0)
      await publish('A new video is out.', 0, '/impact')
      await at.reload()
      await expect(strip(at)).toContainText('A new video is out.')
    })
  })

  test('sees one at a time, the newest start first, and none after it was ended in the portal', async () => {
    await publish('It starts tomorrow.', 24)
    const { id } = await publish('The helpline is closed today.')
    await asMember(async (at) => {
      await expect(strip(at)).toHaveCount(1)
      await expect(strip(at)).toContainText('The helpline is closed today.')
    })
    await inPortal(async () => {
      const row = rows().filter({ hasText: 'The helpline is closed today.' })
      await row
        .first()
        .getByRole('button', { name: /^End now/ })
        .click()
      await expect(dialog()).toContainText('This cannot be undone')
      await auditVisit(fixture.visit)
      await dialog().getByRole('button', { name: 'End now', exact: true }).click()
      await expect(toast(page, 'The announcement is over.')).toBeVisible()
      await expect(row.first().getByText('Over', { exact: true })).toBeVisible()
      await expect(row.first().getByRole('button')).toHaveCount(0)
    })
    const { announcements } = (await ask(url, 'me', { token: asha.token })).output
    expect(announcements.map((one) => one.id)).not.toContain(id)
    await asMember(async (at) => {
      await expect(strip(at)).toContainText('A new video is out.')
    })
  })

  test('a login draws the strip with the first screen', async () => {
    await fixture.at('/login', async (at) => {
      await at.getByLabel('Email', { exact: true }).fill(asha.email)
      await at.getByLabel('Password', { exact: true }).fill('correct horse battery')
      await at.getByRole('button', { name: 'Log in' }).click()
      await expect(strip(at)).toContainText('A new video is out.')
    })
  })
})

describe('two editors', () => {
  test('an edit on an older version is refused, and the words stay in the form', async () => {
    const seen = await publish('Two of us write this.')
    await inPortal(async () => {
      await rows().filter({ hasText: 'Two of us write this.' }).getByRole('button', { name: /^Edit/ }).click()
      const { id, text, link, startsAt, endsAt, version } = seen
      await ask(url, 'updateAnnouncement', { token: admin, params: { id }, body: { text, link, startsAt, endsAt, version } })
      await dialog().getByLabel('Text: English').fill('My own words.')
      await dialog().getByRole('button', { name: 'Save' }).click()
      await expect(toast(page, 'This changed while you had it open.')).toBeVisible()
      await expect(dialog().getByLabel('Text: English')).toHaveValue('My own words.')
      await expectSilence(fixture.visit, /status of 409/)
    })
  })
})
