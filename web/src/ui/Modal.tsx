/**
 * The reusable modal (spec section 2): closes on Escape, by choice on an overlay click and by a
 * button; page scrolling is locked while it is open.
 *
 * - It opens and closes in the same step in which it is drawn and removed. Between the two the page
 *   takes presses: a later effect would take the focus, and what is typed, from the field pressed next.
 * - The browser's own `close` gives the focus back to where it came from, without scrolling.
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
  /** Buttons at the foot. */
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
        // Chromium closes a dialog by itself on a second Escape; this keeps `open` the only truth.
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
