/** A field of the profile that saves at once and reverts on failure. `about` names the change in the browser's log. */
import { useLingui } from '@lingui/react/macro'
import type { User } from '@roz/contract/shapes.ts'
import { useState } from 'react'
import { call, messageOf } from '../../app/api.ts'
import { toast } from '../../ui/Toast.tsx'

type Field = 'autoParticipate' | 'passOn' | 'reminder'
type Props<F extends Field> = {
  readonly user: User
  readonly field: F
  readonly about: string
  readonly onSaved: (changed: Partial<User>) => void
}

/** `save` tells whether the server took the value. */
export function useAtOnce<F extends Field>({ user, field, about, onSaved }: Props<F>) {
  const { t } = useLingui()
  const [saving, setSaving] = useState(false)
  const save = async (value: User[F]): Promise<boolean> => {
    const [before, wanted] = [{ [field]: user[field] }, { [field]: value }]
    setSaving(true)
    onSaved(wanted)
    try {
      const { user: saved } = await call('updateProfile', { body: wanted })
      // This field alone: of two answers that cross, the older one has the other fields as they were.
      onSaved(saved === undefined ? wanted : { [field]: saved[field] })
      return true
    } catch (error) {
      onSaved(before)
      console.warn(`Failed to change ${about}:`, error)
      toast.error(messageOf(error, t`The change could not be saved.`))
      return false
    } finally {
      setSaving(false)
    }
  }
  return { saving, save }
}
