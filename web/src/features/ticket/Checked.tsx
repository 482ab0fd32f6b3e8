/** One line of the device's own checks: passed or failed. */
import type { ReactNode } from 'react'
import { CheckIcon, ErrorIcon } from '../../ui/icons.tsx'

export function Checked({ children, failed = false }: { readonly children: ReactNode; readonly failed?: boolean }) {
  return (
    <li className={failed ? 'is-wrong' : 'is-right'}>
      {failed ? <ErrorIcon /> : <CheckIcon />}
      <span>{children}</span>
    </li>
  )
}
