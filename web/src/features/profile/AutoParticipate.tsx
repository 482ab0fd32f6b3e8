/** The Auto Participate switch, with an explanation of its effect. */
import { useLingui } from '@lingui/react/macro'
import { Badge } from '../../ui/Feedback.tsx'
import { Switch } from '../../ui/Switch.tsx'

type AutoParticipateProps = { readonly on: boolean; readonly busy?: boolean; readonly onChange: (on: boolean) => void }

export function AutoParticipate({ on, busy = false, onChange }: AutoParticipateProps) {
  const { t } = useLingui()
  return (
    <div className="auto-participate">
      <Switch label={t`Auto Participate`} checked={on} on={t`Enabled`} off={t`Disabled`} busy={busy} onChange={onChange} />
      {on ? <Badge tone="live">{t`Auto-joining rounds`}</Badge> : null}
      <ul className="small muted dots">
        <li>{t`Joins new rounds each day at reset`}</li>
        <li>{t`Stops when wallet balance falls below 1 rupee`}</li>
        <li>{t`Can be disabled anytime`}</li>
        <li>{t`A notification is sent for each participation`}</li>
      </ul>
    </div>
  )
}
