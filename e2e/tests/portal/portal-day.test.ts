/** The portal's day: what waits for the team leads to its section, figures over time with their table, and every round. */
import { addDays, type IstDay, parseDay } from '@roz/core/ist-day.ts'
import type { Page } from 'playwright-core'
import { sql } from '@roz/server/db/sql.ts'
import { beforeAll, expect as plainExpect, test } from 'vitest'
import { auditAtWidth, auditVisit, SMALL, type Visit, WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { inDatabase } from '../../harness/database.ts'
import { expect } from '../../harness/expect.ts'
import { adminToken, BANK, newMember, readClock, setClock } from '../../harness/people.ts'
import type { Program } from '../../harness/program.ts'
import { useAppFixture, type Work } from '../../harness/app-fixture.ts'
import { toast } from '../../harness/steps.ts'

const fixture = useAppFixture({ size: WIDE })
let roz: Program
let visit: Visit
let page: Page
beforeAll(() => {
  ;({ roz, visit, page } = fixture)
})

const open = async (tab: string, work: Work): Promise<void> =>
  fixture.at(`/admin/dashboard?tab=${tab}`, work, { token: await adminToken(roz.url) })
const todo = () => page.getByRole('region', { name: 'To do' })

async function bothWidths(): Promise<void> {
  await auditVisit(visit)
  await auditAtWidth(visit, SMALL, WIDE)
}

test('with nothing to do the list says so; a late withdrawal is listed with its age, and leads to its section by keyboard', async () => {
  await open('overview', async () => {
    await expect(todo()).toContainText('Nothing to do.')
  })
  const asha = await newMember(roz, { name: 'Asha Verma', rupees: 30 })
  await ask(roz.url, 'withdraw', { token: asha.token, body: { amount: 10, bankDetail: BANK } })
  const now = Date.parse(await readClock(roz.url))
  await setClock(roz.url, new Date(now + 50 * 3_600_000).toISOString())
  await open('overview', async (at) => {
    const line = todo().getByRole('listitem').filter({ hasText: 'Withdrawals to decide' })
    await expect(line).toContainText('Oldest: 2 days')
    await expect(line).toContainText('1')
    await bothWidths()
    await line.getByRole('link', { name: 'Withdrawals to decide' }).focus()
    await at.keyboard.press('Enter')
    await expect(at.getByText('Late: waiting for 2 days. We promise 24 to 48 hours.')).toBeVisible()
    await expect(at.getByLabel('Status')).toHaveValue('to_decide')
    await expect(at.getByLabel('Sort order')).toHaveValue('oldest')
    // The tab itself opens the whole list.
    await at.getByRole('tab', { name: 'Withdrawals' }).click()
    await expect(at.getByLabel('Status')).toHaveValue('')
    await at.getByLabel('Status').selectOption('requested')
    await at.getByLabel('Search withdrawals').fill('asha')
    await at.getByRole('link', { name: 'Asha Verma' }).click()
    await expect(at.getByRole('heading', { level: 2, name: 'Asha Verma' })).toBeVisible()
    // The way back leads to the list as it was narrowed.
    await at.goBack()
    await expect(at.getByLabel('Status')).toHaveValue('requested')
    await expect(at.getByLabel('Search withdrawals')).toHaveValue('asha')
  })
})

test('a filter in the address that the list does not know is ignored', async () => {
  await open('withdrawals&status=toString&order=sideways', async (at) => {
    await expect(at.locator('.story-rows li')).toHaveCount(1)
    await expect(at.getByLabel('Status')).toHaveValue('')
    await expect(at.getByLabel('Sort order')).toHaveValue('')
  })
})

test('a dispute is listed with the date by which the bank needs an answer, and leads to its section', async () => {
  await inDatabase(roz.dataDir, async (db) => {
    await db.query(sql`
      insert into dispute (id, order_id, payment_id, amount, type, status, state, respond_by)
      values ('d-1', 'o-1', 'p-1', 1000, 'CHARGEBACK', 'CHARGEBACK_CREATED', 'open', '2031-03-07T10:00:00+05:30')`)
  })
  await open('overview', async (at) => {
    const line = todo().getByRole('listitem').filter({ hasText: 'Disputes to answer at the bank' })
    await expect(line).toContainText(/Answer the bank by 7 Mar\w* 2031, 10:00 am/)
    await bothWidths()
    await line.getByRole('link').click()
    await expect(at.getByRole('listitem').filter({ hasText: 'Dispute d-1' })).toContainText('Answer the bank by')
  })
})

test('the figures of each day are a drawing and a table, on a phone rows, for 30, 90 or 365 days', async () => {
  await open('overview', async (at) => {
    const figures = at.getByRole('region', { name: 'Figures over time' })
    await expect(figures.getByRole('row')).toHaveCount(8)
    await figures.getByRole('button', { name: 'Show all 30 days' }).click()
    await expect(figures.getByRole('row')).toHaveCount(31)
    await expect(figures.locator('polyline')).toHaveCount(4)
    await figures.getByLabel('Period').selectOption('90')
    await expect(figures.getByRole('row')).toHaveCount(91)
    await at.setViewportSize(SMALL)
    await expect(figures.getByRole('listitem')).toHaveCount(90)
    await expect(figures.getByRole('listitem').first()).toContainText(/Joined: \d+ of \d+/)
    await at.setViewportSize(WIDE)
  })
})

test('every round is listed with its state and result; work on a day that fails is named', async () => {
  const ravi = await newMember(roz, { name: 'Ravi Rao', rupees: 10 })
  await ask(roz.url, 'joinRound', { token: ravi.token })
  const { id: day } = (await ask(roz.url, 'currentRound')).output
  const now = Date.parse(await readClock(roz.url))
  await setClock(roz.url, new Date(now + 86_400_000).toISOString())
  // Work on the day before fails.
  const held = addDays(parseDay(day) as IstDay, -1)
  await inDatabase(roz.dataDir, async (db) => {
    await db.query(
      sql`insert into failing_work (work, item, tries, error, next_at) values ('draw', ${held}::text, 6, 'the relay is silent', roz_now())`,
    )
  })
  await open('rounds', async (at) => {
    const row = at.locator('.story-rows li', { has: at.locator(`a[href$="/${day}"]`) })
    await expect(row).toContainText('Settled')
    await expect(row).toContainText('1 member, ₹1.00')
    await expect(row).toContainText('Help ₹0.60, reward ₹0.30, platform ₹0.10; winners: 1')
    await expect(at.getByText('the relay is silent')).toBeVisible()
    await expect(at.locator('.story-rows li').first()).toContainText('Open')
    await bothWidths()
  })
  plainExpect(visit.complaints()).toEqual([])
})

test('an editor changes a figure of the site, and the home page shows it; a wrong link is refused at its field', async () => {
  await open('site', async (at) => {
    await at.getByLabel('People in the community').fill('15,200')
    await at.getByLabel('How it works video').fill('https://example.org/video')
    await at.getByRole('button', { name: 'Save' }).click()
    await expect(at.getByRole('tabpanel').getByText('Invalid YouTube URL')).toBeVisible()
    await at.getByLabel('How it works video').fill('https://youtu.be/aqz-KE-bpKQ')
    await at.getByRole('button', { name: 'Save' }).focus()
    await at.keyboard.press('Enter')
    await expect(toast(at, 'Saved. The public pages show the new text.')).toBeVisible()
    await bothWidths()
  })
  const home = await (await fetch(`${roz.url}/`)).text()
  plainExpect(home).toContain('15,200')
})

test("today's round has a countdown; its help is named as not set aside yet, and the table of figures fits the screen", async () => {
  const lata = await newMember(roz, { name: 'Lata', rupees: 10 })
  await ask(roz.url, 'joinRound', { token: lata.token })
  await open('overview', async (at) => {
    const round = at.getByRole('region', { name: "Today's round" })
    await expect(round.getByRole('timer')).toHaveText(/^\d{2}h \d{2}min \d{2}s$/)
    await expect(round).toContainText('In the round: ₹1.00 from 1 member.')
    await expect(round).toContainText('₹0.60 of this is for people in need. It is set aside when the round is settled.')
    const table = at.getByRole('region', { name: 'Figures by day' })
    await expect(table.getByRole('row').nth(1)).toContainText('not yet')
    await expect(table.getByText('not yet')).toHaveCount(1)
    expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
    await bothWidths()
  })
})

test('help that waits longer than 14 days is listed once, in the to-do list', async () => {
  const now = Date.parse(await readClock(roz.url))
  await setClock(roz.url, new Date(now + 16 * 86_400_000).toISOString())
  await open('overview', async (at) => {
    await expect(todo().getByRole('link', { name: 'Days whose help waits longer than 14 days' })).toBeVisible()
    await expect(at.getByText('14 days')).toHaveCount(1)
  })
})
