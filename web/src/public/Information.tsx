/** The information pages. Long texts are Markdown (src/content); what is live comes with the request. */
import { Trans, useLingui } from '@lingui/react/macro'
import { content } from 'virtual:content'
import type { PublicPage } from '../paths.ts'
import { Badge, EmptyState } from '../ui/Feedback.tsx'
import { formatDay } from '../ui/format.ts'
import { formatMoney } from '../ui/Money.tsx'
import { Section } from '../ui/Section.tsx'
import { LedgerRow } from '../ui/Split.tsx'
import { ContactForm } from './ContactForm.tsx'
import { usePage } from './context.ts'
import { Heading } from './Frame.tsx'
import { FiguresMissing, LocalDraw, PublicVideo, SplitInForce, StoryList } from './parts.tsx'
import { usePageTitle } from './titles.ts'

const escape = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** A long text of the page’s language, with the operator’s settings filled in. */
function Prose({ name }: { readonly name: keyof (typeof content)['en'] }) {
  const { site, language, to } = usePage()
  const values: Readonly<Record<string, string>> = {
    brandName: site.brandName,
    supportEmail: site.supportEmail,
    supportPhone: site.supportPhone,
    officeAddress: site.officeAddress,
    minAge: String(site.minAgeYears),
    entity: site.legalEntity ?? site.brandName,
    grievanceOfficer: site.grievanceOfficer ?? site.supportEmail,
    topupMin: formatMoney(site.topupMinRupees),
    topupMax: formatMoney(site.topupMaxRupees),
    contactUs: to('contactUs'),
    refundPolicy: to('refundPolicy'),
    privacyPolicy: to('privacyPolicy'),
    terms: to('terms'),
    moneyTrail: to('moneyTrail'),
    giveawaySelection: to('giveawaySelection'),
  }
  const html = content[language][name].replace(/(?:\{|%7B)(\w+)(?:\}|%7D)/g, (whole, key: string) =>
    values[key] === undefined ? whole : escape(values[key]),
  )
  return <div className="prose" dangerouslySetInnerHTML={{ __html: html }} />
}

/** English governs; a translation says so. */
function TranslationNote() {
  return usePage().language === 'en' ? null : (
    <p className="muted gap">
      <Trans>This is a translation. The English text governs.</Trans>
    </p>
  )
}

function useEffective() {
  const { language } = usePage()
  return formatDay('2025-08-09', language)
}

export function PrivacyPolicy() {
  const date = useEffective()
  return (
    <>
      <Heading title={usePageTitle('privacyPolicy')} when={<Trans>Effective</Trans>} note={date}>
        <p className="lead">
          <Trans>Effective August 9, 2025</Trans>
        </p>
        <TranslationNote />
      </Heading>
      <Section>
        <Prose name="privacy-policy" />
      </Section>
    </>
  )
}

export function Terms() {
  return (
    <>
      <Heading title={usePageTitle('terms')} lead={<Trans>The rules between you and us, in plain words.</Trans>}>
        <TranslationNote />
        <SplitInForce />
      </Heading>
      <Section>
        <Prose name="terms" />
      </Section>
    </>
  )
}

export function RefundPolicy() {
  const { to } = usePage()
  return (
    <>
      <Heading title={usePageTitle('refundPolicy')} lead={<Trans>Ask within 7 days, get your money in 5–10 business days.</Trans>}>
        <TranslationNote />
        <p className="buttons no-print">
          <button className="button" type="button" data-print="">
            <Trans>Print</Trans>
          </button>
          <a className="button secondary" href={to('home')} data-back="">
            <Trans>Back</Trans>
          </a>
        </p>
      </Heading>
      <Section>
        <Prose name="refund-policy" />
      </Section>
    </>
  )
}

export function DailyContributions() {
  return (
    <>
      <Heading title={usePageTitle('dailyContributions')} lead={<Trans>One rupee a day from each member, one round a day.</Trans>}>
        <SplitInForce />
      </Heading>
      <Section when={<Trans>Every day</Trans>}>
        <Prose name="daily-contributions" />
      </Section>
    </>
  )
}

export function DirectHelpProcess() {
  return (
    <>
      <Heading
        title={usePageTitle('directHelpProcess')}
        lead={<Trans>From the round to the person in need, without middlemen or NGOs.</Trans>}
      >
        <SplitInForce />
      </Heading>
      <Section when={<Trans>Next day</Trans>}>
        <Prose name="direct-help-process" />
      </Section>
    </>
  )
}

export function GiveawaySelection() {
  const { data, language } = usePage()
  const winner = data?.round.lastWinner ?? undefined
  return (
    <>
      <Heading title={usePageTitle('giveawaySelection')} lead={<Trans>How the members who receive the Thank You Reward are chosen.</Trans>}>
        <SplitInForce />
      </Heading>
      <Section when={<Trans>Midnight</Trans>}>
        <Prose name="giveaway-selection" />
      </Section>
      {winner === undefined ? null : (
        <Section when={<Trans>Latest</Trans>} note={formatDay(winner.date, language)}>
          <h2>
            <Trans>The latest winner</Trans>
          </h2>
          <div className="ledger narrow gap">
            <LedgerRow label={winner.name}>{formatMoney(winner.amount)}</LedgerRow>
          </div>
          {winner.assurance === 'weak' ? (
            <p className="gap">
              <LocalDraw />
            </p>
          ) : null}
        </Section>
      )}
    </>
  )
}

export function ImpactVideos() {
  const { t } = useLingui()
  const { data } = usePage()
  const withVideo = data?.stories.filter((story) => story.videoUrl !== null && story.videoUrl !== '') ?? []
  return (
    <>
      <Heading
        title={usePageTitle('impactVideos')}
        when={<Trans>6 PM</Trans>}
        note={<Trans>every day</Trans>}
        lead={<Trans>Daily impact videos are announced for 6 PM: who was helped, with what, and how much it cost.</Trans>}
      />
      <Section when={<Trans>Newest first</Trans>}>
        {data === undefined ? (
          <FiguresMissing />
        ) : withVideo.length === 0 ? (
          <EmptyState title={t`No impact story available yet`} art="cut">
            <Trans>The first impact video will stand here.</Trans>
          </EmptyState>
        ) : (
          <StoryList stories={withVideo} />
        )}
      </Section>
    </>
  )
}

export function VideoDocumentation() {
  const { t } = useLingui()
  const { data } = usePage()
  const withVideo = data?.stories.filter((story) => story.videoUrl !== null && story.videoUrl !== '') ?? []
  return (
    <>
      <Heading title={usePageTitle('videoDocumentation')} lead={<Trans>How we film what your rupees do, and every film so far.</Trans>} />
      <Section when={<Trans>How we film</Trans>}>
        <Prose name="video-documentation" />
      </Section>
      <Section when={<Trans>On film</Trans>}>
        {data === undefined ? (
          <FiguresMissing />
        ) : withVideo.length === 0 ? (
          <EmptyState title={t`No impact story available yet`} art="slip" />
        ) : (
          <div className="story-grid two">
            {withVideo.map((story) => (
              <PublicVideo key={story.id} story={story} />
            ))}
          </div>
        )}
      </Section>
    </>
  )
}

export function ImpactStories() {
  const { data } = usePage()
  return (
    <>
      <Heading title={usePageTitle('impactStories')} lead={<Trans>The people your rupees reached, newest first.</Trans>} />
      <Section when={<Trans>Newest first</Trans>}>{data === undefined ? <FiguresMissing /> : <StoryList stories={data.stories} />}</Section>
    </>
  )
}

export function MoneyTrail() {
  const { data } = usePage()
  return (
    <>
      <Heading
        title={usePageTitle('moneyTrail')}
        lead={<Trans>Every rupee in, and where it goes. From live data, not from a brochure.</Trans>}
      />
      <Section when={<Trans>Today</Trans>} note={data === undefined ? undefined : <RoundDay />}>
        <h2>
          <Trans>In today’s round</Trans>
        </h2>
        {data === undefined ? (
          <FiguresMissing />
        ) : (
          <div className="ledger narrow gap">
            <LedgerRow part="need" label={<Trans>For people in need</Trans>}>
              {formatMoney(data.home.stats.today.charity)}
            </LedgerRow>
            <LedgerRow part="gift" label={<Trans>For members</Trans>}>
              {formatMoney(data.home.stats.today.giveaway)}
            </LedgerRow>
            <LedgerRow part="run" label={<Trans>For the platform</Trans>}>
              {formatMoney(data.home.stats.today.platform)}
            </LedgerRow>
            <LedgerRow sum label={<Trans>Put in today</Trans>}>
              {formatMoney(data.home.stats.today.pool)}
            </LedgerRow>
          </div>
        )}
      </Section>
      <Section when={<Trans>So far</Trans>}>
        <h2>
          <Trans>Set aside for people in need</Trans>
        </h2>
        {data === undefined ? (
          <FiguresMissing />
        ) : (
          <div className="ledger narrow gap">
            <LedgerRow label={<Trans>Settled rounds</Trans>}>{data.home.stats.rounds.toLocaleString('en-IN')}</LedgerRow>
            <LedgerRow label={<Trans>Members who joined</Trans>}>{data.home.stats.totalPeople.toLocaleString('en-IN')}</LedgerRow>
            <LedgerRow sum label={<Trans>For people in need</Trans>}>
              {formatMoney(data.home.stats.totalCharity)}
            </LedgerRow>
          </div>
        )}
      </Section>
      <Section when={<Trans>The rule</Trans>}>
        <Prose name="money-trail" />
      </Section>
    </>
  )
}

function RoundDay() {
  const { data, language } = usePage()
  return data === undefined ? null : formatDay(data.round.id, language)
}

export function DailyReports() {
  const { t } = useLingui()
  const { data, language } = usePage()
  return (
    <>
      <Heading
        title={usePageTitle('dailyReports')}
        lead={<Trans>One page for each day: what came in, who was drawn, who was helped.</Trans>}
      />
      <Section when={<Trans>Today</Trans>} note={data === undefined ? undefined : <RoundDay />}>
        <h2>
          <Trans>Today’s round</Trans>
        </h2>
        {data === undefined ? (
          <FiguresMissing />
        ) : (
          <div className="ledger narrow gap">
            <LedgerRow label={<Trans>Members in the round</Trans>}>{data.round.totalParticipants.toLocaleString('en-IN')}</LedgerRow>
            <LedgerRow sum label={<Trans>Put in today</Trans>}>
              {formatMoney(data.round.totalAmount)}
            </LedgerRow>
          </div>
        )}
      </Section>
      <Section when={<Trans>Before</Trans>}>
        <h2>
          <Trans>Published days</Trans>
        </h2>
        {data === undefined ? (
          <FiguresMissing />
        ) : data.stories.length === 0 ? (
          <div className="gap">
            <EmptyState title={t`No impact stories yet`}>
              <Trans>A day stands here once its story is published.</Trans>
            </EmptyState>
          </div>
        ) : (
          <ul className="ledger days gap">
            {data.stories.map((story) => (
              <li key={story.id}>
                <time dateTime={story.date}>{formatDay(story.date, language)}</time>
                <span>{story.title}</span>
                {story.winnerInfo?.assurance === 'weak' ? (
                  <Badge tone="waiting">
                    <Trans>Demo draw</Trans>
                  </Badge>
                ) : null}
                <span className="amount">{formatMoney(story.amount)}</span>
              </li>
            ))}
          </ul>
        )}
      </Section>
    </>
  )
}

export function HelpCenter() {
  const { site, to } = usePage()
  return (
    <>
      <Heading title={usePageTitle('helpCenter')} lead={<Trans>Six questions that members ask most.</Trans>} />
      <Section>
        <Prose name="help-center" />
      </Section>
      <Section when={<Trans>Support</Trans>} note={<Trans>within 24 hours</Trans>}>
        <h2>
          <Trans>Still stuck, write to us</Trans>
        </h2>
        <p className="lead gap">
          <Trans>We answer within 24 hours.</Trans>
        </p>
        <p className="buttons gap">
          <a className="button" href={to('contactUs')}>
            <Trans>Contact Us</Trans>
          </a>
          <a className="button secondary" href={`mailto:${site.supportEmail}`}>
            {site.supportEmail}
          </a>
        </p>
      </Section>
    </>
  )
}

export function ContactUs() {
  const { site } = usePage()
  return (
    <>
      <Heading title={usePageTitle('contactUs')} lead={<Trans>We answer within 1–2 business days.</Trans>} />
      <Section when={<Trans>Any day</Trans>}>
        <div className="pairs">
          <div className="cards">
            <div>
              <h2>
                <Trans>Email us</Trans>
              </h2>
              <p>
                <a className="tap" href={`mailto:${site.supportEmail}`}>
                  {site.supportEmail}
                </a>
              </p>
            </div>
            <div>
              <h2>
                <Trans>Call us</Trans>
              </h2>
              <p>
                <a className="tap" href={`tel:${site.supportPhone.replace(/[^+\d]/g, '')}`}>
                  {site.supportPhone}
                </a>
              </p>
            </div>
            <div>
              <h2>
                <Trans>Office</Trans>
              </h2>
              <address>{site.officeAddress}</address>
            </div>
          </div>
          <ContactForm />
        </div>
      </Section>
    </>
  )
}

export function NotFound() {
  const { to } = usePage()
  return (
    <Section when="404" className="head-section">
      <h1>
        <Trans>Page not found</Trans>
      </h1>
      <p className="lead">
        <Trans>This page is not in the book. The address may be mistyped, or the page may have moved.</Trans>
      </p>
      <p className="buttons">
        <a className="button" href={to('home')}>
          <Trans>Go to Home</Trans>
        </a>
      </p>
    </Section>
  )
}

export const SCREENS = {
  privacyPolicy: PrivacyPolicy,
  refundPolicy: RefundPolicy,
  terms: Terms,
  dailyContributions: DailyContributions,
  directHelpProcess: DirectHelpProcess,
  giveawaySelection: GiveawaySelection,
  impactVideos: ImpactVideos,
  dailyReports: DailyReports,
  videoDocumentation: VideoDocumentation,
  moneyTrail: MoneyTrail,
  impactStories: ImpactStories,
  helpCenter: HelpCenter,
  contactUs: ContactUs,
} as const satisfies Record<Exclude<PublicPage, 'home'>, () => React.ReactNode>
