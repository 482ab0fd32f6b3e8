/** Finds, fills and shows the marked elements of a page that the server has rendered. */
export const byData = <E extends HTMLElement>(name: string, from: ParentNode = document): E | null =>
  from.querySelector<E>(`[data-${name}]`)
export const all = (selector: string, from: ParentNode = document): HTMLElement[] => [...from.querySelectorAll<HTMLElement>(selector)]

export function fill(name: string, text: string): void {
  for (const place of all(`[data-fill=${name}]`)) place.textContent = text
}

export function show(selector: string, isShown: boolean): void {
  for (const one of all(selector)) one.hidden = !isShown
}
