/**
 * Team, own account with its authenticator app, and staff log.
 * - The owner works with the mouse at 1280 px; the invited colleague with only the keyboard at 360 px.
 */
import { codeOfApp } from '@roz/server/testing/authenticator.ts'
import type { Page } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import { auditBothWidths, auditVisit, expectSilence, SMALL, type Visit, WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expect } from '../../harness/expect.ts'
import { adminToken, mailedLink, readClock, setClock } from '../../harness/people.ts'
import type { Program } from '../../harness/program.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'
import { toast } from '../../harness/steps.ts'

const EMAIL = 'meera@staff.test'
const PASSWORD = 'a staff password'
const fixture = useAppFixture({ size: WIDE })
let roz: Program
let visit: Visit
let page: Page
let secret = ''
let recovery: string[] = []

beforeAll(async () => {
  ;({ roz, visit, page } = fixture)
  const token = await adminToken(roz.url)
  await fixture.at('/admin/dashboard', async (at) => expect(at.getByRole('tab').first()).toBeVisible(), { token })
})

const open = (tab: string) => page.goto(`${fixture.line.url}/admin/dashboard?tab=${tab}`)
const dialog = () => page.getByRole('dialog')
const button = (name: string) => page.getByRole('button', { name, exact: true })
async function logIn(): Promise<void> {
  await page.getByLabel('Email').fill(EMAIL)
  await page.getByLabel('Password').fill(PASSWORD)
  await button('Log in').click()
  await expect(page.getByRole('tab', { name: 'My account' })).toBeVisible()
}
const code = async (away = 0): Promise<string> => codeOfApp(secret, Date.parse(await readClock(roz.url)), away)
/** The browser reports each refusal of this test in its console. */
const hearRefusals = () => expectSilence(visit, /the server responded with a status of 4\d\d/)

async function atBothWidths(): Promise<void> {
  const before = page.viewportSize() ?? WIDE
  await page.setViewportSize(WIDE)
  await auditBothWidths(visit)
  await page.setViewportSize(before)
}

describe('the team', () => {
  test('an owner invites a colleague; the open invitation is listed, and a wrong address is named beside its field', async () => {
    await open('team')
    await button('Invite').click()
    await dialog().getByLabel('Name').fill('Meera Nair')
    await dialog().getByLabel('Email').fill('meera')
    await dialog().getByRole('button', { name: 'Send the invitation' }).click()
    await expect(dialog()).toContainText('Please enter a valid email address')
    await dialog().getByLabel('Email').fill(EMAIL)
    await dialog().getByLabel('Role').selectOption('finance')
    await dialog().getByRole('button', { name: 'Send the invitation' }).click()
    await expect(toast(page, `Invitation sent to ${EMAIL}.`)).toBeVisible()
    await expect(page.locator('.team-rows li', { hasText: EMAIL })).toContainText('Invited')
    await atBothWidths()
  })

  test('the colleague accepts with only the keyboard, and logs in', async () => {
    const link = new URL(await mailedLink(roz.url, EMAIL, '/admin/invitation'))
    await button('Logout').click()
    await expect(page.getByLabel('Email')).toBeVisible()
    await page.setViewportSize(SMALL)
    await page.goto(fixture.line.url + link.pathname + link.search)
    await expect(page.getByRole('heading', { name: 'Join the team' })).toBeVisible()
    await page.getByLabel('New password').focus()
    await page.keyboard.type('too short')
    await page.keyboard.press('Enter')
    await expect(toast(page, 'A staff password needs at least 12 characters')).toBeVisible()
    await auditVisit(visit)
    await page.getByLabel('New password').focus()
    await page.keyboard.press('Control+a')
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    await expect(toast(page, 'Your account is ready. Please log in.')).toBeVisible()
    await page.getByLabel('Email').focus()
    await page.keyboard.type(EMAIL)
    await page.keyboard.press('Tab')
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('tab', { name: 'My account' })).toBeVisible()
    await expect(page.getByRole('tab', { name: 'Team' })).toHaveCount(0)
    await expect(page.getByRole('tab', { name: 'Staff log' })).toHaveCount(0)
  })

  test('a used link says so, and a link without its token asks for the whole one', async () => {
    await button('Logout').click()
    await expect(page.getByLabel('Email')).toBeVisible()
    const link = new URL(await mailedLink(roz.url, EMAIL, '/admin/invitation'))
    await page.goto(fixture.line.url + link.pathname + link.search)
    await page.getByLabel('New password').fill(PASSWORD)
    await button('Create my account').click()
    await expect(toast(page, 'This invitation is invalid or has expired. Please request a new one.')).toBeVisible()
    await page.goto(`${fixture.line.url}/admin/invitation`)
    await expect(page.getByText('This link is not complete.')).toBeVisible()
    await hearRefusals()
    await page.goto(`${fixture.line.url}/admin/login`)
    await logIn()
  })
})

describe('the own account', () => {
  test('an authenticator app is set up by QR code or key, and its recovery codes are shown once', async () => {
    await open('account')
    await button('Set up the app').click()
    await dialog().getByRole('button', { name: 'Show the QR code' }).click()
    await expect(page.getByRole('img', { name: 'QR code for the authenticator app' })).toBeVisible()
    secret = ((await page.locator('.totp-key').textContent()) ?? '').replace(/\s/g, '')
    await atBothWidths()
    await page.getByLabel('Code that the app shows').fill('000000')
    await button('Turn it on').click()
    await expect(page.getByText('That code is not correct, or it was used before.')).toBeVisible()
    await hearRefusals()
    await page.getByLabel('Code that the app shows').fill(await code(-1))
    await button('Turn it on').click()
    await expect(page.locator('.recovery-codes li')).toHaveCount(8)
    recovery = await page.locator('.recovery-codes li').allTextContents()
    await atBothWidths()
    await button('I have kept them').click()
    await expect(page.getByText('8 recovery codes are left.')).toBeVisible()
    await atBothWidths()
  })

  test('the login asks for the code after the password, refuses a wrong one in words, and takes a recovery code', async () => {
    await button('Logout').click()
    await page.getByLabel('Email').fill(EMAIL)
    await page.getByLabel('Password').fill(PASSWORD)
    await button('Log in').click()
    const field = page.getByLabel('Code of your authenticator app')
    await expect(field).toBeFocused()
    await hearRefusals()
    await auditVisit(visit)
    await page.keyboard.type('000000')
    await page.keyboard.press('Enter')
    await expect(page.getByText('That code is not correct, or it was used before.')).toBeVisible()
    await hearRefusals()
    await field.fill(recovery[0] ?? '')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('tab', { name: 'My account' })).toBeVisible()
    await open('account')
    await expect(page.getByText('7 recovery codes are left.')).toBeVisible()
  })

  test('a step-up asks for the code of the app', async () => {
    await setClock(roz.url, new Date(Date.parse(await readClock(roz.url)) + 660_000).toISOString())
    await button('Turn the app off').click()
    await dialog().getByLabel('Your password').fill(PASSWORD)
    await dialog()
      .getByLabel('Code of your authenticator app')
      .fill(await code())
    await dialog().getByRole('button', { name: 'Turn the app off' }).click()
    await expect(toast(page, 'The app is off. Your password alone logs you in.')).toBeVisible()
    await button('Set up the app').click()
    await dialog().getByRole('button', { name: 'Show the QR code' }).click()
    await expect(dialog().getByLabel('Your password')).toBeFocused()
    await dialog().getByLabel('Your password').fill(PASSWORD)
    await dialog().getByRole('button', { name: 'Show the QR code' }).click()
    await expect(page.getByRole('img', { name: 'QR code for the authenticator app' })).toBeVisible()
  })

  test('name and password are changed', async () => {
    await open('account')
    await page.getByLabel('Name', { exact: true }).fill('Meera R. Nair')
    await button('Save').click()
    await expect(toast(page, 'Saved.')).toBeVisible()
    await page.getByLabel('Current password').fill(PASSWORD)
    await page.getByLabel('New password').fill(`${PASSWORD} two`)
    await button('Change password').click()
    await expect(toast(page, 'Your password was changed. You are logged out everywhere else.')).toBeVisible()
  })
})

describe('the staff log', () => {
  test('shows who did what, with values and origin, is narrowed by action and subject, and is empty in words', async () => {
    const token = await adminToken(roz.url)
    await page.setViewportSize(WIDE)
    await fixture.as(token, '/admin/dashboard?tab=audit', async (at) => {
      const rows = at.locator('.audit-rows li.audit-row')
      await expect(rows.filter({ hasText: 'staff.profile' })).toContainText('Meera R. Nair')
      await atBothWidths()
      await at.getByLabel('Action').selectOption('staff.join')
      await expect(rows).toHaveCount(1)
      await expect(rows).toContainText('127.0.0.1')
      await at.getByLabel('Action').selectOption('')
      await at.getByLabel('Subject').fill('nobody@x.test')
      await expect(at.getByText('No entries found')).toBeVisible()
      await auditVisit(visit)
    })
  })

  test('an owner removes the colleague, whose open session ends at once', async () => {
    const theirs = (await ask(roz.url, 'adminLogin', { body: { email: EMAIL, password: `${PASSWORD} two` } })).output.token
    await open('team')
    await button('Remove: Meera R. Nair').click()
    await dialog().getByLabel('Reason').fill('She has left us.')
    await dialog().getByRole('button', { name: 'Remove', exact: true }).click()
    await expect(toast(page, 'Removed. Meera R. Nair is logged out everywhere.')).toBeVisible()
    await expect(page.locator('.team-rows li', { hasText: 'Meera R. Nair' })).toContainText('In the team from')
    expect((await ask(roz.url, 'me', { token: theirs })).status).toBe(401)
    await button('Change role: Administrator').click()
    await dialog().getByLabel('Role').selectOption('auditor')
    await dialog().getByRole('button', { name: 'Change role' }).click()
    await expect(toast(page, 'This is the only owner. First make somebody else an owner.')).toBeVisible()
  })
})
