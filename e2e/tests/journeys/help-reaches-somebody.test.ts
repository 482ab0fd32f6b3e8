/**
 * The whole way of a rupee: join, draw, help paid by two persons, an editor's story, and the member's view with receipt and proof.
 * - The team works only in the portal: consent, receipt with its covers, request, approval and story are presses.
 */
import type { Page } from 'playwright-core'
import { sql } from '@roz/server/db/sql.ts'
import { beforeAll, expect as expectValue, test } from 'vitest'
import { auditScreen } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expectCleanAudit, inDatabase } from '../../harness/database.ts'
import { expect } from '../../harness/expect.ts'
import { adminToken, joinRound, newMember, passDay, passRound, type Person } from '../../harness/people.ts'
import { png } from '../../harness/pictures.ts'
import { ADMIN, type Program } from '../../harness/program.ts'
import { useStage } from '../../harness/stage.ts'
import { chooseOption, toast } from '../../harness/steps.ts'

// The share of two rupees, ₹1.20, needs a second person.
const stage = useStage({ env: async () => ({ APPROVAL_ABOVE: '1' }) })
let roz: Program
let asha: Person
let ravi: Person

beforeAll(async () => {
  ;({ roz } = stage)
  ;[asha, ravi] = await Promise.all([newMember(roz, { name: 'Asha Verma', rupees: 20 }), newMember(roz, { name: 'Ravi Rao', rupees: 20 })])
  await inDatabase(roz.dataDir, (db) =>
    db.query(sql`
      insert into member (name, email, role, staff_role, password_hash, email_verified_at)
      select colleague.name, colleague.email, 'admin', colleague.role, password_hash, roz_now()
        from (select password_hash from member where role = 'admin' limit 1) owner
       cross join (values ('Sunita Nair', ${FINANCE}::text, 'finance'), ('Dev Malhotra', ${EDITOR}::text, 'editor')) colleague (name, email, role)`),
  )
})

const FINANCE = 'sunita@roz.example'
const EDITOR = 'dev@roz.example'
const logIn = async (email: string): Promise<string> =>
  (await ask(roz.url, 'adminLogin', { body: { email, password: ADMIN.password } })).output.token

const at = (path: string, token: string, work: (page: Page) => Promise<void>): Promise<void> => stage.at(path, work, { token })
const openDialog = (page: Page, name: string) => page.getByRole('dialog', { name })
const inPortal = (tab: string, token: string, work: (page: Page) => Promise<void>) => at(`/admin/dashboard?tab=${tab}`, token, work)

/** Finance records the consent. */
async function addMeera(token: string): Promise<void> {
  await inPortal('beneficiaries', token, async (page) => {
    await page.getByRole('button', { name: 'New beneficiary' }).click()
    const form = openDialog(page, 'New beneficiary')
    await form.getByLabel('Public name').fill('Meera')
    await form.getByLabel('How the consent was given').selectOption('In writing')
    await form.getByLabel('Day of the consent').fill('2026-01-05')
    await form.getByRole('button', { name: 'Save' }).click()
    await expect(toast(page, 'The beneficiary is saved.')).toBeVisible()
  })
}

/** Finance covers what the receipt shows of a person, and asks for the payment; the hash of the page. */
async function askForShoes(token: string): Promise<string> {
  let hash = ''
  await inPortal('help-given', token, async (page) => {
    await page.getByRole('button', { name: 'New disbursement' }).click()
    const form = openDialog(page, 'New disbursement')
    const buffer = png(40, 60, (x, y) => (y < 12 ? [0, 0, 0] : [x * 4, 200, 180]))
    await form.getByLabel('Add a page').last().setInputFiles({ name: 'receipt.png', mimeType: 'image/png', buffer })
    const tool = openDialog(page, 'Cover personal data')
    await tool.getByRole('button', { name: 'Add a cover' }).click()
    await expect(tool.getByLabel('Cover 1')).toBeVisible()
    const sent = page.waitForResponse((response) => response.url().endsWith('/api/admin/uploads'))
    await tool.getByRole('button', { name: 'Use this page' }).click()
    hash = ((await (await sent).json()) as { hash: string }).hash
    await expect(form.getByRole('img', { name: 'Page 1' })).toBeVisible()
    await chooseOption(form.getByLabel('Who is helped'), 'Meera ')
    await form.getByLabel('Amount in rupees').fill('1.20')
    await form.getByLabel('What it is for').fill('school shoes')
    await form.getByRole('button', { name: 'Request approval' }).click()
    await expect(toast(page, 'Requested. Another person must approve it.')).toBeVisible()
    const row = page.getByRole('listitem').filter({ hasText: 'school shoes' })
    await expect(row).toContainText('You requested this. Another person must approve it.')
    await expect(row.getByRole('button', { name: /^Approve/ })).toHaveCount(0)
  })
  return hash
}

/** The owner looks at the receipt and approves what finance asked for. */
async function approveShoes(token: string): Promise<void> {
  await inPortal('help-given', token, async (page) => {
    const row = page.getByRole('listitem').filter({ hasText: 'school shoes' })
    await row.getByRole('button', { name: /^Receipts/ }).click()
    await expect(openDialog(page, 'Receipts').getByRole('img', { name: 'Page 1' })).toBeVisible()
    await page.keyboard.press('Escape')
    await row.getByRole('button', { name: /^Approve/ }).click()
    const approval = openDialog(page, 'Approve this payment?')
    await expect(approval).toContainText(/Meera.*#[0-9A-F]{4} · consent of .* · helped so far: ₹0\.00/)
    await approval.getByRole('button', { name: 'Approve and record' }).click()
    await expect(toast(page, 'Recorded.')).toBeVisible()
    await expect(row).toContainText('Sent')
  })
}

/** The editor links the draft that the day made by itself, adds the video, and publishes it; the story's id. */
async function tellOfShoes(token: string): Promise<string> {
  await inPortal('stories', token, async (page) => {
    await page.getByRole('button', { name: /^Edit: Daily impact of/ }).click()
    const dialog = openDialog(page, 'Edit story')
    await dialog.getByLabel('Help that it tells of').selectOption({ label: 'school shoes for Meera, ₹1.20' })
    await expect(dialog.getByLabel('Charity name')).toHaveValue('Meera')
    await dialog.getByLabel('Title', { exact: true }).fill('school shoes for Meera')
    await dialog.getByLabel('Description', { exact: true }).fill('Her old ones were too small.')
    await dialog.getByLabel('Video URL').fill('https://youtu.be/aqz-KE-bpKQ')
    await dialog.getByRole('button', { name: 'Save story' }).click()
    await expect(toast(page, 'Impact story updated!')).toBeVisible()
    // Help has one story: a second one is not offered.
    await page.getByRole('button', { name: 'New story' }).click()
    await expect(page.getByRole('dialog').getByLabel('Help that it tells of').getByRole('option')).toHaveText(['None'])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Publish: school shoes for Meera' }).click()
    const publish = openDialog(page, 'Publish this story?')
    await expect(publish).toContainText('2 members are told that their rupee is in this help.')
    await publish.getByRole('button', { name: 'Publish' }).click()
    await expect(toast(page, 'Story published successfully!')).toBeVisible()
  })
  return (await ask(roz.url, 'stories')).output.stories[0]?.id ?? ''
}

test('a member’s rupee reaches somebody, and the member reads it with its receipt and its proof', async () => {
  await Promise.all([joinRound(roz.url, asha), joinRound(roz.url, ravi)])
  const day = await passRound(roz.url, asha)
  await at('/history', asha.token, async (page) => {
    await expect(page.getByText('Your 60 paise have been in the help fund for 1 day.')).toBeVisible()
  })
  await at('/', '', async (page) => {
    await expect(page.getByText('No help has been sent yet.')).toBeVisible()
  })

  const sunita = await logIn(FINANCE)
  await addMeera(sunita)
  const hash = await askForShoes(sunita)
  await approveShoes(await adminToken(roz.url))
  const story = await tellOfShoes(await logIn(EDITOR))

  await at('/notifications', asha.token, async (page) => {
    await expect(page.getByText(/^Your 60 paise of .*: school shoes for Meera, with 1 other\.$/)).toBeVisible()
  })
  await at('/history', asha.token, async (page) => {
    await expect(page.getByText('Your 60 paise paid for school shoes for Meera, with 1 other.')).toBeVisible()
    await auditScreen(page)
    await expect(page.getByText('Can be checked tomorrow')).toBeVisible()
    await expect(page.getByRole('link', { name: 'Check it' })).toHaveCount(0)
    await expect(page.getByRole('link', { name: 'Video', exact: true })).toHaveAttribute('href', `/impact-stories/${story}`)
    const link = page.getByRole('link', { name: 'Receipt', exact: true })
    await expect(link).toHaveAttribute('href', `/api/receipts/${hash}`)
    await link.click()
    await expect(page.locator('img')).toHaveJSProperty('naturalWidth', 40)
  })
  // The receipt of the join and the ticket of the day say the same.
  for (const path of [`/receipt?id=join:${day}`, `/my-ticket?day=${day}`])
    await at(path, asha.token, async (page) => {
      await expect(page.getByText('Your 60 paise paid for school shoes for Meera, with 1 other.')).toBeVisible()
      await expect(page.getByRole('link', { name: 'Receipt', exact: true })).toHaveAttribute('href', `/api/receipts/${hash}`)
      await expect(page.getByRole('link', { name: 'Video', exact: true })).toHaveAttribute('href', `/impact-stories/${story}`)
    })
  await at(`/impact-stories/${story}`, '', async (page) => {
    await expect(page.getByRole('heading', { name: 'school shoes for Meera' })).toBeVisible()
    await expect(page.locator('[href*="aqz-KE-bpKQ"], [data-video*="aqz-KE-bpKQ"], [src*="aqz-KE-bpKQ"]').first()).toBeAttached()
  })
  await at('/money-trail', '', async (page) => {
    await expect(page.getByText('school shoes for Meera', { exact: true })).toHaveCSS('display', 'block')
    await expect(page.getByText('Half of the help was sent within 1 day.')).toBeVisible()
    await expect(page.getByRole('link', { name: 'See the receipt' })).toHaveAttribute('href', `/api/receipts/${hash}`)
  })

  // The books of the day of the allotment are published once that day is over.
  const paidOn = await passDay(roz.url)
  await at('/history', asha.token, async (page) => {
    const check = page.getByRole('link', { name: 'Check it' })
    await expect(check).toHaveAttribute('href', `/verify/${paidOn}`)
  })
  // A draw of a demo is weak at best. The day of the allotment had no round: only its books are checked.
  for (const [checkedDay, verdict] of [
    [day, 'WEAK'],
    [paidOn, 'PASS'],
  ] as const)
    await at(`/verify/${checkedDay}`, '', async (page) => {
      await expect(page.locator('[data-word] > b:not([hidden])')).toHaveText(verdict)
    })
  const checked = (await ask(roz.url, 'publicDay', { params: { day } })).output.day
  expectValue(checked).toMatchObject({ disbursed: 1.2, receipts: [{ purpose: 'school shoes', name: 'Meera', evidence: [hash] }] })
  await expectCleanAudit(roz.dataDir)
})
