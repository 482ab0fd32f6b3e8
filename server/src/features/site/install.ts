/**
 * Serves the files that install the app on a home screen: a manifest per language, icons, the service worker.
 *
 * - All manifests have one id, so that there is one app whatever its language.
 * - Browsers revalidate the service worker each time, and it may connect only to our own server.
 */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { addressIn, type Language, LANGUAGES } from '@roz/core/language.ts'
import { texts } from '@roz/core/texts.ts'
import type { FastifyInstance } from 'fastify'
import { etagOf } from '../../http/etag.ts'
import { bodyOf, sendBody } from './bodies.ts'
import { SERVICE_WORKER_POLICY } from './policy.ts'

const WORDS = { description: texts('One rupee a day, together.'), wallet: texts('Wallet'), impact: texts('Impact') } as const

/** The colours of the pages: the bar and the sheet. */
const COLOURS = { theme_color: '#8a2a13', background_color: '#fffaf1' } as const
const KEPT = 'public, max-age=86400'

export const offlineAddress = (language: Language): string => addressIn(language, '/offline')

/** The manifest of a language; the id is the same in all. */
function manifestOf(brandName: string, language: Language): string {
  const icon = (name: string, side: number, purpose: 'any' | 'maskable') => ({
    src: `/icons/${name}-${side}.png`,
    sizes: `${side}x${side}`,
    type: 'image/png',
    purpose,
  })
  return JSON.stringify({
    id: '/',
    name: brandName,
    short_name: brandName,
    description: WORDS.description[language],
    lang: language,
    dir: 'ltr',
    start_url: '/dashboard',
    scope: '/',
    display: 'standalone',
    ...COLOURS,
    categories: ['finance', 'social'],
    icons: [icon('icon', 192, 'any'), icon('icon', 512, 'any'), icon('maskable', 192, 'maskable'), icon('maskable', 512, 'maskable')],
    shortcuts: [
      { name: WORDS.wallet[language], url: '/wallet' },
      { name: WORDS.impact[language], url: '/impact' },
    ],
  })
}

export async function registerInstall(app: FastifyInstance, webDir: string, brandName: string): Promise<void> {
  for (const language of LANGUAGES) {
    const manifest = await bodyOf(manifestOf(brandName, language), 11)
    app.get(addressIn(language, '/manifest.webmanifest'), async (request, reply) =>
      sendBody(request, reply.header('cache-control', 'no-cache').type('application/manifest+json; charset=utf-8'), manifest),
    )
  }
  for (const name of await readdir(path.join(webDir, 'icons'))) {
    const bytes = await readFile(path.join(webDir, 'icons', name))
    const icon = { bytes, brotli: undefined, etag: etagOf(bytes) }
    app.get(`/icons/${name}`, async (request, reply) => sendBody(request, reply.header('cache-control', KEPT).type('image/png'), icon))
  }
  const worker = await bodyOf(await readFile(path.join(webDir, 'sw.js')), 11)
  app.get('/sw.js', async (request, reply) => {
    reply.headers({ 'cache-control': 'no-cache', 'content-security-policy': SERVICE_WORKER_POLICY, 'x-content-type-options': 'nosniff' })
    return sendBody(request, reply.type('text/javascript; charset=utf-8'), worker)
  })
}
