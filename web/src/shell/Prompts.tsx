/** What the program itself has to say: a new version is there; it may live on the home screen. */
import { Trans, useLingui } from '@lingui/react/macro'
import { answerInstall, putOffUpdate, takeUpdate, usePrompts } from '../pwa/registration.ts'
import { settings } from '../settings.ts'
import { Button } from '../ui/Button.tsx'

export function Prompts() {
  const { t } = useLingui()
  const { update, install } = usePrompts()
  const { brandName } = settings
  return (
    <>
      {update === undefined ? null : (
        <div className="notice stays" role="status" aria-label={t`New version`}>
          <p>
            <Trans>A new version of {brandName} is ready.</Trans>
          </p>
          <Button onClick={takeUpdate}>
            <Trans>Reload</Trans>
          </Button>
          <Button kind="quiet" onClick={putOffUpdate}>
            <Trans>Later</Trans>
          </Button>
        </div>
      )}
      {install === undefined ? null : (
        <aside className="notice stays" aria-label={t`Install`}>
          <p>
            <Trans>Your rupee is in. Put {brandName} on your home screen, and tomorrow is one tap away.</Trans>
          </p>
          <Button onClick={() => answerInstall(true)}>
            <Trans>Install</Trans>
          </Button>
          <Button kind="quiet" onClick={() => answerInstall(false)}>
            <Trans>Not now</Trans>
          </Button>
        </aside>
      )}
    </>
  )
}
