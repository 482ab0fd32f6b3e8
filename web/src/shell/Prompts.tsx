/** The app's own notices: a new version, the offer to install, and the offer of results on this device. */
import { Trans, useLingui } from '@lingui/react/macro'
import { refreshMine } from '../features/queries.ts'
import { answerInstall, putOffResults, putOffUpdate, takeUpdate, usePrompts } from '../pwa/registration.ts'
import { session } from '../app/session.tsx'
import { brand } from '../app/language.ts'
import { Button } from '../ui/Button.tsx'
import { toast } from '../ui/Toast.tsx'

export function Prompts() {
  const { t } = useLingui()
  const { update, install, results } = usePrompts()
  const brandName = brand()
  const tellHere = async (): Promise<void> => {
    const now = session.get()
    putOffResults()
    if (now.status !== 'member') return
    try {
      if ((await results?.(now.user.id)) === 'on') toast.success(t`Done. We'll send the result to this device.`)
      void refreshMine()
    } catch (error) {
      console.warn('Results on this device could not be turned on:', error)
      toast.error(t`Notifications could not be turned on. Turn them on in Notifications.`)
    }
  }
  return (
    <>
      {update === undefined ? null : (
        <div className="notice stays" role="status" aria-label={t`New version`}>
          <p>
            <Trans>A new version of {brandName} is ready.</Trans>
          </p>
          <Button onClick={takeUpdate}>{t`Reload`}</Button>
          <Button kind="quiet" onClick={putOffUpdate}>{t`Later`}</Button>
        </div>
      )}
      {install === undefined ? null : (
        <aside className="notice stays" aria-label={t`Install`}>
          <p>
            <Trans>Your rupee is in. Put {brandName} on your home screen, and tomorrow is one tap away.</Trans>
          </p>
          <Button onClick={() => answerInstall(true)}>{t`Install`}</Button>
          <Button kind="quiet" onClick={() => answerInstall(false)}>{t`Not now`}</Button>
        </aside>
      )}
      {results === undefined ? null : (
        <aside className="notice stays" aria-label={t`Results on this device`}>
          <p>{t`You're in. Do you want the result on this device?`}</p>
          <Button onClick={() => void tellHere()}>{t`Tell me`}</Button>
          <Button kind="quiet" onClick={putOffResults}>{t`Not now`}</Button>
        </aside>
      )}
    </>
  )
}
