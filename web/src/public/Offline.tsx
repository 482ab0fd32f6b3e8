/** Stands in for any screen when no answer comes at all. The service worker keeps it; it names no figure. */
import { Trans } from '@lingui/react/macro'
import { Section } from '../ui/Section.tsx'

export function Offline() {
  return (
    <Section className="head-section">
      <h1>
        <Trans>No connection</Trans>
      </h1>
      <p className="lead">
        <Trans>We cannot be reached from here right now. Your money and your rounds are safe on our server.</Trans>
      </p>
      <p className="buttons">
        {/* Asks again for whatever this page stands in for. */}
        <button className="button" type="button" data-again="">
          <Trans>Try again</Trans>
        </button>
      </p>
    </Section>
  )
}
