/** The page shown in place of any screen when the server cannot be reached. The service worker caches it; it contains no figures. */
import { useLingui } from '@lingui/react/macro'
import { Section } from '../ui/Section.tsx'

export function Offline() {
  const { t } = useLingui()
  return (
    <Section className="head-section">
      <h1>{t`No connection`}</h1>
      <p className="lead">{t`There is no internet connection, or our server is down. Your money and your rounds stay on our server.`}</p>
      <p className="buttons">
        {/* Requests the original address again. */}
        <button className="button" type="button" data-again="">{t`Try again`}</button>
      </p>
    </Section>
  )
}
