/** Shows the results of the device's own checks. */
import { Trans } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { CheckIcon } from '../../ui/icons.tsx'

/** One line: a passed check. */
export function Checked({ children }: { readonly children: ReactNode }) {
  return (
    <li className="is-right">
      <CheckIcon />
      <span>{children}</span>
    </li>
  )
}

/** Keys, seals and logs, below the verdict and closed until the member opens them. */
export function TechnicalDetails({ children }: { readonly children: ReactNode }) {
  return (
    <details className="technical">
      <summary>
        <Trans>Technical details</Trans>
      </summary>
      <ul className="ledger own-checks">{children}</ul>
    </details>
  )
}
