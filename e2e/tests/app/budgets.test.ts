/**
 * Byte budgets of every screen.
 * - Bytes are those on the wire, in brotli, of the built files as the server serves them.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { get } from 'node:http'
import path from 'node:path'
import { LANGUAGES } from '@roz/core/language.ts'
import { paths, type PublicPage, publicPath, publicPaths } from '@roz/web/paths.ts'
import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { newVisit, openBrowser, settle, slotOf } from '../../harness/browser.ts'
import { newMember } from '../../harness/people.ts'
import { type Program, startProgram, webDir } from '../../harness/program.ts'

const KB = 1024
const PUBLIC_JS_MAX = 10 * KB
const PUBLIC_HTML_MAX = 14 * KB
const SHELL_MAX = 115 * KB
const ROUTE_MAX = 24 * KB
const ADMIN_MAX = 60 * KB
const ADMIN_WORDS_MAX = 26 * KB
const FIRST_LOAD_MAX = 160 * KB
const WORKER_MAX = 2 * KB

let roz: Program
let browser: Browser
beforeAll(async () => {
  ;[roz, browser] = await Promise.all([startProgram(), openBrowser()])
})

const PAGES = LANGUAGES.flatMap((language) => (Object.keys(publicPaths) as PublicPage[]).map((page) => publicPath(page, language)))

type Sent = { readonly bytes: number; readonly encoding: string | undefined }
/** The bytes on the wire; fetch would decompress them. */
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
    const named = matches(html, /<script[^>]+src="\/assets\/([^"]+)"/g)
    const scripts = closureOf(named)
    // What a script imports would begin to load only when the script has come.
    expect(named.length).toBeGreaterThan(0)
    expect([...scripts]).toEqual(named)
    expect(weightOf(scripts)).toBeLessThanOrEqual(PUBLIC_JS_MAX)
  })
})

const folder = (): string => path.join(webDir(), 'assets')
const textOf = (file: string): string => readFileSync(path.join(folder(), file), 'utf8')
const STATIC = /(?:^|[;}\s])(?:import|export)\s*(?:[\w*{][^;"'`]*?from)?\s*["'`]\.\/([\w.-]+\.js)["'`]/g
const DYNAMIC = /import\(\s*["'`]\.\/([\w.-]+\.js)["'`]\)/g

/** The files with all their static imports. */
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
  const shell = (): Set<string> => closureOf(matches(html(), /(?:src|href)="\/assets\/([^"]+\.js)"/g))
  const askedLater = (files: Iterable<string>): string[] => [...new Set([...files].flatMap((file) => matches(textOf(file), DYNAMIC)))]
  const nameOf = (file: string): string => file.replace(/-[\w-]{8}\.js$/, '')
  const isPortal = (name: string): boolean => /^admin/i.test(name)

  type Step = { readonly name: string; readonly adds: Set<string> }
  /** Every dynamic import of the shell, with the files that it adds to the shell. */
  function steps(): Step[] {
    const base = shell()
    return askedLater(base).map((file) => ({ name: nameOf(file), adds: closureOf([file]).difference(base) }))
  }
  /** Every dynamic import of a screen, with the files that it adds to shell and screen. */
  function partsOf(screen: Step): Step[] {
    const there = shell().union(screen.adds)
    return askedLater(screen.adds).map((file) => ({ name: `${screen.name}, ${nameOf(file)}`, adds: closureOf([file]).difference(there) }))
  }
  const weighed = (found: readonly Step[]) => found.map(({ name, adds }) => [name, weightOf(adds)] as const)

  test('a page names in its head every file that its screen needs', async () => {
    const all = steps()
    for (const [address, name] of [
      ['/login', 'LoginPage'],
      ['/dashboard', 'DashboardPage'],
      ['/wallet', 'WalletPage'],
    ] as const) {
      const page = await (await fetch(roz.url + address)).text()
      const named = new Set(matches(page, /(?:src|href)="\/assets\/([^"]+\.js)"/g))
      const screen = all.find((step) => step.name === name)?.adds ?? new Set()
      expect([...named].toSorted()).toEqual([...shell().union(screen)].toSorted())
    }
  })

  test('its shell weighs at most 115 KB', () => {
    expect(shell().size).toBeGreaterThan(0)
    expect(weightOf(shell())).toBeLessThanOrEqual(SHELL_MAX)
  })

  test('each screen, and each dynamic import of it, adds at most 24 KB to the shell with all its static imports', () => {
    const found = steps().filter(({ name }) => !isPortal(name))
    expect(found.filter(({ name }) => name.endsWith('Page')).length).toBeGreaterThan(12)
    expect(weighed([...found, ...found.flatMap(partsOf)]).filter(([, bytes]) => bytes > ROUTE_MAX)).toEqual([])
  })

  test('a browser loads for a screen exactly the files counted here, and the catalogue of its language', async () => {
    const all = steps()
    const base = shell()
    for (const [address, name] of [
      ['/login', 'LoginPage'],
      ['/register', 'RegisterPage'],
    ] as const) {
      const visit = await newVisit(browser, { hosts: [] })
      const loaded = new Set<string>()
      visit.page.on('request', (request) => matches(request.url(), /\/assets\/([\w.-]+\.js)$/g).forEach((file) => loaded.add(file)))
      await visit.page.goto(roz.url + address, { waitUntil: 'networkidle' })
      await settle(visit.page)
      await visit.close()
      const screen = all.find((step) => step.name === name)?.adds ?? new Set()
      expect([...loaded.difference(base).difference(screen)].map(nameOf)).toEqual(['app'])
      expect([...base.union(screen).difference(loaded)]).toEqual([])
    }
  })

  test('a wallet without AutoPay loads nothing of it, and asks nothing about it', async () => {
    const { token } = await newMember(roz)
    const visit = await newVisit(browser, { token, hosts: [] })
    const asked: string[] = []
    visit.page.on('request', (request) => void asked.push(new URL(request.url()).pathname))
    await visit.page.goto(roz.url + paths.wallet, { waitUntil: 'networkidle' })
    await settle(visit.page)
    await visit.close()
    expect(asked).toContain('/api/wallet/checkout')
    expect(asked.filter((address) => /autopay/i.test(address))).toEqual([])
    // Shows that its files have its name.
    expect(readdirSync(folder()).filter((file) => file.startsWith('Autopay'))).not.toEqual([])
  })

  test('the service worker weighs at most 2 KB', async () => {
    const worker = await sent('/sw.js')
    expect(worker.encoding).toBe('br')
    expect(worker.bytes).toBeLessThanOrEqual(WORKER_MAX)
  })

  test('the portal adds at most 60 KB, and its words in a language at most 26 KB', () => {
    const portal = weighed(steps().filter(({ name }) => isPortal(name)))
    expect(portal.length).toBe(2 + LANGUAGES.length)
    expect(portal.filter(([name, bytes]) => bytes > (name === 'admin' ? ADMIN_WORDS_MAX : ADMIN_MAX))).toEqual([])
  })

  test('a first visit of any screen of visitors and members loads at most 160 KB: page, styles, scripts, catalogue and font', async () => {
    const isWords = (file: string): boolean => nameOf(file) === 'app'
    const words = Math.max(
      ...askedLater(shell())
        .filter(isWords)
        .map((file) => weightOf([file])),
    )
    const fonts = readdirSync(folder()).filter((name) => name.endsWith('.woff2'))
    const always = words + fonts.reduce((sum, name) => sum + statSync(path.join(folder(), name)).size, 0)
    const screens = Object.values(paths).filter(
      (address) => ![paths.home, paths.kitchenSink].includes(address as '/') && !slotOf(address).startsWith('admin'),
    )
    expect(screens).toContain(paths.wallet)
    const loads = await Promise.all(
      screens.map(async (address) => {
        const page = await (await fetch(roz.url + address)).text()
        const named = new Set(matches(page, /(?:src|href)="\/assets\/([^"]+\.(?:js|css))"/g))
        return [address, (await sent(address)).bytes + weightOf(named) + always] as const
      }),
    )
    expect(loads.filter(([, bytes]) => bytes > FIRST_LOAD_MAX)).toEqual([])
  })
})
