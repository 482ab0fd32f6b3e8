/** Rules of the words of the site that the portal edits. */
import * as z from 'zod/mini'
import type { Words } from './field-words.ts'
import { figureWithoutContact } from './public-words.ts'
import { texts } from './texts.ts'
import { oneLine } from './written.ts'

export const SITE_TEXTS = {
  figure_required: texts('Please write the figure'),
  figure_long: texts('A figure must be at most 40 characters'),
} as const satisfies Words

const code = (problem: keyof typeof SITE_TEXTS) => ({ error: problem })

/** A marketing figure as text, such as `14,000`. */
export const siteFigure = z
  .string('figure_required')
  .check(oneLine, z.minLength(1, code('figure_required')), z.maxLength(40, code('figure_long')), figureWithoutContact)
