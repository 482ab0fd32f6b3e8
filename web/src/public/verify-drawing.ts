/** Fills a day's figures into the page's four pictures of the draw. */
import type { Speech } from '@roz/core/language.ts'
import { type DayView, type Drawing, drawnDay, type DrawnDay } from '../ui/draw-figures.ts'
import { all, byData, fill } from './verify-page.ts'

export function fillDrawing(view: DayView, drawing: Drawing, speech: Speech): void {
  const { figures, conditions, winners } = drawnDay(view, drawing, speech)
  for (const [name, text] of Object.entries(figures)) fill(name, text)
  const isShown: Readonly<Record<string, boolean>> = conditions
  for (const one of all('[data-if]')) one.hidden = isShown[one.dataset.if ?? ''] !== true
  listWinners(winners)
  const rules = byData<HTMLAnchorElement>('rules')
  if (rules !== null && drawing.open?.rules !== undefined) rules.href = `/api/public/rules/${drawing.open.rules}`
}

function listWinners(winners: DrawnDay['winners']): void {
  const list = byData('winners')
  const pattern = list?.querySelector('template')
  if (list === null || !pattern) return
  for (const old of all('li', list)) old.remove()
  for (const winner of winners) {
    const row = pattern.content.cloneNode(true) as DocumentFragment
    for (const [name, text] of Object.entries(winner)) {
      const place = row.querySelector(`[data-winner=${name}]`)
      if (place !== null) place.textContent = text
    }
    list.append(row)
  }
}
