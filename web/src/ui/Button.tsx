/** Buttons and links that look like them. Terracotta means: do this. A busy button keeps its place and takes no second press. */
import type { ButtonHTMLAttributes, MouseEvent, Ref } from 'react'
import { useLingui } from '@lingui/react/macro'

export type ButtonKind = 'primary' | 'secondary' | 'quiet' | 'danger'

/** For links: `<Link className={buttonClass('secondary')} …>`. */
export function buttonClass(kind: ButtonKind = 'primary', wide = false): string {
  return `button${kind === 'primary' ? '' : ` ${kind}`}${wide ? ' wide' : ''}`
}

type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className'> & {
  readonly kind?: ButtonKind
  readonly wide?: boolean
  /** A request is under way: shown and spoken; presses do nothing. */
  readonly busy?: boolean
  readonly ref?: Ref<HTMLButtonElement>
}

export function Button({ kind = 'primary', wide = false, busy = false, type = 'button', onClick, children, ...rest }: ButtonProps) {
  const { t } = useLingui()
  const press = (event: MouseEvent<HTMLButtonElement>): void => {
    // preventDefault also holds back a second submit of the form.
    if (busy) event.preventDefault()
    else onClick?.(event)
  }
  // Leaving a field may bring an error line that moves this button away under the pointer: a submit
  // keeps the focus where it is, or the click would be lost.
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
