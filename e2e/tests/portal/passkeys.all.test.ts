/**
 * Passkeys in the portal, with the browser's own virtual authenticator: adding one, logging in, stepping up, removing it.
 * - The address is `localhost`: browsers have no passkeys on an address in numbers.
 */
import { codeOfApp } from '@roz/server/testing/authenticator.ts'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, expect as expectValue, test } from 'vitest'
import { auditBothWidths, auditVisit, closeVisits, expectSilence, newVisit, openBrowser, type Visit, WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expect } from '../../harness/expect.ts'
import { adminToken, readClock, setClock } from '../../harness/people.ts'
import { ADMIN, type Program, startProgram } from '../../harness/program.ts'
import { toast } from '../../harness/steps.ts'

let roz: Program
let browser: Browser
let visit: Visit
let page: Page
let devtools: CDPSession
let secret = ''
let site = ''

const code = async (away = 0): Promise<string> => codeOfApp(secret, Date.parse(await readClock(roz.url)), away)
const button = (name: string) => page.getByRole('button', { name, exact: true })
const dialog = () => page.getByRole('dialog')
const hearRefusals = () => expectSilence(visit, /the server responded with a status of 4\d\d/)

beforeAll(async () => {
  ;[roz, browser] = await Promise.all([startProgram({}), openBrowser()])
  site = `http://localhost:${roz.port}`
  const token = await adminToken(roz.url)
  secret = (await ask(roz.url, 'startTotp', { token })).output.secret
  expectValue((await ask(roz.url, 'confirmTotp', { token, body: { totp: await code(-1) } })).status).toBe(200)
  visit = await newVisit(browser, { size: WIDE, hosts: [new URL(site).host] })
  page = visit.page
  devtools = await visit.context.newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
  } as const
  await devtools.send('WebAuthn.addVirtualAuthenticator', { options: { ...options, automaticPresenceSimulation: true } })
})
afterAll(async () => {
  await closeVisits()
  await roz?.stop()
})

async function giveCredentials(): Promise<void> {
  await page.goto(`${site}/admin/login`)
  await page.getByLabel('Email').fill(ADMIN.email)
  await page.getByLabel('Password').fill(ADMIN.password)
  await button('Log in').click()
}
async function logInByPasskey(): Promise<void> {
  await giveCredentials()
  await expect(button('Use a passkey')).toBeVisible()
  await button('Use a passkey').click()
  await expect(page.getByRole('tab', { name: 'My account' })).toBeVisible()
}

test('a passkey is added with a code of the app and a name', async () => {
  await giveCredentials()
  await expect(page.getByLabel('Code of your authenticator app')).toBeFocused()
  await expect(button('Use a passkey')).toHaveCount(0)
  await page.keyboard.type(await code())
  await page.keyboard.press('Enter')
  await expect(page.getByRole('tab', { name: 'My account' })).toBeVisible()
  await page.goto(`${site}/admin/dashboard?tab=account`)
  await button('Add a passkey').click()
  await dialog().getByLabel('Name of the passkey').fill('Laptop')
  await dialog().getByLabel('Code of your authenticator app').fill('000000')
  await dialog().getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page.getByText('That code is not correct, or it was used before.')).toBeVisible()
  await dialog()
    .getByLabel('Code of your authenticator app')
    .fill(await code(1))
  await dialog().getByRole('button', { name: 'Add', exact: true }).click()
  await expect(toast(page, 'The passkey is added.')).toBeVisible()
  await expect(page.locator('.devices li', { hasText: 'Laptop' })).toContainText('Added on')
  await hearRefusals()
  await auditBothWidths(visit)
})

test('the login takes the passkey after the password, without a code', async () => {
  await button('Logout').click()
  await logInByPasskey()
  await hearRefusals()
})

test('a step-up takes the passkey; codes of the app are then refused at the login', async () => {
  await setClock(roz.url, new Date(Date.parse(await readClock(roz.url)) + 660_000).toISOString())
  await page.goto(`${site}/admin/dashboard?tab=account`)
  await button('Refuse codes of the app').click()
  await dialog().getByRole('button', { name: 'Refuse codes', exact: true }).click()
  await expect(dialog().getByRole('button', { name: 'Use a passkey' })).toBeVisible()
  await hearRefusals()
  await auditVisit(visit)
  await dialog().getByRole('button', { name: 'Use a passkey' }).click()
  await expect(toast(page, 'Saved.')).toBeVisible()
  await expect(button('Accept codes of the app again')).toBeVisible()
  await button('Logout').click()
  await giveCredentials()
  await page.getByLabel('Code of your authenticator app').fill(await code())
  await button('Log in').click()
  await expect(page.getByText('You have turned off codes of the app for logging in.')).toBeVisible()
  await button('Use a passkey').click()
  await expect(page.getByRole('tab', { name: 'My account' })).toBeVisible()
  await hearRefusals()
})

test('a removed passkey is gone from the list, and codes log in again', async () => {
  await page.goto(`${site}/admin/dashboard?tab=account`)
  await button('Remove the passkey “Laptop”').click()
  await dialog().getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(toast(page, 'The passkey is removed.')).toBeVisible()
  await expect(page.locator('.devices li', { hasText: 'Laptop' })).toHaveCount(0)
  await button('Logout').click()
  await giveCredentials()
  await page.getByLabel('Code of your authenticator app').fill(await code(1))
  await button('Log in').click()
  await expect(page.getByRole('tab', { name: 'My account' })).toBeVisible()
  await hearRefusals()
})
