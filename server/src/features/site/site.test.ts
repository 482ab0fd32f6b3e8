/** The site for browsers and crawlers: addresses, caching, and what may run. */
import { TEST_MODES } from '../../testing/modes.ts'
import { mkdtempSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import type { Story } from '@roz/contract/impact.ts'
import type { PageData, SiteFacts } from '@roz/contract/public-pages.ts'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { builtWeb, SCRIPT } from '../../testing/built-web.ts'
import type { ShareSubjects } from './share-pictures.ts'
import { registerSite } from './site.ts'

type Manifest = {
  readonly id: string
  readonly name: string
  readonly lang: string
  readonly start_url: string
  readonly icons: readonly { readonly src: string; readonly purpose: string }[]
}

const SITE: SiteFacts = {
  brandName: 'R"o<z $& $1',
  supportEmail: 'help@roz.example',
  supportPhone: '+91 98765 43210',
  officeAddress: 'Pune',
  people: '14,000',
  contributors: '10,000+',
  howItWorksVideo: undefined,
  legalEntity: undefined,
  grievanceOfficer: undefined,
  minAgeYears: 13,
  topupMinRupees: 10,
  topupMaxRupees: 30,
  modes: TEST_MODES,
}

const STORY = '0192f1c0-1c2d-7000-8000-00000000000a'
const SUBJECTS: ShareSubjects = {
  day: async (day) => (day === '2026-11-20' ? { kind: 'day', day, entries: 3, intake: 3, need: 1.8 } : undefined),
  story: async (id) => {
    if (failing) throw new Error('no database')
    return id === STORY ? { kind: 'story', story: { id: STORY, title: 'Books' } as Story } : undefined
  },
  publicStories: async () => new Set([STORY]),
}

let pool = 5
let nowMs = 1_000_000
let failing = false
let reads = 0

async function figures(): Promise<PageData> {
  reads += 1
  if (failing) throw new Error('no database')
  const today = { pool, charity: 0, giveaway: 0, platform: 0 }
  return {
    home: {
      stats: { totalCharity: 0, totalPeople: 0, rounds: 0, today },
      help: { medianDays: null, oldest: null },
      helped: { people: 0, stories: { due: 0, inTime: 0 }, payments: { count: 0, withVideo: 0 }, arrivals: { due: 0, inTime: 0 } },
      desk: { asked: 0, open: 0, refused: 0, helped: 0, medianDays: null },
      recentImpacts: [],
    },
    round: { serverTime: String(reads) } as PageData['round'],
    stories: [],
    storiesNext: null,
    days: undefined,
  }
}

async function start(
  extra: {
    readonly production?: boolean
    readonly isTraced?: boolean
    readonly hasAutopay?: boolean
    readonly hasTransfers?: boolean
    readonly publicUrl?: string
    readonly securityEmail?: string
    readonly pictureHosts?: readonly string[]
  } = {},
): Promise<FastifyInstance> {
  const app = Fastify()
  await registerSite(app, {
    webDir: builtWeb(),
    data: figures,
    site: SITE,
    securityEmail: extra.securityEmail,
    subjects: SUBJECTS,
    picturesDir: mkdtempSync(path.join(os.tmpdir(), 'roz-pictures-')),
    pictureHosts: extra.pictureHosts ?? ['i.ytimg.com'],
    gateway: { scripts: ['http://127.0.0.1:9001'], pages: ['http://127.0.0.1:9001'] },
    google: { clientId: 'client-1', scriptUrl: 'https://accounts.google.com/gsi/client' },
    production: extra.production ?? false,
    isTraced: extra.isTraced ?? false,
    hasAutopay: extra.hasAutopay ?? false,
    hasTransfers: extra.hasTransfers ?? false,
    publicUrl: extra.publicUrl,
    nowMs: () => nowMs,
    mayDraw: async () => ({ ok: true, giveBack: async () => undefined }),
  })
  return app
}

let app: FastifyInstance
beforeAll(async () => {
  app = await start()
})
afterAll(async () => app.close())
/** Longer than the time for which one reading of the figures is shared. */
const anotherReading = (): Promise<void> => new Promise((done) => setTimeout(done, 220))

const NO_PAGE = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"

describe('hashed files', () => {
  test('are immutable, and compressed with the build’s brotli for clients that accept it', async () => {
    const plain = await app.inject('/assets/app-abc123.js')
    expect(plain.body).toBe(SCRIPT)
    expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(plain.headers['content-type']).toBe('text/javascript; charset=utf-8')
    const small = await app.inject({ url: '/assets/app-abc123.js', headers: { 'accept-encoding': 'gzip, deflate, br' } })
    expect(small.headers['content-encoding']).toBe('br')
    expect(small.headers.vary).toBe('Accept-Encoding')
    expect(brotliDecompressSync(small.rawPayload).toString()).toBe(SCRIPT)
    const refused = await app.inject({ url: '/assets/app-abc123.js', headers: { 'accept-encoding': 'br;q=0, gzip' } })
    expect(refused.headers['content-encoding']).toBeUndefined()
  })

  test('the icon is also served at /favicon.ico, where browsers look by themselves', async () => {
    for (const address of ['/favicon.svg', '/favicon.ico']) {
      const { statusCode, headers } = await app.inject(address)
      expect([statusCode, headers['content-type']], address).toEqual([200, 'image/svg+xml; charset=utf-8'])
    }
  })

  test('the verifier program and its hash are served for anybody’s own copy', async () => {
    const program = await app.inject('/verify/roz-verify.mjs')
    expect([program.statusCode, program.body, program.headers['content-type']]).toEqual([200, SCRIPT, 'text/javascript; charset=utf-8'])
    expect(program.headers['cache-control']).toBe('public, max-age=300')
    expect((await app.inject('/verify/roz-verify.mjs.sha256')).body).toContain('  roz-verify.mjs')
    expect((await app.inject('/verify/other.mjs')).statusCode).toBe(404)
  })

  test.each(['verify', 'ticket'])('the %s worker runs our script and reads our own files, nothing else', async (name) => {
    const policy = (await app.inject(`/assets/${name}-worker-def456.js`)).headers['content-security-policy']
    expect(policy).toBe(`${NO_PAGE}; script-src 'self'; connect-src 'self'`)
    expect((await app.inject('/assets/app-abc123.js')).headers['content-security-policy']).toBeUndefined()
  })

  test('a missing file answers an uncached 404, and no address leads out of the folder', async () => {
    const missing = await app.inject('/assets/app-old.js')
    expect([missing.statusCode, missing.headers['cache-control']]).toEqual([404, 'no-store'])
    for (const url of [
      '/assets/..%2fmanifest.json',
      '/assets/%2e%2e/pages.mjs',
      '/assets/app-abc123.js.br',
      '/manifest.json',
      '/pages.mjs',
    ]) {
      expect((await app.inject(url)).statusCode).toBe(404)
    }
  })
})

describe('public pages', () => {
  test('carry a policy that lets only the hashed inline parts run', async () => {
    const { headers } = await app.inject('/terms-condition')
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("script-src 'self' 'sha256-head'")
    expect(policy).toContain("style-src 'self' 'sha256-page' 'sha256-home'")
    expect(policy).not.toMatch(/unsafe|9001|accounts\.google/)
    expect(headers['referrer-policy']).toBe('strict-origin-when-cross-origin')
    expect(headers['cross-origin-opener-policy']).toBe('same-origin-allow-popups')
    expect(headers['x-content-type-options']).toBe('nosniff')
  })

  test('are below /hi in Hindi, revalidated each time, and not sent twice', async () => {
    expect((await app.inject('/hi')).body).toContain('lang="hi"')
    const first = await app.inject('/hi/terms-condition')
    expect(first.body).toContain('terms')
    expect(first.headers['cache-control']).toBe('no-cache')
    const again = await app.inject({ url: '/hi/terms-condition', headers: { 'if-none-match': String(first.headers.etag) } })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  })

  test('about days exist below each valid day, beside the verifier program', async () => {
    expect((await app.inject('/verify/2026-11-21')).body).toContain('verify')
    expect((await app.inject('/hi/verify/2026-11-21')).body).toContain('lang="hi"')
    expect((await app.inject('/verify/roz-verify.mjs')).body).toBe(SCRIPT)
    for (const url of ['/verify/2026-02-30', '/verify/yesterday', '/terms-condition/2026-11-21'])
      expect((await app.inject(url)).statusCode).toBe(404)
  })

  test('exist for a settled day and a published story, but not for an unknown story', async () => {
    expect((await app.inject('/verify/2026-11-20')).body).toMatch(/about day \/share\/2026-11-20-en\.[0-9a-f]{20}\.png/)
    expect((await app.inject('/verify/2026-11-21')).body).toMatch(/about itself \/share\/verify-en\./)
    expect((await app.inject(`/hi/terms-condition/${STORY}`)).body).toMatch(new RegExp(`about story /share/${STORY}-hi\\.`))
    expect((await app.inject('/terms-condition/other')).statusCode).toBe(404)
    expect((await app.inject('/no-such-page')).body).toContain('undefined')
  })

  test('without figures are rendered once', async () => {
    const bodies = [await app.inject('/terms-condition'), await app.inject('/terms-condition')].map((answer) => answer.body)
    expect(bodies[0]).toBe(bodies[1])
  })

  test('with figures are rendered again when the figures change, and after 60 s at most', async () => {
    const body = async (): Promise<string> => (await app.inject('/')).body
    const first = await body()
    expect(first).toContain(' 5 drawn')
    await anotherReading()
    expect(await body()).toBe(first)
    pool = 6
    await anotherReading()
    const changed = await body()
    expect(changed).toContain(' 6 drawn')
    nowMs += 59_000
    expect(await body()).toBe(changed)
    nowMs += 1001
    expect(await body()).not.toBe(changed)
  })

  test('share one reading among many requests at once', async () => {
    await anotherReading()
    const before = reads
    await Promise.all(Array.from({ length: 20 }, () => app.inject('/')))
    expect(reads - before).toBe(1)
  })

  test('without a database are served, say that figures are missing, and are not cached', async () => {
    await anotherReading()
    failing = true
    const broken = await app.inject('/')
    expect([broken.statusCode, broken.body.includes('no figures')]).toEqual([200, true])
    const unread = await app.inject(`/terms-condition/${STORY}`)
    expect([unread.statusCode, unread.headers['content-type'], unread.body.includes('about itself')]).toEqual([
      503,
      'text/html; charset=utf-8',
      true,
    ])
    failing = false
    await anotherReading()
    expect((await app.inject('/')).body).toContain(' 6 drawn')
  })
})

describe('crawlers', () => {
  test('find every public page in every language in the sitemap, and are kept from the API and the portal', async () => {
    const public_ = await start({ publicUrl: 'https://roz.example' })
    const robots = await public_.inject('/robots.txt')
    expect(robots.body).toContain('Disallow: /api/\nDisallow: /admin/\n')
    const map = /^Sitemap: https:\/\/roz\.example(\/\S+)$/m.exec(robots.body)?.[1] ?? ''
    const { statusCode, headers, body } = await public_.inject(map)
    expect([statusCode, headers['content-type']]).toEqual([200, 'application/xml; charset=utf-8'])
    const named = [...body.matchAll(/<loc>https:\/\/roz\.example([^<]*)<\/loc>/g)].map(([, address]) => address)
    const pages = ['/', '/terms-condition', '/verify', '/ask-for-help']
    expect(named).toEqual(pages.flatMap((page) => [page, page === '/' ? '/hi' : `/hi${page}`]))
    for (const address of named) expect((await public_.inject(address ?? '')).statusCode).toBe(200)
    expect(body).toContain('<xhtml:link rel="alternate" hreflang="hi" href="https://roz.example/hi/verify"/>')
    await public_.close()
  })
})

describe('whoever found a weakness', () => {
  test('reads the contact in security.txt, in a file that is valid for a quarter of a year', async () => {
    const site = await start({ publicUrl: 'https://roz.example', securityEmail: 'security@roz.example' })
    const { statusCode, headers, body } = await site.inject('/.well-known/security.txt')
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8'])
    const [, expires = ''] = /^Expires: (\S+)$/m.exec(body) ?? []
    expect(body).toBe(
      `Contact: mailto:security@roz.example\nExpires: ${expires}\nPreferred-Languages: en, hi\nCanonical: https://roz.example/.well-known/security.txt\n`,
    )
    const days = (Date.parse(expires) - nowMs) / 86_400_000
    expect([days > 89, days <= 90, new Date(expires).toISOString()]).toEqual([true, true, expires])
    await site.close()
  })

  test('finds no such file if the operator has named no contact', async () => {
    expect((await app.inject('/.well-known/security.txt')).statusCode).toBe(404)
  })
})

describe('the app', () => {
  test('pictures come from our host and the hosts of stories’ pictures, in the portal from our host only', async () => {
    const sourcesAt = async (address: string) =>
      /img-src ([^;]*)/.exec(String((await app.inject(address)).headers['content-security-policy']))?.[1]
    expect([await sourcesAt('/terms-condition'), await sourcesAt('/dashboard'), await sourcesAt('/admin/login')]).toEqual([
      "'self' https://i.ytimg.com",
      "'self' https://i.ytimg.com",
      "'self'",
    ])
    const unnamed = await start({ pictureHosts: [] })
    for (const address of ['/', '/dashboard'])
      expect((await unnamed.inject(address)).headers['content-security-policy']).toMatch(/img-src 'self'(;|$)/)
    await unnamed.close()
  })

  test('is served only at its own addresses, with settings that cannot break out', async () => {
    const { body, headers } = await app.inject('/dashboard?next=1')
    expect(body).toContain('<title>R&#34;o&#60;z $&#38; $1</title>')
    const settings = /content="([^"]*)"/.exec(body)?.[1]?.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    expect(JSON.parse(settings ?? '')).toMatchObject({
      brandName: SITE.brandName,
      googleClientId: 'client-1',
      topupMaxRupees: 30,
      modes: SITE.modes,
      production: false,
    })
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("script-src 'self' http://127.0.0.1:9001 https://accounts.google.com")
    expect(policy).toContain("form-action 'self' http://127.0.0.1:9001")
    expect(policy).not.toContain('unsafe')
  })

  test('as the portal blocks another host’s scripts, connections, frames and forms', async () => {
    const policy = String((await app.inject('/admin/login')).headers['content-security-policy'])
    for (const directive of ['script-src', 'style-src', 'connect-src', 'frame-src', 'form-action'])
      expect(policy).toMatch(new RegExp(`${directive} 'self'(;|$)`))
    expect(policy).toMatch(/^default-src 'none';/)
    expect(policy).not.toMatch(/127\.0\.0\.1|google|unsafe/)
  })

  test('has a frame for PDFs without an origin and without a network: only its own script and that script’s worker run', async () => {
    const { statusCode, headers, body } = await app.inject('/admin/pdf-frame')
    expect([statusCode, body, headers['content-type']]).toEqual([200, SCRIPT, 'text/html; charset=utf-8'])
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; base-uri 'none'; frame-ancestors 'self'; script-src 'sha256-frame' 'wasm-unsafe-eval'; worker-src blob:; sandbox allow-scripts",
    )
  })

  test.each(['isTraced', 'hasAutopay', 'hasTransfers'])('tells the app %s only where it is so', async (setting) => {
    const bodies = [await start(), await start({ [setting]: true })].map(async (app) =>
      (await app.inject('/dashboard')).body.includes(setting),
    )
    expect(await Promise.all(bodies)).toEqual([false, true])
  })

  test('names at each address the files of its own screen', async () => {
    expect((await app.inject('/login')).body).toContain('<link href="/assets/login.js">')
    const { body } = await app.inject('/dashboard')
    expect(body).not.toContain('login.js')
    expect(body).not.toContain('%')
  })

  test('has no kitchen sink in production', async () => {
    expect((await app.inject('/kitchen-sink')).statusCode).toBe(200)
    const production = await start({ production: true, publicUrl: 'https://roz.example' })
    for (const address of ['/kitchen-sink', '/kitchen-sink/']) expect((await production.inject(address)).statusCode).toBe(404)
    await production.close()
  })
})

describe('an installed app', () => {
  test('has a manifest per language under one id, whose icons and screens exist', async () => {
    const manifests = await Promise.all(
      ['/manifest.webmanifest', '/hi/manifest.webmanifest'].map(async (address) => {
        const answer = await app.inject(address)
        expect([answer.statusCode, answer.headers['content-type'], answer.headers['cache-control']]).toEqual([
          200,
          'application/manifest+json; charset=utf-8',
          'no-cache',
        ])
        return answer.json<Manifest>()
      }),
    )
    expect(manifests.map(({ id, name, lang, start_url }) => [id, name, lang, start_url])).toEqual([
      ['/', SITE.brandName, 'en', '/dashboard'],
      ['/', SITE.brandName, 'hi', '/dashboard'],
    ])
    for (const { src, purpose } of manifests.flatMap(({ icons }) => icons)) {
      const icon = await app.inject(src)
      expect([icon.statusCode, icon.headers['content-type']], src).toEqual([200, 'image/png'])
      expect(src.includes('maskable')).toBe(purpose === 'maskable')
    }
    expect((await app.inject('/icons/..%2fsw.js')).statusCode).toBe(404)
  })

  test('has a service worker that is revalidated each time and connects only to our own server', async () => {
    const { statusCode, headers, body } = await app.inject('/sw.js')
    expect([statusCode, body, headers['cache-control']]).toEqual([200, SCRIPT, 'no-cache'])
    expect(headers['content-security-policy']).toBe(`${NO_PAGE}; connect-src 'self'`)
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8')
  })

  test('has an offline page in both languages, under the policy of the public pages', async () => {
    for (const [address, language] of [
      ['/offline', 'en'],
      ['/hi/offline', 'hi'],
    ] as const) {
      const { statusCode, body, headers } = await app.inject(address)
      expect([statusCode, body.includes(`lang="${language}"><p>offline`)]).toEqual([200, true])
      expect(headers['content-security-policy']).toContain("script-src 'self' 'sha256-head'")
    }
  })
})

describe('unknown addresses', () => {
  test('get a page with status 404, in the language of the address or the browser', async () => {
    const lost = await app.inject('/no-such-page')
    expect([lost.statusCode, lost.body.includes('notFound')]).toEqual([404, true])
    expect((await app.inject('/hi/no-such-page')).body).toContain('lang="hi"')
    expect((await app.inject({ url: '/nothing', headers: { 'accept-language': 'hi-IN' } })).body).toContain('lang="hi"')
  })

  test('get the API’s answer below /api and for other methods', async () => {
    for (const answer of [await app.inject('/api/nothing'), await app.inject({ method: 'POST', url: '/nothing' })]) {
      expect([answer.statusCode, answer.json()]).toEqual([404, { code: 'not_found', message: 'There is nothing at this address.' }])
    }
  })

  test('with a trailing slash redirect to the page', async () => {
    const { statusCode, headers } = await app.inject('/terms-condition/?a=1')
    expect([statusCode, headers.location]).toEqual([308, '/terms-condition?a=1'])
    expect((await app.inject('/hi/verify/2026-11-20/')).headers.location).toBe('/hi/verify/2026-11-20')
    expect((await app.inject(`/terms-condition/${STORY}/`)).headers.location).toBe(`/terms-condition/${STORY}`)
    for (const url of ['/nothing/', '/verify/2026-11-20/more/', '//evil.example/'])
      expect((await app.inject(url)).statusCode, url).toBe(404)
  })
})
