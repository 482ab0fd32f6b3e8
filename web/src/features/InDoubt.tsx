/**
 * Notices of a money form: one whose request had no answer, and one whose answer repeats an earlier request. A retry sends the same
 * idempotency key.
 */
import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { currentLanguage } from '../app/language.ts'
import { formatInstant } from '../ui/format.ts'
import { toast } from '../ui/Toast.tsx'
import { refreshMoney } from './queries.ts'

export function tellEarlier(createdAt: string): void {
  refreshMoney()
  toast.warning(t`You already requested this on ${formatInstant(createdAt, currentLanguage())}.`)
}

export function InDoubt() {
  return (
    <p className="in-doubt spaced" role="alert">
      <Trans>
        We could not tell whether it went through. Look for it in <a href="#transactions">your transactions</a>. If it is missing, try
        again: you are not charged twice.
      </Trans>
    </p>
  )
}
