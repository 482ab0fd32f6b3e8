/**
 * Defers the content below or beside the main part of the app's first screen.
 * - On the first screen it renders after the main part is visible, in small steps, so that a slow phone stays responsive.
 * - Later screens render whole at once, so that the scroll position is restored on the way back.
 */
import { type ReactNode, useDeferredValue } from 'react'

let isFirst = true
/** True until the first screen is drawn. The data of that screen was requested just now. */
export const isFirstScreen = (): boolean => isFirst
export function firstScreenStands(): void {
  isFirst = false
}

/** After a reload, or with a hash in the address, the browser looks for a place on the page, so everything renders at once. */
const namesPlace = (): boolean => {
  const [coming] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return location.hash !== '' || coming?.type !== 'navigate'
}

export function Later({ children }: { readonly children: ReactNode }) {
  return useDeferredValue(true, !isFirst || namesPlace()) ? children : null
}
