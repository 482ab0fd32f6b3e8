/** Reads the page /verify: its verdict, its steps and their words. */
import type { Locator, Page } from 'playwright-core'
import { expect } from './expect.ts'

export const step = (page: Page, name: string): Locator => page.locator(`[data-step="${name}"]`)
/** The verifier's word for the verdict, in the technical details. */
export const verdict = (page: Page): Locator => page.locator('[data-word] > b:not([hidden])')
/** The verdict and the words of its steps. */
export async function saidBy(page: Page): Promise<string[]> {
  const said = await page.locator('[data-verdict] > :not([hidden]), [data-step] p:not([hidden], .step-title)').allTextContents()
  expect(said.length).toBeGreaterThan(16)
  return said
}
