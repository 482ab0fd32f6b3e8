/**
 * A dialog locks the page, which takes its scrollbar away. Told before it opens, the page keeps the room
 * that a bar took, so that nothing on it moves; where no bar took any, it gives none away.
 */
export function keepScrollbarRoom(): void {
  const page = document.documentElement
  page.classList.toggle('has-bar', innerWidth > page.clientWidth)
}
