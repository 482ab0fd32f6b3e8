/**
 * Chromium for the tests of screens, and the checks that every screen must pass.
 * - The console is silent, and the page asks no other host.
 * - A small phone does not scroll sideways.
 * - axe finds no violation.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import { type Browser, type BrowserContext, type Page, type Request, chromium } from 'playwright-core'
import { expect } from 'vitest'
import { waitUntil } from '@roz/server/db/embedded/process.ts'
import { PATIENCE_MS } from './expect.ts'

const FLAGS = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
/** A request still under way after that is not awaited: the next check reports its complaints. */
const QUIET_WITHIN_MS = 5000
export const SMALL = { width: 360, height: 740 } as const
export const WIDE = { width: 1280, height: 900 } as const
export type Size = { readonly width: number; readonly height: number }

const WHOLE = process.env.CHROMIUM ?? '/usr/bin/chromium'
/** chromium-headless-shell: the engine without windows. It shows and stores the same with less work. */
const SHELL = process.env.CHROMIUM_SHELL ?? WHOLE

type BrowserOptions = {
  readonly whole?: boolean
  /** The letter size chosen in the browser's settings; 16 px by default. */
  readonly lettersPx?: number
}
const shared = new Map<string, Promise<Browser>>()
const opened = new Set<Browser>()
/** Every page that is open now, in every browser of this process. */
export const openPages = (): Page[] => [...opened].flatMap((browser) => browser.contexts()).flatMap((context) => context.pages())
/**
 * The browser that all test files of this process share; `closeVisits` closes the contexts with people's data.
 * - `whole` starts the full browser: only the full one installs apps and shows notifications.
 */
export function openBrowser({ whole = false, lettersPx = 16 }: BrowserOptions = {}): Promise<Browser> {
  const executablePath = whole ? WHOLE : SHELL
  const key = `${executablePath} ${lettersPx}`
  const open = shared.get(key) ?? launch(executablePath, lettersPx)
  shared.set(key, open)
  // A browser that crashed or was closed is not reused.
  void open.then((browser) => {
    opened.add(browser)
    browser.once('disconnected', () => {
      shared.delete(key)
      opened.delete(browser)
    })
  })
  return open
}

const launch = (executablePath: string, lettersPx: number): Promise<Browser> =>
  chromium.launch({ executablePath, args: [...FLAGS, `--blink-settings=defaultFontSize=${lettersPx}`] })

/** Closes all contexts, so that nothing of a finished file runs on in the next one. */
export async function closeVisits(): Promise<void> {
  const browsers = await Promise.all([...shared.values()].map((open) => open.catch(() => undefined)))
  await Promise.all(browsers.flatMap((browser) => browser?.contexts() ?? []).map((context) => context.close()))
}

export type Visit = {
  readonly page: Page
  readonly context: BrowserContext
  /** Console messages, failed requests and foreign hosts since the last call. */
  readonly complaints: () => string[]
  /** No request of the page is open. */
  readonly isQuiet: () => boolean
  /** For a failed wait: the page's present text, every toast that it showed, its requests with their answers, and its complaints. */
  readonly told: () => Promise<string>
  readonly close: () => Promise<void>
}
/** The storage key of the token: the members' app and the portal each have their own. */
export type Slot = 'token' | 'admin-token'
export const slotOf = (path: string): Slot => (/^\/admin(\/|$)/.test(path) ? 'admin-token' : 'token')

type VisitOptions = {
  readonly size?: Size
  readonly token?: string
  /** The side that the token is for; the members' app by default. */
  readonly slot?: Slot
  /** Foreign hosts that a page may ask: the gateway's. */
  readonly hosts: readonly string[]
  /** Runs the service worker; without it, the worker cannot hide the faults that a test makes. */
  readonly withWorker?: boolean
}
/** Elements that say that something failed or is still under way. */
const TELLING = '.toast, .field-error, [role=alert], [aria-busy=true]'
/** A failed wait lists at most this many of the last answers. */
const ANSWERS_TOLD = 30
type Noting = typeof globalThis & { rozToasts?: string[] }
/** Runs in the page: keeps the words of each toast, which is gone when a wait of 30 s fails. */
function noteToasts(): void {
  const words: string[] = []
  ;(window as Noting).rozToasts = words
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes)
      for (const node of addedNodes) if (node instanceof Element && node.matches('.toast')) words.push(node.textContent)
  }).observe(document, { childList: true, subtree: true })
}
/** The words of each toast that the page has shown. */
export const toastsOf = (page: Page): Promise<readonly string[]> => page.evaluate(() => (window as Noting).rozToasts ?? [])
const KEPT_OUT = 'Service Worker registration blocked by Playwright'

/** Opens a browser context of its own: nothing stored, nothing cached. */
export async function newVisit(browser: Browser, options: VisitOptions): Promise<Visit> {
  const context = await browser.newContext({
    viewport: options.size ?? SMALL,
    colorScheme: 'light',
    locale: 'en-IN',
    reducedMotion: 'reduce',
    serviceWorkers: options.withWorker === true ? 'allow' : 'block',
  })
  const { token, slot = 'token' } = options
  if (token !== undefined) await signInBefore(context, token, slot)
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  const underWay = new Set<Request>()
  const answered: string[] = []
  let complaints: string[] = []
  const complain = (text: string): void => {
    complaints.push(`${text} (at ${new URL(page.url()).pathname})`)
  }
  page.on('console', (message) => {
    const isComplaint = message.type() === 'error' || message.type() === 'warning'
    if (isComplaint && !message.text().includes(KEPT_OUT)) complain(`console ${message.type()}: ${message.text()}`)
  })
  page.on('pageerror', (error) => complain(`an error nobody caught: ${error.message}`))
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol.startsWith('http') && !options.hosts.includes(url.host)) complain(`a request to ${url.host}: ${request.url()}`)
    underWay.add(request)
  })
  page.on('requestfinished', (request) => underWay.delete(request))
  page.on('requestfailed', (request) => {
    underWay.delete(request)
    answered.push(`failed: ${request.method()} ${request.url()} ${request.failure()?.errorText}`)
  })
  page.on('response', (response) => {
    if (response.url().includes('/api/')) answered.push(`answered: ${response.request().method()} ${response.url()} ${response.status()}`)
  })
  await page.addInitScript(noteToasts)
  return {
    page,
    context,
    complaints: () => {
      const found = complaints
      complaints = []
      return found
    },
    isQuiet: () => underWay.size === 0,
    told: async () => {
      const shown = await page.locator(TELLING).filter({ visible: true }).allInnerTexts()
      const toasts = await toastsOf(page)
      const asked = [...underWay].map((request) => `under way: ${request.method()} ${request.url()}`)
      const heard = complaints.map((text) => text.split('\n', 1).join())
      const typed = await page
        .locator('input:not([type=password]), textarea')
        .evaluateAll((fields) =>
          (fields as HTMLInputElement[]).filter(({ value }) => value !== '').map(({ name, value }) => `field ${name}: ${value}`),
        )
      const lines = [...shown.map((text) => `shown: ${text}`), ...toasts.map((text) => `toast: ${text}`), ...typed, ...asked]
      return [`at ${page.url()}`, ...lines, ...answered.slice(-ANSWERS_TOLD), ...heard].join('\n')
    },
    close: () => context.close(),
  }
}

/**
 * Hands the browser to the next person: empties storage and ends everything that the last person started.
 * - The cached files of the app stay, which saves most of the time that a new context takes.
 */
export async function handOver({ page, context, complaints }: Visit, origin: string, token?: string, slot: Slot = 'token'): Promise<void> {
  // An address without the app: the old page ends here and cannot write into the emptied storage.
  await page.goto(`${origin}/healthz`)
  await context.clearCookies()
  await page.evaluate(
    ([name, next]) => {
      sessionStorage.clear()
      localStorage.clear()
      if (next !== undefined) (name === 'token' ? localStorage : sessionStorage).setItem(name, next)
    },
    [slot, token] as const,
  )
  complaints()
}

/** Stores the token as a login does; only once, so that a logout in the page stays a logout. */
async function signInBefore(context: BrowserContext, token: string, slot: Slot): Promise<void> {
  await context.addInitScript(
    ([name, value]) => {
      if (sessionStorage.getItem('signed-in') !== null) return
      sessionStorage.setItem('signed-in', '1')
      const storage = name === 'token' ? localStorage : sessionStorage
      storage.setItem(name, value)
    },
    [slot, token] as const,
  )
}

/** The minified script has less than half of the package's default size; every audited page parses it again. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Runs axe on the present screen; `colours` checks only contrast. */
export async function auditScreen(page: Page, only?: 'colours'): Promise<void> {
  await settle(page)
  if (await page.evaluate(() => !('axe' in window))) await page.evaluate(AXE)
  const found = await page.evaluate(
    async (rules) => {
      const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(document, {
        resultTypes: ['violations'],
        // A video's frame belongs to another host: axe could not look into it and would only complain.
        iframes: false,
        ...(rules === undefined ? {} : { runOnly: rules }),
      })
      return violations.flatMap(({ id, help, nodes }) =>
        nodes.map((node) => `${id}: ${help}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`),
      )
    },
    only === 'colours' ? ['color-contrast'] : undefined,
  )
  expect(found, `axe on ${page.url()}`).toEqual([])
}

/** Expects no sideways overflow and no word outside its seal; the failure names the element. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  await settle(page)
  const wide = await page.evaluate(() => {
    const root = document.documentElement
    // The ring is 76 of the drawing's 88 units wide.
    const seals = [...document.querySelectorAll<SVGTextElement>('svg.seal text')].filter((word) => word.getBBox().width > 76)
    if (seals.length > 0) return seals.map((word) => `sticks out of its seal: ${word.textContent}`)
    if (root.scrollWidth <= root.clientWidth) return []
    const out = [...document.querySelectorAll('body *')].filter((element) => element.getBoundingClientRect().right > root.clientWidth + 0.5)
    return [`${root.scrollWidth} > ${root.clientWidth}`, ...out.slice(0, 5).map((element) => element.outerHTML.slice(0, 120))]
  })
  expect(wide, `what sticks out on ${page.url()}`).toEqual([])
}

/** No sideways scroll, and axe: a look at what a test has just done on a screen. */
export async function auditPage(page: Page): Promise<void> {
  await expectNoSidewaysScroll(page)
  await auditScreen(page)
}

/** Waits until everything has loaded and every animation has ended. */
export async function settle(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null && document.fonts.status === 'loaded')
  await page.evaluate(() =>
    Promise.allSettled(
      document
        .getAnimations()
        .filter((a) => a.effect?.getTiming().iterations !== Infinity)
        .map((a) => a.finished),
    ),
  )
}

/** Waits for quiet, then expects no complaint since the last look, except the provoked ones. */
export async function expectSilence(visit: Visit, provoked?: RegExp): Promise<void> {
  await settle(visit.page)
  await waitUntil(visit.isQuiet, QUIET_WITHIN_MS)
  const heard = visit.complaints().filter((complaint) => provoked?.test(complaint) !== true)
  expect(heard, visit.page.url()).toEqual([])
}

const IS_SHORT = process.env.ROZ_TEST_SHORT === '1'
/** A whole `npm test` looks at dark themes only where a test asks for both. */
const USUAL_THEMES = IS_SHORT ? 'light' : 'both'
/**
 * All checks of one screen: silence, no sideways scroll, axe in the light theme, contrast in the dark one.
 * - `light` skips the dark theme, for a screen whose dark theme was checked in other words or at another width.
 */
export async function auditVisit(visit: Visit, themes: 'both' | 'light' = USUAL_THEMES): Promise<void> {
  const { page } = visit
  await expectSilence(visit)
  await auditPage(page)
  if (themes === 'both') {
    await page.emulateMedia({ colorScheme: 'dark' })
    await auditScreen(page, 'colours')
    await page.emulateMedia({ colorScheme: 'light' })
  }
  expect(visit.complaints(), page.url()).toEqual([])
}

/**
 * Checks a screen at another width than its `auditVisit` did, then goes back to that width.
 * - A whole `npm test` leaves axe out here: most elements are the same ones.
 */
export async function auditAtWidth(visit: Visit, size: Size, usual: Size): Promise<void> {
  const { page } = visit
  await page.setViewportSize(size)
  if (IS_SHORT) {
    await expectSilence(visit)
    await expectNoSidewaysScroll(page)
  } else await auditVisit(visit, 'light')
  await page.setViewportSize(usual)
}

/** Checks a screen of the portal at both widths, and leaves it wide. */
export async function auditBothWidths(visit: Visit): Promise<void> {
  await auditVisit(visit)
  await auditAtWidth(visit, SMALL, WIDE)
}
