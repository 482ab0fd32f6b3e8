/**
 * Push notifications of results, from the tap on the switch to the notification on the device.
 * - Only the push service is replaced; server, service worker and permission are real.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { addDays, dayAt } from '@roz/core/ist-day.ts'
import { NOT_TODAY } from '@roz/core/reminder.ts'
import { sql } from '@roz/server/db/sql.ts'
import { PUSH_SERVICE_CA, type PushService, startPushService } from '@roz/server/testing/push-service.ts'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { auditPage, auditScreen, auditVisit, closeVisits, newVisit, openBrowser, SMALL, type Visit, WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { inDatabase } from '../../harness/database.ts'
import { expect } from '../../harness/expect.ts'
import { latinIn } from '../../harness/latin.ts'
import { joinRound, newMember, passDay, PASSWORD, type Person, readClock, setClock } from '../../harness/people.ts'
import { type Program, startProgram } from '../../harness/program.ts'
import { deliver, givePushService, notifications, type PushDevice, setHour, tapNotification } from '../../harness/push-device.ts'

const LABEL = { en: 'Results on this device', hi: 'इस डिवाइस पर नतीजे' } as const
let roz: Program
let env: Record<string, string>
let browser: Browser
let service: PushService
let asha: Person
let visit: Visit
let page: Page
let device: PushDevice
const folder = mkdtempSync(path.join(os.tmpdir(), 'roz-push-'))

beforeAll(async () => {
  service = await startPushService()
  const ca = path.join(folder, 'ca.pem')
  writeFileSync(ca, PUSH_SERVICE_CA)
  env = { PUSH_HOSTS: service.host, NODE_EXTRA_CA_CERTS: ca, BRAND_NAME: 'रोज़' }
  ;[roz, browser] = await Promise.all([startProgram({ env }), openBrowser({ whole: true })])
  asha = await newMember(roz, { name: 'आशा वर्मा', rupees: 10 })
  visit = await newVisit(browser, { hosts: [new URL(roz.url).host], token: asha.token, withWorker: true })
  ;({ page } = visit)
  device = await givePushService(visit, service)
  await visit.context.grantPermissions(['notifications'], { origin: roz.url })
})
afterAll(async () => {
  await closeVisits()
  await service?.close()
  rmSync(folder, { recursive: true, force: true })
})

const switchIn = (at: Page, language: 'en' | 'hi' = 'en') => at.getByRole('switch', { name: LABEL[language], exact: true })
/** Latin words in the screen itself; hindi.all.test.ts checks the frame around it. */
const latinOn = async (at: Page): Promise<string[]> => latinIn([await at.locator('main').innerText()])
const state = async (token = asha.token) => (await ask(roz.url, 'pushState', { token })).output
const join = (person = asha): Promise<void> => joinRound(roz.url, person)

describe('the switch', () => {
  test('is off until it is tapped; a failure is said in words and can be retried; it stays on over a reload', async () => {
    await page.goto(`${roz.url}/notifications`)
    await expect(switchIn(page)).toHaveAttribute('aria-checked', 'false')
    expect(device.subscribed).toEqual([])
    device.fails = true
    await switchIn(page).click()
    await expect(page.getByRole('alert')).toContainText('try the switch again')
    await expect(switchIn(page)).toHaveAttribute('aria-checked', 'false')
    await auditScreen(page)
    device.fails = false
    await switchIn(page).click()
    await expect(switchIn(page)).toHaveAttribute('aria-checked', 'true')
    await expect(page.getByRole('alert')).toHaveCount(0)
    expect(await state()).toMatchObject({ subscribed: true, wanted: true })
    await page.reload()
    await expect(switchIn(page)).toHaveAttribute('aria-checked', 'true')
    expect(device.subscribed).toHaveLength(1)
  })

  test.each([
    ['en', SMALL],
    ['hi', SMALL],
    ['hi', WIDE],
    ['en', WIDE],
  ] as const)('works by keyboard and without an axe violation, in %s at %o', async (language, size) => {
    await page.setViewportSize(size)
    await page.evaluate((chosen) => localStorage.setItem('language', chosen), language)
    await page.goto(`${roz.url}/notifications`)
    await expect(switchIn(page, language)).toHaveAttribute('aria-checked', 'true')
    visit.complaints()
    await auditVisit(visit)
    if (language === 'hi') expect(await latinOn(page)).toEqual([])
    await switchIn(page, language).focus()
    await page.keyboard.press('Space')
    await expect(switchIn(page, language)).toHaveAttribute('aria-checked', 'false')
    await page.keyboard.press('Space')
    await expect(switchIn(page, language)).toHaveAttribute('aria-checked', 'true')
  })
})

describe('a result', () => {
  test('is shown once on the device, in the member’s language, and a tap opens its screen', async () => {
    await page.evaluate(() => localStorage.setItem('language', 'hi'))
    await page.goto(`${roz.url}/history`)
    await expect.poll(async () => (await ask(roz.url, 'me', { token: asha.token })).output.user.language).toBe('hi')
    await join()
    const biju = await newMember(roz, { name: 'बीजू नायर', rupees: 10 })
    await join(biju)
    await passDay(roz.url)
    const [arrived] = device.subscribed.at(-1)?.arrived ?? []
    if (arrived === undefined) throw new Error('nothing arrived')
    const devtools = await visit.context.newCDPSession(page)
    await deliver(page, devtools, arrived.text)
    await deliver(page, devtools, arrived.text)
    const [shown, ...more] = await notifications(page)
    expect(more).toEqual([])
    const { results } = (await ask(roz.url, 'roundHistory', { token: asha.token, query: {} })).output
    const [settled] = results
    expect(shown).toMatchObject({ lang: 'hi', tag: `result-${settled?.date}` })
    expect(latinIn([shown?.title ?? '', shown?.body ?? ''])).toEqual([])
    expect(shown?.body.includes('₹')).toBe(settled?.isWinner === true)
    const screen = settled?.isWinner === true ? '/wallet' : '/dashboard'
    expect(await tapNotification(visit)).toEqual([`opens ${screen}`])
    await page.goto(roz.url + screen)
    await deliver(page, devtools, arrived.text)
    expect(await tapNotification(visit)).toEqual([`goes to ${screen}`])
    expect(await notifications(page)).toEqual([])
    for (const [hour, silent] of [
      [23, true],
      [6, true],
      [12, false],
    ] as const) {
      await setHour(visit, hour)
      await deliver(page, devtools, arrived.text)
      expect((await notifications(page)).map((one) => one.silent)).toEqual([silent])
    }
    await tapNotification(visit)
    // A push without text is shown too: browsers withdraw the permission otherwise.
    await deliver(page, devtools, '')
    expect((await notifications(page)).map(({ title }) => title)).toEqual([new URL(roz.url).host])
    await tapNotification(visit)
    await devtools.detach()
  })

  test('the evening reminder is picked in the profile, comes at its time, and “Not today” tells the server and opens nothing', async () => {
    await page.evaluate(() => localStorage.setItem('language', 'hi'))
    await page.goto(`${roz.url}/profile`)
    const time = page.getByLabel('याद दिलाने का समय')
    await expect(time).toHaveValue('')
    await time.selectOption('19:30')
    await expect(page.locator('.toast')).toContainText('सेव हो गया')
    await page.reload()
    await expect(time).toHaveValue('19:30')
    const today = dayAt(Date.parse(await readClock(roz.url)))
    const tomorrow = addDays(today, 1)
    const before = device.subscribed.at(-1)?.arrived.length ?? 0
    await setClock(roz.url, `${tomorrow}T19:31:00+05:30`)
    const reminders = () => (device.subscribed.at(-1)?.arrived ?? []).slice(before).filter(({ topic }) => topic === `reminder-${tomorrow}`)
    await expect.poll(() => reminders().length).toBe(1)
    const devtools = await visit.context.newCDPSession(page)
    await deliver(page, devtools, reminders()[0]?.text ?? '')
    const [shown] = await notifications(page)
    expect(latinIn([shown?.title ?? '', shown?.body ?? ''])).toEqual([])
    expect(await tapNotification(visit, NOT_TODAY)).toEqual([])
    const silenced = () =>
      inDatabase(roz.dataDir, (db) => db.query(sql`select 1 from evening_reminder where at is not null and silent_day = ${tomorrow}::date`))
    await expect.poll(async () => (await silenced()).length).toBe(1)
    expect(await notifications(page)).toEqual([])
    await devtools.detach()
  })

  test('a result whose sender was killed between claim and answer is sent once after the next start', async () => {
    await page.evaluate(() => localStorage.setItem('language', 'en'))
    await join()
    const reached = device.subscribed.at(-1)
    if (reached === undefined) throw new Error('no device')
    const [asked, known] = [reached.asked, reached.arrived.length]
    reached.answers.push('hang')
    const night = passDay(roz.url).catch(() => undefined)
    await expect.poll(() => reached.asked).toBe(asked + 1)
    await roz.kill()
    await night
    expect(reached.arrived).toHaveLength(known)
    roz = await startProgram({ port: roz.port, dataDir: roz.dataDir, env })
    await setClock(roz.url, new Date(Date.parse(await readClock(roz.url)) + 120_000).toISOString())
    await expect.poll(() => reached.arrived.length).toBe(known + 1)
    await setClock(roz.url, new Date(Date.parse(await readClock(roz.url)) + 3_600_000).toISOString())
    expect(reached.asked).toBe(asked + 2)
    expect(service.problems).toEqual([])
  })

  test('a switched-off device gets no result, and a device that the server had lost subscribes again', async () => {
    await page.goto(`${roz.url}/notifications`)
    const before = device.subscribed.length
    const reached = device.subscribed.at(-1)
    reached?.answers.push({ status: 410 })
    await join()
    await passDay(roz.url)
    expect(await state()).toMatchObject({ subscribed: false, wanted: true })
    await page.goto(`${roz.url}/notifications`)
    await expect.poll(async () => (await state()).subscribed).toBe(true)
    // The push service has answered 410 for the old subscription: only a new one receives.
    expect(device.subscribed).toHaveLength(before + 1)
    await page.reload()
    await switchIn(page).click()
    await expect(switchIn(page)).toHaveAttribute('aria-checked', 'false')
    expect(await state()).toMatchObject({ subscribed: false, wanted: false })
    expect(await page.evaluate(() => localStorage.getItem('push-service-of-the-test'))).toBeNull()
    expect(device.subscribed).toHaveLength(before + 1)
  })
})

test('the switch is offered once, after a join, and enabled only by a tap; a logout unsubscribes this browser for the next member too', async () => {
  const mira = await newMember(roz, { name: 'मीरा दास', rupees: 10 })
  await page.evaluate((token) => localStorage.setItem('token', token), mira.token)
  await page.setViewportSize(SMALL)
  await page.goto(`${roz.url}/dashboard`)
  const offer = page.getByRole('complementary', { name: LABEL.en })
  await page.getByRole('button', { name: 'Join with ₹1.00' }).click()
  await expect(offer).toContainText('Do you want the result on this device?')
  expect((await state(mira.token)).wanted).toBe(false)
  await auditPage(page)
  await offer.getByRole('button', { name: 'Tell me' }).click()
  await expect(page.locator('.toast').filter({ hasText: "Done. We'll send the result to this device." })).toBeVisible()
  await expect(offer).toHaveCount(0)
  await expect.poll(() => state(mira.token)).toMatchObject({ subscribed: true, wanted: true })
  expect(await page.evaluate(() => localStorage.getItem('results-offered'))).toBe('1')

  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL(/\/(login)?$/)
  await expect.poll(() => page.evaluate(() => localStorage.getItem('push-service-of-the-test'))).toBeNull()
  await page.evaluate((token) => localStorage.setItem('token', token), asha.token)
  await page.goto(`${roz.url}/notifications`)
  await expect(switchIn(page)).toHaveAttribute('aria-checked', 'false')
  // A session ended by itself: the next member in this browser does not inherit its subscription.
  await switchIn(page).click()
  await expect(switchIn(page)).toHaveAttribute('aria-checked', 'true')
  const next = await newMember(roz, { name: 'बीजू नायर' })
  await page.evaluate((token) => localStorage.setItem('token', token), next.token)
  await page.goto(`${roz.url}/notifications`)
  await expect(switchIn(page)).toHaveAttribute('aria-checked', 'false')
  await expect.poll(() => page.evaluate(() => localStorage.getItem('push-service-of-the-test'))).toBeNull()
  expect((await state(next.token)).wanted).toBe(false)
})

test('the subscription survives a password change, which ends every session', async () => {
  const { token } = await newMember(roz, { name: 'गीता राव' })
  await page.evaluate((own) => localStorage.setItem('token', own), token)
  await page.goto(`${roz.url}/notifications`)
  await switchIn(page).click()
  await expect(switchIn(page)).toHaveAttribute('aria-checked', 'true')
  const subscribed = device.subscribed.length
  await page.goto(`${roz.url}/profile`)
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByLabel('Current password').fill(PASSWORD)
  await page.getByLabel('New password').fill(`${PASSWORD} two`)
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(page.locator('.toast')).toContainText('Your password was changed.')
  const renewed = await page.evaluate(() => localStorage.getItem('token'))
  expect(renewed).not.toBe(token)
  await expect.poll(async () => (await state(renewed ?? '')).subscribed).toBe(true)
  expect(device.subscribed).toHaveLength(subscribed + 1)
})

test('the next page unsubscribes when the page of the ended session was closed before it could', async () => {
  const held = () => page.evaluate(() => localStorage.getItem('push-service-of-the-test'))
  const { token } = await newMember(roz, { name: 'तारा बोस' })
  await page.evaluate((own) => localStorage.setItem('token', own), token)
  await page.goto(`${roz.url}/notifications`)
  await switchIn(page).click()
  await expect(switchIn(page)).toHaveAttribute('aria-checked', 'true')
  expect(await held()).not.toBeNull()
  // An address without the app: an open app could unsubscribe by itself.
  await page.goto(`${roz.url}/healthz`)
  await page.evaluate(() => localStorage.removeItem('token'))
  await page.goto(`${roz.url}/login`)
  await expect.poll(held).toBeNull()
  await expect.poll(() => page.evaluate(() => localStorage.getItem('results-on-device'))).toBeNull()
})

test('every end of a session, here or elsewhere, unsubscribes and clears shown notifications; the next login finds the switch off', async () => {
  const owner = () => page.evaluate(() => localStorage.getItem('results-on-device'))
  const held = () => page.evaluate(() => localStorage.getItem('push-service-of-the-test'))
  const { email, token } = await newMember(roz, { name: 'गौरी सेन' })
  await page.evaluate((own) => localStorage.setItem('token', own), token)
  await page.goto(`${roz.url}/notifications`)
  await switchIn(page).click()
  await expect(switchIn(page)).toHaveAttribute('aria-checked', 'true')
  await page.evaluate(async () => (await navigator.serviceWorker.ready).showNotification('You won'))
  expect(await notifications(page)).toHaveLength(1)
  // The session is ended elsewhere: the next call is answered 401.
  expect((await ask(roz.url, 'logout', { token })).status).toBe(204)
  await page.goto(`${roz.url}/notifications`)
  await expect(page).toHaveURL(/\/login/)
  await expect.poll(held).toBeNull()
  await expect.poll(owner).toBeNull()
  expect(await notifications(page)).toEqual([])
  const again = await ask(roz.url, 'login', { body: { email, password: PASSWORD } })
  await page.evaluate((own) => localStorage.setItem('token', own), again.output.token)
  await page.goto(`${roz.url}/notifications`)
  await expect(switchIn(page)).toHaveAttribute('aria-checked', 'false')
  await switchIn(page).click()
  await expect(switchIn(page)).toHaveAttribute('aria-checked', 'true')
  expect(await state(again.output.token)).toMatchObject({ subscribed: true, wanted: true })
  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect.poll(held).toBeNull()
  await expect.poll(owner).toBeNull()
})

describe('where notifications are unavailable', () => {
  /** Another visit whose browser is changed before any page runs. */
  async function elsewhere(language: 'en' | 'hi', change: () => void, work: (other: Page) => Promise<void>): Promise<void> {
    const own = await newVisit(browser, { hosts: [new URL(roz.url).host], token: asha.token, withWorker: true })
    try {
      await own.context.addInitScript(change)
      await own.context.addInitScript((chosen) => localStorage.setItem('language', chosen), language)
      await own.page.goto(`${roz.url}/notifications`)
      await work(own.page)
      await auditPage(own.page)
      if (language === 'hi') expect(await latinOn(own.page)).toEqual([])
      await expect(switchIn(own.page, language)).toHaveCount(0)
    } finally {
      await own.close()
    }
  }
  const noPush = (): void => void Reflect.deleteProperty(window, 'PushManager')
  const iPhone = (): void => {
    Reflect.deleteProperty(window, 'PushManager')
    Object.defineProperty(Navigator.prototype, 'userAgent', { get: () => 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)' })
  }
  const blocked = (): void => void Object.defineProperty(Notification, 'permission', { get: () => 'denied' })

  test.each([
    ['en', "This browser can't show notifications."],
    ['hi', 'यह ब्राउज़र सूचनाएँ नहीं दिखा सकता।'],
  ] as const)('a browser without notifications is told so in %s', (language, words) =>
    elsewhere(language, noPush, (other) => expect(other.getByText(words)).toBeVisible()),
  )

  test.each([
    ['en', 'tap Share, then Add to Home Screen'],
    ['hi', 'होम स्क्रीन में जोड़ें'],
  ] as const)('an iPhone is told in %s how to get them', (language, words) =>
    elsewhere(language, iPhone, (other) => expect(other.getByText(words)).toBeVisible()),
  )

  test.each([
    ['en', 'Your browser blocks notifications from this site.', 'Check again'],
    ['hi', 'आपका ब्राउज़र इस साइट की सूचनाएँ रोक रहा है।', 'दोबारा जाँचें'],
  ] as const)('a browser that blocks them is told in %s how to allow them', (language, words, again) =>
    elsewhere(language, blocked, async (other) => {
      await expect(other.getByText(words)).toBeVisible()
      await other.getByRole('button', { name: again }).click()
      await expect(other.getByText(words)).toBeVisible()
    }),
  )
})
