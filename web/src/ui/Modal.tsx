/**
 * The modal dialog: closes on Escape, by a button and, unless switched off, by a click on the overlay.
 * - The page does not scroll while the dialog is open.
 * - It opens and closes in the same step in which it is rendered and removed. A later effect would take the focus, and typed text, from the
 *   field pressed next.
 * - The browser's own `close` returns the focus to its earlier place, without scrolling.
 */
import { useLingui } from '@lingui/react/macro'
import { type MouseEvent, type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { CloseIcon } from './icons.tsx'
import { keepScrollbarRoom } from './scrollbar.ts'

export type ModalSize = 'sm' | 'md' | 'lg' | 'xl'
type ModalProps = {
  readonly open: boolean
  readonly onClose: () => void
  readonly title: ReactNode
  readonly size?: ModalSize
  readonly closeOnOverlay?: boolean
  readonly closeButton?: boolean
  /** The buttons at the bottom. */
  readonly footer?: ReactNode
  readonly children: ReactNode
}

export function Modal(props: ModalProps) {
  return props.open ? <OpenModal {...props} /> : null
}

function OpenModal({ onClose, title, size = 'md', closeOnOverlay = true, closeButton = true, footer, children }: ModalProps) {
  const { t } = useLingui()
  const dialog = useRef<HTMLDialogElement>(null)
  const pressedOutside = useRef(false)
  const titleId = useId()

  useLayoutEffect(() => {
    const element = dialog.current
    keepScrollbarRoom()
    element?.showModal()
    window.dispatchEvent(new Event('roz:modals'))
    return () => {
      element?.close()
      window.dispatchEvent(new Event('roz:modals'))
    }
  }, [])

  // A drag that starts on text inside and ends outside is not a click on the overlay.
  const onPress = (event: MouseEvent): void => {
    pressedOutside.current = event.target === dialog.current
  }
  const onRelease = (event: MouseEvent): void => {
    if (closeOnOverlay && pressedOutside.current && event.target === dialog.current) onClose()
  }

  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- Escape is the key for it
    <dialog
      ref={dialog}
      className={`modal ${size}`}
      aria-labelledby={titleId}
      onMouseDown={onPress}
      onClick={onRelease}
      onCancel={(event) => {
        if (event.target !== dialog.current) return
        event.preventDefault()
        onClose()
      }}
      onKeyDown={(event) => {
        // Chromium closes a dialog itself on a second Escape. Preventing that keeps `open` the only truth.
        if (event.key !== 'Escape') return
        event.preventDefault()
        onClose()
      }}
    >
      <div className="modal-inner">
        <div className="modal-head">
          <h2 id={titleId}>{title}</h2>
          {closeButton ? (
            <button className="icon-button" type="button" aria-label={t`Close`} onClick={onClose}>
              <CloseIcon />
            </button>
          ) : null}
        </div>
        <div className="modal-body">{children}</div>
        {footer === undefined ? null : <div className="modal-foot">{footer}</div>}
      </div>
    </dialog>
  )
}
