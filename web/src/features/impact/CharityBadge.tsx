/** The badge Pending for a charity that is not selected yet, and Active for any other. */
import { Trans } from '@lingui/react/macro'
import { Badge } from '../../ui/Feedback.tsx'
import { isPendingCharity } from '../CharityName.tsx'

export function CharityBadge({ name }: { readonly name: string }) {
  return isPendingCharity(name) ? (
    <Badge tone="waiting">
      <Trans context="charity">Pending</Trans>
    </Badge>
  ) : (
    <Badge tone="good">
      <Trans context="charity">Active</Trans>
    </Badge>
  )
}
