/**
 * The help desk's screens with data, in both languages and at both widths: axe, contrast, no sideways scroll, a silent console.
 * - Lists, stories, forms with their messages, the tool that covers personal data, the bills, and every decision's dialog.
 * - The screens are found by their structure, so the same test runs in both languages.
 */
import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect as expectValue, test } from 'vitest'
import { auditVisit, SMALL, WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expect } from '../../harness/expect.ts'
import { adminToken, joinRound, newMember, passRound } from '../../harness/people.ts'
import { png } from '../../harness/pictures.ts'
import type { Program } from '../../harness/program.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'
import { addColleague } from '../../harness/team.ts'

// Two rupees need a second person: a request stays open.
const fixture = useAppFixture({ env: async () => ({ APPROVAL_ABOVE: '2' }) })
let roz: Program
let admin: string

beforeAll(async () => {
  ;({ roz } = fixture)
  const giver = await newMember(roz, { name: 'Asha Verma', rupees: 30 })
  expectValue((await ask(roz.url, 'closeAccount', { token: giver.token, body: { gift: true } })).status).toBe(200)
  const member = await newMember(roz, { name: 'Ravi Rao', rupees: 20 })
  await joinRound(roz.url, member)
  await passRound(roz.url, member)
  // The clock has moved: a login from before would have expired.
  admin = await adminToken(roz.url)
  await fillDesk()
})

const picture = (red: number) => png(400, 300, () => [red, 120, 40])
async function upload(red: number): Promise<string> {
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(picture(red))], { type: 'image/png' }), 'receipt.png')
  return (await ask(roz.url, 'uploadReceipt', { token: admin, form })).output.hash
}

/** A child helped and one whose consent was revoked; help that is booked, a request above the fund that waits for another person, and a platform entry. */
async function fillDesk(): Promise<void> {
  const consent = { how: 'written', on: '2026-01-05' }
  const fields = { publicName: 'Meera', isChild: true, guardian: 'mother', consent, note: 'Her school has the paper.' }
  // The author of a person's record pays nothing to that person.
  const editor = await addColleague(roz, 'editor')
  const { beneficiary } = (await ask(roz.url, 'createBeneficiary', { token: editor, body: fields })).output
  const gone = { ...fields, publicName: 'Kavya', isChild: false, guardian: null, note: '' }
  const { id } = (await ask(roz.url, 'createBeneficiary', { token: admin, body: gone })).output.beneficiary
  const revoked = await ask(roz.url, 'updateBeneficiary', { token: admin, params: { id }, body: { revoked: true } })
  expectValue(revoked.status, revoked.text).toBe(200)
  for (const [amount, status] of [
    [1.5, 'booked'],
    [12, 'requested'],
    [25, 'requested'],
  ] as const) {
    const receipts = [await upload(amount * 10)]
    const body = { amount, purpose: 'school shoes', beneficiaryId: beneficiary.id, receipts }
    const { output, text } = await ask(roz.url, 'askDisbursement', { token: admin, body })
    expectValue(output.disbursement.status, text).toBe(status)
  }
  const rent = { kind: 'platform_out', amount: 0.1, purpose: 'server rent', receipts: [await upload(90)] }
  const booked = await ask(roz.url, 'askHouseEntry', { token: admin, body: rent })
  expectValue(booked.output.entry.status, booked.text).toBe('booked')
}

const panel = (page: Page) => page.locator('.tab-panel')
const rows = (page: Page) => panel(page).locator('.story-rows > li')
const dialog = (page: Page) => page.locator('dialog[open], [role="dialog"]').last()
const newButton = (page: Page) => panel(page).locator('.head-row button').first()

type Look = () => Promise<void>

/** Opens a dialog, looks at it, and leaves it by Escape. */
async function lookInto(page: Page, opener: Locator, look: Look): Promise<void> {
  await opener.click()
  await expect(dialog(page)).toBeVisible()
  await look()
  await page.keyboard.press('Escape')
  await expect(dialog(page)).toHaveCount(0)
}

/** The form of an entry: its messages, then the tool for covers with one cover, then the page that was used. */
async function lookAtEntry(page: Page, look: Look): Promise<void> {
  await newButton(page).click()
  await expect(dialog(page)).toBeVisible()
  await look()
  const form = page.getByRole('dialog').first()
  await form.locator('button').last().click()
  await expect(form.locator('.field-error').first()).toBeVisible()
  await look()
  await form.locator('input[type="file"]').setInputFiles({ name: 'bill.png', mimeType: 'image/png', buffer: picture(200) })
  const tool = page.getByRole('dialog').filter({ has: page.locator('.cover-stage') })
  await tool.locator('.cover-tools button').first().click()
  // The arrow keys move the new cover at once.
  await expect(tool.locator('.cover')).toBeFocused()
  const top = (await tool.locator('.cover').boundingBox())?.y ?? 0
  await page.keyboard.press('ArrowUp')
  await expectValue.poll(async () => (await tool.locator('.cover').boundingBox())?.y).toBeLessThan(top)
  await look()
  await tool.locator('button').last().click()
  await expect(form.locator('ol.pages li')).toHaveCount(1)
  await expect(form.locator('.field', { has: page.locator('ol.pages') }).locator('.field-error')).toHaveCount(0)
  await look()
  await page.keyboard.press('Escape')
  await expect(dialog(page)).toHaveCount(0)
}

const SCREENS = [
  ['en', SMALL],
  ['en', WIDE],
  ['hi', SMALL],
  ['hi', WIDE],
] as const
test.each(SCREENS)('the help desk in %s at %o', async (language, size) => {
  await fixture.page.setViewportSize(size)
  // The dark theme has the same words: its contrast is looked at in English.
  const look: Look = () => auditVisit(fixture.visit, language === 'en' ? 'both' : 'light')
  const inPortal = (tab: string, work: (page: Page) => Promise<void>) =>
    fixture.as(admin, '/admin/login', async (page) => {
      await page.evaluate((chosen) => localStorage.setItem('language', chosen), language)
      await page.goto(`${fixture.line.url}/admin/dashboard?tab=${tab}`)
      await expect(page.locator('html')).toHaveAttribute('lang', language)
      await work(page)
    })

  await inPortal('beneficiaries', async (page) => {
    await expect(rows(page)).toHaveCount(2)
    await look()
    await lookInto(page, newButton(page), look)
    const [edit, revoke] = [rows(page).locator('.buttons button').first(), rows(page).locator('.buttons button').nth(1)]
    await lookInto(page, edit, look)
    await lookInto(page, revoke, look)
    await panel(page).locator('input[type="search"], .narrowing input').first().fill('nobody')
    await expect(panel(page).locator('.empty')).toBeVisible()
    await look()
  })

  await inPortal('help-given', async (page) => {
    await expect(rows(page)).toHaveCount(3)
    if (language === 'en') await expect(panel(page)).toContainText(/The requests exceed the help fund by ₹\d+\.\d{2}\./)
    await look()
    // The newest row is an own request: its bills, and the rejection. The booked row: what came back.
    const [request, booked] = [rows(page).first().locator('.buttons button'), rows(page).last().locator('.buttons button')]
    await lookInto(page, request.first(), async () => {
      await expect(dialog(page).locator('canvas')).toBeVisible()
      await look()
    })
    await lookInto(page, request.last(), look)
    await lookInto(page, booked.last(), look)
    // Its story, to be written.
    await lookInto(page, booked.first(), look)
    await lookAtEntry(page, look)
  })

  await inPortal('stories', async (page) => {
    await expect(rows(page)).toHaveCount(1)
    await look()
    // Edit, publish, schedule and delete.
    for (const place of [0, 1, 2, 4]) await lookInto(page, rows(page).first().locator('.buttons button').nth(place), look)
  })

  await inPortal('house-entries', async (page) => {
    await expect(rows(page)).toHaveCount(1)
    await look()
    await lookInto(page, rows(page).locator('.buttons button').first(), look)
    await lookAtEntry(page, look)
  })
})
