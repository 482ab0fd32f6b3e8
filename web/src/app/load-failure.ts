/** What app.html says in each language where the app does not come: there is no catalogue either. */

/** Offers to load again. What is only late may still come; its first screen hides the offer (app.css). */
export const showLost = (): void => document.getElementById('lost')?.removeAttribute('hidden')

export function tellLost(error: unknown): void {
  console.warn('The app could not be loaded:', error)
  document.querySelector('.splash')?.remove()
  showLost()
}
