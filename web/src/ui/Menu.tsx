/** A menu behind a button. It closes on a click outside, Escape, a selected entry, or when the focus leaves. */
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'

type MenuProps = {
  /** The button's name for screen readers. */
  readonly label: string
  /** The button's visible content. */
  readonly button: ReactNode
  readonly className?: string
  /** Links and buttons. */
  readonly children: ReactNode
}

export function Menu({ label, button, className = '', children }: MenuProps) {
  const [open, setOpen] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  const trigger = useRef<HTMLButtonElement>(null)
  const panelId = useId()

  /** The focused entry is now hidden, so the focus returns to the button. A link then moves it on to its screen. */
  const close = (): void => {
    setOpen(false)
    trigger.current?.focus()
  }

  useEffect(() => {
    if (!open) return
    const outside = (event: Event): void => {
      if (!(event.target instanceof Node) || root.current?.contains(event.target) === false) setOpen(false)
    }
    const escape = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') close()
    }
    document.addEventListener('pointerdown', outside)
    document.addEventListener('focusin', outside)
    document.addEventListener('keydown', escape)
    return () => {
      document.removeEventListener('pointerdown', outside)
      document.removeEventListener('focusin', outside)
      document.removeEventListener('keydown', escape)
    }
  }, [open])

  return (
    <div className={`menu ${className}`} ref={root}>
      <button
        ref={trigger}
        className="menu-button"
        type="button"
        aria-expanded={open}
        aria-controls={panelId}
        onClick={() => setOpen(!open)}
      >
        {/* The button's name contains its visible text, for people who use voice control. */}
        <span className="hidden">{label}</span>
        <span className="menu-face">{button}</span>
      </button>
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- the entries inside handle the keys */}
      <div className="menu-panel" id={panelId} hidden={!open} onClick={close}>
        {children}
      </div>
    </div>
  )
}
