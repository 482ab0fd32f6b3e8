/**
 * The base of screen tests: the program, a proxy that can break its connections, and one browser for all tests of a file.
 * - Each test starts with an unbroken line, empty storage and a running server, whatever the test before it did.
 */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { closeVisits, handOver, newVisit, openBrowser, type Slot, slotOf, SMALL, type Visit } from './browser.ts'
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts'
import { type Program, startProgram } from './program.ts'

type FixtureOptions = {
  readonly size?: { readonly width: number; readonly height: number }
  /** Resolved before the program starts. */
  readonly env?: () => Promise<Readonly<Record<string, string>>>
}
export type AtOptions = {
  readonly token?: string | undefined
  /** The token's storage key, if the path does not show it. */
  readonly slot?: Slot
  /** Setup that must precede the page and that no later test may inherit, such as a clock set by hand: it gets its own browser. */
  readonly before?: (page: Page) => unknown
}
export type Work = (page: Page) => Promise<void>

/** Call it once, outside of every test. */
export function useAppFixture({ size = SMALL, env }: FixtureOptions = {}) {
  let settings: Readonly<Record<string, string>> = {}
  let roz: Program
  let line: FaultyProxy
  let browser: Browser
  let visit: Visit

  beforeAll(async () => {
    settings = (await env?.()) ?? {}
    ;[roz, browser, line] = await Promise.all([startProgram({ env: settings }), openBrowser(), startFaultyProxy(() => roz.port)])
    visit = await newVisit(browser, { size, hosts: [new URL(line.url).host] })
  })
  afterEach(() => line.mend())
  afterAll(async () => {
    await closeVisits()
    await line?.close()
  })

  async function workIn({ page, complaints, told }: Visit, path: string, work: Work): Promise<void> {
    await page.goto(line.url + path)
    try {
      await work(page)
    } catch (error) {
      // A rare failure cannot be observed again, so the error carries the page's state.
      if (error instanceof Error) error.message += `\n\n${await told().catch(() => 'the page is gone')}`
      throw error
    }
    expect(complaints().filter((text) => text.includes('nobody caught'))).toEqual([])
  }

  return {
    get roz() {
      return roz
    },
    get line() {
      return line
    },
    /** The page that all tests share, and its complaints. */
    get page() {
      return visit.page
    },
    get visit() {
      return visit
    },

    /** Opens a screen through the proxy, as a visitor or with a token. */
    async at(path: string, work: Work, { token, before, slot = slotOf(path) }: AtOptions = {}): Promise<void> {
      if (before === undefined) {
        await handOver(visit, line.url, token, slot)
        return workIn(visit, path, work)
      }
      const own = await newVisit(browser, { size, hosts: [], slot, ...(token === undefined ? {} : { token }) })
      try {
        await before(own.page)
        await workIn(own, path, work)
      } finally {
        await own.close()
      }
    },

    /** Opens a screen with a token. */
    as(token: string | undefined, path: string, work: Work): Promise<void> {
      return this.at(path, work, { token })
    },

    /** The same in a browser of its own, which no other test has used. */
    alone(token: string | undefined, path: string, work: Work): Promise<void> {
      return this.at(path, work, { token, before: () => undefined })
    },

    /** Stops the server for the work, and starts it again. */
    async withoutServer(work: () => Promise<void>): Promise<void> {
      await roz.stop()
      try {
        await work()
      } finally {
        roz = await startProgram({ port: roz.port, dataDir: roz.dataDir, env: settings })
      }
    },
  }
}
