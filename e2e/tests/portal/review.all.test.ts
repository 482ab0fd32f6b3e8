/**
 * The portal's review list: what accounts share is seen, reviewed with a note, and comes back when another account joins.
 * - Nothing is refused by it: the withdrawals behind it stay open for decision.
 * - The review itself is made with only the keyboard at 360 px.
 */
import type { Locator, Page } from 'playwright-core'
import { beforeAll, test } from 'vitest'
import { auditBothWidths, auditVisit, SMALL, WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expect } from '../../harness/expect.ts'
import { adminToken, BANK, newMember } from '../../harness/people.ts'
import type { Program } from '../../harness/program.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'
import { toast } from '../../harness/steps.ts'

const fixture = useAppFixture({ size: WIDE })
const NOTE = 'Two sisters with one account. Called both.'
let roz: Program
let page: Page

beforeAll(async () => {
  ;({ roz, page } = fixture)
  const token = await adminToken(roz.url)
  await fixture.at('/admin/dashboard', async (at) => expect(at.getByRole('tab').first()).toBeVisible(), { token })
})

const open = (tab: string) => page.goto(`${fixture.line.url}/admin/dashboard?tab=${tab}`)
const rows = () => page.locator('.tab-panel .story-rows > li')
const sharedBank = () => rows().filter({ has: page.getByRole('heading', { name: 'Same bank account' }) })
const dialog = () => page.getByRole('dialog')

async function withdraws(name: string): Promise<void> {
  const { token } = await newMember(roz, { name, rupees: 20 })
  expect((await ask(roz.url, 'withdraw', { token, body: { amount: 20, bankDetail: BANK } })).status).toBe(200)
}
/** Moves the focus with the Tab key until it is there. */
async function tabTo(wanted: Locator): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    if (await wanted.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  await expect(wanted).toBeFocused()
}
/** Axe, contrast, sideways scroll and the console, at both widths. */
async function auditWidths(): Promise<void> {
  await auditBothWidths(fixture.visit)
}

test('on a first day there is nothing to review, and the list says so', async () => {
  await open('review')
  await expect(page.getByText('Nothing to review')).toBeVisible()
  await auditWidths()
})

test('a bank account that two members withdraw to is listed with both, and shown beside each withdrawal', async () => {
  await withdraws('Asha Verma')
  await withdraws('Ravi Rao')
  await expect
    .poll(async () => {
      await page.reload()
      await expect(page.getByRole('heading', { level: 2, name: 'Review' })).toBeVisible()
      await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
      return sharedBank().count()
    })
    .toBe(1)
  await expect(sharedBank()).toContainText('Withdrawals of several accounts go to one bank account.')
  for (const name of ['Asha Verma', 'Ravi Rao']) await expect(sharedBank().getByRole('link', { name })).toBeVisible()
  await auditWidths()
  await sharedBank().getByRole('link', { name: 'Ravi Rao' }).click()
  await expect(page.getByRole('heading', { level: 2, name: 'Ravi Rao' })).toBeVisible()
  await open('withdrawals')
  for (const name of ['Asha Verma', 'Ravi Rao'])
    await expect(page.locator('.story-rows li', { hasText: name })).toContainText('Another account withdraws to the same bank account')
})

test('it is reviewed with only the keyboard at 360 px, leaves the list, and appears under Reviewed with its note', async () => {
  await page.setViewportSize(SMALL)
  await open('review')
  const press = sharedBank().getByRole('button', { name: 'Mark as reviewed' })
  await expect(press).toBeVisible()
  await tabTo(press)
  await page.keyboard.press('Enter')
  await expect(dialog()).toContainText('Nothing changes for the members.')
  await auditVisit(fixture.visit)
  await tabTo(dialog().getByLabel('Note'))
  await page.keyboard.type(NOTE)
  await tabTo(dialog().getByRole('button', { name: 'Mark as reviewed' }))
  await page.keyboard.press('Enter')
  await expect(toast(page, 'Saved.')).toBeVisible()
  await expect(sharedBank()).toHaveCount(0)
  await page.getByLabel('Status').selectOption('Reviewed')
  await expect(sharedBank()).toContainText(NOTE)
  await expect(sharedBank()).toContainText('Administrator')
  await auditVisit(fixture.visit, 'light')
  await page.setViewportSize(WIDE)
})

test('a third account brings it back to the list', async () => {
  await withdraws('Kavya Nair')
  await expect
    .poll(async () => {
      await open('review')
      await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
      return sharedBank().count()
    })
    .toBe(1)
  await expect(sharedBank().getByRole('link', { name: 'Kavya Nair' })).toBeVisible()
})
