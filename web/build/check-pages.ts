/** Renders every public page in every language; the build fails where a page cannot be rendered or exceeds its byte budget. */
import type { PublicPages, SiteFacts } from '@roz/contract/public-pages.ts'
import { LANGUAGES } from '@roz/core/language.ts'
import { brotliCompressSync } from 'node:zlib'

/** The budget of one page: HTML with inlined CSS, compressed with Brotli. */
const BYTES_MAX = 14 * 1024

const site: SiteFacts = {
  brandName: 'Roz',
  supportEmail: 'support@roz.example',
  supportPhone: '+91 98765 43210',
  officeAddress: '12 Sample Street, Pune 411001, India',
  people: '14,000',
  contributors: '10,000+',
  howItWorksVideo: undefined,
  legalEntity: undefined,
  grievanceOfficer: undefined,
  minAgeYears: 13,
  topupMinRupees: 10,
  topupMaxRupees: 30,
  modes: { split: { need: 60, reward: 30, platform: 10, winners: 1 }, topupsOn: true, withdrawalsOn: true, tax: null },
}

export async function checkPages(url: string): Promise<string> {
  const pages = (await import(url)) as PublicPages
  const heavy: string[] = []
  let largest = 0
  for (const language of LANGUAGES) {
    for (const page of [...Object.keys(pages.addresses), 'notFound', 'offline']) {
      const html = pages.render({ page, language, origin: 'https://roz.example', site, data: undefined, nowMs: Date.now() })
      if (/\sstyle="/.test(html)) throw new Error(`${page} (${language}) has a style attribute, which the content security policy forbids`)
      const bytes = brotliCompressSync(html).length
      largest = Math.max(largest, bytes)
      if (bytes > BYTES_MAX) heavy.push(`${page} (${language}) has ${bytes} bytes`)
    }
  }
  if (heavy.length > 0) throw new Error(`public pages above ${BYTES_MAX} bytes:\n  ${heavy.join('\n  ')}`)
  return `web built; the heaviest public page has ${largest} bytes\n`
}
