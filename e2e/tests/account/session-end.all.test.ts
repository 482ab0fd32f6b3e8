/** After a session ends, in each of its ways, the browser keeps nothing of the member. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect as plain, test } from 'vitest'
import { closeVisits, newVisit, openBrowser, type Visit, WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expect } from '../../harness/expect.ts'
import { joinRound, newMember, passRound, type Person } from '../../harness/people.ts'
import { type Program, startProgram } from '../../harness/program.ts'

let roz: Program
let browser: Browser
beforeAll(async () => {
  ;[roz, browser] = await Promise.all([startProgram(), openBrowser({ whole: true })])
})
afterAll(() => closeVisits())

/** Keys that belong to the browser and not to a member: language, state of the public log, offers, scroll positions. */
const BROWSERS_OWN = /^(language|roz-log|install-offered|results-offered|tsr-scroll-restoration.*)$/

/** Everything that a browser stores for a site: the names, and all contents as one text. */
async function kept({ page, context }: Visit): Promise<{ readonly names: string[]; readonly text: string }> {
  const found = await page.evaluate(async () => {
    const stored = [...Object.entries(localStorage), ...Object.entries(sessionStorage)] as [string, string][]
    const cached: string[] = []
    for (const name of await caches.keys()) {
      const cache = await caches.open(name)
      for (const request of await cache.keys()) cached.push(request.url, (await (await cache.match(request))?.text()) ?? '')
    }
    const shown = await (await navigator.serviceWorker.ready).getNotifications()
    return {
      names: stored.map(([name]) => name),
      contents: [...stored.flat(), ...cached, ...shown.map(({ title }) => title), JSON.stringify(history.state)],
      databases: (await indexedDB.databases()).map(({ name }) => name ?? ''),
    }
  })
  const cookies = (await context.cookies()).map(({ name }) => name)
  return { names: [...found.names, ...found.databases, ...cookies], text: found.contents.join('\n') }
}

const slot = (page: Page, name: string) => page.evaluate((wanted) => localStorage.getItem(wanted), name)
const checked = (page: Page) =>
  page
    .locator('.section')
    .filter({ has: page.getByRole('heading', { name: 'Your money with us' }) })
    .locator('.is-right')

/** A member who has used everything that stores something: ticket key, receipts, log, results on the device. */
async function withEverything(work: (visit: Visit, person: Person, told: readonly string[]) => Promise<void>): Promise<void> {
  const person = await newMember(roz, { name: 'Asha Nobodyelse', rupees: 10 })
  await joinRound(roz.url, person)
  const day = await passRound(roz.url, person)
  const visit = await newVisit(browser, { size: WIDE, hosts: [new URL(roz.url).host], token: person.token, withWorker: true })
  const { page } = visit
  try {
    await page.goto(`${roz.url}/my-ticket?day=${day}`)
    await expect(checked(page)).toHaveCount(3)
    await expect.poll(() => slot(page, `roz-receipts:${person.id}`)).toContain(day)
    await expect.poll(() => slot(page, `roz-ticket-key:${person.id}`)).toMatch(/^[0-9a-f]{64}$/)
    await page.evaluate((id) => localStorage.setItem('results-on-device', id), person.id)
    await page.evaluate(async () => (await navigator.serviceWorker.ready).active?.state)
    const before = await kept(visit)
    const key = (await slot(page, `roz-ticket-key:${person.id}`)) ?? ''
    const told = [person.token, person.name, person.email, key, `:${person.id}`, day]
    for (const word of [person.token, key, `:${person.id}`, day]) plain(before.text).toContain(word)
    plain(before.names).toContain('roz-log')
    await work(visit, person, told)
  } finally {
    await visit.close()
  }
}

async function expectNothing(visit: Visit, told: readonly string[]): Promise<void> {
  const foreign = async (): Promise<string[]> =>
    (await kept(visit)).names.filter((name) => name !== 'signed-in' && !BROWSERS_OWN.test(name))
  await expect.poll(foreign).toEqual([])
  const { text } = await kept(visit)
  for (const word of told) plain(text).not.toContain(word)
}

const logout = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'User menu' }).click()
  await page.getByRole('button', { name: 'Logout' }).click()
}
const atLogin = (page: Page): Promise<void> => page.waitForURL(/\/(login)?$/)

test('after a logout', () =>
  withEverything(async (visit, _, told) => {
    await logout(visit.page)
    await atLogin(visit.page)
    await expectNothing(visit, told)
  }))

test('after the server ended the session', () =>
  withEverything(async (visit, { token }, told) => {
    plain((await ask(roz.url, 'logout', { token })).status).toBe(204)
    await visit.page.goto(`${roz.url}/history`)
    await atLogin(visit.page)
    await expectNothing(visit, told)
  }))

test('after a logout in another tab', () =>
  withEverything(async (visit, person, told) => {
    const { page, context } = visit
    const other = await context.newPage()
    await other.goto(`${roz.url}/dashboard`)
    await logout(other)
    await atLogin(page)
    await expectNothing(visit, told)
    plain(await page.locator('body').innerText()).not.toContain(person.name)
    await other.close()
  }))

test('after the account was deleted', () =>
  withEverything(async (visit, _, told) => {
    const { page } = visit
    const dialog = page.getByRole('dialog')
    await page.goto(`${roz.url}/profile`)
    await page.getByRole('button', { name: 'Delete account', exact: true }).click()
    await dialog.getByLabel('Donate to people in need').check()
    await dialog.getByRole('button', { name: /^Donate ₹/ }).click()
    await dialog.getByRole('button', { name: 'Delete account' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Account deleted' })).toBeVisible()
    await expectNothing(visit, told)
  }))

test('after an answer that arrived once the session had ended', () =>
  withEverything(async (visit, _, told) => {
    const { page } = visit
    await page.goto(`${roz.url}/dashboard`)
    const held = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    const done = Promise.withResolvers<void>()
    await page.route('**/api/rounds/join', async (route) => {
      const response = await route.fetch()
      plain(response.status()).toBe(200)
      answered.resolve()
      await held.promise
      await route.fulfill({ response })
      done.resolve()
    })
    await page.getByRole('button', { name: 'Join with ₹1.00' }).click()
    await answered.promise
    await logout(page)
    await atLogin(page)
    held.resolve()
    await done.promise
    await expectNothing(visit, told)
  }))

test('a page restored from the browser’s back-forward cache after the session ended is drawn again', () =>
  withEverything(async ({ page }, { name }) => {
    await page.goto(`${roz.url}/dashboard`)
    await expect(page.getByRole('heading', { level: 1 })).toContainText(name)
    await page.evaluate(() => {
      Object.assign(window, { isOld: true })
      dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))
      localStorage.removeItem('token')
      dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
    })
    await expect.poll(() => page.evaluate(() => 'isOld' in window).catch(() => true)).toBe(false)
    await atLogin(page)
  }))
