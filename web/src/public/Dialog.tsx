/** The dialog of the page's videos: how it works, and the stories. site.ts fills in the player. */
import { youtubeId } from '@roz/core/youtube.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { CloseIcon } from '../ui/icons.tsx'
import { usePage } from './context.ts'
import { SplitOfARupee } from './parts.tsx'

export function VideoDialog() {
  const { t } = useLingui()
  const { site } = usePage()
  const id = site.howItWorksVideo === undefined ? undefined : youtubeId(site.howItWorksVideo)
  return (
    <dialog className="lg video-box" id="video" aria-labelledby="video-title" data-video={id}>
      <div className="modal-head">
        <h2 id="video-title">{t`How it works`}</h2>
        <button className="icon-button" type="button" aria-label={t`Close`} data-close="">
          <CloseIcon />
        </button>
      </div>
      <div className="modal-body">
        <div data-player="">
          <p>
            <Trans>Put in one rupee before midnight.</Trans> <SplitOfARupee /> <Trans>Impact videos are announced for 6 PM.</Trans>
          </p>
        </div>
      </div>
    </dialog>
  )
}
