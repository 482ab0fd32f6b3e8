/** "If I win, pass it on": saves at once and reverts on failure. */
import { Trans, useLingui } from '@lingui/react/macro'
import type { User } from '@roz/contract/shapes.ts'
import { useState } from 'react'
import { call, messageOf } from '../../app/api.ts'
import { Switch } from '../../ui/Switch.tsx'
import { toast } from '../../ui/Toast.tsx'

export function PassOnSwitch({ user, onSaved }: { readonly user: User; readonly onSaved: (changed: Partial<User>) => void }) {
  const { t } = useLingui()
  const [saving, setSaving] = useState(false)
  const turn = async (passOn: boolean): Promise<void> => {
    setSaving(true)
    onSaved({ passOn })
    try {
      onSaved((await call('updateProfile', { body: { passOn } })).user ?? { passOn })
    } catch (error) {
      onSaved({ passOn: !passOn })
      console.warn('Failed to change passing on:', error)
      toast.error(messageOf(error, t`The change could not be saved.`))
    } finally {
      setSaving(false)
    }
  }
  return (
    <>
      <h2 className="spaced">
        <Trans>If you win</Trans>
      </h2>
      <Switch
        label={t`If I win, pass it on`}
        checked={user.passOn}
        on={t`Enabled`}
        off={t`Disabled`}
        busy={saving}
        onChange={(on) => void turn(on)}
      />
      <p className="small muted">
        <Trans>Your reward, after tax and after what you owe, then goes to the help fund at once. You can change this at any time.</Trans>
      </p>
    </>
  )
}
