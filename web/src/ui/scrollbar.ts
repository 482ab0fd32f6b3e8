/**
 * Keeps the page from moving when a dialog locks it and removes its scrollbar.
 * - Call it before the dialog opens: it reserves the scrollbar's width, if the scrollbar takes any.
 */
export function keepScrollbarRoom(): void {
  const page = document.documentElement
  page.classList.toggle('has-bar', innerWidth > page.clientWidth)
}
