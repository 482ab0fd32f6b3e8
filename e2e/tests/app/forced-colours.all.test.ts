/**
 * Forced colours (Windows high contrast): every button has an edge, and the switch of Auto Participate shows whether it is on.
 * - Measured in the drawn picture: such a mode removes backgrounds and shadows, whatever the style sheet says.
 */
import { paths } from '@roz/web/paths.ts'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { test } from 'vitest'
import { useAppFixture } from '../../harness/app-fixture.ts'
import { settle } from '../../harness/browser.ts'
import { expect } from '../../harness/expect.ts'
import { newMember } from '../../harness/people.ts'

const fixture = useAppFixture()

type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
type Picture = { readonly at: (x: number, y: number) => string; readonly width: number; readonly height: number }

async function pictureOf(png: Buffer): Promise<Picture> {
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  return {
    width: info.width,
    height: info.height,
    at: (x, y) => data.subarray((y * info.width + x) * 3, (y * info.width + x) * 3 + 3).toString('hex'),
  }
}

/** Draws the whole page in forced colours, and lists the visible buttons without an edge on one of their sides. */
async function buttonsWithoutEdge(page: Page): Promise<{ readonly seen: number; readonly bare: readonly string[] }> {
  await expect(page.locator('main').locator('button, .button').first()).toBeVisible()
  await settle(page)
  const found = await page.locator('button, .button').evaluateAll((elements) =>
    elements
      .filter((element) => element.checkVisibility({ visibilityProperty: true }) && !element.matches('[role=tab]'))
      .map((element) => {
        const { x, y, width, height } = element.getBoundingClientRect()
        return { name: element.outerHTML.slice(0, 100), box: { x: x + scrollX, y: y + scrollY, width, height } }
      }),
  )
  const picture = await pictureOf(await page.screenshot({ fullPage: true, animations: 'disabled' }))
  const inside = found.filter(({ box }) => box.width > 0 && box.x >= 4 && box.x + box.width <= picture.width - 4)
  return { seen: inside.length, bare: inside.filter(({ box }) => !hasEdge(picture, box)).map(({ name }) => name) }
}

/** Along the middle of each side, a colour that differs from the one outside, within 3 px of the edge. */
function hasEdge({ at }: Picture, { x, y, width, height }: Box): boolean {
  const [middleX, middleY] = [Math.round(x + width / 2), Math.round(y + height / 2)]
  const sides = [
    { from: [middleX, Math.round(y) - 3], step: [0, 1] },
    { from: [middleX, Math.round(y + height) + 2], step: [0, -1] },
    { from: [Math.round(x) - 3, middleY], step: [1, 0] },
    { from: [Math.round(x + width) + 2, middleY], step: [-1, 0] },
  ] as const
  return sides.every(({ from: [fromX, fromY], step: [stepX, stepY] }) => {
    const outside = at(fromX, fromY)
    return [1, 2, 3, 4, 5].some((n) => at(fromX + n * stepX, fromY + n * stepY) !== outside)
  })
}

async function inForcedColours(page: Page, work: () => Promise<void>): Promise<void> {
  await page.emulateMedia({ forcedColors: 'active' })
  try {
    await work()
  } finally {
    await page.emulateMedia({ forcedColors: 'none' })
  }
}

test('every button keeps its edge on home, login, dashboard, wallet and profile', async () => {
  const { token } = await newMember(fixture.roz, { rupees: 20 })
  for (const [address, own] of [
    [paths.home, undefined],
    [paths.login, undefined],
    [paths.dashboard, token],
    [paths.wallet, token],
    [paths.profile, token],
  ] as const)
    await fixture.as(own, address, (page) =>
      inForcedColours(page, async () => {
        const { seen, bare } = await buttonsWithoutEdge(page)
        expect({ address, bare }).toEqual({ address, bare: [] })
        expect(seen).toBeGreaterThan(0)
      }),
    )
})

test('the switch of Auto Participate is drawn, and is filled only when it is on', async () => {
  const { token } = await newMember(fixture.roz)
  await fixture.as(token, paths.profile, (page) =>
    inForcedColours(page, async () => {
      const knob = page.getByRole('switch', { name: 'Auto Participate' })
      await expect(knob).toHaveAttribute('aria-checked', 'false')
      const off = await coloursOf(knob.locator('i'))
      await knob.click()
      await expect(knob).toHaveAttribute('aria-checked', 'true')
      await settle(page)
      const on = await coloursOf(knob.locator('i'))
      // Off: a frame and a knob on the page's colour. On: the system's highlight fills it.
      expect(off.size).toBeGreaterThan(1)
      expect(mostOf(on)).not.toBe(mostOf(off))
    }),
  )
})

/** How many pixels each colour has. */
async function coloursOf(drawn: ReturnType<Page['locator']>): Promise<Map<string, number>> {
  const { at, width, height } = await pictureOf(await drawn.screenshot({ animations: 'disabled' }))
  const counted = new Map<string, number>()
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) counted.set(at(x, y), (counted.get(at(x, y)) ?? 0) + 1)
  return counted
}
const mostOf = (colours: Map<string, number>): string | undefined => [...colours].toSorted(([, a], [, b]) => b - a)[0]?.[0]
