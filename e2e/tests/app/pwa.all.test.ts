/**
 * The product as an installed app: manifest, service worker, new versions and the install prompt.
 * - Chromium itself judges the manifest.
 * - The server is really stopped for the offline pages.
 * - A new version waits until the member accepts it; the install offer follows the first join.
 */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import { auditPage, auditScreen, newVisit, openBrowser, type Visit } from '../../harness/browser.ts'
import { expect } from '../../harness/expect.ts'
import { newMember, type Person } from '../../harness/people.ts'
import { type Program, startProgram, webDir } from '../../harness/program.ts'

let roz: Program
let browser: Browser
let asha: Person
let visit: Visit
let page: Page

beforeAll(async () => {
  ;[roz, browser] = await Promise.all([startProgram(), openBrowser({ whole: true })])
  asha = await newMember(roz, { name: 'Asha Verma', rupees: 10 })
  visit = await newVisit(browser, { hosts: [new URL(roz.url).host], token: asha.token, withWorker: true })
  page = visit.page
})

/** Waits until the worker is active and controls this page. */
async function underWorker(): Promise<void> {
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready
    if (navigator.serviceWorker.controller === null)
      await new Promise((resolve) => navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true }))
  })
}
const heading = () => page.getByRole('heading', { level: 1 })
/** Every address in the worker's caches. */
const kept = (): Promise<string[]> =>
  page.evaluate(async () => {
    const names = await caches.keys()
    const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))
    return requests.flat().map(({ url }) => new URL(url).pathname)
  })

test('Chromium names no obstacle to installing it', async () => {
  await page.goto(`${roz.url}/dashboard`)
  await underWorker()
  const devtools = await page.context().newCDPSession(page)
  const manifest = await devtools.send('Page.getAppManifest')
  expect(manifest.errors).toEqual([])
  expect(new URL(manifest.url).pathname).toBe('/manifest.webmanifest')
  expect(
    (await devtools.send('Page.getInstallabilityErrors')).installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito'),
  ).toEqual([])
  expect(JSON.parse(manifest.data ?? '')).toMatchObject({ name: 'Roz', display: 'standalone' })
})

describe('with the server stopped', () => {
  test('every screen shows the offline page without amounts of money, Try again restores it, and nobody is logged out', async () => {
    await page.goto(`${roz.url}/wallet`)
    await expect(heading()).toHaveText('Wallet')
    const files = await kept()
    expect(files.filter((address) => !/^\/(assets\/|offline$|hi\/offline$|chosen-language$)/.test(address))).toEqual([])
    expect(files.filter((address) => address.startsWith('/assets/WalletPage-'))).toHaveLength(1)
    await roz.stop()
    for (const address of ['/wallet', '/dashboard', '/terms-condition', '/hi/terms-condition']) {
      await page.goto(roz.url + address)
      await expect(heading()).toHaveText(address.startsWith('/hi') ? 'इंटरनेट नहीं चल रहा' : 'No connection')
      await expect(page.locator('main')).not.toContainText('₹')
      expect(new URL(page.url()).pathname).toBe(address)
    }
    await page.goto(`${roz.url}/wallet`)
    await auditPage(page)
    expect(
      await page.evaluate(async () =>
        fetch('/api/public/home').then(
          () => 'an answer',
          () => 'none',
        ),
      ),
    ).toBe('none')
    roz = await startProgram({ port: roz.port, dataDir: roz.dataDir })
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(heading()).toHaveText('Wallet')
    await expect(page.locator('.figure')).toHaveText('₹10.00')
  })

  test('the offline page uses the language chosen in this browser', async () => {
    await page.getByRole('button', { name: 'Menu', exact: true }).click()
    await page.getByRole('button', { name: 'हिन्दी' }).click()
    await expect(page.locator('html')).toHaveAttribute('lang', 'hi')
    await expect.poll(kept).toContain('/chosen-language')
    await expect(page.locator('link[rel=manifest]')).toHaveAttribute('href', '/hi/manifest.webmanifest')
    await expect.poll(() => page.evaluate(async () => (await caches.match('/chosen-language'))?.text())).toBe('hi')
    await roz.stop()
    await page.goto(`${roz.url}/dashboard`)
    await expect(heading()).toHaveText('इंटरनेट नहीं चल रहा')
    await page.evaluate(() => localStorage.setItem('language', 'en'))
  })
})

test('a new version waits until the member accepts it', async () => {
  const newer = mkdtempSync(path.join(os.tmpdir(), 'roz-newer-'))
  try {
    cpSync(webDir(), newer, { recursive: true })
    writeFileSync(path.join(newer, 'sw.js'), `/* newer */`, { flag: 'a' })
    roz = await startProgram({ port: roz.port, dataDir: roz.dataDir, env: { WEB_DIR: newer } })
    await page.goto(`${roz.url}/history`)
    await underWorker()
    await page.evaluate(async () => (await navigator.serviceWorker.ready).update())
    const notice = page.getByRole('status', { name: 'New version' })
    await expect(notice).toContainText('A new version of Roz is ready.')
    await auditScreen(page)
    const again = page.waitForEvent('load')
    await notice.getByRole('button', { name: 'Reload' }).click()
    await again
    await expect(heading()).toHaveText('Round History')
    await expect(notice).toHaveCount(0)
    expect(await page.evaluate(async () => (await navigator.serviceWorker.ready).waiting)).toBeNull()
  } finally {
    rmSync(newer, { recursive: true, force: true })
  }
})

test('every screen still opens on a device without free storage', async () => {
  await page.goto(`${roz.url}/dashboard`)
  await underWorker()
  const storage = await page.context().newCDPSession(page)
  await storage.send('Storage.overrideQuotaForOrigin', { origin: roz.url, quotaSize: 1 })
  await page.goto(`${roz.url}/impact`)
  await expect(heading()).toHaveText('Impact')
  expect((await kept()).filter((address) => address.startsWith('/assets/ImpactPage-'))).toEqual([])
  await storage.send('Storage.overrideQuotaForOrigin', { origin: roz.url })
  await storage.detach()
})

test('the browser’s install prompt is suppressed, offered after the first join, and never again', async () => {
  await page.goto(`${roz.url}/dashboard`)
  await expect(heading()).toHaveText('Welcome, Asha Verma')
  // Chromium without a window never prompts: the test fires the event, all else is real.
  const heldBack = await page.evaluate(() => {
    const event = Object.assign(new Event('beforeinstallprompt', { cancelable: true }), {
      prompt: () => Promise.resolve(document.body.setAttribute('data-prompted', '')),
    })
    return !window.dispatchEvent(event)
  })
  expect(heldBack).toBe(true)
  const offer = page.getByRole('complementary', { name: 'Install' })
  await expect(offer).toHaveCount(0)
  await page.getByRole('button', { name: 'Join with ₹1.00' }).click()
  await expect(offer).toContainText('Put Roz on your home screen')
  await auditPage(page)
  await offer.getByRole('button', { name: 'Install' }).click()
  await expect(page.locator('body[data-prompted]')).toHaveCount(1)
  await expect(offer).toHaveCount(0)
  expect(await page.evaluate(() => localStorage.getItem('install-offered'))).toBe('1')
})
