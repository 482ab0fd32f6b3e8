/** The dialogs of a story that say what is about to happen: its preview, its publication, its way back, and a draft's deletion. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { PortalStory } from '@roz/contract/impact.ts'
import type { ReactNode } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Modal } from '../../../ui/Modal.tsx'
import { isPendingCharity } from '../../CharityName.tsx'
import { StoryViewer } from '../../impact/StoryViewer.tsx'

/** The story as the members' screen shows it. */
export function Preview({ story, onClose }: { readonly story: PortalStory; readonly onClose: () => void }) {
  return (
    <Modal open size="xl" onClose={onClose} title={<Trans>As members see it</Trans>}>
      <StoryViewer story={{ ...story, isActive: true }} preview />
    </Modal>
  )
}

/** The effects of publishing a story, and what the story still lacks. */
export function Publication({ story }: { readonly story: PortalStory }) {
  return (
    <div className="under-button">
      {isPendingCharity(story.charity.name) ? (
        <p className="warning-line spaced">
          <Trans>No charity is named yet: everybody reads “Pending Charity Selection”.</Trans>
        </p>
      ) : null}
      <p className="muted">
        <Told story={story} />
      </p>
    </div>
  )
}

function Told({ story: { help, isTold } }: { readonly story: PortalStory }) {
  if (help === null)
    return <Trans>No help is linked, so no member is told. If it tells of help that was given, link that help under Edit first.</Trans>
  if (isTold) return <Trans>The members whose rupee is in this help were told already. Nobody is told again.</Trans>
  if (help.givers === 0) return <Trans>No member is told: this help came from donations.</Trans>
  return (
    <>
      {help.days === 1 ? (
        <Plural
          value={help.givers}
          one="# member is told that their rupee is in this help."
          other="# members are told that their rupee is in this help."
        />
      ) : (
        <Plural
          value={help.givers}
          one="# member is told that their rupee is in this help."
          other="Up to # members are told that their rupee is in this help."
        />
      )}{' '}
      <Trans>They are told once: in the app, by push and by email. It cannot be taken back.</Trans>
    </>
  )
}

type ActionProps = {
  readonly story: PortalStory
  readonly busy: boolean
  readonly onClose: () => void
  readonly onConfirm: () => void
}
type ConfirmationProps = ActionProps & {
  readonly title: ReactNode
  readonly confirm: string
  readonly danger?: boolean
  readonly children: ReactNode
}

function Confirmation({ story, title, confirm, danger = true, busy, onClose, onConfirm, children }: ConfirmationProps) {
  return (
    <Modal
      open
      size="sm"
      onClose={() => (busy ? undefined : onClose())}
      title={title}
      footer={
        <>
          <Button kind="secondary" disabled={busy} onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button kind={danger ? 'danger' : 'primary'} busy={busy} onClick={onConfirm}>
            {confirm}
          </Button>
        </>
      }
    >
      <p>{story.title}</p>
      {children}
    </Modal>
  )
}

export function Publish(action: ActionProps) {
  const { t } = useLingui()
  return (
    <Confirmation {...action} title={<Trans>Publish this story?</Trans>} confirm={t`Publish`} danger={false}>
      <Publication story={action.story} />
    </Confirmation>
  )
}

export function Unpublish(action: ActionProps) {
  const { t } = useLingui()
  return (
    <Confirmation {...action} title={<Trans>Take this story back?</Trans>} confirm={t`Unpublish`}>
      <p className="muted under-button">{t`It disappears from the site and becomes a draft again.`}</p>
    </Confirmation>
  )
}

export function Delete(action: ActionProps) {
  const { t } = useLingui()
  return (
    <Confirmation {...action} title={<Trans>Delete this draft?</Trans>} confirm={t`Delete`}>
      <p className="muted under-button">
        <Trans>Its words and its picture are gone for good. The help that it is linked to stays, and can have another story.</Trans>
      </p>
    </Confirmation>
  )
}
