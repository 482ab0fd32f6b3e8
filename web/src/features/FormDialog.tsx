/** A dialog around one form. While the form is being sent, it neither closes nor sends again. */
import { Trans } from '@lingui/react/macro'
import { type FormEvent, type ReactNode, useId } from 'react'
import { Button } from '../ui/Button.tsx'
import { Modal } from '../ui/Modal.tsx'

type FormDialogProps = {
  readonly title: ReactNode
  /** The label of the button that sends. */
  readonly confirm: string
  readonly danger?: boolean
  readonly unready?: boolean
  readonly busy: boolean
  readonly onSubmit: (event: FormEvent) => Promise<void>
  readonly onClose: () => void
  readonly children: ReactNode
}

export function FormDialog({ title, confirm, danger = false, unready = false, busy, onSubmit, onClose, children }: FormDialogProps) {
  const formId = useId()
  return (
    <Modal
      open
      closeOnOverlay={false}
      onClose={() => (busy ? undefined : onClose())}
      title={title}
      footer={
        <>
          <Button kind="secondary" disabled={busy} onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" form={formId} kind={danger ? 'danger' : 'primary'} busy={busy} disabled={unready}>
            {confirm}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={(event) => void onSubmit(event)}>
        {children}
      </form>
    </Modal>
  )
}
