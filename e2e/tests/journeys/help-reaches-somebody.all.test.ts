/**
 * A day of the team, and the whole way of a rupee: join, draw, help paid by two persons, an editor's story at 6 PM, and the
 * member's view with bill and proof.
 * - The team works only in the portal: invitations, answers, decisions, consent, bill, request, approval and story are presses.
 */
import { dayAt, nextDay } from '@roz/core/ist-day.ts'
import type { Page } from 'playwright-core'
import { beforeAll, expect as expectValue, test } from 'vitest'
import { auditScreen } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expectCleanAudit } from '../../harness/database.ts'
import { expect } from '../../harness/expect.ts'
import {
  adminToken,
  BANK,
  eventually,
  joinRound,
  mailedLink,
  mailsTo,
  newMember,
  passDay,
  passRound,
  type Person,
  readClock,
  setClock,
} from '../../harness/people.ts'
import { png } from '../../harness/pictures.ts'
import { type Program } from '../../harness/program.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'
import { settleTeam } from '../../harness/team.ts'
import { chooseOption, toast } from '../../harness/steps.ts'

// The share of two rupees, ₹1.20, needs a second person.
const fixture = useAppFixture({ env: async () => ({ APPROVAL_ABOVE: '1' }) })
let roz: Program
let asha: Person
let ravi: Person

beforeAll(async () => {
  ;({ roz } = fixture)
  // The team works at noon: 6 PM is still to come.
  const now = Date.parse(await readClock(roz.url))
  await setClock(roz.url, `${nextDay(dayAt(now))}T12:00:00+05:30`)
  ;[asha, ravi] = await Promise.all([newMember(roz, { name: 'Asha Verma', rupees: 20 }), newMember(roz, { name: 'Ravi Rao', rupees: 20 })])
})

const FINANCE = 'sunita@roz.example'
const EDITOR = 'dev@roz.example'
const SUPPORT = 'lata@roz.example'
const TEAM = [
  { name: 'Sunita Nair', email: FINANCE, role: 'finance' },
  { name: 'Dev Malhotra', email: EDITOR, role: 'editor' },
  { name: 'Lata Iyer', email: SUPPORT, role: 'support' },
] as const
const STAFF_PASSWORD = 'counted twice every day'
const logIn = async (email: string): Promise<string> =>
  (await ask(roz.url, 'adminLogin', { body: { email, password: STAFF_PASSWORD } })).output.token

const at = (path: string, token: string, work: (page: Page) => Promise<void>): Promise<void> => fixture.at(path, work, { token })
const openDialog = (page: Page, name: string) => page.getByRole('dialog', { name })
const inPortal = (tab: string, token: string, work: (page: Page) => Promise<void>) => at(`/admin/dashboard?tab=${tab}`, token, work)

/** Opens the section of a line of the to-do list. */
const fromTodo = (line: string, token: string, work: (page: Page) => Promise<void>) =>
  at('/admin/dashboard', token, async (page) => {
    await page.getByRole('region', { name: 'To do' }).getByRole('link', { name: line }).click()
    await work(page)
  })

/** The owner invites the team, and each opens the mailed link and chooses a password. */
async function inviteTeam(token: string): Promise<void> {
  await inPortal('team', token, async (page) => {
    for (const { name, email, role } of TEAM) {
      await page.getByRole('button', { name: 'Invite', exact: true }).click()
      const form = page.getByRole('dialog')
      await form.getByLabel('Name').fill(name)
      await form.getByLabel('Email').fill(email)
      await form.getByLabel('Role').selectOption(role)
      await form.getByRole('button', { name: 'Send the invitation' }).click()
      await expect(toast(page, `Invitation sent to ${email}.`)).toBeVisible()
      await expect(form).toHaveCount(0)
    }
  })
  for (const { email } of TEAM) {
    const link = new URL(await mailedLink(roz.url, email, '/admin/invitation'))
    await at(link.pathname + link.search, '', async (page) => {
      await page.getByLabel('New password').fill(STAFF_PASSWORD)
      await page.getByRole('button', { name: 'Create my account' }).click()
      await expect(toast(page, 'Your account is ready. Please log in.')).toBeVisible()
    })
  }
}

/** Support answers a message; the answer comes by mail. */
async function answerGita(token: string): Promise<void> {
  const gita = 'gita@roz.example'
  await ask(roz.url, 'contact', { body: { name: 'Gita Rao', email: gita, message: 'Where do I see my ticket?' } })
  await fromTodo('Unanswered messages', token, async (page) => {
    const row = page.getByRole('listitem').filter({ hasText: 'Where do I see my ticket?' })
    await row.getByRole('button', { name: 'Reply' }).click()
    const form = page.getByRole('dialog')
    await form.getByLabel('Your reply').fill('Open My ticket in the menu.')
    await form.getByRole('button', { name: 'Send reply' }).click()
    await expect(toast(page, 'Your reply was sent.')).toBeVisible()
  })
  await eventually('the answer to Gita', async () =>
    (await mailsTo(roz.url, gita)).find(({ text }) => text.includes('Open My ticket in the menu.')),
  )
}

/** Finance approves Ravi's withdrawal first, the owner second. */
async function approveWithdrawal(finance: string, owner: string): Promise<void> {
  for (const [line, token, outcome] of [
    ['Withdrawals to decide', finance, 'First approval: Sunita Nair'],
    ['Withdrawals that need a second person', owner, 'Approved by Sunita Nair and Administrator'],
  ] as const)
    await fromTodo(line, token, async (page) => {
      const row = page.locator('.story-rows li', { hasText: '₹10.00, Ravi Rao' })
      await row.getByRole('button', { name: /^Approve/ }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Approve', exact: true }).click()
      await expect(page.getByRole('dialog')).toHaveCount(0)
      await page.getByLabel('Status').selectOption('')
      await expect(row).toContainText(outcome)
    })
}

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

/** Finance covers what the bill shows of a person, and asks for the payment; the hash of the page. */
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
    await form.getByLabel('What it is for', { exact: true }).fill('school shoes')
    await form.getByRole('button', { name: 'Request approval' }).click()
    await expect(toast(page, 'Requested. Another person must approve it.')).toBeVisible()
    const row = page.getByRole('listitem').filter({ hasText: 'school shoes' })
    await expect(row).toContainText('You requested this. Another person must approve it.')
    await expect(row.getByRole('button', { name: /^Approve/ })).toHaveCount(0)
  })
  return hash
}

/** The owner looks at the bill and approves what finance asked for. */
async function approveShoes(token: string): Promise<void> {
  await inPortal('help-given', token, async (page) => {
    const row = page.getByRole('listitem').filter({ hasText: 'school shoes' })
    await row.getByRole('button', { name: /^Bills/ }).click()
    await expect(openDialog(page, 'Bills').getByRole('img', { name: 'Page 1' })).toBeVisible()
    await page.keyboard.press('Escape')
    await row.getByRole('button', { name: /^Approve/ }).click()
    const approval = openDialog(page, 'Approve this payment?')
    await expect(approval).toContainText(/Meera.*#[0-9A-F]{4} · consent of .* · helped so far: ₹0\.00/)
    await approval.getByRole('button', { name: 'Approve and record' }).click()
    await expect(toast(page, 'Recorded.')).toBeVisible()
    await expect(row).toContainText('Sent')
  })
}

/** Finance hands a code over with the shoes; Meera tells it to the editor, who had no part in the payment. */
async function confirmShoes(payer: string, editor: string): Promise<void> {
  let code = ''
  await inPortal('help-given', payer, async (page) => {
    await page.getByRole('button', { name: /^Code for the receiver/ }).click()
    await openDialog(page, 'Code for the receiver').getByRole('button', { name: 'Show the code' }).click()
    code = (await openDialog(page, 'Code for the receiver').locator('.lead').textContent()) ?? ''
  })
  await inPortal('help-given', editor, async (page) => {
    await page.getByRole('button', { name: /^Did it arrive\?/ }).click()
    const form = openDialog(page, 'Did the help arrive?')
    await form.getByLabel('How you learnt it').selectOption('By a spoken code')
    await form.getByRole('button', { name: 'Confirm that it arrived' }).click()
    await expect(form.getByText('Please enter the four digits that the receiver tells you')).toBeVisible()
    await auditScreen(page)
    await form.getByLabel('Code that the receiver tells you').fill(code)
    await form.getByRole('button', { name: 'Confirm that it arrived' }).click()
    await expect(toast(page, 'Recorded.')).toBeVisible()
    await expect(page.getByRole('listitem').filter({ hasText: 'school shoes' })).toContainText('recorded by Dev Malhotra')
  })
}

/** The editor links the draft that the day made by itself, adds the video, and schedules it; it is published at 6 PM. The story's id. */
async function tellOfShoes(token: string): Promise<string> {
  let sixPm = ''
  await inPortal('stories', token, async (page) => {
    await page.getByRole('button', { name: /^Edit: Daily impact of/ }).click()
    const dialog = openDialog(page, 'Edit story')
    await dialog.getByLabel('Help that it tells of').selectOption({ label: 'school shoes for Meera, ₹1.20' })
    await expect(dialog.getByLabel('Charity name', { exact: true })).toHaveValue('Meera')
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
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Schedule: school shoes for Meera' }).click()
    const schedule = openDialog(page, 'Publish at a time')
    sixPm = await schedule.getByLabel('Day and time (IST)').inputValue()
    await schedule.getByRole('button', { name: 'Schedule' }).click()
    await expect(toast(page, 'Story scheduled!')).toBeVisible()
  })
  expectValue((await ask(roz.url, 'stories')).output.stories).toEqual([])
  await setClock(roz.url, `${sixPm}:01+05:30`)
  return (await ask(roz.url, 'stories')).output.stories[0]?.id ?? ''
}

test('a day of the team: a member’s rupee reaches somebody, and the member reads it with its bill and its proof', async () => {
  await inviteTeam(await adminToken(roz.url))
  await settleTeam(roz)
  await Promise.all([joinRound(roz.url, asha), joinRound(roz.url, ravi)])
  await ask(roz.url, 'withdraw', { token: ravi.token, body: { amount: 10, bankDetail: BANK } })
  const day = await passRound(roz.url, asha)
  await at('/history', asha.token, async (page) => {
    await expect(page.getByText('Your 60 paise have been in the help fund for 1 day.')).toBeVisible()
  })
  await at('/', '', async (page) => {
    await expect(page.getByText('No help has been sent yet.')).toBeVisible()
  })

  await answerGita(await logIn(SUPPORT))
  const sunita = await logIn(FINANCE)
  await approveWithdrawal(sunita, await adminToken(roz.url))
  await addMeera(sunita)
  const hash = await askForShoes(sunita)
  await approveShoes(await adminToken(roz.url))
  const dev = await logIn(EDITOR)
  await confirmShoes(sunita, dev)
  const story = await tellOfShoes(dev)

  await at('/notifications', asha.token, async (page) => {
    await expect(
      page.getByText(/^Your 60 paise of .*: school shoes for Meera, with 1 other\. Received, confirmed by a code on /),
    ).toBeVisible()
  })
  await at('/history', asha.token, async (page) => {
    await expect(page.getByText('Your 60 paise paid for school shoes for Meera, with 1 other.')).toBeVisible()
    await expect(page.getByText(/^Received, confirmed by a code on \d{1,2} \w{3} \d{4}\.$/)).toBeVisible()
    await auditScreen(page)
    await expect(page.getByText('Can be checked tomorrow')).toBeVisible()
    await expect(page.getByRole('link', { name: 'Check it' })).toHaveCount(0)
    await expect(page.getByRole('link', { name: 'Video', exact: true })).toHaveAttribute('href', `/impact-stories/${story}`)
    const link = page.getByRole('link', { name: 'Bill', exact: true })
    await expect(link).toHaveAttribute('href', `/api/receipts/${hash}`)
    await link.click()
    await expect(page.locator('img')).toHaveJSProperty('naturalWidth', 40)
  })
  // The receipt of the join and the ticket of the day say the same.
  for (const path of [`/receipt?id=join:${day}`, `/my-ticket?day=${day}`])
    await at(path, asha.token, async (page) => {
      await expect(page.getByText('Your 60 paise paid for school shoes for Meera, with 1 other.')).toBeVisible()
      await expect(page.getByRole('link', { name: 'Bill', exact: true })).toHaveAttribute('href', `/api/receipts/${hash}`)
      await expect(page.getByRole('link', { name: 'Video', exact: true })).toHaveAttribute('href', `/impact-stories/${story}`)
    })
  await at(`/impact-stories/${story}`, '', async (page) => {
    await expect(page.getByRole('heading', { name: 'school shoes for Meera' })).toBeVisible()
    await expect(page.locator('[href*="aqz-KE-bpKQ"], [data-video*="aqz-KE-bpKQ"], [src*="aqz-KE-bpKQ"]').first()).toBeAttached()
  })
  await at('/money-trail', '', async (page) => {
    await expect(page.getByText('school shoes for Meera', { exact: true })).toHaveCSS('display', 'block')
    await expect(page.getByText('Half of the help was sent within 1 day.')).toBeVisible()
    await expect(page.getByText(/^Received, confirmed by a code on /)).toBeVisible()
    await expect(page.getByRole('link', { name: 'See the bill' })).toHaveAttribute('href', `/api/receipts/${hash}`)
    // With the triangle that shows that it opens.
    await expect(page.getByText('Technical details').first()).toHaveCSS('display', 'list-item')
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
