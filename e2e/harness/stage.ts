/**
 * What tests of screens stand on: the program, a line to it that can be broken, and one browser that
 * is handed from test to test. Invariant: each test finds whole lines, an empty browser and a server
 * that runs, whatever the test before it did.
 */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { closeVisits, handOver, newVisit, openBrowser, type Slot, slotOf, SMALL, type Visit } from './browser.ts'
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts'
import { type Program, startProgram } from './program.ts'

export type StageOptions = {
  readonly size?: { readonly width: number; readonly height: number }
  /** Asked for before the program starts. */
  readonly env?: () => Promise<Readonly<Record<string, string>>>
}
export type AtOptions = {
  readonly token?: string | undefined
  /** Where it lies, if the path does not say so. */
  readonly slot?: Slot
  /** What must stand before the page opens and nobody after may inherit, as a clock set by hand: it gets a browser of its own. */
  readonly before?: (page: Page) => unknown
}
export type Work = (page: Page) => Promise<void>
export type Stage = ReturnType<typeof useStage>

/** To be called once, outside of every test. */
export function useStage({ size = SMALL, env }: StageOptions = {}) {
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
      // What failed once in many runs cannot be looked at again.
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
    /** The page that goes from test to test, and what it complained about. */
    get page() {
      return visit.page
    },
    get visit() {
      return visit
    },

    /** Somebody at a screen, over the line. */
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

    /** The server is stopped, and started again after the work. */
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
