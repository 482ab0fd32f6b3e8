/**
 * Buttons, and links that look like buttons.
 * - A busy button keeps its place and ignores presses.
 */
import type { ButtonHTMLAttributes, MouseEvent, Ref } from 'react'
import { useLingui } from '@lingui/react/macro'

type ButtonKind = 'primary' | 'secondary' | 'quiet' | 'danger'

/** For links: `<Link className={buttonClass('secondary')} …>`. */
export function buttonClass(kind: ButtonKind = 'primary', wide = false): string {
  return `button${kind === 'primary' ? '' : ` ${kind}`}${wide ? ' wide' : ''}`
}

type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className'> & {
  readonly kind?: ButtonKind
  readonly wide?: boolean
  /** A request is running: the button shows it, screen readers announce it, and presses have no effect. */
  readonly busy?: boolean
  readonly ref?: Ref<HTMLButtonElement>
}

export function Button({ kind = 'primary', wide = false, busy = false, type = 'button', onClick, children, ...rest }: ButtonProps) {
  const { t } = useLingui()
  const press = (event: MouseEvent<HTMLButtonElement>): void => {
    // preventDefault also prevents a second submit of the form.
    if (busy) event.preventDefault()
    else onClick?.(event)
  }
  // A submit button does not take the focus. Otherwise leaving a field could show an error line, move this button away from
  // the pointer and lose the click.
  const hold = (event: MouseEvent<HTMLButtonElement>): void => {
    if (type === 'submit') event.preventDefault()
  }
  return (
    // oxlint-disable-next-line react/button-has-type -- the caller's type, `button` by default
    <button
      {...rest}
      type={type}
      className={buttonClass(kind, wide)}
      onClick={press}
      onMouseDown={hold}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
    >
      {busy ? <span className="wheel" role="img" aria-label={t`Working`} /> : null}
      {children}
    </button>
  )
}
