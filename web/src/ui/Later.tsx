/**
 * What stands further down on the screen that the app begins with, or beside: drawn once what stands above
 * is seen, in steps between which a slow phone goes on answering. Screens that are walked to are drawn as a
 * whole: there is nothing to wait for, and who comes back finds the place where they were.
 */
import { type ReactNode, useDeferredValue } from 'react'

let isFirst = true
/** Until the first screen stands. What it shows has been asked for just now. */
export const isFirstScreen = (): boolean => isFirst
export function firstScreenStands(): void {
  isFirst = false
}

/** Who reloads finds their place too, and an address may name one: either is looked for in what is drawn first. */
const namesPlace = (): boolean => {
  const [coming] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return location.hash !== '' || coming?.type !== 'navigate'
}

export function Later({ children }: { readonly children: ReactNode }) {
  return useDeferredValue(true, !isFirst || namesPlace()) ? children : null
}
