/** The time of the evening reminder. A choice saves at once and reverts on failure. */
import { Trans, useLingui } from '@lingui/react/macro'
import type { User } from '@roz/contract/shapes.ts'
import { type ReminderTime, REMINDER_TIMES } from '@roz/core/reminder.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call, messageOf } from '../../app/api.ts'
import { currentLanguage } from '../../app/language.ts'
import { paths } from '../../paths.ts'
import { SelectField } from '../../ui/Field.tsx'
import { formatTime } from '../../ui/format.ts'
import { toast } from '../../ui/Toast.tsx'
import { preferencesQuery } from '../queries.ts'

export function EveningReminder({ user, onSaved }: { readonly user: User; readonly onSaved: (changed: Partial<User>) => void }) {
  const { t } = useLingui()
  const { data } = useQuery(preferencesQuery)
  const [saving, setSaving] = useState(false)
  const save = async (reminder: ReminderTime | null): Promise<void> => {
    const before = user.reminder
    setSaving(true)
    onSaved({ reminder })
    try {
      onSaved((await call('updateProfile', { body: { reminder } })).user ?? { reminder })
      toast.success(t`Saved.`)
    } catch (error) {
      onSaved({ reminder: before })
      console.warn('Failed to change the evening reminder:', error)
      toast.error(messageOf(error, t`The change could not be saved.`))
    } finally {
      setSaving(false)
    }
  }
  const isNowhere = user.reminder !== null && data?.preferences.push === false
  return (
    <div className="form-sheet">
      <h2>
        <Trans>Evening reminder</Trans>
      </h2>
      <SelectField
        label={t`Remind me at`}
        hint={t`One notification, only if you have not joined, have ₹1 in your wallet and Auto Participate is off. Times are Indian time.`}
        value={user.reminder ?? ''}
        aria-busy={saving || undefined}
        onChange={(event) => {
          if (!saving) void save(REMINDER_TIMES.find((time) => time === event.target.value) ?? null)
        }}
      >
        <option value="">{t`Off`}</option>
        {REMINDER_TIMES.map((time) => (
          <option key={time} value={time}>
            {formatTime(`2026-01-01T${time}:00+05:30`, currentLanguage())}
          </option>
        ))}
      </SelectField>
      {isNowhere ? (
        <p role="status">
          <Trans>No device of yours gets notifications yet.</Trans>{' '}
          <Link className="tap" to={paths.notifications}>
            <Trans>Turn them on in Notifications</Trans>
          </Link>
        </p>
      ) : null}
    </div>
  )
}
