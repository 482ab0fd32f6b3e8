/** The portal's lists about persons: they ask once for the step-up, and keep their place and filters. */
import { sql } from '@roz/server/db/sql.ts'
import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, test } from 'vitest'
import { auditVisit, expectSilence, SMALL, WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { inDatabase } from '../../harness/database.ts'
import { expect } from '../../harness/expect.ts'
import { adminToken, newMember } from '../../harness/people.ts'
import { ADMIN } from '../../harness/program.ts'
import { useAppFixture, type Work } from '../../harness/app-fixture.ts'
import { exactToast } from '../../harness/steps.ts'

const fixture = useAppFixture({ size: WIDE })
let token: string
const dialog = (page: Page) => page.getByRole('dialog')
const panel = (page: Page) => page.locator('.tab-panel')
const inPortal = (tab: string, work: Work) => fixture.at(`/admin/dashboard?tab=${tab}`, work, { token })
/** The last step-up of every session was eleven minutes ago. */
const passTenMinutes = () =>
  inDatabase(fixture.roz.dataDir, (db) => db.query(sql`update session set stepped_up_at = stepped_up_at - interval '11 minutes'`))
async function confirm(page: Page, password: string = ADMIN.password): Promise<void> {
  await dialog(page).getByLabel('Your password', { exact: true }).fill(password)
  await dialog(page).getByRole('button', { name: 'Confirm', exact: true }).click()
}

beforeAll(async () => {
  await newMember(fixture.roz, { name: 'Asha Verma' })
  await newMember(fixture.roz, { name: 'Ravi Kumar' })
  await ask(fixture.roz.url, 'contact', { body: { name: 'Gita Rao', email: 'gita@x.test', message: 'How do I change my number?' } })
})
beforeEach(async () => {
  token = await adminToken(fixture.roz.url)
})

describe('the list of members', () => {
  test('asks after ten minutes, refuses a wrong password, and keeps search and order', async () => {
    await inPortal('users', async (page) => {
      await expect(panel(page).getByRole('link', { name: 'Asha Verma' })).toBeVisible()
      await panel(page).getByLabel('Search members').fill('asha')
      await expect(panel(page).getByRole('link', { name: 'Ravi Kumar' })).toHaveCount(0)
      await passTenMinutes()
      await panel(page).getByLabel('Sort by').selectOption('Balance')
      await expect(dialog(page)).toContainText('Lists about people are shown only after you confirm that it is you.')
      await expectSilence(fixture.visit, /403/)
      await auditVisit(fixture.visit)
      await page.setViewportSize(SMALL)
      await auditVisit(fixture.visit)
      await page.setViewportSize(WIDE)
      await confirm(page, 'not the password')
      await expect(dialog(page).getByText('That password is not correct.')).toBeVisible()
      await confirm(page)
      await expect(dialog(page)).toHaveCount(0)
      await expect(panel(page).getByRole('link', { name: 'Asha Verma' })).toBeVisible()
      await expect(panel(page).getByRole('link', { name: 'Ravi Kumar' })).toHaveCount(0)
      await expect(panel(page).getByLabel('Search members')).toHaveValue('asha')
      await expect(panel(page).getByLabel('Sort by')).toHaveValue('balance')
      // Once in the ten minutes, for every list.
      await page.getByRole('tab', { name: 'Messages' }).click()
      await expect(panel(page)).toContainText('How do I change my number?')
      await expect(dialog(page)).toHaveCount(0)
    })
  })

  test('closed without an answer it shows nobody, and Retry asks again', async () => {
    await passTenMinutes()
    await inPortal('users', async (page) => {
      await dialog(page).getByRole('button', { name: 'Cancel' }).click()
      await expect(panel(page)).toContainText('The members could not be loaded.')
      await expect(panel(page).getByText('Asha Verma')).toHaveCount(0)
      await panel(page).getByRole('button', { name: 'Retry' }).click()
      await confirm(page)
      await expect(panel(page).getByRole('link', { name: 'Asha Verma' })).toBeVisible()
    })
  })

  test('as a table is downloaded after the step-up', async () => {
    await inPortal('users', async (page) => {
      await expect(panel(page).getByRole('link', { name: 'Asha Verma' })).toBeVisible()
      await passTenMinutes()
      await panel(page).getByRole('button', { name: 'Download CSV' }).click()
      fixture.line.breakLine('POST /api/admin/step-up', 'cut')
      await confirm(page)
      await expect(exactToast(page, 'Network error. Please check your connection and try again.')).toBeVisible()
      fixture.line.mend()
      const download = page.waitForEvent('download')
      await confirm(page)
      expect((await download).suggestedFilename()).toBe('users.csv')
    })
  })
})

test.each([
  ['messages', 'How do I change my number?'],
  ['beneficiaries', 'No beneficiaries found'],
])('%s ask as well', async (tab, words) => {
  await passTenMinutes()
  await inPortal(tab, async (page) => {
    await expect(dialog(page)).toBeVisible()
    await expect(panel(page).getByText(words)).toHaveCount(0)
    await confirm(page)
    await expect(panel(page)).toContainText(words)
  })
})
