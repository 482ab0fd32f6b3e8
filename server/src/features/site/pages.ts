/**
 * Caches the public pages, which the web build's render functions draw.
 *
 * - A page is rendered again when its figures change; a live page also after 60 s.
 * - Figures are at most 200 ms older than the request.
 * - When the figures cannot be read the page says so and is not cached.
 */
import type { AskedHelp, PageData, PublicPages, ShareSubject, SiteFacts } from '@roz/contract/public-pages.ts'
import type { Language } from '@roz/core/language.ts'
import { shareReading } from '../../http/shared-reading.ts'
import type { Taken } from '../../protection/limits.ts'
import { type Body, bodyOf } from './bodies.ts'

/** Reads the live figures; past days are read only for pages that show them. */
export type SiteData = (language: Language, withDays: boolean) => Promise<PageData>

const KEPT_MS = 60_000
/** The cache's limit, so that requests for made-up hosts cannot fill our memory. */
const KEPT_MAX = 300

type Kept = { readonly body: Body; readonly madeMs: number; readonly data: string }
type Reading = () => Promise<PageData | undefined>

/** The subject below a page's address: a day or a story. */
export type Below = Extract<ShareSubject, { kind: 'day' | 'story' }>
type Refused = Extract<Taken, { readonly ok: false }>
/** Asked before an uncached page is rendered: every made-up host and every day has pages of its own. */
type Admit = () => Promise<Taken>
type PageCache = {
  readonly get: (page: string, language: Language, origin: string, admit: Admit, below?: Below) => Promise<Body | Refused>
  /** The live figures, which requests within 200 ms share; undefined if they cannot be read. */
  readonly read: (language: Language, withDays: boolean) => Promise<PageData | undefined>
  /** Renders the answer to a form, which is kept nowhere. */
  readonly draw: (page: string, language: Language, origin: string, asked: AskedHelp) => Promise<Body>
}

type PageCacheDeps = {
  readonly pages: PublicPages
  readonly site: SiteFacts
  readonly data: SiteData
  readonly nowMs: () => number
  /** The path of the picture of a shared link. */
  readonly pictureOf: (subject: ShareSubject, language: Language) => string
  /** Called with the reason when figures could not be read. */
  readonly onFault: (error: unknown) => void
}

export function createPageCache({ pages, site, data, nowMs, pictureOf, onFault }: PageCacheDeps): PageCache {
  const kept = new Map<string, Kept>()
  const making = new Map<string, Promise<Body>>()
  const readings = new Map<string, Reading>()

  function read(language: Language, withDays: boolean): Promise<PageData | undefined> {
    const asked = `${language} ${withDays}`
    const known = readings.get(asked)
    if (known !== undefined) return known()
    const shared = shareReading(() =>
      data(language, withDays).catch((error: unknown) => {
        onFault(error)
        return undefined
      }),
    )
    readings.set(asked, shared)
    return shared()
  }

  async function get(page: string, language: Language, origin: string, admit: Admit, below?: Below): Promise<Body | Refused> {
    const isLive = pages.live.includes(page)
    const figures = isLive ? await read(language, pages.withDays.includes(page)) : undefined
    const isDaily = pages.daily.includes(page)
    const seen = figures === undefined ? '' : isDaily ? JSON.stringify(figures.days) : fingerprint(figures)
    const shown = seen + JSON.stringify(below ?? '')
    const key = `${page} ${language} ${origin} ${below === undefined ? '' : below.kind === 'day' ? below.day : below.story.id}`
    const known = kept.get(key)
    const ageMs = nowMs() - (known?.madeMs ?? 0)
    if (known !== undefined && (!isLive || (known.data === shown && (isDaily || (ageMs >= 0 && ageMs < KEPT_MS))))) {
      keep(key, known)
      return known.body
    }
    const running = making.get(key + shown)
    if (running !== undefined) return running
    const taken = known === undefined ? await admit() : undefined
    if (taken?.ok === false) return taken
    const made = make(page, language, origin, figures, below)
    making.set(key + shown, made)
    try {
      const body = await made
      if (!isLive || figures !== undefined) keep(key, { body, madeMs: nowMs(), data: shown })
      return body
    } finally {
      making.delete(key + shown)
    }
  }

  /** Stores a page as the newest; a full cache drops the page that was asked for the longest ago. */
  function keep(key: string, page: Kept): void {
    kept.delete(key)
    if (kept.size >= KEPT_MAX) kept.delete(kept.keys().next().value ?? '')
    kept.set(key, page)
  }

  async function make(
    page: string,
    language: Language,
    origin: string,
    figures: PageData | undefined,
    below?: Below,
    asked?: AskedHelp,
  ): Promise<Body> {
    const isPage = Object.hasOwn(pages.addresses, page)
    const picture = isPage ? pictureOf(below ?? { kind: 'page', page }, language) : undefined
    const html = pages.render({
      page,
      language,
      origin,
      site: { ...site, ...figures?.edited },
      data: figures,
      nowMs: nowMs(),
      subject: below,
      asked,
      picture,
    })
    // A page that is often rendered again is compressed quickly; a page that stays for a day, thoroughly.
    return bodyOf(html, pages.live.includes(page) && !pages.daily.includes(page) ? 5 : 11)
  }

  const draw: PageCache['draw'] = async (page, language, origin, asked) =>
    make(page, language, origin, await read(language, false), undefined, asked)

  return { get, read, draw }
}

/** The figures that a page shows; the server's time does not count as a change. */
const fingerprint = ({ round, ...figures }: PageData): string => JSON.stringify([{ ...round, serverTime: '' }, figures])
