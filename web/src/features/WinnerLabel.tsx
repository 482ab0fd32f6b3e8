/** Wherever a winner is shown whom the operator could have chosen, the page says so, and how (fair-draw.md, Sealed in time and Randomness). */
import { Trans } from '@lingui/react/macro'
import { settings } from '../app/settings.ts'

export function WinnerLabel({ assurance }: { readonly assurance: 'weak' | 'sealed' }) {
  if (assurance !== 'weak') return null
  return (
    <p className="small demo-label">
      {settings.drawsLocally ? (
        <Trans>Demo draw — the operator could have chosen this winner</Trans>
      ) : (
        <Trans>No witness saw the seal in time: we could have changed the list</Trans>
      )}
    </p>
  )
}
