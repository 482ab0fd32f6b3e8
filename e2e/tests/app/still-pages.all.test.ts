/** Layout shift of every public page and of the members' screens while they load, on a fast line and without data. */
import { setTimeout as sleep } from 'node:timers/promises'
import { LANGUAGES } from '@roz/core/language.ts'
import { paths, type PublicPage, publicPath, publicPaths } from '@roz/web/paths.ts'
import type { Browser } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { newVisit, openBrowser, settle, SMALL, WIDE } from '../../harness/browser.ts'
import { newMember } from '../../harness/people.ts'
import { type Program, startProgram } from '../../harness/program.ts'

const SHIFT_MAX = 0.02
const PAGES = LANGUAGES.flatMap((language) => (Object.keys(publicPaths) as PublicPage[]).map((page) => publicPath(page, language)))

let roz: Program
let browser: Browser
beforeAll(async () => {
  ;[roz, browser] = await Promise.all([startProgram(), openBrowser()])
})

test('no layout shift on public pages while they load', async () => {
  const jumps: string[] = []
  for (const size of [SMALL, WIDE]) {
    const visit = await newVisit(browser, { size, hosts: [] })
    for (const address of PAGES.filter((one) => !one.endsWith('/verify'))) {
      await visit.page.goto(roz.url + address)
      await settle(visit.page)
      const shift = await visit.page.evaluate(shiftSoFar)
      if (shift > SHIFT_MAX) jumps.push(`${address} at ${size.width}: ${shift}`)
    }
    // Shows that the measure works: it sees a block inserted late.
    await visit.page.evaluate(() => {
      const late = document.createElement('div')
      late.style.height = '300px'
      document.querySelector('main')?.prepend(late)
    })
    expect(await visit.page.evaluate(shiftSoFar)).toBeGreaterThan(SHIFT_MAX)
    await visit.close()
  }
  expect(jumps).toEqual([])
})

test('no layout shift on members’ screens while they load', async () => {
  const { token } = await newMember(roz, { rupees: 10 })
  const jumps: string[] = []
  for (const size of [SMALL, WIDE])
    for (const address of [paths.dashboard, paths.wallet, paths.impact, paths.history, paths.notifications, paths.profile]) {
      const visit = await newVisit(browser, { size, token, hosts: [] })
      // Delays each call by 150 ms, so that the loading state is drawn.
      await visit.page.route(/\/api\//, async (route) => {
        await sleep(150)
        await route.continue()
      })
      await visit.page.goto(roz.url + address)
      await settle(visit.page)
      await sleep(200)
      await settle(visit.page)
      const shift = await visit.page.evaluate(shiftSoFar)
      if (shift > SHIFT_MAX) jumps.push(`${address} at ${size.width}: ${shift}`)
      await visit.page.unrouteAll({ behavior: 'ignoreErrors' })
      await visit.close()
    }
  expect(jumps).toEqual([])
})

/** The sum of all layout shifts since the page loaded, two frames from now. */
function shiftSoFar(): Promise<number> {
  return new Promise((resolve) => {
    let sum = 0
    const add = (entries: PerformanceEntryList): void => {
      for (const entry of entries) sum += (entry as PerformanceEntry & { readonly value: number }).value
    }
    const observer = new PerformanceObserver((list) => add(list.getEntries()))
    observer.observe({ type: 'layout-shift', buffered: true })
    requestAnimationFrame(() =>
      requestAnimationFrame(() =>
        setTimeout(() => {
          add(observer.takeRecords())
          resolve(sum)
        }),
      ),
    )
  })
}
