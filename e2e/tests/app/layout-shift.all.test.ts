/**
 * Layout shift of the main screens with data, on a small phone with a slow line: what is drawn first stays where it is.
 * - The line is "slow 4G" of Chromium's developer tools, the processor is four times slower, the cache is empty.
 * - The bound is what web.dev calls good. Shifts within 500 ms of a press do not count, as the browser marks them.
 */
import { addDays, dayAt } from '@roz/core/ist-day.ts'
import { paths, publicPaths } from '@roz/web/paths.ts'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newVisit, openBrowser, settle, slotOf } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expect as expectPage } from '../../harness/expect.ts'
import { adminToken } from '../../harness/people.ts'
import { startProgram } from '../../harness/program.ts'
import { onSlowPhone } from '../../harness/steps.ts'

const SHIFT_MAX = 0.03
const SLOW_4G = { offline: false, latency: 562.5, downloadThroughput: 180_000, uploadThroughput: 84_375 }
const PATIENCE_MS = 120_000

type Shift = PerformanceEntry & {
  readonly value: number
  readonly hadRecentInput: boolean
  readonly sources: readonly { readonly node: Node | null }[]
}
type Noting = typeof globalThis & { rozShifts?: { value: number; moved: string }[] }
/** Runs in the page before its first script. */
function noteShifts(): void {
  const shifts: { value: number; moved: string }[] = []
  ;(window as Noting).rozShifts = shifts
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries() as Shift[]) {
      const moved = sources.map(({ node }) => (node instanceof Element ? node.outerHTML.slice(0, 60) : node?.textContent)).join(' | ')
      if (!hadRecentInput) shifts.push({ value, moved })
    }
  }).observe({ type: 'layout-shift', buffered: true })
}

/** The page's content is whole: the last answer is drawn, and the verifier has its verdict. */
async function isWhole(page: Page, address: string): Promise<void> {
  await settle(page)
  if (address.includes('/verify')) await expectPage(page.locator('[data-verdict] h3:visible')).toHaveCount(1)
}

test('no main screen moves what it has drawn', { timeout: 600_000 }, async () => {
  const [roz, browser] = await Promise.all([startProgram({ env: { DEMO: 'on' } }), openBrowser()])
  const { token } = (await ask(roz.url, 'login', { body: { email: 'asha@demo.roz.example', password: 'demo-roz' } })).output
  const tokens = { token, 'admin-token': await adminToken(roz.url) }
  const { home, impactStories, moneyTrail, verify } = publicPaths
  const yesterday = addDays(dayAt(Date.now()), -1)
  const publicOnes = [home, impactStories, moneyTrail, `${moneyTrail}/${yesterday}`, verify]
  const { dashboard, wallet, impact, history, notifications, profile, myTicket, year, adminDashboard, login, register } = paths
  const ofPeople = [dashboard, wallet, impact, history, notifications, profile, myTicket, year, adminDashboard]
  const jumps: string[] = []
  for (const address of [...publicOnes, login, register, ...ofPeople]) {
    const slot = slotOf(address)
    const visit = await newVisit(browser, {
      hosts: [roz.sandboxUrl].map((url) => new URL(url).host),
      ...(ofPeople.includes(address as '/wallet') ? { token: tokens[slot], slot } : {}),
    })
    await (await visit.context.newCDPSession(visit.page)).send('Network.emulateNetworkConditions', SLOW_4G)
    await visit.page.addInitScript(noteShifts)
    visit.page.setDefaultTimeout(PATIENCE_MS)
    await onSlowPhone(visit.page, 4, async () => {
      await visit.page.goto(roz.url + address, { waitUntil: address.includes('/verify') ? 'load' : 'networkidle', timeout: PATIENCE_MS })
      await isWhole(visit.page, address)
    })
    const shifts = await visit.page.evaluate(() => (window as Noting).rozShifts ?? [])
    await visit.close()
    const sum = shifts.reduce((so, { value }) => so + value, 0)
    if (sum > SHIFT_MAX)
      jumps.push(`${address}: ${sum.toFixed(3)} ${shifts.map(({ value, moved }) => `${value.toFixed(3)} ${moved}`).join('\n')}`)
  }
  expect(jumps).toEqual([])
})
