/** The protocol's example site (spec/vectors), served in place of the server's public files. */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

type Vectors = {
  readonly text: Readonly<Record<string, string>>
  readonly hex: Readonly<Record<string, string>>
  readonly receipts: readonly { readonly receipt: object; readonly verdict: string }[]
}
const VECTORS = JSON.parse(readFileSync(new URL('../../spec/vectors/site.json', import.meta.url), 'utf8')) as Vectors
/** A day of the example site with witnesses that signed in time. */
export const SEALED = '2026-07-23'

/** Serves the example site to the page; a test may change one of its files. */
export async function exampleSite(
  page: Page,
  view: { readonly entries: number },
  change?: { readonly path: string; readonly bytes: Buffer },
): Promise<void> {
  await page.context().route('**/api/public/**', async (route) => {
    const path = new URL(route.request().url()).pathname.replace('/api/public/', '')
    if (path === `days/${SEALED}`) return route.fulfill({ json: { day: { ...SEALED_VIEW, ...view } } })
    const { [path]: text } = VECTORS.text
    const { [path]: hex } = VECTORS.hex
    const bytes =
      change?.path === path
        ? change.bytes
        : text === undefined
          ? hex === undefined
            ? undefined
            : Buffer.from(hex, 'hex')
          : Buffer.from(text)
    return bytes === undefined ? route.fulfill({ status: 404 }) : route.fulfill({ body: bytes })
  })
}
const SEALED_VIEW = {
  day: SEALED,
  status: 'settled',
  entries: 3,
  intake: 3,
  split: { need: 1.8, reward: 0.9, platform: 0.3 },
  winners: [{ name: 'Farida K.', amount: 0.9, tax: 0, position: 1, ticket: 'ab'.repeat(32) }],
  assurance: 'sealed',
  isDemo: false,
  books: { liabilities: { count: 1 } },
} as const

export const TICKETS: Buffer = Buffer.from(VECTORS.hex[`draws/${SEALED}/tickets`] ?? '', 'hex')
/** A valid ticket of that day. */
export const RECEIPT: Buffer = Buffer.from(JSON.stringify(VECTORS.receipts[0]?.receipt))
