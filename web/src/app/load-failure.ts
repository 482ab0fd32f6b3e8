/**
 * Reveals the notice in app.html that the app could not load. app.html has its words in each language, because no catalogue is loaded then.
 */

/** Offers a reload. A slow app may still load; its first screen hides the offer (web/src/ui/app.css). */
export const showLost = (): void => document.getElementById('lost')?.removeAttribute('hidden')

export function tellLost(error: unknown): void {
  console.warn('The app could not be loaded:', error)
  document.querySelector('.splash')?.remove()
  showLost()
}
