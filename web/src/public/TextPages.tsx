/** Information pages that consist of text. The long texts are Markdown in locales/<language>/pages. */
import { Trans, useLingui } from '@lingui/react/macro'
import { hasDraw } from '@roz/core/modes.ts'
import { MoreWinners, useReward } from '../features/WinnerLabel.tsx'
import { formatDay } from '../ui/format.ts'
import { Section } from '../ui/Section.tsx'
import { LedgerRow } from '../ui/Split.tsx'
import { ContactForm } from './ContactForm.tsx'
import { usePage } from './context.ts'
import { Heading } from './Frame.tsx'
import { CheckLink, DeskFigures, SplitInForce, WeakDraw } from './parts.tsx'
import { Prose } from './Prose.tsx'
import { leadOf } from './share-card.ts'
import { usePageTitle } from './titles.ts'

/** English is the binding version; every translation says so. */
function TranslationNote() {
  return usePage().language === 'en' ? null : (
    <p className="muted gap">
      <Trans>This is a translation. The English text governs.</Trans>
    </p>
  )
}

export function PrivacyPolicy() {
  return (
    <>
      <Heading title={usePageTitle('privacyPolicy')} lead={<Trans>Effective August 9, 2025</Trans>}>
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
  const { t } = useLingui()
  const { to } = usePage()
  return (
    <>
      <Heading title={usePageTitle('refundPolicy')} lead={<Trans>Ask within 7 days, get your money in 5–10 business days.</Trans>}>
        <TranslationNote />
        <p className="buttons no-print">
          <button className="button" type="button" data-print="">{t`Print`}</button>
          <a className="button secondary" href={to('home')} data-back="">{t`Back`}</a>
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
        <AskLink />
      </Section>
      <Section when={<Trans>So far</Trans>}>
        <DeskFigures />
      </Section>
    </>
  )
}

export function GiveawaySelection() {
  const reward = useReward()
  const { data, language, to, modes } = usePage()
  const { t, i18n } = useLingui()
  const winner = data?.round.lastWinner ?? undefined
  return (
    <>
      <Heading title={usePageTitle('giveawaySelection')} lead={i18n._(leadOf('giveawaySelection', modes))}>
        <SplitInForce />
      </Heading>
      <Section when={<Trans>Midnight</Trans>}>
        <Prose name="giveaway-selection" />
        <p className="buttons gap">
          <a className="button secondary" href={to('verify')}>
            {hasDraw(modes) ? t`See and check the latest draw` : t`See and check the latest round`}
          </a>
        </p>
      </Section>
      {winner === undefined ? null : (
        <Section when={<Trans>Latest</Trans>} note={formatDay(winner.date, language)}>
          <h2>{winner.others === 0 ? t`The latest winner` : t`The latest winners`}</h2>
          <div className="ledger narrow gap">
            <LedgerRow
              label={
                <>
                  {winner.name}
                  <MoreWinners others={winner.others} />
                </>
              }
            >
              {reward(winner)}
            </LedgerRow>
          </div>
          <WeakDraw {...winner} />
          <p>
            <CheckLink day={winner.date} />
          </p>
        </Section>
      )}
    </>
  )
}

export function HelpCenter() {
  const { t } = useLingui()
  const { site, to } = usePage()
  return (
    <>
      <Heading title={usePageTitle('helpCenter')} lead={<Trans>Six questions that members ask most.</Trans>} />
      <Section>
        <Prose name="help-center" />
      </Section>
      <Section when={<Trans>Support</Trans>}>
        <h2>{t`Write to us if you are still stuck.`}</h2>
        <p className="lead gap">{t`We answer within 24 hours.`}</p>
        <AskLink />
        <p className="buttons gap">
          <a className="button" href={to('contactUs')}>{t`Contact Us`}</a>
          <a className="button secondary" href={`mailto:${site.supportEmail}`}>
            {site.supportEmail}
          </a>
        </p>
      </Section>
    </>
  )
}

/** For somebody who came here because of a need. */
function AskLink() {
  const { to } = usePage()
  return (
    <p className="gap">
      <a className="tap" href={to('askForHelp')}>
        <Trans>Do you or somebody you know need help? Ask here.</Trans>
      </a>
    </p>
  )
}

export function ContactUs() {
  const { t } = useLingui()
  const { site } = usePage()
  return (
    <>
      <Heading title={usePageTitle('contactUs')} lead={<Trans>We answer within 1–2 business days.</Trans>}>
        <AskLink />
      </Heading>
      <Section>
        <div className="pairs">
          <div className="cards">
            <div>
              <h2>{t`Email us`}</h2>
              <p>
                <a className="tap" href={`mailto:${site.supportEmail}`}>
                  {site.supportEmail}
                </a>
              </p>
            </div>
            <div>
              <h2>{t`Call us`}</h2>
              <p>
                <a className="tap" href={`tel:${site.supportPhone.replace(/[^+\d]/g, '')}`}>
                  {site.supportPhone}
                </a>
              </p>
            </div>
            <div>
              <h2>{t`Office`}</h2>
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
  const { t } = useLingui()
  const { to } = usePage()
  return (
    <Section when="404" className="head-section">
      <h1>{t`Page not found`}</h1>
      <p className="lead">{t`We can't find this page. The address may be mistyped, or the page may have moved.`}</p>
      <p className="buttons">
        <a className="button" href={to('home')}>{t`Go to Home`}</a>
      </p>
    </Section>
  )
}
