/** The front page. Its statistics are computed; the operator's marketing figures appear only in the text beside them. */
import type { HomeData } from '@roz/contract/public-pages.ts'
import { addDays, dayAt } from '@roz/core/ist-day.ts'
import { JOINS_PER_YEAR_MAX } from '@roz/core/round.ts'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { formatCount } from '@roz/core/numbers.ts'
import { Least } from '../features/Least.tsx'
import { langOf } from '../features/OtherLanguage.tsx'
import { paths } from '../paths.ts'
import { Art, Key } from '../ui/Art.tsx'
import { formatDay, formatLongDay, formatTime } from '../ui/format.ts'
import { EmptyState } from '../ui/Feedback.tsx'
import { formatMoney, Money } from '../ui/Money.tsx'
import { Section } from '../ui/Section.tsx'
import { LedgerRow, Ruler, TaxNote, useShares } from '../ui/Split.tsx'
import { usePage } from './context.ts'
import { TrustCards } from './TrustCards.tsx'
import {
  HelpWaits,
  CharityState,
  FiguresMissing,
  BesideMedia,
  PromisesKept,
  SplitOfARupee,
  StoryAmount,
  Told,
  WinnerLine,
} from './parts.tsx'

export function Home() {
  const { data } = usePage()
  return (
    <>
      <Hero />
      <SoFar stats={data?.home.stats} />
      <Today />
      <Yesterday />
      <HowItWorks />
      <TrustCards />
      <Tonight />
    </>
  )
}

function Hero() {
  const { t } = useLingui()
  const { nowMs, language, site, modes } = usePage()
  const { brandName } = site
  const { need, reward, platform, winners } = modes.split
  const parts = (
    [
      ['need', need, t`helps people in need`],
      ['gift', reward, winners === 1 ? t`goes to one winner` : t`is shared by ${winners} winners`],
      ['run', platform, t`keeps ${brandName} running`],
    ] as const
  ).filter(([, percent]) => percent > 0)
  const cut = parts.map(([, percent]) => percent).join(' + ')
  const yearly = formatMoney(JOINS_PER_YEAR_MAX)
  return (
    <Section className="hero" when={<Trans>Today</Trans>}>
      <p className="day-line">
        <span>{formatLongDay(new Date(nowMs), language)}</span>
        <span>{t`India time`}</span>
      </p>
      <div className="hero-grid">
        <div>
          <h1>{t`One rupee a day, together.`}</h1>
          <p className="lead">
            {winners > 0 ? (
              <Trans>
                Each member gives ₹1. Most of it is for people in need, part of it is a reward for members, and every paisa is shown in
                public.
              </Trans>
            ) : need === 100 ? (
              <Trans>Each member gives ₹1. All of it is for people in need, and every paisa is shown in public.</Trans>
            ) : (
              <Trans>Each member gives ₹1. Most of it is for people in need, and every paisa is shown in public.</Trans>
            )}
          </p>
          <div className="buttons">
            <a className="button" href={paths.register}>{t`Put in my first rupee`}</a>
            <HowItWorksButton>{t`See Real Impact`}</HowItWorksButton>
          </div>
          <p className="small muted">
            <Trans>{yearly} a year at most. Stop any day.</Trans>
          </p>
          <p className="small muted">
            <Least topupMinRupees={site.topupMinRupees} modes={modes} />
          </p>
        </div>
        <div>
          {/* The drawing has three pieces. */}
          <Art name={parts.length === 3 ? 'cut' : 'coin'} className="cut-coin" label={t`A rupee cut into its shares: ${cut} paise`} />
          <div className="ledger">
            {parts.map(([part, percent, words]) => (
              <div key={part}>
                <Key part={part} />
                <span>
                  <b>{percent}%</b> {words}
                </span>
                <span className="amount display share">
                  {percent}
                  <i>{t`paise`}</i>
                </span>
              </div>
            ))}
            <LedgerRow sum label={<Trans>Your rupee</Trans>}>
              {formatMoney(1)}
            </LedgerRow>
          </div>
          <p className="small muted">
            <TaxNote {...modes} />
          </p>
        </div>
      </div>
    </Section>
  )
}

/** Opens the video about how it works. Without JavaScript it is a link to the steps further down. */
function HowItWorksButton({ children }: { readonly children: React.ReactNode }) {
  return (
    <a className="button secondary" href="#how" data-how="">
      {children}
    </a>
  )
}

function SoFar({ stats }: { readonly stats: HomeData['stats'] | undefined }) {
  const { t } = useLingui()
  const { people, contributors } = usePage().site
  return (
    <Section when={<Trans>So far</Trans>}>
      <h2 className="hidden">{t`So far`}</h2>
      {stats === undefined ? (
        <FiguresMissing />
      ) : (
        <dl className="stats">
          <div>
            <dt>{t`set aside for people in need`}</dt>
            <dd data-live="totalCharity">
              <Money amount={stats.totalCharity} />
            </dd>
          </div>
          <div>
            <dt>{t`members who joined`}</dt>
            <dd data-live="totalPeople">{formatCount(stats.totalPeople)}</dd>
          </div>
          <div>
            <dt>{t`rounds`}</dt>
            <dd data-live="rounds">{formatCount(stats.rounds)}</dd>
          </div>
        </dl>
      )}
      <p className="beside">
        <Trans>
          A community of {people} people with {contributors} contributors.
        </Trans>
      </p>
      <PromisesKept />
      <HelpWaits />
    </Section>
  )
}

function Today() {
  const { data, nowMs, language } = usePage()
  const { t } = useLingui()
  const at = (time: string): string => t`at ${time}`
  return (
    <Section
      when={<Trans>Today</Trans>}
      note={
        <span data-live="time" data-words={at('{}')}>
          {at(formatTime(new Date(nowMs), language))}
        </span>
      }
    >
      <h2>{t`Today's impact in real time`}</h2>
      {data === undefined ? <FiguresMissing /> : <TodayFigures today={data.home.stats.today} />}
    </Section>
  )
}

const FIGURE_OF = { need: 'charity', gift: 'giveaway', run: 'platform' } as const

function TodayFigures({ today }: { readonly today: HomeData['stats']['today'] }) {
  const { t } = useLingui()
  const isOpen = usePage().data?.round.status === 'open'
  const { split } = usePage().modes
  const shares = useShares(split)
  return (
    <div className="two">
      <div>
        <p className={isOpen ? 'badge ok live' : 'badge'}>{isOpen ? t`Today's round is open` : t`Today's round is closed`}</p>
        <p className="pool" data-live="pool">
          <Money amount={today.pool} />
        </p>
        <p className="muted">{t`put in so far today. The round closes at midnight.`}</p>
      </div>
      <div>
        <Ruler split={split} />
        <div className="ledger">
          {shares.map(({ part, words }) => (
            <div key={part}>
              <Key part={part} />
              <span>{words}</span>
              <span className="amount" data-live={FIGURE_OF[part]}>
                {formatMoney(today[FIGURE_OF[part]])}
              </span>
            </div>
          ))}
          <div className="sum">
            <span>{t`In the round`}</span>
            <span className="amount" data-live="poolTotal">
              {formatMoney(today.pool)}
            </span>
          </div>
        </div>
      </div>
    </div>
  )
}

function Yesterday() {
  const { t } = useLingui()
  const { data, language, nowMs, to } = usePage()
  const story = data?.home.recentImpacts[0]
  const date = story === undefined ? undefined : formatDay(story.date, language)
  // The newest story may be from an older day. Its heading then names that day.
  const isOlder = story !== undefined && story.date !== addDays(dayAt(nowMs), -1)
  return (
    <Section when={isOlder ? t`Most recent` : t`Yesterday`} note={isOlder ? undefined : date}>
      <h2>{isOlder ? <Trans>Impact of {date}</Trans> : <Trans>Yesterday's impact</Trans>}</h2>
      {data === undefined ? (
        <FiguresMissing />
      ) : story === undefined ? (
        <div className="gap narrow">
          <EmptyState title={t`No impact story available yet`} art="cut" />
        </div>
      ) : (
        <BesideMedia story={story}>
          {story.isActive ? (
            <p className="state">
              <span className="badge ok live">{t`Live`}</span>
            </p>
          ) : null}
          <h3 lang={langOf(story.languages.title, language)}>{story.title}</h3>
          <Told story={story} />
          <p className="small muted">
            <CharityState story={story} /> · <StoryAmount story={story} />
            <Plural value={story.views} one="# view" other="# views" />
          </p>
          <WinnerLine story={story} />
          <p>
            <a className="tap" href={to('impactStories')}>{t`All impact stories`}</a>
          </p>
        </BesideMedia>
      )}
    </Section>
  )
}

function Split() {
  const { winners, platform } = usePage().modes.split
  return winners > 0 && platform > 0 ? <Trans>We split it in three</Trans> : <Trans>We share it out</Trans>
}

const SplitArt = () => <Art name={usePage().modes.split.winners > 0 ? 'cut' : 'coin'} className="vignette" />

function HowItWorks() {
  const { t } = useLingui()
  return (
    <Section id="how" when={<Trans>Every day</Trans>}>
      <h2>{t`How it works`}</h2>
      <ol className="steps">
        <li>
          <Art name="stack" className="vignette" />
          <div>
            <h3>{t`Put in one rupee`}</h3>
            <p>{t`One tap before midnight, or turn on Auto Participate. At most ₹1.00 a day.`}</p>
          </div>
        </li>
        <li>
          <SplitArt />
          <div>
            <h3>
              <Split />
            </h3>
            <p>
              <SplitOfARupee />
            </p>
          </div>
        </li>
        <li>
          <Art name="slip" className="vignette" />
          <div>
            <h3>{t`You see where it went`}</h3>
            <p>
              <Trans>
                Our aim is the next day: a video, announced for 6 PM, receipts and the story. The Money Trail shows what was sent, and when.
              </Trans>
            </p>
          </div>
        </li>
      </ol>
      <p className="gap">
        <HowItWorksButton>{t`Watch how it works`}</HowItWorksButton>
      </p>
    </Section>
  )
}

function Tonight() {
  const { t } = useLingui()
  const { data, site, modes } = usePage()
  const { topupMinRupees } = site
  const status = data?.round.status ?? 'open'
  return (
    <Section className="end" when={<Trans>Tonight</Trans>} note={<Trans>midnight</Trans>}>
      <Art name="coin" className="end-coin" />
      <div>
        <h2>{status === 'open' ? t`Today's round is still open.` : t`Today's round is closed`}</h2>
        <p className="lead">
          {modes.topupsOn ? (
            <Trans>Add ₹{topupMinRupees} or more once; each round takes ₹1.</Trans>
          ) : (
            <Trans>Adding money is paused. Each round takes ₹1.</Trans>
          )}
        </p>
        <a className="button" href={paths.register}>{t`Put in my first rupee`}</a>
      </div>
    </Section>
  )
}
