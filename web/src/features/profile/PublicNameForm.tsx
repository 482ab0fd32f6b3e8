/** The member's name in public lists. A choice saves at once. */
import { useLingui } from '@lingui/react/macro'
import type { User } from '@roz/contract/shapes.ts'
import { initialName } from '@roz/core/names.ts'
import { useState } from 'react'
import { call, messageOf } from '../../app/api.ts'
import { withDraws } from '../../app/settings.ts'
import { SelectField } from '../../ui/Field.tsx'
import { toast } from '../../ui/Toast.tsx'

export function PublicNameForm({ user, onSaved }: { readonly user: User; readonly onSaved: (changed: Partial<User>) => void }) {
  const { t } = useLingui()
  const [saving, setSaving] = useState(false)
  const save = async (publicName: User['publicName']): Promise<void> => {
    setSaving(true)
    try {
      onSaved((await call('updateProfile', { body: { publicName } })).user ?? { publicName })
      toast.success(t`Saved.`)
    } catch (error) {
      console.warn('Failed to change the public name:', error)
      toast.error(messageOf(error, t`The change could not be saved.`))
    } finally {
      setSaving(false)
    }
  }
  return (
    <div className="form-sheet">
      <h2>{withDraws() ? t`Your name in winners' lists` : t`Your name in public lists`}</h2>
      <SelectField
        label={t`Name in public`}
        hint={t`This also applies to past rounds.`}
        value={user.publicName}
        aria-busy={saving || undefined}
        onChange={(event) => (saving ? undefined : void save(event.target.value === 'anonymous' ? 'anonymous' : 'initial'))}
      >
        <option value="initial">{initialName(user.name)}</option>
        <option value="anonymous">{t`A member`}</option>
      </SelectField>
    </div>
  )
}
