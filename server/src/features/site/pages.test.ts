/** The cached public pages: which page is evicted, and who may have a new one rendered. */
import type { PageData, PublicPages, SiteFacts } from '@roz/contract/public-pages.ts'
import { expect, test } from 'vitest'
import type { Taken } from '../../protection/limits.ts'
import { createPageCache } from './pages.ts'

const TAKEN: Taken = { ok: true, giveBack: async () => undefined }
const REFUSED: Taken = { ok: false, code: 'too_many_requests', retryAfterSeconds: 90 }

function open() {
  const drawn: string[] = []
  const pages = {
    addresses: { terms: '/terms-condition' },
    live: [],
    daily: [],
    withDays: [],
    render: ({ origin }: { readonly origin: string }) => {
      drawn.push(origin)
      return `<p>${origin}</p>`
    },
  } as unknown as PublicPages
  const cache = createPageCache({
    pages,
    site: {} as SiteFacts,
    data: async () => ({}) as PageData,
    nowMs: () => 0,
    pictureOf: () => '',
    onFault: () => undefined,
  })
  return { drawn, get: (host: string, taken = TAKEN) => cache.get('terms', 'en', host, async () => taken) }
}

test('an uncached page is not rendered beyond the limit; a cached page is answered all the same', async () => {
  const { drawn, get } = open()
  await get('kept')
  expect(await get('made-up', REFUSED)).toEqual(REFUSED)
  expect(await get('kept', REFUSED)).toHaveProperty('bytes')
  expect(drawn).toEqual(['kept'])
})

test('many made-up hosts evict unused pages, and no page that is in use', async () => {
  const { drawn, get } = open()
  await get('unused')
  await get('in use')
  for (let n = 0; n < 310; n++) {
    await get(`host ${n}`)
    if (n % 100 === 0) await get('in use')
  }
  drawn.length = 0
  for (const host of ['in use', 'host 309', 'unused']) await get(host)
  expect(drawn).toEqual(['unused'])
})
