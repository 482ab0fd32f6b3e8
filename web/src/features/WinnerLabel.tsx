/** The label beside every winner that the operator could have chosen. It says how: a local draw, or a list that no witness saw in time. */
import { Trans } from '@lingui/react/macro'
import { settings } from '../app/settings.ts'

export function WinnerLabel({ assurance }: { readonly assurance: 'weak' | 'sealed' }) {
  if (assurance !== 'weak') return null
  return (
    <p className="small demo-label">
      {settings.drawsLocally ? (
        <Trans>Demo draw — the operator could have chosen this winner</Trans>
      ) : (
        <Trans>No outsider confirmed this list in time; we could have changed it.</Trans>
      )}
    </p>
  )
}
