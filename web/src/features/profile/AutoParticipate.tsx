/** The Auto Participate switch, with an explanation of its effect. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Badge } from '../../ui/Feedback.tsx'
import { Switch } from '../../ui/Switch.tsx'

type AutoParticipateProps = { readonly on: boolean; readonly busy?: boolean; readonly onChange: (on: boolean) => void }

export function AutoParticipate({ on, busy = false, onChange }: AutoParticipateProps) {
  const { t } = useLingui()
  return (
    <div className="auto-participate">
      <Switch label={t`Auto Participate`} checked={on} on={t`Enabled`} off={t`Disabled`} busy={busy} onChange={onChange} />
      {on ? (
        <Badge tone="live">
          <Trans>Auto-joining rounds</Trans>
        </Badge>
      ) : null}
      <ul className="small muted dots">
        <li>
          <Trans>Joins new rounds each day at reset</Trans>
        </li>
        <li>
          <Trans>Stops when wallet balance falls below 1 rupee</Trans>
        </li>
        <li>
          <Trans>Can be disabled anytime</Trans>
        </li>
        <li>
          <Trans>A notification is sent for each participation</Trans>
        </li>
      </ul>
    </div>
  )
}
