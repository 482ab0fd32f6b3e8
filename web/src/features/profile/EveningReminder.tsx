/** The time of the evening reminder. A choice saves at once and reverts on failure. */
import { Trans, useLingui } from '@lingui/react/macro'
import type { User } from '@roz/contract/shapes.ts'
import { REMINDER_TIMES } from '@roz/core/reminder.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { currentLanguage } from '../../app/language.ts'
import { paths } from '../../paths.ts'
import { SelectField } from '../../ui/Field.tsx'
import { formatTime } from '../../ui/format.ts'
import { toast } from '../../ui/Toast.tsx'
import { preferencesQuery } from '../queries.ts'
import { useAtOnce } from './use-at-once.ts'

export function EveningReminder({ user, onSaved }: { readonly user: User; readonly onSaved: (changed: Partial<User>) => void }) {
  const { t } = useLingui()
  const { data } = useQuery(preferencesQuery)
  const { saving, save } = useAtOnce({ user, field: 'reminder', about: 'the evening reminder', onSaved })
  const choose = async (typed: string): Promise<void> => {
    if (await save(REMINDER_TIMES.find((time) => time === typed) ?? null)) toast.success(t`Saved.`)
  }
  const isNowhere = user.reminder !== null && data?.preferences.push === false
  return (
    <div className="form-sheet">
      <h2>{t`Evening reminder`}</h2>
      <SelectField
        label={t`Remind me at`}
        hint={t`One notification, only if you have not joined, have ₹1 in your wallet and Auto Participate is off. Times are Indian time.`}
        value={user.reminder ?? ''}
        aria-busy={saving || undefined}
        onChange={(event) => {
          if (!saving) void choose(event.target.value)
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
          <Link className="tap" to={paths.notifications}>{t`Turn them on in Notifications`}</Link>
        </p>
      ) : null}
    </div>
  )
}
