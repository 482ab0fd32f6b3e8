/**
 * Provokes the messages of the member's lists: notifications, mail preferences, refunds, a receipt.
 * - Every list is tested with a broken network; notifications and refunds also empty, notifications also page by page.
 */
import { expect } from '../../harness/expect.ts'
import { sql } from '@roz/server/db/sql.ts'
import type { Page } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import { ask } from '../../harness/calls.ts'
import { inDatabase } from '../../harness/database.ts'
import type { FaultyProxy } from '../../harness/faulty-proxy.ts'
import { newMember, type Person } from '../../harness/people.ts'
import type { Program } from '../../harness/program.ts'
import { useAppFixture, type Work } from '../../harness/app-fixture.ts'
import { toast } from '../../harness/steps.ts'

const PAGE_ROWS = 25
const NETWORK = 'Network error. Please check your connection and try again.'

const fixture = useAppFixture()
let roz: Program
let line: FaultyProxy
/** Has a few notifications. */
let asha: Person
/** Has nothing. */
let biju: Person
/** Has more notifications than fit on a page, and refundable money. */
let chitra: Person

beforeAll(async () => {
  ;({ roz, line } = fixture)
  asha = await newMember(roz, { name: 'Asha Verma' })
  biju = await newMember(roz, { name: 'Biju Nair' })
  chitra = await newMember(roz, { name: 'Chitra Rao', rupees: 20 })
  await writeNotices(asha, 3)
  await writeNotices(chitra, PAGE_ROWS)
})

/** Writes notifications into the database as the jobs do, the newest last. */
const writeNotices = (person: Person, count: number): Promise<unknown> =>
  inDatabase(roz.dataDir, (db) =>
    db.query(sql`
      insert into notice (member_id, kind, source, data, created_at)
      select m.id, 'low_balance', 'written ' || n, jsonb_build_object('balance', '₹' || n || '.00'), roz_now() - make_interval(hours => 90 - n)
        from member m, generate_series(1, ${count}::int) n where m.email = ${person.email}::text`),
  )

const as = (person: Person, path: string, work: Work): Promise<void> => fixture.at(path, work, { token: person.token })
const main = (page: Page) => page.getByRole('main')
const button = (page: Page, name: string) => main(page).getByRole('button', { name, exact: true })
const failed = (page: Page, words: string) => page.locator('.empty.failed', { hasText: words })
const retry = async (page: Page, words: string): Promise<void> => {
  await expect(failed(page, words)).toBeVisible()
  line.mend()
  await failed(page, words).getByRole('button', { name: 'Retry' }).click()
  await expect(failed(page, words)).toHaveCount(0)
}

describe('notifications', () => {
  const row = (page: Page, words: string) => page.locator('.notices > li', { hasText: words })
  const mark = (page: Page, words: string) => row(page, words).getByRole('button', { name: 'Mark as read: Your balance is low' })
  const count = (page: Page) => page.locator('.unread-count')
  const unread = async (person: Person) => (await ask(roz.url, 'notifications', { token: person.token })).output.unread

  test('No notifications yet: none are counted, and none can be marked', async () => {
    await as(biju, '/notifications', async (page) => {
      await expect(main(page).getByText('No notifications yet', { exact: true })).toBeVisible()
      await expect(count(page)).toHaveCount(0)
      await expect(button(page, 'Mark all as read')).toHaveCount(0)
    })
  })

  test('Mark as read fails on a broken network: the notification stays unread', async () => {
    await as(asha, '/notifications', async (page) => {
      await expect(count(page)).toHaveText('3 unread')
      line.breakLine('POST /api/notifications/read', 'cut')
      await mark(page, '₹2.00').click()
      await expect(toast(page, NETWORK)).toBeVisible()
      await expect(mark(page, '₹2.00')).toBeVisible()
      await expect(count(page)).toHaveText('3 unread')
    })
    expect(await unread(asha)).toBe(3)
  })

  test('Mark as read, then Mark all as read: the count follows, also after a reload', async () => {
    await as(asha, '/notifications', async (page) => {
      await expect(page.locator('.notices .badge')).toHaveText(['New', 'New', 'New'])
      await mark(page, '₹2.00').click()
      await expect(count(page)).toHaveText('2 unread')
      await expect(row(page, '₹2.00').locator('.badge, button')).toHaveCount(0)
      await expect(row(page, '₹3.00').locator('.badge')).toHaveText('New')
      await button(page, 'Mark all as read').click()
      await expect(count(page)).toHaveText('Everything is read.')
      await expect(page.locator('.notices .badge, .notices button')).toHaveCount(0)
      await expect(button(page, 'Mark all as read')).toHaveCount(0)
      await page.reload()
      await expect(count(page)).toHaveText('Everything is read.')
    })
    expect(await unread(asha)).toBe(0)
  })

  test.each(['cut', 'empty'] as const)('Your notifications could not be loaded. (%s), and Retry loads them', async (fault) => {
    line.breakLine('GET /api/notifications', fault)
    await as(asha, '/notifications', async (page) => {
      await retry(page, 'Your notifications could not be loaded.')
      await expect(page.locator('.notices > li')).toHaveCount(3)
    })
  })

  test('Load more; The next page could not be loaded. keeps the loaded rows, and Retry loads the rest', async () => {
    await as(chitra, '/notifications', async (page) => {
      const rows = page.locator('.notices > li')
      await expect(rows).toHaveCount(PAGE_ROWS)
      line.breakLine('GET /api/notifications', 'wordless')
      await button(page, 'Load more').click()
      await expect(failed(page, 'The next page could not be loaded.')).toBeVisible()
      await expect(rows).toHaveCount(PAGE_ROWS)
      await retry(page, 'The next page could not be loaded.')
      // The written notifications and the payment's.
      await expect(rows).toHaveCount(PAGE_ROWS + 1)
      await expect(button(page, 'Load more')).toHaveCount(0)
    })
  })
})

describe('preferences', () => {
  const weekly = (page: Page) => page.getByRole('switch', { name: 'Emails about your rounds', exact: true })
  const wanted = async () => (await ask(roz.url, 'preferences', { token: asha.token })).output.preferences.mail

  test('Your preferences could not be loaded., and Retry loads them', async () => {
    line.breakLine('GET /api/notifications/preferences', 'empty')
    await as(asha, '/notifications', async (page) => {
      await retry(page, 'Your preferences could not be loaded.')
      await expect(weekly(page)).toBeVisible()
    })
  })

  test('the switch saves at once, and switches back when the save fails: The change could not be saved.', async () => {
    const before = await wanted()
    const said = (on: boolean): string => (on ? 'Enabled' : 'Disabled')
    await as(asha, '/notifications', async (page) => {
      line.breakLine('PUT /api/notifications/preferences', 'wordless')
      await weekly(page).click()
      await expect(toast(page, 'The change could not be saved.')).toBeVisible()
      await expect(weekly(page)).toHaveAccessibleDescription(said(before))
      line.mend()
      await weekly(page).click()
      await expect(weekly(page)).toHaveAccessibleDescription(said(!before))
      await expect.poll(wanted).toBe(!before)
    })
  })
})

describe('refunds', () => {
  test('Your refunds could not be loaded., and Retry says that a member without payments has nothing to refund', async () => {
    line.breakLine('GET /api/wallet/refunds', 'empty')
    await as(biju, '/wallet', async (page) => {
      await retry(page, 'Your refunds could not be loaded.')
      await expect(page.getByText('No unused money from payments of the last 7 days.')).toBeVisible()
      await expect(button(page, 'Request a refund')).toHaveCount(0)
    })
  })

  test('The refund could not be requested.: the input stays; Cancel returns the focus to its button', async () => {
    await as(chitra, '/wallet', async (page) => {
      await button(page, 'Request a refund').click()
      const form = page.locator('.refund-form')
      await expect(form.getByLabel('Payment', { exact: true })).toBeFocused()
      await form.getByLabel('Refund amount', { exact: true }).fill('5')
      await form.getByLabel('Reason', { exact: true }).fill('I added it twice.')
      line.breakLine('POST /api/wallet/refunds', 'wordless')
      await form.getByRole('button', { name: 'Request a refund of ₹5.00' }).click()
      await expect(toast(page, 'The refund could not be requested.')).toBeVisible()
      await expect(form.getByLabel('Reason', { exact: true })).toHaveValue('I added it twice.')
      await form.getByRole('button', { name: 'Cancel' }).click()
      await expect(button(page, 'Request a refund')).toBeFocused()
    })
    expect((await ask(roz.url, 'refunds', { token: chitra.token })).output.refunds).toEqual([])
  })
})

test('The receipt could not be loaded., and Retry loads it', async () => {
  const [paid] = (await ask(roz.url, 'transactions', { token: chitra.token })).output.transactions
  const id = encodeURIComponent(paid?.id ?? '')
  line.breakLine(`GET /api/wallet/transactions/${id}`, 'wordless')
  await as(chitra, `/receipt?id=${id}`, async (page) => {
    await retry(page, 'The receipt could not be loaded.')
    await expect(page.locator('.receipt-words')).toHaveText('Twenty rupees only')
  })
})
