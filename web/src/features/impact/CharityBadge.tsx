/** A charity not chosen yet is Pending, any other is Active (spec section 3, Impact story). */
import { Trans } from '@lingui/react/macro'
import { Badge } from '../../ui/Feedback.tsx'

const PENDING_CHARITY = 'Pending Charity Selection'

export function CharityBadge({ name }: { readonly name: string }) {
  return name === PENDING_CHARITY ? (
    <Badge tone="waiting">
      <Trans>Pending</Trans>
    </Badge>
  ) : (
    <Badge tone="good">
      <Trans>Active</Trans>
    </Badge>
  )
}
