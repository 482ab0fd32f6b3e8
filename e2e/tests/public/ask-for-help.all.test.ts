/** Asking for help without an account and without scripts: the form, its refusals, the number, and the desk that answers. */
import type { Page } from 'playwright-core'
import { beforeAll, expect as expectValue, test } from 'vitest'
import { useAppFixture } from '../../harness/app-fixture.ts'
import { auditScreen, SMALL } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expect } from '../../harness/expect.ts'
import { adminToken } from '../../harness/people.ts'
import { toast } from '../../harness/steps.ts'
import { addColleague } from '../../harness/team.ts'

const RICE = { for: 'self', kind: 'food', words: 'Rice for a week.', district: 'Pune', state: 'MH', name: 'Ravi' } as const
const fixture = useAppFixture({ size: SMALL })
let admin: string
beforeAll(async () => {
  admin = await adminToken(fixture.roz.url)
})

async function fill(page: Page, phone: string): Promise<void> {
  await page.getByLabel('I need help').check()
  await page.getByLabel('What is the help for?').selectOption('school')
  await page.getByLabel('What is needed, and why?').fill('Shoes for my daughter.')
  await page.getByLabel('District').fill('Pune')
  await page.getByLabel('State').selectOption({ label: 'Maharashtra' })
  await page.getByLabel('Your name').fill('Gita Rao')
  await page.getByLabel('Your mobile number, 10 digits').fill(phone)
}
const send = (page: Page) => page.getByRole('button', { name: 'Ask for help' }).click()

/** A page whose forms are all that works: its scripts never arrive. */
async function withoutScripts(page: Page, work: () => Promise<void>): Promise<void> {
  await page.route('**/assets/*.js', (route) => route.abort())
  try {
    await page.reload()
    await work()
  } finally {
    await page.unroute('**/assets/*.js')
  }
}

test('a form with a wrong field comes back with what was typed, and then with a number that shows the stage', async () => {
  let number = ''
  await fixture.at('/ask-for-help', (page) =>
    withoutScripts(page, async () => {
      await auditScreen(page)
      await fill(page, '12345')
      await send(page)
      const phone = page.getByLabel('Your mobile number, 10 digits')
      await expect(phone).toHaveAccessibleDescription('Please enter a valid 10-digit mobile number')
      await expect(page.getByLabel('What is needed, and why?')).toHaveValue('Shoes for my daughter.')
      await auditScreen(page)
      await phone.fill('9812345678')
      await send(page)
      const words = page.getByRole('status')
      await expect(words).toContainText('We have your request. Your number is #')
      number = /#(\w{4})/.exec(await words.innerText())?.[1] ?? ''
      await page.getByRole('link', { name: 'See your request' }).click()
      await page.getByLabel('The mobile number that you gave').fill('9000000000')
      await page.getByRole('button', { name: 'See your request' }).click()
      await expect(page.getByRole('alert')).toHaveText('No request has this number and this phone number.')
      await page.getByLabel('The mobile number that you gave').fill('9812345678')
      await page.getByRole('button', { name: 'See your request' }).click()
      await expect(page.getByText('We have your request. We will call.')).toBeVisible()
      expectValue(new URL(page.url()).pathname).toBe(`/ask-for-help/${number}`)
      await page.goto(`${fixture.line.url}/ask-for-help`)
      await fill(page, '9812345678')
      await send(page)
      await expect(page.getByRole('status')).toContainText(`Your number is #${number}`)
    }),
  )

  await fixture.as(admin, '/admin/dashboard?tab=requests', async (page) => {
    await page.getByRole('button', { name: `Open: request ${number}` }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByText('Shoes for my daughter.')).toBeVisible()
    await auditScreen(page)
    await dialog.getByRole('button', { name: 'Record a step' }).click()
    await dialog.getByLabel('What happened').selectOption('checked')
    await dialog.getByLabel('Note for the team').fill('Seen at the school.')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(toast(page, 'Recorded.')).toBeVisible()
    await expect(dialog.getByText('Seen at the school.')).toBeVisible()
    await dialog.getByRole('button', { name: 'Agree to help' }).click()
    await dialog.getByLabel('Amount in rupees').fill('500')
    await dialog.getByLabel('Public name').fill('Gita')
    await dialog.getByLabel('How the consent was given').selectOption('written')
    await dialog.getByLabel('Day of the consent').fill('2026-01-05')
    await dialog.getByLabel('Why we agree, for the team').fill('Both have seen it.')
    await dialog.getByRole('button', { name: 'Agree', exact: true }).click()
    await dialog.getByRole('button', { name: 'Start the payment' }).click()
    await expect(dialog.getByLabel('Amount in rupees')).toHaveValue('500')
    await expect(dialog.getByLabel('What it is for', { exact: true })).toHaveValue('School')
    await auditScreen(page)
  })

  await fixture.at('/hi/ask-for-help', async (page) => {
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('मदद माँगें')
    await page.locator('#number').fill(number.toLowerCase())
    await page.locator('#given-phone').fill('9812345678')
    await page.locator('form').last().getByRole('button').click()
    await expect(page.getByText('टीम ने मदद के लिए हाँ कहा है।')).toBeVisible()
    // An agreed request is not withdrawn on the page.
    const link = page.getByRole('link', { name: 'यह अनुरोध वापस लें' })
    await expect(link).toHaveCount(0)
    const other = (await ask(fixture.roz.url, 'askForHelp', { body: { ...RICE, phone: '9812345678' } })).output.number
    await withoutScripts(page, async () => {
      await page.goto(`${fixture.line.url}/hi/ask-for-help/${other}`)
      await page.locator('#phone').fill('9812345678')
      await page.locator('form').getByRole('button').click()
      await link.click()
      await page.locator('#phone').fill('9812345670')
      await page.getByRole('button', { name: 'अनुरोध वापस लें' }).click()
      await expect(page.locator('#phone')).toHaveAccessibleDescription('इस नंबर और इस फ़ोन नंबर का कोई अनुरोध नहीं है।')
      await auditScreen(page)
      await page.locator('#phone').fill('9812345678')
      await page.getByRole('button', { name: 'अनुरोध वापस लें' }).click()
      await expect(page.getByRole('status')).toHaveText(`अनुरोध #${other} वापस ले लिया गया।`)
      await auditScreen(page)
    })
  })
})

test('a volunteer’s portal has the requests that are assigned to them, and nothing else', async () => {
  const { number } = (await ask(fixture.roz.url, 'askForHelp', { body: { ...RICE, phone: '9812345679' } })).output
  const volunteer = await addColleague(fixture.roz, 'volunteer')
  const team = (await ask(fixture.roz.url, 'helpCases', { token: admin })).output.team
  const me = team.find(({ name }) => name === 'Sunita Nair')?.id ?? ''
  await fixture.as(volunteer, '/admin/dashboard', async (page) => {
    await expect(page.getByRole('heading', { name: 'Requests for help' })).toBeVisible()
    await expect(page.getByText('No requests found')).toBeVisible()
    for (const name of ['Overview', 'Users', 'Beneficiaries', 'Withdrawals', 'Staff log'])
      await expect(page.getByRole('tab', { name, exact: true })).toHaveCount(0)
  })
  await ask(fixture.roz.url, 'assignHelpCase', { token: admin, params: { number }, body: { assignedTo: me, version: 1 } })
  await fixture.as(volunteer, '/admin/dashboard', async (page) => {
    await page.getByRole('button', { name: `Open: request ${number}` }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByText('Rice for a week.')).toBeVisible()
    await expect(dialog.getByRole('button', { name: 'Who takes care' })).toHaveCount(0)
    await dialog.getByRole('button', { name: 'Record a step' }).click()
    await expect(dialog.getByLabel('What happened').getByRole('option')).toHaveText([
      'I tried and reached nobody',
      'I talked with the person',
      'I checked the need',
    ])
  })
})
