/**
 * Toasts: success, error or warning, visible for 5 s, with a close button.
 * - While a modal is open, the rest of the page is inert, so the host moves into the topmost dialog and back.
 */
import { useLingui } from '@lingui/react/macro'
import { useEffect, useReducer, useSyncExternalStore } from 'react'
import { createPortal } from 'react-dom'
import { CheckIcon, CloseIcon, ErrorIcon, WarningIcon } from './icons.tsx'

const LIFE_MS = 5000
type Kind = 'success' | 'error' | 'warning'
type Item = { readonly id: number; readonly kind: Kind; readonly text: string }

let items: readonly Item[] = []
let nextId = 1
const listeners = new Set<() => void>()

function replace(next: readonly Item[]): void {
  items = next
  for (const listener of listeners) listener()
}
const dismiss = (id: number): void => replace(items.filter((item) => item.id !== id))

function show(kind: Kind, text: string): void {
  const id = nextId++
  replace([...items.filter((item) => item.text !== text), { id, kind, text }])
  setTimeout(() => dismiss(id), LIFE_MS)
}

export const toast = {
  success: (text: string): void => show('success', text),
  error: (text: string): void => show('error', text),
  warning: (text: string): void => show('warning', text),
} as const

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
const ICONS = { success: CheckIcon, error: ErrorIcon, warning: WarningIcon } as const satisfies Record<Kind, unknown>

/** Rendered once, in the app's frame. */
export function ToastHost() {
  const shown = useSyncExternalStore(subscribe, () => items)
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    window.addEventListener('roz:modals', redraw)
    return () => window.removeEventListener('roz:modals', redraw)
  }, [])
  const { t } = useLingui()
  const place = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body
  return createPortal(
    <div className="toasts">
      {shown.map(({ id, kind, text }) => {
        const Icon = ICONS[kind]
        return (
          <div key={id} className={`toast ${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
            <Icon />
            <p>{text}</p>
            <button className="icon-button" type="button" aria-label={t`Close`} onClick={() => dismiss(id)}>
              <CloseIcon />
            </button>
          </div>
        )
      })}
    </div>,
    place,
  )
}
