/** Wherever a winner is shown whom the operator could have chosen, the page says so (fair-draw.md, Randomness). */
import { Trans } from '@lingui/react/macro'

export function WinnerLabel({ assurance }: { readonly assurance: 'weak' | 'sealed' }) {
  if (assurance !== 'weak') return null
  return (
    <p className="small demo-label">
      <Trans>Demo draw — the operator could have chosen this winner</Trans>
    </p>
  )
}
