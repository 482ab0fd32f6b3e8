/**
 * Moves the focus to a given place after the focused element was removed.
 * - It never takes the focus from another element, because somebody may be typing there.
 * - It never scrolls, because the page would move under the finger that presses next.
 */
export function catchFocus(place: HTMLElement | null | undefined): void {
  if (document.activeElement === document.body) place?.focus({ preventScroll: true })
}
