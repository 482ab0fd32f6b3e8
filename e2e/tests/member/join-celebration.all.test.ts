/** The moment after a join: short, announced to screen readers, still under reduced motion, and without a layout shift below it. */
import { handOver, newVisit, openBrowser, settle, SMALL, type Visit, WIDE } from '../../harness/browser.ts'
import { expect } from '../../harness/expect.ts'
import { newMember } from '../../harness/people.ts'
import { type Program, startProgram } from '../../harness/program.ts'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, test } from 'vitest'

const LONGEST_MS = 2000
let roz: Program
let browser: Browser
let visit: Visit

beforeAll(async () => {
  ;[roz, browser] = await Promise.all([startProgram(), openBrowser()])
  visit = await newVisit(browser, { hosts: [new URL(roz.url).host] })
})

type Look = {
  readonly motion: 'reduce' | 'no-preference'
  readonly language: 'en' | 'hi'
  readonly size: { width: number; height: number }
}

/** A new member in front of the join button. */
async function atTheButton({ motion, language, size }: Look): Promise<Page> {
  const { token } = await newMember(roz, { name: 'Asha Verma', rupees: 10 })
  const { page } = visit
  await handOver(visit, roz.url, token)
  await page.evaluate((chosen) => localStorage.setItem('language', chosen), language)
  await page.setViewportSize(size)
  await page.emulateMedia({ reducedMotion: motion })
  await page.goto(`${roz.url}/dashboard`)
  await expect(page.locator('.entry button')).toBeVisible()
  await settle(page)
  return page
}

/** The animations in the round's card, and when each ends. */
const movement = (page: Page): Promise<{ readonly name: string; readonly endMs: number }[]> =>
  page.evaluate(() =>
    document
      .getAnimations()
      .filter((animation) => animation instanceof CSSAnimation)
      .map((animation) => ({
        name: animation.animationName,
        within: (animation.effect as KeyframeEffect).target?.closest('.joined') !== null,
        endMs: Number(animation.effect?.getComputedTiming().endTime),
      }))
      .filter(({ within }) => within),
  )

/** The distance of the next section from the top of the page. */
const below = (page: Page): Promise<number> =>
  page.evaluate(() => (document.querySelectorAll('.round > div')[1]?.getBoundingClientRect().top ?? 0) + window.scrollY)

test.each<Look>([
  { motion: 'no-preference', language: 'en', size: SMALL },
  { motion: 'no-preference', language: 'hi', size: SMALL },
  { motion: 'no-preference', language: 'en', size: WIDE },
])('a coin falls and the stamp appears, and nothing below moves: $language, $size.width px', async (look) => {
  const page = await atTheButton(look)
  const before = await below(page)
  await page.locator('.entry button').click()
  // The stamp is hidden while the coin falls, and its ended animation is kept: a late look still finds it.
  await expect.poll(async () => (await movement(page)).length, { intervals: [5] }).toBeGreaterThan(0)
  for (const { endMs } of await movement(page)) expect(endMs).toBeLessThan(LONGEST_MS)
  await expect(page.locator('.joined')).toBeFocused()
  await expect(page.locator('.toast[role=status]')).toBeVisible()
  // It covers no link.
  await page.locator('.joined').getByRole('link').click({ trial: true })
  await settle(page)
  expect(await below(page)).toBe(before)
  await expect(page.locator('.falling')).toHaveCSS('opacity', '0')
})

test('under reduced motion the stamp appears at once, without a coin', async () => {
  const page = await atTheButton({ motion: 'reduce', language: 'en', size: SMALL })
  await page.locator('.entry button').click()
  await expect(page.locator('.joined')).toBeFocused()
  expect(await movement(page)).toEqual([])
  await expect(page.locator('.joined .stamp')).toHaveCSS('opacity', '1')
  await expect(page.locator('.falling')).toHaveCSS('opacity', '0')
  await expect(page.locator('.toast[role=status]')).toHaveText(/Successfully joined today's round!/)
})

test('a returning member finds the stamp in its place, without the animation', async () => {
  const { page } = visit
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await page.goto(`${roz.url}/dashboard`)
  await expect(page.locator('.joined .stamp')).toBeVisible()
  expect(await movement(page)).toEqual([])
  await expect(page.locator('.falling')).toHaveCount(0)
})
