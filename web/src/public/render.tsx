/** Renders the public pages to HTML for the server (contract/src/public-pages.ts). The pages are not hydrated. */
import type { PageRequest, PublicPages } from '@roz/contract/public-pages.ts'
import { addressIn, type Language, LANGUAGES, SPEECH } from '@roz/core/language.ts'
import { setupI18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { I18nProvider, useLingui } from '@lingui/react'
import { renderToStaticMarkup } from 'react-dom/server'
import { words } from 'virtual:words-of-pages'
import { isolating } from '../app/isolating.ts'
import { type PublicPage, publicPath, publicPaths } from '../paths.ts'
import { sprite } from '../ui/art.ts'
import { contextOf, Page, placeBelow, usePage } from './context.ts'
import { VideoDialog } from './Dialog.tsx'
import { PublicFrame } from './Frame.tsx'
import { Home } from './Home.tsx'
import { Offline } from './Offline.tsx'
import { SCREENS } from './screens.ts'
import { cardOf } from './share-card.ts'
import { NotFound } from './TextPages.tsx'
import { usePageTitle } from './titles.ts'

declare const __HEAD_SCRIPT__: string
declare const __PUBLIC_ASSETS__: {
  readonly css: Readonly<Record<'plain' | 'home' | 'verify', string>>
  readonly script: string
  readonly verifyScript: string
  readonly font: string
}

const SPRITES = {
  home: sprite(['coin', 'c1', 'cut', 'keys', 'stack', 'slip', 'play', 'seal']),
  drawn: sprite(['coin', 'c1', 'cut', 'keys', 'slip', 'play']),
  verify: sprite(['coin', 'c1', 'keys', 'slip', 'seal']),
  plain: sprite(['c1']),
} as const
/** Pages with drawings other than the logo. */
const DRAWN: readonly PublicPage[] = ['moneyTrail', 'dailyReports', 'impactVideos', 'impactStories', 'videoDocumentation']
const LIVE: readonly PublicPage[] = [
  ...DRAWN,
  'home',
  'terms',
  'dailyContributions',
  'directHelpProcess',
  'giveawaySelection',
  'verify',
  'askForHelp',
]

const pageOf = (name: string): PublicPage | undefined => (name in publicPaths ? (name as PublicPage) : undefined)

function Document({ request }: { readonly request: PageRequest }) {
  const page = pageOf(request.page)
  const other = request.page === 'offline' ? 'offline' : 'notFound'
  const Screen = page === undefined ? (other === 'offline' ? Offline : NotFound) : page === 'home' ? Home : SCREENS[page]
  const ownTitle = usePageTitle(page ?? other)
  const title = request.subject?.kind === 'story' ? request.subject.story.title : ownTitle
  const { site } = usePage()
  const own = page === 'home' || page === 'verify' ? page : undefined
  const css = __PUBLIC_ASSETS__.css[own ?? 'plain']
  const drawing = SPRITES[own ?? (page !== undefined && DRAWN.includes(page) ? 'drawn' : 'plain')]
  return (
    <html
      lang={request.language}
      data-locale={SPEECH[request.language].locale}
      data-day-period={SPEECH[request.language].dayPeriod}
      data-offline={request.page === 'offline' ? '' : undefined}
    >
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <title>{page === 'home' && request.language === 'en' ? `${site.brandName}. ${title}` : `${title} · ${site.brandName}`}</title>
        <Meta page={page} request={request} />
        <script dangerouslySetInnerHTML={{ __html: __HEAD_SCRIPT__ }} />
        <style dangerouslySetInnerHTML={{ __html: css }} />
      </head>
      <body>
        <Drawing html={drawing} />
        <PublicFrame page={page}>
          <Screen />
        </PublicFrame>
        {page !== undefined && (page === 'home' || DRAWN.includes(page)) ? <VideoDialog /> : null}
        <script type="module" src={__PUBLIC_ASSETS__.script} />
        {page === 'verify' ? <script type="module" src={__PUBLIC_ASSETS__.verifyScript} /> : null}
      </body>
    </html>
  )
}

/** React cannot insert bare HTML, so the sprite's own svg element contains it. */
function Drawing({ html }: { readonly html: string }) {
  const inner = html.slice(html.indexOf('>') + 1, html.lastIndexOf('</svg>'))
  return <svg width="0" height="0" className="sprite" aria-hidden="true" dangerouslySetInnerHTML={{ __html: inner }} />
}

function Meta({ page, request }: { readonly page: PublicPage | undefined; readonly request: PageRequest }) {
  const { language } = request
  return (
    <>
      <meta name="color-scheme" content="light dark" />
      <meta name="theme-color" content="#8a2a13" />
      <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
      <link rel="apple-touch-icon" href="/icons/apple-touch-icon.png" />
      <link rel="manifest" href={addressIn(language, '/manifest.webmanifest')} />
      <link rel="preload" href={__PUBLIC_ASSETS__.font} as="font" type="font/woff2" crossOrigin="" />
      {page === undefined || request.asked !== undefined ? (
        <meta name="robots" content="noindex" />
      ) : (
        <Sharing page={page} request={request} />
      )}
    </>
  )
}

/** For example `hi_IN`. */
const ogLocale = (language: Language): string => new Intl.Locale(SPEECH[language].locale).baseName.replace('-', '_')
/** The size of the picture that the server draws (server/src/features/site/card-picture.ts). */
const PICTURE = { width: '1200', height: '630' } as const

const FEEDS = [
  ['stories.atom', 'application/atom+xml'],
  ['stories.json', 'application/feed+json'],
  ['days.atom', 'application/atom+xml'],
  ['days.json', 'application/feed+json'],
] as const

/** The page's addresses, its description, and the preview of a shared link. */
function Sharing({ page, request }: { readonly page: PublicPage; readonly request: PageRequest }) {
  const { i18n } = useLingui()
  const { modes } = usePage()
  const { origin, language, site, picture } = request
  const subject = request.subject ?? { kind: 'page', page }
  const here = (other: Language): string => origin + publicPath(page, other) + placeBelow(subject)
  const { title, lead } = cardOf(subject, language, { brandName: site.brandName, modes }, i18n)
  const { winners } = modes.split
  const description = i18n._(winners === 0 ? WITHOUT_DRAW : winners === 1 ? DESCRIPTION : WITH_SEVERAL)
  const own = subject.kind !== 'page' ? lead : page === 'home' ? description : `${lead} ${description}`
  const og: readonly (readonly [string, string])[] = [
    ['type', subject.kind === 'story' ? 'article' : 'website'],
    ['site_name', site.brandName],
    ['locale', ogLocale(language)],
    ['url', here(language)],
    ['title', title],
    ['description', lead],
  ]
  return (
    <>
      <link rel="canonical" href={here(language)} />
      {LANGUAGES.map((other) => (
        <link key={other} rel="alternate" hrefLang={other} href={here(other)} />
      ))}
      <link rel="alternate" hrefLang="x-default" href={here('en')} />
      {FEEDS.map(([file, type]) => (
        <link key={file} rel="alternate" type={type} href={addressIn(language, `/feeds/${file}`)} />
      ))}
      <meta name="description" content={own} />
      {og.map(([name, content]) => (
        <meta key={name} property={`og:${name}`} content={content} />
      ))}
      {picture === undefined ? null : (
        <>
          <meta property="og:image" content={origin + picture} />
          <meta property="og:image:type" content="image/png" />
          <meta property="og:image:width" content={PICTURE.width} />
          <meta property="og:image:height" content={PICTURE.height} />
          <meta property="og:image:alt" content={title} />
          <meta name="twitter:card" content="summary_large_image" />
        </>
      )}
    </>
  )
}

const DESCRIPTION = msg`One rupee a day from each member: help for people in need, a reward for one of us, and every paisa shown in public.`
const WITH_SEVERAL = msg`One rupee a day from each member: help for people in need, rewards for some of us, and every paisa shown in public.`
const WITHOUT_DRAW = msg`One rupee a day from each member: help for people in need, and every paisa shown in public.`

const textsIn = (language: Language) =>
  isolating(setupI18n({ locale: language, locales: SPEECH[language].locale, messages: { [language]: words[language] } }))

export const addresses: PublicPages['addresses'] = publicPaths
export const live: PublicPages['live'] = LIVE
export const withDays: PublicPages['withDays'] = ['moneyTrail', 'dailyReports', 'verify'] satisfies PublicPage[]
export const daily: PublicPages['daily'] = ['verify'] satisfies PublicPage[]
export const ofDay: PublicPages['ofDay'] = ['verify'] satisfies PublicPage[]
export const ofStory: PublicPages['ofStory'] = ['impactStories'] satisfies PublicPage[]
export const ofRequest: PublicPages['ofRequest'] = 'askForHelp' satisfies PublicPage
export const card: PublicPages['card'] = (subject, language, site) => cardOf(subject, language, site, textsIn(language))

export function render(request: PageRequest): string {
  const { language } = request
  const i18n = textsIn(language)
  return `<!doctype html>${renderToStaticMarkup(
    <I18nProvider i18n={i18n}>
      <Page value={contextOf(request)}>
        <Document request={request} />
      </Page>
    </I18nProvider>,
  )}`
}
