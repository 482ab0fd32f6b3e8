/** A member crops their picture in a square frame, and the server serves exactly the framed part. */
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import { auditVisit, handOver, newVisit, openBrowser, SMALL, type Visit, WIDE } from '../../harness/browser.ts'
import { expect } from '../../harness/expect.ts'
import { newMember } from '../../harness/people.ts'
import { type Colour, heldUpright, png } from '../../harness/pictures.ts'
import { type Program, startProgram } from '../../harness/program.ts'

const RED: Colour = [200, 20, 20]
const BLUE: Colour = [20, 20, 200]
const TWO_COLOURS = { name: 'two.png', mimeType: 'image/png', buffer: png(400, 200, (x) => (x < 200 ? RED : BLUE)) }
/** More key presses than the frame has steps. */
const TO_THE_EDGE = 14

let roz: Program
let browser: Browser
const visits = new Map<typeof SMALL | typeof WIDE, Visit>()
beforeAll(async () => {
  ;[roz, browser] = await Promise.all([startProgram(), openBrowser()])
})

/** Opens the profile's edit mode as a new member. */
async function editing(size: typeof SMALL | typeof WIDE): Promise<Visit> {
  const { token } = await newMember(roz)
  const visit = visits.get(size) ?? (await newVisit(browser, { size, hosts: [new URL(roz.url).host] }))
  visits.set(size, visit)
  await handOver(visit, roz.url, token)
  await visit.page.goto(`${roz.url}/profile`)
  await visit.page.getByRole('button', { name: 'Edit Profile' }).click()
  return visit
}

const choose = (page: Page, file = TWO_COLOURS): Promise<void> => page.locator('input[type=file]').setInputFiles(file)
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Crop your picture' })
const frame = (page: Page) => dialog(page).getByRole('application', { name: 'Visible part' })
const place = (page: Page) => dialog(page).getByRole('status')
const press = (page: Page, name: string): Promise<void> => dialog(page).getByRole('button', { name, exact: true }).click()

async function pressKeys(page: Page, key: string, times: number): Promise<void> {
  for (let n = 0; n < times; n++) await page.keyboard.press(key)
}

/** The colours of the served picture near its left, right, upper and lower edge. */
async function servedColours(page: Page): Promise<readonly string[]> {
  const image = page.locator('.profile-card img')
  await expect(image).toHaveAttribute('src', /^\/uploads\/avatars\/[0-9a-f]{32}\.webp$/)
  return image.evaluate(async (served) => {
    const picture = served as HTMLImageElement
    await picture.decode()
    const canvas = document.createElement('canvas')
    canvas.width = picture.naturalWidth
    canvas.height = picture.naturalHeight
    const pen = canvas.getContext('2d')
    pen?.drawImage(picture, 0, 0)
    const at = (x: number, y: number): string => {
      const [red = 0, , blue = 0] = pen?.getImageData(canvas.width * x, canvas.height * y, 1, 1).data ?? []
      return red > blue + 100 ? 'red' : blue > red + 100 ? 'blue' : 'neither'
    }
    return [at(0.1, 0.5), at(0.9, 0.5), at(0.5, 0.1), at(0.5, 0.9)]
  })
}

describe.each([
  ['360', SMALL],
  ['1280', WIDE],
] as const)('at %s px', (_width, size) => {
  test('the left part of a picture is cropped with only the keyboard, and the server serves it', async () => {
    const visit = await editing(size)
    const { page } = visit
    await choose(page)
    await expect(frame(page)).toBeFocused()
    await expect(place(page)).toHaveText('50% from the left, 0% from the top')
    await auditVisit(visit)
    await pressKeys(page, '+', 3)
    await expect(dialog(page).getByRole('slider', { name: 'Zoom' })).toHaveAttribute('aria-valuetext', '130%')
    await pressKeys(page, '-', 5)
    await expect(dialog(page).getByRole('slider', { name: 'Zoom' })).toHaveAttribute('aria-valuetext', '100%')
    await pressKeys(page, 'ArrowLeft', TO_THE_EDGE)
    await expect(place(page)).toHaveText('0% from the left, 0% from the top')
    await dialog(page).getByRole('button', { name: 'Use this picture' }).press('Enter')
    await expect(dialog(page)).toHaveCount(0)
    expect(await servedColours(page)).toEqual(['red', 'red', 'red', 'red'])
  })

  test('the slider zooms in and the pointer crops the right part; without a change the crop is the middle', async () => {
    const visit = await editing(size)
    const { page } = visit
    await choose(page)
    await dialog(page).getByRole('slider', { name: 'Zoom' }).fill('2')
    await expect(place(page)).toHaveText('50% from the left, 50% from the top')
    const box = (await frame(page).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
    await page.mouse.down()
    await page.mouse.move(box.x + 2000, box.y + box.height / 2, { steps: 3 })
    await page.mouse.up()
    await page.mouse.move(box.x, box.y)
    await expect(place(page)).toHaveText('100% from the left, 50% from the top')
    await press(page, 'Use this picture')
    expect(await servedColours(page)).toEqual(['blue', 'blue', 'blue', 'blue'])
    const before = await page.locator('.profile-card img').getAttribute('src')
    await choose(page)
    await press(page, 'Use this picture')
    await expect(page.locator('.profile-card img')).not.toHaveAttribute('src', before ?? '')
    expect((await servedColours(page)).slice(0, 2)).toEqual(['red', 'blue'])
  })

  test('Cancel, Close and Escape keep the old picture and return the focus; Tab stays inside the dialog', async () => {
    const { page } = await editing(size)
    const sent: string[] = []
    const note = (request: { url: () => string }): unknown => request.url().endsWith('/api/user/avatar') && sent.push(request.url())
    page.on('request', note)
    const opener = page.getByRole('button', { name: 'Change picture' })
    for (const leave of [() => press(page, 'Cancel'), () => press(page, 'Close'), () => page.keyboard.press('Escape')]) {
      const chooser = page.waitForEvent('filechooser')
      await opener.click()
      await (await chooser).setFiles(TWO_COLOURS)
      await expect(frame(page)).toBeFocused()
      for (let n = 0; n < 7; n++) {
        await page.keyboard.press('Tab')
        expect(
          await page.evaluate(() => document.activeElement === document.body || document.activeElement?.closest('dialog') !== null),
        ).toBe(true)
      }
      await leave()
      await expect(dialog(page)).toHaveCount(0)
      await expect(opener).toBeFocused()
    }
    await expect(page.locator('.profile-card img')).toHaveCount(0)
    expect(sent).toEqual([])
    page.off('request', note)
  })
})

test('a photo is shown upright by its camera orientation, and cropped upright', async () => {
  const { page } = await editing(SMALL)
  const jpeg = await page.evaluate(() => {
    const canvas = document.createElement('canvas')
    canvas.width = 400
    canvas.height = 200
    const pen = canvas.getContext('2d')
    for (const [colour, x] of [
      ['rgb(200 20 20)', 0],
      ['rgb(20 20 200)', 200],
    ] as const) {
      if (pen !== null) pen.fillStyle = colour
      pen?.fillRect(x, 0, 200, 200)
    }
    return canvas.toDataURL('image/jpeg', 0.9).split(',')[1] ?? ''
  })
  await choose(page, { name: 'upright.jpg', mimeType: 'image/jpeg', buffer: heldUpright(Buffer.from(jpeg, 'base64')) })
  await expect(place(page)).toHaveText('0% from the left, 50% from the top')
  await pressKeys(page, 'ArrowUp', TO_THE_EDGE)
  await expect(place(page)).toHaveText('0% from the left, 0% from the top')
  await press(page, 'Use this picture')
  expect(await servedColours(page)).toEqual(['red', 'red', 'red', 'red'])
})

test('in Hindi the dialog has no English word and no overflow', async () => {
  const visit = await editing(SMALL)
  const { page } = visit
  await page.evaluate(() => localStorage.setItem('language', 'hi'))
  await page.reload()
  await page.locator('.profile-card button').click()
  await choose(page)
  await expect(page.getByRole('dialog')).toBeVisible()
  expect(await page.getByRole('dialog').innerText()).not.toMatch(/[a-z]/i)
  await auditVisit(visit, 'light')
})
