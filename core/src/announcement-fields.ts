/** Rules of an announcement's text and link, and the messages about its time. */
import * as z from 'zod/mini'
import type { Words } from './field-words.ts'
import { withoutContact } from './public-words.ts'
import { texts } from './texts.ts'
import { oneLine } from './written.ts'

export const ANNOUNCEMENT_TEXTS = {
  announcement_required: texts('Please write the text in every language'),
  announcement_long: texts('The text must be at most 200 characters'),
  announcement_link: texts('Please enter a page of this app, such as /wallet. Other sites are not possible.'),
  announcement_time: texts('Please choose a day and a time'),
  announcement_end_first: texts('The end must be after the start'),
  announcement_end_past: texts('The end must be in the future'),
} as const satisfies Words

const code = (problem: keyof typeof ANNOUNCEMENT_TEXTS) => ({ error: problem })

export const ANNOUNCEMENT_MAX = 200
/** Plain text of one paragraph. */
export const announcementText = z
  .string('announcement_required')
  .check(oneLine, z.minLength(1, code('announcement_required')), z.maxLength(ANNOUNCEMENT_MAX, code('announcement_long')), withoutContact)

/** A path on our own host, outside `/admin`, `/api` and `/dev`. No `//`, `/.` or backslash anywhere; no `%` before the query. */
const OWN_PATH = /^(?!.*\/[/.])(?!\/(?:admin|api|dev)(?:[/?#]|$))\/[\w\-./]*(?:[?#][\w\-./?=&%#]*)?$/
export const announcementLink = z
  .string('announcement_link')
  .check(z.trim(), z.maxLength(200, code('announcement_link')), z.regex(OWN_PATH, code('announcement_link')))
