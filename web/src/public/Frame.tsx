/** The header and footer of every public page, without the members' navigation. */
import { LANGUAGES, SPEECH } from '@roz/core/language.ts'
import { hasDraw } from '@roz/core/modes.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { paths, type PublicPage, publicPath } from '../paths.ts'
import { LogoArt } from '../ui/Art.tsx'
import { Section } from '../ui/Section.tsx'
import { placeBelow, usePage } from './context.ts'

export function PublicFrame({ page, children }: { readonly page: PublicPage | undefined; readonly children: ReactNode }) {
  return (
    <>
      <a className="skip" href="#main">
        <Trans>Skip to content</Trans>
      </a>
      <Header page={page} />
      <main className="book" id="main" tabIndex={-1}>
        {children}
      </main>
      <Footer />
    </>
  )
}

function Header({ page }: { readonly page: PublicPage | undefined }) {
  const { t } = useLingui()
  const { site, language, to, subject } = usePage()
  const { brandName } = site
  return (
    <header className="cloth bar no-print">
      <div className="wrap">
        <a className="logo" href={to('home')}>
          <LogoArt brandName={brandName} />
          <span className="hidden">{t`home`}</span>
        </a>
        {LANGUAGES.filter((other) => other !== language).map((other) => (
          <a
            key={other}
            className="bar-link"
            href={publicPath(page ?? 'home', other) + placeBelow(subject)}
            hrefLang={other}
            lang={other}
            data-language=""
          >
            {SPEECH[other].name}
          </a>
        ))}
        <a className="bar-link" href={paths.login} data-account={t`Dashboard`}>{t`Log in`}</a>
      </div>
    </header>
  )
}

function Footer() {
  const { t } = useLingui()
  const { to, modes } = usePage()
  const columns: readonly { readonly title: string; readonly links: readonly (readonly [PublicPage, string])[] }[] = [
    {
      title: t`Every rupee`,
      links: [
        ['moneyTrail', t`Money Trail`],
        ['dailyReports', t`Daily Reports`],
        ['impactVideos', t`Impact Videos`],
        ['videoDocumentation', t`Video Documentation`],
      ],
    },
    {
      title: t`How it works`,
      links: [
        ['dailyContributions', t`Daily Contributions`],
        ['directHelpProcess', t`Direct Help Process`],
        ...(hasDraw(modes) ? [['giveawaySelection', t`Giveaway Selection`] as const] : []),
        ['impactStories', t`Impact Stories`],
      ],
    },
    {
      title: t`Help`,
      links: [
        ['askForHelp', t`Ask for help`],
        ['helpCenter', t`Help Center`],
        ['contactUs', t`Contact Us`],
      ],
    },
    {
      title: t`Rules`,
      links: [
        ['terms', t`Terms`],
        ['privacyPolicy', t`Privacy Policy`],
        ['refundPolicy', t`Refund Policy`],
      ],
    },
  ]
  return (
    <footer className="cloth foot no-print">
      <div className="wrap foot-columns">
        <div className="foot-brand">
          <p className="display">{t`One rupee a day, together.`}</p>
          <p>{t`Each round closes at midnight India time, and the next one opens.`}</p>
        </div>
        {columns.map(({ title, links }) => (
          <nav key={title} aria-label={title}>
            <h2>{title}</h2>
            <ul>
              {links.map(([page, label]) => (
                <li key={page}>
                  <a href={to(page)}>{label}</a>
                </li>
              ))}
            </ul>
          </nav>
        ))}
      </div>
    </footer>
  )
}

type HeadingProps = {
  readonly title: string
  /** The language of the title, if it is another than the page's. */
  readonly lang?: string | undefined
  readonly when?: ReactNode
  readonly lead?: ReactNode
  readonly children?: ReactNode
}

/** The first section of an information page. */
export function Heading({ title, lang, when, lead, children }: HeadingProps) {
  return (
    <Section className="head-section" when={when}>
      <h1 lang={lang}>{title}</h1>
      {lead === undefined ? null : <p className="lead">{lead}</p>}
      {children}
    </Section>
  )
}
