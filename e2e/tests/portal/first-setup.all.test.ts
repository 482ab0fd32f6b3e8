/**
 * An owner's first login in production: the authenticator app is set up before anything else opens.
 * - The program runs with production's settings, on a durable database of its own. Nothing sets its clock.
 */
import { codeOfApp } from '@roz/server/testing/authenticator.ts'
import { cloneTemplate, type TestDatabase } from '@roz/server/testing/database.ts'
import { startTestServer } from '@roz/server/testing/postgres.ts'
import { PRODUCTION } from '@roz/server/testing/production.ts'
import { afterAll, expect as expectValue, test } from 'vitest'
import { auditBothWidths, expectSilence, WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expect } from '../../harness/expect.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'

const OWNER = { email: PRODUCTION.ADMIN_EMAIL, password: PRODUCTION.ADMIN_PASSWORD } as const

let durable: Awaited<ReturnType<typeof startTestServer>> | undefined
let database: TestDatabase | undefined
const fixture = useAppFixture({
  size: WIDE,
  env: async () => {
    // A start in production refuses a database without fsync, such as the tests' own.
    durable = await startTestServer(['fsync=on', 'synchronous_commit=on'])
    database = await cloneTemplate(durable.urls)
    return { ...PRODUCTION, BEACON_RELAYS: 'https://127.0.0.1:1', DATABASE_URL: database.appUrl, MIGRATE_DATABASE_URL: database.ownerUrl }
  },
})
afterAll(async () => {
  await fixture.roz?.stop()
  await database?.drop()
  await durable?.stop()
})

test('an owner sets the app up at the first login, keeps the recovery codes, and only then the portal opens', async () => {
  const { roz, visit, page } = fixture
  const logIn = async (): Promise<void> => {
    await page.getByLabel('Email').fill(OWNER.email)
    await page.getByLabel('Password').fill(OWNER.password)
    await page.getByRole('button', { name: 'Log in' }).click()
  }
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const setup = page.getByRole('heading', { level: 1, name: 'Set up your authenticator app' })
  const tabs = page.getByRole('tab')
  const atBothWidths = async (): Promise<void> => {
    await auditBothWidths(visit)
  }

  await page.goto(`${fixture.line.url}/admin/login`)
  await logIn()
  await expect(setup).toBeVisible()
  await expect(tabs).toHaveCount(0)
  await atBothWidths()
  // No address leads past it, and no call answers.
  await page.goto(`${fixture.line.url}/admin/dashboard?tab=withdrawals`)
  await expect(setup).toBeVisible()
  await expect(tabs).toHaveCount(0)
  const token = (await page.evaluate(() => sessionStorage.getItem('admin-token'))) ?? ''
  for (const call of ['adminWithdrawals', 'staff', 'adminAudit'] as const)
    expectValue((await ask(roz.url, call, { token })).refusal.code, call).toBe('totp_required')

  await press('Set up the app')
  await page.getByRole('dialog').getByRole('button', { name: 'Show the QR code' }).click()
  await expect(page.getByRole('img', { name: 'QR code for the authenticator app' })).toBeVisible()
  const secret = ((await page.locator('.totp-key').textContent()) ?? '').replace(/\s/g, '')
  await atBothWidths()
  await page.getByLabel('Code that the app shows').fill(codeOfApp(secret, Date.now()))
  await press('Turn it on')
  await expect(page.locator('.recovery-codes li')).toHaveCount(8)
  await atBothWidths()
  await press('I have kept them')
  await expect(page.getByRole('tab', { name: 'Withdrawals' })).toBeVisible()
  await expectSilence(visit)

  await press('Logout')
  await logIn()
  const field = page.getByLabel('Code of your authenticator app')
  await expect(field).toBeFocused()
  await expectSilence(visit, /the server responded with a status of 4\d\d/)
  // The code of the next step: the present step's code is used up.
  await field.fill(codeOfApp(secret, Date.now(), 1))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('tab', { name: 'Withdrawals' })).toBeVisible()
  await expect(setup).toHaveCount(0)
})
