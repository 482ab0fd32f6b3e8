/**
 * What a screen may weigh on the wire, in brotli as browsers get it, and how far a public page may
 * jump while it loads. Weighed are the files of the build as the server serves them.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { get } from 'node:http'
import path from 'node:path'
import { LANGUAGES } from '@roz/core/language.ts'
import { type PublicPage, publicPath, publicPaths } from '@roz/web/paths.ts'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newVisit, openBrowser, settle, SMALL, WIDE } from './browser.ts'
import { type Program, startProgram, webDir } from './program.ts'

const KB = 1024
const PUBLIC_JS_MAX = 10 * KB
const PUBLIC_HTML_MAX = 14 * KB
const SHELL_MAX = 110 * KB
const ROUTE_MAX = 20 * KB
/** The rules of forms, shared by every screen with one and loaded with the first of them. */
const FORMS_MAX = 21 * KB
const ADMIN_MAX = 60 * KB
const FIRST_LOAD_MAX = 160 * KB
const SHIFT_MAX = 0.02

let roz: Program
let browser: Browser
beforeAll(async () => {
  ;[roz, browser] = await Promise.all([startProgram(), openBrowser()])
})
afterAll(() => browser?.close())

const PAGES = LANGUAGES.flatMap((language) => (Object.keys(publicPaths) as PublicPage[]).map((page) => publicPath(page, language)))

type Sent = { readonly bytes: number; readonly encoding: string | undefined }
/** What comes over the wire; fetch would unpack it. */
const sent = (address: string): Promise<Sent> =>
  new Promise((resolve, reject) => {
    get(roz.url + address, { headers: { 'accept-encoding': 'br' } }, (response) => {
      let bytes = 0
      response.on('data', (chunk: Buffer) => (bytes += chunk.length))
      response.on('end', () => resolve({ bytes, encoding: response.headers['content-encoding'] }))
      response.on('error', reject)
    }).on('error', reject)
  })
const matches = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map((match) => match[1] ?? '')

describe('public pages', () => {
  test.each(PAGES)('%s: HTML with its CSS at most 14 KB, its scripts at most 10 KB', async (address) => {
    const page = await sent(address)
    expect(page.encoding).toBe('br')
    expect(page.bytes).toBeLessThanOrEqual(PUBLIC_HTML_MAX)
    const html = await (await fetch(roz.url + address)).text()
    expect(matches(html, /<link[^>]+rel="stylesheet"[^>]+href="([^"]+)"/g)).toEqual([])
    const scripts = closureOf(matches(html, /<script[^>]+src="\/assets\/([^"]+)"/g))
    expect(scripts.size).toBeGreaterThan(0)
    expect(weightOf(scripts)).toBeLessThanOrEqual(PUBLIC_JS_MAX)
  })

  test('nothing jumps while they load', async () => {
    const jumps: string[] = []
    for (const size of [SMALL, WIDE]) {
      const visit = await newVisit(browser, { size, hosts: [] })
      for (const address of PAGES.filter((one) => !one.endsWith('/verify'))) {
        await visit.page.goto(roz.url + address)
        await settle(visit.page)
        const shift = await visit.page.evaluate(shiftSoFar)
        if (shift > SHIFT_MAX) jumps.push(`${address} at ${size.width}: ${shift}`)
      }
      // The measure itself: a block that comes late is seen.
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
})

/** The sum of all layout shifts since the page began, two frames after now. */
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

const folder = (): string => path.join(webDir(), 'assets')
const textOf = (file: string): string => readFileSync(path.join(folder(), file), 'utf8')
const STATIC = /(?:^|[;}\s])(?:import|export)\s*(?:[\w*{][^;"'`]*?from)?\s*["'`]\.\/([\w.-]+\.js)["'`]/g
const DYNAMIC = /import\(\s*["'`]\.\/([\w.-]+\.js)["'`]\)/g

/** The files with everything that they cannot run without. */
function closureOf(files: readonly string[], known = new Set<string>()): Set<string> {
  for (const file of files) {
    if (known.has(file)) continue
    known.add(file)
    closureOf(matches(textOf(file), STATIC), known)
  }
  return known
}
const weightOf = (files: Iterable<string>): number =>
  [...files].reduce((sum, file) => sum + statSync(path.join(folder(), `${file}.br`)).size, 0)

describe('the app', () => {
  const html = (): string => readFileSync(path.join(webDir(), 'app.html'), 'utf8')
  const shell = (): Set<string> => closureOf(matches(html(), /<script[^>]+src="\/assets\/([^"]+\.js)"/g))
  /** Screens by the name of their chunk, each with what it adds to the shell. */
  function routes(): Map<string, Set<string>> {
    const base = shell()
    const entry = [...base].flatMap((file) => matches(textOf(file), DYNAMIC))
    const screens = [...new Set(entry)].filter((file) => /Page-[\w-]{8}\.js$/.test(file))
    return new Map(screens.map((file) => [file.replace(/-[\w-]{8}\.js$/, ''), closureOf([file]).difference(base)]))
  }
  /** Shared by the screens with forms: React Hook Form, zod and the rules of fields. */
  const formsKit = (): Set<string> =>
    closureOf(readdirSync(folder()).filter((name) => /^forms-[\w-]{8}\.js$/.test(name))).difference(shell())
  const isPortal = (name: string): boolean => name.startsWith('Admin')

  test('its shell weighs at most 110 KB', () => {
    expect(shell().size).toBeGreaterThan(1)
    expect(weightOf(shell())).toBeLessThanOrEqual(SHELL_MAX)
  })

  test('each screen of a member adds at most 20 KB, the rules of forms aside, which weigh 21 KB once', () => {
    const kit = formsKit()
    expect(kit.size).toBeGreaterThan(0)
    expect(weightOf(kit)).toBeLessThanOrEqual(FORMS_MAX)
    const found = [...routes()].filter(([name]) => !isPortal(name))
    expect(found.length).toBeGreaterThan(8)
    const heavy = found.map(([name, files]) => [name, weightOf(files.difference(kit))] as const).filter(([, bytes]) => bytes > ROUTE_MAX)
    expect(heavy).toEqual([])
  })

  test('the portal adds at most 60 KB', () => {
    const heavy = [...routes()].filter(([name, files]) => isPortal(name) && weightOf(files) > ADMIN_MAX).map(([name]) => name)
    expect(heavy).toEqual([])
  })

  test('a first visit of any member’s screen loads at most 160 KB: page, styles, scripts, words and font', async () => {
    const files = readdirSync(folder())
    const styles = files.filter((name) => name.endsWith('.css'))
    const fonts = files.filter((name) => name.endsWith('.woff2'))
    const catalogue = Math.max(
      ...files.filter((name) => /^app-[\w-]{8}\.js$/.test(name) && !shell().has(name)).map((name) => weightOf([name])),
    )
    const always =
      (await sent('/login')).bytes +
      weightOf(shell()) +
      weightOf(styles) +
      catalogue +
      fonts.reduce((sum, name) => sum + statSync(path.join(folder(), name)).size, 0)
    const heavy = [...routes()].map(([name, own]) => [name, always + weightOf(own)] as const)
    expect(heavy.filter(([name, bytes]) => !isPortal(name) && bytes > FIRST_LOAD_MAX)).toEqual([])
  })
})
