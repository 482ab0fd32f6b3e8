/** The page shown in place of any screen when the server cannot be reached. The service worker caches it; it contains no figures. */
import { Trans } from '@lingui/react/macro'
import { Section } from '../ui/Section.tsx'

export function Offline() {
  return (
    <Section className="head-section">
      <h1>
        <Trans>No connection</Trans>
      </h1>
      <p className="lead">
        <Trans>There is no internet connection, or our server is down. Your money and your rounds stay on our server.</Trans>
      </p>
      <p className="buttons">
        {/* Requests the original address again. */}
        <button className="button" type="button" data-again="">
          <Trans>Try again</Trans>
        </button>
      </p>
    </Section>
  )
}
