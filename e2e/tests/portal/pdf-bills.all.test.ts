/**
 * A PDF as a bill, in a real browser.
 * - Its pages become pictures before anything is covered or uploaded, so nothing of its text is published.
 * - The frame that draws them has no way to the administrator's session, and none to a network.
 */
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, test } from 'vitest'
import { WIDE } from '../../harness/browser.ts'
import { expect } from '../../harness/expect.ts'
import { lineAt, lockedPdf, pdf, SHEET } from '../../harness/pdf.ts'
import { adminToken } from '../../harness/people.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'
import { toast } from '../../harness/steps.ts'

const fixture = useAppFixture({ size: WIDE })
let admin: string
beforeAll(async () => {
  admin = await adminToken(fixture.roz.url)
})

const FRAME = '/admin/pdf-frame'
const BILL = [
  ['Bill 17 of 5 January', 'Meera Sharma, Surat', 'School shoes: 450'],
  ['Paid by UPI', 'meera.sharma@bank'],
] as const
/** The second line of the first page: who was helped. */
const SECRET = 1
const file = (buffer: Buffer) => ({ name: 'bill.pdf', mimeType: 'application/pdf', buffer })

/** A path, because the test's own channel takes seconds for this size. */
const LARGE = path.join(tmpdir(), `roz-${process.pid}-large.pdf`)
beforeAll(() => writeFile(LARGE, Buffer.alloc(20 * 1024 * 1024 + 1)))
afterAll(() => rm(LARGE, { force: true }))

const inEntry = (work: (page: Page) => Promise<void>, before?: (page: Page) => unknown) =>
  fixture.at(
    '/admin/dashboard?tab=house-entries',
    async (page) => {
      await page.locator('.tab-panel .head-row button').first().click()
      await work(page)
    },
    { token: admin, ...(before === undefined ? {} : { before }) },
  )
const choose = (page: Page, chosen: string | ReturnType<typeof file>) => page.locator('dialog input[type="file"]').setInputFiles(chosen)
const cover = (page: Page) => page.getByRole('dialog').filter({ has: page.locator('.cover-stage') })

type Upload = { readonly sent: Buffer; readonly hash: string }
async function use(page: Page): Promise<Upload> {
  const answered = page.waitForResponse((response) => response.url().endsWith('/api/admin/uploads'))
  await cover(page).getByRole('button', { name: 'Use this page' }).click()
  const response = await answered
  const { hash } = (await response.json()) as { readonly hash: string }
  return { sent: response.request().postDataBuffer() ?? Buffer.alloc(0), hash }
}

/** The darkest and the brightest pixel of a band, which is given in shares of the page. */
async function band(picture: Buffer, top: number, bottom: number): Promise<{ readonly least: number; readonly most: number }> {
  const { width, height } = await sharp(picture).metadata()
  // The mouse stays a little inside of the page.
  const edge = Math.round(width * 0.02)
  const area = { left: edge, width: width - 2 * edge, top: Math.round(top * height), height: Math.round((bottom - top) * height) }
  const { channels } = await sharp(await sharp(picture).extract(area).greyscale().png().toBuffer()).stats()
  const [grey] = channels
  return { least: grey?.min ?? 0, most: grey?.max ?? 0 }
}
/** Where a line's letters are, from the upper edge. */
const bandOf = (line: number) =>
  [(SHEET.height - lineAt(line) - 11) / SHEET.height, (SHEET.height - lineAt(line) + 5) / SHEET.height] as const

test('a PDF of two pages becomes two pictures: the covered line is black, and no text of the file is sent or kept', async () => {
  const uploads: Upload[] = []
  await inEntry(async (page) => {
    await choose(page, file(pdf(BILL)))
    await expect(cover(page).getByText('1 more page')).toBeVisible()
    const box = await cover(page).getByRole('img', { name: 'The page of the bill' }).boundingBox()
    if (box === null) throw new Error('the page is not shown')
    const [top, bottom] = bandOf(SECRET)
    await page.mouse.move(box.x + 1, box.y + top * box.height)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width - 1, box.y + bottom * box.height, { steps: 4 })
    await page.mouse.up()
    await expect(cover(page).getByLabel('Cover 1')).toBeVisible()
    uploads.push(await use(page))
    await expect(cover(page).getByText('1 more page')).toHaveCount(0)
    await expect(cover(page).getByLabel(/Cover \d/)).toHaveCount(0)
    uploads.push(await use(page))
    await expect(page.getByRole('img', { name: 'Page 2' })).toBeVisible()
    expect(await page.locator('iframe').count()).toBe(0)
  })

  const kept = await Promise.all(
    uploads.map(async ({ hash }) => {
      const headers = { authorization: `Bearer ${admin}` }
      return Buffer.from(await (await fetch(`${fixture.roz.url}/api/admin/receipts/${hash}`, { headers })).arrayBuffer())
    }),
  )
  for (const [index, picture] of kept.entries()) {
    const { format, width, height } = await sharp(picture).metadata()
    expect([format, Math.round((height / width) * 100)]).toEqual(['webp', Math.round((SHEET.height / SHEET.width) * 100)])
    for (const bytes of [picture, uploads[index]?.sent ?? picture])
      expect(bytes.toString('latin1')).not.toMatch(/Meera|Sharma|%PDF|Helvetica/)
  }
  const [first, second] = kept
  if (first === undefined || second === undefined) throw new Error('two pages were used')
  // The letters of the other lines are there, dark on white; the covered line is only black.
  for (const [picture, line] of [
    [first, 0],
    [first, 2],
    [second, 0],
    [second, 1],
  ] as const) {
    const { least, most } = await band(picture, ...bandOf(line))
    expect([least < 60, most > 240], `line ${line}`).toEqual([true, true])
  }
  const [top, bottom] = bandOf(SECRET)
  expect((await band(first, top + 0.01, bottom - 0.01)).most).toBeLessThan(12)
})

test.each([
  [
    'locked by a password',
    file(lockedPdf(BILL)),
    'This PDF is locked with a password. Please save a copy without the password, or choose a screenshot of each page.',
  ],
  [
    'broken',
    file(Buffer.from('%PDF-1.7 and then nothing')),
    'This PDF cannot be read. Please choose a photo or a screenshot of each page.',
  ],
  ['empty', file(Buffer.alloc(0)), 'This PDF has no pages.'],
  ['without pages', file(pdf([])), 'This PDF has no pages.'],
  [
    'of eleven pages',
    file(pdf(Array.from({ length: 11 }, () => ['Page']))),
    'This PDF has too many pages. One entry has at most 10 pages.',
  ],
  ['of more than 20 MB', LARGE, 'This PDF has more than 20 MB. Please choose a photo or a screenshot of each page.'],
])('a PDF %s is refused in plain words, and the form stays as it is', async (_what, chosen, words) => {
  await inEntry(async (page) => {
    await choose(page, chosen)
    await expect(toast(page, words)).toBeVisible()
    await expect(page.locator('.cover-stage, ol.pages, iframe')).toHaveCount(0)
    await expect(page.locator('dialog [aria-busy="true"]')).toHaveCount(0)
  })
})

test('a PDF that takes longer than a minute is given up in plain words', async () => {
  await inEntry(
    async (page) => {
      await page.route(`**${FRAME}`, () => undefined)
      await choose(page, file(pdf(BILL)))
      await expect(page.getByText('The file is being read…')).toBeVisible()
      await page.clock.runFor(60_000)
      await expect(toast(page, 'This PDF takes too long. Please choose a photo or a screenshot of each page.')).toBeVisible()
      await expect(page.locator('iframe')).toHaveCount(0)
    },
    (page) => page.clock.install(),
  )
})

test('the frame has no origin: no session, no storage, no portal around it, and no network', async () => {
  await inEntry(async (page) => {
    // The policy alone must isolate the frame, so this one has no sandbox attribute.
    await page.evaluate((address) => {
      sessionStorage.setItem('probe', 'of the portal')
      const frame = document.createElement('iframe')
      frame.src = address
      document.body.append(frame)
    }, FRAME)
    await expect.poll(() => page.frames().some((one) => one.url().endsWith(FRAME))).toBe(true)
    const frame = page.frames().find((one) => one.url().endsWith(FRAME))
    if (frame === undefined) throw new Error('the frame is not there')
    await frame.waitForLoadState('load')
    const tried = await frame.evaluate(async () => {
      const outcomeOf = async (work: () => unknown): Promise<string> => {
        try {
          return `got ${String(await work())}`
        } catch (error) {
          return (error as Error).name
        }
      }
      const blocked: string[] = []
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => blocked.push(effectiveDirective))
      const outcomes = {
        origin: await outcomeOf(() => origin),
        session: await outcomeOf(() => sessionStorage.getItem('probe')),
        local: await outcomeOf(() => localStorage.length),
        cookies: await outcomeOf(() => document.cookie),
        databases: await outcomeOf(() => indexedDB.open('probe')),
        portal: await outcomeOf(() => parent.document.title),
        network: await outcomeOf(() => fetch('/api/health')),
        abroad: await outcomeOf(() => fetch('https://example.org/')),
      }
      const script = document.createElement('script')
      script.textContent = 'window.ran = true'
      document.head.append(script)
      const picture = new Image()
      picture.src = '/favicon.svg'
      await new Promise((done) => picture.addEventListener('error', done))
      return { outcomes, ran: 'ran' in globalThis, blocked: [...new Set(blocked)].toSorted() }
    })
    expect(tried.outcomes).toEqual({
      origin: 'got null',
      session: 'SecurityError',
      local: 'SecurityError',
      cookies: 'SecurityError',
      databases: 'SecurityError',
      portal: 'SecurityError',
      network: 'TypeError',
      abroad: 'TypeError',
    })
    expect(tried.ran).toBe(false)
    expect(tried.blocked).toEqual(['connect-src', 'img-src', 'script-src-elem'])
  })
})

test('the portal loads the reader only for a PDF, in a sandbox, and only once it is chosen', async () => {
  await inEntry(async (page) => {
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.evaluate(() => {
      new MutationObserver((changes) => {
        for (const { addedNodes } of changes)
          for (const node of addedNodes) if (node instanceof HTMLIFrameElement) document.body.dataset.frame = node.sandbox.value
      }).observe(document.body, { childList: true })
    })
    await choose(page, {
      name: 'photo.png',
      mimeType: 'image/png',
      buffer: await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
        .png()
        .toBuffer(),
    })
    await expect(cover(page)).toBeVisible()
    await cover(page).getByRole('button', { name: 'Leave this page out' }).click()
    expect(asked.filter((address) => address === FRAME)).toEqual([])
    await choose(page, file(pdf(BILL)))
    await expect(cover(page)).toBeVisible()
    expect(asked.filter((address) => address.startsWith('/admin/'))).toEqual([FRAME])
    expect(await page.evaluate(() => document.body.dataset.frame)).toBe('allow-scripts')
  })
})
