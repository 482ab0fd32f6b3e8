/**
 * Serves the built web: public pages, the app's page at the app's own addresses, hashed files, and a real 404 for everything else.
 *
 * - Every page has a strict content security policy.
 * - Browsers revalidate pages each time (ETag), and hashed files never.
 */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { PublicPages, SiteFacts } from '@roz/contract/public-pages.ts'
import { parseDay } from '@roz/core/ist-day.ts'
import { addressIn, type Language, languageAt, LANGUAGES, languageOf } from '@roz/core/language.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { etagOf } from '../../http/etag.ts'
import { sendProblem, sendProblemAsText } from '../../http/faults.ts'
import type { Taken } from '../../protection/limits.ts'
import { registerAskForHelp } from './ask-for-help.ts'
import { registerAssets, registerProgram } from './assets.ts'
import { type Body, bodyOf, sendBody } from './bodies.ts'
import { escaped } from './escaped.ts'
import { registerFeeds } from './feeds.ts'
import { offlineAddress, registerInstall } from './install.ts'
import { type Below, createPageCache, type SiteData } from './pages.ts'
import { appPolicy, COMMON_HEADERS, type GatewayOrigins, type InlineHashes, pdfFramePolicy, PORTAL_POLICY, publicPolicy } from './policy.ts'
import { createSharePictures, type ShareSubjects } from './share-pictures.ts'

export type SiteDeps = {
  /** A folder made by web/build.ts. */
  readonly webDir: string
  readonly data: SiteData
  readonly subjects: ShareSubjects
  /** The folder of the pictures of shared links. */
  readonly picturesDir: string
  readonly site: SiteFacts
  /** The address in security.txt. Without one there is no such file. */
  readonly securityEmail: string | undefined
  readonly gateway: GatewayOrigins
  /** Hosts of stories' pictures. */
  readonly pictureHosts: readonly string[]
  readonly google: { readonly clientId: string | undefined; readonly scriptUrl: string }
  readonly production: boolean
  /** Whether the app's calls carry a traceparent. */
  readonly isTraced: boolean
  /** Whether the wallet and the portal have AutoPay. */
  readonly hasAutopay: boolean
  /** Whether the portal has bank transfers. */
  readonly hasTransfers: boolean
  /** PUBLIC_URL if it is set; otherwise the request's own host is used. */
  readonly publicUrl: string | undefined
  readonly nowMs: () => number
  /** Whether one more page may be rendered for a network address. */
  readonly mayDraw: (ip: string) => Promise<Taken>
}

/** The contents of manifest.json, written by web/build.ts. */
type Manifest = {
  readonly csp: InlineHashes
  /** The app's addresses with the links to the files of each screen; `dev` addresses are not part of production. */
  readonly app: Readonly<Record<string, string>>
  readonly dev: readonly string[]
  /** The page of the frame that draws PDFs: its address, and the hash of its script. */
  readonly pdfFrame: { readonly address: string; readonly script: string }
}

export async function registerSite(app: FastifyInstance, deps: SiteDeps): Promise<void> {
  const built = JSON.parse(await readFile(path.join(deps.webDir, 'manifest.json'), 'utf8')) as Manifest
  const screens = Object.entries(built.app).filter(([address]) => !(deps.production && built.dev.includes(address)))
  const pages = (await import(pathToFileURL(path.join(deps.webDir, 'pages.mjs')).href)) as PublicPages
  const { site, data, nowMs, subjects } = deps
  const pictures = createSharePictures({ pages, site, subjects, folder: deps.picturesDir })
  const cache = createPageCache({
    pages,
    site,
    data,
    nowMs,
    pictureOf: pictures.pathOf,
    onFault: (error) => app.log.warn({ err: error }, 'the figures of the public pages could not be read'),
  })
  const originOf = (request: FastifyRequest): string => deps.publicUrl ?? `${request.protocol}://${request.host}`
  const policy = publicPolicy(built.csp, deps.pictureHosts)
  const sendPage: SendPage = async (request, reply, page, language, { status = 200, below } = {}) => {
    const body = await cache.get(page, language, originOf(request), () => deps.mayDraw(request.ip), below)
    if ('code' in body) return sendProblemAsText(request, reply, body)
    return sendBody(request, setHeaders(reply, policy), body, status)
  }

  await app.register(async (scope) => {
    await registerAssets(scope, deps.webDir)
    await registerProgram(scope, deps.webDir)
    await registerApp(scope, deps, screens)
    await registerPdfFrame(scope, deps.webDir, built.pdfFrame)
    registerPages(scope, pages, subjects, sendPage)
    registerAskForHelp(scope, pages.addresses[pages.ofRequest] ?? '', async (request, reply, { language, status, asked }) => {
      const taken = await deps.mayDraw(request.ip)
      if (!taken.ok) return sendProblemAsText(request, reply, taken)
      const body = await cache.draw(pages.ofRequest, language, originOf(request), asked)
      return sendBody(request, setHeaders(reply, policy).header('cache-control', 'no-store'), body, status)
    })
    pictures.register(scope)
    const { impactStories = '', verify = '' } = pages.addresses
    registerFeeds(scope, { brandName: site.brandName, read: cache.read, originOf, addresses: { stories: impactStories, days: verify } })
    await registerInstall(scope, deps.webDir, deps.site.brandName)
    for (const language of LANGUAGES)
      scope.get(offlineAddress(language), async (request, reply) => sendPage(request, reply, 'offline', language))
    const favicon = await bodyOf(await readFile(path.join(deps.webDir, 'favicon.svg')), 11)
    // Browsers ask for /favicon.ico where a page names no icon, such as caught mails and plain answers.
    for (const address of ['/favicon.svg', '/favicon.ico'])
      scope.get(address, async (request, reply) =>
        sendBody(request, reply.header('cache-control', 'public, max-age=86400').type('image/svg+xml; charset=utf-8'), favicon),
      )
    scope.get('/robots.txt', async (request, reply) => reply.type('text/plain; charset=utf-8').send(robots(originOf(request))))
    const { securityEmail } = deps
    if (securityEmail !== undefined)
      scope.get(SECURITY_TXT, async (request, reply) =>
        reply.type('text/plain; charset=utf-8').send(securityTxt(securityEmail, originOf(request), nowMs())),
      )
    scope.get('/sitemap.xml', async (request, reply) =>
      reply.type('application/xml; charset=utf-8').send(sitemap(originOf(request), Object.values(pages.addresses))),
    )
  })
  const ofApp = screens.map(([address]) => address)
  app.setNotFoundHandler((request, reply) => answerUnknown(request, reply, ofApp, pages, sendPage))
}

type SendPage = (
  request: FastifyRequest,
  reply: FastifyReply,
  page: string,
  language: Language,
  how?: { readonly status?: number; readonly below?: Below | undefined },
) => Promise<FastifyReply>
const LOST = { status: 404 } as const

function registerPages(app: FastifyInstance, pages: PublicPages, subjects: ShareSubjects, sendPage: SendPage): void {
  for (const language of LANGUAGES) {
    for (const [page, address] of Object.entries(pages.addresses)) {
      const here = addressIn(language, address)
      app.get(here, async (request, reply) => sendPage(request, reply, page, language))
      // A day that is not over has a page too, which says so.
      if (pages.ofDay.includes(page))
        app.get<{ Params: { day: string } }>(`${here}/:day`, async (request, reply) => {
          const { day } = request.params
          if (day === '') return reply.redirect(here + request.url.slice(here.length + 1), 308)
          if (parseDay(day) === undefined) return sendPage(request, reply, 'notFound', language, LOST)
          return sendPage(request, reply, page, language, { below: await orNone(subjects.day(day)) })
        })
      if (pages.ofStory.includes(page))
        app.get<{ Params: { id: string } }>(`${here}/:id`, async (request, reply) => {
          const { id } = request.params
          if (id === '') return reply.redirect(here + request.url.slice(here.length + 1), 308)
          const below = await subjects.story(id, language).catch(() => null)
          // The database cannot tell whether the story exists: a person gets a page that says so, not the API's answer.
          if (below === null) return sendPage(request, reply, page, language, { status: 503 })
          return sendPage(request, reply, below === undefined ? 'notFound' : page, language, below === undefined ? LOST : { below })
        })
    }
  }
}

/** An optional part of a page is left out when it cannot be read. */
const orNone = <T>(found: Promise<T>): Promise<T | undefined> => found.catch(() => undefined)

/** Registers the app's one page at each address, with the operator's settings and the links of that address's screen. */
async function registerApp(
  app: FastifyInstance,
  deps: SiteDeps,
  screens: readonly (readonly [address: string, links: string])[],
): Promise<void> {
  const { site, google } = deps
  const settings = {
    brandName: site.brandName,
    googleClientId: google.clientId ?? null,
    googleScriptUrl: google.scriptUrl,
    minAgeYears: site.minAgeYears,
    topupMinRupees: site.topupMinRupees,
    topupMaxRupees: site.topupMaxRupees,
    modes: site.modes,
    production: deps.production,
    issuer: site.legalEntity ?? site.brandName,
    officeAddress: site.officeAddress,
    supportEmail: site.supportEmail,
    ...(deps.hasAutopay ? { hasAutopay: true } : {}),
    ...(deps.hasTransfers ? { hasTransfers: true } : {}),
    ...(deps.isTraced ? { isTraced: true } : {}),
  }
  const template = await readFile(path.join(deps.webDir, 'app.html'), 'utf8')
  // Replaced by a function, because `$` in a setting would be a pattern in a replacement text.
  const html = template.replaceAll('%BRAND%', () => escaped(site.brandName)).replace('%SETTINGS%', () => escaped(JSON.stringify(settings)))
  const members = appPolicy(deps.gateway, google.clientId === undefined ? undefined : new URL(google.scriptUrl).origin, deps.pictureHosts)
  for (const [address, links] of screens) {
    const page = html.replace('%SCREEN%', () => links)
    const policy = address.startsWith('/admin/') ? PORTAL_POLICY : members
    // Compressed at the first request: compressing all pages would delay the start.
    let body: Promise<Body> | undefined
    const made = (): Promise<Body> =>
      (body ??= bodyOf(page, 11).catch((error: unknown) => {
        // A failure must not become the answer to all later requests.
        body = undefined
        throw error
      }))
    app.get(address, async (request, reply) => sendBody(request, setHeaders(reply, policy), await made()))
  }
}

async function registerPdfFrame(app: FastifyInstance, webDir: string, { address, script }: Manifest['pdfFrame']): Promise<void> {
  const file = path.join(webDir, 'pdf-frame.html')
  const [bytes, brotli] = await Promise.all([readFile(file), readFile(`${file}.br`)])
  const body: Body = { bytes, brotli, etag: etagOf(bytes) }
  const policy = pdfFramePolicy(script)
  app.get(address, async (request, reply) => sendBody(request, setHeaders(reply, policy).header('referrer-policy', 'no-referrer'), body))
}

function setHeaders(reply: FastifyReply, policy: string): FastifyReply {
  reply.headers({ ...COMMON_HEADERS, 'content-security-policy': policy, 'cache-control': 'no-cache' })
  return reply.type('text/html; charset=utf-8')
}

/** Answers an unknown address: JSON for API clients, a page for people, a redirect for a trailing slash. */
async function answerUnknown(
  request: FastifyRequest,
  reply: FastifyReply,
  ofApp: readonly string[],
  pages: PublicPages,
  sendPage: SendPage,
): Promise<FastifyReply> {
  const address = request.url.split('?')[0] ?? '/'
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (!isRead || /^\/(api|dev)(\/|$)/.test(address)) return sendProblem(request, reply, { code: 'not_found' })
  const bare = address.replace(/\/+$/, '')
  const inAll = (page: string): string[] => LANGUAGES.map((one) => addressIn(one, pages.addresses[page] ?? ''))
  const known = [...ofApp, ...Object.keys(pages.addresses).flatMap(inAll)]
  const holders = [...pages.ofDay, ...pages.ofStory].flatMap(inAll)
  const isKnown = known.includes(bare) || holders.includes(bare.slice(0, bare.lastIndexOf('/')))
  if (bare !== address && isKnown) return reply.redirect(bare + request.url.slice(address.length), 308)
  const language = languageAt(address) ?? languageOf(request.headers['accept-language'])
  return sendPage(request, reply, 'notFound', language, LOST)
}

const robots = (origin: string): string => `User-agent: *\nDisallow: /api/\nDisallow: /admin/\n\nSitemap: ${origin}/sitemap.xml\n`

const SECURITY_TXT = '/.well-known/security.txt'
const SECURITY_DAYS = 90
/** RFC 9116. It expires in a quarter of a year, on a day's boundary: the answer changes once a day. */
function securityTxt(email: string, origin: string, nowMs: number): string {
  const expires = new Date((Math.floor(nowMs / DAY_MS) + SECURITY_DAYS) * DAY_MS).toISOString()
  const fields = [`Contact: mailto:${encodeURI(email)}`, `Expires: ${expires}`, `Preferred-Languages: ${LANGUAGES.join(', ')}`]
  return `${[...fields, `Canonical: ${origin}${SECURITY_TXT}`].join('\n')}\n`
}
const DAY_MS = 86_400_000

/** Lists every public page in every language, with its translations; days and stories are linked from these pages. */
function sitemap(origin: string, addresses: readonly string[]): string {
  const at = (language: Language, address: string): string => escaped(origin + addressIn(language, address))
  const entries = addresses.flatMap((address) => {
    const twins = LANGUAGES.map((language) => `<xhtml:link rel="alternate" hreflang="${language}" href="${at(language, address)}"/>`).join(
      '',
    )
    return LANGUAGES.map((language) => `<url><loc>${at(language, address)}</loc>${twins}</url>\n`)
  })
  const spaces = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"'
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset ${spaces}>\n${entries.join('')}</urlset>\n`
}
