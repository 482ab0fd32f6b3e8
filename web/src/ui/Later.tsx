/**
 * What stands further down on the screen that the app begins with: drawn once what stands above is seen,
 * in steps between which a slow phone goes on answering. Screens that are walked to are drawn as a whole:
 * there is nothing to wait for, and who comes back finds the place where they were.
 */
import { type ReactNode, useDeferredValue } from 'react'

let isFirst = true
/** Until the first screen stands. What it shows has been asked for just now. */
export const isFirstScreen = (): boolean => isFirst
export function firstScreenStands(): void {
  isFirst = false
}

export function Later({ children }: { readonly children: ReactNode }) {
  return useDeferredValue(true, !isFirst) ? children : null
}
