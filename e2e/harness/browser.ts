/**
 * Chromium as people use it, and what must hold on every screen they see: nothing on the console, no
 * request to another host, no scrolling sideways on a small phone, nothing that axe complains about.
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
/** What is under way after that is not waited for: its complaints come with the next look. */
const QUIET_WITHIN_MS = 5000
export const SMALL = { width: 360, height: 740 } as const
export const WIDE = { width: 1280, height: 900 } as const

const WHOLE = process.env.CHROMIUM ?? '/usr/bin/chromium'
/** The engine without the browser around it, which shows and stores the same and has less to do. */
const SHELL = process.env.CHROMIUM_SHELL ?? WHOLE

export type BrowserOptions = {
  readonly whole?: boolean
  /** The size of letters that somebody has chosen in the browser's settings; 16 px unless they have. */
  readonly lettersPx?: number
}
const shared = new Map<string, Promise<Browser>>()
/**
 * One for all files that run in this process: what a person has stored lies in a context of their own,
 * and `closeVisits` ends those. `whole` is the browser as people have it: only it installs and notifies.
 */
export function openBrowser({ whole = false, lettersPx = 16 }: BrowserOptions = {}): Promise<Browser> {
  const executablePath = whole ? WHOLE : SHELL
  const key = `${executablePath} ${lettersPx}`
  const open = shared.get(key) ?? launch(executablePath, lettersPx)
  shared.set(key, open)
  // One that has crashed or was closed is no later file's.
  void open.then((browser) => browser.once('disconnected', () => shared.delete(key)))
  return open
}

const launch = (executablePath: string, lettersPx: number): Promise<Browser> =>
  chromium.launch({ executablePath, args: [...FLAGS, `--blink-settings=defaultFontSize=${lettersPx}`] })

/** Nothing of the file that ends runs on in the browser of the next one. */
export async function closeVisits(): Promise<void> {
  const browsers = await Promise.all([...shared.values()].map((open) => open.catch(() => undefined)))
  await Promise.all(browsers.flatMap((browser) => browser?.contexts() ?? []).map((context) => context.close()))
}

export type Visit = {
  readonly page: Page
  readonly context: BrowserContext
  /** What went wrong out of sight since the last look. */
  readonly complaints: () => string[]
  /** Nothing that the page has asked for is still to come. */
  readonly isQuiet: () => boolean
  /** Where a wait was in vain: what stands on the page instead, what it still waits for, and what it complained about. */
  readonly told: () => Promise<string>
  readonly close: () => Promise<void>
}
/** Where a token lies in the browser: the members' app and the portal each have a slot of their own. */
export type Slot = 'token' | 'admin-token'
export const slotOf = (path: string): Slot => (/^\/admin(\/|$)/.test(path) ? 'admin-token' : 'token')

export type VisitOptions = {
  readonly size?: { readonly width: number; readonly height: number }
  readonly dark?: boolean
  readonly token?: string
  /** Which side the token is for; the members' by default. */
  readonly slot?: Slot
  /** Hosts beside the product's own that a page may ask: the gateway's. */
  readonly hosts: readonly string[]
  /** The service worker runs; elsewhere it is kept out, for it would stand between a page and the faults made for it. */
  readonly withWorker?: boolean
}
/** What says that something went wrong or is not over. */
const TELLING = '.toast, .field-error, [role=alert], [aria-busy=true]'
const KEPT_OUT = 'Service Worker registration blocked by Playwright'

/** A person with a browser of their own: nothing stored, nothing cached. */
export async function newVisit(browser: Browser, options: VisitOptions): Promise<Visit> {
  const context = await browser.newContext({
    viewport: options.size ?? SMALL,
    colorScheme: options.dark === true ? 'dark' : 'light',
    locale: 'en-IN',
    reducedMotion: 'reduce',
    serviceWorkers: options.withWorker === true ? 'allow' : 'block',
  })
  const { token, slot = 'token' } = options
  if (token !== undefined) await signInBefore(context, token, slot)
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  const underWay = new Set<Request>()
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
  page.on('requestfailed', (request) => underWay.delete(request))
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
      const asked = [...underWay].map((request) => `under way: ${request.method()} ${request.url()}`)
      const heard = complaints.map((text) => text.split('\n', 1).join())
      return [`at ${page.url()}`, ...shown.map((text) => `shown: ${text}`), ...asked, ...heard].join('\n')
    },
    close: () => context.close(),
  }
}

/** The browser is handed to the next person: nothing of the last one is stored or runs on. What is cached of the app stays, which saves most of the time that a new one takes. */
export async function handOver({ page, context, complaints }: Visit, origin: string, token?: string, slot: Slot = 'token'): Promise<void> {
  // An address without the app: it ends here, and writes nothing more into what is emptied.
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

/** The token as a sign-in leaves it; set once, so that a logout in the page stays one. */
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

/** Less than half of what the package gives by itself; each page that is audited reads it anew. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** axe in full on the screen as it stands; `colours` looks at contrast alone. */
export async function auditScreen(page: Page, only?: 'colours'): Promise<void> {
  await settle(page)
  if (await page.evaluate(() => !('axe' in window))) await page.evaluate(AXE)
  const found = await page.evaluate(
    async (rules) => {
      const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(document, {
        resultTypes: ['violations'],
        // A film's frame is another host's: asked by axe it would only complain of who asks.
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

/** Nothing sticks out to the right, nor a word out of its seal; says what does. */
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

/** What is loading has loaded, and what moves stands still. */
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

/** Nothing was complained about out of sight since the last look, now that all has come; but what was provoked. */
export async function expectSilence(visit: Visit, provoked?: RegExp): Promise<void> {
  await settle(visit.page)
  await waitUntil(visit.isQuiet, QUIET_WITHIN_MS)
  const heard = visit.complaints().filter((complaint) => provoked?.test(complaint) !== true)
  expect(heard, visit.page.url()).toEqual([])
}

/** Full care for one screen: silence, no sideways scroll, light in full, dark for colours; `light` where the same stood in the dark already, in other words. */
export async function auditVisit(visit: Visit, themes: 'both' | 'light' = 'both'): Promise<void> {
  const { page } = visit
  await expectSilence(visit)
  await expectNoSidewaysScroll(page)
  await auditScreen(page)
  if (themes === 'both') {
    await page.emulateMedia({ colorScheme: 'dark' })
    await auditScreen(page, 'colours')
    await page.emulateMedia({ colorScheme: 'light' })
  }
  expect(visit.complaints(), page.url()).toEqual([])
}
