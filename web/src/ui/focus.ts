/**
 * Gives the focus a place after the element that had it was removed.
 *
 * - It never takes the focus from another element: somebody is typing there.
 * - It never scrolls: the page would move under the finger that presses next.
 */
export function catchFocus(place: HTMLElement | null | undefined): void {
  if (document.activeElement === document.body) place?.focus({ preventScroll: true })
}
