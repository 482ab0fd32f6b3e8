/** The member's preferences for mails. The switch saves at once and reverts on failure. */
import { Trans, useLingui } from '@lingui/react/macro'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call, messageOf } from '../../app/api.ts'
import { NotLoaded } from '../../ui/Feedback.tsx'
import { Switch } from '../../ui/Switch.tsx'
import { toast } from '../../ui/Toast.tsx'
import { preferencesQuery } from '../queries.ts'

export function Preferences() {
  const { t } = useLingui()
  const client = useQueryClient()
  const preferences = useQuery(preferencesQuery)
  const { data } = preferences
  const change = useMutation({
    mutationFn: (mail: boolean) => call('setPreferences', { body: { mail } }),
    onMutate: async (mail) => {
      await client.cancelQueries({ queryKey: preferencesQuery.queryKey })
      const before = client.getQueryData(preferencesQuery.queryKey)
      if (before !== undefined) client.setQueryData(preferencesQuery.queryKey, { preferences: { ...before.preferences, mail } })
      return before
    },
    onSuccess: (answer) => client.setQueryData(preferencesQuery.queryKey, answer),
    onError: (error, _mail, before) => {
      if (before !== undefined) client.setQueryData(preferencesQuery.queryKey, before)
      console.warn('Failed to change the preferences:', error)
      toast.error(messageOf(error, t`The change could not be saved.`))
    },
  })
  return (
    <>
      <h2 className="spaced">{t`Preferences`}</h2>
      {data !== undefined ? (
        <Switch
          label={t`Emails about your rounds`}
          checked={data.preferences.mail}
          on={t`Enabled`}
          off={t`Disabled`}
          busy={change.isPending}
          onChange={(mail) => change.mutate(mail)}
        />
      ) : (
        <NotLoaded query={preferences} failed={t`Your preferences could not be loaded.`} lines={2} />
      )}
      <p className="small muted">
        <Trans>
          A weekly email about the rounds that Auto Participate joined for you, and an email when a story shows help from your rupees. You
          still get emails about your money and account.
        </Trans>
      </p>
    </>
  )
}
