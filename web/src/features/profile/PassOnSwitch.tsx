/** "If I win, pass it on": saves at once and reverts on failure. */
import { Trans, useLingui } from '@lingui/react/macro'
import type { User } from '@roz/contract/shapes.ts'
import { Switch } from '../../ui/Switch.tsx'
import { useAtOnce } from './use-at-once.ts'

export function PassOnSwitch({ user, onSaved }: { readonly user: User; readonly onSaved: (changed: Partial<User>) => void }) {
  const { t } = useLingui()
  const { saving, save } = useAtOnce({ user, field: 'passOn', about: 'passing on', onSaved })
  return (
    <>
      <h2 className="spaced">{t`If you win`}</h2>
      <Switch
        label={t`If I win, pass it on`}
        checked={user.passOn}
        on={t`Enabled`}
        off={t`Disabled`}
        busy={saving}
        onChange={(on) => void save(on)}
      />
      <p className="small muted">
        <Trans>Your reward, after tax and after what you owe, then goes to the help fund at once. You can change this at any time.</Trans>
      </p>
    </>
  )
}
